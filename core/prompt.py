"""The texts around a conversation: system prompt, the user's first message, the observation wrapper.

The system prompt's bytes stay the same for the same skills and notes; date and workspace travel with the user's message, so that prompt
caches of providers and local servers keep hitting.
"""
from __future__ import annotations

import json
import os
import time
from pathlib import Path

from core.visible import neutralise, one_line
from core.workspace import Workspace

_PROMPTS = Path(__file__).parent / "prompts"
_NOTES = ("AGENTS.md", "MEMORY.md")
_NOTES_LIMIT = 4000


def system_prompt(catalogue: str, workspace: Workspace) -> str:
    """The system prompt: the rules, one line a skill, and the user's notes (AGENTS.md, MEMORY.md of the workspace), each capped."""
    parts = [(_PROMPTS / "system.txt").read_text(encoding="utf-8").strip()]
    parts.append(f"Skills:\n{catalogue}" if catalogue else "No skills are installed; do not use view_skill.")
    for name in _NOTES:
        text = _note(workspace.root, name)
        if text:
            parts.append(f"The user's notes ({name}):\n{text}")
    return "\n\n".join(parts)


def user_message(query: str, workspace: Workspace, now: float, suggestion: str = "") -> str:
    """The user's request, then the facts of the moment: date, workspace, a first look at its files, a line about the skill that fits."""
    files = list(workspace.files(limit=31))
    listed = ", ".join(one_line(file) for file in files[:30]) + (", …" if len(files) > 30 else "") if files else "none yet"
    date = time.strftime("%Y-%m-%d %H:%M, %A", time.localtime(now))
    fits = f"{suggestion}\n" if suggestion else ""
    return f"{query}\n\n[CONTEXT]\nnow: {date}\nworkspace: {one_line(str(workspace.root))}\nfiles: {listed}\n{fits}[/CONTEXT]"


def observation(text: str) -> str:
    """The user message that carries an action's result to the model."""
    return f"[SYSTEM OBSERVATION]\n{neutralise(text)}\n[/SYSTEM OBSERVATION]"


def closing(text: str) -> str:
    """The assistant message that closes a run which ended without an answer of the model, in the form of its replies."""
    return json.dumps({"thought": "The run was ended.", "action": "answer", "answer": text}, ensure_ascii=False)


def _note(root: Path, name: str) -> str:
    """A note of the user, "" where there is none. A link that leads out of the workspace, or a pipe, is no note."""
    from core.files import open_inside

    try:
        with open_inside(root, Path(os.path.realpath(root / name))) as file:
            text = neutralise(file.read(4 * _NOTES_LIMIT + 1).decode("utf-8", "replace")).strip()
    except (OSError, ValueError):
        return ""
    return text[:_NOTES_LIMIT] + " …" if len(text) > _NOTES_LIMIT else text
