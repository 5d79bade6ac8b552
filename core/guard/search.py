"""find and grep: searching that may also delete, write or start programs."""

from __future__ import annotations

import re

from core.guard.programs import Handler, evaluate, write_named
from core.guard.scope import Scope
from core.guard.verdict import listed
from core.guard.words import Call, Word, split_options

_FIND_GLOBAL = ("-H", "-L", "-P", "-O1", "-O2", "-O3", "-D")
_STARTERS = ("-exec", "-execdir", "-ok", "-okdir")
_FIND_WRITERS = ("-fprint", "-fprint0", "-fls", "-fprintf")
_ONLY_NAMED = ("ls", "echo", "printf", "test", "stat", "du", "basename", "dirname", "file", "realpath", "readlink")
_SECRET_HINT = re.compile(r"(api[_.\\s-]*key|secret|token|passw|private.key|BEGIN .*PRIVATE|credential|AKIA)", re.I)


def find(name: str, call: Call, scope: Scope) -> None:
    """find ROOTS EXPRESSION"""
    arguments = call.arguments
    index = 0
    roots: list[Word] = []
    while index < len(arguments) and (arguments[index].text in _FIND_GLOBAL or not arguments[index].text.startswith(("-", "(", "!"))):
        if arguments[index].text not in _FIND_GLOBAL:
            roots.append(arguments[index])
        index += 1
    roots = roots or [Word(".")]
    expression = arguments[index:]
    active = any(word.text in _STARTERS or word.text == "-delete" for word in expression)
    for root in roots:
        scope.read(call, root, contents=active)
        if not root.static and not root.quoted:
            scope.add("dynamic.argument", call, root.text)
    outside = any(scope.zones(root) - {"workspace"} for root in roots)
    _expression(expression, roots, call, scope, secrets=active or outside)


def _expression(words: tuple[Word, ...], roots: list[Word], call: Call, scope: Scope, secrets: bool) -> None:
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word.text == "-delete":
            for root in roots:
                scope.delete(call, Word(root.text.rstrip("/") + "/*", root.static, True))
        elif word.text in _STARTERS:
            end = next((place for place in range(index, len(words)) if words[place].text in (";", "+")), len(words))
            _start(words[index:end], roots, call, scope)
            index = end + 1
        elif word.text in _FIND_WRITERS and index < len(words):
            write_named(call, words[index], scope)
            index += 1
        elif word.text in ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex") and index < len(words):
            if secrets:
                name = words[index].text.strip("*") or "x"
                scope.read(call, Word(name), contents=False)
                if "/" not in name:
                    for root in roots:
                        scope.read(call, Word(root.text.rstrip("/") + "/" + name, root.static))
            index += 1
        elif not word.static and not word.quoted:
            scope.add("dynamic.argument", call, word.text)


def _start(words: tuple[Word, ...], roots: list[Word], call: Call, scope: Scope) -> None:
    """A command per file found: {} is some file below a root."""
    for root in roots:
        below = root.text.rstrip("/") + "/*"
        inner = tuple(
            Word(word.text.replace("{}", below), word.static and root.static, word.glob or "{}" in word.text, word.quoted, word.names)
            for word in words
        )
        if inner:
            if "{}" in words[0].text:
                scope.add("dynamic.command", call, words[0].text)
                return
            if inner[0].text.rpartition("/")[2] in ("sh", "bash", "dash", "zsh"):
                inner = tuple(Word(word.text.replace("$0", below).replace("$1", below), word.static, word.glob, word.quoted) for word in inner)
            evaluate(call.inner(inner), scope)
            if "{}" in [word.text for word in words] and call.inner(inner).name not in _ONLY_NAMED:
                scope.read_tree(call, root)


def grep(name: str, call: Call, scope: Scope) -> None:
    """grep, rg, ag, ack: the first operand is a pattern unless -e or -f gave one; the others are read."""
    options = split_options(call.arguments, listed("grep") - (frozenset(("-r", "-T", "-t", "-g", "-M", "-j")) if "rg" not in name else frozenset()))
    if options.has("--pre", "--pager", "--hostname-bin"):
        scope.add("exec.library", call, name)
    given = options.has("-e", "--regexp", "-f", "--file", "--files", "--type-list")
    for word in options.get("-f", "--file"):
        scope.read(call, word)
    files = options.operands if given else options.operands[1:]
    pattern = "" if given or not options.operands else options.operands[0].text
    recursive = options.has("-r", "-R", "--recursive", "-d") or name in ("rg", "ag", "ack", "rgrep")
    for word in files:
        (scope.read_tree if recursive else scope.read)(call, word)
        if recursive and scope.zones(word) & {"outside"} and _SECRET_HINT.search(pattern):
            scope.add("secret.read", call, word.text)
    if (
        not files
        and call.stdin is not None
        and call.stdin.environment
        and (_SECRET_HINT.search(pattern) or re.search("key|pass|auth|cred", pattern, re.I))
    ):
        scope.add("secret.env", call, pattern)
    for word in call.arguments:
        if word.text.startswith("--include=") and not given and recursive:
            scope.read(call, Word(word.text.partition("=")[2]), contents=False)


def fd(name: str, call: Call, scope: Scope) -> None:
    """fd: -x and -X start a command per file."""
    for index, word in enumerate(call.arguments):
        if word.text in ("-x", "-X", "--exec", "--exec-batch"):
            words = [w for w in call.arguments[index + 1 :] if w.text != ";"]
            if words:
                evaluate(call.inner((*words, Word("./*", glob=True))), scope)
            return
    for word in split_options(call.arguments, frozenset(("-e", "-t", "-d", "-E", "--extension", "--type", "--max-depth"))).operands[1:]:
        scope.read(call, word, contents=False)


HANDLERS: dict[str, Handler] = {
    "find": find,
    "gfind": find,
    "bfs": find,
    "fd": fd,
    "fdfind": fd,
    **dict.fromkeys(("grep", "egrep", "fgrep", "rgrep", "zgrep", "rg", "ag", "ack", "ugrep", "pcregrep", "pt"), grep),
}
