"""Finds the one object of a reply that decides, among prose, fences, reasoning, channels and invented turns.

Text inside an object is data and is never looked at here; a damaged or unclosed object ends the search.
"""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from core.reading.lenient_json import Reader, starts_object
from core.reading.shapes import Found, Refused, interpret, lone_thought
from core.reading.strict_json import DEEPEST, Damage, read_strict, read_text
from core.reading.surroundings import ends_like_a_lost_string, is_mentioned, is_prose

_REASONING = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad|(?:seed|ant\w*):think(?:ing)?)"
_OPENING = rf"<{_REASONING}(?:\s[^<>]{{0,80}})?>|◁think▷|\[THINK\]|<\|(?:begin_of_thought|think)\|>"
_CLOSING = rf"</{_REASONING}\s*>|◁/think▷|\[/THINK\]|<\|(?:end_of_thought|/think)\|>"
_CHANNEL = r"<\|channel\|>\s*(?P<name>\w*)[^{}\n]{0,80}?<\|message\|>|<\|channel\|>|assistant(?P<word>final|analysis|commentary)"
_TURN = (
    r"\[/?(?:SYSTEM[ _])?OBSERVATION\]|</?(?:observation|tool_re(?:sponse|sult)|tool_output|function_re(?:sponse|sult))s?\b[^<>]{0,80}>"
    r"|^[ \t>*#]*(?:observation|tool (?:result|output|response)|观察(?:结果)?|工具(?:结果|输出|返回)|user|human|用户)\**[ \t]*[:：]"
    r"|<\|im_start\|>\s*(?:user|tool|system)|<\|start_header_id\|>\s*(?:user|tool|system|ipython)|<\|(?:user|tool|system|observation)\|>"
    r"|<\|start\|>\s*(?:user|tool|system|functions)|\[INST\]|<start_of_turn>\s*user"
)
_TOKEN = re.compile(
    rf"(?P<open>{_OPENING})|(?P<close>{_CLOSING})|(?P<channel>{_CHANNEL})|(?P<turn>{_TURN})"
    r"|(?P<encoded>\"\s*[\[{]\s*\\+\")|(?P<escaped>[{｛]\s*\\+[\"'])|(?P<brace>[{｛])|(?P<unbrace>[}｝])|(?P<bracket>\[)|(?P<unbracket>\])",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSE_TAG = re.compile(_CLOSING, re.IGNORECASE)
_FINAL = re.compile(r"<\|channel\|>\s*final\b[^{}\n]{0,80}?<\|message\|>|assistantfinal", re.IGNORECASE)
_BARE_CHANNEL = re.compile(r"\s*(?:assistant\s*)?(?:analysis|commentary)")
_LETTER = re.compile(r"[^\W\d_]")
_FIELDS = r"(?:thought|action|actions|skill|args|path|content|command|cwd|answer|name|arguments|parameters|tool|function|output|response|result)"
_OPENING_LOST = re.compile(rf"[\"'“]{_FIELDS}[\"'”]\s*[:：]", re.IGNORECASE)
_CLOSED_EARLY = re.compile(rf"\s*(?:[,，]\s*(?:[\"'“][^\"'“”\n]{{1,40}}[\"'”]|{_FIELDS})|[\"'“]{_FIELDS}[\"'”])\s*[:：]", re.IGNORECASE)
_CLOSERS = re.compile(r"(?:\s*[}｝])*")
_MOST_OBJECTS = 100


@dataclass(frozen=True)
class Hit:
    """The object that decides: what it asks for, or why it may not be done, and where it stands."""

    start: int
    end: int
    standard: bool
    found: Found | None
    error: Refused | None = None
    prose: bool = False
    braces: int = 0
    brackets: int = 0


def scan(text: str) -> Hit:
    """The object of `text` that decides, with an action that may be taken. Raises Refused or Damage."""
    return _Scan(text).run()


class _Scan:
    """One pass over the text outside objects. `base` is where the text begins that is no reasoning."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.final = False
        self.channelled = False
        self.steps: dict[str, Callable[[re.Match[str]], bool]] = {
            "open": self._open, "close": self._close, "channel": self._channel, "turn": self._turn, "encoded": self._encoded,
            "escaped": self._escaped, "brace": self._brace, "unbrace": self._unbrace, "bracket": self._bracket, "unbracket": self._unbracket,
        }  # fmt: skip
        self._restart(0)

    def _restart(self, base: int) -> None:
        """Everything before `base` was reasoning."""
        self.at = self.gap = self.base = base
        self.prose = self.before = ""
        self.hit: Hit | None = None
        self.lent: str | None = None
        self.objects = 0
        self.braces: list[int] = []
        self.brackets: list[int] = []
        self.invented = self.thinking = self.broken_off = False

    def run(self) -> Hit:
        if _BARE_CHANNEL.match(self.text):
            self._to_final(0)
        while match := _TOKEN.search(self.text, self.at):
            self.at = match.end()
            if self.steps[match.lastgroup or ""](match):
                break
        if self.hit is None:
            raise self._nothing()
        if self.channelled and not self.final:
            raise Refused("only_reasoning", "there is no final channel")
        if not (self.hit.error or self.invented or self.broken_off) and ends_like_a_lost_string(self.text[self.gap :]):
            self._refuse("broken_json", "a quote and a brace follow the object: a quote in it was not escaped")
        if self.hit.error:
            raise self.hit.error
        return self.hit

    def _nothing(self) -> Refused:
        if self.thinking:
            return Refused("only_reasoning", "the thinking was not closed")
        if self.base and not self.objects:
            return Refused("only_reasoning", "there is no JSON object after the reasoning")
        if self.objects:
            return Refused("no_action", "no object of the reply has an action")
        return Refused("no_object", "the reply holds no JSON object")

    # Reasoning and channels

    def _open(self, match: re.Match[str]) -> bool:
        leading = not (self.hit or self.thinking or is_prose(self.prose + self.text[self.gap : match.start()]))
        if leading:
            close = _CLOSE_TAG.search(self.text, match.end())
            if close is None:
                raise Refused("only_reasoning", "the thinking was not closed", match.start())
            self._restart(close.end())
            return False
        self.thinking = True
        return False

    def _close(self, match: re.Match[str]) -> bool:
        if self.hit and (self.thinking or self.invented):
            raise Refused("two_actions", "the reply goes on thinking after its action", match.start())
        self._restart(match.end())
        return False

    def _channel(self, match: re.Match[str]) -> bool:
        if self.final and self.hit:
            return True
        name = (match.group("name") or match.group("word") or "").lower()
        if match.group("word") and name != "final" and not self.channelled:
            return False
        self.channelled = True
        if name == "final":
            self.final = True
            self._restart(match.end())
        else:
            self._to_final(match.start())
        return False

    def _to_final(self, start: int) -> None:
        final = _FINAL.search(self.text, start)
        if final is None:
            raise Refused("only_reasoning", "there is no final channel", start)
        self.channelled = self.final = True
        self._restart(final.end())

    def _turn(self, match: re.Match[str]) -> bool:
        self.invented = True
        return False

    # Brackets and objects

    def _brace(self, match: re.Match[str]) -> bool:
        if starts_object(self.text, match.start()):
            return self._object(match.start())
        if len(self.braces) > DEEPEST:
            raise Damage("too_deep", match.start(), f"more than {DEEPEST} braces are open")
        self.braces.append(match.start())
        return False

    def _unbrace(self, match: re.Match[str]) -> bool:
        if self.braces:
            self.braces.pop()
            if self.hit and len(self.braces) < self.hit.braces:
                self._refuse("not_meant", "the object stands inside other braces")
        return False

    def _bracket(self, match: re.Match[str]) -> bool:
        inner = Reader(self.text).skip(match.end(), comments=0)
        if self.text[inner : inner + 1] in ("{", "｛") and starts_object(self.text, inner):
            return self._object(match.start())
        self.brackets.append(match.start())
        return False

    def _unbracket(self, match: re.Match[str]) -> bool:
        if self.brackets:
            self.brackets.pop()
            if self.hit and len(self.brackets) < self.hit.brackets:
                self._refuse("not_meant", "the object stands inside other brackets")
        elif self.hit and not self.text[self.gap : match.start()].strip():
            self._refuse("broken_json", "the opening bracket is missing")
        return False

    def _escaped(self, match: re.Match[str]) -> bool:
        return self._damaged(Damage("broken_json", match.start(), "the quotes of the object are escaped"), match.start())

    def _encoded(self, match: re.Match[str]) -> bool:
        """A JSON text written as a JSON string."""
        try:
            inner, end = Reader(self.text).string(match.start())
            value = read_text(inner)
        except Damage as error:
            return self._damaged(Damage(error.kind, match.start(), error.detail), match.start())
        return self._value(value, match.start(), end, standard=False)

    def _object(self, start: int) -> bool:
        try:
            read = read_strict(self.text, start)
            value, end = read or Reader(self.text).value(start)
        except Damage as error:
            return self._damaged(error, start)
        return self._value(value, start, end, standard=read is not None)

    def _damaged(self, error: Damage, start: int) -> bool:
        if self.hit is None:
            raise error
        if self.hit.prose or _CLOSE_TAG.search(self.text, self.at) or _FINAL.search(self.text, self.at):
            raise Refused("two_actions", "a second, damaged object follows the first", error.position)
        self.broken_off = not is_prose(self.text[self.gap : start].rsplit("\n", 1)[-1])
        return True

    def _value(self, value: Any, start: int, end: int, standard: bool) -> bool:
        self._pass_gap(start)
        self.at = self.gap = end
        try:
            found, error = interpret(value, self.lent or ""), None
        except Refused as refusal:
            found, error = None, refusal
        if found is None and error is None:
            self.lent = lone_thought(value)
            self.objects += 1
            if self.objects > _MOST_OBJECTS:
                raise Refused("no_action", "too many objects without an action", start)
        elif self.hit is None:
            error = error or self._misplaced(start, end, found)
            self.hit = Hit(start, end, standard, found, error, is_prose(self.prose), len(self.braces), len(self.brackets))
        elif self.hit.prose and not (found and self.hit.found and found.same_deed(self.hit.found)):
            self._refuse("two_actions", "the reply holds two different actions")
        return False

    def _pass_gap(self, start: int) -> None:
        self.before = self.text[self.gap : start]
        if is_prose(self.before):
            self.lent = None
            self.prose += self.before + "\n"

    def _refuse(self, kind: str, detail: str) -> None:
        if self.hit and not self.hit.error:
            self.hit = replace(self.hit, error=Refused(kind, detail, self.hit.start))

    # What stands around the object that decides

    def _misplaced(self, start: int, end: int, found: Found | None) -> Refused | None:
        """Why the object at `start` is not a reply of its own, judged by its surroundings; moves past its superfluous braces."""
        if self.invented:
            return Refused("invented_observation", "an observation that nobody sent stands before the action", start)
        if self.thinking:
            return Refused("only_reasoning", "the action stands inside unclosed thinking", start)
        if _OPENING_LOST.search(self.prose):
            return Refused("broken_json", "the opening brace is missing", start)
        return self._unbalanced(start, end) or self._quoted(start) or self._mentioned(start, found)

    def _unbalanced(self, start: int, end: int) -> Refused | None:
        doubled, left = 0, start
        while self.braces and not self.text[self.braces[-1] + 1 : left].strip():
            left = self.braces.pop()
            doubled += 1
        closers = _CLOSERS.match(self.text, end)
        self.at = self.gap = closers.end() if closers else end
        closing = self.text[end : self.at]
        surplus = closing.count("}") + closing.count("｝") - doubled
        if surplus < 0:
            return Refused("cut_off", "the outer braces are not closed", start)
        if surplus > 1 or (surplus and self.braces):
            return Refused("broken_json", "there are more closing braces than opening ones", end)
        if _CLOSED_EARLY.match(self.text, self.at):
            return Refused("broken_json", "the object was closed before its last field", end)
        for opener in (*self.braces[-1:], *self.brackets[-1:]):
            between = self.text[opener + 1 : start]
            if '"' in between or not _LETTER.search(between):
                return Refused("broken_json", "the object stands inside a damaged one", start)
        return None

    def _quoted(self, start: int) -> Refused | None:
        before, after = self.text[max(start - 1, 0) : start], self.text[self.at : self.at + 1]
        fence = self.text[self.at : self.at + 3] in ('"""', "'''")
        if after and after in "\"'" and not fence and (self.prose or before != after or after == '"'):
            return Refused("not_meant", "the object stands in quotes", start)
        return None

    def _mentioned(self, start: int, found: Found | None) -> Refused | None:
        """An object that a sentence speaks about, quotes, gives as an example or takes back is not meant."""
        action = found.action if found else ""
        if is_mentioned(self.before, self.text[self.at : self.at + 1500], action):
            return Refused("not_meant", "the object is only mentioned in a sentence, quoted or taken back", start)
        return None
