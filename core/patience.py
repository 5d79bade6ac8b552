"""How long to wait before the next try, and when to stop trying."""
from __future__ import annotations

import random

from core.endpoint_errors import LONGEST_WAIT, Failure


class Patience:
    """The retries of one request. `shortest` and `longest` bound the waits, in seconds, while the server names none."""

    def __init__(self, retries: int, shortest: float, longest: float) -> None:
        self._retries = retries
        self._shortest = shortest
        self._longest = max(shortest, longest)
        self.used = 0

    def next_wait(self, failure: Failure) -> float | None:
        """Seconds until the next try, or None when there is none: all used, or the server asks for more than a minute."""
        if self.used >= self._retries or failure.wait is not None and failure.wait > LONGEST_WAIT:
            return None
        self.used += 1
        if failure.wait is not None:
            return failure.wait
        step = (self._longest - self._shortest) / max(1, self._retries)
        return self._shortest + step * (self.used - random.random())
