"""Programs and built-ins that start another command or read another script."""

from __future__ import annotations

import re

from core.guard.programs import Handler, evaluate, run_script, secret_name, write_named
from core.guard.scope import MAX_WORDS, Scope
from core.guard.verdict import load_table
from core.guard.words import HOLE, Call, Word, split_options

_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "yash", "posh", "oksh", "xonsh", "elvish", "nu")
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*\+?=")
_OPTION_LIKE = re.compile(r"^-[a-zA-Z]*c$")


def judge_inner(text: str, call: Call, scope: Scope, shell: str = "posix") -> None:
    """Judge a script inside a command; its working directory does not outlive it."""
    from core.guard.shells import walk_script

    walk_script(text, scope.child(call=call, shell=shell))


def inner_words(call: Call, index: int, scope: Scope) -> None:
    """The words from `index` on are a command of their own."""
    words = call.arguments[index:]
    if words:
        evaluate(call.inner(words), scope)


def wrapper(name: str, call: Call, scope: Scope) -> None:
    """nice, timeout, nohup and the like: skip their own options and operands, then judge the rest."""
    spec = load_table("wrappers")["plain"][name]
    values, operands = spec.get("values", "").split(), int(spec.get("operands", 0))
    index = 0
    arguments = call.arguments
    for flag, rule in spec.get("veto", {}).items():
        if any(word.text == flag for word in arguments):
            scope.add(rule, call, flag)
    while index < len(arguments) and (arguments[index].option or operands):
        text = arguments[index].text
        if text == "--":
            index += 1
            break
        if arguments[index].option:
            index += 2 if text in values else 1
        else:
            operands -= 1
            index += 1
    for word in arguments[:index]:
        if not word.static:
            scope.add("dynamic.argument", call, word.text)
    _reports(arguments[:index], spec.get("outputs", "").split(), call, scope)
    if "rule" in spec:
        scope.add(spec["rule"], call, name)
    inner_words(call, index, scope)


def _reports(words: tuple[Word, ...], options: list[str], call: Call, scope: Scope) -> None:
    """The files that a wrapper writes about its command; strace takes a command after | and !."""
    for word in split_options(words, frozenset(options)).get(*options) if options else ():
        if word.text[:1] in ("|", "!"):
            scope.add("dynamic.script", call, word.text)
        else:
            write_named(call, word, scope)


def env(name: str, call: Call, scope: Scope) -> None:
    """env [-i] [-u NAME] [NAME=VALUE]… [COMMAND]"""
    arguments = call.arguments
    index = 0
    while index < len(arguments):
        text = arguments[index].text
        if text in ("-S", "--split-string") or text.startswith(("-S", "--split-string=")):
            rest = text[2:] if text.startswith("-S") and len(text) > 2 else text.partition("=")[2]
            tail = " ".join(word.text for word in arguments[index + 1 :])
            judge_inner((rest + " " + tail).strip(), call, scope)
            return
        if text in ("-u", "--unset", "-C", "--chdir"):
            if text in ("-C", "--chdir") and index + 1 < len(arguments):
                scope.move(arguments[index + 1])
            index += 2
        elif text == "--" or arguments[index].option or text == "-":
            index += 1
        elif _ASSIGNMENT.match(text):
            variable, _, value = text.partition("=")
            assign(variable, Word(value, arguments[index].static), call, scope)
            index += 1
        else:
            break
    inner_words(call, index, scope)


def assign(name: str, value: Word | None, call: Call, scope: Scope, *, exported: bool = True) -> None:
    """A variable is set for a command: names that change how programs load or start others ask."""
    table = load_table("wrappers")["environment"]
    name = name.rstrip("+")
    safe = table["safe"].get(name)
    text = value.text if value is not None else ""
    if safe is not None and value is not None and value.static and re.fullmatch(safe, text):
        return
    pieces = [piece for piece in text.split(":") if piece]
    if (
        name in table["inside"]
        and value is not None
        and value.static
        and all(scope.zones(Word(piece)) <= {"workspace", "project"} for piece in pieces)
    ):
        return
    if re.fullmatch("|".join(table["dangerous"]), name) and (exported or name not in ("PS4", "PS1")):
        scope.add("env.assign", call, name)


def command(name: str, call: Call, scope: Scope) -> None:
    """command, builtin, exec, with -v and -V only looking a name up."""
    arguments = call.arguments
    index = 0
    while index < len(arguments) and arguments[index].option:
        if name == "command" and arguments[index].text in ("-v", "-V", "-pv", "-pV"):
            return
        index += 2 if name == "exec" and arguments[index].text == "-a" else 1
    inner_words(call, index, scope)


