"""What a free text in a request may be: one value, a whole sentence, or a list."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.phrases.tokens import tidy
from core.phrases.usable import is_free
from core.phrases.words import CONNECTORS
from core.safe_pattern import fits

_SENTENCE_END = re.compile(r"[.!?;。！？；\n](?=.)|…")
_PAIRS = {"\"": "\"", "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》", "`": "`"}
_BETWEEN = re.compile(r"\s*[、,，;；/]\s*(?:and\s+|和|以及|还有)?|\s+(?:and|&)\s+|和|以及|还有", re.IGNORECASE)
_JOINT = re.compile("|".join(sorted((rf"\b{re.escape(word)}\b" if word[0].isascii() and word[0].isalpha() else re.escape(word)
                                     for word in CONNECTORS), key=len, reverse=True)) + r"|[,，。.!！?？;；]", re.IGNORECASE)
_REMARK = re.compile(r"[这它]|(?:it|this|that)\b", re.IGNORECASE)
_MAX_ITEMS = 100
_OPEN = ("sentence", "path")


def text_value(raw: str, schema: Mapping[str, Any], where: str = "") -> str | None:
    """A text as a value; None when the schema's words or patterns do not allow it, or when it holds a second wish.

    With `format: sentence` commas, connectors and the ends of sentences are part of the text, with `format: path` its full stops.
    """
    text = _unquoted(raw.strip())
    if "enum" in schema:
        return next((one for one in schema["enum"] if isinstance(one, str) and tidy(one).lower() == text.lower()), None)
    if where and not fits(where, text.lower()):
        return None
    if "pattern" in schema:
        if not fits(schema["pattern"], text):
            return None
        if not is_free(schema):
            return text
    text = text.strip(",，、:： ")
    if not re.search(r"\w", text) or schema.get("format") not in _OPEN and _is_more(text):
        return None
    return text


def _unquoted(text: str) -> str:
    if text[:1] in _PAIRS and len(text) > 1 and text[-1] == _PAIRS[text[0]] and _PAIRS[text[0]] not in text[1:-1]:
        return text[1:-1].strip()
    return text


def _is_more(text: str) -> bool:
    """Whether the text holds a connector, half a quotation, or the end of a sentence before its own."""
    lowered = f" {text.lower()} "
    connected = any(f" {word} " in lowered if word.isascii() and word[0].isalpha() else word in lowered for word in CONNECTORS)
    whole = all(text.count(opening) == text.count(closing) if opening != closing else opening == "'" or text.count(opening) % 2 == 0
                for opening, closing in _PAIRS.items() if opening != "‘")
    return connected or not whole or bool(_SENTENCE_END.search(text))


def list_items(raw: str, schema: Mapping[str, Any]) -> list[Any] | None:
    """The items of a list written as people write one (买牛奶、交电费和写周报); None when one of them is no value.

    Where the items are objects, each text becomes the first key that the schema requires.
    """
    parts = _BETWEEN.split(raw.strip())
    if len(parts) > _MAX_ITEMS:
        return None
    keys = schema.get("required", ())
    if schema.get("type") == "object":
        texts = [text_value(part, {}) for part in parts] if keys else [None]
        return None if None in texts else [{keys[0]: text} for text in texts]
    values = [text_value(part, schema) for part in parts]
    return None if None in values else values


def second_wishes(sentence: str) -> Iterator[str]:
    """What follows each comma, end of a sentence or connector, up to the next one: a request of its own must not hide there.

    A remark about what was just said (这个最重要, it takes an hour) is none.
    """
    yield from (part.strip() for part in _JOINT.split(sentence)[1:] if part.strip() and not _REMARK.match(part.strip()))
