"""Reads one JSON value the way models write it, and stops at the first thing that would have to be guessed.

Allowed outside strings: comments, trailing and doubled commas, full-width braces, colons and commas, bare keys, single and
curly quotes, Python constants, any kind of blank. Inside strings: raw line breaks and tabs. Everything else is damage.
"""
from __future__ import annotations

import re
from typing import Any

from core.reading.strict_json import DEEPEST, BadEscape, Damage, Number, Pairs

_BLANK = re.compile(r"[\s\ufeff\u200b-\u200f\u2060]*")
_COMMENT = re.compile(r"//|/\*|#")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_CONSTANT = re.compile(r"(true|false|null|True|False|None)(?!\w)")
_BARE_KEY = re.compile(r"[^\W\d][\w-]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
# Unrolled, so that a missing closing quote costs one pass and not a power of two.
_STRINGS = {
    '"': (re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL), '"'),
    "'": (re.compile(r"[^'\\]*(?:\\.[^'\\]*)*", re.DOTALL), "'"),
    "“": (re.compile(r'[^“”"\\]*(?:\\.[^“”"\\]*)*', re.DOTALL), "”"),
    "‘": (re.compile(r'[^‘’“”"\\]*(?:\\.[^‘’“”"\\]*)*', re.DOTALL), "’"),
}
_OPEN, _CLOSE, _COLON, _COMMA, _QUOTES = "{｛", "}｝", ":：", ",，", "\"'“‘"


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def starts_object(text: str, brace: int) -> bool:
    """Whether the brace at `brace` begins an object, be it a damaged one: a key follows, and no comma as in a set."""
    reader = Reader(text)
    try:
        start = reader.skip(brace + 1, comments=8)
        if start < len(text) and text[start] in _QUOTES:
            body, close = _STRINGS[text[start]]
            end = _end(body, text, start + 1)
            if text[end : end + 1] != close:
                return True
            after = reader.skip(end + 1, comments=8)
            return text[after : after + 1] not in (",", "}", "，", "｝")
        bare = _BARE_KEY.match(text, start)
        after = reader.skip(bare.end(), comments=8) if bare else len(text)
    except Damage:
        return True
    return text[after : after + 1] in (":", "：")


class Reader:
    """Reads values of one text; `value(start)` gives (value, end) or raises Damage."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, at: int, depth: int = 0) -> tuple[Any, int]:
        """The value that begins at `at` (blanks and comments skipped)."""
        if depth > DEEPEST:
            raise Damage("too_deep", at, f"the JSON is nested more than {DEEPEST} levels deep")
        at = self.skip(at)
        char = self._char(at)
        if char in _QUOTES:
            return self.string(at)
        if char in _OPEN:
            return self._object(at, depth)
        if char == "[":
            return self._array(at, depth)
        if number := _NUMBER.match(self.text, at):
            return Number(number.group()), number.end()
        if constant := _CONSTANT.match(self.text, at):
            return _CONSTANTS[constant.group(1)], constant.end()
        raise Damage("broken_json", at, "a value is not in double quotes")

    def string(self, at: int) -> tuple[str, int]:
        """The string that begins with the quote at `at`."""
        body, close = _STRINGS[self.text[at]]
        end = _end(body, self.text, at + 1)
        if self._char(end) == "\\":
            raise Damage("cut_off", end, "the reply ends inside a string")
        if self.text[end] != close:
            raise Damage("broken_json", end, "a quote inside a curly-quoted string")
        return self._unescape(at + 1, end, close), end + 1

    def skip(self, at: int, comments: int = 1_000_000) -> int:
        """The offset after blanks and at most `comments` comments."""
        text = self.text
        while True:
            at = _end(_BLANK, text, at)
            comment = _COMMENT.match(text, at)
            if not comment or comments == 0:
                return at
            comments -= 1
            at = self._comment_end(at, comment.group())

    def _comment_end(self, at: int, mark: str) -> int:
        if mark == "/*":
            end = self.text.find("*/", at + 2, at + 4000)
            if end < 0:
                raise Damage("cut_off", at, "a comment is not closed")
            return end + 2
        end = self.text.find("\n", at, at + 4000)
        if end < 0:
            raise Damage("cut_off", at, "a comment runs to the end")
        return end

    def _char(self, at: int) -> str:
        if at >= len(self.text):
            raise Damage("cut_off", at, "the reply ends before its JSON object is closed")
        return self.text[at]

    def _unescape(self, start: int, end: int, close: str) -> str:
        raw = self.text[start:end]
        if "\\" not in raw:
            return raw
        bad: list[int] = []

        def one(match: re.Match[str]) -> str:
            code = match.group(1)
            if len(code) == 5:
                return chr(int(code[1:], 16))
            if code in _ESCAPES:
                return _ESCAPES[code]
            if code == "'" == close:
                return code
            bad.append(match.start())
            return code if code == "'" else match.group()

        text = _ESCAPE.sub(one, raw)
        if not bad:
            return text
        marked = BadEscape(text)
        marked.position = start + bad[0]
        return marked

    def _object(self, at: int, depth: int) -> tuple[Pairs, int]:
        pairs = Pairs()
        at = self.skip(at + 1)
        while self._char(at) not in _CLOSE:
            key, at = self._key(at)
            at = self.skip(at)
            if self._char(at) not in _COLON:
                raise Damage("broken_json", at, f"no colon after the key {str(key)[:40]!r}")
            value, at = self.value(at + 1, depth + 1)
            pairs.append((key, value))
            at = self._separator(at, _CLOSE)
        return pairs, at + 1

    def _array(self, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        at = self.skip(at + 1)
        while self._char(at) != "]":
            item, at = self.value(at, depth + 1)
            items.append(item)
            at = self._separator(at, "]")
        return items, at + 1

    def _key(self, at: int) -> tuple[str, int]:
        if self._char(at) in _QUOTES:
            return self.string(at)
        bare = _BARE_KEY.match(self.text, at)
        if not bare:
            raise Damage("broken_json", at, "a key is not in double quotes")
        return bare.group(), bare.end()

    def _separator(self, at: int, closers: str) -> int:
        """The offset of the next member or of the closing bracket. A value that something else follows was not quoted well."""
        after = self.skip(at)
        char = self._char(after)
        if char in closers:
            return after
        if char not in _COMMA:
            raise Damage("broken_json", after, self._misfit(at, after, char))
        while self._char(after) in _COMMA:
            after = self.skip(after + 1)
        return after

    def _misfit(self, end: int, after: int, char: str) -> str:
        """What is wrong where `char` stands instead of a comma, after a value that ended at `end`."""
        if char in _QUOTES and after > end:
            return "a comma is missing"
        if self.text[end - 1] in "\"'”’" and (char.isalnum() or char in _QUOTES or char in "\\”’"):
            return 'a " inside a string is not escaped'
        return f"{char!r} stands where a comma or a closing bracket belongs"
