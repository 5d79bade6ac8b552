"""The lines of iCalendar: unfolding and folding at 75 octets, names, parameters, escaped text. RFC 5545, section 3.1 and 3.3.11."""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from taskbook.formats.entry import BadEntry

FOLD = 75  # octets of a line without its end
_NAME = re.compile(r"[A-Za-z0-9-]+")
_PARAMETER = re.compile(r';([A-Za-z0-9-]+)=("[^"\x00-\x08]*"|[^";:,\x00-\x08]*)((?:,(?:"[^"]*"|[^";:,]*))*)')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Line:
    """One unfolded line: NAME;PARAMETER=…:value. Names are in capitals; `number` is where it begins in the file."""

    number: int
    name: str
    parameters: dict[str, str]
    value: str


def read_lines(text: str) -> Iterator[Line]:
    """Every line of a calendar. Line ends may be CRLF, LF or CR; empty lines say nothing. Raises BadEntry for what is no such line."""
    number, pieces = 0, [""]
    for place, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        if raw[:1] in (" ", "\t") and number:
            pieces.append(raw[1:])
            continue
        if number:
            yield _split(number, "".join(pieces))
        number, pieces = (place, [raw]) if raw.strip() else (0, [""])
    if number:
        yield _split(number, "".join(pieces))


def _split(number: int, text: str) -> Line:
    match = _NAME.match(text)
    if match is None:
        raise BadEntry(number, "no_property", text)
    parameters, place = {}, match.end()
    while parameter := _PARAMETER.match(text, place):
        parameters[parameter[1].upper()] = parameter[2].strip('"')
        place = parameter.end()
    if text[place:place + 1] != ":":
        raise BadEntry(number, "no_property", text)
    return Line(number, match[0].upper(), parameters, text[place + 1:])


def escape(text: str) -> str:
    """Text as the value of a property."""
    for plain, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r\n", "\\n"), ("\n", "\\n"), ("\r", "\\n")):
        text = text.replace(plain, written)
    return text


def unescape(value: str) -> str:
    """The text of a value; a backslash before anything but n means that character."""
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)


def split_list(value: str) -> list[str]:
    """The texts of a list with commas between; an escaped comma is part of a text."""
    parts, current, place = [], "", 0
    while place < len(value):
        if value[place] == "\\" and place + 1 < len(value):
            current += value[place:place + 2]
            place += 2
            continue
        if value[place] == ",":
            parts.append(current)
            current = ""
        else:
            current += value[place]
        place += 1
    return [unescape(part) for part in [*parts, current]]


def fold(line: str) -> str:
    """The line in pieces of at most 75 octets with CRLF and a space between, no character torn apart, CRLF at the end."""
    pieces: list[str] = []
    current: list[str] = []
    size = 0
    for character in line:
        octets = len(character.encode())
        if size + octets > FOLD:
            pieces.append("".join(current))
            current, size = [], 1  # the space that begins a continued line counts
        current.append(character)
        size += octets
    return "\r\n ".join([*pieces, "".join(current)]) + "\r\n"
