"""Numbers written in words: Chinese (两万三千, 一百零五, 三点一四, 3万) and English (two hundred and five, twenty-first)."""
from __future__ import annotations

import re
from collections.abc import Sequence

_DIGITS = dict(zip("零〇一壹二两贰兩三叁四肆五伍六陆七柒八捌九玖", map(int, "0011222233445566778899"), strict=True))
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_BIG = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
CHINESE = "".join((*_DIGITS, *_UNITS, *_BIG))
_MIXED = re.compile(rf"(\d+(?:\.\d+)?)((?:[{''.join((*_UNITS, *_BIG))}])+)\Z", re.ASCII)

_SMALL = {word: value for value, word in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
    "sixteen", "seventeen", "eighteen", "nineteen"))}
_TENS = {word: 10 * value for value, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_ORDINALS = {"first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine", "twelfth": "twelve"}


def chinese_number(text: str) -> str | None:
    """The decimal text of a number in Chinese words or digits mixed with 十百千万亿; None when it is not one."""
    mixed = _MIXED.match(text)
    if mixed:
        return _mixed(mixed[1], mixed[2])
    whole, point, places = text.partition("点")
    value = _whole(whole)
    if value is None or not point:
        return None if value is None else str(value)
    if not places or any(char not in _DIGITS for char in places):
        return None
    return f"{value}." + "".join(str(_DIGITS[char]) for char in places)


def _mixed(digits: str, units: str) -> str | None:
    factor = 1
    for unit in units:
        factor *= {**_UNITS, **_BIG}[unit]
    integer, _, places = digits.partition(".")
    scaled = int(integer + places) * factor
    if scaled % 10 ** len(places):
        return None
    return str(scaled // 10 ** len(places))


def _whole(text: str) -> int | None:
    if not text:
        return None
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    for unit, factor in (("亿", 10**8), ("億", 10**8), ("万", 10**4), ("萬", 10**4)):
        if unit in text:
            return _around(text, unit, factor)
    return _below_ten_thousand(text)


def _around(text: str, unit: str, factor: int) -> int | None:
    """The number on both sides of the last 万 or 亿; a single digit after it counts tenths of it (一万五 is 15000)."""
    left, _, right = text.rpartition(unit)
    high = _whole(left)
    if high is None:
        return None
    if not right:
        return high * factor
    low = _DIGITS[right] * factor // 10 if len(right) == 1 and right in _DIGITS else _whole(right.lstrip("零〇"))
    return None if low is None or low >= factor else high * factor + low


def _below_ten_thousand(text: str) -> int | None:
    total, digit, last, zero = 0, None, 10**4, False
    for position, char in enumerate(text):
        if char in "零〇" and position and digit is None:
            zero = True
        elif char in _DIGITS:
            if digit is not None:
                return None
            digit = _DIGITS[char]
        elif char in _UNITS and _UNITS[char] < last and (digit or char in "十拾" and position == 0):
            total, last, digit, zero = total + (digit or 1) * _UNITS[char], _UNITS[char], None, False
        else:
            return None
    if digit is None:
        return None if zero else total
    return total + (digit * last // 10 if last > 10 and not zero else digit)


def english_number(words: Sequence[str]) -> tuple[int, int, bool] | None:
    """Reads a number at the start of lower-case words: how many words, the value, whether it is an ordinal; None for no number.

    "twenty-one" may be one word; "and" is read only inside a number.
    """
    total, group, used, ordinal, last = 0, 0, 0, False, ""
    for index, word in enumerate(words):
        if word == "and" and last in ("hundred", "thousand", "million") and index + 1 < len(words) and _cardinal(words[index + 1])[0]:
            continue
        parts, is_ordinal = _cardinal(word)
        step = _add(parts, total, group, last) if parts else None
        if step is None:
            break
        total, group, last = step
        used, ordinal = index + 1, is_ordinal
        if ordinal:
            break
    return (used, total + group, ordinal) if used else None


_NUMBER_WORDS = {*_SMALL, *_TENS, *_SCALES, "hundred"}


def _cardinal(word: str) -> tuple[str, bool]:
    """The cardinal that a word stands for ("" when it is no number word), and whether the word was an ordinal."""
    head, dash, tail = word.rpartition("-")
    if tail in _NUMBER_WORDS:
        return (word, False) if not dash or head in _TENS else ("", False)
    base = _ORDINALS.get(tail) or (tail[:-4] + "y" if tail.endswith("ieth") else tail[:-2] if tail.endswith("th") else "")
    if base in _NUMBER_WORDS and (not dash or head in _TENS):
        return head + dash + base, True
    return "", False


def _add(word: str, total: int, group: int, last: str) -> tuple[int, int, str] | None:
    """The running sums after one more number word, or None where it does not continue the number."""
    if "-" in word:
        tens, _, unit = word.partition("-")
        first = _add(tens, total, group, last)
        return _add(unit, *first) if first and 0 < _SMALL.get(unit, 0) < 10 else None
    if word == "hundred":
        return (total, (group or 1) * 100, word) if group < 10 and last not in ("hundred", "thousand", "million", "zero") else None
    if word in _SCALES:
        return (total + (group or 1) * _SCALES[word], 0, word) if (group or not last) and (not total or total >= _SCALES[word] * 1000) else None
    if word in _TENS:
        return (total, group + _TENS[word], word) if group % 100 == 0 and last not in ("zero",) else None
    value = _SMALL[word]
    fits = not last or last in _TENS and value < 10 or last == "hundred" or last in _SCALES
    return (total, group + value, word) if fits and (value or not last) else None
