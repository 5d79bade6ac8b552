"""What a person had remembered for a workspace: consulted at a question, listed and revoked by `rules`."""
from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.i18n import t
from ui.cli.arguments import Arguments
from ui.cli.scopes import scripts_of
from ui.cli.screen import Screen
from ui.cli.terminal import clip, visible

if TYPE_CHECKING:
    from core.guard.policy import Policy, Remembered
    from ui.cli.confirm import Question

SHELL = "powershell" if os.name == "nt" else "posix"


class Memory:
    """The remembered rules of one workspace. The file is read at every question, so that what another program revokes counts at once."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace

    @property
    def policy(self) -> Policy:
        """The rules as the file holds them now."""
        from core.guard.policy import Policy

        return Policy(self.workspace)

    def answer(self, question: Question) -> Remembered | None:
        """The rule that says yes to this question. SettingsError when the file cannot be trusted."""
        policy, place = self.policy, self._place(question)
        if question.verdict is None or place is None:
            return None
        return policy.allows(question.detail, question.verdict, SHELL, place)

    def offers(self, question: Question) -> list[tuple[str, str]]:
        """What may be remembered, as (kind, text)."""
        if question.verdict is None or self._place(question) is None:
            return []
        from core.guard.policy import offers

        return offers(question.detail, question.verdict, SHELL)

    def _place(self, question: Question) -> str | None:
        """The folder, as rules name it, in which a rule may be about this question. None outside the workspace, for what is no command, and for
        a command that runs a script file, which may be another by the next time."""
        if question.action != "run_command" or scripts_of(question.detail, question.cwd or str(self.workspace)) != ():
            return None
        return self.policy.folder(question.cwd or self.workspace)

    def keep(self, question: Question, offer: tuple[str, str], why: str) -> str:
        """Remember one offer; the folder that it holds in. SettingsError or OSError when the file cannot be used."""
        place = self._place(question)
        if question.verdict is None or place is None:
            raise ValueError(f"{offer[1]!r} cannot be remembered")
        self.policy.remember(*offer, question.verdict, why, shell=SHELL, cwd=place)
        return place


def rule_words(kind: str, text: str, cwd: str = "") -> str:
    """A rule on one line, in the person's language. `cwd` is its folder below the workspace."""
    shown = clip(visible(text, exact=True).replace("\n", " ⏎ "), 100)
    words = t("cli.rule_prefix", text=shown) if kind == "prefix" else t("cli.rule_exact", text=shown)
    return t("cli.rule_folder", rule=words, folder=clip(visible(cwd, exact=True).replace("\n", " ⏎ "), 100)) if cwd else words


def rows_of(entries: Sequence[Remembered]) -> list[tuple[str, ...]]:
    """A table of rules: number, what, for which rules of the guard, since when, why."""
    return [(str(number), rule_words(entry.kind, entry.text, entry.cwd), ", ".join(entry.rules), entry.when[:10], entry.why)
            for number, entry in enumerate(entries, 1)]


def revoke(policy: Policy, which: str) -> list[Remembered]:
    """Forget the rule with this number, counted from 1, or "all"; what is forgotten. UsageError for a number that is none."""
    if which in ("all", "全部"):
        return [policy.revoke(0) for _ in policy.entries]
    if not which.isdecimal() or not 0 < int(which) <= len(policy.entries):
        raise UsageError("cli.no_rule", number=which)
    return [policy.revoke(int(which) - 1)]


def run_rules(arguments: Arguments, screen: Screen) -> int:
    """The sub-command `rules`."""
    from ui.cli.settings import settings_of
    from ui.cli.subcommands import print_json, print_table

    policy = Memory(settings_of(arguments).workspace).policy
    words = arguments.words or ["list"]
    if words[0] == "revoke" and len(words) == 2:
        gone = revoke(policy, words[1])
        if arguments.has("json"):
            print_json(screen, {"revoked": [as_data(entry) for entry in gone]})
        else:
            screen.out.write("".join(t("cli.rules_gone", rule=rule_words(entry.kind, entry.text, entry.cwd)) + "\n" for entry in gone))
        return 0
    if words != ["list"]:
        raise UsageError("cli.rules_usage")
    if arguments.has("json"):
        print_json(screen, [as_data(entry) for entry in policy.entries])
    elif policy.entries:
        print_table(screen, rows_of(policy.entries))
    else:
        screen.note(t("cli.rules_none", path=policy.path))
    return 0


def as_data(entry: Remembered) -> dict[str, Any]:
    """A rule for --json."""
    return {"kind": entry.kind, "text": entry.text, "shell": entry.shell, "rules": list(entry.rules), "when": entry.when, "why": entry.why,
            "cwd": entry.cwd}
