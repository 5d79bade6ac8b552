"""The part of JSON Schema that commands.yaml uses: which schemas are sound, and whether a value fits one.

Types: string, integer, number, boolean, object, array (of all these but arrays). Limits: enum, minimum, maximum, exclusiveMinimum,
exclusiveMaximum, minLength, maxLength, pattern (core/safe_pattern.py), minItems, maxItems, required (of an object: the keys that it must
hold). Also default, description, title, examples, format.
"""
from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from core.i18n import language, text_in
from core.safe_pattern import fits, pattern_problem

TYPES = ("string", "integer", "number", "boolean", "array", "object")
_NUMERIC = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
_WORDS = ("type", "enum", "pattern", "items", "default", "description", "title", "examples", "format", "required", *_NUMERIC, *_COUNTS)
_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}\Z")
_NUMBER = re.compile(r"[+-]?([0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300})([eE][+-]?[0-9]{1,3})?\Z")
_LIMIT = 10 ** 4000  # what _INTEGER allows; longer numbers cannot be written out
_BOOLEANS = {"true": True, "false": False}


class BadValue(ValueError):
    """A value does not fit its schema. `code` and `values` name the sentence skills.value_CODE; str() says it in the person's language."""

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def __str__(self) -> str:
        return self.say(language())

    def say(self, spoken: str) -> str:
        """What is allowed, in "en" or "zh", as the end of a sentence that begins with the parameter's name."""
        return text_in(spoken, f"skills.value_{self.code}", **self.values)


def schema_problem(schema: Any) -> str:
    """What is wrong with a schema, in a few English words; "" when it can be used."""
    if not isinstance(schema, Mapping):
        return "must be a mapping such as {type: integer}"
    unknown = sorted(str(word) for word in schema if word not in _WORDS)
    if unknown:
        return f"unknown word {unknown[0]!r}"
    if schema.get("type", "string") not in TYPES:
        return f"type must be one of {', '.join(TYPES)}"
    if schema.get("type") == "array":
        items = schema.get("items", {})
        if isinstance(items, Mapping) and items.get("type") == "array":
            return "items must not be arrays"
        problem = schema_problem(items)
        if problem:
            return f"items: {problem}"
    return _word_problem(schema)


def _word_problem(schema: Mapping[str, Any]) -> str:
    for word in _NUMERIC:
        if word in schema and not _is_number(schema[word]):
            return f"{word} must be a number"
    for word in _COUNTS:
        if word in schema and (isinstance(schema[word], bool) or not isinstance(schema[word], int) or schema[word] < 0):
            return f"{word} must be a whole number from 0"
    if "enum" in schema and not (isinstance(schema["enum"], list) and schema["enum"]):
        return "enum must be a list that is not empty"
    if not all(isinstance(one, str | bool) or _is_number(one) for one in schema.get("enum", ())):
        return "enum must hold texts, numbers, true or false; put a date in quotes"
    keys = schema.get("required", [])
    listed = isinstance(keys, list) and all(isinstance(key, str) and key for key in keys)
    if "required" in schema and (schema.get("type") != "object" or not listed):
        return "required must list the keys of an object"
    wrong = pattern_problem(schema["pattern"]) if "pattern" in schema else ""
    return f"pattern {wrong}" if wrong else _default_problem(schema)


def _default_problem(schema: Mapping[str, Any]) -> str:
    try:
        if "default" in schema:
            fit(schema["default"], schema)
    except BadValue as error:
        return f"default {error.say('en')}"
    return ""


def _is_number(value: Any) -> TypeGuard[int | float]:
    return not isinstance(value, bool) and (isinstance(value, int) and abs(value) < _LIMIT or isinstance(value, float) and math.isfinite(value))


def fit(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value as its type; text is read as the type that the schema names ("12" becomes 12). Raises BadValue."""
    kind = schema.get("type", "string")
    if kind == "array":
        return _fit_array(value, schema)
    if kind == "object":
        return _fit_object(value, schema)
    typed: Any = _READERS[kind](value)
    if "enum" in schema and typed not in schema["enum"]:
        raise BadValue("enum", allowed=", ".join(str(one) for one in schema["enum"]))
    if kind in ("integer", "number"):
        _check_range(typed, schema)
    if kind == "string":
        _check_text(typed, schema)
    return typed


def _integer(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LIMIT:
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _INTEGER.match(value):
        return int(value)
    raise BadValue("integer")


def _number(value: Any) -> int | float:
    if isinstance(value, str):
        if _INTEGER.match(value):
            return int(value)
        value = float(value) if _NUMBER.match(value) else None
    if not _is_number(value):
        raise BadValue("number")
    return value


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _BOOLEANS:
        return _BOOLEANS[value.lower()]
    raise BadValue("boolean")


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise BadValue("string")
    if "\0" in value:
        raise BadValue("nul")
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {"integer": _integer, "number": _number, "boolean": _boolean, "string": _string}


def _fit_object(value: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object, or the JSON text of one. What it holds beside the required keys is the command's own matter."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise BadValue("object") from None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BadValue("object")
    for key in schema.get("required", ()):
        if key not in value:
            raise BadValue("key", name=key)
    try:
        text = json.dumps(dict(value), allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        raise BadValue("object") from None
    if "\\u0000" in text:
        raise BadValue("nul")
    return dict(value)


def _fit_array(value: Any, schema: Mapping[str, Any]) -> list[Any]:
    if not isinstance(value, list | tuple):
        value = [value]
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
        raise BadValue("items", low=schema.get("minItems", 0), high=schema.get("maxItems", "∞"))
    return [fit(item, schema.get("items", {})) for item in value]


def _check_range(value: int | float, schema: Mapping[str, Any]) -> None:
    if "minimum" in schema and value < schema["minimum"]:
        raise BadValue("minimum", limit=schema["minimum"])
    if "maximum" in schema and value > schema["maximum"]:
        raise BadValue("maximum", limit=schema["maximum"])
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        raise BadValue("above", limit=schema["exclusiveMinimum"])
    if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
        raise BadValue("below", limit=schema["exclusiveMaximum"])


def _check_text(value: str, schema: Mapping[str, Any]) -> None:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf):
        raise BadValue("length", low=schema.get("minLength", 0), high=schema.get("maxLength", "∞"))
    if "pattern" in schema and not fits(schema["pattern"], value):
        raise BadValue("pattern", pattern=schema["pattern"])
