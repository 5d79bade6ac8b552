"""Small whole numbers as people say them: 12, 十二, 两, twelve. For positions, task numbers and lengths."""
from __future__ import annotations

from timephrase.numerals import chinese_number

ENGLISH = {word: value for value, word in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"))
} | {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
ORDINALS = {word: value for value, word in enumerate((
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 1)}
CHINESE = "零〇一二两三四五六七八九十百"


def whole_number(text: str) -> int | None:
    """The number that digits, Chinese numerals below 1000, or an English word below 21 stand for; None for anything else."""
    word = text.strip().lower()
    if word.isascii() and word.isdigit():
        return int(word) if len(word) < 10 else None
    if word in ENGLISH:
        return ENGLISH[word]
    return _chinese(word) if word and all(char in CHINESE for char in word) else None


def _chinese(word: str) -> int | None:
    """Hundreds, and below them what `timephrase` reads as a number."""
    hundreds, mark, rest = word.rpartition("百")
    if not mark:
        return chinese_number(word)
    count = chinese_number(hundreds) if len(hundreds) == 1 and hundreds != "十" else None
    below = chinese_number(rest.lstrip("零〇")) if rest.strip("零〇") else 0
    return None if count is None or below is None else count * 100 + below
