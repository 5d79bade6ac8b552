"""A recurrence, kept apart from any date: which days it falls on, at what time, and which occurrence comes next."""
from __future__ import annotations

from datetime import date, datetime

from timephrase import days
from timephrase.frozen import Frozen
from timephrase.results import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

FREQUENCIES = ("daily", "weekly", "monthly", "yearly")
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = (0, 1, 2, 3, 4)


class Rule(Frozen):
    """Every `interval` days, weeks, months or years.

    weekly: on `weekdays` (Monday 0). monthly: on `monthdays` (-1 the last), or on the `position`-th of `weekdays` (-1 the last).
    yearly: in `month`, on the one day in `monthdays`. `time` is "HH:MM" or None for date-only. A month without the day is passed over.
    """

    __slots__ = ("freq", "interval", "weekdays", "monthdays", "month", "position", "time")
    freq: str
    interval: int
    weekdays: tuple[int, ...]
    monthdays: tuple[int, ...]
    month: int
    position: int
    time: str | None

    def __init__(self, freq: str, interval: int = 1, weekdays: tuple[int, ...] = (), monthdays: tuple[int, ...] = (), month: int = 0,
                 position: int = 0, time: str | None = None) -> None:
        self._fill(freq, interval, weekdays, monthdays, month, position, time)

    def to_dict(self) -> dict[str, Any]:
        """What `from_dict` reads, ready for JSON; fields that say nothing are left out."""
        fields = {"freq": self.freq, "interval": self.interval, "weekdays": list(self.weekdays), "monthdays": list(self.monthdays),
                  "month": self.month, "position": self.position, "time": self.time}
        return {name: value for name, value in fields.items() if value or name in ("freq", "interval")}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Rule:
        """The rule of such a dict; ValueError for anything that is no rule."""
        if not isinstance(given, dict):
            raise ValueError("a rule is an object with \"freq\"")
        unknown = set(given) - {"freq", "interval", "weekdays", "monthdays", "month", "position", "time"}
        if unknown:
            raise ValueError(f"a rule has no field {sorted(map(str, unknown))[0]!r}")
        rule = cls(given.get("freq", ""), given.get("interval", 1), _numbers(given.get("weekdays", ())), _numbers(given.get("monthdays", ())),
                   given.get("month", 0), given.get("position", 0), given.get("time"))
        problem = _problem(rule)
        if problem:
            raise ValueError(problem)
        return rule

    def first(self, now: datetime) -> str:
        """The first due from now on: date-only today or later, with a time strictly later than `now`. ValueError beyond 2200."""
        today = now.date()
        passed = self.time is not None and self.time <= f"{now.hour:02}:{now.minute:02}"
        return self._due(next((day for day in self._dates(today, fresh=True) if day > today or not passed), None))

    def after(self, due: str) -> str:
        """The due of the occurrence after the one whose due was `due`: always on a later day. A date-only due is followed by a date-only one;
        a due with a time by the rule's time, or by its own where the rule has none. ValueError for a due that is none, or beyond 2200."""
        given = datetime.fromisoformat(due)
        day = next((day for day in self._dates(given.date(), fresh=False) if day > given.date()), None)
        if "T" not in due:
            return self._due(day, "")
        return self._due(day, self.time or f"{given.hour:02}:{given.minute:02}")

    def say(self, lang: str = "zh") -> str:
        """The rule in words: 每周五 17:00, every Friday 17:00."""
        from timephrase.rule_words import words

        return words(self, lang)

    def rrule(self) -> str:
        """The value of an RFC 5545 RRULE (without the name "RRULE:"). The time of day belongs to DTSTART."""
        parts = [f"FREQ={self.freq.upper()}"]
        if self.interval > 1:
            parts.append(f"INTERVAL={self.interval}")
        if self.month:
            parts.append(f"BYMONTH={self.month}")
        if self.weekdays:
            single = self.position and len(self.weekdays) == 1
            parts.append("BYDAY=" + ",".join((str(self.position) if single else "") + _DAYS[day] for day in self.weekdays))
            if self.position and not single:
                parts.append(f"BYSETPOS={self.position}")
        if self.monthdays:
            parts.append("BYMONTHDAY=" + ",".join(map(str, self.monthdays)))
        if self.freq == "weekly" and self.interval > 1:
            parts.append("WKST=MO")
        return ";".join(parts)

    def _due(self, day: date | None, time: str | None = None) -> str:
        if day is None:
            raise ValueError("the rule has no further date before 2201")
        time = (self.time or "") if time is None else time
        return f"{day.isoformat()}T{time}:00" if time else day.isoformat()

    def _dates(self, start: date, *, fresh: bool) -> Iterator[date]:
        """The dates of the rule from `start` on, in order. `fresh`: the interval begins with the first date; else `start` was an occurrence."""
        step = {"daily": self._daily, "weekly": self._weekly, "monthly": self._monthly, "yearly": self._yearly}[self.freq]
        try:
            yield from (day for day in step(start, fresh) if day >= start)
        except Refused:
            return

    def _daily(self, start: date, fresh: bool) -> Iterator[date]:
        day = start
        while True:
            yield day
            day = days.plus_days(day, 1 if fresh else self.interval)

    def _weekly(self, start: date, fresh: bool) -> Iterator[date]:
        offset = -start.weekday()  # of the week's Monday; a day before `start` may lie before 1970
        while True:
            for weekday in self.weekdays or (start.weekday(),):
                if offset + weekday >= 0:
                    yield days.plus_days(start, offset + weekday)
            offset += 7 * (1 if fresh else self.interval)

    def _monthly(self, start: date, fresh: bool) -> Iterator[date]:
        months = 0
        while True:
            year, month = days.shifted_month(start, months)
            yield from self._days_of_month(year, month)
            months += 1 if fresh else self.interval

    def _days_of_month(self, year: int, month: int) -> list[date]:
        length = days.month_length(year, month)
        if self.position:
            found = [date(year, month, day) for day in range(1, length + 1) if date(year, month, day).weekday() in self.weekdays]
            place = self.position - 1 if self.position > 0 else self.position
            return found[place:][:1] if place < len(found) else []
        return sorted(date(year, month, length if day == -1 else day) for day in set(self.monthdays) if day <= length)

    def _yearly(self, start: date, fresh: bool) -> Iterator[date]:
        for year in range(start.year, days.LAST_YEAR + 1, 1 if fresh else self.interval):
            day = self.monthdays[0] if self.monthdays[0] > 0 else days.month_length(year, self.month)
            if days.exists(year, self.month, day):
                yield date(year, self.month, day)


