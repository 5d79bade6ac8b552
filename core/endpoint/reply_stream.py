"""Reads a reply while it streams: shows the words of `thought` and `answer`, and says when the rest is not worth waiting for.

Display only. What is done is always decided by the parser, from the whole text.
"""
from __future__ import annotations

import json
import re

Delta = tuple[str, str]

BLANK_LIMIT = 400
TAIL_BLANK_LIMIT = 256
REPEAT_SPAN = 4000
REPEAT_PERIOD = 200
_PIECE = 1000  # what is looked at once, so that endless repetition is left near its beginning also where much of it comes at once

_SHOWN = {"thought": "thought", "answer": "answer", "final_answer": "answer"}
_ACTION_KEYS = frozenset({"action"})
_STRING_PART = re.compile(r'[^"\\]+')
_TOKEN = re.compile(r'["{}\[\]:,]')
_LITERAL = re.compile(r"[\s\w.+-]*\Z")
_CANDIDATE = re.compile(r'\{\s*(?:["\'“”}]|[^\W\d][\w-]*["\']?\s*[:：])')
_UNDECIDED = re.compile(r"\{\s{0,400}(?:[^\W\d][\w-]{0,60}[\"']?\s{0,9})?\Z")
_NOISE = re.compile(r"\ufeff?\s*(?:`{3,}\w*|~{3,}\w*)?\s*\Z")
_THINK = re.compile(r"\ufeff?\s*(?:<(think|thinking|reasoning)>|◁think▷)")
_THINK_END = re.compile(r"</(?:think|thinking|reasoning)>|◁/think▷")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", '"': '"', "\\": "\\"}
_LONGEST_TAG = 16
_BLANKS = re.compile(rf"\s{{{BLANK_LIMIT}}}")
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")

_OUTSIDE, _BODY, _STRING, _AFTER = range(4)
_pairs_of = json.JSONDecoder(object_pairs_hook=list).decode


