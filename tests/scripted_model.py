"""A model that plays a script: the double at the seam between kernel and endpoint."""
from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

from core.errors import Cancelled
from core.llm import CallLLMOptions, Message, Reply, Usage


def reply(action: str, thought: str = "next", **arguments: Any) -> str:
    """The text of a well-formed reply."""
    return json.dumps({"thought": thought, "action": action, **arguments}, ensure_ascii=False)


class FakeClient:
    """Answers each request with the next item of the script: a text, an exception to raise, or a function of the messages.

    `requests` keeps the messages of every request, `options` what was asked with it.
    """

    def __init__(self, *script: str | Exception | Callable[[Sequence[Message]], str]) -> None:
        self._script = list(script)
        self.requests: list[list[Message]] = []
        self.options: list[CallLLMOptions] = []
        self.cancelled = 0
        self.keeps_schemas = False

    def complete(self, messages: Sequence[Message], options: CallLLMOptions, *, on_delta: Callable[[str, str], None] | None = None,
                 stream: bool = True, cancelled: threading.Event | None = None) -> Reply:
        if cancelled is not None and cancelled.is_set():
            raise Cancelled
        self.requests.append([dict(message) for message in messages])  # type: ignore[misc]
        self.options.append(options)
        item = self._script.pop(0)
        if isinstance(item, Exception):
            raise item
        text = item if isinstance(item, str) else item(messages)
        if on_delta is not None:
            on_delta("thought", "…")
        return Reply(content=text, reasoning="", finish_reason="stop", usage=Usage(10, 5, None), duration=0.0, cut=False)

    def honours_schema(self) -> bool:
        return self.keeps_schemas

    def server_window(self) -> int | None:
        return None

    def cancel(self) -> None:
        self.cancelled += 1

    def close(self) -> None:
        pass
