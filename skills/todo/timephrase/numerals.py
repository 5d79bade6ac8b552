"""Numbers inside a text: dates and clocks in digits, which both languages share, and Chinese numerals."""
from __future__ import annotations

import re
from functools import cache

Token = tuple[str, object, int, int]  # kind, value, start, end
UNIT_KINDS = frozenset({"unit", "week", "gehalf"})  # the kinds of tokens that a count counts

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_TENS = {"十": 10, "廿": 20, "卅": 30}
NUMERALS = frozenset({*_DIGITS, *_TENS})


def table(text: str) -> dict[str, tuple[str, object]]:
    """The words of a table: each line is a kind, a value (a number, month/day, or a name) and words in which "_" stands for a space."""
    words: dict[str, tuple[str, object]] = {}
    for line in text.split("\n"):
        kind, value, *names = line.split() or ("", "")
        month, slash, day = value.partition("/")
        read = (int(month), int(day)) if slash else int(value) if value.lstrip("-").isdecimal() else value
        words.update(dict.fromkeys([name.replace("_", " ") for name in names], (kind, read)))
    return words


@cache
def _pattern() -> re.Pattern[str]:
    """A chunk of digits: date with a year, clock, month and day (and a year at the end), plain number. Each part is bounded."""
    return re.compile(r"(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d)"
                      r"|(?P<h>\d{1,2}):(?P<min>\d{2})(?::(?P<sec>\d{2}))?(?![\d:])"
                      r"|(?P<m2>\d{1,2})(?P<s2>[-/.])(?P<d2>\d{1,2})(?:(?P=s2)(?P<y2>\d{4}))?(?![\d:])(?!(?P=s2)\d)"
                      r"|(?P<n>\d+)")


def digits_at(text: str, start: int) -> Token:
    """The token of the digits that begin at `start`:

    ("date", (year or 0, month, day, separator)), ("clock", (hour, minute, zero-padded)), ("num", value) or ("long", digits) for more than 8.
    """
    found = _pattern().match(text, start)
    if found is None:
        return ("?", text[start], start, start + 1)
    end = found.end()
    if found["n"]:
        number = found["n"]
        if len(number) == 8:
            return ("date", (int(number[:4]), int(number[4:6]), int(number[6:]), ""), start, end)
        return ("num", int(number), start, end) if len(number) < 8 else ("long", number, start, end)
    if found["h"]:
        good = int(found["min"]) < 60 and int(found["sec"] or 0) < 60
        return ("clock", (int(found["h"]) if good else 99, int(found["min"]), found["h"][0] == "0" or len(found["h"]) == 3), start, end)
    if found["y"]:
        return ("date", (int(found["y"]), int(found["m"]), int(found["d"]), found["s"]), start, end)
    return ("date", (int(found["y2"] or 0), int(found["m2"]), int(found["d2"]), found["s2"]), start, end)


def chinese_number(run: str) -> int | None:
    """R1: 零…九, 十…九十九, 廿…; None when the characters are no such number (digits said one by one: `digit_run`)."""
    if len(run) == 1:
        return _DIGITS.get(run, _TENS.get(run))
    for place, char in enumerate(run):
        if char in _TENS:
            tens, rest = _TENS[char], run[place + 1:]
            if place == 1 and char == "十" and _DIGITS.get(run[0], 0) > 1:
                tens = 10 * _DIGITS[run[0]]
            elif place:
                return None
            if not rest:
                return tens
            return tens + _DIGITS[rest] if _DIGITS.get(rest) else None
    return _DIGITS[run[1]] if len(run) == 2 and run[0] in "零〇" else None


def chinese_tokens(text: str, start: int) -> list[Token]:
    """The tokens of the run of Chinese numerals at `start`: one number, digits one by one ("digits"), or two numbers where only one split
    is possible (十月一十点); otherwise one "?"."""
    end = start + 1
    while end < len(text) and end - start < 9 and text[end] in NUMERALS:
        end += 1
    run = text[start:end]
    value = chinese_number(run)
    if value is not None:
        return [("num", value, start, end)]
    if len(run) <= 4 and all(char in _DIGITS for char in run):
        return [("digits", int("".join(str(_DIGITS[char]) for char in run)), start, end)]
    splits = [(left, right, place) for place in range(1, len(run)) for left in [chinese_number(run[:place])]
              for right in [chinese_number(run[place:])] if left is not None and right is not None]
    if len(splits) == 1:
        left, right, place = splits[0]
        return [("num", left, start, start + place), ("num", right, start + place, end)]
    return [("?", run, start, end)]
