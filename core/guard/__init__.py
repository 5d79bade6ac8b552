"""The guard: reads a command before it runs and says allow, ask or deny, with the rule and the reason.

It decides when to ask; only the OS sandbox decides what is possible. Importing this package imports no grammar.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.guard.paths import judge_path
from core.guard.verdict import DECISIONS, EFFECTS, Finding, Verdict, conclude, rules

if TYPE_CHECKING:
    from core.guard.scope import Report

    _Folders = tuple[Path | str | None, Iterable[Path | str], Iterable[Path | str]]

__all__ = ["DECISIONS", "EFFECTS", "SHELLS", "Finding", "Verdict", "judge", "judge_declared", "judge_path", "preview", "rules"]
SHELLS = ("posix", "powershell", "cmd")

_DECLARED = {"read": "read.only", "write": "declared.write", "network": "declared.network", "destructive": "declared.destructive"}


def judge(
    command: str,
    *,
    shell: str = "posix",
    workspace: Path | str,
    cwd: Path | str | None = None,
    project: Path | str | None = None,
    skill_roots: Iterable[Path | str] = (),
    writable: Iterable[Path | str] = (),
    sandboxed: bool = False,
) -> Verdict:
    """The verdict about `command`, a text for `shell` ("posix", "powershell" or "cmd") started in `cwd` (default: the workspace).

    `project` holds the agent's own files (default: the parent of the workspace), `skill_roots` further folders that may only be
    read, `writable` folders that the person added. `sandboxed`: the OS sandbox is active, so that what it holds runs without a
    question. No exception escapes: what cannot be read asks.
    """
    report = _read(command, shell, workspace, cwd, (project, skill_roots, writable))
    return conclude(report.findings, command, sandboxed)


def preview(
    command: str,
    *,
    shell: str = "posix",
    workspace: Path | str,
    cwd: Path | str | None = None,
    project: Path | str | None = None,
    skill_roots: Iterable[Path | str] = (),
    writable: Iterable[Path | str] = (),
    sandboxed: bool = False,
) -> dict[str, Any]:
    """The verdict with how the guard understood the text: every simple command with its words, and every rule met.

    {"verdict": {…}, "commands": [{"span", "shell", "words"}], "findings": [{"rule", "decision", "effect", "span", "resource", "reason"}]}
    """
    report = _read(command, shell, workspace, cwd, (project, skill_roots, writable))
    shown = [conclude([finding], command, sandboxed).to_dict() for finding in dict.fromkeys(report.findings)]
    return {
        "verdict": conclude(report.findings, command, sandboxed).to_dict(),
        "commands": [{"span": list(span), "shell": name, "words": list(words)} for span, name, words in report.calls],
        "findings": [{key: row[key] for key in ("rule", "decision", "effect", "span", "resource", "reason")} for row in shown],
    }


def _read(command: str, shell: str, workspace: Path | str, cwd: Path | str | None, folders: _Folders) -> Report:
    """Everything that the text meets."""
    if shell not in SHELLS:
        raise ValueError(f"shell must be one of {', '.join(SHELLS)}, not {shell!r}")
    from core.guard.paths import make_roots
    from core.guard.scope import Report, Scope, TooMuch, roots_for
    from core.guard.shells import walk_script

    report = Report()
    project, skill_roots, writable = folders
    try:
        roots = make_roots(workspace, project=project, protected=skill_roots, writable=writable)
        if roots.workspace == "/" or roots.home and os.path.normcase(roots.workspace) == os.path.normcase(roots.home):
            report.findings.append(Finding("workspace.refused", 0, len(command), roots.workspace))
            return report
        start = os.path.realpath(cwd) if cwd is not None else roots.workspace
        walk_script(command, Scope(roots_for(roots, shell), shell, (start,), report))
    except (TooMuch, RecursionError):
        report.findings.append(Finding("parse.limit", 0, len(command)))
    except Exception as error:  # noqa: BLE001 - whatever goes wrong in reading must end in a question, never in a command that runs
        report.findings.append(Finding("internal.error", 0, len(command), type(error).__name__))
    if report.secrets and report.sends:
        report.findings.append(Finding("secret.exfil", 0, len(command)))
    return report


def judge_declared(effect: str, verdict: Verdict, *, sandboxed: bool = False) -> Verdict:
    """The verdict about a command that a skill declares: its `effect` (read, write, network, destructive) raises what the parser
    saw, never lowers it; an unknown effect counts as destructive."""
    declared = conclude(
        [Finding(_DECLARED.get(effect, "declared.destructive"), *verdict.span, verdict.command)], " " * verdict.span[0] + verdict.command, sandboxed
    )
    mine, theirs = ((DECISIONS.index(v.decision), EFFECTS.index(v.effect)) for v in (declared, verdict))
    return declared if mine > theirs else verdict
