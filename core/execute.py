"""The run_command action: judge the command, ask where the verdict says so, run it in the sandbox, tell the model what came of it."""
from __future__ import annotations

import os
import re
import threading
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from core.config import ROOT, Settings
from core.errors import ActionError
from core.files import create_inside
from core.limits import SILENT
from core.skills import SkillRegistry
from core.visible import cut_middle, neutralise, one_line
from core.workspace import AGENT_FOLDER, Workspace

if TYPE_CHECKING:  # guard and runner are large, and nothing needs them before the first action
    from core import guard, runner
    from core.commands import DeclaredCall
    from core.sandbox import Sandbox

# Patterns as text: the first failed command compiles them, not every start.
_NOT_FOUND = (r"(?:can't open file|No such file or directory:|cannot access|cannot open|cannot stat) '([^'\n]+)'|"
              r": ([^:'\n]+): No such file or directory")
_NO_MODULE = r"No module named '([\w-]+)"
_NO_NUMBER = r"(?:could not convert string to float|invalid literal for int\(\) with base 10): '([^'\d\n]{1,60})'"
_NETWORK = ("network", "exfil")
_WATCHED = 1_000_000  # bytes
RUNNER = Path(__file__).with_name("guard_runner.py")
Confirm: TypeAlias = "Callable[[str, str, str, guard.Verdict, str], bool]"


@dataclass(frozen=True)
class Result:
    """What an action came to: `content` for the model, `signature` what makes two results the same (no durations), `blocked` the
    rule of the sandbox that stopped it."""

    ok: bool
    content: str
    signature: str
    exit_code: int | None = None
    truncated: bool = False
    diff: str = ""
    denied: bool = False
    blocked: str = ""


def _header(output: str) -> str:
    """A script that took a word, usually a column's name, for a number."""
    found = re.search(_NO_NUMBER, output)
    return f"'{found[1]}' is a word, perhaps from the header line of the data: skip what is not a number." if found else ""


def _content(path: Path) -> int:
    """A number that changes with what a file holds, -1 for what is no small file."""
    try:
        return zlib.crc32(path.read_bytes()) if path.is_file() and path.stat().st_size < _WATCHED else -1
    except (OSError, ValueError):
        return -1


def needs_network(verdict: guard.Verdict) -> bool:
    """Whether some part of the judged command needs the network, so that a yes to it is a yes to that."""
    from core import guard

    table = guard.rules()
    return verdict.network or verdict.effect in _NETWORK or any(table[rule].effect in _NETWORK for rule in verdict.rules if rule in table)


def refused(verdict: guard.Verdict) -> Result:
    """The result of an action that the guard or the person did not let through."""
    by = "guard" if verdict.decision == "deny" else "user"
    text = (f"not done. blocked_by: {by}\nrule: {verdict.rule}\ncommand: {verdict.command[:200]}\n"
            f"would be allowed: {verdict.allowed or 'nothing like it'}\nDo not try the same again; find another way or tell the user.")
    return Result(False, neutralise(text), text, denied=True)


