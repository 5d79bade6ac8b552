"""The built-in commands of cmd.exe."""

from __future__ import annotations

import re

from core.guard.programs import secret_name
from core.guard.scope import Scope
from core.guard.windows import reads
from core.guard.words import HOLE, Call, Word
from core.guard.wrappers import assign


def _operands(call: Call) -> list[Word]:
    return [word for word in call.arguments if not re.match(r"^/[-A-Za-z?]", word.text)]


def _flags(call: Call) -> list[str]:
    return [flag.lower() for word in call.arguments if re.match(r"^/[-A-Za-z?]", word.text) for flag in re.findall(r"/[^/]+", word.text)]


def _delete(call: Call, scope: Scope, raw: str) -> None:
    if "/?" in _flags(call):
        return
    for word in _operands(call):
        if call.name.lower() in ("rd", "rmdir") and "/s" not in _flags(call) and word.static and scope.zones(word) == {"workspace"}:
            scope.write(call, word)
        elif word.static:
            scope.delete(call, word)
        else:
            scope.add("delete.dynamic", call, word.text)


def _copy(call: Call, scope: Scope, raw: str) -> None:
    words = [Word(part, word.static, word.glob) for word in _operands(call) for part in word.text.split("+") if part]
    flags = _flags(call)
    if call.name.lower() == "robocopy" and {"/mir", "/purge", "/move", "/mov"} & set(flags):
        scope.add("delete.workspace", call, call.name)
    for word in words[:-1] or words:
        scope.read(call, word)
        if word.text.lower() == "nul":
            scope.add("overwrite.truncate", call, words[-1].text)
    for word in words[-1:] if len(words) > 1 else [Word(".")]:
        _write(call, word, scope)


def _move(call: Call, scope: Scope, raw: str) -> None:
    words = _operands(call)
    for word in words:
        _write(call, word, scope)
        scope.read(call, word)
    if any(scope.zones(word) - {"workspace"} for word in words[:1]):
        scope.add("delete.outside", call, words[0].text)


def _make(call: Call, scope: Scope, raw: str) -> None:
    for word in _operands(call):
        _write(call, word, scope)


def _write(call: Call, word: Word, scope: Scope) -> None:
    if word.static:
        scope.write(call, word)
    else:
        scope.add("overwrite.dynamic", call, word.text)


def _list(call: Call, scope: Scope, raw: str) -> None:
    for word in _operands(call):
        scope.read(call, word, contents=False)


def _read(call: Call, scope: Scope, raw: str) -> None:
    reads(call, scope)


def _change(call: Call, scope: Scope, raw: str) -> None:
    words = _operands(call)
    if words:
        scope.move(words[0])
    elif call.name.lower() == "popd":
        scope.move(None)


def _set(call: Call, scope: Scope, raw: str) -> None:
    """set NAME=VALUE: remembered, so that a name put together from pieces is seen."""
    text = raw.partition(" ")[2].strip()
    if not text or "/a" in _flags(call):
        return
    name, equals, value = text.removeprefix("/p ").removeprefix("/P ").partition("=")
    if not equals:
        if secret_name(name):
            scope.add("secret.env", call, name)
        return
    assign(name.strip().upper(), Word(value), call, scope)
    scope.variables["%" + name.strip().lower()] = Word(value) if HOLE not in value and "/p" not in _flags(call) else None


def _path(call: Call, scope: Scope, raw: str) -> None:
    if call.arguments:
        scope.add("env.assign", call, "PATH")


def _clock(call: Call, scope: Scope, raw: str) -> None:
    if call.arguments and "/t" not in _flags(call):
        scope.add("system.settings", call, call.name)


def _echo(call: Call, scope: Scope, raw: str) -> None:
    """echo prints its words, whatever they say."""


BUILTINS = {
    "del": _delete,
    "erase": _delete,
    "rd": _delete,
    "rmdir": _delete,
    "copy": _copy,
    "xcopy": _copy,
    "robocopy": _copy,
    "replace": _copy,
    "move": _move,
    "ren": _move,
    "rename": _move,
    "md": _make,
    "mkdir": _make,
    "dir": _list,
    "type": _read,
    "more": _read,
    "tree": _list,
    "cd": _change,
    "chdir": _change,
    "pushd": _change,
    "popd": _change,
    "set": _set,
    "path": _path,
    "date": _clock,
    "time": _clock,
    "echo": _echo,
    "echo.": _echo,
    "cd.": _echo,
}
