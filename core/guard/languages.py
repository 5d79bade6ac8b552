"""Python, task runners and package runners: programs whose arguments are programs or code of the project."""

from __future__ import annotations

import os
import re

from core.guard import pycode
from core.guard.programs import RISKY_TARGET, Handler, build, by_table, classes, evaluate, known, mention, run_script, spec_of, subcommand, valued
from core.guard.scope import Scope
from core.guard.verdict import load_table
from core.guard.words import HOLE, Call, Word, split_options
from core.guard.wrappers import judge_inner, small_file

_REMOTE_RUNNERS = ("npx", "uvx", "bunx", "pnpx")


def python(name: str, call: Call, scope: Scope) -> None:
    """python [OPTIONS] -c CODE | -m MODULE | FILE | -"""
    arguments = call.arguments
    index = 0
    while index < len(arguments) and arguments[index].option:
        word = arguments[index]
        text = word.text
        if not word.static and HOLE in text[:2]:
            scope.add("dynamic.argument", call, text)
            return
        match = re.match(r"^-[bBdEhiIOPqsSuvVx]*([cmWX])(.*)$", text, re.S)
        index += 1
        if text in ("--version", "-V", "-VV", "-h", "--help"):
            return
        if match is None:
            continue
        value = Word(match[2], word.static) if match[2] else arguments[index] if index < len(arguments) else Word("")
        index += 0 if match[2] else 1
        if match[1] == "c":
            code(value, call, scope)
            _mentions(arguments[index:], call, scope)
            return
        if match[1] == "m":
            module(value, arguments[index:], call, scope)
            return
    if index < len(arguments) and arguments[index].text not in ("-", "/dev/stdin"):
        _script(arguments[index], arguments[index + 1 :], call, scope)
    elif call.stdin is not None:
        _stdin(call, scope)


def code(word: Word, call: Call, scope: Scope) -> None:
    """Inline Python."""
    if word.static:
        pycode.analyse(word.text, call, scope)
    else:
        scope.add("dynamic.script", call, "python -c")
        pycode.analyse(word.text.replace(HOLE, "_"), call, scope)


def _stdin(call: Call, scope: Scope) -> None:
    stdin = call.stdin
    if stdin is None:
        return
    if stdin.text is not None:
        pycode.analyse(stdin.text, call, scope)
    elif stdin.path is not None:
        run_script(call, stdin.path, scope)
    else:
        scope.add("remote.code" if stdin.remote else "dynamic.script", call, "python")


def _mentions(words: tuple[Word, ...], call: Call, scope: Scope) -> None:
    for word in words:
        mention(call, word, scope)


