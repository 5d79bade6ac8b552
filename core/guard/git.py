"""git: reading and recoverable sub-commands run, those that lose work, rewrite history or start programs ask."""

from __future__ import annotations

import os
import re

from core.guard.programs import Handler, evaluate
from core.guard.scope import Scope
from core.guard.verdict import load_table
from core.guard.words import Call, Options, Word, split_options
from core.guard.wrappers import script

_FILE_LIKE = re.compile(
    r"^\.{1,2}$|^\./|^\.\./|/$|[*?]|^(src|lib|tests?|docs?|core|app|config|README|LICENSE|Makefile|Dockerfile|\.\w+)$"
    r"|\.(py|pyi|js|jsx|mjs|cjs|ts|tsx|json|md|rst|txt|ya?ml|toml|cfg|ini|conf|html?|css|scss|less|c|h|cc|cpp|hpp|cs|fs|java|kt|kts|go|rs|rb|php|sh|bash|zsh|ps1|bat|cmd|sql|xml|csv|tsv"
    r"|lock|env|ipynb|vue|svelte|swift|exs?|erl|hs|mli?|lua|pl|pm|r|jl|dart|scala|clj|proto|gradle|tf|tfvars|db|sqlite|log|png|jpe?g|gif|svg|pdf|ico|lock|mod|sum|in|tpl|j2|patch|diff)$",
    re.I,
)


def git(name: str, call: Call, scope: Scope) -> None:
    """git [GLOBAL OPTIONS] SUB-COMMAND …"""
    table = load_table("git")
    arguments = call.arguments
    index = 0
    stopped = False
    while index < len(arguments) and arguments[index].option:
        option = arguments[index].text.partition("=")[0]
        if option in ("--help", "--version", "--html-path", "--man-path", "--info-path"):
            return
        if option in table["global_ask"] or option[:2] in ("-c", "-C"):
            scope.add("git.options", call, option)
            stopped = True
        elif option not in table["global_free"]:
            scope.add("git.options", call, option)
        index += 2 if option in table["global_valued"] and "=" not in arguments[index].text and arguments[index].text == option else 1
    if index >= len(arguments):
        return
    sub = arguments[index]
    if not sub.static:
        scope.add("dynamic.argument", call, sub.text)
        return
    rest = arguments[index + 1 :]
    if rest[-1:] and rest[-1].text in ("--help", "-h"):
        return
    _subcommand(sub.text, rest, call, scope)
    if stopped and sub.text in ("clone", "fetch", "pull"):
        scope.add("git.exec", call, sub.text)


