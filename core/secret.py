"""Keeps the API key out of everything that is shown, kept or logged, also where it comes back spelt in another way.

Endpoints escape it, URLs quote it, a cut leaves its beginning: every reader of foreign text hides it by this one module.
"""
from __future__ import annotations

import functools
import re

SHORTEST = 8   # a shorter "key", such as the "local" that local servers want, is a word of ordinary messages
IN_EVENTS = "[hidden]"
IN_REPLIES = "(API_KEY)"  # no shell takes it for a pattern: a command that held the key fails instead of meaning other files
_LOOSE = 12    # a shorter key with blanks inside is found in ordinary text
_SURE = 24     # a key of this length is no placeholder, even if it holds no digit
_TAIL = 4096

_ESCAPED = re.compile(r'\\u00([0-9a-fA-F]{2})|%([0-9a-fA-F]{2})|\\([nrtbf])|\\(["/\\])')
_BETWEEN = r"(?:\s|\\[nrtbf]|\\u00(?:0[9aAdD]|20)|%(?:0[9aAdD]|20))*"
_LOOKS_LIKE_ONE = re.compile(r"\b((?:sk|gsk|xai|pk|key)-)[\w-]{6,}|(Bearer )\S+", re.I)


def hide_key(text: str, key: str) -> str:
    """`text` of an error or a log without the key and without anything that looks like one."""
    text = _hidden(text, key.strip(), "***")
    return _LOOKS_LIKE_ONE.sub(lambda found: (found[1] or found[2]) + "***", text)


def hide_in_reply(text: str, key: str) -> str:
    """The words of a model without the key. A placeholder such as "lm-studio" is left: it may be the name of a file."""
    return _hidden(text, key.strip(), IN_REPLIES) if _is_secret(key.strip()) else text


def hide_in_event(text: str, key: str) -> str:
    """A text that is kept or handed to a surface without the key, in whatever spelling."""
    return _hidden(text, key.strip(), IN_EVENTS)


class KeyFilter:
    """Passes on text that is shown while it arrives, without the key. What may be the beginning of the key waits for what follows.

    Where the field changes in the middle of the key, the piece before the change has been shown if it is shorter than SHORTEST.
    """

    def __init__(self, key: str) -> None:
        self._key = key.strip() if _is_secret(key.strip()) else ""
        self._field = ""
        self._held = ""
        self._seen = 0  # how much of what is held was shown when its field was left
        self._left: dict[str, str] = {}

    def feed(self, field: str, text: str) -> list[tuple[str, str]]:
        """What may be shown now, as (field, text)."""
        if not self._key:
            return [(field, text)]
        out = []
        if field != self._field:
            out = self.flush()
            self._field, self._held = field, self._left.pop(field, "")
            self._seen = len(self._held)
        joined = self._held + text
        hidden = _without(joined, self._key, IN_REPLIES)
        start = unfinished(hidden, self._key) if len(self._held) < _TAIL else len(hidden)
        seen = self._seen if hidden == joined else 0
        shown, self._held, self._seen = hidden[min(seen, start):start], hidden[start:], max(0, seen - start)
        return out + [(field, shown)] if shown else out

    def flush(self) -> list[tuple[str, str]]:
        """What is still held, once nothing follows."""
        rest, held = self._held[self._seen:], self._held
        self._held, self._seen = "", 0
        if not rest:
            return []
        self._left[self._field] = held
        return [(self._field, rest if len(held) < SHORTEST else IN_REPLIES)]


def unfinished(text: str, key: str) -> int:
    """Where the end of `text` begins to be the beginning of the key; the length of `text` where it does not."""
    tail = text[-_TAIL:]
    compact = "".join(tail.split())
    longest = 0
    for spelling in _spellings(key):
        place = compact.find(spelling[0], max(0, len(compact) - len(spelling) + 1))
        while place >= 0 and not spelling.startswith(compact[place:]):
            place = compact.find(spelling[0], place + 1)
        longest = max(longest, len(compact) - place if place >= 0 else 0)
    start = len(text)
    while longest:
        start -= 1
        longest -= not text[start].isspace()
    return start


def _is_secret(key: str) -> bool:
    return len(key) >= _SURE or len(key) >= SHORTEST and any(character.isdigit() for character in key)


def _hidden(text: str, key: str, mask: str) -> str:
    """Without the key, and without a beginning of it that a cut left at the end."""
    if len(key) < SHORTEST or not text:
        return text
    text = _without(text, key, mask)
    start = unfinished(text, key)
    return text[:start] + mask if len(text) - start >= SHORTEST else text


def _without(text: str, key: str, mask: str) -> str:
    if len(key) < _LOOSE:
        return text.replace(key, mask)
    return _pattern(key).sub(mask, text) if key in _plain(text) else text


def _plain(text: str) -> str:
    """`text` with escapes decoded and blanks left out: looking in it is much cheaper than a pattern of every spelling."""
    if "\\" in text or "%" in text:
        text = _ESCAPED.sub(_decoded, text)
    return "".join(text.split())


def _decoded(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else "" if found[3] else found[4]


@functools.lru_cache(maxsize=4)
def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(_BETWEEN.join(_character(character) for character in key))


def _character(character: str) -> str:
    """One character of the key: itself, quoted for a URL, or escaped in JSON."""
    code = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{ord(character) & 0xFF:02x}")
    return rf"(?:{re.escape(character)}|%{code}|\\u00{code}|\\{re.escape(character)})"


@functools.lru_cache(maxsize=4)
def _spellings(key: str) -> tuple[str, ...]:
    """The key as it stands and as URLs quote it."""
    quoted = {key}
    for safe in ("-_.~/", "-_.~"):
        for form in ("%{:02X}", "%{:02x}"):
            quoted.add("".join(one if one.isalnum() or one in safe else form.format(ord(one)) for one in key))
    return tuple(quoted)
