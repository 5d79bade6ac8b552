"""Where the command line keeps what it remembers between starts, and what must never be remembered: keys."""
from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

KEPT = 2000  # entries
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf|AKIA|ASIA|AIza|npm|dop_v1)[-_]?[A-Za-z0-9_\-]{12,}"
    r"|\b(?:api[_-]?key|secret|token|passw(?:or)?d|passwd|authorization|credential)s?\b\s*(?:[:=]|is\b)\s*\S{6,}"
    r"|\bbearer\s+\S{12,}|(?:密码|密钥|口令)\s*(?:[:=：]|是|为)\s*[!-~]{6,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}"
    r"|(?<![\w/])(?=[A-Za-z0-9+/_-]*\d)(?=[A-Za-z0-9+/_-]*[A-Za-z])[A-Za-z0-9+/_-]{32,}={0,2}(?![\w/])", re.IGNORECASE)


def looks_secret(text: str) -> bool:
    """Whether a text holds something with the form of a key or password."""
    return _SECRET.search(text) is not None


def state_folder(environ: Mapping[str, str] | None = None) -> Path | None:
    """This person's folder for what programs remember, or None where the environment names no home."""
    environ = os.environ if environ is None else environ
    if sys.platform == "win32":
        base = environ.get("LOCALAPPDATA", "")
    else:
        base = environ.get("XDG_STATE_HOME", "")
        if not os.path.isabs(base):
            home = environ.get("HOME", "")
            base = os.path.join(home, "Library/Application Support" if sys.platform == "darwin" else ".local/state") if home else ""
    return Path(base) / "skills-agent" if os.path.isabs(base) else None


class HistoryFile:
    """The lines typed so far, oldest first, in a file that only its owner can read. A file that cannot be used is no error."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def load(self) -> list[str]:
        """The entries; one that held several lines comes back whole."""
        if self._path is None:
            return []
        try:
            text = self._path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return []
        entries = [_unescaped(line) for line in text.split("\n") if line]
        if len(entries) > 2 * KEPT:
            self._write(entries[-KEPT:], os.O_TRUNC)
        return entries[-KEPT:]

    def add(self, entry: str) -> None:
        """Remember one entry, unless it is empty or holds something like a key."""
        if self._path is not None and entry.strip() and not looks_secret(entry):
            self._write([entry], os.O_APPEND)

    def _write(self, entries: list[str], how: int) -> None:
        assert self._path is not None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(os.open(self._path, os.O_WRONLY | os.O_CREAT | how, 0o600), "w" if how == os.O_TRUNC else "a", encoding="utf-8",
                      errors="replace") as file:
                file.writelines(_escaped(entry) + "\n" for entry in entries)
            os.chmod(self._path, 0o600)
        except OSError:
            self._path = None


def _escaped(entry: str) -> str:
    return entry.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "")


def _unescaped(line: str) -> str:
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], line)
