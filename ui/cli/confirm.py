"""The person's yes: asked on a terminal only, never answered by what was typed before the question stood there."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from core.errors import AgentError, SettingsError
from core.i18n import t
from ui.cli.counts import counted
from ui.cli.lines import forget_typed_ahead, read_line
from ui.cli.memory import Memory, rule_words
from ui.cli.quote import Quote, indented, marked, quote, squeezed
from ui.cli.scopes import Scope, scripts_of
from ui.cli.screen import Screen
from ui.cli.terminal import clip, is_terminal, visible

if TYPE_CHECKING:
    from core.guard.verdict import Verdict

_YES = ("y", "yes", "是", "好")
_ALWAYS = ("a", "always", "总是", "一直")
_VIEW = ("v", "view", "查看")
_REMEMBER = ("r", "remember", "记住")


class Question(NamedTuple):
    """What a person is asked: may this action be done, under which rule, why, in which folder. `verdict` is the guard's, where known."""

    action: str
    detail: str
    rule: str = ""
    reason: str = ""
    effect: str = ""
    verdict: Verdict | None = None
    cwd: str = ""
    network: bool = False

    @property
    def rules(self) -> tuple[str, ...]:
        """Every rule that asks; the named one where the guard's verdict is not known."""
        return (self.verdict.rules if self.verdict else ()) or ((self.rule,) if self.rule else ())

    def scopes(self) -> list[Scope]:
        """What "always" would allow, in this folder and with the scripts as they are now: what these rules cover, or this very text where a
        rule says that nobody knows what it does. Empty where a script cannot be told from what it may be later."""
        from core.guard.verdict import rules

        table = rules()
        scripts = scripts_of(self.detail, self.cwd) if self.action == "run_command" and self.cwd else ()
        if scripts is None:
            return []
        unknown = any(rule.endswith(".any") or (rule in table and table[rule].effect == "unknown") for rule in self.rules)
        texts = [self.detail] if unknown or not self.rules else list(self.rules)
        return [Scope(self.action, text, self.cwd, scripts) for text in texts]