def elevate(name: str, call: Call, scope: Scope) -> None:
    """sudo, su and the like: another user's rights, and what they start."""
    scope.add("privilege.root", call, name)
    valued = load_table("wrappers")["elevate"].get(name, "").split()
    arguments = call.arguments
    index = 0
    while index < len(arguments) and (arguments[index].option or _ASSIGNMENT.match(arguments[index].text)):
        if arguments[index].text in ("-c", "--command") and name in ("su", "runuser") and index + 1 < len(arguments):
            judge_inner(arguments[index + 1].text, call, scope)
            return
        index += 2 if arguments[index].text in valued else 1
    if name not in ("su", "runuser"):
        inner_words(call, index, scope)


def shell(name: str, call: Call, scope: Scope) -> None:
    """sh -c TEXT, sh FILE, and sh that reads its standard input."""
    arguments = call.arguments
    index = 0
    while index < len(arguments) and (arguments[index].option or arguments[index].text.startswith("+")):
        word = arguments[index]
        if not word.static:
            scope.add("dynamic.script", call, word.text)
            return
        if _OPTION_LIKE.match(word.text) or word.text == "--command":
            script(arguments[index + 1] if index + 1 < len(arguments) else None, call, scope)
            return
        if word.text in ("--rcfile", "--init-file", "-O", "-o", "+o", "+O"):
            if word.text.startswith("--"):
                scope.add("exec.library", call, word.text)
            index += 1
        index += 1
        if word.text in ("--", "-s"):
            break
    if index < len(arguments) and not (index and arguments[index - 1].text == "-s"):
        script_file(arguments[index], call, scope)
        return
    read_stdin(call, scope)


def script(text: Word | None, call: Call, scope: Scope) -> None:
    """The text given to -c or eval."""
    if text is None:
        return
    if not text.static:
        scope.add("remote.code" if scope.report.sends else "dynamic.script", call, text.text)
        if HOLE not in text.text[:1]:
            judge_inner(text.text.replace(HOLE, "$_"), call, scope)
        return
    judge_inner(text.text, call, scope)


def script_file(word: Word, call: Call, scope: Scope) -> None:
    """A script file is run by a shell; a file that exists in the workspace is read and judged as well."""
    run_script(call, word, scope)
    if not word.static or word.glob:
        return
    for place in scope.places(word):
        if place.zone == "workspace" and not place.secret:
            text = small_file(place.path)
            if text is not None:
                judge_inner(text, call, scope, {"bat": "cmd", "cmd": "cmd", "ps1": "powershell"}.get(word.text.lower().rpartition(".")[2], "posix"))


def start_file(word: Word, call: Call, scope: Scope) -> None:
    """A file of the workspace is started by its own name; a shell script is read like `sh FILE`."""
    first = [small_file(place.path) or "" for place in scope.places(word)] if word.static and not word.glob else []
    if any(re.match(r"#!.*\b(ba|z|k|da)?sh\b", text) for text in first) or word.text.endswith((".sh", ".bash", ".bat", ".cmd", ".ps1")):
        script_file(word, call, scope)
    else:
        run_script(call, word, scope)


def small_file(path: str, limit: int = 65536) -> str | None:
    """The text of a regular file of at most `limit` bytes, or None."""
    import os

    try:
        if not os.path.isfile(path) or os.path.getsize(path) > limit:
            return None
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def read_stdin(call: Call, scope: Scope) -> None:
    """A shell or interpreter that takes its script from the standard input."""
    stdin = call.stdin
    if stdin is None:
        return
    if stdin.text is not None:
        judge_inner(stdin.text, call, scope)
    else:
        if stdin.path is not None:
            script_file(stdin.path, call, scope)
        scope.add("remote.code" if stdin.remote else "dynamic.script", call, call.name)


def printenv(name: str, call: Call, scope: Scope) -> None:
    """printenv NAME…"""
    for word in call.arguments:
        if secret_name(word.text) or not word.static:
            scope.add("secret.env", call, word.text)


def evaluate_text(name: str, call: Call, scope: Scope) -> None:
    """eval TEXT…"""
    words = call.arguments
    if not words:
        return
    script(Word(" ".join(word.text for word in words), all(word.static for word in words)), call, scope)
    scope.move(None)


def source(name: str, call: Call, scope: Scope) -> None:
    """source FILE: runs in this very shell, so that its directory may change too."""
    if not call.arguments:
        return
    word = call.arguments[0]
    if word.text == "/dev/stdin":
        read_stdin(call, scope)
        return
    if not word.static:
        scope.add("remote.code" if scope.report.sends else "dynamic.script", call, word.text)
        return
    script_file(word, call, scope)


def trap(name: str, call: Call, scope: Scope) -> None:
    """trap TEXT SIGNAL…"""
    words = [word for word in call.arguments if not word.option]
    if len(words) > 1:
        script(words[0], call, scope)


