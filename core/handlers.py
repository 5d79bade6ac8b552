"""What a surface implements to watch and steer the kernel, and the two handlers that need no surface.

A surface implements the thirteen methods of KernelEventHandler. One that wants the whole envelope adds
`on_event(event: Event)`, which is called for every event before the named method that belongs to it.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from core.events import Event


class KernelEventHandler(Protocol):
    """Events out, confirmations in. Every method returns at once, except on_confirm, which may wait for a person."""

    def on_user_input(self, query: str) -> None: ...
    def on_thinking(self) -> None: ...
    def on_thought(self, thought: str) -> None: ...
    def on_action(self, action_type: str, detail: str) -> None: ...
    def on_observation(self, action_type: str, content: str) -> None: ...
    def on_answer(self, answer: str) -> None: ...
    def on_error(self, message: str) -> None: ...
    def on_llm_start(self) -> None: ...
    def on_llm_chunk(self, chunk: str) -> None: ...
    def on_llm_end(self) -> None: ...
    def on_command_line(self, line: str) -> None: ...
    def on_confirm(self, action_type: str, detail: str) -> bool: ...
    def on_log(self, level: str, message: str) -> None: ...


class NullHandler:
    """Shows nothing and keeps what an embedding program wants: `answers`, `errors`. It approves while `auto_approve` is true."""

    def __init__(self, auto_approve: bool = True) -> None:
        self.auto_approve = auto_approve
        self.answers: list[str] = []
        self.errors: list[str] = []

    def on_user_input(self, query: str) -> None: ...
    def on_thinking(self) -> None: ...
    def on_thought(self, thought: str) -> None: ...
    def on_action(self, action_type: str, detail: str) -> None: ...
    def on_observation(self, action_type: str, content: str) -> None: ...
    def on_llm_start(self) -> None: ...
    def on_llm_chunk(self, chunk: str) -> None: ...
    def on_llm_end(self) -> None: ...
    def on_command_line(self, line: str) -> None: ...
    def on_log(self, level: str, message: str) -> None: ...

    def on_answer(self, answer: str) -> None:
        self.answers.append(answer)

    def on_error(self, message: str) -> None:
        self.errors.append(message)

    def on_confirm(self, action_type: str, detail: str) -> bool:
        return self.auto_approve


class Recorder(NullHandler):
    """Keeps every event in order, for tests and transcripts."""

    def __init__(self, auto_approve: bool = True) -> None:
        super().__init__(auto_approve)
        self.events: list[Event] = []

    def on_event(self, event: Event) -> None:
        self.events.append(event)

    def types(self) -> list[str]:
        """The types of the events so far, in order."""
        return [event.type for event in self.events]


def _llm_started(handler: KernelEventHandler, data: Mapping[str, Any]) -> None:
    handler.on_thinking()
    handler.on_llm_start()


def _llm_delta(handler: KernelEventHandler, data: Mapping[str, Any]) -> None:
    if data["field"] in ("thought", "answer"):
        handler.on_llm_chunk(data["text"])


_NAMED: Mapping[str, Callable[[KernelEventHandler, Mapping[str, Any]], object]] = {
    "run.started": lambda handler, data: handler.on_user_input(data["query"]),
    "llm.started": _llm_started,
    "llm.delta": _llm_delta,
    "llm.finished": lambda handler, data: handler.on_llm_end(),
    "thought": lambda handler, data: handler.on_thought(data["text"]),
    "action.started": lambda handler, data: handler.on_action(data["action"], data["detail"]),
    "command.output": lambda handler, data: handler.on_command_line(data["line"]),
    "action.finished": lambda handler, data: handler.on_observation(data["action"], data["content"]),
    "answer": lambda handler, data: handler.on_answer(data["text"]),
    "error": lambda handler, data: handler.on_error(data["message"]),
    "log": lambda handler, data: handler.on_log(data["level"], data["message"]),
}


def deliver(handler: KernelEventHandler, event: Event) -> None:
    """Give an event to a handler: whole to `on_event` where it has one, then to the named method of its type."""
    whole = getattr(handler, "on_event", None)
    if whole is not None:
        whole(event)
    named = _NAMED.get(event.type)
    if named is not None:
        named(handler, event.data)
