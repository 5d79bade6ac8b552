"""Runs one operation: reads its values, gives it a context, turns whatever happens into one JSON object. Nothing is raised to the caller."""
from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.fit import fit
from taskbook.operations import OPERATIONS
from taskbook.store import Store
from taskbook.words import say

Answer = dict[str, Any]


def run(store: Store, name: str, values: Mapping[str, Any], *, now: datetime, lang: str, workspace: Path) -> Answer:
    """The answer to one call: {"ok": true, "message": …, …} or {"ok": false, "code": …, "error": …, "message": …}."""
    context = Context(store, now, lang, workspace)
    try:
        operation = OPERATIONS.get(name)
        if operation is None:
            raise TodoError("invalid_argument", "call.operation", name=name[:50])
        function: Callable[[Context, dict[str, Any]], Answer] = getattr(import_module(f"taskbook.{operation.module}"), operation.function)
        payload = function(context, fit(operation, values))
        _point(context, name, payload)
        if "warning" in payload and "text" not in payload:
            payload["text"] = f"{payload['message']}\n{payload['warning']}"
        first: Answer = {key: payload[key] for key in ("message", "text") if key in payload}
        return {"ok": payload.get("ok", True), **first, **payload}  # the words first: a long answer may be cut in its middle
    except TodoError as problem:
        return {**failure(problem.code, problem.say(lang)), **problem.extra}
    except (sqlite3.Error, OSError) as error:
        return _broken(error, lang)
    except ValueError as error:  # a rule that ends in the year 2200, a number that a library refuses
        return failure("invalid_argument", say("call.value", lang, reason=str(error)[:200]))
    except Exception as error:  # noqa: BLE001  # a defect must answer as every failure does; the type says where to look
        return failure("internal", say("call.internal", lang, reason=f"{type(error).__name__}: {error}"[:200]))


def failure(code: str, sentence: str) -> Answer:
    """The form of every failure."""
    return {"ok": False, "code": code, "error": sentence, "message": sentence}


def _point(context: Context, name: str, payload: Answer) -> None:
    """Remember which task "it" is. A list that cannot be remembered (a full disk) does not spoil the answer."""
    from taskbook import pointing

    try:
        pointing.remember(context, name, payload)
    except sqlite3.Error as error:
        print(f"todo: {error}", file=sys.stderr)


def _broken(error: Exception, lang: str) -> Answer:
    """What the disk or the database refused, in words: full, locked, read-only, no database."""
    text = str(error)
    key = next((key for part, key in (("locked", "locked"), ("disk is full", "full"), ("No space left", "full"), ("readonly", "readonly"),
                                      ("not a database", "foreign"), ("malformed", "foreign")) if part in text), "storage")
    code = "unavailable" if key == "locked" else "internal"
    return failure(code, say(f"call.{key}", lang, reason=text[:200]))
