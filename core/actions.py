"""What each of the five actions does. An action returns a Result or raises ActionError; the kernel does the rest."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core import content_check
from core.config import Settings
from core.errors import ActionError, SkillError
from core.execute import Executor, Result
from core.files import page, read_text, short_diff, write_text
from core.skills import SkillRegistry
from core.visible import cut_middle, neutralise, one_line
from core.workspace import Workspace


class Actions:
    """Does the actions of one session in one workspace."""

    def __init__(self, registry: SkillRegistry, workspace: Workspace, settings: Settings, executor: Executor) -> None:
        self._registry, self._workspace, self._executor = registry, workspace, executor
        self.observation_limit = settings.observation_limit
        self.guided = False
        self._held: set[Path] = set()  # files whose new text was held back once
        self._do: dict[str, Callable[[Mapping[str, Any], str], Result]] = {
            "view_skill": self._view_skill, "read_file": self._read_file, "write_file": self._write_file, "run_command": executor.run}

    def do(self, action: str, arguments: Mapping[str, Any], action_id: str) -> Result:
        """Carry out one action (not `answer`). ActionError and SkillError become a failed Result."""
        try:
            return self._do[action](arguments, action_id)
        except (ActionError, SkillError) as error:
            text = neutralise(error.observation or str(error))
        except (OSError, ValueError) as error:
            text = neutralise(f"unreadable: {getattr(error, 'strerror', None) or error}")
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
        if (held := self._executor.permit(action_id, "read_file", path)) is not None:
            return held
        shown = one_line(self._workspace.shown(path))
        if path.is_dir():
            names = sorted(one_line(name) + ("/" if os.path.isdir(path / name) else "") for name in os.listdir(path))
            return self._shown(f"{shown} is a folder with {len(names)} entries:\n" + "\n".join(names))
        whole = read_text(self._workspace.root_of(path), path, shown)
        text, note = page(whole, arguments.get("offset"), arguments.get("limit"), bool(arguments.get("numbers")))
        body = cut_middle(neutralise(text), self.observation_limit, "cut: read the rest with offset and limit")
        return Result(True, f"{shown} ({note})\n{body}", body, truncated=len(body) < len(text))

    def _write_file(self, arguments: Mapping[str, Any], action_id: str) -> Result:
        path = self._workspace.writable(arguments["path"])
        if (held := self._executor.permit(action_id, "write_file", path)) is not None:
            return held
        shown, content, append = one_line(self._workspace.shown(path)), arguments["content"], bool(arguments.get("append"))
        before = self._text_before(path, shown)
        after = before + content if append else content
        if not append and (reason := self._objection(path, shown, before, after)):
            raise ActionError("not_written", f"{shown}: {reason}")
        size = write_text(self._workspace.root_of(path), path, shown, content, append)
        done = "appended to" if append and before else "wrote" if not before else "replaced"
        diff = neutralise(short_diff(before, after))
        lines = [f"{done} {shown}: now {len(after.splitlines())} lines, {size} bytes"]
        lines += [diff] if done == "replaced" and diff else []
        text = "\n".join([*lines, remark] if (remark := content_check.remark(path, after)) else lines)
        return Result(True, neutralise(text), f"{text} {content}", diff=diff)

    def _objection(self, path: Path, shown: str, before: str, after: str) -> str:
        """Why the new text is held back. A model that insists is believed, but a guided one does not break a file."""
        again = path in self._held
        reason = content_check.refusal(path, shown, before, after)
        if reason and (self.guided or not again):
            self._held.add(path)
            return reason
        return content_check.loss(path, shown, before, after) if self.guided else ""

    def _text_before(self, path: Path, shown: str) -> str:
        try:
            return read_text(self._workspace.root_of(path), path, shown) if path.exists() else ""
        except ActionError:
            return ""

    def _shown(self, text: str) -> Result:
        body = cut_middle(text, self.observation_limit, "cut: read the rest with read_file")
        return Result(True, body, body, truncated=len(body) < len(text))
