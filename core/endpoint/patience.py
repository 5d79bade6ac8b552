"""How long to wait: for bytes, for the first word, for the next try."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.endpoint.failure import Failure

LONGEST_WAIT = 60.0  # what a server may ask us to wait before a retry
READ_TIMEOUT = 120.0
LOCAL_READ_TIMEOUT = 600.0  # a processor reads a long prompt slowly, and nothing on loopback forgets the connection
NEXT_CONTENT = 300.0
FIRST_CONTENT = 600.0       # keep-alives reset the read timer, so the wait for the first word has its own; DeepSeek queues ten minutes


class Timing(NamedTuple):
    """Seconds: the longest silence, the longest wait for the first word and for each next one (keep-alives count for neither), and the time
    for the body of an error."""

    silence: float = READ_TIMEOUT
    first_content: float = FIRST_CONTENT
    next_content: float = NEXT_CONTENT
    error_body: float = 10.0


class Patience:
    """The retries of one request. `shortest` and `longest` bound the waits, in seconds, while the server names none."""

    def __init__(self, retries: int, shortest: float, longest: float) -> None:
        self._retries = retries
        self._shortest = shortest
        self._longest = max(shortest, longest)
        self.used = 0

    def next_wait(self, failure: Failure) -> float | None:
        """Seconds until the next try, or None when there is none: all used, or the server asks for more than a minute."""
        import random

        if failure.kind == "timeout":  # minutes have passed already: one more try is enough
            self.used = max(self.used, self._retries - 1)
        if self.used >= self._retries or failure.wait is not None and failure.wait > LONGEST_WAIT:
            return None
        self.used += 1
        if failure.wait is not None:
            return failure.wait
        step = (self._longest - self._shortest) / max(1, self._retries)
        return self._shortest + step * (self.used - random.random())
