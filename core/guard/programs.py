"""What one simple command does: the tables first, then the handler of the program where a table is too coarse."""

from __future__ import annotations

import functools
import importlib
import os
import re
from collections.abc import Callable
from typing import Any

from core.guard.scope import Scope, system_program
from core.guard.verdict import load_table, words_in
from core.guard.words import HOLE, Call, Options, Word, split_options

Handler = Callable[[str, Call, Scope], None]
_HANDLERS = ("wrappers", "files", "search", "text", "git", "network", "languages", "services", "builtins")
_SECRET_NAME = re.compile(
    r"(API_?KEY|ACCESS_?KEY|SECRET|TOKEN|PASSW(OR)?D|PASSPHRASE|PRIVATE_?KEY|CREDENTIAL|_PAT$|_PWD$|^PGPASS|AUTH_?KEY|SIGNING_?KEY)", re.I
)
_VERSIONED = re.compile(r"^(python|pypy|perl|ruby|node|nodejs|php|lua|gcc|g\+\+|clang|clang\+\+|pip|pydoc|idle|tclsh)-?\d[\d.]*(-\d+)?$")
_OUTPUT_OPTION = re.compile(
    r"^--?(out|output|outdir|out-dir|outfile|output-\w+|dest|destination|prefix|target-dir|install-\w+|root|basetemp|html-dir|site-dir|report-dir|destdir)"
    r"(?:-\w+)?$",
    re.I,
)
_INSTALL_SOURCE = re.compile(
    r"^(https?|git|ssh|ftp|file|git\+\w+|github|gitlab|bitbucket|gist|svn\+\w+|hg\+\w+):|^\w+@[\w.-]+:|@\s*(git\+|https?:)", re.I
)
_INSTALL_OPTIONS = (
    "--index-url",
    "-i",
    "--extra-index-url",
    "--registry",
    "--trusted-host",
    "--find-links",
    "-f",
    "--git",
    "--index",
    "--default-index",
    "--source",
    "--repository",
)
_INSTALL_TARGETS = ("--target", "-t", "--prefix", "--root", "--dest", "-d", "--install-dir", "--path")
RISKY_TARGET = re.compile(
    r"^(deploy|publish|release|install|uninstall|push|upload|drop|reset|destroy|wipe|nuke|purge|flash|rollback)([:_.-]|$)"
    r"|[:_.-](deploy|publish|release|drop|reset|destroy|wipe|nuke|purge|rollback)$"
)
_NODE_INSTALLERS = ("npm", "pnpm", "yarn", "bun")


def secret_name(name: str) -> bool:
    """Whether a variable's name says that it holds a key, token or password."""
    return bool(_SECRET_NAME.search(name))


@functools.cache
def handlers() -> dict[str, Handler]:
    """Program name -> handler, from the handler modules."""
    table: dict[str, Handler] = {}
    modules = [importlib.import_module("core.guard." + name) for name in _HANDLERS]
    for module in modules:
        table.update(module.table_handlers() if hasattr(module, "table_handlers") else {})
    for module in modules:
        table.update(module.HANDLERS)
    return table


@functools.cache
def classes() -> dict[str, str]:
    """Program name -> read, list, text, write, build, or the rule of a dangerous program."""
    data = load_table("programs")
    table = {name: kind for kind in ("build", "write", "list", "read", "text") for name in words_in(data[kind])}
    table.update({name: rule for rule, names in data["danger"].items() for name in words_in(names)})
    return table


@functools.cache
def valued(name: str) -> frozenset[str]:
    """The options of a program that take a value."""
    data = load_table("programs")
    return frozenset((data["valued"].get(name, "") + " " + data["outputs"].get(name, "")).split())


@functools.cache
def known(name: str) -> bool:
    """Whether some table or handler knows the program."""
    return name in handlers() or name in classes() or name in load_table("subcommands") or name in load_table("programs")["reads"]


def canonical(name: str, windows: bool = False) -> str:
    """The name that the tables use: without version digits, and without case and .exe on Windows."""
    if windows:
        name = re.sub(r"\.(exe|cmd|bat|com)$", "", name.lower())
    match = _VERSIONED.match(name)
    return match[1] if match else name


def evaluate(call: Call, scope: Scope) -> None:
    """Record everything that this simple command meets."""
    scope.count(call)
    for word in call.words:
        for name in word.names:
            if secret_name(name):
                scope.add("secret.env", call, name)
    first = call.words[0]
    if not first.static or first.glob or not first.text or HOLE in first.text:
        scope.add("dynamic.command", call, first.text)
        return
    name = _program(call, scope)
    if not name or name in scope.functions:
        return
    if _only_help(name, call):
        return
    handler = handlers().get(name)
    if handler is not None:
        handler(name, call, scope)
    else:
        by_table(name, call, scope)


