"""Chinese calendar dates (R4), holidays (R11) and the numbers that begin them, as handlers of `ChineseReader`."""
from __future__ import annotations

from typing import TYPE_CHECKING

from timephrase import days
from timephrase.numerals import UNIT_KINDS

if TYPE_CHECKING:
    from timephrase.chinese import ChineseReader

# A number with one of these after it is no day of a month and no minute.
OWNERS = frozenset({"oclock", "mark", "month", "year", "unit", "week", "gehalf", "less", "ampm", "quarterhour", "monthpart"})


def month_within(reader: ChineseReader, place: int) -> int:
    if reader.kinds[place + 1] != "within":
        return 0
    reader.alone = reader.words(place, place + 2)
    return reader.dated(lambda: days.month_day(reader.today, 0, 0), place, place + 2)


def month_part(reader: ChineseReader, place: int) -> int:
    """R4: 月初 and 月中 move to the next month once past, 月底 never is."""
    if reader.kinds[place + 1] in ("num", "digits"):
        return reader.no("lunar", place, place + 2)  # 月初五
    day = reader.number(place)
    if day:
        reader.pieces.notes.append("month_part")
    return reader.dated(lambda: days.month_day(reader.today, int(0 < day < reader.today.day), day), place, place + 1)


def relative_year(reader: ChineseReader, place: int) -> int:
    year, end = reader.today.year + reader.number(place), place + 1
    reader.past |= reader.number(place) < 0
    if reader.says(end, "的"):
        end += 1
    return in_year(reader, place, end, year)


def in_year(reader: ChineseReader, place: int, end: int, year: int) -> int:
    """What follows a year: a date, a holiday, its end."""
    kind = reader.kinds[end]
    if kind == "num" and reader.kinds[end + 1] in ("month", "monthpart"):
        return month_date(reader, place, end, year)
    if kind == "holiday":
        month, day = pair_at(reader, end)
        return reader.dated(lambda: days.exact(year, month, day), place, end + 1)
    if kind in ("yearend", "yearlast") or (kind == "within" and reader.words(place, place + 1) in ("今年", "本年")):
        return reader.dated(lambda: days.exact(year, 12, 31), place, end + 1)
    if kind == "no":
        return end  # the word itself says why
    return reader.no("vague", place, end)


def year_end(reader: ChineseReader, place: int) -> int:
    return reader.dated(lambda: days.exact(reader.today.year, 12, 31), place, place + 1)


def year_within(reader: ChineseReader, place: int) -> int:
    return reader.dated(lambda: days.exact(reader.today.year, 12, 31), place, place + 2) if reader.kinds[place + 1] == "within" else 0


def quarter_end(reader: ChineseReader, place: int) -> int:
    return reader.dated(lambda: days.quarter_end(reader.today, 0), place, place + 1)


def holiday(reader: ChineseReader, place: int) -> int:
    """R11: the next such day from today on."""
    month, day = pair_at(reader, place)
    note_year(reader, month, day)
    return reader.dated(lambda: days.next_date(reader.today, month, day), place, place + 1)


def pair_at(reader: ChineseReader, place: int) -> tuple[int, int]:
    pair = reader.tokens[place][1]
    assert isinstance(pair, tuple)
    return pair[0], pair[1]


def note_year(reader: ChineseReader, month: int, day: int) -> None:
    if (month, day) < (reader.today.month, reader.today.day):
        reader.pieces.notes.append("next_year")

# --- R4: dates ---


def number_words(reader: ChineseReader, place: int) -> int:
    """A number says what it is by the word after it."""
    kind = reader.kinds[place + 1]
    if kind == "year" and not is_length(reader, place):
        return year_date(reader, place)
    if kind in ("month", "monthpart"):
        return month_date(reader, place, place, 0)
    if kind == "mark":
        return day_number(reader, place)
    if kind == "oclock":
        return reader.clock_words(place)
    if kind == "ampm":
        return reader.clock_at(place, place + 2, reader.twelve_hours(place, 0))
    return reader.length(place) if kind in UNIT_KINDS or kind == "year" else 0


