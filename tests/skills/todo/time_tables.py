"""Tables of time phrases, "phrase | outcome" a line: what a phrase comes to, "!code" for the reason of a refusal."""
from __future__ import annotations

from datetime import datetime

from timephrase import parse

NOW = datetime(2026, 10, 14, 10, 0)  # a Wednesday


def outcome(text: str, now: datetime = NOW) -> str:
    """The due point, or "!" and the code of the refusal."""
    reading = parse(text, now)
    if reading.error is not None:
        assert reading.due is None
        return f"!{reading.error.code}"
    assert reading.due is not None
    return reading.due


def rows(table: str) -> list[tuple[str, str]]:
    """The rows of a table."""
    pairs = [line.rsplit("|", 1) for line in table.strip().splitlines()]
    return [(text.strip(), expected.strip()) for text, expected in pairs]
