"""What the guard says about a command or a path, and the policy table that turns a rule into a decision.

A rule is a stable id ("delete.outside"). tables/rules.json gives each its effect, its decision and what would be allowed instead;
core/locale/guard.json gives the reason that a person reads.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.guard.reasons import REASONS
from core.i18n import t

EFFECTS = ("read", "write-workspace", "network", "unknown", "write-outside", "destructive", "privilege", "secret", "exfil")
DECISIONS = ("allow", "ask", "deny")
_TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables")


@dataclass(frozen=True)
class Rule:
    """One line of the policy table. `boundary`: the OS sandbox holds this effect, so that it may run without a question inside it."""

    effect: str
    decision: str
    boundary: bool
    allowed: str


@dataclass(frozen=True)
class Finding:
    """One rule met by one simple command. `start` and `end` are character offsets in the judged text."""

    rule: str
    start: int
    end: int
    resource: str = ""


@dataclass(frozen=True)
class Verdict:
    """The answer of the guard: `decision` is allow, ask or deny; the other fields describe the worst simple command.

    `span` is (start, end) in characters of the judged text and `command` is that text; `rules` names every rule that does not allow;
    `network` is true when an allowed part needs the network.
    """

    decision: str
    effect: str
    rule: str
    span: tuple[int, int]
    command: str
    resource: str = ""
    allowed: str = ""
    rules: tuple[str, ...] = ()
    network: bool = False

    @property
    def reason(self) -> str:
        """Why, in the language of the person."""
        return t(REASONS[self.rule], command=_short(self.command), resource=_short(self.resource) or _short(self.command))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "decision": self.decision,
            "effect": self.effect,
            "rule": self.rule,
            "span": list(self.span),
            "command": self.command,
            "resource": self.resource,
            "reason": self.reason,
            "allowed": self.allowed,
            "rules": list(self.rules),
            "network": self.network,
        }


def _short(text: str, limit: int = 120) -> str:
    """One printable line: control and direction characters are shown escaped, so that the prompt cannot be forged."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text[:limit])
    return shown + ("…" if len(text) > limit else "")


@functools.cache
def load_table(name: str) -> Any:
    """The data of tables/NAME.json."""
    with open(os.path.join(_TABLES, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def words_in(value: str | list[str]) -> list[str]:
    """The words of a table entry that is one line or several."""
    return (value if isinstance(value, str) else " ".join(value)).split()


@functools.cache
def listed(name: str) -> frozenset[str]:
    """The option or argument names of tables/arguments.json under `name`."""
    return frozenset(words_in(load_table("arguments")[name]))


@functools.cache
def rules() -> dict[str, Rule]:
    """The policy table."""
    return {name: Rule(row[0], row[1], row[2] == "boundary", row[3]) for name, row in load_table("rules").items()}


def decide(rule: str, sandboxed: bool = False) -> str:
    """allow, ask or deny for one rule."""
    row = rules()[rule]
    return "allow" if sandboxed and row.boundary and row.decision == "ask" else row.decision


def conclude(findings: Iterable[Finding], text: str, sandboxed: bool = False) -> Verdict:
    """The verdict of a whole script: the worst of its findings; a script without a finding only reads."""
    table = rules()
    worst: tuple[tuple[int, int], Finding] | None = None
    stopping: dict[str, None] = {}
    network = False
    for finding in findings:
        decision = decide(finding.rule, sandboxed)
        effect = table[finding.rule].effect
        if decision == "allow":
            network = network or effect == "network"
        else:
            stopping[finding.rule] = None
        rank = (DECISIONS.index(decision), EFFECTS.index(effect))
        if worst is None or rank > worst[0]:
            worst = (rank, finding)
    found = worst[1] if worst else Finding("read.only", 0, len(text))
    row = table[found.rule]
    return Verdict(
        decide(found.rule, sandboxed),
        row.effect,
        found.rule,
        (found.start, found.end),
        text[found.start : found.end],
        found.resource,
        row.allowed,
        tuple(stopping),
        network,
    )