def _program(call: Call, scope: Scope) -> str:
    """The table name of the program, or "" when a path settled the matter."""
    name = call.name.replace("\\", "/") if scope.roots.windows else call.name
    if "/" not in name:
        return canonical(name, scope.roots.windows)
    base = canonical(system_program(name) or os.path.basename(name), scope.roots.windows)
    if system_program(name) and not scope.roots.windows:
        return base
    zones = scope.zones(call.words[0])
    if zones <= {"workspace"}:
        if known(base):
            return base
        from core.guard.wrappers import start_file

        start_file(call.words[0], call, scope)
        return ""
    if known(base) and zones <= {"workspace", "project"} and "/bin/" in name:
        return base
    scope.add("exec.outside", call, name)
    return base if classes().get(base, "build") not in ("build", "read", "list", "text") or base in handlers() else ""


def run_script(call: Call, script: Word, scope: Scope) -> None:
    """A script file is started: one in the workspace may run, unless this very command line fetched it."""
    for place in scope.places(script):
        if place.path in scope.report.downloads:
            scope.add("remote.code", call, place.path)
        elif place.zone == "unknown" or not script.static:
            scope.add("dynamic.script", call, script.text)
        elif place.zone != "workspace":
            scope.add("script.skill" if scope.in_skill(place) else "exec.outside", call, place.path)
        elif place.secret or place.guarded == "write.policy":
            scope.add("secret.read", call, place.path)
        else:
            scope.add("script.workspace", call, place.path)


def _only_help(name: str, call: Call) -> bool:
    """Asked for its help or version a known program does nothing else."""
    arguments = [word.text for word in call.arguments]
    if arguments in (["--help"], ["--version"]):
        return True
    return (
        0 < len(arguments) <= 4
        and arguments[-1] == "--help"
        and (name in load_table("subcommands") or arguments[0] in load_table("subcommands"))
        and "--" not in arguments
        and not {"run", "exec", "x", "dlx"} & set(arguments)
    )


def by_table(name: str, call: Call, scope: Scope) -> None:
    """Judge a program that the tables describe; an unknown one asks."""
    data = load_table("programs")
    pattern = data["reads"].get(name)
    static = all(word.static for word in call.arguments)
    if pattern is not None and static and re.fullmatch(pattern, " ".join(word.text for word in call.arguments)):
        return
    spec = load_table("subcommands").get(name)
    if spec is not None:
        subcommand(name, spec, call, scope)
        return
    kind = classes().get(name)
    if kind is None:
        rule = "unknown.program" if pattern is None else "system.settings"
        scope.add(rule, call, name)
        return
    options = split_options(call.arguments, valued(name))
    if _vetoed(name, call, options, scope):
        return
    _by_class(kind, name, call, options, scope)


def _vetoed(name: str, call: Call, options: Options, scope: Scope) -> bool:
    data = load_table("programs")
    rules = [rule for option, rule in data["vetoes"].get(name, {}).items() if options.has(option)]
    for rule in rules:
        scope.add(rule, call, name)
    for word in options.get(*data["outputs"].get(name, "").split()):
        scope.write(call, word)
    return bool(rules)


def _by_class(kind: str, name: str, call: Call, options: Options, scope: Scope) -> None:
    if kind == "read":
        for word in options.operands:
            scope.read(call, word)
    elif kind == "list":
        for word in options.operands:
            scope.read(call, word, contents=False)
    elif kind == "write":
        for word in options.operands:
            write_named(call, word, scope)
    elif kind == "build":
        build(name, call, options, scope)
    elif kind != "text":
        scope.add(kind, call, name)


def write_named(call: Call, word: Word, scope: Scope) -> None:
    """A file is created or changed; an unknown name asks."""
    if not word.static:
        scope.add("overwrite.dynamic", call, word.text)
    else:
        scope.write(call, word)


def mention(call: Call, word: Word, scope: Scope) -> None:
    """An argument whose meaning the program knows alone: only a path to something secret matters."""
    text = word.text.rpartition("=")[2]
    if re.search(r"[./~]", text) and "://" not in text and " " not in text:
        scope.read(call, Word(text, word.static, word.glob, word.quoted), contents=False)