class ReplyReader:
    """Fed with the pieces of one reply in order.

    `stop` becomes "complete" (an object with an action is closed and something that cannot belong to it follows), "blanks" (endless
    whitespace) or "runaway" (one block repeated without end); `end` is then how many characters of the reply are worth keeping.
    """

    def __init__(self) -> None:
        self.stop: str | None = None
        self.end = 0
        self.complete = False  # an object with an action is closed
        self._fed = 0
        self._state = _OUTSIDE
        self._held = ""        # undecided text outside; an unfinished escape inside
        self._depth = 0
        self._blanks = 0
        self._thinking = False
        self._prose = False
        self._last = ""        # the token before, a quote for a whole string
        self._clean = True     # only fences and reasoning before the object, and nothing irregular in it
        self._field = "other"
        self._key = ""
        self._is_key = False
        self._expect_key = False
        self._has_action = False
        self._pieces: list[str] = []
        self._tail = ""
        self._length = 0
        self._out: list[Delta] = []

    @property
    def settled(self) -> bool:
        """Whether the reply may be left as soon as nothing more arrives: a clean object with an action is closed."""
        return self.complete and self._clean

    def feed(self, text: str) -> list[Delta]:
        """What to show now: (field, text), the fields being thought, answer and other (raw text of any other string)."""
        if not self._fed and text[:1] == "{" and text[-1:] == "}" and (deltas := self._whole(text)) is not None:
            return deltas
        if self._state == _STRING and len(text) <= _PIECE and not self._held and not self._is_key and '"' not in text and "\\" not in text:
            self._fed += len(text)
            self._watch(text)
            return [(self._field, text)] if text else []
        self._out = []
        for start in range(0, len(text), _PIECE):
            if self.stop is None:
                self._scan(text[start:start + _PIECE])
        return self._out

    def _scan(self, text: str) -> None:
        start = self._fed - len(self._held)
        self._fed += len(text)
        text, self._held = self._held + text, ""
        position = 0
        while position < len(text) and self.stop is None:
            position = _STEPS[self._state](self, text, position, start)

    def _whole(self, text: str) -> list[Delta] | None:
        """The same for a reply that is all there at once: a short, flat object. None for any other, which is scanned."""
        if len(text) >= REPEAT_SPAN or "\\u" in text or _BLANKS.search(text):
            return None
        try:
            pairs = _pairs_of(text)
        except (ValueError, RecursionError):
            return None
        deltas: list[Delta] = []
        acts = False
        for key, value in pairs:
            name = key.strip().lower()
            acts = acts or name in _ACTION_KEYS
            if isinstance(value, list):
                return None
            if isinstance(value, str) and value:
                field = _SHOWN.get(name, "other")
                if deltas and deltas[-1][0] == field:
                    value = deltas.pop()[1] + value
                deltas.append((field, value))
        self._fed, self._has_action = len(text), acts
        self._close_object(len(text))
        return deltas

    def _outside(self, text: str, position: int, start: int) -> int:
        """Hold everything back until an object starts; text before it that is no noise makes the reply unclean."""
        rest = text[position:]
        if self._thinking:
            found = _THINK_END.search(rest)
            if found is None:
                return self._hold(rest, rest[-_LONGEST_TAG:], start + position)
            self._thinking = False
            return position + found.end()
        if not self._prose and (opened := _THINK.match(rest)):
            self._thinking = True
            return position + opened.end()
        brace = rest.find("{")
        while brace >= 0 and not _CANDIDATE.match(rest, brace):
            if _UNDECIDED.match(rest, brace):
                return self._hold(rest, rest[brace:] if self._is_prose(rest[:brace]) else rest, start + position)
            brace = rest.find("{", brace + 1)
        if brace < 0:
            known = len(rest) > _LONGEST_TAG and self._is_prose(rest)
            return self._hold(rest, rest[len(rest.rstrip()):] if known else rest, start + position)
        self._clean = self._clean and not self._is_prose(rest[:brace])
        self._state, self._depth, self._expect_key, self._blanks, self._last = _BODY, 1, True, 0, "{"
        self._key, self._has_action = "", False
        return position + brace + 1

    def _is_prose(self, text: str) -> bool:
        self._prose = self._prose or not _NOISE.match(text)
        return self._prose

    def _hold(self, rest: str, keep: str, offset: int) -> int:
        blanks = len(rest) - len(rest.rstrip())
        if blanks >= BLANK_LIMIT:
            self._stop("blanks", offset + len(rest) - blanks)
        elif self._prose or self._thinking:
            self._watch(rest[:len(rest) - len(keep)])
        self._held = keep
        return len(rest) + offset

    def _body(self, text: str, position: int, start: int) -> int:
        found = _TOKEN.search(text, position)
        end = found.start() if found else len(text)
        between = text[position:end]
        if between:
            self._between(between, start + position)
        if found is None:
            return end
        self._blanks = 0
        token = found.group()
        if token == '"':
            self._open_string()
            return end + 1
        self._last = token
        match token:
            case "{" | "[":
                self._depth += 1
            case "}" | "]":
                self._depth -= 1
                if self._depth == 0:
                    self._close_object(start + end + 1)
            case ",":
                if self._depth == 1:
                    self._expect_key, self._key = True, ""
            case ":":
                self._expect_key = False
        return end + 1

    def _between(self, between: str, offset: int) -> None:
        if between.isspace():
            self._blanks += len(between)
        else:
            # Other quotes, comments, bare keys: the parser may accept them, this scanner cannot follow them.
            self._clean = self._clean and bool(_LITERAL.match(between)) and self._last in (":", ",", "[") and not self._expect_key
            self._blanks = len(between) - len(between.rstrip())
        if self._blanks >= BLANK_LIMIT:
            self._stop("blanks", offset + len(between) - self._blanks)

    def _open_string(self) -> None:
        self._state = _STRING
        self._clean = self._clean and self._last in ("{", "[", ":", ",")
        self._last = '"'
        self._is_key = self._depth == 1 and self._expect_key
        if self._is_key:
            self._key = ""
        self._field = _SHOWN.get(self._key, "other") if self._depth == 1 and not self._is_key else "other"
        self._pieces, self._tail, self._length = [], "", 0

    def _string(self, text: str, position: int, start: int) -> int:
        plain = _STRING_PART.match(text, position)
        if plain:
            self._emit(plain.group())
            return plain.end()
        if text[position] == '"':
            self._state, self._blanks = _BODY, 0
            if self._is_key:
                self._key = self._key.strip().lower()
                self._has_action = self._has_action or self._key in _ACTION_KEYS
                self._is_key = self._expect_key = False
            return position + 1
        decoded, end = _escape(text, position)
        if end < 0:
            self._held = text[position:]
            return len(text)
        self._emit(decoded)
        return end

    def _emit(self, text: str) -> None:
        if self._is_key:
            self._key = (self._key + text)[:100]
            return
        self._watch(text)
        if self._out and self._out[-1][0] == self._field:
            text = self._out.pop()[1] + text
        self._out.append((self._field, text))

    def _watch(self, text: str) -> None:
        """Notice a string that only repeats itself."""
        self._pieces.append(text)
        self._length += len(text)
        if self._length < REPEAT_SPAN:
            return
        self._tail = (self._tail + "".join(self._pieces))[-REPEAT_SPAN:]
        self._pieces, self._length = [], REPEAT_SPAN // 2
        block = self._tail[-REPEAT_PERIOD:]
        earlier = self._tail.rfind(block, 0, -1)
        period = len(self._tail) - REPEAT_PERIOD - earlier
        if len(self._tail) == REPEAT_SPAN and 0 < period <= REPEAT_PERIOD and self._tail[period:] == self._tail[:-period]:
            self._stop("runaway", self._fed)

    def _close_object(self, end: int) -> None:
        self._blanks = 0
        if self._has_action:
            self._state, self.complete = _AFTER, True
            self.end = end
        else:
            self._state, self._clean = _OUTSIDE, False

    def _after(self, text: str, position: int, start: int) -> int:
        """Behind the object: fences and blanks may follow; what looks like a leftover of it or ends a reasoning block needs the whole text."""
        rest = text[position:]
        body = rest.lstrip()
        if not self._clean:
            self._blanks = len(rest) - len(rest.rstrip()) if body else self._blanks + len(rest)
            self._watch(rest)
            if self._blanks >= BLANK_LIMIT:
                self._stop("blanks", max(self.end, start + len(text) - self._blanks))
            return len(text)
        self._blanks += len(rest) - len(body)
        if self._blanks >= TAIL_BLANK_LIMIT:
            self._stop("complete", self.end)
        elif body:
            return self._after_word(text, len(text) - len(body), start)
        return len(text)

    def _after_word(self, text: str, position: int, start: int) -> int:
        if text[position] in "`~":
            end = position
            while end < len(text) and text[end] in "`~":
                end += 1
            self.end = start + end
            return end
        rest = text[position:]
        if rest[0] in "<◁" and len(rest) < 12 and ">" not in rest and "▷" not in rest:
            self._held = rest
            return len(text)
        if rest[0] in '",}]:\'' or _THINK_END.match(rest):
            self._clean = False
            return position
        self._stop("complete", self.end)
        return len(text)

    def _stop(self, why: str, end: int) -> None:
        self.stop, self.end = why, end


