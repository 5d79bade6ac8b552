"""Cuts a request, or a phrase of commands.yaml, into tokens that can be compared: words, Chinese characters, numbers, marks."""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.phrases.numerals import CHINESE, chinese_number, english_number

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
HAS_CJK = re.compile(f"[{_CJK}]")
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)", re.ASCII)
_UNITS = re.compile("[十百千万亿]+")
_NUMERALS = re.compile(f"[{CHINESE}]+(?:点[{CHINESE}]+)?")
_WORD = re.compile(rf"(?:(?![{_CJK}])[^\W\d_])+(?:['’-](?:(?![{_CJK}])[^\W\d_])+)*")
_TOGETHER = ("一下", "一遍", "一起")
_COUNTING = frozenset(CHINESE + "负一")  # with these a number, or a word of _TOGETHER, may begin
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_PART = re.compile(r"\{(\w+)\}|<([^<>{}|]*(?:\|[^<>{}|]*)+)>")
_ORDINAL_ENDS = ("st", "nd", "rd", "th")


@dataclass(frozen=True)
class Token:
    """A piece of a text: `kind` is word, han (Chinese), number or mark; `text` is folded; `value` the digits of a number."""

    kind: str
    text: str
    start: int
    end: int
    value: str = ""
    after_gap: bool = False

    def same(self, other: Token) -> bool:
        """Whether both say the same."""
        return self.value == other.value if self.value and other.value else self.text == other.text


@dataclass(frozen=True)
class Slot:
    """A place in a phrase that a value fills. `where` is a pattern that the phrase adds, compared in lower case; `scale` a factor for a number."""

    name: str
    schema: Mapping[str, Any]
    where: str = ""
    scale: int = 1


@dataclass(frozen=True)
class Choice:
    """A place in a phrase, written <a|b|>, where one of several wordings stands; an empty one may be left out."""

    options: tuple[tuple[Token, ...], ...]


Piece = tuple[str, tuple[tuple[Token, ...], ...]]


def tidy(text: str) -> str:
    """NFKC with single blanks; raised digits become ^ and digits, other characters that would turn into a fraction stay."""
    if unicodedata.is_normalized("NFKC", text):
        return _SPACE.sub(" ", text).strip()
    text = _RAISED.sub(lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text)
    text = "".join(char if "\u2044" in (plain := unicodedata.normalize("NFKC", char)) else plain for char in text)
    return _SPACE.sub(" ", text).strip()


def tokenize(text: str) -> list[Token]:
    """The tokens of a tidy text; `start` and `end` are positions in it."""
    folded = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    tokens: list[Token] = []
    position = 0
    while position < len(folded):
        if folded[position] == " ":
            position += 1
            continue
        token = _next(folded, position, tokens)
        tokens.append(replace(token, after_gap=True) if position > 0 and folded[position - 1] == " " else token)
        position = token.end
    return _join_english(tokens)


def _next(text: str, position: int, before: Sequence[Token]) -> Token:
    if "\u4e00" <= text[position] <= "\u9fff" and text[position] not in _COUNTING:
        return Token("han", text[position], position, position + 1)
    for word in _TOGETHER:
        if text.startswith(word, position):
            return Token("han", word, position, position + len(word))
    number = _signed_number(text, position, before)
    if number is not None:
        return number
    word_match = _WORD.match(text, position)
    if word_match:
        ordinal = word_match[0] in _ORDINAL_ENDS and before and before[-1].value and before[-1].end == position
        return Token("word", "th" if ordinal else word_match[0].replace("’", "'"), position, word_match.end())
    return Token("han" if HAS_CJK.match(text[position]) else "mark", text[position], position, position + 1)


def _signed_number(text: str, position: int, before: Sequence[Token]) -> Token | None:
    sign = text[position] if text[position] in "-+负−" else ""
    if sign in ("-", "+", "−") and before and before[-1].end == position and before[-1].kind != "mark":
        return None
    start = position + len(sign)
    found = _unsigned(text, start) if start < len(text) else None
    if found is None:
        return None
    value, end = found
    return Token("number", text[position:end], position, end, ("-" if sign and sign != "+" else "") + value)


