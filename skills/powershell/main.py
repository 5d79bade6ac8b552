"""Runs PowerShell (or bash) with a structured result, and reports what a PowerShell script does without running it.

`python main.py --help`. With --json one object: {"ok": true, "message": …, "stdout": …} or {"ok": false, "code": …, "error": …}.
Exit: 0 done, 1 the script failed or was stopped, 2 wrong usage, 3 something is not installed, 130 interrupted.
"""
from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import places
from words import SkillError, detect_language, say

MAX_CHARACTERS = 100_000
MAX_TIMEOUT = 3600.0
_STATUS = {"usage": 2, "no_powershell": 3, "no_bash": 3, "not_confined": 3, "interrupted": 130}
_EXAMPLES = """examples:
  python main.py run --command "Get-ChildItem | Select-Object Name, Length" --json
  python main.py run --file clean.ps1 --timeout 60
  python main.py shell --command "ls -l | head"
  python main.py check clean.ps1"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise SkillError("usage", "usage", detail=message)


def build_parser() -> argparse.ArgumentParser:
    """The command line: --json and --lang may stand before or after the command's name."""
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")
    common.add_argument("--lang", choices=("en", "zh"), default=argparse.SUPPRESS, help="language of the sentences")
    parser = _Parser(prog="main.py", description="Runs PowerShell scripts, and reports what they do.", epilog=_EXAMPLES, parents=[common],
                     allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="action", required=True, metavar="command")
    for name, summary in (("run", "run a script in PowerShell"), ("shell", "run a script in bash, with the same form of result")):
        command = commands.add_parser(name, help=summary, description=summary, parents=[common], allow_abbrev=False)
        _add_source(command)
        command.add_argument("--timeout", default="120", help="seconds, then the script and all it started is ended (120)")
        command.add_argument("--cwd", default="", help="folder to run in (the workspace)")
        if name == "run":
            command.add_argument("--depth", default="2", help="how deep objects are written with --json, 1 to 20 (2)")
    check = commands.add_parser("check", help="report what a PowerShell script does, without running it", parents=[common], allow_abbrev=False)
    check.add_argument("file", nargs="?", default="", help="the script; - for standard input")
    check.add_argument("--command", default="", help="the script's text instead of a file")
    check.set_defaults(cwd="")
    return parser


def _add_source(command: argparse.ArgumentParser) -> None:
    command.add_argument("--command", default="", help="the script's text")
    command.add_argument("--file", default="", help="the script's file")
    command.add_argument("input", nargs="?", choices=("-",), default=None, help="read the script from standard input")


def _number(text: str, name: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise SkillError("usage", "bad_number", name=name, low=f"{low:g}", high=f"{high:g}")
    return value


def read_source(command: str, file: str, from_input: bool, folder: Path) -> tuple[str, Path | None]:
    """The script's text, and its file when it has one. Raises SkillError."""
    if sum((bool(command), bool(file), from_input)) > 1:
        raise SkillError("usage", "one_source")
    path = places.find_file(file, folder) if file else None
    name = str(path or "-")
    try:
        text = command
        if path:
            text = path.read_bytes()[:8 * MAX_CHARACTERS].decode("utf-8-sig")
        elif from_input:
            text = sys.stdin.buffer.read(8 * MAX_CHARACTERS).decode("utf-8-sig")
    except OSError as error:
        raise SkillError("unreadable", "unreadable", path=name, detail=error.strerror or error) from error
    except UnicodeDecodeError as error:
        raise SkillError("unreadable", "not_utf8", path=name) from error
    if len(text) > MAX_CHARACTERS:
        raise SkillError("usage", "too_long", limit=MAX_CHARACTERS)
    if not text.strip() and not path:
        raise SkillError("usage", "empty")
    return text, path


def execute(given: argparse.Namespace, language: str) -> dict[str, Any]:
    """`run` and `shell`: the object that tells how the script ended."""
    from running import in_bash, in_powershell
    timeout = _number(given.timeout, "--timeout", 0.1, MAX_TIMEOUT)
    folder = places.working_folder(given.cwd)
    text, path = read_source(given.command, given.file, given.input == "-", folder)
    if given.action == "shell":
        return in_bash(text, path, folder, timeout, language)
    return in_powershell(text, path, folder, timeout, int(_number(given.depth, "--depth", 1, 20)), language)


def check(given: argparse.Namespace, language: str) -> dict[str, Any]:
    """`check`: the report of a script as an object; its message is the report as text."""
    from report import as_text, examine
    from_input = given.file == "-"
    text, path = read_source(given.command, "" if from_input else given.file, from_input, places.working_folder(""))
    found = examine(text)
    name = path.name if path else "-"
    return {"ok": True, "message": as_text(found, name, language), "file": str(path or "-"), **found}


def attach_values(words: list[str]) -> list[str]:
    """`--command TEXT` as `--command=TEXT`: argparse would take a text that begins with a minus sign for an option."""
    attached: list[str] = []
    for word in words:
        if attached and attached[-1] in ("--command", "--file", "--cwd"):
            attached[-1] += "=" + word
        else:
            attached.append(word)
    return attached


def answer(words: list[str], language: str) -> dict[str, Any]:
    """The object for one command given as words; never raises for what a caller may write."""
    try:
        given = build_parser().parse_args(attach_values(words))
        language = getattr(given, "lang", language)
        return check(given, language) if given.action == "check" else execute(given, language)
    except SkillError as problem:
        values = dict(problem.values)
        if "install" in values:
            values["install"] = say(str(values["install"]), language)
        sentence = say(problem.key, language, **values)
        return {"ok": False, "code": problem.code, "error": sentence, "message": sentence}


def show(result: dict[str, Any], language: str) -> None:
    """The result for a person: the script's own output on stdout, everything about it on stderr."""
    if "stdout" not in result:
        print(result["message"], file=sys.stdout if result["ok"] else sys.stderr)
        return
    sys.stdout.write(result["stdout"])
    sys.stdout.flush()
    sys.stderr.write(result["stderr"])
    for warning in result["warnings"]:
        print(say("warning_line", language, message=warning), file=sys.stderr)
    for error in result["errors"]:
        print(say("error_line" if error["line"] else "error_plain", language, **error), file=sys.stderr)
    if not result["ok"]:
        print(result["message"], file=sys.stderr)


def main(words: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    language = detect_language()
    result = answer(words, language)
    if "--json" in words:
        print(json.dumps(result, ensure_ascii=False))
    else:
        show(result, language)
    return 0 if result["ok"] else _STATUS.get(result["code"], 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
