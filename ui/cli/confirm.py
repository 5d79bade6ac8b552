"""The person's yes: asked on a terminal only, never answered by what was typed before the question stood there."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from core.i18n import t
from ui.cli.lines import forget_typed_ahead, read_line
from ui.cli.screen import Screen
from ui.cli.terminal import clip, is_terminal, visible

_YES = ("y", "yes", "是", "好")
_ALWAYS = ("a", "always", "总是", "一直")


class Question(NamedTuple):
    """What a person is asked: may this action be done, under which rule, for which reason."""

    action: str
    detail: str
    rule: str = ""
    reason: str = ""

    @property
    def scope(self) -> tuple[str, str]:
        """What "always" would allow: what the rule covers, or this very text where no rule knows what it does (none, or a rule `….any`)."""
        exact = not self.rule or self.rule.endswith(".any")
        return (self.action, self.detail if exact else self.rule)


class Confirmer:
    """Answers questions for one session and remembers what is always allowed in it.

    `ask_by` runs the dialogue; a surface that works in a thread puts in a function that runs it where the keyboard is.
    """

    def __init__(self, screen: Screen, auto_approve: bool = False, keyboard: Any = None) -> None:
        self.screen = screen
        self.auto_approve = auto_approve
        self.always: list[tuple[str, str]] = []
        self.refused_for_want_of_terminal = False
        self.ask_by: Callable[[Callable[[], bool]], bool] = lambda dialogue: dialogue()
        self._keyboard = keyboard

    def approve(self, question: Question) -> bool:
        """Whether the action may be done. Without a terminal the answer is no, at once, with the flag that would allow it."""
        if self.auto_approve:
            return True
        if question.scope in self.always:
            self.screen.note(t("cli.always_used", rule=shown_scope(question.scope)), "dim", prefix="    ")
            return True
        if not self.possible():
            self.refused_for_want_of_terminal = True
            self._show(question)
            self.screen.note(t("cli.confirm_impossible"), "yellow")
            return False
        return self.ask_by(lambda: self._dialogue(question))

    def possible(self) -> bool:
        """Whether a person can be asked: the question must be seen and the answer typed on a terminal."""
        return is_terminal(self._input()) and self.screen.err.tty

    def revoke(self, which: str) -> bool:
        """Take back the permission with this number, counted from 1, or "all"."""
        if which in ("all", "全部"):
            self.always.clear()
            return True
        if which.isdecimal() and 0 < int(which) <= len(self.always):
            del self.always[int(which) - 1]
            return True
        return False

    def _input(self) -> Any:
        return sys.stdin if self._keyboard is None else self._keyboard

    def _show(self, question: Question) -> None:
        self.screen.quiet()
        icon = self.screen.err.paint("?", "yellow", "bold")
        title = t("cli.confirm_title", action=action_words(question.action))
        reason = f" ({visible(question.reason)})" if question.reason else ""
        self.screen.line(f"{icon} {title}{reason}")
        for line in question.detail.split("\n"):
            self.screen.line("    " + self.screen.err.paint(visible(line, exact=True), "bold"))

    def _dialogue(self, question: Question) -> bool:
        self._show(question)
        self.screen.line("  " + t("cli.confirm_always", rule=shown_scope(question.scope)))
        forget_typed_ahead(self._input())
        self.screen.words("  " + t("cli.confirm_ask") + " ")
        try:
            line = read_line(self._input())
        except KeyboardInterrupt:
            self.screen.line("")
            return False
        self.screen.words("\n" if not line.endswith("\n") else "")
        self.screen.ended_by_person()
        answer = line.strip().lower()
        if answer in _ALWAYS:
            self.always.append(question.scope)
            self.screen.note(t("cli.always_set", rule=shown_scope(question.scope)), "dim", prefix="  ")
        return answer in _ALWAYS or answer in _YES


def shown_scope(scope: tuple[str, str]) -> str:
    """A standing permission on one line."""
    return clip(f"{action_words(scope[0])} {visible(scope[1], exact=True)}".replace("\n", " ⏎ "), 100)


def action_words(action: str) -> str:
    """What an action does, in the person's language; the name itself for one that is unknown here."""
    try:
        return t(f"cli.action_{action}")
    except KeyError:
        return action
