"""The documents, their blocks, and somebody who follows them in a clean copy of the project."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.test_first_run import clean_copy

ROOT = Path(__file__).resolve().parent.parent.parent
SHELLS = ("sh", "bash", "console", "shell", "zsh", "shell-session")
_FENCE = re.compile(r"^( *)(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
_EXCUSE = re.compile(r"<!-- not run: (\S.*?) -->\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block. `excuse` is the reason in the comment `<!-- not run: REASON -->` right above it, "" where there is none."""

    file: str
    line: int
    language: str
    text: str
    excuse: str

    @property
    def place(self) -> str:
        """Where it stands, for a message."""
        return f"{self.file}:{self.line}"


def documents() -> list[str]:
    """Every document of the project, relative to its root."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def read(file: str) -> str:
    """The text of a document."""
    return (ROOT / file).read_text(encoding="utf-8")


def blocks_of(file: str, text: str | None = None) -> list[Block]:
    """The fenced blocks of a document, in order."""
    text = read(file) if text is None else text
    found = []
    for match in _FENCE.finditer(text):
        excuse = _EXCUSE.search(text[:match.start()])
        found.append(Block(file, text.count("\n", 0, match.start()) + 1, match[3].lower(), match[4], excuse[1] if excuse else ""))
    return found


def without_blocks(text: str) -> str:
    """A document's prose alone."""
    return _FENCE.sub("", text)


@dataclass(frozen=True)
class Reader:
    """Somebody who follows the documents: a fresh copy of the project that is set up, an empty home, no key, no network."""

    project: Path
    environment: dict[str, str]

    def run(self, argv: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a program in the project's folder; both output streams come in the order in which they were written."""
        return subprocess.run(argv, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, encoding="utf-8", timeout=100, check=False)


def _start_of_python(path: Path) -> None:
    """A program at `path` that is this Python, as the one of an environment that is set up."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def new_reader(folder: Path) -> Reader:
    """A reader with a copy and a home of their own below `folder`."""
    project, home, programs = folder / "project", folder / "home", folder / "bin"
    home.mkdir()
    clean_copy(project)
    for path in (programs / "python3", programs / "python", project / ".venv" / "bin" / "python"):
        _start_of_python(path)
    nowhere = "http://127.0.0.1:9"  # whatever goes to the network fails at once
    environment = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "CI": "true",
        "AGENT_NO_BOOTSTRAP": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": "--collect-only -q -p no:cacheprovider", "PIP_NO_INDEX": "1",
        "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere}
    return Reader(project, environment)
