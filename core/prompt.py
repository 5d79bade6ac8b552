"""The texts around a conversation: system prompt, the user's first message, the observation wrapper.

The system prompt's bytes stay the same for the same skills and notes; date and workspace travel with the user's message, so that prompt
caches of providers and local servers keep hitting.
"""
from __future__ import annotations

import json
import re
import time
from pathlib import Path

from core.workspace import Workspace

_PROMPTS = Path(__file__).parent / "prompts"
_TAG = re.compile(r"\[\s*(/?)\s*(SYSTEM\s+OBSERVATION|CONTEXT)\b", re.IGNORECASE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udfff]")
_NOTES = ("AGENTS.md", "MEMORY.md")
_NOTES_LIMIT = 4000


def system_prompt(catalogue: str, workspace: Workspace) -> str:
    """The system prompt: the rules, one line a skill, and the user's notes (AGENTS.md, MEMORY.md of the workspace), each capped."""
    parts = [(_PROMPTS / "system.txt").read_text(encoding="utf-8").strip()]
    parts.append(f"Skills:\n{catalogue}" if catalogue else "No skills are installed; do not use view_skill.")
    for name in _NOTES:
        text = _note(workspace.root / name)
        if text:
            parts.append(f"The user's notes ({name}):\n{text}")
    return "\n\n".join(parts)


def user_message(query: str, workspace: Workspace, now: float, suggestion: str = "") -> str:
    """The user's request, then the facts of the moment: date, workspace, a first look at its files, a skill command that fits."""
    files = list(workspace.files(limit=31))
    listed = ", ".join(neutralise(file) for file in files[:30]) + (", …" if len(files) > 30 else "") if files else "none yet"
    date = time.strftime("%Y-%m-%d %H:%M, %A", time.localtime(now))
    fits = f"a skill's command that fits: {suggestion}\n" if suggestion else ""
    return f"{query}\n\n[CONTEXT]\nnow: {date}\nworkspace: {workspace.root}\nfiles: {listed}\n{fits}[/CONTEXT]"


def observation(text: str) -> str:
    """The user message that carries an action's result to the model."""
    return f"[SYSTEM OBSERVATION]\n{text}\n[/SYSTEM OBSERVATION]"


def closing(text: str) -> str:
    """The assistant message that closes a run which ended without an answer of the model, in the form of its replies."""
    return json.dumps({"thought": "The run was ended.", "action": "answer", "answer": text}, ensure_ascii=False)


def neutralise(text: str) -> str:
    """Text that cannot close the observation, pose as another speaker, or hide: our tags lose their bracket, colours are
    dropped, other control, bidirectional and zero-width characters become visible as \\xNN or \\uNNNN."""
    text = _TAG.sub(r"(\1\2", text)
    if _ODD.search(text):
        text = _ODD.sub(_visible, _COLOUR.sub("", text).replace("\r\n", "\n"))
    return text


def cut_middle(text: str, limit: int, remark: str) -> str:
    """At most about `limit` characters: both ends of the text with `remark` between them, cut at line ends where near."""
    if len(text) <= limit:
        return text
    head, tail = text[:limit * 2 // 3], text[-(limit // 3):]
    if (end := head.rfind("\n")) > len(head) - 200:
        head = head[:end]
    if -1 < (start := tail.find("\n")) < 200:
        tail = tail[start + 1:]
    return f"{head}\n[… {remark}]\n{tail}"


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    return "\n" if code == 13 else f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def _note(path: Path) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = neutralise(file.read(_NOTES_LIMIT + 1)).strip()
    except OSError:
        return ""
    return text[:_NOTES_LIMIT] + " …" if len(text) > _NOTES_LIMIT else text
