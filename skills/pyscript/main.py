"""Runs Python with limits: `python main.py --help`.

The script's own output goes to stdout and stderr, what this program has to say about it to stderr. With --json one object on stdout:
{"ok": true, "message": …, "stdout": …, …} or {"ok": false, "code": …, "error": …, …}. Exit: 0 done, 1 the script failed,
2 wrong usage, 3 something must be set up first.
"""
from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tokenize
from pathlib import Path
from typing import Any, NoReturn

import by_hand
import launch
from problem import FAILED, NOT_SET_UP, Problem
from running import Place, Script, python_for, run
from words import detect_language, say

_EXAMPLES = """examples:
  python main.py run report.py -- data.csv        python main.py run --code "print(6*7)"
  python main.py run - < report.py                python main.py run --session work --code "x = 1"
  python main.py check report.py                  python main.py prepare report.py
  python main.py forget work

A script runs in AGENT_WORKSPACE (else the current folder). It has no keyboard and, in the sandbox, no network.
A --session keeps variables in a file; no process stays. Not verified: limits on macOS and Windows."""
_FLAGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--code", {"help": "the program itself; the value of a last line that is an expression is shown"}),
    ("--timeout", {"type": float, "default": 60.0, "help": "seconds, 0.1 to 3600, 60 if not given"}),
    ("--memory", {"type": int, "default": 2048, "help": "megabytes for all its processes, 64 to 1048576, 2048 if not given"}),
    ("--output-limit", {"type": int, "default": 20_000, "help": "bytes kept of each stream, 100 to 10000000, 20000 if not given"}),
    ("--session", {"default": "", "help": "keep variables, imports and functions under this name for the next run"}),
    ("--cwd", {"default": "", "help": "folder to start in, relative to the workspace"}),
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Problem("usage", "usage", detail=message)


