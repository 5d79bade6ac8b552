"""Programs that delete, copy, overwrite, pack or change the mode of files."""

from __future__ import annotations

import os
import re

from core.guard.programs import Handler, valued, write_named
from core.guard.scope import Scope
from core.guard.words import Call, Options, Word, split_options

_OPEN_MODE = re.compile(r"^0?[0-7]?[0-7]{1,3}$")


def delete(name: str, call: Call, scope: Scope) -> None:
    """rm, unlink, shred: every operand is lost; rmdir only takes empty folders."""
    options = split_options(call.arguments, valued(name))
    if not options.operands:
        return
    for word in options.operands:
        if name == "rmdir" and word.static and not word.glob and scope.zones(word) == {"workspace"}:
            scope.write(call, word)
        elif not word.static:
            scope.add("delete.dynamic", call, word.text)
        else:
            scope.delete(call, word)


def copy(name: str, call: Call, scope: Scope) -> None:
    """cp, install, ln: sources are read, the last operand or -t is written."""
    options = split_options(call.arguments, valued(name))
    if name == "install" and options.has("-d", "--directory"):
        for word in options.operands:
            write_named(call, word, scope)
        return
    if name == "install" and options.has("-m", "--mode"):
        _mode_rule(options.get("-m", "--mode")[0] if options.get("-m", "--mode") else Word(""), call, scope)
    sources, targets = _ends(options)
    if name == "ln" and not targets:
        sources, targets = sources[:1], [Word(".")]
    whole = name != "ln" and options.has("-r", "-R", "-a", "--recursive", "--archive")
    for word in sources:
        (scope.read_tree if whole else scope.read)(call, word)
        if name == "ln" and scope.zones(word) - {"workspace", "unknown", "temp"}:
            scope.add("write.outside", call, word.text)
        if name != "ln" and word.text == "/dev/null":
            scope.add("overwrite.truncate", call, targets[0].text if targets else "")
        if word.static and targets and scope.zones(word) == {"device"}:
            scope.add("read.device", call, word.text)
    for word in targets:
        _target(word, sources, call, scope)


def _ends(options: Options) -> tuple[list[Word], list[Word]]:
    """(sources, targets) of a cp-like command."""
    target = options.get("-t", "--target-directory")
    if target:
        return options.operands, target
    return (options.operands[:-1], options.operands[-1:]) if len(options.operands) > 1 else (options.operands, [])


def _target(word: Word, sources: list[Word], call: Call, scope: Scope) -> None:
    """Writing into a folder writes a file of the source's name there."""
    write_named(call, word, scope)
    if word.static and word.text.rstrip("/").endswith((".git/hooks", ".git", ".", "..")) or word.text.endswith("/"):
        for source in sources:
            base = os.path.basename(source.text.rstrip("/"))
            if base and base not in (".", "..") and source.static and not source.glob:
                scope.write(call, Word(os.path.join(word.text, base)))


def move(name: str, call: Call, scope: Scope) -> None:
    """mv: the source goes away, so it must be the workspace's own."""
    options = split_options(call.arguments, valued(name))
    sources, targets = _ends(options)
    for word in sources:
        if not word.static:
            scope.add("overwrite.dynamic", call, word.text)
            continue
        scope.read(call, word)
        scope.write(call, word)
        if scope.zones(word) & {"home", "outside", "project", "device"}:
            scope.delete(call, word)
    for word in targets:
        if word.text == "/dev/null" or scope.zones(word) == {"temp"}:
            scope.add("delete.workspace", call, sources[0].text if sources else "")
        _target(word, sources, call, scope)


def tee(name: str, call: Call, scope: Scope) -> None:
    """tee and sponge write their operands."""
    options = split_options(call.arguments)
    for word in options.operands:
        write_named(call, word, scope)
        stdin = call.stdin
        empty = stdin is not None and (stdin.text == "" or (stdin.path is not None and stdin.path.text == "/dev/null"))
        if empty and not options.has("-a", "--append"):
            scope.add("overwrite.truncate", call, word.text)


def dd(name: str, call: Call, scope: Scope) -> None:
    """dd if=… of=…"""
    for word in call.arguments:
        key, _, value = word.text.partition("=")
        target = Word(value, word.static)
        if key == "of":
            write_named(call, target, scope)
            emptied = any(w.text in ("if=/dev/null", "count=0") for w in call.arguments)
            if emptied and not {"null"} >= scope.zones(target) and "workspace" in scope.zones(target):
                scope.add("overwrite.truncate", call, value)
        elif key == "if":
            scope.read(call, target)
            if value.startswith("/dev/") and scope.zones(target) == {"device"}:
                scope.add("read.device", call, value)


