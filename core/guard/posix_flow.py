"""What flows between the commands of a POSIX script: the output of one, the variables of another."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from core.guard.programs import evaluate
from core.guard.scope import Scope
from core.guard.verdict import load_table
from core.guard.words import HOLE, Call, Stdin, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_FILTERS = frozenset(("sort", "head", "tail", "uniq", "grep", "tac", "shuf", "tee", "cat", "awk", "sed"))
_LISTERS = frozenset(("ls", "find", "fd", "rg", "grep", "git", "tree", "cat", "echo", "printf"))
_PREFIXES = frozenset(("env", "command", "builtin", "nice", "nohup", "time", "stdbuf", "busybox"))


def arguments_behind(redirect: Node) -> list[Node]:
    """Words after a redirection's target: the grammar takes them for further targets, the shell for arguments."""
    return redirect.children_by_field_name("destination")[1:]


def is_folder(path: str) -> bool:
    """Whether the folder exists now, so that going there will work."""
    return os.path.isdir(path)


def tame(word: Word) -> bool:
    """Whether any value of a loop over this word is a plain name inside the working directory."""
    return word.static and HOLE not in word.text and not re.search(r"^[-~/]|(^|/)\.\.(/|$)|(^|/)\.[a-z]", word.text)


def unwrapped(call: Call) -> Call:
    """The call without env, command and the like before it."""
    words = call.words
    while len(words) > 1 and words[0].text in _PREFIXES:
        rest = words[1:]
        while rest and (rest[0].option or re.match(r"^[A-Za-z_]\w*=", rest[0].text)):
            rest = rest[1:]
        if not rest:
            break
        words = rest
    return call if words == call.words else call.inner(words)


def says_nothing(call: Call) -> bool:
    """Whether the command prints nothing, so that sending its output to a file only empties the file."""
    call = unwrapped(call)
    arguments = [word for word in call.arguments if not word.option]
    if call.name in (":", "true", "false"):
        return True
    if call.name in ("echo", "printf"):
        return all(word.static and not word.text.strip() for word in arguments)
    if call.name == "cat" and not arguments:
        return call.stdin is not None and (call.stdin.text == "" or call.stdin.path is not None and call.stdin.path.text == "/dev/null")
    return call.name == "cat" and all(word.text == "/dev/null" for word in arguments)


def variables_read(call: Call, scope: Scope) -> None:
    """read, mapfile, printf -v and getopts give variables values that are not known."""
    if call.name in ("read", "mapfile", "readarray", "getopts", "printf", "let", "unset"):
        names = call.stdin is not None and call.stdin.names and call.name == "read"
        for word in call.arguments:
            if re.fullmatch(r"[A-Za-z_]\w*", word.text):
                scope.variables[word.text] = Word("*", glob=True) if names else None


def output_of(call: Call | None, before: Stdin | None, scope: Scope) -> Stdin:
    """What the next stage of a pipeline reads."""
    remote = scope.report.sends or (before is not None and before.remote)
    if call is None or says_nothing(call):
        return Stdin(remote=remote) if call is None else Stdin("")
    call = unwrapped(call)
    name = call.name.rpartition("/")[2]
    arguments = [word for word in call.arguments if not word.option]
    if name in ("echo", "printf") and all(word.static for word in call.arguments) and not (name == "printf" and len(arguments) > 1):
        text = " ".join(word.text for word in arguments)
        if "\\" not in text or name == "echo" and not any(word.text.startswith("-e") for word in call.arguments):
            return Stdin(text, names=all(tame(word) for word in arguments))
    if name == "cat" and call.stdin is not None and call.stdin.text is not None and not arguments:
        return Stdin(call.stdin.text)
    if name == "cat" and len(arguments) == 1 and arguments[0].static and not arguments[0].glob:
        return Stdin(path=arguments[0])
    if name in ("env", "printenv", "export", "set", "declare"):
        return Stdin(environment=True)
    inherited = before is not None and name in _FILTERS
    names = (
        inherited
        and before is not None
        and before.names
        or name in _LISTERS
        and all(scope.zones(word) <= {"workspace"} for word in arguments if "/" in word.text or word.text in ("..", "."))
        and all(word.static for word in arguments)
    )
    return Stdin(remote=remote, names=names, environment=inherited and before is not None and before.environment)


def without_grammar(text: str, scope: Scope) -> None:
    """One plain word list whose program only reads; anything else asks."""
    call = Call(tuple(Word(word) for word in text.split()), 0, len(text))
    if not re.fullmatch(r"[\w./ ,:=+@%-]+", text) or not call.words or call.name not in load_table("programs")["plain_read"].split():
        scope.add("parse.missing", call, text)
    else:
        evaluate(call, scope)
