"""Finds the skills, lists them for the model, opens their manuals, and knows which command texts they declare.

A skill is a folder with a SKILL.md (the open Agent Skills format) and, where it wants, a commands.yaml. Nothing of a skill is
executed here. A broken skill never stops the start: it is a row of the load report.
"""
from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import SkillError
from core.front_matter import Head, parse_metadata, read_head
from core.i18n import t
from core.skill_files import BadSkillFile, open_own, read_own
from core.skill_names import Nearest, clean_name, one_line, valid_name

if TYPE_CHECKING:
    from core.commands import CommandSpec, DeclaredCall
    from core.commands_file import CommandsFile

HEAD_BYTES = 8 * 1024
MAX_HEAD_BYTES = 256 * 1024
MAX_DEPTH = 6
MAX_FOLDERS = 20_000
MAX_LISTED_FILES = 50
MAX_DESCRIPTION = 1024
CATALOGUE_WIDTH = 250
_SKIPPED_FOLDERS = {"node_modules", "__pycache__", "site-packages"}
_NOTES = {"byte_order_mark", "name_format", "name_differs", "file_name", "hash_kept", "unusual_key", "text_before_front_matter"}


@dataclass
class Skill:
    """One skill. `name` and `description` are read at scan time, everything else when it is asked for."""

    path: Path
    directory: Path
    name: str
    description: str
    hidden: bool = False
    _head: Head = field(default_factory=Head, repr=False, compare=False)
    _commands: tuple[tuple[int, int], CommandsFile] | None = field(default=None, repr=False, compare=False)

    @property
    def content(self) -> str:
        """The manual without its front matter, as the file is now. Raises SkillError when it cannot be read."""
        try:
            return read_head(read_own(self.path)).body
        except OSError as error:
            reason = error.strerror or str(error)
            raise SkillError("skills.manual_gone", f"The manual of {self.name} cannot be read: {reason}.", name=self.name,
                             path=str(self.path), reason=reason) from error

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """Every field of the front matter; scalars are text as typed."""
        return parse_metadata(self._head)

    @property
    def commands(self) -> tuple[CommandSpec, ...]:
        """The commands that commands.yaml declares without error; read when first asked for, again when the file changes."""
        return self.commands_file().commands

    def commands_file(self) -> CommandsFile:
        """commands.yaml as it is now, with its problems."""
        from core.commands_file import CommandsFile, read_commands
        path = self.directory / "commands.yaml"
        try:
            status = path.stat()
        except OSError:
            return CommandsFile()
        stamp = (status.st_mtime_ns, status.st_size)
        if self._commands is None or self._commands[0] != stamp:
            self._commands = (stamp, read_commands(path, self.name))
        return self._commands[1]


@dataclass
class LoadReport:
    """What a scan met. found = loaded + shadowed + failed + excluded.

    Each row: path, code (stable), line (from 1), message, fix (both in the person's language), severity (error, warning, note).
    """

    found: int = 0
    loaded: int = 0
    shadowed: int = 0
    failed: int = 0
    excluded: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, path: Path | str, code: str, line: int = 1, severity: str = "", **values: Any) -> None:
        """Add one row; the texts are skills.CODE and skills.CODE_fix of the catalogue."""
        row = {"path": str(path), "code": code, "line": line, "message": t(f"skills.{code}", **values),
               "fix": t(f"skills.{code}_fix", **values), "severity": severity or ("note" if code in _NOTES else "warning")}
        if row not in self.rows:
            self.rows.append(row)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"found": self.found, "loaded": self.loaded, "shadowed": self.shadowed, "failed": self.failed,
                "excluded": self.excluded, "rows": list(self.rows)}


