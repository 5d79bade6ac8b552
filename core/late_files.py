"""Files of the workspace that the person's own tools run later, outside the sandbox: what changed in them during a session.

A command may write a Makefile or a conftest.py; whoever types `make` or `pytest` afterwards runs it with their own rights. The
walk is bounded, so a change far below a huge tree may be missed.
"""
from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

LATE_NAMES = frozenset({
    "makefile", "gnumakefile", "justfile", "rakefile", "gulpfile.js", "gruntfile.js", "conftest.py", "noxfile.py", "tox.ini", "setup.py", "setup.cfg",
    "pyproject.toml", "sitecustomize.py", "usercustomize.py", "package.json", ".npmrc", ".envrc", ".bashrc", ".bash_profile", ".bash_login",
    ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".pre-commit-config.yaml", ".gitattributes", ".gitmodules"})
_LATE_FOLDERS = {  # folder -> the names in it; every name when empty
    ".vscode": frozenset({"tasks.json", "launch.json", "settings.json"}), ".husky": frozenset[str]()}
_SKIPPED = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".agent", ".home", "site-packages", ".mypy_cache", ".pytest_cache", ".tox"})
# Lines of a .git/config that make git start a program or look for programs elsewhere.
_RUNS = re.compile(
    r"^\s*(?:hookspath|fsmonitor|sshcommand|pager|editor|askpass|helper|program|textconv|external|command|driver|clean|smudge|process|path|gitproxy|"
    r"uploadpack|receivepack|cmd|update)\s*=|^\s*\[\s*(?:alias|include|pager)|=\s*[\"']?!", re.IGNORECASE | re.MULTILINE)
DEPTH, ENTRIES = 6, 10_000
_Seen = dict[str, tuple[int, int, int, int]]


class LateFiles:
    """Remembers such files below `folders` as they are now; `changed` compares."""

    def __init__(self, folders: Iterable[Path | str]) -> None:
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._before = self._look()

    def changed(self) -> list[str]:
        """Absolute paths of those that were made or changed since, sorted; a file that is gone runs no more."""
        found = (path for path, state in self._look().items() if self._before.get(path) != state)
        return sorted(path for path in found if not path.endswith(os.path.join(".git", "config")) or _runs_programs(path))

    def _look(self) -> _Seen:
        seen: _Seen = {}
        left = ENTRIES
        for folder in self._folders:
            for entry in _walk(folder):
                left -= 1
                if left < 0:
                    return seen
                _note(entry, seen)
        return seen


def _walk(folder: str) -> Iterator[os.DirEntry[str]]:
    """Entries of a tree, near ones first; links are not followed, and of .git only what can run is entered."""
    level = [folder]
    for _ in range(DEPTH):
        below: list[str] = []
        for path in level:
            for entry in _entries(path):
                yield entry
                if _is_entered(entry, path):
                    below.append(entry.path)
        level = below


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(itertools.islice(entries, ENTRIES))
    except OSError:
        return []


def _is_entered(entry: os.DirEntry[str], parent: str) -> bool:
    if os.path.basename(parent) == ".git":
        return entry.name == "hooks" and entry.is_dir(follow_symlinks=False)
    return entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)


def _note(entry: os.DirEntry[str], seen: _Seen) -> None:
    """Keep the state of an entry that runs later."""
    parent, name = os.path.split(os.path.dirname(entry.path))[1], entry.name
    if not (name.lower() in LATE_NAMES or _in_late_folder(entry.path, parent, name)):
        return
    try:
        if entry.is_dir(follow_symlinks=False):
            return
        state = entry.stat(follow_symlinks=False)
    except OSError:
        return
    seen[entry.path] = (state.st_mtime_ns, state.st_size, state.st_mode, state.st_ino)


def _in_late_folder(path: str, parent: str, name: str) -> bool:
    if parent == ".git":
        return name == "config"
    if parent == "hooks":
        return os.path.basename(os.path.dirname(os.path.dirname(path))) == ".git" and not name.endswith(".sample")
    names = _LATE_FOLDERS.get(parent)
    return names is not None and (not names or name in names)


def _runs_programs(path: str) -> bool:
    """Whether this configuration of git names a program; true when it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return _RUNS.search(file.read(100_000)) is not None
    except OSError:
        return True
