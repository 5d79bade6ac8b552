"""A length of time from now, for both languages: what was counted, and the day or the moment that it leads to (R5)."""
from __future__ import annotations

from timephrase import days
from timephrase.reader import Reader
from timephrase.results import Refused, refuse

_MINUTES = {"hour": 60, "min": 1, "quarter": 15}


class Length:
    """A sum of units; `timed`: it holds hours or minutes, so that it leads to a moment and not to a day."""

    __slots__ = ("days", "minutes", "months", "timed")

    def __init__(self) -> None:
        self.months = self.days = self.minutes = 0
        self.timed = False

    def add(self, count: int, unit: str) -> None:
        """`count` whole units more."""
        if unit in _MINUTES:
            self.minutes, self.timed = self.minutes + count * _MINUTES[unit], True
        elif unit in ("month", "year"):
            self.months += count * (12 if unit == "year" else 1)
        else:
            self.days += count * (7 if unit == "week" else 1)

    @property
    def empty(self) -> bool:
        """Whether it leads nowhere."""
        return not (self.months or self.days or self.minutes)


def apply(reader: Reader, length: Length, start: int, end: int, sign: int) -> int:
    """Counts the length from now (`sign` -1: back); `end`, the index after its words. Refused outside the years that are read."""
    try:
        day, clipped = days.plus_months(reader.today, sign * length.months)
        day = days.plus_days(day, sign * length.days)
        if length.timed:
            moment = reader.now.replace(year=day.year, month=day.month, day=day.day, second=0, microsecond=0)
            reader.pieces.moment = days.plus_minutes(moment, sign * length.minutes)
    except Refused as problem:
        refuse(problem.code, reader.words(start, end), end)
    if clipped:
        reader.pieces.notes.append("clipped")
    if not length.timed:
        reader.named.append((day, False))
    return end
