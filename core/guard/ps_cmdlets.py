"""What each kind of PowerShell cmdlet does with its arguments."""

from __future__ import annotations

import re

from core.guard.network import is_local
from core.guard.programs import known, run_script, secret_name
from core.guard.ps_values import Arguments, aliases, kinds
from core.guard.scope import Scope
from core.guard.windows import program
from core.guard.words import HOLE, Call, Word
from core.guard.wrappers import judge_inner

_DRIVE = re.compile(r"^(hklm|hkcu|hkcr|hku|hkcc|registry|microsoft\.powershell\.core\\registry|wsman|cert|function|alias|variable|env):", re.I)
_SERVICE_VERBS = ("stop", "start", "delete", "config", "create", "pause", "continue", "failure", "sdset", "triggerinfo")
_SAFE_VERBS = (
    "get",
    "test",
    "measure",
    "select",
    "where",
    "sort",
    "group",
    "format",
    "convertto",
    "convertfrom",
    "compare",
    "resolve",
    "split",
    "join",
    "find",
    "show",
    "write",
    "out",
    "assert",
    "should",
    "wait",
    "search",
)
_BUILD = (
    "invoke-pester",
    "invoke-build",
    "invoke-psake",
    "invoke-scriptanalyzer",
    "invoke-formatter",
    "new-fixture",
    "describe",
    "import-module",
    "remove-module",
    "start-job",
    "invoke-command",
    "start-threadjob",
    "start-transcript",
    "stop-transcript",
    "new-module",
    "export-modulemember",
    "new-event",
    "set-alias",
    "new-alias",
    "set-clipboard",
    "new-pesterconfiguration",
    "publish-coverage",
)


