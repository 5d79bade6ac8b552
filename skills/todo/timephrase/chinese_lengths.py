"""Chinese lengths from now (R5): 三天后, 半小时内, 一个半小时后, 1小时20分钟后, 过三天, and their mirror image 三天前 (R12)."""
from __future__ import annotations

from typing import TYPE_CHECKING

from timephrase.lengths import Length, apply

if TYPE_CHECKING:
    from timephrase.chinese import ChineseReader

def read_length(reader: ChineseReader, start: int, passing: bool) -> int:
    """Reads the length at `start` with its direction; the index after it, 0 when there is none. `passing`: 过 stands before it."""
    length, place = Length(), start
    while after := _amount(reader, place, length):
        place = after
    if place == start:
        return 0
    kind = reader.kinds[place]
    if kind not in ("after", "within", "before") and not passing:
        return 0 if reader.named or reader.pieces.part else reader.no("length", start, place)
    end = place + (kind in ("after", "within", "before"))
    if kind == "before" and passing:
        return reader.no("contradiction", start, end)
    if reader.named or reader.pieces.part or reader.pieces.clock or reader.pieces.moment:
        return reader.no("contradiction", 0, end)
    if length.empty:
        return reader.no("impossible", start, end)
    reader.past |= kind == "before"
    return apply(reader, length, start, end, -1 if kind == "before" else 1)


def _amount(reader: ChineseReader, place: int, length: Length) -> int:
    """One count with its unit; the index after it, 0 when there is none."""
    kinds = reader.kinds
    if kinds[place] == "half":
        return _half(reader, place, length)
    if kinds[place] == "date" and kinds[place + 1] == "unit" and reader.tokens[place + 1][1] == "hour":
        return _decimal_hours(reader, place, length)
    if kinds[place] == "digits" and kinds[place + 1] in ("unit", "week", "year"):
        return reader.no("vague", place, place + 2)  # 三五天后
    if kinds[place] != "num":
        return 0
    return _counted(reader, place, length)


def _counted(reader: ChineseReader, place: int, length: Length) -> int:
    kinds, count = reader.kinds, reader.number(place)
    if kinds[place + 1] == "gehalf":  # 一个半小时, 一个半月
        unit = reader.tokens[place + 2][1] if kinds[place + 2] == "unit" else "month" if kinds[place + 2] == "month" else ""
        if unit not in ("hour", "month"):
            return 0
        _add_with_half(reader, length, count, str(unit))
        return place + 3
    unit = _unit(reader, place + 1, length)
    if not unit:
        return 0
    if kinds[place + 2] == "half" and kinds[place + 3] not in ("unit", "year", "week"):  # 一年半, 一小时半
        if unit not in ("year", "hour"):
            return reader.no("vague", place, place + 3)
        _add_with_half(reader, length, count, unit)
        return place + 3
    length.add(count, unit)
    return place + 2


def _unit(reader: ChineseReader, place: int, length: Length) -> str:
    kind = reader.kinds[place]
    if kind == "unit":
        return str(reader.tokens[place][1])
    if kind in ("week", "year"):
        return kind
    return "min" if kind == "minute" and length.timed else ""  # 1小时20分后


def _add_with_half(reader: ChineseReader, length: Length, count: int, unit: str) -> None:
    length.add(count, unit)
    _add_half(reader, length, unit)


def _add_half(reader: ChineseReader, length: Length, unit: str) -> None:
    if unit == "hour":
        length.add(30, "min")
    elif unit == "year":
        length.add(6, "month")
    else:
        length.add(15, "day")
        reader.pieces.notes.append("half_month")


def _half(reader: ChineseReader, place: int, length: Length) -> int:
    """R5: 半个月 is 15 days, 半年 6 months, 半小时 30 minutes. Half a day or week is vague."""
    unit = _unit(reader, place + 1, length)
    if unit not in ("hour", "month", "year"):
        return reader.no("vague", place, place + 2) if unit else 0
    _add_half(reader, length, unit)
    return place + 2


def _decimal_hours(reader: ChineseReader, place: int, length: Length) -> int:
    """1.5小时: the two sides of the point, which the digits made look like a date."""
    whole, _, rest = reader.words(place, place + 1).partition(".")
    if not rest.isdecimal() or len(rest) > 2:
        return reader.no("range", place, place + 2)
    minutes, odd = divmod(int(rest) * 60, 10 ** len(rest))
    if odd:
        return reader.no("vague", place, place + 2)
    length.add(int(whole) * 60 + minutes, "min")
    return place + 2
