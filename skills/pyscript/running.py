"""The run itself: from what was asked to a job for the worker, and from how it ended to the result."""
from __future__ import annotations

import json
import os
import re
import signal
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import changes
import environments
import header
import launch
from problem import NOT_SET_UP, Problem
from words import say

_SECRET = re.compile(r"(?i)(key|token|secret|password|passwd|credential)")
_DROPPED = {"PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONHOME", "PYTHONSAFEPATH", "AGENT_GUARD_RUNNER"}
_PLACE = re.compile(r'(?m)^  File "(.*)", line (\d+)')
_NO_NETWORK = ("gaierror", "Network is unreachable", "Name or service not known", "name resolution")
_WORKER = Path(__file__).resolve().parent / "worker.py"


@dataclass(frozen=True)
class Script:
    """What to run. `filename` is a path, or <code> or <stdin>; `command` is what prepares its packages."""

    source: str
    filename: str
    command: str
    arguments: tuple[str, ...] = ()

    @property
    def echo(self) -> bool:
        """Whether the value of a last line that is an expression is shown."""
        return self.filename.startswith("<")


@dataclass(frozen=True)
class Place:
    """`root` is the workspace, `cwd` the folder the script starts in, `session` a file or "", `sandbox` the tier."""

    root: Path
    cwd: Path
    session: str
    sandbox: str

    @property
    def own(self) -> Path:
        """The folder of this skill in the workspace."""
        return self.root / "pyscript"


def python_for(script: Script, place: Place, network: bool) -> str:
    """The interpreter that has what the script asks for. Problem `network_needed` (exit 3) when something must be downloaded first."""
    wanted = header.read(script.source)
    if wanted.python and not header.fits_python(wanted.python):
        raise Problem("wrong_python", "wrong_python", NOT_SET_UP, wanted=wanted.python, version=".".join(map(str, sys.version_info[:3])))
    if not wanted.dependencies or environments.installed(wanted.dependencies):
        return sys.executable
    folder = place.own / "environments"
    ready = environments.find(folder, wanted.dependencies)
    if not ready and not network:
        raise Problem("network_needed", "network_needed", NOT_SET_UP, packages=", ".join(wanted.dependencies), command=script.command)
    return ready or environments.make(folder, wanted.dependencies)


def run(script: Script, place: Place, limits: launch.Limits, network: bool, language: str) -> dict[str, Any]:
    """Run it and tell how it went; the object that --json prints. Raises Problem when it could not be started."""
    python = python_for(script, place, network)
    skipped = {str(place.own / "environments"), str(place.own / "sessions")}
    before = changes.look(str(place.root), skipped)
    with tempfile.TemporaryDirectory(prefix="pyscript-", ignore_cleanup_errors=True) as folder:
        notes = Path(folder).resolve()
        (notes / "job").write_text(json.dumps(_job(script, place, limits, notes)), encoding="utf-8")
        ended = launch.run([python, str(_WORKER), str(notes / "job")], cwd=str(place.cwd), environment=_environment(place),
                           limits=limits, notes=notes)
        report = _report(notes / "result")
        hung = _own_line(notes / "stack", script.filename)
    found = changes.compare(before, changes.look(str(place.root), skipped), str(place.root))
    return _result(ended, report, found, _Teller(script, place, limits, language, hung))


def _job(script: Script, place: Place, limits: launch.Limits, notes: Path) -> dict[str, Any]:
    folder = str(place.cwd) if script.echo else os.path.dirname(script.filename)
    return {
        "source": script.source, "filename": script.filename, "arguments": script.arguments, "echo": script.echo, "path": folder,
        "roots": sorted({folder, str(place.cwd), str(place.root)}),
        "foreign": [str(place.own / "environments"), str(_WORKER.parent), sysconfig.get_path("stdlib")],
        "deadline": time.time() + limits.timeout, "result": str(notes / "result"), "stack": str(notes / "stack"), "session": place.session,
        "figures": str(place.own / "figures" / time.strftime("%Y%m%d-%H%M%S")),
    }


def _environment(place: Place) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not _SECRET.search(name) and name not in _DROPPED}
    return {"MPLBACKEND": "Agg", **kept, "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8:backslashreplace", "AGENT_WORKSPACE": str(place.root)}


def _report(file: Path) -> dict[str, Any] | None:
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) and "status" in report else None


def _own_line(stack: Path, filename: str) -> int | None:
    """The script's innermost line at the time-out or the crash."""
    try:
        text = stack.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    written = filename.encode("ascii", "backslashreplace").decode()
    return next((int(match[2]) for match in _PLACE.finditer(text) if match[1] == written or match[1] == written[:500] + "..."), None)