def truncate(name: str, call: Call, scope: Scope) -> None:
    """truncate: growing a new file is harmless, cutting one is not."""
    options = split_options(call.arguments, valued(name))
    size = options.get("-s", "--size")
    for word in options.operands:
        write_named(call, word, scope)
        if not size or not size[0].static or not re.fullmatch(r"\+\d+\w*", size[0].text):
            scope.add("overwrite.truncate", call, word.text)


def mode(name: str, call: Call, scope: Scope) -> None:
    """chmod: modes that open a file to everybody or set an id ask."""
    arguments = [
        word
        for word in call.arguments
        if word.text not in ("-R", "-v", "-c", "-f", "--recursive", "--verbose", "--changes", "--silent", "-Rv", "-vR", "-h")
    ]
    if any(word.text.startswith("--reference") for word in arguments):
        scope.add("privilege.mode", call, name)
        arguments = [Word(""), *[word for word in arguments if not word.option]]
    if not arguments:
        return
    _mode_rule(arguments[0], call, scope)
    for word in arguments[1:]:
        if scope.zones(word) & {"outside", "home", "project", "device"}:
            scope.add("privilege.mode", call, word.text)
        write_named(call, word, scope)


def _mode_rule(word: Word, call: Call, scope: Scope) -> None:
    text = word.text
    if not word.static:
        scope.add("privilege.mode", call, text)
    elif _OPEN_MODE.match(text):
        bits = int(text, 8)
        if bits & 0o7000 or bits & 0o002 or not bits & 0o400:
            scope.add("privilege.mode", call, text)
    elif any(_opens(clause) for clause in text.split(",")):
        scope.add("privilege.mode", call, text)


def _opens(clause: str) -> bool:
    """Whether one symbolic mode sets an id, lets others write, or takes the owner's rights."""
    match = re.match(r"^([ugoa]*)([+=-])(.*)$", clause)
    if match is None:
        return bool(clause)
    who, sign, rights = match.groups()
    if sign == "-":
        return "r" in rights and (not who or "u" in who or "a" in who)
    return "s" in rights or "t" in rights or "w" in rights and ("o" in who or "a" in who)


def owner(name: str, call: Call, scope: Scope) -> None:
    """chown and chgrp."""
    scope.add("privilege.owner", call, name)


def tar(name: str, call: Call, scope: Scope) -> None:
    """tar: sources are read, the archive or the extraction folder is written; options that start programs ask."""
    arguments = list(call.arguments)
    if arguments and arguments[0].static and not arguments[0].text.startswith("-"):
        arguments[0] = Word("-" + arguments[0].text)
    text = arguments[0].text if arguments else ""
    options = split_options(
        tuple(arguments), frozenset(("-f", "-C", "-T", "-X", "--file", "--directory", "--files-from", "--exclude", "-I", "--use-compress-program"))
    )
    for flag in (
        "--checkpoint-action",
        "--to-command",
        "--use-compress-program",
        "-I",
        "--rsh-command",
        "--info-script",
        "-F",
        "--new-volume-script",
    ):
        if options.has(flag) and not (
            flag in ("-I", "--use-compress-program")
            and re.fullmatch(r"(zstd|pigz|xz|lz4|bzip2|gzip|pixz|lbzip2|pbzip2)( -[\w-]+)*", _first(options, flag))
        ):
            scope.add("exec.library", call, flag)
    if options.has("-P", "--absolute-names", "--remove-files", "--delete"):
        scope.add("delete.workspace" if options.has("--remove-files", "--delete") else "write.outside", call, name)
    if any(not word.static and not word.quoted for word in arguments):
        scope.add("dynamic.argument", call, name)
    archive, folder = options.get("-f", "--file"), options.get("-C", "--directory")
    creating = bool(re.match(r"^-\w*[cru]", text)) or options.has("-c", "--create", "--append", "--update", "-r", "-u")
    listing = options.has("-t", "--list")
    for word in archive:
        if re.match(r"^[\w.-]+@?[\w.-]*:", word.text) and not scope.roots.windows:
            scope.add("network.session", call, word.text)
        elif word.text != "-":
            (scope.write if creating else scope.read)(call, word)
    for word in folder if creating or listing else []:
        scope.read(call, word)
    if creating:
        for word in options.operands:
            scope.read_tree(call, Word(word.text.removeprefix("@"), word.static, word.glob))
    elif not listing:
        for word in [*(folder or [Word(".")]), *options.get("--one-top-level")]:
            write_named(call, word, scope)


def _first(options: Options, flag: str) -> str:
    words = options.get(flag)
    return words[0].text if words else ""


