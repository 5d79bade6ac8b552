"""Text of a person, or of a foreign file, as the list keeps it: without characters that control a terminal or turn a line round."""
from __future__ import annotations

import re
import unicodedata

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|[\ud800-\udfff]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")  # would turn the rest of a line round
_FILLERS = "\u115f\u1160\u3164\uffa0"  # count as letters and show nothing


def plain(text: str) -> str:
    """A blank for every control character but tab and line feed; marks that turn the writing round are left out."""
    return _BIDI.sub("", CONTROL.sub(" ", text))


def one_line(text: str) -> str:
    """`plain` in one line with single blanks."""
    return " ".join(plain(text).split())


def several_lines(text: str) -> str:
    """`plain` line by line, without blanks at the ends of lines and without empty lines around; "" for blanks alone."""
    joined = "\n".join(plain(part).rstrip() for part in re.split(r"\r\n|\r|\n", text)).strip("\n")
    return joined if joined.strip() else ""


def is_visible(text: str) -> bool:
    """Whether anything of it can be seen."""
    return any(unicodedata.category(char) != "Cf" and char not in f" {_FILLERS}" for char in text)