def build(name: str, call: Call, options: Options, scope: Scope) -> None:
    """Build, lint and test tools write where the workspace is; options that name an output are checked."""
    scope.add("build.tool", call, name)
    for word in options.operands:
        mention(call, word, scope)
    if name in load_table("programs")["last_written"].split() and len(options.operands) > 1:
        scope.write(call, options.operands[-1])
    arguments = call.arguments
    for index, word in enumerate(arguments):
        option, equals, value = word.text.partition("=")
        if not word.option or not _OUTPUT_OPTION.match(option):
            continue
        if equals:
            scope.write(call, Word(value, word.static))
        elif index + 1 < len(arguments):
            scope.write(call, arguments[index + 1])


@functools.cache
def _rules_of(name: str) -> dict[str, str]:
    """Sub-command -> rule."""
    spec = spec_of(name)
    return {sub.strip(): rule for rule, subs in spec.get("rules", {}).items() for sub in subs.split(",") if sub.strip()}


def spec_of(name: str) -> Any:
    """The sub-command table of a program, through its `like`."""
    spec = load_table("subcommands")[name]
    return load_table("subcommands")[spec["like"]] if "like" in spec else spec


def operands_after(call: Call, skip: str) -> list[Word]:
    """The words that are no global options; `skip` names the options that take a value."""
    found: list[Word] = []
    waiting = False
    for word in call.arguments:
        if waiting:
            waiting = False
        elif word.text == "--":
            break
        elif word.option:
            waiting = word.text in skip.split() and "=" not in word.text
        else:
            found.append(word)
    return found


def subcommand(name: str, spec: Any, call: Call, scope: Scope, default: str = "unknown.subcommand") -> str:
    """Judge by the longest sub-command that the table knows; the rule is added and returned."""
    spec = spec_of(name)
    for word in call.arguments:
        rule = spec.get("veto", {}).get(word.text.partition("=")[0])
        if rule:
            scope.add(rule, call, word.text)
            return str(rule)
    operands = operands_after(call, spec.get("skip", ""))
    rule = _match(name, spec, call, operands) or str(spec.get("default", default))
    if operands and not operands[0].static or len(operands) > 1 and not operands[1].static and rule == spec.get("default", default):
        rule = "dynamic.argument"
    scope.add(rule, call, " ".join([name, *(word.text for word in operands[:2])]))
    if rule == "install.packages":
        check_install(name, call, operands, scope)
    if rule in ("read.only", "build.tool"):
        for word in call.arguments:
            mention(call, word, scope)
    if (
        name == "yarn"
        and rule == "build.tool"
        and RISKY_TARGET.search(operands[0].text)
        or name == "npm"
        and operands
        and operands[0].text in ("init", "create")
        and len(operands) > 1
    ):
        scope.add("remote.code" if name == "npm" else "cloud.change", call, operands[-1].text)
    if rule == "build.tool" and len(operands) > 1 and operands[0].text in ("run", "run-script") and RISKY_TARGET.search(operands[1].text):
        scope.add("cloud.change", call, operands[1].text)
    return rule


def _match(name: str, spec: Any, call: Call, operands: list[Word]) -> str:
    table = _rules_of(name)
    texts = [word.text for word in operands]
    for length in (3, 2, 1):
        rule = table.get(" ".join(texts[:length])) if len(texts) >= length else None
        if rule:
            return rule
    if call.arguments and call.arguments[0].text in table:
        return table[call.arguments[0].text]
    return str(spec.get("empty", "read.only")) if not texts else ""


def check_install(name: str, call: Call, operands: list[Word], scope: Scope) -> None:
    """Packages come from the usual registry; a URL, a repository or another index is somebody's code."""
    for word in call.arguments:
        if word.text.partition("=")[0] in _INSTALL_OPTIONS and not (word.text in ("-i", "-f") and name in _NODE_INSTALLERS):
            scope.add("remote.code", call, word.text)
    for index, word in enumerate(call.arguments):
        option, equals, value = word.text.partition("=")
        if option in _INSTALL_TARGETS and (name not in _NODE_INSTALLERS or option == "--prefix"):
            target = Word(value, word.static) if equals else call.arguments[index + 1] if index + 1 < len(call.arguments) else Word(".")
            scope.write(call, target)
    for word in operands[1:]:
        text = word.text
        shorthand = name in _NODE_INSTALLERS and "/" in text and not text.startswith((".", "@", "/"))
        if _INSTALL_SOURCE.search(text) or shorthand or text.startswith(("/", "~", "..")) and "workspace" not in scope.zones(word):
            scope.add("remote.code", call, text)
        elif not word.static:
            scope.add("dynamic.argument", call, text)