def run_cmdlet(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    """Judge one cmdlet by its kind; a verb that only looks is harmless, any other unknown cmdlet asks."""
    scope.count(call)
    for word in call.words:
        for used in word.names:
            if secret_name(used) and not used.startswith("="):
                scope.add("secret.env", call, used)
    if arguments.has("whatif", 2) and not any(word.text == "false" for word in arguments.find("whatif")):
        return
    kind = kinds().get(name)
    if kind is None:
        _unknown(name, arguments, call, scope)
    elif kind in _KINDS:
        _KINDS[kind](name, arguments, call, scope)
    elif kind == "text":
        _text(name, arguments, call, scope)
    else:
        scope.add(kind, call, name)


def _unknown(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    verb = name.partition("-")[0]
    if name == "set-alias" or name == "new-alias":
        words = arguments.positional + arguments.find("value")
        target = words[1].text.lower() if len(words) > 1 else HOLE
        kind = kinds().get(aliases().get(target, target), "")
        if kind not in ("text", "list", "read"):
            scope.add("dynamic.command", call, target)
        elif words:
            scope.functions.add(words[0].text.lower())
    elif name == "import-module":
        for word in arguments.positional[:1] + arguments.find("name"):
            if re.search(r"[\\/]", word.text) or not word.static:
                run_script(call, word, scope)
    elif name in ("invoke-command", "start-job", "start-threadjob"):
        if arguments.has("computername", 2) or arguments.has("session", 2) or arguments.has("hostname", 2) or arguments.has("vmname", 2):
            scope.add("network.session", call, name)
        for word in arguments.find("filepath", "scriptblock") + arguments.positional:
            if word.static and word.text.endswith(".ps1"):
                run_script(call, word, scope)
            elif word.names and not word.static:
                scope.add("dynamic.script", call, name)
    elif name in _BUILD:
        scope.add("build.tool", call, name)
    elif verb not in _SAFE_VERBS:
        scope.add("unknown.program", call, name)


def _text(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    """Cmdlets that only show or pass on; members called by name count."""
    if name == "foreach-object":
        for word in arguments.positional[:1] + arguments.find("membername"):
            if word.static and re.fullmatch(r"(delete|kill|moveto|copyto|stop|terminate|invoke|shutdown|reboot)", word.text, re.I):
                scope.add("inline.delete" if word.text.lower() == "delete" else "inline.process", call, word.text)
            elif word.names and not word.static and word.text == HOLE:
                scope.add("dynamic.script", call, name)
    elif name in ("set-variable", "new-variable"):
        for word in arguments.positional[:1] + arguments.find("name"):
            scope.variables["$" + word.text.lower()] = Word(HOLE, static=False)
    elif name == "pop-location":
        scope.move(None)
    elif name == "push-location" and arguments.positional:
        scope.move(arguments.positional[0])


def _pieces(words: list[Word]) -> list[Word]:
    """Comma lists taken apart."""
    return [
        Word(text.strip(), word.static, word.glob or bool(re.search(r"[*?\[]", text)))
        for word in words
        for text in word.text.split(",")
        if text.strip()
    ]


def _paths(arguments: Arguments, *names: str, position: int = 0) -> list[Word]:
    found = arguments.find(*names)
    return _pieces(found or arguments.positional[position : position + 1])


def _read(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    for word in _paths(arguments, "path", "literalpath", "pspath", "filepath"):
        if not _DRIVE.match(word.text):
            scope.read(call, word)


def _list(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    words = _paths(arguments, "path", "literalpath")
    if name == "set-location":
        scope.move(words[0] if words else Word("~"))
        return
    for word in words:
        drive = _DRIVE.match(word.text)
        if drive and drive[1].lower() == "env" and secret_name(word.text[4:].strip("\\/")):
            scope.add("secret.env", call, word.text)
        elif not drive:
            scope.read(call, word, contents=False)


def _target(word: Word, call: Call, scope: Scope) -> bool:
    """Judge a path that is written; False for a drive of another provider."""
    drive = _DRIVE.match(word.text)
    if drive:
        rule = {"env": "env.assign", "variable": "", "alias": "dynamic.command", "function": "dynamic.command"}.get(
            drive[1].lower(), "system.registry"
        )
        if rule:
            scope.add(rule, call, word.text)
        return False
    if word.static:
        scope.write(call, word)
    else:
        scope.add("overwrite.dynamic", call, word.text)
    return True


def _write(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    words = _paths(arguments, "path", "literalpath", "filepath", "outputdirectory")
    if call.name.lower() == "sc" and words and words[0].text.lower() in _SERVICE_VERBS:
        scope.add("system.service", call, words[0].text)
    kind = "".join(word.text.lower() for word in arguments.find("itemtype", "type"))
    if name == "new-item":
        names = arguments.find("name")
        words = (
            [Word((words[0].text + "/" if words else "") + names[0].text, names[0].static and all(word.static for word in words))] if names else words
        )
        if "link" in kind or "junction" in kind:
            for word in arguments.find("target", "value"):
                if scope.zones(word) - {"workspace"}:
                    scope.add("write.outside", call, word.text)
    for word in words:
        if not _target(word, call, scope) or word.text.startswith("-"):
            continue
        force = name == "new-item" and arguments.has("force") and "dir" not in kind
        contents = arguments.find("value") or arguments.positional[1:2]
        empty = name == "set-content" and contents and contents[0].static and contents[0].text in ("", "null")
        given = arguments.find("inputobject")
        empty = empty or (name == "out-file" and bool(given) and given[0].static and given[0].text in ("", "null"))
        piped = call.stdin.text if call.stdin is not None and name in ("set-content", "out-file") and not contents else None
        empty = empty or piped in ("", "null", "$null")
        if empty or force and _exists(word, scope):
            scope.add("overwrite.truncate", call, word.text)


def _exists(word: Word, scope: Scope) -> bool:
    import os

    return any(os.path.isfile(place.path) and os.path.getsize(place.path) > 0 for place in scope.places(word) if place.zone == "workspace")


def _copy(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    for word in _paths(arguments, "path", "literalpath"):
        scope.read(call, word)
    position = 1 if not arguments.find("path", "literalpath") else 0
    targets = _paths(arguments, "destination", "destinationpath", position=position)
    if arguments.has("tosession") or arguments.has("fromsession"):
        scope.add("network.session", call, name)
    for word in targets or [Word(".")]:
        _target(word, call, scope)


def _move(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    sources = _paths(arguments, "path", "literalpath")
    position = 1 if not arguments.find("path", "literalpath") else 0
    targets = _paths(arguments, "destination", "newname", position=position)
    listed = call.stdin is not None and call.stdin.names
    if listed and not arguments.find("path", "literalpath") and not arguments.find("destination", "newname"):
        targets, sources = sources, []
    for word in sources:
        if _target(word, call, scope) and scope.zones(word) - {"workspace"}:
            scope.delete(call, word)
    if not sources and not listed:
        scope.add("overwrite.dynamic", call, name)
    for word in targets:
        if name == "move-item" or re.search(r"[\\/]", word.text):
            _target(word, call, scope)


def _delete(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    words = _paths(arguments, "path", "literalpath")
    if not words:
        scope.add("delete.dynamic", call, name)
    for word in words:
        drive = _DRIVE.match(word.text)
        if drive:
            if drive[1].lower() not in ("env", "variable", "alias", "function"):
                scope.add("system.registry", call, word.text)
        elif word.static:
            scope.delete(call, word)
        else:
            scope.add("delete.dynamic", call, word.text)


def _truncate(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    scope.add("overwrite.truncate", call, name)
    _write(name, arguments, call, scope)


def _web(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    urls = arguments.find("uri") or arguments.positional[:1]
    method = "".join(word.text.upper() for word in arguments.find("method"))
    sends = any(arguments.has(parameter, 2) for parameter in ("body", "infile", "form", "headers", "credential")) or method not in (
        "",
        "GET",
        "HEAD",
        "OPTIONS",
    )
    for word in urls:
        if is_local(word.text) and word.static:
            scope.add("database.change" if method == "DELETE" else "network.local", call, word.text)
        else:
            scope.report.sends = True
            scope.add("network.upload" if sends or not word.static else "network.remote", call, word.text)
    if not urls:
        scope.add("network.remote", call, name)
    for word in arguments.find("infile"):
        scope.read(call, word)
    for word in arguments.find("outfile"):
        _target(word, call, scope)
        scope.report.downloads.update(place.path for place in scope.places(word))


def _run(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    words = arguments.find("command") or arguments.positional[:1]
    if not words:
        stdin = call.stdin
        if stdin is not None and stdin.text is not None:
            judge_inner(stdin.text, call, scope, "powershell")
        scope.add("remote.code" if scope.report.sends else "dynamic.script", call, name)
        return
    for word in words:
        if word.static and not word.names:
            judge_inner(word.text, call, scope, "powershell")
        else:
            scope.add("remote.code" if scope.report.sends else "dynamic.script", call, name)


def _start(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    words = arguments.find("filepath") or arguments.positional[:1]
    if any(word.text.lower() == "runas" for word in arguments.find("verb")) or arguments.has("credential", 2):
        scope.add("privilege.root", call, name)
    rest = arguments.find("argumentlist") or arguments.positional[1:]
    for word in words:
        if not word.static:
            scope.add("dynamic.command", call, word.text)
        elif known(word.text.lower().removesuffix(".exe")) and name == "start-process":
            inner = tuple(Word(piece, part.static) for part in rest for piece in re.split(r"[ ,]", part.text) if piece)
            program(call.inner((word, *inner)), scope)
        else:
            scope.add("unknown.program", call, word.text)


def _find(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    words = arguments.find("path", "literalpath") or (arguments.positional if arguments.find("pattern") else arguments.positional[1:2])
    for word in _pieces(words):
        scope.read(call, word)


def _ping(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    for word in arguments.find("computername", "targetname", "name") or arguments.positional[:1]:
        scope.add("network.local" if word.static and is_local(word.text) else "network.dns", call, word.text)


def _object(name: str, arguments: Arguments, call: Call, scope: Scope) -> None:
    from core.guard.verdict import load_table, words_in

    words = arguments.find("typename") or arguments.positional[:1]
    safe = words_in(load_table("powershell")["safe_types"])
    if arguments.has("comobject", 2):
        scope.add("inline.process", call, "COM object")
    for word in words if not arguments.has("comobject", 2) else []:
        text = re.sub(r"[\[`<].*", "", word.text.lower()).removeprefix("system.")
        if not word.static or text not in safe and "system." + text not in safe:
            scope.add("network.session" if text.startswith("net.") else "inline.process", call, word.text)


_KINDS = {
    "read": _read,
    "list": _list,
    "write": _write,
    "copy": _copy,
    "move": _move,
    "delete": _delete,
    "truncate": _truncate,
    "web": _web,
    "run": _run,
    "start": _start,
    "find": _find,
    "ping": _ping,
    "object": _object,
}