def build_parser() -> argparse.ArgumentParser:
    """The command line; --json and --lang may stand before or after the command's name."""
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")
    common.add_argument("--lang", choices=("en", "zh"), default=argparse.SUPPRESS, help="language of the sentences")
    parser = _Parser(prog="main.py", description="Runs Python with limits and tells what came of it.", epilog=_EXAMPLES, parents=[common],
                     allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    source: dict[str, Any] = {"nargs": "?", "help": "a Python file, or - for standard input"}
    running = commands.add_parser("run", help="run a script", parents=[common], allow_abbrev=False)
    running.add_argument("script", **source)
    running.add_argument("arguments", nargs="*", help="the script's own arguments; after -- they may begin with a minus sign")
    for name, options in _FLAGS:
        running.add_argument(name, **options)
    running.add_argument("--network", action="store_true", help="may download dependencies; by hand the script gets the network too")
    for name, summary in (("prepare", "download the dependencies that a script names in its PEP 723 block"),
                          ("check", "what a script touches (imports, files, network, processes), without running it")):
        command = commands.add_parser(name, help=summary, description=summary, parents=[common], allow_abbrev=False)
        command.add_argument("script", **source)
        command.add_argument("--code", help="the program itself")
    forget = commands.add_parser("forget", help="delete a session", parents=[common], allow_abbrev=False)
    forget.add_argument("name")
    return parser


def parse(words: list[str]) -> argparse.Namespace:
    """The request. Everything after the first `--` is the script's; a --code may begin with a minus sign."""
    cut = words.index("--") if "--" in words else len(words)
    own = words[:cut]
    for index in range(len(own) - 1):
        if own[index] == "--code":
            own[index:index + 2] = [f"--code={own[index + 1]}"]
            break
    given = build_parser().parse_args(own)
    given.rest = [*getattr(given, "arguments", []), *words[cut + 1:]]
    if getattr(given, "code", None) is not None and given.command == "run" and given.script:
        if given.script == "-" or given.script.endswith(".py"):
            raise Problem("usage", "two_sources")
        given.rest, given.script = [given.script, *given.rest], None
    return given


def read_script(given: argparse.Namespace, root: Path) -> Script:
    """The source that was asked for."""
    rest = tuple(given.rest)
    if given.code is not None:
        return Script(given.code, "<code>", f"python main.py prepare --code {shlex.quote(given.code)}", rest)
    if not given.script:
        raise Problem("usage", "no_source")
    if given.script == "-":
        return Script(sys.stdin.buffer.read().decode("utf-8-sig", "replace"), "<stdin>", "python main.py prepare -", rest)
    path = find(given.script, root)
    try:
        with tokenize.open(path) as file:
            return Script(file.read(), str(path), f"python main.py prepare {shlex.quote(given.script)}", rest)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise Problem("unreadable", "unreadable", FAILED, path=given.script, detail=str(error)) from error


def find(name: str, root: Path) -> Path:
    """The file: in the workspace, else in the current folder."""
    for folder in (root, Path.cwd()):
        path = folder / name
        if path.is_file():
            return path.resolve()
    raise Problem("not_found", "not_found", path=name, root=root)


def command_run(given: argparse.Namespace, root: Path, language: str) -> dict[str, Any]:
    for name, low, high in (("timeout", 0.1, 3600), ("memory", 64, 1 << 20), ("output_limit", 100, 10_000_000)):
        if not low <= getattr(given, name) <= high:
            raise Problem("usage", "out_of_range", name="--" + name.replace("_", "-"), low=low, high=high)
    session = str(session_file(given.session, root)) if given.session else ""
    cwd = (root / given.cwd).resolve()
    if not cwd.is_dir():
        raise Problem("not_found", "no_folder", path=cwd)
    script = read_script(given, root)
    limits = launch.Limits(given.timeout, given.memory * launch.MEGABYTE, given.output_limit)
    return run(script, Place(root, cwd, session, by_hand.tier()), limits, given.network, language)


def command_prepare(given: argparse.Namespace, root: Path, language: str) -> dict[str, Any]:
    import header
    script = read_script(given, root)
    packages = header.read(script.source).dependencies
    python = python_for(script, Place(root, root, "", by_hand.tier()), True)
    key = "prepared" if packages else "nothing_to_prepare"
    return {"ok": True, "message": say(key, language, packages=", ".join(packages)), "packages": list(packages), "python": python}


def command_check(given: argparse.Namespace, root: Path, language: str) -> dict[str, Any]:
    import header
    import survey
    script = read_script(given, root)
    name = Path(script.filename).name
    try:
        found = survey.survey(script.source, script.filename)
    except SyntaxError as error:
        source = (error.text or "").strip()
        raise Problem("syntax_error", "syntax", FAILED, message=error.msg, file=name, line=error.lineno, source=source) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Problem("unreadable", "unreadable", FAILED, path=name, detail=str(error)) from error
    return {"ok": True, "message": _survey_text(found, language), **found, "dependencies": list(header.read(script.source).dependencies)}


def _survey_text(found: dict[str, Any], language: str) -> str:
    lines: list[str] = []
    for kind, entries in found.items():
        lines += [f"{say(kind, language)}:"] if entries else []
        for entry in entries:
            lines.append("  " + say("line", language, line=entry["line"], what=_entry_text(entry)))
    return "\n".join([*(lines or [say("nothing_found", language)]), say("survey_end", language)])


def _entry_text(entry: dict[str, Any]) -> str:
    if "name" in entry:
        return str(entry["name"])
    return f"{entry['call']}({entry.get('argument', '')})" + (f" [{entry['mode']}]" if "mode" in entry else "")


def command_forget(given: argparse.Namespace, root: Path, language: str) -> dict[str, Any]:
    file = session_file(given.name, root)
    if not file.is_file() or not file.resolve().is_relative_to(root):
        raise Problem("not_found", "no_session", FAILED, name=given.name)
    file.unlink()
    return {"ok": True, "message": say("forgotten", language, name=given.name)}


def session_file(name: str, root: Path) -> Path:
    """Where a session is kept."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", name):
        raise Problem("usage", "session_name")
    return root / "pyscript" / "sessions" / f"{name}.pickle"


COMMANDS = {"run": command_run, "prepare": command_prepare, "check": command_check, "forget": command_forget}


def confined(given: argparse.Namespace, words: list[str], root: Path, language: str) -> int:
    """The same request inside the sandbox; what it prints is the answer."""
    if given.script and given.script != "-":
        path = find(given.script, root)
        if not path.is_relative_to(root):
            raise Problem("outside", "outside", path=path, root=root)
        at = words.index(given.script, words.index(given.command) + 1)
        words = [*words[:at], str(path), *words[at + 1:]]
    status = by_hand.again(words, root, language, given.command == "prepare" or given.network)
    if status == by_hand.COULD_NOT_CONFINE:
        raise Problem("sandbox", "not_confined", NOT_SET_UP)
    if status == by_hand.KILLED:
        raise Problem("killed", "killed", FAILED)
    return status


def show(result: dict[str, Any], as_json: bool, language: str) -> None:
    """Print the result for a program, or for a person."""
    result = clean(result)
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
        return
    if "stdout" not in result:
        print(result["message"], file=sys.stdout if result["ok"] else sys.stderr)
        return
    _end_line(sys.stdout, result["stdout"] + (result["value"] + "\n" if "value" in result else ""))
    sys.stdout.flush()
    _end_line(sys.stderr, result["stderr"])
    notes = [] if result["ok"] else [result["message"]]
    notes += [result["hint"]] if "hint" in result else []
    notes += [say(kind, language, names=", ".join(names)) for kind, names in result["files"].items() if isinstance(names, list) and names]
    notes += [say("figures", language, names=", ".join(result["figures"]))] if result["figures"] else []
    lost = (result.get("session") or {}).get("lost") or {}
    notes += [say("not_kept", language, names=", ".join(f"{name} ({why})" for name, why in lost.items()))] if lost else []
    notes += result.get("notes", ())
    if not (notes or result["stdout"] or result["stderr"] or "value" in result):
        notes = [result["message"]]   # silence would look like a command that did not run
    for note in notes:
        print(f"pyscript: {note}", file=sys.stderr)


def _end_line(stream: Any, text: str) -> None:
    stream.write(text + ("\n" if text and not text.endswith("\n") else ""))


def clean(value: Any) -> Any:
    """The same without halves of surrogate pairs, which no encoding can carry."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {clean(key): clean(one) for key, one in value.items()}
    return [clean(one) for one in value] if isinstance(value, (list, tuple)) else value


def answer(words: list[str], language: str) -> tuple[dict[str, Any] | None, int]:
    """The result and the exit status; no result when the sandboxed twin has printed it."""
    try:
        given = parse(words)
        language = getattr(given, "lang", language)
        root = by_hand.workspace()
        if not root.is_dir():
            raise Problem("not_found", "no_folder", path=root)
        if given.command in ("run", "prepare"):
            if by_hand.runner():
                return None, confined(given, words, root, language)
            if by_hand.tier() == "none" and given.command == "run":
                print(f"pyscript: {say('no_sandbox', language)}", file=sys.stderr, flush=True)
        result = COMMANDS[given.command](given, root, language)
    except Problem as problem:
        sentence = say(problem.key, language, **problem.values)
        return {"ok": False, "code": problem.code, "error": sentence, "message": sentence}, problem.status
    except (OSError, subprocess.SubprocessError) as error:
        sentence = say("not_started", language, detail=error)
        return {"ok": False, "code": "not_started", "error": sentence, "message": sentence}, FAILED
    return result, 0 if result["ok"] else FAILED


def _stop(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def main(words: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    own = words[:words.index("--")] if "--" in words else words
    language = detect_language()
    if "--lang" in own[:-1] and own[own.index("--lang") + 1] in ("en", "zh"):
        language = own[own.index("--lang") + 1]
    result, status = answer(words, language)
    try:
        if result is not None:
            show(result, "--json" in own, language)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
