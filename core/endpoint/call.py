"""The state of one call to the endpoint over its attempts."""
from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.endpoint.capabilities import Sent
from core.secret import KeyFilter

if TYPE_CHECKING:
    from core.endpoint.patience import Patience
    from core.llm import CallLLMOptions


class Call:
    """What was asked, what has been tried, and what the listener has heard of it. The key never reaches the listener."""

    def __init__(self, options: CallLLMOptions, on_delta: Callable[[str, str], None] | None, stream: bool, patience: Patience, key: str) -> None:
        self.options = options
        self.stream = stream
        self.patience = patience
        self.started = time.monotonic()
        self.sent = Sent("none", True)
        self.attempts = 0
        self.changes = 0
        self.blanks = 0
        self.reopened = False
        self.tried_v1 = False
        self.no_format = False
        self.listener_error: Exception | None = None
        self._on_delta = on_delta
        self._key = key
        self._filter = KeyFilter(key)
        self._shown = False

    def show(self, name: str, text: str) -> None:
        """Pass on what arrived."""
        if self._on_delta is not None:
            self._tell(self._filter.feed(name, text))

    def end(self) -> None:
        """Pass on what was held back, because nothing more comes."""
        self._tell(self._filter.flush())

    def discard(self, reason: str) -> None:
        """Tell the surface that the partial text of a failed attempt is void."""
        self._filter = KeyFilter(self._key)
        if self._shown and self._on_delta is not None:
            self._on_delta("discard", reason)
        self._shown = False

    def _tell(self, deltas: list[tuple[str, str]]) -> None:
        for name, text in deltas:
            self._shown = True
            if self._on_delta is not None:
                try:
                    self._on_delta(name, text)
                except Exception as error:
                    self.listener_error = error  # it is the listener's own, not one of reading the answer
                    raise
