"""Reads standard JSON at the speed of the C scanner, keeping what a dict would lose: duplicate keys and the digits of numbers."""
from __future__ import annotations

import json
from typing import Any

DEEPEST = 64


class Damage(Exception):
    """Text that is no value. `kind` is cut_off (the text ended first), too_deep or broken_json; `position` an offset."""

    def __init__(self, kind: str, position: int, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.position, self.detail = kind, position, detail


class Pairs(list[tuple[str, Any]]):
    """An object: its (key, value) pairs as written, duplicates kept."""


class BadEscape(str):
    """A string that held an escape that JSON does not know; the backslash is kept."""

    position: int = 0


class Number:
    """A number as written, so that neither size nor digits are lost."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


def _decoder(strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(strict=strict, object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=Number)


_STRICT, _RAW_CONTROLS = _decoder(True), _decoder(False)


def read_strict(text: str, start: int | None = None) -> tuple[Any, int] | None:
    """The (value, end) of standard JSON at `start` – or, without it, of the whole text; None when it is not standard JSON."""
    try:
        value, end = _STRICT.raw_decode(text, start) if start is not None else (_STRICT.decode(text), len(text))
    except (ValueError, RecursionError):
        return None
    _check_depth(text, value)
    return value, end


def read_text(text: str) -> Any:
    """The value of JSON text that stood inside a string (raw control characters allowed). Raises Damage."""
    try:
        value = _RAW_CONTROLS.decode(text)
    except (ValueError, RecursionError) as error:
        raise Damage("broken_json", 0, "the JSON text inside a string is damaged or cut off") from error
    _check_depth(text, value)
    return value


def _check_depth(text: str, value: Any) -> None:
    if text.count("{") + text.count("[") <= DEEPEST:
        return
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise Damage("too_deep", 0, f"the JSON is nested more than {DEEPEST} levels deep")
        level = [child for item in level for child in _children(item) if isinstance(child, list)]


def _children(value: Any) -> list[Any]:
    if isinstance(value, Pairs):
        return [child for _, child in value]
    return value if isinstance(value, list) else []