def is_length(reader: ChineseReader, place: int) -> bool:
    """N年 is a count of years when 半, a unit or a direction follows."""
    after = reader.kinds[place + 2]
    return after in ("after", "before", "within", "half") or (after == "num" and reader.kinds[place + 3] in UNIT_KINDS)


def year_date(reader: ChineseReader, place: int) -> int:
    """R4: Y年M月D日; YY年 is 20YY."""
    year, said = reader.number(place), reader.words(place, place + 1)
    if len(said) == 4:
        return in_year(reader, place, place + 2, year)
    return in_year(reader, place, place + 2, 2000 + year) if len(said) == 2 and reader.kinds[place] in ("num", "digits") else 0


def month_date(reader: ChineseReader, place: int, month_at: int, year: int) -> int:
    """R4: M月D日/号, 日 may be missing; 10月底 is the last day of that October."""
    month, end = reader.number(month_at), month_at + 2
    if reader.kinds[month_at + 1] == "monthpart":
        return part_of_month(reader, place, end, year, month)
    if reader.says(end, "的") and reader.kinds[end + 1] == "num":
        end += 1
    if reader.kinds[end] != "num":
        return reader.no("vague" if reader.kinds[end] != "no" else str(reader.tokens[end][1]), place, end)
    if reader.kinds[end + 1] != "mark" and reader.kinds[end + 1] in OWNERS:
        return reader.no("vague", place, end)
    day = reader.number(end)
    end += 2 if reader.kinds[end + 1] == "mark" else 1
    return year_or_next(reader, place, end, year, month, day)


def year_or_next(reader: ChineseReader, place: int, end: int, year: int, month: int, day: int) -> int:
    if year:
        return reader.dated(lambda: days.exact(year, month, day), place, end)
    note_year(reader, month, day)
    return reader.dated(lambda: days.next_date(reader.today, month, day), place, end)


def part_of_month(reader: ChineseReader, place: int, end: int, year: int, month: int) -> int:
    if reader.kinds[end] in ("num", "digits"):
        return reader.no("lunar", place, end + 1)  # 八月初五
    if not 1 <= month <= 12:
        return reader.no("impossible", place, end)
    day = reader.number(end - 1)
    reader.pieces.notes.append("month_part") if day else None
    if day:
        return year_or_next(reader, place, end, year, month, day)
    if year:
        return reader.dated(lambda: days.exact(year, month, days.month_length(year, month)), place, end)
    return reader.dated(lambda: days.next_month_end(reader.today, month), place, end)


def day_number(reader: ChineseReader, place: int) -> int:
    """R4: D号 is this month's if not past, else that of the next month that has it."""
    day = reader.number(place)
    if day < reader.today.day:
        reader.pieces.notes.append("next_month")
    return reader.dated(lambda: days.next_day_of_month(reader.today, day), place, place + 2)


def numeric_date(reader: ChineseReader, place: int) -> int:
    value, end = reader.tokens[place][1], place + 1
    assert isinstance(value, tuple)
    year, month, day, separator = value
    if reader.kinds[end] == "unit" and separator == "." and not year:  # 1.5小时后
        return reader.length(place)
    if reader.kinds[end] in OWNERS:
        return reader.no("range", place, end + 1)  # 9-11点
    if reader.text.isascii() and separator in ("/", "-") and not year and day <= 12 and month != day:
        reader.pieces.notes.append("month_first")
    if reader.kinds[end] == "T" or (reader.kinds[end] == "gap" and reader.kinds[end + 1] == "clock"):
        end += 1
        if reader.kinds[end] != "clock":
            return 0
    after = year_or_next(reader, place, end, year, month, day)
    # An ISO date makes its clock a 24-hour one: 2026-10-14 10:30 never means 22:30.
    if after and separator == "-" and year and reader.kinds[end] == "clock":
        return reader.figures_clock(end, exact=reader.words(end, end + 1)[2:3] == ":")
    return after


def gap(reader: ChineseReader, place: int) -> int:
    return place + 1 if reader.kinds[place + 1] in ("clock", "num", "date") and (reader.named or reader.pieces.part) else 0
