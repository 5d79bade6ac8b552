"""`run` and `shell`: starts the shell on a script and puts what came back into one form."""
from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import places
from launch import OUTPUT_STOPS, Kept, Result, run
from words import SkillError, say

MAX_REPORTED = 100   # errors and warnings that are listed, each
_BASH_ERROR = re.compile(r"^(?:.*/)?[^:\s]+: line (\d+): (?:(.*?): )?(.+)$")


def in_powershell(text: str, path: Path | None, folder: Path, timeout: float, depth: int, language: str) -> dict[str, Any]:
    """Run a script in PowerShell. Raises SkillError when it cannot be started."""
    program = places.find_powershell()
    with places.run_folder() as own:
        wrapper, report, script = own / "run.ps1", own / "report.jsonl", path
        wrapper.write_bytes(Path(__file__).with_name("run.ps1").read_bytes())
        copy = None
        if script is None or (places.is_windows_powershell(program) and not text.isascii() and not script.read_bytes().startswith(b"\xef\xbb\xbf")):
            copy = script = _with_mark(text, path, own)
        policy = ["-ExecutionPolicy", "Bypass"] if os.name == "nt" else []
        argv = [program, "-NoLogo", "-NoProfile", "-NonInteractive", *policy, "-File", str(wrapper),
                "-AgentScript", str(script), "-AgentReport", str(report), "-AgentDepth", str(depth)]
        try:
            result, confined = _start(argv, folder, timeout, language)
        finally:
            if copy and copy.parent != own:
                copy.unlink(missing_ok=True)
        lines = _report_lines(report)
    ending: dict[str, Any] = next((line for line in lines if "exit_code" in line), {})
    errors = [_error(line["error"]) for line in lines if "error" in line]
    warnings = [str(line["warning"]) for line in lines if "warning" in line]
    form = _form(result, "powershell", confined, errors, warnings, language)
    form.update({"version": ending.get("version", ""), "edition": ending.get("edition", ""),
                 "objects": ending.get("objects", []), "objects_total": ending.get("objects_total", 0)})
    if not ending and form.get("code") not in ("timeout", "output_limit", "interrupted"):
        # Without the last line the script has ended PowerShell itself, or PowerShell did not come up.
        form["ok"] = form["ok"] and result.status == 0
        if result.status:
            _fail(form, "script_failed", say("no_report", language, exit_code=result.status))
    return form


def in_bash(text: str, path: Path | None, folder: Path, timeout: float, language: str) -> dict[str, Any]:
    """Run a script in bash. Raises SkillError when it cannot be started."""
    argv = [places.find_bash(), "--noprofile", "--norc", *([str(path)] if path else ["-c", text])]
    result, confined = _start(argv, folder, timeout, language)
    head, _, tail = result.stderr.parts()
    errors = [_error({"line": int(match[1]), "message": match[3], "target": match[2] or "", "category": "ShellError", "source": match[0]})
              for match in map(_BASH_ERROR.match, (head + tail).splitlines()) if match and result.status]
    return _form(result, "bash", confined, errors, [], language)


def _with_mark(text: str, path: Path | None, own: Path) -> Path:
    """The script as a file with a byte order mark, beside the original where that can be written, so that $PSScriptRoot stays right."""
    places_to_try = [path.with_name(f".{path.stem}.{os.getpid()}.ps1")] if path else []
    for place in [*places_to_try, own / "script.ps1"]:
        try:
            place.write_text(text, encoding="utf-8-sig", newline="")
            return place
        except OSError:
            continue
    raise SkillError("no_workspace", "no_workspace", path=own, detail="")


def _start(argv: Sequence[str], folder: Path, timeout: float, language: str) -> tuple[Result, str]:
    prefix, confined, remark = places.confinement(folder)
    if remark:
        print(say(remark, language), file=sys.stderr, flush=True)
    try:
        result = run([*prefix, *argv], folder, places.environment(), timeout, gently=bool(prefix))
    except OSError as error:
        raise SkillError("not_started", "not_started", program=argv[0], detail=error.strerror or error) from error
    complaint = result.stderr.parts()[0]
    if prefix and result.status == 125 and complaint.startswith("guard_runner:"):
        raise SkillError("not_confined", "not_confined", detail=complaint.removeprefix("guard_runner:").strip())
    return result, confined


def _report_lines(report: Path) -> list[dict[str, Any]]:
    """The lines that run.ps1 wrote; one that was cut off by the time limit is passed over."""
    lines = []
    try:
        text = report.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return []
    for line in text.split("\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            lines.append(value)
    return lines


def _error(found: Any) -> dict[str, Any]:
    given = found if isinstance(found, dict) else {}
    line, column = given.get("line") or 0, given.get("column") or 0
    return {"message": str(given.get("message", "")), "line": line, "column": column, "category": str(given.get("category", "")),
            "id": str(given.get("id", "")), "target": str(given.get("target", ""))[:300], "source": str(given.get("source", ""))[:300]}


def _form(result: Result, shell: str, confined: str, errors: list[dict[str, Any]], warnings: list[str], language: str) -> dict[str, Any]:
    """The form of a result, the same for both shells."""
    stdout, stderr = _joined(result.stdout, language), _joined(result.stderr, language)
    seconds = f"{result.seconds:.2f}"
    form: dict[str, Any] = {
        "ok": True, "message": say("done", language, seconds=seconds), "shell": shell, "exit_code": result.status, "stdout": stdout[0],
        "stderr": stderr[0], "errors": errors[:MAX_REPORTED], "errors_total": len(errors), "warnings": warnings[:MAX_REPORTED],
        "left_out": {"stdout": stdout[1], "stderr": stderr[1]}, "timed_out": result.ended_by == "timeout", "seconds": float(seconds),
        "confined": confined}
    if result.ended_by:
        form["exit_code"] = None
        _fail(form, result.ended_by, say(result.ended_by, language, seconds=seconds, limit=OUTPUT_STOPS))
    elif result.status or (errors and shell == "powershell"):
        _fail(form, "script_failed", say("failed", language, exit_code=result.status, errors=len(errors)))
    return form


def _fail(form: dict[str, Any], code: str, sentence: str) -> None:
    form.update({"ok": False, "code": code, "error": sentence, "message": sentence})


def _joined(kept: Kept, language: str) -> tuple[str, int]:
    head, left_out, tail = kept.parts()
    return (head + say("left_out", language, count=left_out) + tail if left_out else head), left_out
