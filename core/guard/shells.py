"""The way from a text to the reader of its shell. The parsers are imported when the first text of their kind arrives."""

from __future__ import annotations

import re

from core.guard.scope import Scope
from core.guard.words import Call, Word

_SWITCH_DASHES = re.compile("^[-/\u2013\u2014\u2015]+")
MAX_LENGTH = 65536
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\x85\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")


def walk_script(text: str, scope: Scope) -> None:
    """Record what a whole script of `scope.shell` meets."""
    span = Call((Word(""),), 0, len(text))
    if len(text) > MAX_LENGTH or len(text.encode("utf-8", "surrogatepass")) > MAX_LENGTH:
        scope.add("parse.limit", span)
        return
    if scope.shell == "posix" and scope.inline and "\r\n" in text:
        text = text.replace("\r\n", "\n")
    control = _CONTROL.search(text.replace("\r\n", "\n") if scope.shell != "posix" else text)
    if control or any("\ud800" <= char <= "\udfff" for char in text):
        scope.add("parse.control", span)
        return
    if scope.shell == "powershell":
        from core.guard.powershell import walk
    elif scope.shell == "cmd":
        from core.guard.cmd import walk
    else:
        from core.guard.posix import walk
    walk(text, scope)


def foreign(name: str, call: Call, scope: Scope) -> None:
    """powershell -Command TEXT, powershell -File FILE, cmd /c TEXT."""
    if name == "cmd":
        _cmd(call, scope)
    else:
        _powershell(call, scope)


def _cmd(call: Call, scope: Scope) -> None:
    words = call.arguments
    place = next((i for i, word in enumerate(words) if re.match(r"^/{1,2}[cCkKrR]", word.text)), None)
    if place is None:
        if call.stdin is not None:
            scope.add("dynamic.script", call, "cmd")
        return
    rest = [word for word in (Word(words[place].text.lstrip("/")[1:], words[place].static), *words[place + 1 :]) if word.text]
    _inner(rest, call, scope, "cmd")


def _inner(rest: list[Word], call: Call, scope: Scope, shell: str) -> None:
    from core.guard.wrappers import judge_inner as judge

    if not all(word.static for word in rest):
        scope.add("dynamic.script", call, shell)
    judge(" ".join(word.text for word in rest), call, scope, shell)


def _powershell(call: Call, scope: Scope) -> None:
    from core.guard.programs import run_script

    words = list(call.arguments)
    while words:
        word = words.pop(0)
        if not _SWITCH_DASHES.match(word.text):
            if word.text.lower().endswith(".ps1"):
                run_script(call, word, scope)
            else:
                _inner([word, *words], call, scope, "powershell")
            return
        switch = _SWITCH_DASHES.sub("", word.text).lower().rstrip(":")
        if switch and "encodedcommand".startswith(switch) or switch in ("ec", "enc"):
            scope.add("dynamic.script", call, word.text)
            return
        if switch and ("command".startswith(switch) or switch == "c"):
            _inner(words, call, scope, "powershell")
            return
        if switch and "file".startswith(switch):
            if words:
                run_script(call, words[0], scope)
            return
        if (
            switch.startswith(("ex", "ep", "w", "ver", "inp", "out", "conf", "settings", "custom", "wo", "psc"))
            and switch not in ("version",)
            and words
        ):
            value = words.pop(0)
            if switch.startswith(("conf", "settings", "psc")):
                scope.add("exec.library", call, value.text)
        elif not switch.startswith(("nop", "noni", "nol", "noe", "sta", "mta", "l", "i", "h", "?", "v")):
            scope.add("dynamic.script", call, word.text)
            return
    if call.stdin is not None:
        scope.add("dynamic.script", call, call.name)
