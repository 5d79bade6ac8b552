"""Reads the words of a command line by the table of operations. By hand: argparse would cost more time than most operations take.

    main.py [--db PATH] [--now ISO] [--lang en|zh] OPERATION [required values in order] [--name VALUE | --name=VALUE | --flag]
            [--json '{…}' | --json -]

Hyphens and underscores in names are the same. After `--` every word is a value. A lone --json is allowed and changes nothing: the
answer is JSON in any case.
"""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from taskbook.contract import TodoError
from taskbook.operations import OPERATIONS, Operation

GLOBAL = ("db", "now", "lang")


class Usage(TodoError):
    """The words of the command line are wrong; the exit status is 2."""

    def __init__(self, key: str, /, **values: Any) -> None:
        super().__init__("invalid_argument", key, **values)


@dataclass
class Given:
    """What the command line says: the operation's name, its raw values, and the options that every operation takes."""

    name: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    help: bool = False
    batch: bool = False


def read_words(words: Sequence[str], read_stdin: Callable[[], str]) -> Given:
    """What the words say. `read_stdin` is called for `--json -`. Raises Usage with what is wrong."""
    given = Given()
    waiting = list(words)
    plain: list[str] = []
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            plain += waiting
            break
        if word in ("-h", "--help"):
            given.help = True
        elif word.startswith("--") and len(word) > 2:
            _option(word, waiting, given, read_stdin)
        elif not given.name:
            given.name = word.replace("-", "_")
        else:
            plain.append(word)
    if given.help:
        return given
    if not given.name and plain:
        given.name = plain.pop(0).replace("-", "_")
    if not given.name:
        raise Usage("call.no_operation")
    _place(given, plain)
    return given


def operation_named(name: str) -> Operation:
    """The operation, or Usage."""
    if name not in OPERATIONS:
        raise Usage("call.operation", name=name[:50])
    return OPERATIONS[name]


def _option(word: str, waiting: list[str], given: Given, read_stdin: Callable[[], str]) -> None:
    name, equals, attached = word[2:].partition("=")
    name = name.replace("-", "_")
    value = attached if equals else None
    if name == "json":
        _json_values(value, waiting, given, read_stdin)
    elif name in GLOBAL:
        given.options[name] = _value(name, value, waiting)
    elif name == "batch":
        given.batch = _value(name, value, waiting) == "-"
        if not given.batch:
            raise Usage("call.needs_value", name="--batch -")
    else:
        _parameter(name, value, waiting, given)


def _value(name: str, value: str | None, waiting: list[str]) -> str:
    if value is None and waiting and not _is_option(waiting[0]):
        return waiting.pop(0)
    if value is None:
        raise Usage("call.needs_value", name=f"--{name}")
    return value


def _is_option(word: str) -> bool:
    return word.startswith("--")


def _parameter(name: str, value: str | None, waiting: list[str], given: Given) -> None:
    """An option of the operation; it may stand before the operation's name only with its value attached."""
    negated = name.startswith("no_")
    operation = OPERATIONS.get(given.name)
    params = operation.params if operation else {}
    if given.name and name not in params and not (negated and params.get(name[3:], {}).get("type") == "boolean"):
        operation_named(given.name)
        raise Usage("call.unknown_option", name=f"--{name}")
    if name not in params and negated:
        name, value = name[3:], "false"
    schema = params.get(name, {})
    if schema.get("type") == "boolean" and value is None:
        value = waiting.pop(0) if waiting and waiting[0].lower() in ("true", "false") else "true"
    if name in given.values:
        raise Usage("call.twice", name=f"--{name}")
    if schema.get("type") == "array" and value is None:
        given.values[name] = _list(name, schema["items"]["type"], waiting)
        return
    given.values[name] = _value(name, value, waiting)


def _list(name: str, kind: str, waiting: list[str]) -> str | list[str]:
    """One word is a comma list or JSON; numbers may also follow as several words."""
    first = _value(name, None, waiting)
    more: list[str] = []
    while kind == "integer" and waiting and waiting[0].isdigit():
        more.append(waiting.pop(0))
    return [first, *more] if more else first


def _json_values(value: str | None, waiting: list[str], given: Given, read_stdin: Callable[[], str]) -> None:
    if value is None:
        if not waiting or waiting[0] != "-" and not waiting[0].lstrip().startswith(("{", "[")):
            return
        value = waiting.pop(0)
    try:
        loaded = json.loads(read_stdin() if value == "-" else value)
    except (ValueError, RecursionError) as error:
        raise Usage("call.bad_json", reason=str(error)[:100]) from None
    if not isinstance(loaded, dict):
        raise Usage("call.bad_json", reason=type(loaded).__name__)
    for name in loaded:
        if name in given.values:
            raise Usage("call.twice", name=name)
    given.values.update(loaded)


def _place(given: Given, plain: list[str]) -> None:
    """Words without an option fill the required parameters in order; a last one that is a list takes all that are left."""
    operation = OPERATIONS.get(given.name)
    if operation is None:
        return
    open_names = [name for name in operation.required if name not in given.values]
    while plain and open_names:
        name = open_names.pop(0)
        schema = operation.params[name]
        if schema["type"] == "array" and len(plain) > 1:
            given.values[name] = plain[:]
            plain.clear()
        else:
            given.values[name] = plain.pop(0)
    if plain:
        raise Usage("call.too_many", value=plain[0][:50])
    if open_names and not given.batch:
        raise Usage("call.missing", name=open_names[0])
