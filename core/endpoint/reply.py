"""What one call to the endpoint gives back."""
from __future__ import annotations

from typing import NamedTuple


class Usage(NamedTuple):
    """Tokens of one request as the endpoint counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class Reply(NamedTuple):
    """One reply. `finish_reason` is the endpoint's, or "runaway" when endless repetition was cut off; `duration` is in seconds;
    `cut` says that the stream was left early because the object was complete (the usage is then unknown)."""

    content: str
    reasoning: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    duration: float = 0.0
    cut: bool = False
