"""The to-do list on the command line: `python main.py --help`. One operation a call, one JSON object on stdout, whatever happens.

Exit status: 0 done, 1 it could not be done (the object says why), 2 wrong usage. Diagnostics go to stderr.
"""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from taskbook.arguments import Given, Usage, read_words
from taskbook.contract import TodoError
from taskbook.words import detect_language

HERE = Path(__file__).resolve().parent


def main(words: Sequence[str]) -> int:
    """Runs the words of a command line; the exit status."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    lang = _language(words)
    try:
        if words and words[0] == "watch":
            return _watch(list(words[1:]), lang)
        given = read_words(words, _read_stdin)
        if given.options.get("lang", "zh") not in ("en", "zh"):
            raise Usage("call.enum", name="--lang", value=given.options["lang"], allowed="en, zh")
        if given.help:
            from taskbook.help import help_text

            print(help_text(given.name))
            return 0
        return _serve(given, lang) if given.name == "serve" else _batch(given, lang) if given.batch else _once(given, lang)
    except TodoError as problem:
        return _print({"ok": False, "code": problem.code, "error": problem.say(lang), "message": problem.say(lang), **problem.extra},
                      2 if isinstance(problem, Usage) else 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads any more: the interpreter must not fail on its last flush
        return 1
    except KeyboardInterrupt:
        return 130


def _once(given: Given, lang: str) -> int:
    from taskbook.arguments import operation_named
    from taskbook.call import run

    operation_named(given.name)
    moment, (database, workspace) = _now(given), _places(given)
    if given.name == "parse_time" and not database.exists():
        database = Path(":memory:")  # a question about a phrase leaves no file behind
    store = _open(database)
    try:
        answer = run(store, given.name, given.values, now=moment, lang=lang, workspace=workspace)
    finally:
        store.close()
    return _print(answer, 0 if answer["ok"] else 1)


def _serve(given: Given, lang: str) -> int:
    from taskbook.serve import serve

    _now(given)
    database, workspace = _places(given)
    store = _open(database)
    try:
        serve(sys.stdin.buffer, _line, store, now=given.options.get("now") or os.environ.get("TODO_NOW"), lang=lang, workspace=workspace)
    finally:
        store.close()
    return 0


def _batch(given: Given, lang: str) -> int:
    if given.name != "parse_time":
        raise Usage("call.unknown_option", name="--batch")
    from taskbook.phrases import batch

    for line in batch(sys.stdin.buffer, _now(given), lang):
        print(line)
    return 0


def _watch(words: list[str], lang: str) -> int:
    """The reminders in the foreground; its options are its own, but --db and --lang mean the same."""
    from taskbook.watch_command import watch_command

    return watch_command(words, lang, lambda options: _places(Given(options=options)))


def _now(given: Given) -> Any:
    from taskbook.clock import read_now

    return read_now(given.options.get("now") or os.environ.get("TODO_NOW"))


def _places(given: Given) -> tuple[Path, Path]:
    """The database and the workspace: --db, TODO_DB, the agent's workspace, the one of the project that holds this skill."""
    agent = os.environ.get("AGENT_WORKSPACE", "").strip()
    project = HERE.parent.parent / "workspace"
    workspace = Path(agent) if agent else project if project.is_dir() else Path.cwd() / "workspace"
    named = given.options.get("db") or os.environ.get("TODO_DB")
    if named == ":memory:":
        return Path(named), workspace
    database = Path(named).absolute() if named else workspace / "todo.db"
    return database, workspace if agent or not named else database.parent


def _open(database: Path) -> Any:
    """The store; what the disk refuses is told as every failure is."""
    import sqlite3

    from taskbook.store import Store

    try:
        return Store(database)
    except (sqlite3.Error, OSError) as error:
        raise TodoError("internal", "call.storage", reason=f"{database}: {error}"[:300]) from error


def _language(words: Sequence[str]) -> str:
    """Known before anything else is read, so that a wrong command line is answered in it too."""
    for index, word in enumerate(words):
        chosen = word[7:] if word.startswith("--lang=") else words[index + 1] if word == "--lang" and index + 1 < len(words) else ""
        if chosen in ("en", "zh"):
            return chosen
    return detect_language()


def _read_stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Usage("call.bad_json", reason=f"UTF-8, byte {error.start}") from None


def _line(text: str) -> None:
    print(text, flush=True)


def _print(answer: dict[str, Any], status: int) -> int:
    print(json.dumps(answer, ensure_ascii=False))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
