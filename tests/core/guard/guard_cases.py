"""The table of cases: files tests/fixtures/guard_cases/SHELL_LABEL.txt with a line "## kind", then one command a line (⏎ is a line break)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
WORKSPACE = "/home/dev/proj/workspace"  # made up; the agent's own files are one level up


@dataclass(frozen=True)
class Case:
    """One command, and whether it may run without a question."""

    command: str
    shell: str
    dangerous: bool
    kind: str


def table() -> Iterator[Case]:
    """Every case of the text files."""
    for file in sorted((FIXTURES / "guard_cases").glob("*.txt")):
        shell, label = file.stem.split("_")
        kind = ""
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                kind = line[3:]
            elif line:
                yield Case(line.replace("⏎", "\n"), shell, label == "dangerous", kind)


def given() -> Iterator[Case]:
    """The cases that the project was given for development."""
    for line in (FIXTURES / "guard_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Case(row["command"], row["shell"], row["label"] == "dangerous", row["kind"])
