"""What the person decided to remember: exact commands, or a program with its sub-command, each with when and why.

The file is workspace/.agent/policy.yaml. No command and no write_file may touch it; only the person's answers and the `rules`
command change it. A remembered rule never allows a command that meets another rule than those it was given for.
"""

from __future__ import annotations

import os
import posixpath
import re
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import SettingsError
from core.guard.programs import canonical, handlers, spec_of
from core.guard.verdict import Verdict, load_table, rules

_PLAIN = re.compile(r"[\w ./,:=+@%'\"-]+")
_PREFIX_RULES = (
    "unknown.program",
    "unknown.subcommand",
    "network.remote",
    "network.dns",
    "git.push",
    "container.change",
    "cloud.change",
    "build.tool",
    "install.packages",
    "system.packages",
    "database.change",
)
_FIELDS = ("kind", "text", "shell", "rules", "when", "why", "cwd")


@dataclass(frozen=True)
class Remembered:
    """One decision. `kind` is exact or prefix; `rules` are the only rules that it allows; `when` is UTC, ISO 8601.

    `cwd` is the folder that it holds in, below the workspace with `/` between names; "" is the workspace itself.
    """

    kind: str
    text: str
    shell: str
    rules: tuple[str, ...]
    when: str
    why: str
    cwd: str = ""

    def covers(self, command: str, shell: str, verdict: Verdict, cwd: str = "") -> bool:
        """Whether this decision was about that command, in that very folder, and everything that the guard found in it."""
        if self.shell != shell or self.cwd != cwd or not set(_asked(verdict)) <= set(self.rules):
            return False
        if self.kind == "exact":
            return self.text == command
        words, prefix = plain_words(command), self.text.split(" ")
        return words is not None and words[: len(prefix)] == prefix


def _asked(verdict: Verdict) -> tuple[str, ...]:
    """The rules that a yes is about: also where a rule that allows is asked because no sandbox holds."""
    return tuple(verdict.rules) or (verdict.rule,)


def plain_words(command: str) -> list[str] | None:
    """The words of one simple command without any character that a shell gives a meaning, or None."""
    if not _PLAIN.fullmatch(command):
        return None
    try:
        return shlex.split(command)
    except ValueError:
        return None


def offers(command: str, verdict: Verdict, shell: str = "posix") -> list[tuple[str, str]]:
    """What the person may be offered to remember, as (kind, text); nothing where the verdict is no question.

    Interpreters, shells, wrappers and everything that deletes, reads secrets or raises rights are never offered as a prefix.
    """
    if verdict.decision != "ask":
        return []
    found = [("exact", command)]
    words = plain_words(command)
    if words and shell == "posix" and set(_asked(verdict)) <= set(_PREFIX_RULES):
        prefix = _prefix(words)
        if prefix:
            found.append(("prefix", prefix))
    return found


def _prefix(words: Sequence[str]) -> str:
    """Program and sub-command, where the program has sub-commands and starts nothing else."""
    name = words[0]
    if canonical(name) != name or len(words) < 2 or words[1].startswith("-"):
        return ""
    table = load_table("subcommands")
    if name in table:
        known = {sub.strip() for subs in spec_of(name).get("rules", {}).values() for sub in subs.split(",")}
        two = " ".join(words[1:3])
        return f"{name} {two}" if two in known else f"{name} {words[1]}" if words[1] in known or name not in handlers() else ""
    if name == "git":
        return f"git {words[1]}"
    return f"{name} {words[1]}" if name not in handlers() and re.fullmatch(r"[a-z][\w-]*", words[1]) else ""


