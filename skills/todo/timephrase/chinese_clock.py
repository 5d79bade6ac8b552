"""Chinese clocks in words (R6): 三点, 3点半, 三点一刻, 3点零5分, 差十分六点, 六点差一刻, 16时40分50秒."""
from __future__ import annotations

from typing import TYPE_CHECKING

from timephrase.moments import Clock

if TYPE_CHECKING:
    from timephrase.chinese import ChineseReader

# A number with one of these after it is no minute of the clock before it: 3点20分钟会议, 9点11点.
_OWNERS = frozenset({"oclock", "mark", "month", "year", "unit", "week", "gehalf", "monthpart", "ampm"})


def clock_words(reader: ChineseReader, place: int) -> tuple[Clock, int]:
    """The clock whose hour stands at `place` and whose 点 or 时 after it, and the index after it."""
    clock, end = Clock(_hour(reader, place)), place + 2
    clock.exact = len(reader.words(place, place + 1)) == 2 and reader.words(place, place + 1)[0] == "0"
    kinds = reader.kinds
    if kinds[end] == "sharp":
        return clock, end + 1
    if kinds[end] == "half":
        clock.minute = 30
        return clock, end + 1
    if kinds[end] == "less":
        minus, after = _minutes_less(reader, end + 1)
        clock.minus = minus
        return clock, after if minus else end
    if kinds[end] == "num" and kinds[end + 1] == "quarterhour":
        return (Clock(clock.hour, 15 * reader.number(end), clock.exact), end + 2) if 1 <= reader.number(end) <= 3 else (clock, end)
    return _with_minutes(reader, clock, end)


def _hour(reader: ChineseReader, place: int) -> int:
    return reader.number(place) if reader.kinds[place] == "num" else reader.no("vague", place, place + 2)  # 两三点


def _with_minutes(reader: ChineseReader, clock: Clock, end: int) -> tuple[Clock, int]:
    """H点M分, H点M, H点零M. A single digit needs its 零 or 分: 三点五 could be half past three."""
    kinds = reader.kinds
    if kinds[end] != "num" or kinds[end + 1] in _OWNERS:
        return clock, end
    said = reader.words(end, end + 1)
    if said in ("零", "〇") and kinds[end + 1] == "num" and reader.number(end + 1) < 10:
        end, said = end + 1, "零" + reader.words(end + 1, end + 2)
    minutes, after = reader.number(end), end + 1
    if kinds[after] == "minute":
        after += 1
        if kinds[after] == "num" and kinds[after + 1] == "second" and reader.number(after) < 60:
            after += 2  # R6: seconds are dropped
    elif len(said) == 1 and said not in "十廿卅":
        return clock, end
    clock.minute = minutes
    return clock, after


def _minutes_less(reader: ChineseReader, place: int) -> tuple[int, int]:
    """M分 or 一刻 after 差; 0 when there is no such thing."""
    if reader.kinds[place] != "num":
        return 0, place
    number, unit = reader.number(place), reader.kinds[place + 1]
    if unit == "quarterhour" and number == 1:
        return 15, place + 2
    fits = unit == "minute" or reader.words(place + 1, place + 2) == "分钟"
    return (number, place + 2) if fits and 0 < number < 60 else (0, place)


def less_first(reader: ChineseReader, place: int) -> tuple[Clock | None, int]:
    """差M分H点; None when it is none."""
    minus, hour = _minutes_less(reader, place + 1)
    if not minus or reader.kinds[hour] != "num" or reader.kinds[hour + 1] != "oclock":
        return None, place
    end = hour + 2 + (reader.kinds[hour + 2] == "sharp")
    return Clock(_hour(reader, hour), minus=minus), end
