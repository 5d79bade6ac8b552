"""What ends or bends a run, each limit a small object: none of them is a branch in the kernel's loop.

`before` is asked before every step and may stop the run; `remark` is asked after every action and may add a sentence to the
observation. The kernel keeps the facts they judge by in a RunState.
"""
from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.i18n import t

SILENT = "It printed nothing."


@dataclass(frozen=True)
class Stop:
    """Ends the run: the status it ends with (done, failed, fuse, denied, cancelled), what the person is told, the exit code."""

    status: str
    message: str
    exit_code: int


@dataclass(frozen=True)
class Done:
    """One finished action: its name, its one-line detail, whether it succeeded, the text of its observation, a key that is
    the same for the same action with the same result, whether a person or the guard refused it, the sandbox's rule that stopped it."""

    action: str
    detail: str
    ok: bool
    content: str
    key: int
    denied: bool = False
    blocked: str = ""


@dataclass
class RunState:
    """The facts of one run. `refusals` counts refused replies in a row; `tokens` is what the endpoint reported so far; `known` is what
    was said before the first step, prompt and earlier runs included;
    `barred` are the actions that the next reply may not take, where the endpoint keeps to a schema: those repeated since something
    new was done, or an answer held back."""

    query: str
    known: str = ""
    steps: int = 0
    refusals: int = 0
    last_refusal: str = ""
    tokens: int = 0
    denied: bool = False
    barred: frozenset[str] = frozenset()
    done: list[Done] = field(default_factory=list)
    seen: Counter[int] = field(default_factory=Counter)

    def add(self, done: Done) -> None:
        """Record a finished action."""
        self.done.append(done)
        self.seen[done.key] += 1

    @property
    def repeats(self) -> int:
        """How often the last action with its last result has happened in this run."""
        return self.seen[self.done[-1].key] if self.done else 0


def action_key(action: str, arguments: Mapping[str, Any], result: str) -> int:
    """A number that is equal for the same action with the same result."""
    return zlib.crc32(json.dumps([action, dict(arguments), result], sort_keys=True, ensure_ascii=False).encode("utf-8", "replace"))


class Limit(Protocol):
    """One limit."""

    def before(self, state: RunState) -> Stop | None: ...
    def remark(self, state: RunState) -> str: ...


class StepLimit:
    """The fuse: at `maximum` steps the run stops and says what was done and what is missing."""

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum

    def before(self, state: RunState) -> Stop | None:
        return Stop("fuse", t("kernel.fuse", steps=self.maximum, done=summary(state)), 4) if state.steps >= self.maximum else None

    def remark(self, state: RunState) -> str:
        left = self.maximum - state.steps
        return f"Note: only {left} steps are left. Answer now with what you know." if 0 < left <= 2 < self.maximum else ""


class RefusalLimit:
    """Stops after `maximum` refused replies in a row."""

    def __init__(self, maximum: int = 3) -> None:
        self.maximum = maximum

    def before(self, state: RunState) -> Stop | None:
        if state.refusals < self.maximum:
            return None
        return Stop("failed", t("kernel.refusals", count=state.refusals, reason=state.last_refusal), 1)

    def remark(self, state: RunState) -> str:
        return ""


class RepeatLimit:
    """Reminds at `remind` equal actions with an equal result, stops at `stop`."""

    def __init__(self, remind: int = 3, stop: int = 5) -> None:
        self.remind, self.stop = remind, stop

    def before(self, state: RunState) -> Stop | None:
        if state.repeats < self.stop:
            return None
        last = state.done[-1]
        return Stop("failed", t("kernel.repeated", action=last.action, detail=last.detail[:200], count=state.repeats), 1)

    def remark(self, state: RunState) -> str:
        if state.repeats < self.remind:
            return ""
        return (f"Note: you have done exactly this {state.repeats} times with the same result. Doing it again changes nothing. "
                "Do something different, or answer with what you know.")


class DenialLimit:
    """Stops when the sandbox has stopped `maximum` actions in a row by the same rule."""

    def __init__(self, maximum: int = 3) -> None:
        self.maximum = maximum

    def before(self, state: RunState) -> Stop | None:
        last = state.done[-self.maximum:]
        rules = {done.blocked for done in last}
        if len(last) < self.maximum or len(rules) > 1 or "" in rules:
            return None
        return Stop("failed", t("kernel.blocked", count=self.maximum, rule=last[-1].blocked, detail=last[-1].detail[:200]), 1)

    def remark(self, state: RunState) -> str:
        return ""


class CostLimit:
    """Stops when the endpoint has reported `maximum` tokens for this run; 0 means no limit."""

    def __init__(self, maximum: int = 0) -> None:
        self.maximum = maximum

    def before(self, state: RunState) -> Stop | None:
        if not self.maximum or state.tokens < self.maximum:
            return None
        return Stop("fuse", t("kernel.cost", tokens=state.tokens, done=summary(state)), 4)

    def remark(self, state: RunState) -> str:
        return ""


def summary(state: RunState) -> str:
    """The last actions of a run, one a line, for a person."""
    lines = [f"  {'+' if done.ok else '!'} {done.action} {done.detail.partition(chr(10))[0][:100]}" for done in state.done[-6:]]
    return "\n".join(lines) or "  –"
