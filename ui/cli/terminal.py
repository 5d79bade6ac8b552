"""Facts about the two output streams: encoding, colour, which signs they can show, and what must not reach them as it is."""
from __future__ import annotations

import errno
import functools
import os
import re
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

STYLES = {"dim": "2", "bold": "1", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_COLOUR_CODE = re.compile("\x1b\\[[0-9;:]*m")
_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_INVISIBLE = (0x00AD, 0x034F, 0x115F, 0x1160, 0x180E, 0x200B, 0x200C, 0x200D, *range(0x2060, 0x2065), 0x2800, 0x3164, 0xFEFF, 0xFFA0, 0x2028, 0x2029)
_UNSEEN = ("Zs", "Zl", "Zp", "Cf", "Cn", "Co", "Cs")  # categories of characters without a look of their own
_SELECTORS = (0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000))


class Icons(NamedTuple):
    """The signs of one alphabet."""

    action: str
    good: str
    bad: str
    bar: str
    dots: str
    middle: str
    rule: str
    frames: str


# Each set can be written in the encodings that lack the one before: any Unicode, GBK, ASCII.
_ICON_SETS = (
    Icons("▸", "✓", "✗", "│", "…", "·", "──", "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"),
    Icons("→", "√", "×", "│", "…", "·", "──", "|/-\\"),
    Icons(">", "ok", "x", "|", "...", "-", "--", "|/-\\"),
)


class Stream:
    """One output stream with what is known about it."""

    def __init__(self, stream: Any, colour: str = "auto", environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self.stream = stream
        self.error: OSError | None = None
        self._left = False  # its reader has gone away
        self.tty = is_terminal(stream)
        self.dumb = environ.get("TERM", "") == "dumb"
        self.colour = wants_colour(colour, self.tty, environ)
        self.icons = icons_for(getattr(stream, "encoding", None))

    def write(self, text: str) -> None:
        """Write and flush. A reader that has gone away is no error; what else prevents writing is kept in `error`."""
        if self.stream is None:
            if not self._left:
                self.error = self.error or OSError(errno.EBADF, os.strerror(errno.EBADF))
            return
        try:
            self.stream.write(text)
            self.stream.flush()
        except ValueError:  # closed
            self.stream = None
            self.error = OSError(errno.EBADF, os.strerror(errno.EBADF))
        except OSError as error:
            self._left = isinstance(error, BrokenPipeError)
            self.error = None if self._left else error
            throw_away(self.stream)
            self.stream = None

    def size(self) -> tuple[int, int]:
        """Columns and rows of the terminal behind this very stream; 80 and 24 where they are unknown."""
        import shutil

        try:
            found = os.get_terminal_size(self.stream.fileno())
            if found.columns > 0 and found.lines > 0:
                return found.columns, found.lines
        except (OSError, ValueError, AttributeError):
            pass
        return tuple(shutil.get_terminal_size((80, 24)))  # type: ignore[return-value]

    def paint(self, text: str, *styles: str) -> str:
        """The text in the named styles, or as it is where the stream shows no colour."""
        if not self.colour or not styles or not text:
            return text
        return f"\x1b[{';'.join(STYLES[style] for style in styles)}m{text}\x1b[0m"


def throw_away(stream: Any) -> None:
    """Let what the stream still holds go nowhere, or the interpreter would fail on it when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):
        return


def is_terminal(stream: Any) -> bool:
    """Whether a person sits at this stream."""
    try:
        return bool(stream is not None and stream.isatty())
    except ValueError:  # closed
        return False


def wants_colour(choice: str, tty: bool, environ: Mapping[str, str]) -> bool:
    """--color, then NO_COLOR, then FORCE_COLOR or CLICOLOR_FORCE, then whether it is a terminal that is not dumb."""
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return tty and environ.get("TERM", "") != "dumb"


def icons_for(encoding: str | None) -> Icons:
    """The best set of signs that an encoding can write."""
    for icons in _ICON_SETS:
        try:
            "".join(icons).encode(encoding or "ascii")
        except (UnicodeEncodeError, LookupError):
            continue
        return icons
    return _ICON_SETS[-1]


def prepare_streams() -> None:
    """Make stdout and stderr never fail on a character: UTF-8 where nobody asked for another encoding and it is no console."""
    for stream in (sys.stdout, sys.stderr):
        if not hasattr(stream, "reconfigure"):
            continue
        if is_terminal(stream) or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="replace")
        else:
            stream.reconfigure(encoding="utf-8", errors="replace")
    if sys.platform == "win32":
        _prepare_windows_console()


def _prepare_windows_console() -> None:
    try:
        import colorama
    except ImportError:
        return
    colorama.just_fix_windows_console()


def visible(text: str, exact: bool = False) -> str:
    """Text that is safe to print: colour codes dropped, other control characters spelled out as \\xNN or \\uNNNN.

    Line breaks and tabs stay. With `exact` nothing is dropped and everything that a reader could not see is spelled out
    as well: for a command that a person is asked to approve.
    """
    if exact:
        return "".join(map(_exact, text)) if any(_exact(character) != character for character in set(text) - {"\\"}) else text
    if "\x1b" in text:
        text = _COLOUR_CODE.sub("", text)
    text = text.replace("\r\n", "\n")
    return text.translate(_VISIBLE)


def _spelled(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@functools.lru_cache(4096)
def _exact(character: str) -> str:
    """The character, or how it is spelled where a reader could not see it or not tell it from another."""
    code = ord(character)
    if character == "\\":
        return "\\\\"
    if code in _EXACT:
        return _EXACT[code]
    if code < 0x80:
        return character
    import unicodedata

    return _spelled(code) if unicodedata.category(character) in _UNSEEN else character


def drawn(text: str) -> str:
    """What a library has drawn, with its colour codes, safe to print: an entity such as &#x202e; passed visible() as plain letters."""
    return "".join(part if part.startswith("\x1b[") else part.translate(_DRAWN) for part in re.split(f"({_COLOUR_CODE.pattern})", text))


_CONTROL = (*range(0x20), *range(0x7F, 0xA0))
_VISIBLE = {code: _spelled(code) for code in (*_CONTROL, *_BIDI[3:]) if code not in (0x09, 0x0A)}
_DRAWN = {**_VISIBLE, **{code: _spelled(code) for code in (0x00AD, 0x180E, 0x200B, 0x2028, 0x2029, *range(0x2060, 0x2065), 0xFEFF)}}
_EXACT = {code: _spelled(code) for code in (*_CONTROL, *_BIDI, *_INVISIBLE, *_SELECTORS, 0x23CE, 0x2420) if code != 0x0A}


def width(text: str) -> int:
    """How many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def clip(text: str, columns: int, dots: str = "…") -> str:
    """The text cut to so many columns, with `dots` where something is missing."""
    if width(text) <= columns:
        return text
    kept = ""
    used = width(dots)
    for character in text:
        used += width(character)
        if used > columns:
            break
        kept += character
    return kept + dots