def question_of(action: str, detail: str, request: Mapping[str, Any], verdict: Mapping[str, Any]) -> Question:
    """The question of on_confirm, with what the events before it told: confirm.requested and the verdict on the same action."""
    known = None
    if verdict and verdict.get("id") == request.get("id"):
        from core.guard.verdict import Verdict

        fields = {name: value for name, value in verdict.items() if name in Verdict.__dataclass_fields__}
        known = Verdict(**{**fields, "span": tuple(verdict["span"]), "rules": tuple(verdict["rules"])})
    rule, reason, effect = (str(request.get(name) or "") for name in ("rule", "reason", "effect"))
    return Question(action, detail, rule, reason, effect, known, str(request.get("cwd") or ""), bool(request.get("network")))


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
        self.always: list[Scope] = []
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
            self._show_place(question)
            self.screen.note(t("cli.confirm_impossible"), "yellow")
            return False
        return self.ask_by(lambda: self._dialogue(question))

    def _answered_before(self, question: Question) -> bool:
        """Whether a permission of this session or a remembered rule covers all of it; what covered it is shown."""
        scopes = question.scopes() if self.always else []
        if scopes and set(scopes) <= set(self.always):
            self._line(t("cli.always_used", rule=_shown(scopes)), "dim")
            return True
        try:
            entry = self.memory.answer(question) if self.memory else None
        except SettingsError as error:
            self.screen.note(error.message, "yellow")
            return False
        if entry is not None:
            words = t("cli.remembered_used", when=entry.when[:10], rule=rule_words(entry.kind, entry.text, entry.cwd), why=entry.why)
            self._line(words, "dim")
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

    def _line(self, text: str, *styles: str) -> None:
        """A line of ours with words of others in it, which leave no room for a row that looks like ours."""
        err = self.screen.err
        rows = indented(squeezed(text, getattr(err.stream, "encoding", None)), err)
        self.screen.line("\n".join(err.paint(row, *styles) for row in rows))

    def _show(self, question: Question) -> Quote:
        """The question, its action as far as it fits, and what a yes means; the action as it was quoted."""
        self.screen.quiet()
        err = self.screen.err
        self.screen.line(f"{err.paint('?', 'yellow', 'bold')} {t('cli.confirm_title', action=action_words(question.action))}")
        if question.reason:
            self._line(visible(question.reason, exact=True))
        quoted = quote(question.detail, err)
        before, after = quoted.shown
        missing = []
        if quoted.hidden:
            words = t("cli.confirm_hidden", characters=counted("characters", quoted.characters), lines=counted("lines", quoted.hidden))
            missing = ["  " + err.paint(words.replace("…", err.icons.dots), "yellow")]
        self.screen.line("\n".join([*marked(before, err, "bold"), *missing, *marked(after, err, "bold")]))
        if question.effect:
            self._line(t("cli.confirm_effect", effect=question.effect, rules=", ".join(question.rules)), "dim")
        if question.action == "run_command" and question.network and not self.networked:
            self._line(t("cli.confirm_network_skill" if question.rule == "declared.network" else "cli.confirm_network"), "yellow")
        return quoted

    def _show_place(self, question: Question) -> None:
        """Where it runs and how long it is: the last lines before the answer, which nothing can push away."""
        if question.cwd:
            self._line(t("cli.confirm_where", cwd=visible(question.cwd, exact=True)), "bold")
        lengths = {"characters": counted("characters", len(question.detail)), "lines": counted("lines", question.detail.count("\n") + 1)}
        self._line(t("cli.confirm_length", **lengths))

    def _dialogue(self, question: Question) -> bool:
        quoted = self._show(question)
        scopes = question.scopes()
        if scopes:
            self._line(t("cli.confirm_always", rule=_shown(scopes)))
        offered = self.memory.offers(question) if self.memory else []
        if offered:
            self._line(t("cli.confirm_remember", rules=" | ".join(rule_words(*offer) for offer in offered)))
        prompts = {(True, True): "cli.confirm_ask_remember", (True, False): "cli.confirm_ask",
                   (False, True): "cli.confirm_ask_once_remember", (False, False): "cli.confirm_ask_once"}
        answer = self._answer(question, quoted, prompts[bool(scopes), bool(offered)])
        if scopes and answer in _ALWAYS:
            self.always += [scope for scope in scopes if scope not in self.always]
            self._line(t("cli.always_set", rule=_shown(scopes)), "dim")
            return True
        if offered and answer in _REMEMBER:
            return self._remember(question, offered)
        return answer in _YES

    def _answer(self, question: Question, quoted: Quote, prompt: str) -> str:
        """What the person types, in small letters. While a part of the action is not shown, only v and a no are taken."""
        hidden = quoted.hidden > 0
        while True:
            self._show_place(question)
            answer = (self._read(t("cli.confirm_ask_view" if hidden else prompt)) or "").strip().lower()
            if not hidden:
                return answer
            if answer in _VIEW:
                self.screen.line("\n".join(marked(quoted.rows, self.screen.err, "bold")))
                hidden = False
            elif answer in (*_YES, *_ALWAYS, *_REMEMBER):
                self.screen.note(t("cli.confirm_view_first"), "yellow", prefix="  ")
            else:
                return ""

    def _remember(self, question: Question, offered: list[tuple[str, str]]) -> bool:
        """Let the person choose what is remembered and say why; to choose nothing is a no."""
        assert self.memory is not None
        chosen = "1"
        if len(offered) > 1:
            for number, offer in enumerate(offered, 1):
                self._line(f"  {number}  {rule_words(*offer)}")
            chosen = (self._read(t("cli.remember_which")) or "").strip()
        why = self._read(t("cli.remember_why")) if chosen in [str(number + 1) for number in range(len(offered))] else None
        if not why:  # Ctrl-C or the end of input
            self.screen.note(t("cli.remember_none"), "yellow", prefix="  ")
            return False
        offer = offered[int(chosen) - 1]
        try:
            place = self.memory.keep(question, offer, why.strip() or question.reason)
        except (AgentError, OSError, ValueError) as error:
            self.screen.note(t("cli.not_remembered", reason=error), "yellow", prefix="  ")
        else:
            self._line(t("cli.remembered", rule=rule_words(*offer, place)), "dim")
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


def _shown(scopes: Sequence[Scope]) -> str:
    return ", ".join(map(shown_scope, scopes))


def shown_scope(scope: Scope) -> str:
    """A standing permission on one line: what, in which folder, with which scripts as they were."""
    words = clip(f"{action_words(scope.action)} {visible(scope.text, exact=True)}".replace("\n", " ⏎ "), 100)
    if scope.cwd:
        words += " · " + t("cli.confirm_where", cwd=clip(visible(scope.cwd, exact=True), 100))
    for path, digest in scope.scripts:
        words += " · " + t("cli.scope_script", name=clip(visible(os.path.basename(path), exact=True), 60), digest=digest[:8])
    return words


def action_words(action: str) -> str:
    """What an action does, in the person's language; the name itself for one that is unknown here."""
    try:
        return t(f"cli.action_{action}")
    except KeyError:
        return action
