"""What a standing permission covers: an action, under one rule or as one text, in one folder, with the scripts as they were."""
from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

_WORD = re.compile(r"[^\s'\"`;|&<>()=,]+")
_SCRIPT = re.compile(r"\.(?:py[cwz]?|sh|bash|zsh|ksh|fish|js|mjs|cjs|tsx?|rb|pl|pm|php|lua|r|jl|tcl|awk|sed|ps[dm]?1|bat|cmd|vbs|jar|exe|out|mk)$",
                     re.IGNORECASE)
_RUNS = re.compile(r"(?:^|/)(?:python|pypy|node|deno|bun|ruby|perl|php|lua|rscript|julia|tclsh|awk|gawk|bash|sh|dash|zsh|ksh|fish|source|pwsh|"
                   r"powershell|cmd|java|uv|npx)[\d.]*(?:\.exe)?$", re.IGNORECASE)
_UNKNOWN = re.compile(r"[$`*?\[{~]")
_READ = 32_000_000  # bytes of a script


class Scope(NamedTuple):
    """One permission. `text` is a rule or the very text of the action; `scripts` are (path, SHA-256) of the files that it runs."""

    action: str
    text: str
    cwd: str = ""
    scripts: tuple[tuple[str, str], ...] = ()


def scripts_of(command: str, cwd: str) -> tuple[tuple[str, str], ...] | None:
    """The script files that a command names, with their content; None where one is named that cannot be read now, so that nobody
    knows what the same command would do later. A file that only an imported or called script names is not seen."""
    words = _WORD.findall(command)
    starts = any(word == "." or _RUNS.search(word) for word in words)
    if starts and _UNKNOWN.search(command):
        return None
    found: dict[str, str] = {}
    for number, word in enumerate(words):
        if _RUNS.search(word) or word.startswith("-"):
            continue
        path = _module(word, cwd) if number and words[number - 1] == "-m" else Path(cwd, word)
        script = _SCRIPT.search(path.name) is not None
        if not script and not _is_program(path, starts):
            continue
        digest = _digest(path)
        if digest is None:
            return None
        found[os.path.realpath(path)] = digest
    return tuple(sorted(found.items()))


def _module(name: str, cwd: str) -> Path:
    """The file that `-m NAME` runs, where the folder holds one; a name that is none otherwise."""
    base = Path(cwd, *name.split("."))
    return next((path for path in (base.with_name(base.name + ".py"), base / "__main__.py") if path.exists()), base)


def _is_program(path: Path, starts: bool) -> bool:
    """Whether a file without the name of a script is run by this command: behind an interpreter, or by itself."""
    try:
        mode = os.stat(path).st_mode
        return stat.S_ISREG(mode) and (starts or bool(mode & 0o111))
    except (OSError, ValueError):
        return False


def _digest(path: Path) -> str | None:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) or os.path.getsize(path) > _READ:
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, ValueError):
        return None
