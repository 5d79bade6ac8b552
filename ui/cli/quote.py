"""A stranger's text inside a question: wrapped by us and marked on every row, so that no part of it can leave the sight or pose as ours."""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ui.cli.terminal import Stream, visible

_RUNS = re.compile(r"( {4,}(?![ \t]*\n)|\n(?:[ \t]*\n){2,}| {4,})")
_PIECE = re.compile(r"\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})|.", re.DOTALL)
# The sign of a blank and of an empty line, in the encodings that lack the one before.
_MARKS = (("␠×", "⏎×", ""), ("<SP×", "<NL×", ">"), ("<SP*", "<NL*", ">"))
MARGIN = 2  # columns before the mark


class Quote(NamedTuple):
    """Rows ready to print. `rows` holds all of them; `shown` what fits, with a row that says what is missing where `hidden` is not 0."""

    rows: list[str]
    head: int
    hidden: int
    characters: int  # of the rows that are not shown

    @property
    def shown(self) -> tuple[list[str], list[str]]:
        """The rows before and after what is hidden."""
        return self.rows[:self.head], self.rows[self.head + self.hidden:]


def plain(text: str, encoding: str | None = None) -> str:
    """The text with everything spelled out that cannot be seen, and long runs of blanks and of empty lines as a mark with their number."""
    blank, line, end = _marks(encoding)
    spelled = visible(text, exact=True) != text
    shown = ""
    for index, part in enumerate(_RUNS.split(text)):
        if index % 2:
            shown += f"\n{line}{part.count(chr(10)) - 1}{end}\n" if "\n" in part else f"{blank}{len(part)}{end}"
        else:
            safe = visible(part, exact=True)
            shown += safe.replace("\\", "\\\\") if spelled and safe == part else safe
    return shown


def squeezed(text: str, encoding: str | None = None) -> str:
    """One line of ours whose strangers' words are spelled out already: line breaks become blanks, and long runs of blanks a mark."""
    blank, _, end = _marks(encoding)
    return re.sub(r" {4,}", lambda run: f"{blank}{len(run[0])}{end}", visible(text).replace("\n", " ").replace("\t", " "))


def wrap(text: str, columns: int) -> list[str]:
    """Rows of at most so many columns; a character beyond ASCII counts as two, since terminals do not agree on its width."""
    rows = []
    for line in text.split("\n"):
        row, used = "", 0
        for piece in _PIECE.findall(line):
            size = len(piece) if piece.isascii() else 2
            if used + size > columns and row:
                rows.append(row)
                row, used = "", 0
            row, used = row + piece, used + size
        rows.append(row)
    return rows


def quote(text: str, stream: Stream) -> Quote:
    """The text as rows for this stream. On a terminal it takes at most about half of the screen; elsewhere it is whole and not wrapped."""
    shown = plain(text, getattr(stream.stream, "encoding", None))
    if not stream.tty:
        rows = shown.split("\n")
        return Quote(rows, len(rows), 0, 0)
    columns, height = stream.size()
    rows = wrap(shown, max(8, columns - MARGIN - 3))
    room = max(4, height // 2)
    if len(rows) <= room:
        return Quote(rows, len(rows), 0, 0)
    head = (room - 1) * 2 // 3
    hidden = len(rows) - room + 1
    return Quote(rows, head, hidden, sum(map(len, rows[head:head + hidden])))


def indented(text: str, stream: Stream) -> list[str]:
    """A line of ours that holds a stranger's words: where it must go on in another row, that row begins with the mark."""
    rows = wrap(text, max(8, stream.size()[0] - MARGIN - 3)) if stream.tty else [text]
    return [" " * MARGIN + rows[0], *marked(rows[1:], stream)]


def marked(rows: Sequence[str], stream: Stream, *styles: str) -> list[str]:
    """The rows with the mark before each."""
    return [f"{' ' * MARGIN}{stream.icons.bar} {stream.paint(row, *styles)}" for row in rows]


def _marks(encoding: str | None) -> tuple[str, str, str]:
    for marks in _MARKS:
        try:
            "".join(marks).encode(encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            continue
        return marks
    return _MARKS[-1]
