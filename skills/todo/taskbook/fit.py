"""Reads the values of a call by the table of operations: numbers from text, lists from "a,b", Chinese words for enums. Errors name the parameter."""
from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from taskbook.contract import TodoError
from taskbook.operations import ALIASES, Operation, Schema

_TRUE = ("true", "yes", "1", "on", "是", "真")
_FALSE = ("false", "no", "0", "off", "否", "假")
_COMMAS = re.compile(r"\s*[,，、]\s*")


def fit(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as their types, defaults filled in; a value of null counts as not given. Raises TodoError invalid_argument."""
    for name in values:
        if name not in operation.params:
            raise TodoError("invalid_argument", "call.unknown", name=name, known=", ".join(operation.params) or "-")
    fitted: dict[str, Any] = {}
    for name, schema in operation.params.items():
        value = values.get(name)
        if value == "" and name not in operation.required and schema["type"] != "array" and name != "notes":
            value = None  # an optional text that was left empty; empty notes clear them
        if value is None:
            value = schema.get("default")
        if value is None:
            if name in operation.required:
                raise TodoError("invalid_argument", "call.missing", name=name)
            continue
        fitted[name] = _fit(name, value, schema)
    return fitted


def _fit(name: str, value: Any, schema: Schema) -> Any:
    kind = schema["type"]
    if kind == "array":
        return _array(name, value, schema)
    if kind == "object":
        if not isinstance(value, dict):
            raise TodoError("invalid_argument", "call.object", name=name)
        return value
    if kind == "integer":
        return _integer(name, value, schema)
    if kind == "boolean":
        return _boolean(name, value)
    return _string(name, value, schema)


def _string(name: str, value: Any, schema: Schema) -> str:
    if not isinstance(value, str):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TodoError("invalid_argument", "call.text", name=name)
        value = str(value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise TodoError("invalid_argument", "call.encoding", name=name) from None
    if "\0" in value:
        raise TodoError("invalid_argument", "call.encoding", name=name)
    if "enum" in schema:
        word = value.strip()
        found = ALIASES.get(name, {}).get(word, word.lower())
        if found not in schema["enum"]:
            raise TodoError("invalid_argument", "call.enum", name=name, value=value[:50], allowed=", ".join(schema["enum"]))
        return str(found)
    if len(value) > schema.get("maxLength", len(value)):
        raise TodoError("invalid_argument", "call.long", name=name, limit=schema["maxLength"])
    return str(value)


def _integer(name: str, value: Any, schema: Schema) -> int:
    if isinstance(value, str) and re.fullmatch(r"\s*#?[+-]?[0-9]{1,18}\s*", value):
        value = int(value.strip().lstrip("#"))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TodoError("invalid_argument", "call.integer", name=name, value=str(value)[:50])
    low, high = schema.get("minimum"), min(schema.get("maximum", 2**63 - 1), 2**63 - 1)
    if low is not None and value < low or value > high:
        key = "call.range" if "maximum" in schema else "call.low"
        raise TodoError("invalid_argument", key, name=name, low=low, high=high, value=value)
    return value


def _boolean(name: str, value: Any) -> bool:
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _TRUE + _FALSE:
            return word in _TRUE
    elif isinstance(value, bool):
        return value
    raise TodoError("invalid_argument", "call.boolean", name=name, value=str(value)[:50])


def _array(name: str, value: Any, schema: Schema) -> list[Any]:
    if isinstance(value, str):
        value = _listed(name, value, schema["items"]["type"])
    if isinstance(value, int) and not isinstance(value, bool):
        value = [value]
    if not isinstance(value, list):
        raise TodoError("invalid_argument", "call.list", name=name)
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        raise TodoError("invalid_argument", "call.items", name=name, low=schema.get("minItems", 0), high=schema.get("maxItems", "∞"))
    return [_fit(name, item, schema["items"]) for item in value]


def _listed(name: str, text: str, kind: str) -> Any:
    """A list that came as text: JSON, or words with commas between them."""
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise TodoError("invalid_argument", "call.list", name=name) from None
    if kind == "object":
        raise TodoError("invalid_argument", "call.list", name=name)
    return [part for part in _COMMAS.split(text.strip()) if part]