_STEPS = {_OUTSIDE: ReplyReader._outside, _BODY: ReplyReader._body, _STRING: ReplyReader._string, _AFTER: ReplyReader._after}


def _escape(text: str, position: int) -> tuple[str, int]:
    """(what the escape at `position` means, the place behind it); place -1 while it is not all there. A lone surrogate becomes U+FFFD."""
    letter = text[position + 1:position + 2]
    if letter == "u":
        return _unicode_escape(text, position)
    return (_ESCAPES.get(letter, letter), position + 2) if letter else ("", -1)


def _unicode_escape(text: str, position: int) -> tuple[str, int]:
    if len(text) < position + 6:
        return "", -1
    code = _hex(text, position + 2)
    if code is None:
        return "u", position + 2
    if not 0xD800 <= code < 0xDC00:
        return "\ufffd" if 0xDC00 <= code < 0xE000 else chr(code), position + 6
    second = text[position + 6:position + 8]
    if len(text) < position + 12 and "\\u".startswith(second):
        return "", -1
    low = _hex(text, position + 8) if second == "\\u" else None
    if low is None or not 0xDC00 <= low < 0xE000:
        return "\ufffd", position + 6
    return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), position + 12


def _hex(text: str, position: int) -> int | None:
    found = _HEX4.match(text, position)
    return int(found.group(), 16) if found else None
