"""What is known while a script is read: the roots, the possible working directories, variables, and the findings so far."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from core.guard import paths
from core.guard.paths import Place, Roots
from core.guard.verdict import Finding, load_table
from core.guard.words import HOLE, Call, Word

MAX_DEPTH = 8
MAX_COMMANDS = 200
MAX_PLACES = 6
MAX_NODES = 4000
MAX_WORDS = 600
MAX_PATH = 4096


class TooMuch(Exception):
    """The text has more commands or levels than the guard reads."""


@dataclass
class Report:
    """The findings of one judgement, shared by all its scopes."""

    findings: list[Finding] = field(default_factory=list)
    commands: int = 0
    nodes: int = 0
    calls: list[tuple[tuple[int, int], str, tuple[str, ...]]] = field(default_factory=list)
    downloads: set[str] = field(default_factory=set)
    secrets: bool = False
    sends: bool = False


@dataclass
class Scope:
    """One shell's state. `cwds` are the working directories that the next command may have (None: not known);
    `inline` is the span of the outer command while an inner script is read."""

    roots: Roots
    shell: str
    cwds: tuple[str | None, ...]
    report: Report
    variables: dict[str, Word | None] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    depth: int = 0
    inline: tuple[int, int] | None = None
    nested: int = 0

    def child(self, *, call: Call | None = None, shell: str = "") -> Scope:
        """A copy for a subshell; with `call`, for the script inside that command."""
        depth = self.depth + (1 if call else 0)
        if depth > MAX_DEPTH:
            raise TooMuch
        inline = (call.start, call.end) if call else self.inline
        return replace(
            self,
            variables=dict(self.variables),
            functions=set(self.functions),
            depth=depth,
            inline=inline,
            shell=shell or self.shell,
            roots=roots_for(self.roots, shell or self.shell),
        )

    def count(self, call: Call | None = None) -> None:
        """One more command; TooMuch when there are more than the guard reads."""
        self.report.commands += 1
        if call is not None:
            self.report.calls.append((self.inline or (call.start, call.end), self.shell, tuple(word.text.replace(HOLE, "…") for word in call.words)))
        if self.report.commands > MAX_COMMANDS:
            raise TooMuch

    def step(self, children: int = 0) -> None:
        """One more node of a syntax tree; TooMuch when there are more than the guard reads."""
        self.report.nodes += 1
        if self.report.nodes > MAX_NODES or children > MAX_WORDS:
            raise TooMuch

    def add(self, rule: str, call: Call, resource: str = "") -> None:
        """Record that `call` meets `rule`."""
        if rule.startswith(("secret.", "read.home", "read.device")):
            self.report.secrets = True
        start, end = self.inline or (call.start, call.end)
        self.report.findings.append(Finding(rule, start, end, resource.replace(HOLE, "…")))

    def places(self, word: Word) -> list[Place]:
        """Where a path may lead, for every possible working directory."""
        if len(word.text) > MAX_PATH:
            return [Place(word.text[:80], "unknown")]
        text = word.text if word.quoted else paths.expand_home(word.text)
        if os.path.isabs(text) and not self.roots.windows:
            return [paths.locate(text, None, self.roots)]
        return [paths.locate(text, cwd, self.roots) for cwd in self.cwds]

    def read(self, call: Call, word: Word, *, contents: bool = True) -> None:
        """Judge reading one path."""
        self._worst(call, word, lambda place: paths.read_rule(place, contents=contents))

    def read_tree(self, call: Call, word: Word) -> None:
        """Judge reading everything below one path: a folder that holds the homes is no system file."""
        self.read(call, word)
        if any(place.path in load_table("paths")["whole"] for place in self.places(word)):
            self.add("read.home", call, word.text)

    def write(self, call: Call, word: Word) -> None:
        """Judge creating or changing one path."""
        self._worst(call, word, paths.write_rule)

    def delete(self, call: Call, word: Word) -> None:
        """Judge deleting one path."""
        self._worst(call, word, lambda place: paths.delete_rule(place, self.roots))

    def _worst(self, call: Call, word: Word, rule_of: Callable[[Place], str]) -> None:
        for place in self.places(word):
            rule = rule_of(place)
            if rule:
                self.add(rule, call, place.path)

    def zones(self, word: Word) -> set[str]:
        """The zones that a path may lie in."""
        return {place.zone for place in self.places(word)}

    def in_skill(self, place: Place) -> bool:
        """Whether a path lies in a skill's folder."""
        roots = self.roots
        skills = (*roots.protected, os.path.join(roots.project, "skills")) if roots.project else roots.protected
        return place.zone == "project" and any(paths.within(root, place.path, roots.fold) for root in skills)

    def move(self, target: Word | None) -> None:
        """Change the working directory; None goes where nobody knows."""
        if target is None or not target.static:
            self.cwds = (None,)
            return
        self.cwds = tuple(dict.fromkeys(place.path if place.zone not in ("unknown", "null") else None for place in self.places(target)))

    def join(self, before: tuple[str | None, ...]) -> None:
        """The command that moved may not have run: both directories are possible from now on."""
        merged = tuple(dict.fromkeys(before + self.cwds))
        self.cwds = merged if len(merged) <= MAX_PLACES else (None,)


def roots_for(roots: Roots, shell: str) -> Roots:
    """The roots under the naming rules of `shell`."""
    windows = shell in ("powershell", "cmd") or os.name == "nt"
    return roots if roots.windows == windows else replace(roots, windows=windows, fold=windows or roots.fold)


def system_program(name: str) -> str:
    """The bare name of a program given by a system path such as /usr/bin/git, else ""."""
    folder, _, base = name.rpartition("/")
    return base if os.path.normpath(folder or "/") in load_table("paths")["system_bins"] else ""
