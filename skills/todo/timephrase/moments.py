"""Puts a day, a part of the day and a clock together to one due point (rules R6-R10), for both languages alike."""
from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from timephrase.days import plus_days, plus_minutes
from timephrase.results import Assumption, Reading, refuse

# R8: default times. Preferences may override them.
DEFAULTS = {"dawn": 120, "morning": 480, "forenoon": 600, "noon": 720, "afternoon": 900,
            "dusk": 1080, "evening": 1200, "night": 1380, "offwork": 1080}

_MORNING = {hour: hour for hour in range(5, 13)}
_AFTERNOON = {**{hour: hour + 12 for hour in range(1, 12)}, **{hour: hour for hour in range(12, 24)}}
_NIGHT = {**{hour: hour + 12 for hour in range(5, 12)}, **{hour: hour for hour in range(17, 25)}, **{hour: hour + 24 for hour in range(5)}, 12: 24}
# R7: the hour that was said -> the hour counted from midnight of the named day (24 and more: the following day). No entry: a contradiction.
HOURS: dict[str, dict[int, int]] = {
    "dawn": {**{hour: hour for hour in range(7)}, 12: 0}, "morning": _MORNING, "forenoon": _MORNING,
    "noon": {11: 11, 12: 12, 13: 13, 14: 14, 1: 13, 2: 14}, "afternoon": _AFTERNOON, "dusk": _AFTERNOON, "evening": _NIGHT, "night": _NIGHT,
    # English says more: three in the morning, five in the afternoon at the latest, one at night.
    "en_morning": {hour: hour for hour in range(12)},
    "en_afternoon": {**{hour: hour + 12 for hour in range(1, 8)}, **{hour: hour for hour in range(12, 20)}},
}
KEYS = {"en_morning": "morning", "en_afternoon": "afternoon"}


class Clock:
    """A time of day as said. `exact`: a 24-hour reading as written (R9); `minus`: minutes taken off (R6: 差十分六点); `half`: am, pm or noon
    fixed the half of the day, which no other word may change."""

    __slots__ = ("exact", "half", "hour", "minus", "minute")

    def __init__(self, hour: int, minute: int = 0, exact: bool = False, minus: int = 0, half: bool = False) -> None:
        self.hour, self.minute, self.exact, self.minus, self.half = hour, minute, exact or half, minus, half

    def hour_in(self, part: str) -> int:
        """R7: the hour counted from midnight of the named day, in that part of it. Refused when the two contradict each other."""
        hour = HOURS.get(part, {}).get(self.hour)
        if hour is None or (self.half and hour % 24 != self.hour):
            refuse("contradiction")
        return hour


class Pieces:
    """What a reader has found so far. `bare`: the day is a weekday without a week, which a passed clock moves on (R3)."""

    __slots__ = ("bare", "clock", "day", "moment", "notes", "now", "part", "parts", "same_time")

    def __init__(self, now: datetime, parts: Mapping[str, str] | None) -> None:
        self.now, self.parts = now, parts
        self.day: date | None = None
        self.part: str | None = None
        self.clock: Clock | None = None
        self.moment: datetime | None = None
        self.bare = self.same_time = False
        self.notes: list[str] = []


def reading(pieces: Pieces) -> Reading:
    """The due point of the pieces. Refused: "no_time" for none, "contradiction" for a clock that its part of the day excludes."""
    due = pieces.moment or settle(pieces)
    text = due.isoformat(timespec="seconds") if isinstance(due, datetime) else due.isoformat()
    if not pieces.notes:
        return Reading(text, None, None)
    codes = tuple(dict.fromkeys(pieces.notes))
    return Reading(text, Assumption(codes[0], codes, text), None)


def settle(pieces: Pieces) -> date | datetime:
    """The day, or the moment when a time of day was said."""
    readings = _readings(pieces)
    if not readings:
        if pieces.day is None:
            refuse("no_time")
        return _settled_day(pieces)
    if pieces.day is None:
        return _first_later(pieces, readings)
    return _on_day(pieces, pieces.day, readings)


def _settled_day(pieces: Pieces) -> date:
    day, today = pieces.day, pieces.now.date()
    assert day is not None
    if pieces.bare:
        _note_bare(pieces, day, today)
    return day


def _note_bare(pieces: Pieces, day: date, today: date) -> None:
    """A bare weekday is plain when it is still ahead in this week; today and next week are conventions."""
    if day == today and pieces.clock is None and pieces.part is None:
        pieces.notes.append("weekday_today")
    elif day.toordinal() - today.toordinal() > 6 - today.weekday():
        pieces.notes.append("weekday_next")


def _readings(pieces: Pieces) -> list[int]:
    """Minutes from midnight of the named day, the earlier reading first; empty when no time of day was said."""
    clock, part = pieces.clock, pieces.part
    if pieces.same_time:
        return [pieces.now.hour * 60 + pieces.now.minute]
    if clock is None:
        if part is None:
            return []
        pieces.notes.append("default_time")
        return [default_time(part, pieces.parts)]
    if part is not None:
        hour = clock.hour_in(part)
        if hour >= 24 and clock.hour < 24:
            pieces.notes.append("after_midnight")
        hours = [hour]
    elif clock.exact:
        hours = [clock.hour]
    else:  # R9: H (only if 7 <= H) and H+12 (only if H < 12)
        pieces.notes.append("open_clock")
        hours = [hour for hour in (clock.hour, clock.hour + 12) if hour >= 7 and (hour == clock.hour or clock.hour < 12)]
    return [hour * 60 + clock.minute - clock.minus for hour in hours]


def default_time(part: str, parts: Mapping[str, str] | None) -> int:
    """R8: minutes from midnight, the person's own where it is a valid HH:MM."""
    part = KEYS.get(part, part)
    hour, _, minute = str(parts.get(part, "")).partition(":") if parts else ("", "", "")
    if hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60:
        return int(hour) * 60 + int(minute)
    return DEFAULTS[part]


def _first_later(pieces: Pieces, readings: list[int]) -> datetime:
    """R10: the first moment strictly later than now among the readings, today then tomorrow."""
    if pieces.same_time:
        refuse("no_time")
    midnight = pieces.now.replace(hour=0, minute=0, second=0, microsecond=0)
    passed = pieces.now.hour * 60 + pieces.now.minute
    pieces.notes = [note for note in pieces.notes if note != "after_midnight"] + ["no_day"]
    return plus_minutes(midnight, min(minutes % 1440 + (minutes % 1440 <= passed) * 1440 for minutes in readings))


def _on_day(pieces: Pieces, day: date, readings: list[int]) -> datetime:
    """R9: the earlier reading, today the first later than now, else the last. R3: a bare weekday that is past moves one week on."""
    if readings[0] < 0:
        refuse("contradiction")
    passed = pieces.now.hour * 60 + pieces.now.minute
    chosen = readings[0]
    if day == pieces.now.date():
        chosen = next((minutes for minutes in readings if minutes > passed), readings[-1])
        if pieces.bare and chosen <= passed:
            day, chosen = plus_days(day, 7), readings[0]
    if pieces.bare:
        _note_bare(pieces, day, pieces.now.date())
    return plus_minutes(datetime(day.year, day.month, day.day), chosen)
