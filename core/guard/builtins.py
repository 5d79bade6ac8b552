"""Built-ins of the shell that set variables by name, or evaluate what looks like plain text.

An array's subscript is an arithmetic expression, and bash runs the substitutions in it even where it came out of quotes: `test -v 'a[$(…)]'`,
`x='a[$(…)]'; ((x))`.
"""

from __future__ import annotations

import re

from core.guard.programs import Handler, by_table
from core.guard.scope import Scope
from core.guard.words import Call, Word, split_options
from core.guard.wrappers import assign, script

_SUBSCRIPT = re.compile(r"\b[A-Za-z_]\w*\[[^\]]*(?:\$\(|`|\$\{)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_VALUED = {
    "read": "-a -d -i -n -N -p -t -u",
    "mapfile": "-d -n -O -s -u -C -c",
    "readarray": "-d -n -O -s -u -C -c",
    "printf": "-v",
    "wait": "-p",
}


def hides_code(word: Word, *, whole: bool = False) -> bool:
    """Whether a plain text holds a subscript whose substitution runs when the shell takes the text for a variable; with `whole` only a text
    that is an element of an array and nothing before it."""
    return word.static and bool((_SUBSCRIPT.match if whole else _SUBSCRIPT.search)(word.text.lstrip()))


def setter(name: str, call: Call, scope: Scope) -> None:
    """read, mapfile, printf -v, getopts, wait -p, let, unset, test: the variables that they name, the code that hides in a subscript."""
    for word in call.arguments:
        if hides_code(word) and (name != "printf" or any(other.text.startswith("-v") for other in call.arguments)):
            scope.add("dynamic.script", call, word.text)
    options = split_options(call.arguments, frozenset(_VALUED.get(name, "").split()))
    named = [] if name in ("printf", "wait", "test", "[") else options.operands[1:2] if name == "getopts" else options.operands
    if name in ("read", "mapfile", "readarray"):
        named = [*named, *options.get("-a")]
    for word in [*named, *options.get("-v" if name == "printf" else "-p" if name == "wait" else "")]:
        if _NAME.fullmatch(word.text) and name != "unset":
            assign(word.text, None, call, scope)
    if name in ("mapfile", "readarray"):
        for word in options.get("-C"):
            script(word, call, scope)
    by_table(name, call, scope)


def declare(words: list[Word], call: Call, scope: Scope) -> None:
    """A quoted operand of declare, export or unset: 'NAME=VALUE', or code in a subscript."""
    for word in words:
        name, equals, value = word.text.partition("=")
        if hides_code(word) or not (word.static or _NAME.fullmatch(name)):
            scope.add("dynamic.script", call, word.text)
        elif equals:
            assign(name, Word(value, word.static), call, scope)


def rename(text: str, call: Call, scope: Scope) -> None:
    """declare -n OTHER=NAME: whatever is given to OTHER, NAME gets."""
    for name in re.findall(r"=[\"']?(\w+)", text):
        assign(name, None, call, scope)


def shopt(name: str, call: Call, scope: Scope) -> None:
    """shopt: once aliases count in a script, a name may mean any command."""
    words = [word.text for word in call.arguments]
    if "expand_aliases" in words and "-s" in words:
        scope.add("dynamic.command", call, "expand_aliases")


HANDLERS: dict[str, Handler] = {
    "shopt": shopt,
    **dict.fromkeys(("read", "mapfile", "readarray", "printf", "getopts", "wait", "let", "unset", "test", "["), setter),
}