class SkillRegistry:
    """The skills under one root, or several: of two skills with one name the later root wins, inside a root the first path.

    `writable_roots` are the folders in which the agent may write. What it can rewrite is no declared command: see `match_command`.
    """

    def __init__(self, skills_root: Path | str | Sequence[Path | str]) -> None:
        roots = [skills_root] if isinstance(skills_root, str | Path) else list(skills_root)
        self.roots = [Path(root) for root in roots]
        self.writable_roots: list[Path] = []
        self.skills: dict[str, Skill] = {}
        self.report = LoadReport()
        self._lock = threading.Lock()

    def scan(self) -> LoadReport:
        """Read the folders again. What is in use stays whole: `skills` and `report` are replaced when the scan is done."""
        report, found = LoadReport(), dict[str, Skill]()
        for root in reversed(self.roots):
            for path in _skill_files(root, report):
                report.found += 1
                self._take(path, found, report)
        report.loaded = len(found)
        with self._lock:
            self.skills = dict(sorted(found.items()))
            self.report = report
        return report

    def check(self) -> LoadReport:
        """A scan that reads every commands.yaml too and puts its problems in the report."""
        self.scan()
        self.commands()
        return self.report

    def get(self, name: str) -> Skill:
        """The skill of that name: exact, then by NFKC and case, then with `_`, blank and `-` alike. Raises SkillError with the nearest."""
        if name in self.skills:
            return self.skills[name]
        nearest = Nearest(self.skills)
        found = nearest.same(name)
        if found is not None:
            return self.skills[found]
        near = ", ".join(nearest.like(name, 3))
        there = f"Skills are: {near}." if near else "There are no skills."
        raise SkillError("skills.unknown" if near else "skills.none", f"There is no skill {one_line(name, 80)!r}. {there}",
                         name=one_line(name, 80), nearest=near)

    def get_prompt_snippet(self) -> str:
        """The catalogue for the prompt: one line a skill, sorted, the same bytes for the same skills; "" when there are none."""
        return "\n".join(f"- {skill.name}: {one_line(skill.description, CATALOGUE_WIDTH)}"
                         for skill in self.skills.values() if not skill.hidden)

    def manual(self, name: str, args: str = "") -> str:
        """What view_skill shows: the manual with its placeholders filled, the absolute folder, the files. Raises SkillError."""
        skill = self.get(name)
        folder = str(skill.directory)
        body = skill.content.strip()
        fills = {"{baseDir}": folder, "${CLAUDE_SKILL_DIR}": folder, "{python}": "python", "$ARGUMENTS": args}
        appended = f"\n\nArguments: {args}" if args and "$ARGUMENTS" not in body else ""
        for placeholder, text in fills.items():
            body = body.replace(placeholder, text)
        return f"{body}{appended}\n\nFolder: {folder} (relative paths start here)\nFiles: {_files_line(skill.directory)}"

    def commands(self) -> list[CommandSpec]:
        """Every declared command of every skill, in the order of the skills; problems go to the report."""
        found: list[CommandSpec] = []
        for skill in self.skills.values():
            declared = skill.commands_file()
            found.extend(declared.commands)
            for problem in declared.problems:
                self.report.add(skill.directory / "commands.yaml", problem.code, problem.line, problem.severity, **problem.values)
        return found

    def match_command(self, command: str, cwd: Path) -> DeclaredCall | None:
        """The declared command that a command text is, or None.

        It matches only plain words (`python`, the skill's own script, arguments that fit the declaration and its schemas, at most
        one leading or trailing --json). The call that comes back is built from the declaration, not from the text. A skill that lies in
        one of `writable_roots` has no declared commands: whoever writes there could put anything into its script.
        """
        from core.commands import match_words, script_of, split_plain
        words = split_plain(command)
        script = script_of(words, cwd) if words else None
        if not words or script is None or self._is_writable(script):
            return None
        for skill in self.skills.values():
            if not script.is_relative_to(skill.directory.resolve()) or self._is_writable(skill.directory):
                continue
            for spec in skill.commands:
                call = match_words(spec, words, script, cwd)
                if call is not None:
                    return call
        return None

    def _is_writable(self, path: Path) -> bool:
        """Whether the path, as it is named or where its links lead, lies in a folder in which the agent may write."""
        places = (Path(os.path.abspath(path)), path.resolve())
        return any(place.is_relative_to(folder) for root in self.writable_roots for folder in (Path(os.path.abspath(root)), root.resolve())
                   for place in places)

    def _take(self, path: Path, found: dict[str, Skill], report: LoadReport) -> None:
        try:
            skill = _read_skill(path, report)
        except BadSkillFile as error:
            report.failed += 1
            report.add(path, error.code, severity="error")
            return
        except OSError as error:
            report.failed += 1
            report.add(path, "unreadable", severity="error", reason=error.strerror or str(error))
            return
        if skill is None:
            report.failed += 1
        elif skill.name in found:
            report.shadowed += 1
            report.add(path, "shadowed", name=skill.name, winner=str(found[skill.name].path))
        else:
            found[skill.name] = skill