def alias(name: str, call: Call, scope: Scope) -> None:
    """alias NAME=TEXT: the text is judged where it is defined."""
    for word in call.arguments:
        key, equals, value = word.text.partition("=")
        if equals:
            script(Word(value, word.static), call, scope)
            if re.search(r"(?:^|[;&|(]\s*)\S*\b(?:rm|unlink|shred|truncate|dd)\b(?!\s+-[iI]$)[^;&|]*$", value):  # its operands come later
                scope.add("delete.dynamic", call, value)
            if secret_name(key) or value.split(" ")[0] != key:
                scope.functions.discard(key)


def change_directory(name: str, call: Call, scope: Scope) -> None:
    """cd, pushd, popd: later relative paths start elsewhere."""
    words = [word for word in call.arguments if not word.option or word.text == "-"]
    if name == "popd" or words and (words[0].text == "-" or words[0].text[:1] in "+"):
        scope.move(None)
    elif words:
        scope.move(words[0])
    elif name == "cd":
        scope.move(Word("~"))


def xargs(name: str, call: Call, scope: Scope) -> None:
    """xargs and parallel: the standard input becomes arguments."""
    spec = load_table("wrappers")["xargs"][name]
    arguments = call.arguments
    index, replace = 0, ""
    while index < len(arguments) and arguments[index].option:
        text = arguments[index].text
        if text.startswith("-I") or text in ("-i", "--replace"):
            replace = text[2:] or (arguments[index + 1].text if text == "-I" and index + 1 < len(arguments) else "{}")
        index += 2 if text in spec.split() else 1
    words = list(arguments[index:])
    for place, word in enumerate(words):
        if word.text in (":::", "::::", ":::+"):
            words = words[:place] + [Word(w.text, w.static) for w in words[place + 1 :]]
            break
    if not words:
        if name == "parallel":
            scope.add("dynamic.command", call, name)
        return
    filler = Word("*", glob=True) if call.stdin is not None and call.stdin.names else Word(HOLE, static=False)
    known = call.stdin.text.split() if call.stdin is not None and call.stdin.text else []
    if name == "parallel" and len(words) == 1 and " " in words[0].text:
        judge_inner(words[0].text.replace("{}", "*" if filler.static else "$_"), call, scope)
        return
    marker = replace or ("{}" if name == "parallel" else "")
    if not marker or not any(marker in word.text for word in words):
        evaluate(call.inner((*words, *([Word(text) for text in known[:MAX_WORDS]] or [filler]))), scope)
        return
    for item in [Word(text) for text in known[:16]] or [filler]:
        evaluate(call.inner(tuple(_filled(word, marker, item) for word in words)), scope)


def _filled(word: Word, marker: str, item: Word) -> Word:
    """The word with the item in place of the marker."""
    if marker not in word.text:
        return word
    return Word(word.text.replace(marker, item.text), word.static and item.static, word.glob or item.glob)


def watch(name: str, call: Call, scope: Scope) -> None:
    """watch and entr-like programs: the rest is a shell text."""
    options = split_options(call.arguments, frozenset(("-n", "--interval", "-d")), stop_at_operand=True)
    words = options.operands
    if words:
        script(Word(" ".join(word.text for word in words), all(word.static for word in words)), call, scope)


def other_shell(name: str, call: Call, scope: Scope) -> None:
    """powershell and cmd, started from any shell."""
    from core.guard import shells

    shells.foreign(name, call, scope)


def flock(name: str, call: Call, scope: Scope) -> None:
    """flock FILE COMMAND, or flock FILE -c TEXT."""
    words = split_options(call.arguments, frozenset(("-w", "-E", "--timeout")), stop_at_operand=True).operands
    if words:
        scope.write(call, words[0])
    if len(words) > 2 and words[1].text in ("-c", "--command"):
        script(words[2], call, scope)
    elif len(words) > 1:
        evaluate(call.inner(tuple(words[1:])), scope)


def busybox(name: str, call: Call, scope: Scope) -> None:
    """busybox and toybox: the applet is the program."""
    inner_words(call, 0, scope)


HANDLERS: dict[str, Handler] = {
    "printenv": printenv,
    **dict.fromkeys(_SHELLS, shell),
    "env": env,
    "command": command,
    "builtin": command,
    "exec": command,
    "eval": evaluate_text,
    "source": source,
    ".": source,
    "trap": trap,
    "alias": alias,
    "cd": change_directory,
    "pushd": change_directory,
    "popd": change_directory,
    "chdir": change_directory,
    "xargs": xargs,
    "parallel": xargs,
    "watch": watch,
    "flock": flock,
    "busybox": busybox,
    "toybox": busybox,
    "powershell": other_shell,
    "pwsh": other_shell,
    "cmd": other_shell,
    "wsl": busybox,
}


def table_handlers() -> dict[str, Handler]:
    """The wrappers of tables/wrappers.json."""
    table = load_table("wrappers")
    return {**dict.fromkeys(table["plain"], wrapper), **dict.fromkeys(table["elevate"], elevate)}
