"""What each of the five actions does. An action returns a Result or raises ActionError; the kernel does the rest."""
from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import content_check, guard, runner
from core.config import Settings
from core.errors import ActionError, SkillError
from core.files import page, read_text, short_diff, write_text
from core.limits import SILENT
from core.prompt import cut_middle, neutralise
from core.skills import SkillRegistry
from core.workspace import AGENT_FOLDER, Workspace

_NOT_FOUND = re.compile(r"(?:can't open file|No such file or directory:|cannot access|cannot open|cannot stat) '([^'\n]+)'|"
                        r": ([^:'\n]+): No such file or directory")
_NO_MODULE = re.compile(r"No module named '([\w-]+)")
Confirm = Callable[[str, str, guard.Verdict], bool]


@dataclass(frozen=True)
class Result:
    """What an action came to: `content` for the model, `signature` what makes two results the same (no durations)."""

    ok: bool
    content: str
    signature: str
    exit_code: int | None = None
    truncated: bool = False
    diff: str = ""
    denied: bool = False


class Actions:
    """Does the actions of one session in one workspace."""

    def __init__(self, registry: SkillRegistry, workspace: Workspace, settings: Settings, *, confirm: Confirm,
                 emit: Callable[..., None], cancelled: threading.Event) -> None:
        self._registry, self._workspace, self._settings = registry, workspace, settings
        self._confirm, self._emit, self._cancelled = confirm, emit, cancelled
        self.observation_limit = settings.observation_limit
        self._outputs = 0
        self._do: dict[str, Callable[[Mapping[str, Any], str], Result]] = {
            "view_skill": self._view_skill, "read_file": self._read_file, "write_file": self._write_file, "run_command": self._run_command}

    def do(self, action: str, arguments: Mapping[str, Any], action_id: str) -> Result:
        """Carry out one action (not `answer`). ActionError and SkillError become a failed Result."""
        try:
            return self._do[action](arguments, action_id)
        except (ActionError, SkillError) as error:
            text = neutralise(error.observation or str(error))
            return Result(False, f"error: {text}", text)

    def detail(self, action: str, arguments: Mapping[str, Any]) -> str:
        """One line that says what an action is about to do, for a person."""
        if action == "write_file":
            return f"{arguments['path']} ({len(arguments['content'])} characters{', append' if arguments.get('append') else ''})"
        return str(next(iter(arguments.values()), ""))

    def _view_skill(self, arguments: Mapping[str, Any], action_id: str) -> Result:
        skill = self._registry.get(arguments["skill"])
        text = self._registry.manual(skill.name, arguments.get("args", ""))
        self._workspace.skill_folder = Path(os.path.realpath(skill.directory))
        return self._shown(neutralise(text))

    def _read_file(self, arguments: Mapping[str, Any], action_id: str) -> Result:
        path = self._workspace.readable(arguments["path"])
        shown = self._workspace.shown(path)
        if path.is_dir():
            names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in os.scandir(path))
            return self._shown(neutralise(f"{shown} is a folder with {len(names)} entries:\n" + "\n".join(names)))
        text, note = page(read_text(path, shown), arguments.get("offset"), arguments.get("limit"), bool(arguments.get("numbers")))
        body = cut_middle(neutralise(text), self.observation_limit, "cut: read the rest with offset and limit")
        return Result(True, f"{shown} ({note})\n{body}", body, truncated=len(body) < len(text))

    def _write_file(self, arguments: Mapping[str, Any], action_id: str) -> Result:
        path = self._workspace.writable(arguments["path"])
        shown, content, append = self._workspace.shown(path), arguments["content"], bool(arguments.get("append"))
        before = self._text_before(path, shown)
        after = before + content if append else content
        if reason := content_check.refusal(path, shown, before, after):
            raise ActionError("not_written", f"{shown}: {reason}")
        write_text(path, shown, content, append)
        done = "appended to" if append and before else "wrote" if not before else "replaced"
        diff = neutralise(short_diff(before, after))
        lines = [f"{done} {shown}: now {len(after.splitlines())} lines, {path.stat().st_size} bytes"]
        lines += [diff] if done == "replaced" and diff else []
        text = "\n".join([*lines, remark] if (remark := content_check.remark(path, after)) else lines)
        return Result(True, neutralise(text), f"{text} {content}", diff=diff)

    def _text_before(self, path: Path, shown: str) -> str:
        try:
            return read_text(path, shown) if path.exists() else ""
        except ActionError:
            return ""

    def _run_command(self, arguments: Mapping[str, Any], action_id: str) -> Result:
        command = arguments["command"]
        cwd = self._workspace.working_directory(arguments.get("cwd"), command)
        declared = self._registry.match_command(command, cwd)
        if declared is not None and declared.spec.effect in ("read", "write"):
            return self._execute(declared.argv, declared.cwd, arguments, action_id)
        verdict = guard.judge(command, shell="powershell" if os.name == "nt" else "posix", workspace=self._workspace.root, cwd=cwd)
        self._emit("verdict", id=action_id, **verdict.to_dict())
        if verdict.decision == "deny" or (verdict.decision == "ask" and not self._confirm(action_id, command, verdict)):
            by = "the guard" if verdict.decision == "deny" else "the user"
            text = f"not run: refused by {by} (rule {verdict.rule}). Do not try the same again; find another way or tell the user."
            return Result(False, text, text, denied=True)
        argv, folder = (declared.argv, declared.cwd) if declared is not None else (runner.shell_argv(command), cwd)
        return self._execute(argv, folder, arguments, action_id)

    def _execute(self, argv: list[str], cwd: Path, arguments: Mapping[str, Any], action_id: str) -> Result:
        limit = float(arguments.get("timeout") or self._settings.command_timeout)
        self._outputs += 1
        try:
            result = runner.run(
                argv, cwd=cwd, environment=runner.command_environment(os.environ, self._workspace.root), timeout=limit,
                keep=self.observation_limit, spool=self._spool(), cancelled=self._cancelled,
                on_line=lambda line: self._emit("command.output", id=action_id, line=neutralise(line), stream="output"))
        except OSError as error:
            raise ActionError("not_started", f"{argv[0]}: {error.strerror or error}") from error
        return self._report(result, cwd, limit)

    def _report(self, result: runner.CommandResult, cwd: Path, limit: float) -> Result:
        body = self._body(result)
        ended = {"timeout": f"stopped: it took longer than {limit:g} s", "cancel": "stopped by the user"}.get(result.ended_by)
        first = f"{ended or f'exit code: {result.exit_code}'} ({result.duration:.2f} s)\ncwd: {self._workspace.shown(cwd)}"
        notes = []
        if not body.strip():
            notes.append(SILENT + (" Check its effect, or print the result." if result.exit_code == 0 and not ended else ""))
        if result.exit_code:
            notes += [note for note in (self._missing(body), self._module(body)) if note]
        if result.left:
            notes.append("Background processes that it left were ended.")
        text = "\n".join([first, *([body] if body.strip() else []), *notes])
        return Result(result.exit_code == 0 and not ended, text, f"{ended or result.exit_code}\n{body}", result.exit_code,
                      truncated=result.whole is not None)

    def _missing(self, output: str) -> str:
        """Where the file is that a failed command did not find, when the workspace has one of that name."""
        found = _NOT_FOUND.search(output)
        if found is None:
            return ""
        name = next(group for group in found.groups() if group).replace("\\", "/").rsplit("/", 1)[-1]
        places = [file for file in self._workspace.files() if file.rsplit("/", 1)[-1].lower() == name.lower()]
        return f"Nearest existing: {', '.join(places[:3])} (in the workspace {self._workspace.root})." if places else ""

    def _module(self, output: str) -> str:
        """A script that imports a skill, or a package that is not there."""
        found = _NO_MODULE.search(output)
        if found is None:
            return ""
        skill = next((name for name in self._registry.skills if name.replace("-", "_").lower() == found[1].lower()), "")
        if skill:
            return f"{skill} is a skill, no Python module: open it with view_skill and run its command."
        return f"There is no module {found[1]} here. Do it with the standard library."

    def _body(self, result: runner.CommandResult) -> str:
        limit = self.observation_limit
        if result.whole is None and not result.tail:
            return cut_middle(neutralise(result.head.rstrip("\n")), limit, "cut in the middle")
        where = f"; the whole is in {self._workspace.shown(result.whole)}, read it with offset and limit" if result.whole else ""
        return cut_middle(neutralise(result.head + result.tail), limit, f"cut: {result.size} bytes in all{where}")

    def _spool(self) -> Path:
        return self._workspace.root / AGENT_FOLDER / "output" / f"{os.getpid()}-{self._outputs:04d}.txt"

    def _shown(self, text: str) -> Result:
        body = cut_middle(text, self.observation_limit, "cut: read the rest with read_file")
        return Result(True, body, body, truncated=len(body) < len(text))