def archive(name: str, call: Call, scope: Scope) -> None:
    """zip, unzip, 7z, cpio and the like."""
    folders = frozenset(("-d", "-C", "-o", "-D", "-F", "--directory", "--output")) - frozenset(("-d", "-o") if name == "cpio" else ())
    options = split_options(call.arguments, valued(name) | folders)
    if options.has("-TT", "--unzip-command", "--rsh-command") or any(word.text.startswith("-TT") for word in call.arguments):
        scope.add("exec.library", call, name)
    if name == "zip" and options.has("-m", "--move", "-d", "--delete"):
        scope.add("delete.workspace", call, name)
    for word in options.get("-d", "-C", "-o", "-D", "--directory") if name != "zip" else []:
        write_named(call, word, scope)
    operands = options.operands
    extracts = name in ("unzip", "unrar", "cpio", "unar")
    if name in ("7z", "7za", "rar", "ar", "jar"):
        extracts = bool(operands) and operands[0].text[:1] in "xelt"
        if operands and operands[0].text == "d" or any(word.text == "-sdel" for word in call.arguments):
            scope.add("delete.workspace", call, name)
        operands = operands[1:]
        for word in call.arguments:
            if re.match(r"^-o.", word.text) and extracts:
                scope.write(call, Word(word.text[2:], word.static))
    for word in options.get("--output") if name == "ar" else []:
        write_named(call, word, scope)
    if name == "cpio" and not options.has("--no-absolute-filenames") and any(re.match(r"-\w*i|--extract", word.text) for word in call.arguments):
        scope.add("write.outside", call, name)
    for index, word in enumerate(operands):
        (scope.read if extracts else scope.read_tree)(call, word)
        if index == 0 and not extracts and word.text != "-":
            write_named(call, word, scope)


def rsync(name: str, call: Call, scope: Scope) -> None:
    """rsync: local copies in the workspace are fine, deleting and remote ends ask."""
    options = split_options(call.arguments, valued(name))
    if options.has("-e", "--rsh", "--rsync-path"):
        scope.add("exec.library", call, name)
    if any(option.startswith(("--delete", "--remove-source", "--del")) for option in options.values) and not options.has("-n", "--dry-run"):
        scope.add("delete.workspace", call, name)
    for word in options.operands:
        if re.match(r"^(rsync://|[\w.@-]+::?)", word.text) and "/" not in word.text.split(":")[0]:
            scope.add("network.upload", call, word.text)
    local = [word for word in options.operands if ":" not in word.text]
    for word in local[:-1]:
        scope.read_tree(call, word)
    if len(options.operands) > 1 and local and local[-1] is options.operands[-1] and not options.has("-n", "--dry-run"):
        write_named(call, local[-1], scope)


def split(name: str, call: Call, scope: Scope) -> None:
    """split FILE PREFIX"""
    options = split_options(call.arguments, valued(name) | frozenset(("--filter",)))
    if options.has("--filter"):
        scope.add("dynamic.script", call, name)
    for word in options.operands[:1]:
        scope.read(call, word)
    for word in options.operands[1:] or [Word("xaa")]:
        write_named(call, word, scope)


def patch(name: str, call: Call, scope: Scope) -> None:
    """patch [FILE]: the named file, the folder of -d, and the output of -o change."""
    options = split_options(call.arguments, valued(name))
    for word in options.operands[:1] + options.get("-d", "--directory", "-o", "--output", "-r"):
        write_named(call, word, scope)
    for word in options.operands[1:] + options.get("-i", "--input"):
        scope.read(call, word)


def kill(name: str, call: Call, scope: Scope) -> None:
    """kill: jobs of this very shell may be ended, other processes ask; -l and signal 0 only look."""
    arguments = [word.text for word in call.arguments]
    if not arguments or arguments[0] in ("-l", "-L", "-0") or arguments[:2] == ["-s", "0"]:
        return
    targets = arguments[1:] if arguments[0].startswith("-") and len(arguments) > 1 else arguments
    own = [word for word in call.arguments if word.text in targets and (re.fullmatch(r"%[\w+-]*", word.text) or word.names == ("!",))]
    if len(own) < len(targets) or arguments == ["-1"]:
        scope.add("system.process", call, " ".join(arguments))


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(
        ("rm", "unlink", "shred", "srm", "wipe", "rmdir", "grm", "trash", "trash-put", "rimraf", "del-cli", "scrub", "gshred", "git-rm"), delete
    ),
    **dict.fromkeys(("cp", "install", "ln", "gcp", "ditto", "link"), copy),
    "mv": move,
    "gmv": move,
    "tee": tee,
    "sponge": tee,
    "dd": dd,
    "truncate": truncate,
    "chmod": mode,
    "chown": owner,
    "chgrp": owner,
    "tar": tar,
    "gtar": tar,
    "bsdtar": tar,
    "rsync": rsync,
    "split": split,
    "kill": kill,
    "patch": patch,
    **dict.fromkeys(("zip", "unzip", "7z", "7za", "rar", "unrar", "cpio", "ar", "jar", "unar"), archive),
}
