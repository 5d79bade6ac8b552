"""CliHandler: the kernel's events as lines on a terminal, and the person's yes."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.events import Event
from core.i18n import t
from ui.cli.confirm import Confirmer, action_words, question_of
from ui.cli.counts import counted
from ui.cli.live_answer import LiveAnswer
from ui.cli.screen import Screen

SHOWN_LINES = 40  # of one command at debug level 1
FOLDED = 2000  # characters of a prompt at debug level 2


class CliHandler:
    """Shows a run on stderr and its answer on stdout.

    `debug_level` 0: the answer only. 1: numbered steps, live thoughts, command lines, durations, a closing line. 2: prompts, raw
    replies, timings and verdicts as well. `auto_approve` says yes to every confirmation.
    """

    def __init__(self, debug_level: int = 1, auto_approve: bool = False, *, screen: Screen | None = None, confirmer: Confirmer | None = None) -> None:
        self.debug_level = debug_level
        self.screen = screen or Screen()
        self.confirmer = confirmer or Confirmer(self.screen, auto_approve)
        self.tokens = 0
        self._event: Mapping[str, Any] = {}  # the fields of the event whose named method comes next
        self._request: Mapping[str, Any] = {}
        self._verdict: Mapping[str, Any] = {}
        self._step = 0
        self._field = ""  # what the live words on the screen belong to
        self._shown = ""  # the live thought so far
        self._lines = 0
        self._live = LiveAnswer(self.screen)
        self._answer: str | None = None
        self._error = ""

    @property
    def auto_approve(self) -> bool:
        """Whether every confirmation is answered with yes."""
        return self.confirmer.auto_approve

    @auto_approve.setter
    def auto_approve(self, value: bool) -> None:
        self.confirmer.auto_approve = value

    def on_event(self, event: Event) -> None:
        """Keep the fields for the named method that follows, and show what has no named method."""
        self._event = event.data
        show = getattr(self, "_on_" + event.type.replace(".", "_"), None)
        if show is not None:
            show(event.data)

    def on_user_input(self, query: str) -> None:
        self._step, self._answer, self._error, self._request = 0, None, "", {}
        if self.debug_level >= 2:
            self._detail(t("cli.request"), query)

    def on_thinking(self) -> None:
        self._step = self._event.get("step", self._step + 1)
        self._field = self._shown = ""
        if self.debug_level:
            self.screen.status(t("cli.thinking"))

    def on_llm_start(self) -> None: ...

    def on_llm_chunk(self, chunk: str) -> None:
        field = self._event.get("field", "other")
        if field == "thought":
            self._live_thought(chunk)
        elif self.debug_level and self.screen.live:
            self.screen.end_words()
            self.screen.status(t("cli.answering" if field == "answer" else "cli.thinking"))
            if field == "answer" and self.screen.out.tty:
                self._live.feed(chunk)

    def on_llm_end(self) -> None:
        self.screen.quiet()

    def on_thought(self, thought: str) -> None:
        if self.debug_level:
            if self._shown and thought.startswith(self._shown):
                self.screen.words(thought[len(self._shown):], "dim")
            elif self._shown != thought:
                self.screen.note(thought, "dim", prefix=self._number())
            self.screen.end_words()
        self._shown = ""

    def on_action(self, action_type: str, detail: str) -> None:
        self._lines = 0
        if not self.debug_level:
            return
        what = action_words(action_type)
        if self.screen.accessible:
            self.screen.note(t("cli.step_words", step=self._step, action=what, detail=detail))
        else:
            icon = self.screen.err.paint(self.screen.err.icons.action, "cyan", "bold")
            self.screen.note(f"{what} {detail}", "bold", prefix=f"{self._number()}{icon} ")
        self.screen.status(f"{what} {detail}")

    def on_command_line(self, line: str) -> None:
        if not self.debug_level:
            return
        self._lines += 1
        line = line.rstrip("\r\n").rsplit("\r", 1)[-1]
        if self.debug_level == 1 and line.startswith('{"ok":'):
            line = _sentence(line)
        if self.debug_level == 1 and self._lines > SHOWN_LINES:
            self.screen.status(line)
        else:
            self.screen.note(line, prefix="    " if self.screen.accessible else f"    {self.screen.err.paint(self.screen.err.icons.bar, 'dim')} ")

    def on_observation(self, action_type: str, content: str) -> None:
        self.screen.quiet()
        if not self.debug_level:
            return
        event, self._event = self._event, {}
        if self.debug_level == 1 and self._lines > SHOWN_LINES:
            self.screen.note(counted("more_lines", self._lines - SHOWN_LINES), "dim", prefix="    ")
        if event.get("diff"):
            self._diff(event["diff"])
        ok = event.get("ok", True)
        first = content.partition("\n")[0][:FOLDED]
        if not ok and not self._lines and not first.startswith("exit code:"):
            self.screen.note(self._denied(first), "red", prefix="    ")
        self._ended(ok, event)
        if self.debug_level >= 2:
            self._detail(t("cli.observation"), content)

    def on_answer(self, answer: str) -> None:
        event, self._event = self._event, {}
        if event.get("text") == answer:  # an event: run.finished follows and says whether this is an answer at all
            self._answer = answer
        else:
            self.screen.answer(answer)

    def on_error(self, message: str) -> None:
        self._error = message
        self.screen.quiet()
        self.screen.note(message, "red", prefix=self.screen.err.paint(t("cli.error"), "red", "bold"))

    def on_confirm(self, action_type: str, detail: str) -> bool:
        request, self._request = self._request, {}
        return self.confirmer.approve(question_of(action_type, detail, request, self._verdict))

    def on_log(self, level: str, message: str) -> None:
        if self.debug_level >= 2 or (self.debug_level and level in ("warning", "error")):
            self.screen.note(f"{level}: {message}", "yellow" if level in ("warning", "error") else "dim", prefix="    ")

    def _on_confirm_requested(self, data: Mapping[str, Any]) -> None:
        self._request = data

    def _on_llm_discarded(self, data: Mapping[str, Any]) -> None:
        self._shown = ""
        self._live.void()
        if self.debug_level:
            self.screen.note(t("cli.discarded", reason=data.get("reason", "")), "yellow", prefix="    ")

    def _on_refused(self, data: Mapping[str, Any]) -> None:
        self._shown = ""
        if self._live.void():
            self.screen.note(t("cli.answer_void"), "yellow", prefix=self._number())
        if self.debug_level:
            self.screen.note(t("cli.refused", kind=data["kind"]), "yellow", prefix=self._number())
        if self.debug_level >= 2:
            self._detail(t("cli.correction"), data["detail"])

    def _on_llm_request(self, data: Mapping[str, Any]) -> None:
        if self.debug_level >= 2:
            for message in data["messages"]:
                self._detail(t("cli.prompt_of", role=message["role"]), message["content"])

    def _on_llm_reply(self, data: Mapping[str, Any]) -> None:
        if self.debug_level >= 2:
            self.screen.end_words()
            if data.get("reasoning"):
                self._detail(t("cli.reasoning"), data["reasoning"])
            self._detail(t("cli.reply", finish=data.get("finish") or "-"), data["content"])

    def _on_llm_finished(self, data: Mapping[str, Any]) -> None:
        if self.debug_level >= 2:
            usage = data.get("usage") or {}
            self.screen.end_words()
            self.screen.note(t("cli.timing", ms=data.get("duration_ms", 0), read=usage.get("prompt_tokens", "-"),
                               written=usage.get("completion_tokens", "-")), "dim", prefix="    ")

    def _on_verdict(self, data: Mapping[str, Any]) -> None:
        self._verdict = data
        if self.debug_level >= 2:
            words = t("cli.verdict", decision=data["decision"], effect=data.get("effect", "-"), rule=data.get("rule", "-"))
            self.screen.note(words, "dim", prefix="    ")

    def _on_run_finished(self, data: Mapping[str, Any]) -> None:
        self.screen.quiet()
        self.screen.end_words()
        answer, self._answer = self._answer, None
        status = data["status"]
        tokens = (data.get("usage") or {}).get("tokens", 0)
        self.tokens += tokens
        if answer is not None and status == "cancelled":
            self.screen.note(answer, "yellow")
        elif answer is not None and answer != self._error:
            self._live.finish(answer)
        self._live.void()
        if self.debug_level:
            self.screen.note(t("cli.closing", status=t(f"cli.status_{status}"), steps=counted("steps", data["steps"]),
                               tokens=counted("tokens", tokens), seconds=f"{data['duration_ms'] / 1000:.1f}",
                               middle=self.screen.err.icons.middle), "dim", prefix="" if self.screen.accessible else self.screen.err.icons.rule + " ")

    def _live_thought(self, chunk: str) -> None:
        if not self.debug_level or not self.screen.live or not chunk:
            return
        if not self._shown:
            self.screen.words(self._number())
        self._shown += chunk
        self.screen.words(chunk, "dim")

    def _ended(self, ok: bool, event: Mapping[str, Any]) -> None:
        seconds = f"{event.get('duration_ms', 0) / 1000:.2f}"
        code = event.get("exit_code")
        if self.screen.accessible:
            self.screen.note(t("cli.ended_words_ok" if ok else "cli.ended_words_bad", seconds=seconds), prefix="    ")
            return
        icons = self.screen.err.icons
        icon = self.screen.err.paint(icons.good if ok else icons.bad, "green" if ok else "red")
        text = t("cli.ended", seconds=seconds) if code is None else t("cli.ended_code", code=code, middle=icons.middle, seconds=seconds)
        self.screen.note(text, "dim", prefix=f"    {icon} ")

    def _diff(self, diff: str) -> None:
        for line in diff.splitlines():
            self.screen.note(line, *(("green",) if line.startswith("+") else ("red",) if line.startswith("-") else ("dim",)), prefix="    ")

    def _denied(self, first: str) -> str:
        """What a person is told in place of the text that tells the model of a refusal; the text itself where it is none."""
        if not first.startswith("not done. blocked_by:"):
            return first
        if first.endswith("user"):
            return t("cli.denied_no_terminal" if self.confirmer.refused_for_want_of_terminal else "cli.denied_by_user")
        key = "cli.denied_without_person" if self._verdict.get("decision") == "ask" else "cli.denied_by_guard"
        return t(key, reason=self._verdict.get("reason", ""))

    def _number(self) -> str:
        if self.screen.accessible:
            return t("cli.thought_words")
        return self.screen.err.paint(f"[{self._step}]", "blue") + " "

    def _detail(self, title: str, text: str) -> None:
        """A long text of debug level 2, cut in the middle."""
        if len(text) > 2 * FOLDED:
            text = f"{text[:FOLDED]}\n{t('cli.cut', count=len(text) - 2 * FOLDED)}\n{text[-FOLDED:]}"
        self.screen.note(title, "cyan", prefix="    ")
        self.screen.note(text, "dim", prefix="      ")


def _sentence(line: str) -> str:
    """The message of a command that answered with one JSON object, as skills do; the line itself where there is none."""
    try:
        message = json.loads(line)["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return line
    return message if isinstance(message, str) and message else line
