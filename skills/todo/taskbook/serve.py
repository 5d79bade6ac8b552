"""Stays warm: reads JSON lines {"id", "command", "args"} and answers {"id", …the object that the command line prints} until the input ends."""
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from taskbook.arguments import Usage, operation_named, read_words
from taskbook.call import failure, run
from taskbook.clock import read_now
from taskbook.contract import TodoError
from taskbook.store import Store
from taskbook.words import say

MAX_LINE = 16 * 1024 * 1024  # bytes; a batch of 500 tasks with long notes stays below


def serve(lines: BinaryIO, answer: Callable[[str], None], store: Store, *, now: str | None, lang: str, workspace: Path) -> None:
    """One answer a line, in order; `args` is an object of values or a list of words, in which now and lang hold for that call alone."""
    while line := lines.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            while line and not line.endswith(b"\n"):
                line = lines.readline(MAX_LINE)
            answer(json.dumps({"id": None, **failure("invalid_argument", say("call.bad_line", lang))}, ensure_ascii=False))
        elif line.strip():
            answer(json.dumps(_answer(line, store, now, lang, workspace), ensure_ascii=False))


def _answer(line: bytes, store: Store, now: str | None, lang: str, workspace: Path) -> dict[str, Any]:
    identity: Any = None
    try:
        asked = json.loads(line)
        identity = asked.get("id")
        name, args = asked["command"], asked.get("args") or {}
        if not isinstance(name, str) or not isinstance(args, dict | list):
            raise TypeError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {"id": identity, **failure("invalid_argument", say("call.bad_line", lang))}
    try:
        values, options = _values(name, args)
        lang = options.get("lang", lang)
        moment = read_now(options.get("now") or now)
    except TodoError as problem:
        return {"id": identity, **failure(problem.code, problem.say(lang))}
    return {"id": identity, **run(store, name.replace("-", "_"), values, now=moment, lang=lang, workspace=workspace)}


def _values(name: str, args: dict[str, Any] | list[Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of the operation, and the options now and lang."""
    operation = operation_named(name.replace("-", "_"))
    if isinstance(args, list):
        given = read_words([name, *(str(word) for word in args)], lambda: "")
        return given.values, given.options
    options: dict[str, str] = {key: str(args[key]) for key in ("now", "lang") if key in args and key not in operation.params}
    if options.get("lang", "zh") not in ("en", "zh"):
        raise Usage("call.enum", name="lang", value=options["lang"], allowed="en, zh")
    return {key: value for key, value in args.items() if key not in options}, options