def _read_skill(path: Path, report: LoadReport) -> Skill | None:
    head = _read_file_head(path)
    for repair in head.repairs:
        report.add(path, repair.code, repair.line)
    folder = path.parent.name or path.parent.resolve().name
    name = clean_name(head.name)
    if not name:
        name = clean_name(folder)
        report.add(path, "name_missing", name=name)
    elif not valid_name(name):
        report.add(path, "name_format", head.line_of("name"), name=name)
    elif name != folder:
        report.add(path, "name_differs", head.line_of("name"), name=name, folder=folder)
    description = head.description
    if not description:
        description = _first_paragraph(head.body)
        if not description:
            report.add(path, "description_missing", severity="error")
            return None
        report.add(path, "description_derived", name=name)
    if len(description) > MAX_DESCRIPTION:
        report.add(path, "description_long", head.line_of("description"), length=len(description), limit=MAX_DESCRIPTION)
    if path.name != "SKILL.md":
        report.add(path, "file_name", name=path.name)
    return Skill(path, path.parent, name, description, head.flag("disable-model-invocation"), Head(entries=head.entries, name=head.name,
                                                                                                 description=head.description))


def _read_file_head(path: Path) -> Head:
    with open_own(path) as file:
        data = file.read(HEAD_BYTES)
        head = read_head(data, len(data) < HEAD_BYTES)
        if not head.complete:
            data += file.read(MAX_HEAD_BYTES)
            head = read_head(data)
    return head


def _first_paragraph(body: str) -> str:
    """The first run of prose lines: headings, comments, fences and tables are passed over."""
    lines: list[str] = []
    for line in body.split("\n"):
        text = line.strip()
        if text and not text.startswith(("#", "<!--", "```", "---", "|")):
            lines.append(text)
        elif lines:
            break
    return " ".join(lines)


def _skill_files(root: Path, report: LoadReport) -> Iterator[Path]:
    """Every SKILL.md below `root`, in a fixed order; nothing below a folder that has one, no folder twice, bounded."""
    seen: set[tuple[int, int]] = set()
    stack = [(root.absolute(), 0)]
    while stack:
        folder, depth = stack.pop()
        try:
            status = os.stat(folder)
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            if depth == 0 or not isinstance(error, FileNotFoundError):
                report.add(folder, "folder_unreadable", reason=error.strerror or str(error))
            continue
        if len(seen) > MAX_FOLDERS:
            report.add(root, "too_many_folders", limit=MAX_FOLDERS)
            return
        manual = _manual_entry(entries)
        if manual is not None:
            yield folder / manual
        elif depth < MAX_DEPTH:
            stack.extend((folder / entry.name, depth + 1) for entry in reversed(entries) if _is_searched(entry))


def _manual_entry(entries: Sequence[os.DirEntry[str]]) -> str | None:
    names = [entry.name for entry in entries if entry.name.lower() == "skill.md" and not _is_folder(entry)]
    return "SKILL.md" if "SKILL.md" in names else names[0] if names else None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.name not in _SKIPPED_FOLDERS and _is_folder(entry)


def _files_line(directory: Path) -> str:
    names: list[str] = []
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        inside = os.path.relpath(folder, directory).replace(os.sep, "/")
        prefix = "" if inside == "." else inside + "/"
        names.extend(prefix + name for name in sorted(files) if not name.startswith(".") and not name.endswith(".pyc"))
        if len(names) > MAX_LISTED_FILES:
            return ", ".join(names[:MAX_LISTED_FILES]) + ", and more"
    return ", ".join(names)