def _subcommand(sub: str, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    table = load_table("git")
    options = split_options(rest, frozenset(table["valued"].get(sub, "").split()))
    special = _SPECIAL.get(sub)
    label = f"git {sub}"
    for flag, rule in {**table["flags"].get("*", {}), **table["flags"].get(sub, {})}.items():
        if options.has(flag):
            scope.add(rule, call, f"{label} {flag}")
    if special is not None:
        special(options, rest, call, scope)
    else:
        rule = next((rule for rule, subs in table["subs"].items() if sub in subs.split()), "unknown.subcommand")
        scope.add(rule, call, label)
    if sub in table["reads_paths"]:
        for word in options.operands:
            scope.read(call, Word(word.text.rpartition(":")[2], word.static, word.glob), contents=False)
    for word in options.get("-o", "--output", "--output-directory", "--directory"):
        scope.write(call, word)


def _push(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    if options.has("-n", "--dry-run"):
        scope.add("network.git", call, "git push")
        return
    force = options.has("-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete", "--prune") or any(
        w.text[:1] in "+:" for w in options.operands
    )
    scope.add("git.history" if force else "git.push", call, "git push")


def _reset(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    risky = options.has("--hard", "--merge", "--keep") or any(not word.static for word in rest)
    scope.add("git.discard" if risky else "git.local", call, "git reset")


def _checkout(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    dashed = any(word.text == "--" for word in rest)
    words = options.operands
    if options.has("-b", "--orphan", "-t", "--track", "--detach", "-d") and not dashed:
        risky = options.has("-f", "--force")
    else:
        names = words[:1] if len(words) == 1 and not dashed else []
        risky = options.has("-f", "--force", "-B", "-p", "--patch", "--ours", "--theirs", "-m", "--merge") or dashed or len(words) > 1
        risky = risky or any(_names_file(word, scope) for word in names)
    scope.add("git.discard" if risky else "git.local", call, "git checkout")


def _names_file(word: Word, scope: Scope) -> bool:
    """Whether the operand of git checkout is a path rather than a branch."""
    if not word.static or _FILE_LIKE.search(word.text):
        return True
    return any(os.path.exists(place.path) for place in scope.places(word) if place.zone == "workspace")


def _switch(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    scope.add("git.discard" if options.has("-C", "--force-create", "-f", "--force", "--discard-changes") else "git.local", call, "git switch")


def _restore(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    staged = options.has("-S", "--staged") and not options.has("-W", "--worktree")
    scope.add("git.local" if staged else "git.discard", call, "git restore")


def _clean(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    scope.add("read.only" if options.has("-n", "--dry-run") else "git.discard", call, "git clean")


def _branch(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    risky = options.has("-D", "-M", "-C", "-f", "--force") or options.has("-d", "--delete") and options.has("-r", "--remotes")
    scope.add("git.history" if risky else "git.local", call, "git branch")


def _tag(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    scope.add("git.history" if options.has("-d", "--delete", "-f", "--force") else "git.local", call, "git tag")


def _stash(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    first = options.operands[0].text if options.operands else "push"
    scope.add("git.discard" if first in ("drop", "clear") else "git.local", call, "git stash " + first)


def _remove(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    if options.has("--cached", "-n", "--dry-run"):
        scope.add("git.local", call, "git rm")
    else:
        risky = options.has("-f", "--force", "-r") or any(word.glob or not word.static for word in options.operands)
        scope.add("git.discard" if risky else "git.local", call, "git rm")


def _config(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    reading = options.has("--get", "--list", "-l", "--get-all", "--get-regexp", "--get-urlmatch") or rest and rest[0].text in ("get", "list")
    words = [word for word in options.operands if word.text not in ("get", "set", "list")]
    elsewhere = options.has("-f", "--file", "--global", "--system", "--blob", "--worktree")
    if reading or len(words) == 1 and not options.values and rest[0].text != "unset":
        if words and re.search(r"token|password|secret|credential|extraheader", words[0].text, re.I):
            scope.add("secret.program", call, words[0].text)
        for word in options.get("-f", "--file"):
            scope.read(call, word)
        return
    safe = len(words) == 2 and all(word.static for word in words) and re.fullmatch(load_table("git")["safe_config"], words[0].text, re.I)
    scope.add(
        "git.local" if safe and not elsewhere and not options.has("--unset", "--edit", "-e") else "git.config",
        call,
        words[0].text if words else "git config",
    )


def _remote(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    first = options.operands[0].text if options.operands else ""
    if first in ("", "show", "get-url") or first == "-v":
        scope.add("read.only", call, "git remote")
    elif first == "add" and len(options.operands) == 3 and re.match(r"https://|git@|ssh://", options.operands[2].text):
        scope.add("git.local", call, "git remote add")
    elif first in ("update", "prune"):
        scope.add("network.git", call, "git remote " + first)
    else:
        scope.add("git.config", call, "git remote " + first)


def _clone(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    source = options.operands[0] if options.operands else Word("")
    if re.match(r"ext::|fd::|-|file:", source.text) or not source.static:
        scope.add("git.exec", call, source.text)
    scope.add("network.git", call, source.text)
    target = options.operands[1] if len(options.operands) > 1 else Word(re.sub(r"\.git$", "", source.text.rstrip("/").rpartition("/")[2]) or "repo")
    scope.write(call, target)


def _worktree(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    words = options.operands
    first = words[0].text if words else "list"
    if first == "add" and len(words) > 1 and not options.has("-f", "--force", "-B"):
        scope.write(call, words[1])
    else:
        scope.add("read.only" if first in ("list", "lock", "unlock") else "git.history", call, "git worktree " + first)


def _runs(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """Sub-commands whose operand is a command: git bisect run, git submodule foreach, git rebase --exec."""
    words = options.operands
    scope.add("git.local", call, "git " + (words[0].text if words else ""))
    for word in options.get("-x", "--exec"):
        script(word, call, scope)
    if words and words[0].text in ("run", "foreach"):
        command = tuple(word for word in rest[1:] if word.text not in ("--recursive", "--quiet"))
        if len(command) > 1:
            evaluate(call.inner(command), scope)
        elif command:
            script(command[0], call, scope)
    elif words and words[0].text in ("deinit", "set-url", "set-branch"):
        scope.add("git.discard", call, words[0].text)
    elif words and words[0].text in ("add",):
        scope.add("network.git", call, words[0].text)


def _reflog(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    first = options.operands[0].text if options.operands else "show"
    scope.add("git.history" if first in ("expire", "delete", "drop") else "read.only", call, "git reflog")


def _symbolic(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    reading = len(options.operands) == 1 and not options.has("-d", "--delete")
    scope.add("read.only" if reading else "git.history", call, "git symbolic-ref")


def _mv(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    scope.add("git.local", call, "git mv")
    for word in options.operands:
        scope.write(call, word)


def _maintenance(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    scope.add("git.local" if options.operands and options.operands[0].text == "run" else "system.schedule", call, "git maintenance")


def _garbage(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    risky = any(option.startswith("--prune") or option == "--expire" for option in options.values)
    scope.add("git.history" if risky else "git.local", call, "git gc")


def _inspect(options: Options, rest: tuple[Word, ...], call: Call, scope: Scope) -> None:
    """git notes, bundle, sparse-checkout, lfs: the first operand decides."""
    first = options.operands[0].text if options.operands else "list"
    safe = (
        "list",
        "show",
        "ls-files",
        "status",
        "env",
        "verify",
        "create",
        "track",
        "append",
        "add",
        "copy",
        "init",
        "set",
        "disable",
        "log",
        "version",
        "list-heads",
    )
    scope.add("git.local" if first in safe else "network.git" if first in ("pull", "fetch", "clone") else "git.history", call, "git " + first)
    if first == "create" and len(options.operands) > 1:
        scope.write(call, options.operands[1])


_SPECIAL = {
    "push": _push,
    "reset": _reset,
    "checkout": _checkout,
    "co": _checkout,
    "switch": _switch,
    "restore": _restore,
    "clean": _clean,
    "branch": _branch,
    "tag": _tag,
    "stash": _stash,
    "rm": _remove,
    "config": _config,
    "remote": _remote,
    "clone": _clone,
    "worktree": _worktree,
    "bisect": _runs,
    "submodule": _runs,
    "rebase": _runs,
    "reflog": _reflog,
    "mv": _mv,
    "maintenance": _maintenance,
    "symbolic-ref": _symbolic,
    "gc": _garbage,
    "prune": lambda o, r, c, s: s.add("git.history", c, "git prune"),
    "notes": _inspect,
    "bundle": _inspect,
    "sparse-checkout": _inspect,
    "lfs": _inspect,
}
HANDLERS: dict[str, Handler] = {"git": git}