def _script(word: Word, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """A script file; one that exists in the workspace is read for what is plain to see."""
    run_script(call, word, scope)
    _mentions(rest, call, scope)
    base = os.path.basename(word.text)
    if base in ("manage.py", "artisan"):
        subcommand(base, spec_of(base), call.inner((Word(base), *rest)), scope)
    elif base == "setup.py":
        for word in rest:
            if word.text in ("upload", "register", "install", "develop"):
                scope.add("publish.package" if word.text in ("upload", "register") else "system.packages", call, word.text)
    for place in scope.places(word) if word.static else []:
        text = small_file(place.path) if place.zone == "workspace" else None
        if text is not None:
            pycode.analyse(text, call, scope, lenient=True)


def module(word: Word, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """python -m MODULE: a known tool is judged as that tool, others run from the workspace."""
    name = word.text
    kind = load_table("arguments")["python_modules"].get(name, "")
    if not word.static:
        scope.add("dynamic.argument", call, name)
    elif kind in _MODULE_KINDS:
        _MODULE_KINDS[kind](name, rest, call, scope)
    elif kind:
        scope.add(kind, call, name)
        _mentions(rest, call, scope)
        if name == "http.server":
            for place in split_options(rest, frozenset(("--directory", "-d"))).get("--directory", "-d"):
                scope.write(call, place)
    elif known(name):
        evaluate(call.inner((Word(name), *rest)), scope)
    else:
        scope.add("script.workspace", call, name)
        _mentions(rest, call, scope)


def _environment(name: str, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """python -m venv FOLDER"""
    if any(word.text == "--clear" for word in rest):
        scope.add("delete.workspace", call, name)
    for target in split_options(rest, frozenset(("--prompt",))).operands:
        scope.write(call, target)


def _timed(name: str, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """python -m timeit: setup and statements are code."""
    options = split_options(rest, frozenset(("-n", "-r", "-s", "-u", "--number", "--repeat", "--setup", "--unit")))
    for snippet in [*options.operands, *options.get("-s", "--setup")]:
        code(snippet, call, scope)


def _module_reads(name: str, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """json.tool writes its second operand, the others only read."""
    for index, target in enumerate(split_options(rest, frozenset(("--indent",))).operands):
        if index and name == "json.tool":
            scope.write(call, target)
        else:
            scope.read(call, target)


def _module_packs(name: str, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """tarfile and zipfile: -c and -e write."""
    writes = any(word.text in ("-c", "-e", "--create", "--extract") for word in rest)
    for target in split_options(rest).operands:
        if writes:
            scope.write(call, target)
        else:
            scope.read(call, target)


_MODULE_KINDS = {"venv": _environment, "timeit": _timed, "read": _module_reads, "archive": _module_packs}


def make(name: str, call: Call, scope: Scope) -> None:
    """make, just, task and the like: targets that install, deploy or publish ask, and so do other folders and shells."""
    options = split_options(
        call.arguments,
        valued(name)
        | frozenset(
            ["-C", "-f", "-I", "-o", "-W", "--directory", "--file", "--makefile", "-d", "--justfile", "--working-directory", "-l", "--load-average"]
        ),
    )
    for word in options.get("-C", "-f", "--directory", "--file", "--makefile", "-d", "--justfile", "--working-directory", "-I"):
        if scope.zones(word) - {"workspace"}:
            scope.add("exec.outside", call, word.text)
    if options.has("--eval", "--eval=") or any(re.match(r"^-?-?(SHELL|MAKEFLAGS|\.SHELLFLAGS)=", word.text) for word in options.operands):
        scope.add("dynamic.script", call, name)
    for word in options.operands:
        if not word.static or re.search(r"=.*[`$;|]", word.text):
            scope.add("dynamic.argument", call, word.text)
        elif RISKY_TARGET.search(word.text) and not options.has("-n", "--dry-run", "--just-print"):
            scope.add("cloud.change", call, f"{name} {word.text}")
    if call.stdin is not None and any(word.text in ("-", "/dev/stdin") for word in options.get("-f", "--file", "--makefile")):
        scope.add("dynamic.script", call, name)
    build(name, call, options, scope)


def package_runner(name: str, call: Call, scope: Scope) -> None:
    """npx, uvx and the like: a tool of the tables is judged as itself, any other package is code from the registry."""
    options = split_options(
        call.arguments, frozenset(("-p", "--package", "--from", "--with", "--python", "-c", "--call", "-w")), stop_at_operand=True
    )
    for word in options.get("-c", "--call"):
        judge_inner(word.text, call, scope)
    extra = options.get("-p", "--package", "--from", "--with")
    run_package(options.operands, call, scope, local=options.has("--no-install", "--no", "--offline"), extra=bool(extra))


def run_package(words: list[Word], call: Call, scope: Scope, *, local: bool = False, extra: bool = False) -> None:
    """Run one package's program with its arguments."""
    if not words:
        return
    name = re.sub(r"(?<=.)@[\w.^~*-]+$", "", words[0].text)
    tool = name.rpartition("/")[2] if name.startswith("@") else name
    trusted = tool in classes() and classes()[tool] in ("build", "read", "text", "list") or known(tool)
    if extra or not words[0].static or not trusted and not local or re.search(r"^(https?|git|github):|^[^@][^/]*/", name):
        scope.add("remote.code", call, words[0].text)
    elif known(tool):
        evaluate(call.inner((Word(tool), *words[1:])), scope)
    else:
        scope.add("script.workspace", call, tool)


def runner(name: str, call: Call, scope: Scope) -> None:
    """poetry run, bundle exec …: the rest is a command; everything else is in the table."""
    arguments = call.arguments
    verbs = load_table("arguments")["runners"].get(name, "").split()
    place = next((i for i, word in enumerate(arguments) if not word.option), len(arguments))
    if place >= len(arguments) or arguments[place].text not in verbs or name == "yarn" and arguments[place].text == "run":
        if name == "bun" and place < len(arguments) and re.search(r"\.[cm]?[jt]sx?$", arguments[place].text):
            run_script(call, arguments[place], scope)
            return
        if name == "cargo" and place < len(arguments) and arguments[place].text.startswith("+"):
            call = call.inner((call.words[0], *arguments[:place], *arguments[place + 1 :]))
        by_table(name, call, scope)
        return
    rest = list(arguments[place + 1 :])
    while rest and rest[0].option:
        flag = rest.pop(0).text
        if (
            flag
            in ("--with", "-p", "--package", "--from", "--spec", "-n", "--name", "-C", "--directory", "--extra", "--group", "--python", "--env-file")
            and rest
        ):
            if flag in ("--with", "--package", "--from", "--spec"):
                check = rest[0]
                scope.add("install.packages" if re.fullmatch(r"[\w.\[\]=<>~-]+", check.text) else "remote.code", call, check.text)
            rest.pop(0)
        elif flag in ("-c", "--call") and rest:
            judge_inner(rest.pop(0).text, call, scope)
    if not rest:
        return
    if name in ("npm", "bun", "pipx"):
        run_package(rest, call, scope)
    elif rest[0].text.endswith(".py"):
        evaluate(call.inner((Word("python"), *rest)), scope)
    elif not known(rest[0].text) and rest[0].static and "/" not in rest[0].text:
        scope.add("script.workspace", call, rest[0].text)
    else:
        evaluate(call.inner(tuple(rest)), scope)


def go(name: str, call: Call, scope: Scope) -> None:
    """go run and go install of a module by address are remote code; -exec and -toolexec start programs."""
    words = [word for word in call.arguments if not word.option]
    if any(word.text.partition("=")[0] in ("-exec", "-toolexec", "-vettool", "--toolexec") for word in call.arguments):
        scope.add("exec.library", call, name)
    if words and words[0].text in ("run", "install"):
        target = words[1].text if len(words) > 1 else "."
        remote = "@" in target or re.match(r"^[\w-]+\.[a-z]+/", target)
        scope.add("remote.code" if remote else "build.tool" if words[0].text == "run" else "system.packages", call, target)
    elif words and words[0].text == "env" and any(word.text == "-w" for word in call.arguments):
        scope.add("env.persist", call, "go env -w")
    elif words and words[0].text == "clean" and any(word.text in ("-modcache", "-cache") for word in call.arguments):
        scope.add("system.packages", call, "go clean")
    else:
        by_table(name, call, scope)
    for index, word in enumerate(call.arguments[1:]):
        if call.arguments[index].text == "-o":
            scope.write(call, word)


def java(name: str, call: Call, scope: Scope) -> None:
    """java -jar FILE, java CLASS: code of the workspace."""
    arguments = call.arguments
    if any(re.match(r"^(-javaagent|-agentpath|-agentlib|-XX:On)", word.text) for word in arguments):
        scope.add("exec.library", call, name)
    jars = [arguments[i + 1] for i, word in enumerate(arguments[:-1]) if word.text == "-jar"]
    for jar in jars:
        run_script(call, jar, scope)
    if not jars:
        scope.add("script.workspace", call, name)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3", "py", "ipython"), python),
    **dict.fromkeys(
        ("make", "gmake", "bmake", "just", "task", "rake", "invoke", "ninja", "gulp", "grunt", "doit", "remake", "scons", "meson", "waf"), make
    ),
    **dict.fromkeys(_REMOTE_RUNNERS, package_runner),
    "go": go,
    "java": java,
    "pip3": lambda n, c, s: by_table("pip", c, s),
}


def table_handlers() -> dict[str, Handler]:
    """The runners named in tables/arguments.json."""
    return dict.fromkeys(load_table("arguments")["runners"], runner)
