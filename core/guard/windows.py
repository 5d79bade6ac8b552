"""Programs of Windows, shared by PowerShell and cmd."""

from __future__ import annotations

import functools
import re

from core.guard.programs import canonical, evaluate, known
from core.guard.scope import Scope
from core.guard.verdict import load_table, words_in
from core.guard.words import Call, Word

_SWITCH = re.compile(r"^/\?$|^/[A-Za-z]")


@functools.cache
def danger() -> dict[str, str]:
    """Program -> rule."""
    return {name: rule for rule, names in load_table("windows")["danger"].items() for name in words_in(names)}


def program(call: Call, scope: Scope) -> None:
    """Judge a program that is no built-in of the shell."""
    name = canonical(call.name.replace("\\", "/").rpartition("/")[2], windows=True)
    table = load_table("windows")
    static = all(word.static for word in call.arguments)
    text = " ".join(word.text for word in call.arguments)
    if static and text in ("/?", "-?") and call.words[0].static:
        return
    if "/" not in call.name and "\\" not in call.name or re.search(r"^[A-Za-z]:[\\/]windows[\\/]", call.name, re.I):
        pattern = table["reads"].get(name)
        if pattern is not None and static and re.fullmatch(pattern, text, re.I):
            scope.count(call)
            return
        if name in danger() and call.words[0].static:
            scope.count(call)
            scope.add(danger()[name], call, name)
            return
        if name in words_in(table["read"]) and not (known(name) and name not in ("find", "sort", "more", "tree", "date")):
            scope.count(call)
            reads(call, scope)
            return
        if known(name):
            call = call.inner((Word(name, call.words[0].static, names=call.words[0].names), *call.arguments))
    evaluate(call, scope)


def reads(call: Call, scope: Scope) -> None:
    """Operands that are paths may be secrets; /O of sort writes."""
    words = call.arguments
    pattern = call.name.lower() in ("findstr", "find")
    for index, word in enumerate(words):
        if _SWITCH.match(word.text):
            if word.text.lower() == "/o" and call.name.lower() == "sort" and index + 1 < len(words):
                scope.write(call, words[index + 1])
            continue
        if pattern:
            pattern = False
            continue
        scope.read(call, word)
