"""The time that a call counts from: the machine's clock, or the one that --now or TODO_NOW holds still."""
from __future__ import annotations

from datetime import datetime

from taskbook.contract import TodoError


def read_now(text: str | None) -> datetime:
    """Naive local time without microseconds; None or "" is the present moment. A time with a zone becomes local time."""
    if not text:
        return datetime.now().replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        if moment.tzinfo is not None:
            moment = moment.astimezone().replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise TodoError("invalid_argument", "call.bad_now", value=text[:50]) from None
    if not 1970 <= moment.year <= 2200:
        raise TodoError("invalid_argument", "call.bad_now", value=text[:50])
    return moment.replace(microsecond=0)