class Policy:
    """The remembered decisions of one workspace: those in its file and those of this session only."""

    def __init__(self, workspace: Path | str, clock: Callable[[], float] = time.time) -> None:
        self.path = Path(workspace) / ".agent" / "policy.yaml"
        self._clock = clock
        self._session: list[Remembered] = []
        self._saved: list[Remembered] | None = None

    @property
    def entries(self) -> list[Remembered]:
        """Everything that is remembered, the file first. SettingsError when the file cannot be trusted."""
        if self._saved is None:
            self._saved = self._load()
        return [*self._saved, *self._session]

    def folder(self, cwd: Path | str) -> str | None:
        """`cwd` as rules name it, links resolved; None for a folder outside the workspace, where no rule holds."""
        root, place = os.path.realpath(self.path.parent.parent), os.path.realpath(cwd)
        try:
            inside = os.path.commonpath([root, place]) == os.path.normpath(root)
        except ValueError:  # another drive
            return None
        below = Path(os.path.relpath(place, root)).as_posix() if inside else None
        return "" if below == "." else below

    def allows(self, command: str, verdict: Verdict, shell: str = "posix", cwd: str = "") -> Remembered | None:
        """The decision that answers this question in the folder `cwd` (as `folder` gives it), or None. What is denied stays denied."""
        if verdict.decision != "ask":
            return None
        return next((entry for entry in self.entries if entry.covers(command, shell, verdict, cwd)), None)

    def remember(
        self, kind: str, text: str, verdict: Verdict, why: str, *, shell: str = "posix", session: bool = False, cwd: str = ""
    ) -> Remembered:
        """Keep one decision for the rules of `verdict` in the folder `cwd`; ValueError for what offers() would not offer."""
        command = text if kind == "exact" else verdict.command
        if (kind, text) not in offers(command, verdict, shell) or not _is_folder_name(cwd):
            raise ValueError(f"{kind} {text!r} cannot be remembered")
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))
        entry = Remembered(kind, text, shell, _asked(verdict), when, why, cwd)
        saved = self.entries[: len(self._saved or [])]
        if session:
            self._session.append(entry)
        else:
            self._store([*saved, entry])
        return entry

    def revoke(self, index: int) -> Remembered:
        """Forget entry `index` of `entries`; IndexError when there is none."""
        entry = self.entries[index]
        if entry in self._session:
            self._session.remove(entry)
        else:
            self._store([kept for kept in self._saved or [] if kept != entry])
        return entry

    def _load(self) -> list[Remembered]:
        if self.path.is_symlink() or self.path.parent.is_symlink():
            raise SettingsError("guard.policy_broken", path=str(self.path), detail="symbolic link")
        if not self.path.exists():
            return []
        import yaml

        try:
            data = yaml.safe_load(self.path.read_text(encoding="utf-8")) or {}
            return [_entry(item) for item in data.get("rules", [])]
        except (yaml.YAMLError, OSError, ValueError, TypeError, AttributeError, KeyError) as error:
            raise SettingsError("guard.policy_broken", path=str(self.path), detail=str(error).split("\n")[0]) from error

    def _store(self, entries: list[Remembered]) -> None:
        import yaml

        self.path.parent.mkdir(parents=True, exist_ok=True)
        rows = [_row(entry) for entry in entries]
        text = "# Decisions that the agent remembers. `rules` lists and revokes them.\n" + yaml.safe_dump(
            {"rules": rows}, allow_unicode=True, sort_keys=False
        )
        beside = self.path.with_suffix(".new")
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, self.path)
        self._saved = entries


def _row(entry: Remembered) -> dict[str, Any]:
    """One row of the file; a rule of the workspace itself names no folder."""
    row = {**asdict(entry), "rules": list(entry.rules)}
    return row if entry.cwd else {name: value for name, value in row.items() if name != "cwd"}


def _is_folder_name(cwd: str) -> bool:
    """Whether `cwd` is a folder as `Policy.folder` writes it: below the workspace, in one spelling only."""
    return not cwd or (cwd == posixpath.normpath(cwd) and cwd not in (".", "..") and not cwd.startswith(("/", "../")) and ":" not in cwd[:2])


def _entry(item: Any) -> Remembered:
    """One row of the file; ValueError when a field is missing or means nothing."""
    values = {name: item[name] for name in _FIELDS if name != "cwd" or name in item}
    texts = [value for name, value in values.items() if name != "rules"]
    if values["kind"] not in ("exact", "prefix") or not all(isinstance(text, str) for text in texts) or not _is_folder_name(values.get("cwd", "")):
        raise ValueError(f"not a rule: {item}")
    unknown = set(values["rules"]) - set(rules())
    if unknown:
        raise ValueError(f"unknown rule {sorted(unknown)[0]}")
    return Remembered(**{**values, "rules": tuple(values["rules"])})
