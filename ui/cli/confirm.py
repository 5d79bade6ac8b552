"""The person's yes: asked on a terminal only, never answered by what was typed before the question stood there."""
from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from core.errors import AgentError, SettingsError
from core.guard.verdict import Verdict
from core.i18n import t
from ui.cli.lines import forget_typed_ahead, read_line
from ui.cli.memory import Memory, rule_words
from ui.cli.screen import Screen
from ui.cli.terminal import clip, is_terminal, visible

_YES = ("y", "yes", "是", "好")
_ALWAYS = ("a", "always", "总是", "一直")


_REMEMBER = ("r", "remember", "记住")
_NETWORK = ("network", "exfil")


class Question(NamedTuple):
    """What a person is asked: may this action be done, under which rule, for which reason. `verdict` is the guard's, where it is known."""

    action: str
    detail: str
    rule: str = ""
    reason: str = ""
    effect: str = ""
    verdict: Verdict | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that asks; the named one where the guard's verdict is not known."""
        return (self.verdict.rules if self.verdict else ()) or ((self.rule,) if self.rule else ())

    @property
    def scopes(self) -> list[tuple[str, str]]:
        """What "always" would allow: what these rules cover, or this very text where a rule says that nobody knows what it does."""
        from core.guard.verdict import rules

        table = rules()
        unknown = any(rule.endswith(".any") or (rule in table and table[rule].effect == "unknown") for rule in self.rules)
        return [(self.action, self.detail)] if unknown or not self.rules else [(self.action, rule) for rule in self.rules]


def question_of(action: str, detail: str, request: Mapping[str, Any], verdict: Mapping[str, Any]) -> Question:
    """The question of on_confirm, with what the events before it told: confirm.requested and the verdict on the same action."""
    known = None
    if verdict and verdict.get("id") == request.get("id"):
        fields = {name: value for name, value in verdict.items() if name in Verdict.__dataclass_fields__}
        known = Verdict(**{**fields, "span": tuple(verdict["span"]), "rules": tuple(verdict["rules"])})
    rule, reason, effect = (str(request.get(name) or "") for name in ("rule", "reason", "effect"))
    return Question(action, detail, rule, reason, effect, known)


class Confirmer:
    """Answers questions for one session and remembers what is always allowed in it.

    `ask_by` runs the dialogue; a surface that works in a thread puts in a function that runs it where the keyboard is.
    `memory` holds what was remembered for the workspace; `networked` is true where the network is open anyway.
    """

    def __init__(self, screen: Screen, auto_approve: bool = False, keyboard: Any = None, memory: Memory | None = None) -> None:
        self.screen = screen
        self.auto_approve = auto_approve
        self.memory = memory
        self.networked = False
        self.always: list[tuple[str, str]] = []
        self.refused_for_want_of_terminal = False
        self.ask_by: Callable[[Callable[[], bool]], bool] = lambda dialogue: dialogue()
        self._keyboard = keyboard

    def approve(self, question: Question) -> bool:
        """Whether the action may be done. Without a terminal the answer is no, at once, with the flag that would allow it."""
        if self.auto_approve:
            return True
        if self._answered_before(question):
            return True
        if not self.possible():
            self.refused_for_want_of_terminal = True
            self._show(question)
            self.screen.note(t("cli.confirm_impossible"), "yellow")
            return False
        return self.ask_by(lambda: self._dialogue(question))

    def _answered_before(self, question: Question) -> bool:
        """Whether a permission of this session or a remembered rule covers all of it; what covered it is shown."""
        if set(question.scopes) <= set(self.always):
            self.screen.note(t("cli.always_used", rule=_shown(question.scopes)), "dim", prefix="    ")
            return True
        try:
            entry = self.memory.answer(question) if self.memory else None
        except SettingsError as error:
            self.screen.note(error.message, "yellow")
            return False
        if entry is not None:
            words = t("cli.remembered_used", when=entry.when[:10], rule=rule_words(entry.kind, entry.text), why=entry.why)
            self.screen.note(words, "dim", prefix="    ")
        return entry is not None

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
        if question.effect:
            self.screen.note(t("cli.confirm_effect", effect=question.effect, rules=", ".join(question.rules)), "dim", prefix="    ")
        if question.action == "run_command" and question.effect in _NETWORK and not self.networked:
            words = t("cli.confirm_network_skill" if question.rule == "declared.network" else "cli.confirm_network")
            self.screen.note(words, "yellow", prefix="    ")

    def _dialogue(self, question: Question) -> bool:
        self._show(question)
        self.screen.line("  " + t("cli.confirm_always", rule=_shown(question.scopes)))
        offered = self.memory.offers(question) if self.memory else []
        if offered:
            self.screen.line("  " + t("cli.confirm_remember", rules=" | ".join(rule_words(*offer) for offer in offered)))
        answer = (self._read(t("cli.confirm_ask_remember" if offered else "cli.confirm_ask")) or "").strip().lower()
        if answer in _ALWAYS:
            self.always += [scope for scope in question.scopes if scope not in self.always]
            self.screen.note(t("cli.always_set", rule=_shown(question.scopes)), "dim", prefix="  ")
        if offered and answer in _REMEMBER:
            return self._remember(question, offered)
        return answer in _ALWAYS or answer in _YES

    def _remember(self, question: Question, offered: list[tuple[str, str]]) -> bool:
        """Let the person choose what is remembered and say why; to choose nothing is a no."""
        assert self.memory is not None
        chosen = "1"
        if len(offered) > 1:
            for number, offer in enumerate(offered, 1):
                self.screen.line(f"    {number}  {rule_words(*offer)}")
            chosen = (self._read(t("cli.remember_which")) or "").strip()
        why = self._read(t("cli.remember_why")) if chosen in [str(number + 1) for number in range(len(offered))] else None
        if not why:  # Ctrl-C or the end of input
            self.screen.note(t("cli.remember_none"), "yellow", prefix="  ")
            return False
        offer = offered[int(chosen) - 1]
        try:
            self.memory.keep(question, offer, why.strip() or question.reason)
        except (AgentError, OSError, ValueError) as error:
            self.screen.note(t("cli.not_remembered", reason=error), "yellow", prefix="  ")
        else:
            self.screen.note(t("cli.remembered", rule=rule_words(*offer)), "dim", prefix="  ")
        return True

    def _read(self, prompt: str) -> str | None:
        """One line with its end, typed after the prompt stood there; None after Ctrl-C, "" at the end of input."""
        forget_typed_ahead(self._input())
        self.screen.words(f"  {prompt} ")
        try:
            line = read_line(self._input())
        except KeyboardInterrupt:
            self.screen.line("")
            return None
        self.screen.words("\n" if not line.endswith("\n") else "")
        self.screen.ended_by_person()
        return line


def _shown(scopes: Sequence[tuple[str, str]]) -> str:
    return ", ".join(map(shown_scope, scopes))


def shown_scope(scope: tuple[str, str]) -> str:
    """A standing permission on one line."""
    return clip(f"{action_words(scope[0])} {visible(scope[1], exact=True)}".replace("\n", " ⏎ "), 100)


def action_words(action: str) -> str:
    """What an action does, in the person's language; the name itself for one that is unknown here."""
    try:
        return t(f"cli.action_{action}")
    except KeyError:
        return action
