"""Judges a command before it runs. This is the conservative guard: it recognises nothing, so every command asks.

Commands that a skill declares in commands.yaml do not come here: the registry matches them and they run without a shell.
"""
from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.i18n import t


@dataclass(frozen=True)
class Verdict:
    """`decision` is allow, ask or deny; `rule` a stable id; `effect` what the command may do; `reason` for the person."""

    decision: str
    effect: str
    rule: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def judge(command: str, *, shell: str = "posix", workspace: Path, cwd: Path | None = None) -> Verdict:
    """The verdict on a command text for a shell (posix, powershell, cmd)."""
    return Verdict("ask", "unknown", f"{shell}.any", t("kernel.verdict_unknown"))