class Executor:
    """Runs the commands of one session. `confirm` asks the person; `by_person` says whether a yes comes from a person: only then may it
    open the network, or a file that the guard protects."""

    def __init__(self, registry: SkillRegistry, workspace: Workspace, settings: Settings, *, sandbox: Callable[[], Sandbox], confirm: Confirm,
                 by_person: Callable[[], bool], emit: Callable[..., None], cancelled: threading.Event) -> None:
        self._registry, self._workspace, self._settings = registry, workspace, settings
        self._sandbox, self._confirm, self._by_person = sandbox, confirm, by_person
        self._emit, self._cancelled = emit, cancelled
        self.observation_limit = settings.observation_limit
        self._outputs = 0
        self._networked: set[str] = set()  # skills whose network the person has granted in this session

    def run(self, arguments: Mapping[str, Any], action_id: str) -> Result:
        """Judge, ask, run, report. ActionError when the command cannot be started."""
        from core import runner

        command = arguments["command"]
        cwd = self._workspace.working_directory(arguments.get("cwd"), command)
        declared = self._registry.match_command(command, cwd)
        verdict = self._verdict(command, cwd, declared)
        self._emit("verdict", id=action_id, **verdict.to_dict())
        asked = verdict.decision == "ask" and not (declared is not None and verdict.effect == "network" and declared.spec.skill in self._networked)
        if verdict.decision == "deny" or (asked and not self._confirm(action_id, "run_command", command, verdict, str(cwd))):
            return refused(verdict)
        network = self._settings.network or (asked and needs_network(verdict) and self._by_person())
        if declared is not None:
            if network and verdict.effect == "network":
                self._networked.add(declared.spec.skill)
            network = network or declared.spec.skill in self._networked
            return self._execute(declared.argv, declared.cwd, arguments, action_id, network)
        return self._execute(runner.shell_argv(command), cwd, arguments, action_id, network)

    def _verdict(self, command: str, cwd: Path, declared: DeclaredCall | None) -> guard.Verdict:
        """What the guard says. Without a sandbox, whatever does more than read asks; a declared command asks by its declared effect."""
        from core import guard

        confined = self._sandbox().confines
        if declared is not None:
            # Its argv is rebuilt from the declaration and meets no shell: beside the declared effect there is no text left to judge.
            seen = guard.judge("true", workspace=self._workspace.root)
            return replace(guard.judge_declared(declared.spec.effect, seen, sandboxed=confined), command=command)
        verdict = guard.judge(command, shell="powershell" if os.name == "nt" else "posix", workspace=self._workspace.root, cwd=cwd, project=ROOT,
                              skill_roots=self._workspace.skill_roots, writable=self._workspace.added, sandboxed=confined)
        opens = verdict.network and not self._settings.network
        if verdict.decision == "allow" and (opens or (verdict.effect != "read" and not confined)):
            return replace(verdict, decision="ask", effect="network" if opens else verdict.effect)
        return verdict

    def permit(self, action_id: str, action: str, path: Path) -> Result | None:
        """Ask for a file that read_file or write_file may not touch unasked (keys, git hooks, …); the refusal, or None when it may go on."""
        from core import guard

        verdict = guard.judge_path(path, "read" if action == "read_file" else "write", workspace=self._workspace.root, project=ROOT,
                                   skill_roots=self._workspace.skill_roots, writable=self._workspace.added)
        if verdict.decision == "allow":
            return None
        self._emit("verdict", id=action_id, **verdict.to_dict())
        if not self._by_person():  # no sandbox stands behind these two actions: what --auto-approve may approve ends here
            return refused(replace(verdict, decision="deny"))
        asked = verdict.decision == "ask" and self._confirm(action_id, action, self._workspace.shown(path), verdict, "")
        return None if asked else refused(verdict)

    def _execute(self, argv: list[str], cwd: Path, arguments: Mapping[str, Any], action_id: str, network: bool) -> Result:
        from core import runner

        limit = float(arguments.get("timeout") or self._settings.command_timeout)
        self._outputs += 1
        named = self._named_files(str(arguments["command"]), cwd)
        sandbox = self._sandbox()
        values = {**runner.QUIET, "AGENT_WORKSPACE": str(self._workspace.root), "AGENT_SANDBOX": sandbox.tier, "AGENT_GUARD_RUNNER": str(RUNNER)}
        try:
            command = sandbox.spawn(argv, cwd, sandbox.environment(values), network=network, merge=True)
        except OSError as error:
            raise ActionError("not_started", f"{error.filename or argv[0]}: {error.strerror or error}") from error
        result = runner.follow(command, timeout=limit, keep=self.observation_limit, spool=self._spool(),
                               create=lambda path: create_inside(self._workspace.root, path), cancelled=self._cancelled,
                               on_line=lambda line: self._emit("command.output", id=action_id, line=neutralise(line), stream="output"))
        denial = sandbox.explain(result.exit_code, result.head + result.tail, cwd=cwd, network=network) if result.ended_by == "exit" else None
        report = self._report(result, cwd, limit, named)
        if denial is None:
            return report
        return replace(report, content=f"{report.content}\n{neutralise(denial.observation)}", blocked=denial.rule)

    def _report(self, result: runner.CommandResult, cwd: Path, limit: float, named: Mapping[Path, int]) -> Result:
        body = self._body(result)
        ended = {"timeout": f"stopped: it took longer than {limit:g} s", "cancel": "stopped by the user"}.get(result.ended_by)
        first = f"{ended or f'exit code: {result.exit_code}'} ({result.duration:.2f} s)\ncwd: {one_line(self._workspace.shown(cwd))}"
        notes = []
        if not body.strip():
            changes = [f"{one_line(self._workspace.shown(path))} is {'unchanged' if _content(path) == before else 'changed'}."
                       for path, before in named.items()]
            advice = ["Check its effect, or print the result."] if result.exit_code == 0 and not ended and not changes else []
            notes.append(" ".join([SILENT, *changes, *advice]))
        if result.exit_code:
            notes += [note for note in (self._missing(body), self._module(body), _header(body)) if note]
        text = "\n".join([first, *([body] if body.strip() else []), *notes])
        return Result(result.exit_code == 0 and not ended, text, f"{ended or result.exit_code}\n{body}", result.exit_code,
                      truncated=result.whole is not None)

    def _named_files(self, command: str, cwd: Path) -> dict[Path, int]:
        """The files of the workspace that the command's text names, each with a number for what it holds now."""
        paths = (cwd / word for word in re.split(r"[\s'\";|&<>()]+", command)[:100] if word and not word.startswith("-"))
        found = {path: _content(path) for path in paths if path.is_relative_to(self._workspace.root)}
        return {path: content for path, content in list(found.items())[:5] if content >= 0}

    def _missing(self, output: str) -> str:
        """Where the file is that a failed command did not find, when the workspace has one of that name."""
        found = re.search(_NOT_FOUND, output)
        if found is None:
            return ""
        name = next(group for group in found.groups() if group).replace("\\", "/").rsplit("/", 1)[-1]
        places = [file for file in self._workspace.files() if file.rsplit("/", 1)[-1].lower() == name.lower()]
        return f"Nearest existing: {', '.join(one_line(place) for place in places[:3])} (in the workspace {self._workspace.root})." if places else ""

    def _module(self, output: str) -> str:
        """A script that imports a skill, or a package that is not there."""
        found = re.search(_NO_MODULE, output)
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
        return self._workspace.root / AGENT_FOLDER / "output" / f"{self._outputs:04d}-{os.urandom(4).hex()}.txt"
