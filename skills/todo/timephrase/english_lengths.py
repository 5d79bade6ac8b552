"""English lengths from now: in two hours, in half an hour, in an hour and a half, in 1.5 hours, 2 weeks from now, 3 days ago."""
from __future__ import annotations

from typing import TYPE_CHECKING

from timephrase.lengths import Length, apply

if TYPE_CHECKING:
    from timephrase.english import EnglishReader


def read_length(reader: EnglishReader, start: int, direction: int) -> int:
    """Reads the length at `start`; the index after it, 0 when there is none. `direction` 1: `in` stands before it."""
    length, place = Length(), start
    while after := _amount(reader, place, length):
        place = after
        if reader.kinds[place] == "and" and reader.kinds[place + 1] in ("num", "article", "half"):
            place += 1
    if place == start:
        return 0
    kind, end = reader.kinds[place], place
    if kind == "fromnow":
        direction, end = reader.number(place), place + 1
    elif not direction:
        return reader.no("length", start, place)
    if reader.named or reader.pieces.moment or (length.timed and (reader.pieces.clock or reader.pieces.part)):
        return reader.no("contradiction", 0, end)
    if length.empty:
        return reader.no("impossible", start, end)
    reader.past |= direction < 0
    return apply(reader, length, start, end, direction)


def _amount(reader: EnglishReader, place: int, length: Length) -> int:
    """One count with its unit; the index after it, 0 when there is none."""
    kinds = reader.kinds
    if kinds[place] == "half":
        return _half(reader, place, length)
    if kinds[place] == "article" and kinds[place + 1] == "half" and not length.empty:
        return _and_a_half(reader, place, length)
    if kinds[place] == "article" and kinds[place + 1] == "quarter":  # a quarter of an hour
        hour = reader.words(place + 2, place + 5) == "of an hour"
        length.add(15, "min") if hour else None
        return place + 5 if hour else 0
    if kinds[place] == "date":
        return _decimal_hours(reader, place, length)
    if kinds[place] not in ("num", "article") or kinds[place + 1] != "unit":
        return _number_and_a_half(reader, place, length)
    length.add(reader.number(place), str(reader.tokens[place + 1][1]))
    return place + 2


def _half(reader: EnglishReader, place: int, length: Length) -> int:
    unit_at = place + 1 + (reader.kinds[place + 1] == "article")
    unit = str(reader.tokens[unit_at][1]) if reader.kinds[unit_at] == "unit" else ""
    if unit not in ("hour", "year"):
        return reader.no("vague", place, unit_at + 1) if unit else 0
    length.add(*((30, "min") if unit == "hour" else (6, "month")))
    return unit_at + 1


def _and_a_half(reader: EnglishReader, place: int, length: Length) -> int:
    """an hour and a half, a year and a half."""
    if length.timed:
        length.add(30, "min")
    elif length.months % 12 == 0 and not length.days:
        length.add(6, "month")
    else:
        return reader.no("vague", 0, place + 2)
    return place + 2


def _number_and_a_half(reader: EnglishReader, place: int, length: Length) -> int:
    """two and a half hours."""
    fits = reader.kinds[place:place + 5] == ["num", "and", "article", "half", "unit"] and reader.tokens[place + 4][1] == "hour"
    if not fits:
        return 0
    length.add(reader.number(place) * 60 + 30, "min")
    return place + 5


def _decimal_hours(reader: EnglishReader, place: int, length: Length) -> int:
    """1.5 hours: the two sides of the point, which the digits made look like a date."""
    whole, _, rest = reader.words(place, place + 1).partition(".")
    if reader.kinds[place + 1] != "unit" or reader.tokens[place + 1][1] != "hour" or not rest.isdecimal() or len(rest) > 2:
        return 0
    minutes, odd = divmod(int(rest) * 60, 10 ** len(rest))
    if odd:
        return reader.no("vague", place, place + 2)
    length.add(int(whole) * 60 + minutes, "min")
    return place + 2