def _numbers(given: Any) -> tuple[int, ...]:
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, int) and not isinstance(each, bool) for each in given):
        raise ValueError("weekdays and monthdays are lists of whole numbers")
    return tuple(sorted(set(given), key=lambda each: each if each > 0 or len(given) == 1 else each % 99))


def _problem(rule: Rule) -> str:
    """What is wrong with the fields, "" when nothing is."""
    for name in ("interval", "month", "position"):
        if not isinstance(getattr(rule, name), int) or isinstance(getattr(rule, name), bool):
            return f"{name} is a whole number"
    if rule.freq not in FREQUENCIES:
        return f"freq is one of {', '.join(FREQUENCIES)}"
    if not 1 <= rule.interval <= 999:
        return "interval is 1 to 999"
    if rule.time is not None and not (isinstance(rule.time, str) and _is_time(rule.time)):
        return "time is HH:MM"
    if not all(0 <= day <= 6 for day in rule.weekdays) or not all(1 <= day <= 31 or day == -1 for day in rule.monthdays):
        return "weekdays are 0 to 6, monthdays 1 to 31 or -1"
    return _misfit(rule)


def _is_time(text: str) -> bool:
    return len(text) == 5 and text.isascii() and text[2] == ":" and text[:2].isdigit() and text[3:].isdigit() and text[:2] < "24" and text[3:] < "60"


def _misfit(rule: Rule) -> str:
    """Fields that do not belong to the frequency."""
    ordinal = rule.position in (-1, 1, 2, 3, 4, 5) and rule.weekdays and not rule.monthdays and not rule.month
    plain = not rule.position and not rule.weekdays and rule.monthdays
    fits = {"daily": not (rule.weekdays or rule.monthdays or rule.month or rule.position),
            "weekly": bool(rule.weekdays) and not (rule.monthdays or rule.month or rule.position),
            "monthly": bool(ordinal or (plain and not rule.month)),
            "yearly": bool(plain) and len(rule.monthdays) == 1 and 1 <= rule.month <= 12 and days.exists(2000, rule.month, abs(rule.monthdays[0]))}
    return "" if fits[rule.freq] else f"these fields make no {rule.freq} rule"
