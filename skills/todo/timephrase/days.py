"""Calendar arithmetic on dates: weeks that start on Monday, months that may be clipped, the next date that fits. Nothing here knows words.

Everything stays within 1970-01-01..2200-12-31; a step outside ends the reading with "out_of_range".
"""
from __future__ import annotations

from datetime import date, datetime

from timephrase.results import refuse

FIRST_YEAR, LAST_YEAR = 1970, 2200
_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FIRST, _LAST = date(FIRST_YEAR, 1, 1).toordinal(), date(LAST_YEAR, 12, 31).toordinal()


def leap(year: int) -> bool:
    """Whether the year has a 29 February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    """The number of days of that month."""
    return 29 if month == 2 and leap(year) else _LENGTHS[month]


def exists(year: int, month: int, day: int) -> bool:
    """Whether there is such a date; the year may be any."""
    return 1 <= month <= 12 and 1 <= day <= month_length(year, month)


def exact(year: int, month: int, day: int) -> date:
    """R4: exactly that date. Never rolled over or clipped."""
    if not exists(year, month, day):
        refuse("impossible")
    if not FIRST_YEAR <= year <= LAST_YEAR:
        refuse("out_of_range")
    return date(year, month, day)


def plus_days(start: date, days: int) -> date:
    """`days` later (or earlier, when negative)."""
    ordinal = start.toordinal() + days
    if not _FIRST <= ordinal <= _LAST:
        refuse("out_of_range")
    return date.fromordinal(ordinal)


def plus_months(start: date, months: int) -> tuple[date, bool]:
    """R5: the same day number `months` on, clipped to the month's end; and whether it was clipped."""
    year, month = shifted_month(start, months)
    day = min(start.day, month_length(year, month))
    return date(year, month, day), day != start.day


def shifted_month(start: date, months: int) -> tuple[int, int]:
    """Year and month, `months` on."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    if not FIRST_YEAR <= year <= LAST_YEAR:
        refuse("out_of_range")
    return year, month + 1


def month_day(start: date, months: int, day: int) -> date:
    """The day of the month that lies `months` on; 0 is its last day. R4: no such day ends the reading."""
    year, month = shifted_month(start, months)
    return exact(year, month, day or month_length(year, month))


def plus_minutes(start: datetime, minutes: int) -> datetime:
    """`minutes` later (or earlier, when negative)."""
    days, rest = divmod(start.hour * 60 + start.minute + minutes, 1440)
    day = plus_days(start.date(), days)
    return datetime(day.year, day.month, day.day, rest // 60, rest % 60)


def next_date(today: date, month: int, day: int) -> date:
    """R4: the first such date from today on; 29 February waits for a leap year."""
    if not exists(2000, month, day):  # 2000 has every day that a year can have
        refuse("impossible")
    year = today.year + ((month, day) < (today.month, today.day))
    while not exists(year, month, day):
        year += 1
    return exact(year, month, day)


def next_month_end(today: date, month: int) -> date:
    """The last day of that month, the first from today on."""
    year = today.year + (month < today.month)
    return exact(year, month, month_length(year, month))


def next_day_of_month(today: date, day: int) -> date:
    """R4: this month if not past, else the next month that has this day."""
    if not 1 <= day <= 31:
        refuse("impossible")
    for months in range(int(day < today.day), 12):
        year, month = shifted_month(today, months)
        if day <= month_length(year, month):
            return date(year, month, day)
    refuse("impossible")


def week_day(today: date, weeks: int, weekday: int) -> date:
    """R3: that day (Monday 0 … Sunday 6) of the calendar week that lies `weeks` on."""
    return plus_days(today, weeks * 7 + weekday - today.weekday())


def next_weekday(today: date, weekday: int) -> date:
    """R3: the nearest such day from today on, today included."""
    return plus_days(today, (weekday - today.weekday()) % 7)


def weekend(today: date, weeks: int) -> date:
    """R3: Saturday of that week; on this week's Sunday, today."""
    return today if weeks == 0 and today.weekday() == 6 else week_day(today, weeks, 5)


def quarter_end(today: date, quarters: int) -> date:
    """The last day of the quarter that lies `quarters` on."""
    return month_day(today, (3 - today.month % 3) % 3 + 3 * quarters, 0)
