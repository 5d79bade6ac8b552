"""One failed attempt, as the parts of the client pass it to each other."""
from __future__ import annotations

from typing import NamedTuple

# What reading a value of an unexpected shape may raise.
UNREADABLE = (TypeError, ValueError, RecursionError, KeyError, AttributeError, OverflowError)


class Failure(NamedTuple):
    """`kind`: retry, quota, auth, not_found, overflow, filter, malformed (the model's text broke JSON mode), parameter (400 or 422, perhaps one
    that can be left out), html, redirect, blank, final, or a WireError's kind. `wait` is what the server asks for, in seconds."""

    kind: str
    text: str = ""
    status: int | None = None
    code: str = ""
    param: str = ""
    wait: float | None = None
    generation: str | None = None
    used: int | None = None
    limit: int | None = None


class EndpointFailure(Exception):
    """Carries a Failure out of one attempt; never leaves the client."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.kind)
        self.failure = failure