def _unsigned(text: str, start: int) -> tuple[str, int] | None:
    match = _NUMBER.match(text, start)
    if match:
        digits = match[0].replace(",", "")
        units = _UNITS.match(text, match.end())
        mixed = chinese_number(digits + units[0]) if units else None
        return (mixed, units.end()) if mixed is not None and units else (("0" if digits[0] == "." else "") + digits, match.end())
    run = _NUMERALS.match(text, start)
    for end in range(run.end(), start, -1) if run else ():
        value = chinese_number(text[start:end])
        if value is not None:
            return value, end
    return None


def _join_english(tokens: list[Token]) -> list[Token]:
    """Number words become one number token; an ordinal is a number and the word "th"."""
    if not any(token.kind == "word" for token in tokens):
        return tokens
    joined: list[Token] = []
    index = 0
    while index < len(tokens):
        end = index
        while end < len(tokens) and tokens[end].kind == "word" and end - index < 12:
            end += 1
        found = english_number([token.text for token in tokens[index:end]]) if end > index else None
        if found is None:
            joined.append(tokens[index])
            index += 1
            continue
        used, value, ordinal = found
        last = tokens[index + used - 1]
        joined.append(Token("number", str(value), tokens[index].start, last.end, str(value), tokens[index].after_gap))
        if ordinal:
            joined.append(Token("word", "th", last.end, last.end))
        index += used
    return joined


@lru_cache(maxsize=16384)
def pieces(phrase: str) -> tuple[Piece, ...]:
    """The parts of a phrase in order: (slot name, ()) or ("", its wordings), of which there is one where the phrase leaves no choice."""
    found: list[Piece] = []
    place = 0
    for part in (*_PART.finditer(phrase), None):
        literal = phrase[place:part.start() if part else None]
        if literal.strip():
            found.append(("", (tuple(_after_slot(tokenize(tidy(literal)), bool(found and found[-1][0]))),)))
        if part is not None:
            found.append((part[1], ()) if part[1] else ("", tuple(map(_wording, part[2].split("|")))))
            place = part.end()
    return tuple(found)


@lru_cache(maxsize=4096)
def _wording(option: str) -> tuple[Token, ...]:
    """The tokens of one wording of a choice; phrases share most of them."""
    return tuple(tokenize(tidy(option)))


def _after_slot(tokens: list[Token], follows: bool) -> list[Token]:
    if follows and tokens and tokens[0].text in _ORDINAL_ENDS:
        return [replace(tokens[0], text="th"), *tokens[1:]]
    return tokens


def phrase_items(phrase: str, params: Mapping[str, Mapping[str, Any]]) -> list[Token | Slot | Choice]:
    """The tokens, slots and choices of a phrase."""
    where, scale = getattr(phrase, "where", {}), getattr(phrase, "scale", {})
    items: list[Token | Slot | Choice] = []
    for name, options in pieces(phrase):
        if name:
            items.append(Slot(name, params[name], where.get(name, ""), scale.get(name, 1)))
        elif len(options) == 1:
            items.extend(options[0])
        else:
            items.append(Choice(options))
    return items


def literals(phrase: str) -> list[Token]:
    """The tokens of a phrase without its slots; of a choice the first wording."""
    return [token for name, options in pieces(phrase) if not name for token in options[0]]


def shown(phrase: str) -> str:
    """A phrase as a person is told of it: slots as "…", of a choice the first wording."""
    return _PART.sub(lambda part: "…" if part[1] else part[2].split("|")[0], phrase)


def language_of(text: str) -> str:
    """"zh" for a text with Chinese characters, "en" for one with Latin words, "" for neither."""
    if HAS_CJK.search(text):
        return "zh"
    return "en" if re.search(r"[^\W\d_]{2,}", text) else ""
