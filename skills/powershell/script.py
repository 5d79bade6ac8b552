"""What a reader finds in a PowerShell script, and how a word's text becomes its value."""
from __future__ import annotations

import re
from dataclasses import dataclass, field

DASHES = "-\u2013\u2014\u2015"   # PowerShell takes all of them for a minus sign
_ESCAPE = re.compile(r"`(.)", re.DOTALL)


@dataclass
class Word:
    """One word of a command: its text, and its value when that is known without running anything (None otherwise)."""

    text: str
    value: str | None
    kind: str = "bare"   # bare, string, parameter, expression, block


@dataclass
class Command:
    """A command: its words, the first is its name; `invoked` is "&" or "." before it; `piped` tells whether something flows in."""

    line: int
    column: int
    words: list[Word] = field(default_factory=list)
    invoked: str = ""
    piped: bool = False
    targets: list[Word] = field(default_factory=list)   # of redirections into files


@dataclass
class Member:
    """A call such as [IO.File]::Delete("x") or $client.DownloadString($url). `owner` is the type's name, or ""."""

    line: int
    column: int
    owner: str
    name: str
    arguments: str = ""


@dataclass
class Reading:
    """All that was found."""

    reader: str
    commands: list[Command] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    types: list[tuple[int, int, str]] = field(default_factory=list)
    assigned: list[tuple[int, int, str]] = field(default_factory=list)    # $env:NAME = …
    variables: list[tuple[int, int, str]] = field(default_factory=list)   # $env:NAME, $PROFILE … wherever they are read
    strings: list[tuple[int, int, str]] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    faults: list[tuple[int, int, str]] = field(default_factory=list)      # what cannot be read as PowerShell


def bare_value(text: str) -> str | None:
    """The value of an unquoted word: backticks and inner quotes gone; None when it holds a variable or an expression."""
    if re.search(r"\$[\w({:?^$]|[(){}]", _ESCAPE.sub("", text)):
        return None
    return _ESCAPE.sub(r"\1", re.sub(r"'([^']*)'|\"([^\"]*)\"", lambda match: match[1] or match[2] or "", text))


def quoted_value(text: str) -> str | None:
    """The value of a quoted word, a here-string too; None when something is put in at run time."""
    if text.startswith(("@'", '@"')):
        inner = text[2:-2].strip("\r\n")
        return inner if text[1] == "'" or "$" not in inner else None
    if text.startswith(("'", "\u2018", "\u2019")):
        return text[1:-1].replace("''", "'")
    inner = text[1:-1]
    if re.search(r"\$[\w({:?^$]", _ESCAPE.sub("", inner)):
        return None
    return _ESCAPE.sub(r"\1", inner.replace('""', '"'))
