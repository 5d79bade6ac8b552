"""Which paths an action may read and write, and where a command runs.

A path is resolved first (links, `..`, everything), then compared by components with the allowed roots: the workspace for
both, the skill folders for reading only. Comparing text prefixes would let `workspace_evil` pass for `workspace`.
"""
from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import ActionError

AGENT_FOLDER = ".agent"
_SKIPPED = {".git", "node_modules", "__pycache__", ".venv", AGENT_FOLDER}
_CLIMBING = {"", ".", ".."}
_WINDOWS_DEVICES = {"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10))}


class Workspace:
    """The folder that the agent may write, the skill folders that it may read, and the folders that the person `added` (to write) or
    made `readable`. `skill_folder` is the one viewed last."""

    def __init__(self, root: Path, skill_roots: Sequence[Path] = (), *, added: Sequence[Path] = (), readable: Sequence[Path] = (),
                 windows: bool = os.name == "nt") -> None:
        self.root = Path(os.path.realpath(root))
        self.added = [Path(os.path.realpath(folder)) for folder in added]
        self._readable = [Path(os.path.realpath(folder)) for folder in readable]
        self.skill_roots = [Path(os.path.realpath(folder)) for folder in skill_roots]
        self.skill_folder: Path | None = None
        self._windows = windows

    def readable(self, path: str) -> Path:
        """The real path of a file or folder to read. ActionError: outside_workspace, not_found, not_a_file."""
        self._refuse_odd(path)
        first, inside = None, False
        for real in self._candidates(path):
            first = first or real
            if self._may_read(real):
                inside = True
                if mode := _mode(real):
                    self._refuse_device(path, mode)
                    return real
        if not inside:
            raise self._outside(path, first or self.root)
        raise ActionError("not_found", f"{path} does not exist. {self.nearest(path)}")

    def writable(self, path: str) -> Path:
        """The real path of a file to write, which need not exist. ActionError: outside_workspace, read_only, not_a_file."""
        self._refuse_odd(path)
        real = self._meant(path)
        inside = any(_within(root, real) for root in (self.root, *self.added))
        places = (real if inside else _real(self.root, path), *self._skill_places(path))
        if any(_within(root, place) for place in places for root in self.skill_roots):
            raise ActionError("read_only", f"{path} belongs to a skill; skill folders can be read, never written. Write under the workspace.")
        if not inside:
            raise self._outside(path, places[0])
        mode = _mode(real)
        if stat.S_ISDIR(mode) or real in (self.root, *self.added):
            raise ActionError("not_a_file", f"{path} is a folder; give the path of a file in it.")
        if _within(self.root / AGENT_FOLDER, real):
            raise ActionError("read_only", f"{path} is the agent's own record; write elsewhere in the workspace.")
        if mode:
            self._refuse_device(path, mode)
        return real

    def exists(self, path: str) -> bool:
        """Whether a path that may be read leads to something."""
        try:
            return _exists(self.readable(path))
        except ActionError:
            return False

    def working_directory(self, cwd: str | None, command: str = "") -> Path:
        """Where a command runs: `cwd` if given and allowed, else the skill folder viewed last, else the workspace.

        A command that names a file of the workspace and none of the skill runs in the workspace: models write a script there after
        reading a manual, and then run it by its relative path.
        """
        if cwd:
            real = self.readable(cwd)
            if not real.is_dir():
                raise ActionError("not_a_folder", f"cwd {cwd} is a file; give a folder of the workspace.")
            return real
        if self.skill_folder is None:
            return self.root
        names = [word for word in re.split(r"[\s'\"=;|&<>()]+", command) if word and not word.startswith(("-", "/")) and word != "."]
        ours = any(_exists(self.root / name) for name in names)
        return self.root if ours and not any(_exists(self.skill_folder / name) for name in names) else self.skill_folder

    def root_of(self, real: Path) -> Path:
        """The allowed root that holds a real path: the deepest one."""
        roots = [root for root in (self.root, *self.added, *self._readable, *self.skill_roots) if _within(root, real)]
        return max(roots, key=lambda root: len(str(root)))

    def holding(self, folders: Sequence[Path]) -> Path | None:
        """The first of `folders` that lies inside what the agent may write, None when there is none."""
        return next((folder for folder in folders if any(_within(root, _real(folder)) for root in (self.root, *self.added))), None)

    def shown(self, path: Path) -> str:
        """A path as the model writes it: relative inside the workspace, absolute elsewhere."""
        if not _within(self.root, path):
            return str(path)
        return str(path)[len(str(self.root)):].replace(os.sep, "/").lstrip("/") or "."

    def files(self, limit: int = 500) -> Iterator[str]:
        """Relative paths of the workspace's files, shallow folders first, dot and tool folders left out, at most `limit`."""
        queue, count = [self.root], 0
        while queue:
            folder = queue.pop(0)
            for entry in _entries(folder):
                if entry.name in _SKIPPED or entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    queue.append(Path(entry.path))
                    continue
                yield self.shown(Path(entry.path))
                count += 1
                if count >= limit:
                    return

    def nearest(self, path: str) -> str:
        """A sentence that names existing files like `path`, or what the workspace holds."""
        import difflib

        existing = list(self.files())
        name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
        close = [file for file in existing if file.rsplit("/", 1)[-1].lower() == name]
        close += [file for file in difflib.get_close_matches(path, existing, n=3, cutoff=0.6) if file not in close]
        if close:
            return "Nearest existing: " + ", ".join(close[:3])
        return "The workspace holds: " + ", ".join(existing[:10]) if existing else "The workspace is empty."

    def _candidates(self, path: str) -> Iterator[Path]:
        """The places that a path may mean, best first: as given from the workspace, below the skill viewed last, with a leading
        `workspace/` or `skills/` that models add because the manuals speak of these folders."""
        yield _real(self.root, path)
        if self.skill_folder is not None and not os.path.isabs(path):
            yield _real(self.skill_folder, path)
        head, _, rest = path.replace("\\", "/").removeprefix("./").partition("/")
        if head == self.root.name or head == "workspace":
            yield _real(self.root, rest)
        yield from self._skill_places(path)

    def _skill_places(self, path: str) -> Iterator[Path]:
        """What a path may mean that begins as the skills folder is called: `skills/NAME/…`, where that skill exists."""
        head, _, rest = path.replace("\\", "/").removeprefix("./").partition("/")
        for root in self.skill_roots:
            if head == root.name and rest and _exists(root / rest.partition("/")[0]):
                yield _real(root, rest)

    def _meant(self, path: str) -> Path:
        """The real path of a file to write, wherever it lies; a leading `workspace/` that is no folder is left out."""
        head, _, rest = path.replace("\\", "/").removeprefix("./").partition("/")
        return _real(self.root, rest if head == "workspace" and rest and not (self.root / "workspace").is_dir() else path)

    def _may_read(self, real: Path) -> bool:
        return any(_within(root, real) for root in (self.root, *self.skill_roots, *self.added, *self._readable))

    def _outside(self, path: str, real: Path) -> ActionError:
        link = f" (it leads to {real})" if str(real) != os.path.normpath(self.root / path) else ""
        return ActionError("outside_workspace", f"{path}{link} is outside the workspace {self.root}. Use a path inside it, relative to it.")

    def _refuse_odd(self, path: str) -> None:
        if "\0" in path:
            raise ActionError("bad_path", "a path cannot hold a NUL character.")
        if path.startswith("~"):
            raise ActionError("outside_workspace", f"{path}: the home folder cannot be seen. Use a path relative to the workspace.")
        drive = path[1:2] == ":" and path[0].isascii() and path[0].isalpha()
        if drive and (not self._windows or not Path(path).is_absolute()):
            raise ActionError("outside_workspace", f"{path}: drive letters are not accepted here. Use a path relative to the workspace.")
        if "::$" in path or (self._windows and ":" in path[2 if drive else 0:]):
            raise ActionError("bad_path", f"{path}: alternate data streams are not accepted.")
        if self._windows and any(part.split(".")[0].strip().lower() in _WINDOWS_DEVICES for part in re.split(r"[\\/]", path)):
            raise ActionError("bad_path", f"{path} names a device.")

    def _refuse_device(self, path: str, mode: int) -> None:
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise ActionError("not_a_file", f"{path} is a device, pipe or socket, not a file.")


def _real(folder: Path, path: str = "") -> Path:
    """Where `path`, taken from `folder` (a real path), leads."""
    try:
        plain = path if os.name == "posix" and _is_plain(str(folder), path) else ""
        return folder / plain if plain else Path(os.path.realpath(os.path.join(folder, path)))
    except (OSError, ValueError) as error:
        raise ActionError("bad_path", f"{os.path.basename(path)}: {error}") from error


def _is_plain(place: str, path: str) -> bool:
    """Whether a path below a real folder is real as well: nothing in it climbs, and nothing there is a link. Most paths are, and the whole way
    from the root of the file system need not be looked at for them."""
    names = path.split("/")
    if not _CLIMBING.isdisjoint(names):
        return False
    for name in names:
        place = f"{place}/{name}"
        try:
            if stat.S_ISLNK(os.lstat(place).st_mode):
                return False
        except FileNotFoundError:
            return True
        except (OSError, ValueError):
            return False
    return True


def _within(root: Path, path: Path) -> bool:
    """Whether a path is `root` or lies below it, by whole components."""
    base, inner = os.path.normcase(root), os.path.normcase(path)
    return inner == base or inner.startswith(base if base.endswith(os.sep) else base + os.sep)


def _mode(path: Path) -> int:
    """The mode of what a path leads to, 0 where that is nothing; a name that the system cannot even look up leads to nothing."""
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


def _exists(path: Path) -> bool:
    return _mode(path) != 0


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