@dataclass(frozen=True)
class _Teller:
    """Everything that sentences about a run need."""

    script: Script
    place: Place
    limits: launch.Limits
    language: str
    hung: int | None

    def say(self, key: str, **values: object) -> str:
        return say(key, self.language, **values)

    def name_of(self, file: str) -> str:
        """A file as the reader knows it: below the workspace by its relative path."""
        path = Path(file)
        return path.relative_to(self.place.root).as_posix() if path.is_absolute() and path.is_relative_to(self.place.root) else file

    def at(self, text: str, line: int | None, source: str | None = None, file: str | None = None) -> str:
        if line is None:
            return text
        lines = self.script.source.splitlines()
        if source is None:
            source = lines[line - 1] if 0 < line <= len(lines) else ""
        shown = source.strip()[:200]
        return self.say("at" if shown else "at_line", text=text, file=self.name_of(file or self.script.filename), line=line, source=shown)


def _result(ended: launch.Ended, report: dict[str, Any] | None, found: dict[str, object], teller: _Teller) -> dict[str, Any]:
    code, message = _verdict(ended, report, teller)
    report = report or {}
    shown: dict[str, Any] = {"ok": not code}
    shown.update({"code": code, "error": message} if code else {})
    status = ended.status if ended.status is not None and ended.status >= 0 else None
    shown.update(message=message, exit_code=status, seconds=round(ended.seconds, 3))
    for name, stream in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        shown[name] = stream.text(teller.say("left_out", size=stream.left_out))
        if stream.left_out:
            shown[f"{name}_bytes"] = stream.size
    if report.get("value") is not None:
        shown["value"] = report["value"]
    shown["exception"] = _named(report.get("exception"), teller)
    if code in ("time_limit", "signal") and teller.hung:
        shown["line"] = teller.hung
    hint = _hint(report.get("exception"), teller)
    shown.update({"hint": hint} if hint else {})
    shown.update(files=found, figures=[teller.name_of(path) for path in report.get("figures") or ()])
    if teller.place.session:
        shown["session"] = report.get("session") or {"kept": None, "lost": {}}
    notes = [teller.say("left_running", count=ended.left)] if ended.left else []
    notes += [teller.say("not_saved", detail=report[key]) for key in ("figures_error", "session_error") if key in report]
    shown.update({"notes": notes} if notes else {})
    return {**shown, "sandbox": teller.place.sandbox}


def _verdict(ended: launch.Ended, report: dict[str, Any] | None, teller: _Teller) -> tuple[str, str]:
    """The code ("" for success) and the sentence."""
    megabytes = teller.limits.memory // launch.MEGABYTE
    raised = (report or {}).get("exception")
    if ended.reason == "time":
        return "time_limit", teller.at(teller.say("time_limit", limit=f"{teller.limits.timeout:g}"), teller.hung)
    if ended.reason == "memory" or (raised and (report or {}).get("memory")):
        place = raised or {"line": None}
        return "memory_limit", teller.at(teller.say("memory_limit", limit=megabytes), place["line"], place.get("source"), place.get("file"))
    if ended.reason in ("processes", "shield"):
        code = "process_limit" if ended.reason == "processes" else "parent_killed"
        return code, teller.say(code, limit=launch.PROCESSES)
    if raised:
        text = teller.say("exception", **raised) if raised["message"] else str(raised["type"])
        return "exception", teller.at(text, raised["line"], raised["source"], raised["file"])
    return _plain_verdict(ended, (report or {}).get("damaged", ""), teller)


def _plain_verdict(ended: launch.Ended, damaged: str, teller: _Teller) -> tuple[str, str]:
    """For a script that neither broke a limit nor raised."""
    if damaged:
        return "session", teller.say("damaged", name=Path(teller.place.session).stem, detail=damaged)
    if ended.status is not None and ended.status < 0:
        return "signal", teller.at(teller.say("signal", name=_signal_name(-ended.status)), teller.hung)
    if ended.status:
        return "exit_status", teller.say("exit_status", status=ended.status)
    return "", teller.say("done", seconds=f"{ended.seconds:.2f}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _named(raised: dict[str, Any] | None, teller: _Teller) -> dict[str, Any] | None:
    if raised is None:
        return None
    frames = [{**frame, "file": teller.name_of(frame["file"])} if "file" in frame else frame for frame in raised["frames"]]
    return {**raised, "file": teller.name_of(raised["file"]) if raised["file"] else None, "frames": frames}


def _hint(raised: dict[str, Any] | None, teller: _Teller) -> str:
    """What to do about an error that has its cause in where the script runs."""
    if not raised:
        return ""
    name, message = raised["type"], raised["message"]
    if name == "EOFError" and "reading a line" in message:
        return teller.say("hint_input")
    if name == "ModuleNotFoundError":
        return teller.say("hint_module")
    if name == "PermissionError" or "Read-only file system" in message:
        return teller.say("hint_write", root=teller.place.root)
    if "gaierror" in name or any(sign in message for sign in _NO_NETWORK):
        return teller.say("hint_network")
    return ""
