"""Puts closed files back after a command, for the tiers that cannot close a path below a writable folder."""
from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FILE_BYTES, FILES = 1 << 20, 400
POLICY_FILE = "policy.yaml"


@dataclass(frozen=True)
class _Kept:
    content: bytes
    mode: int
    mtime_ns: int


class Watch:
    """Remembers the files below the `protect` lines before a command; restore() undoes what it did to them.

    The agent's own folder is guarded only in its policy file, because the agent itself writes there meanwhile. Files above
    one megabyte are left alone.
    """

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        self._folders: list[Path] = []
        self._kept: dict[Path, _Kept] = {}
        self._single: list[Path] = []
        for key, text in lines:
            path = Path(text)
            if key != "protect":
                continue
            if path.name == ".agent":
                self._single.append(path / POLICY_FILE)
                self._keep(path / POLICY_FILE)
            elif path.is_dir():
                self._folders.append(path)
                for file in _files(path):
                    self._keep(file)
            else:
                self._single.append(path)
                self._keep(path)

    def restore(self) -> list[str]:
        """The paths that were changed, added or removed, now as they were."""
        changed = [path for path, kept in self._kept.items() if _read(path) != kept]
        added = [path for folder in self._folders for path in _files(folder) if path not in self._kept]
        added += [path for path in self._single if path not in self._kept and os.path.lexists(path)]
        for path in added:
            _remove(path)
        for path in changed:
            _write(path, self._kept[path])
        return sorted(str(path) for path in {*changed, *added})

    def _keep(self, path: Path) -> None:
        kept = _read(path)
        if kept is not None:
            self._kept[path] = kept


def _files(folder: Path) -> list[Path]:
    """Everything in a folder that is not itself a real folder, links included."""
    found: list[Path] = []
    for base, folders, files in os.walk(folder):
        found += [Path(base, name) for name in files]
        found += [Path(base, name) for name in folders if os.path.islink(os.path.join(base, name))]
        if len(found) > FILES:
            break
    return found[:FILES]


def _read(path: Path) -> _Kept | None:
    try:
        state = os.lstat(path)
        if state.st_size > FILE_BYTES or not os.path.isfile(path) or os.path.islink(path):
            return None
        return _Kept(path.read_bytes(), state.st_mode & 0o7777, state.st_mtime_ns)
    except OSError:
        return None


def _remove(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
    except OSError:
        pass


def _write(path: Path, kept: _Kept) -> None:
    """Written anew and renamed, so that neither a link nor an open descriptor of the command reaches the new file."""
    try:
        parent = path.parent
        if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
            parent.unlink()
        parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path) and path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        part = path.with_name(path.name + ".restored")
        _remove(part)
        part.write_bytes(kept.content)
        os.chmod(part, kept.mode)
        os.utime(part, ns=(kept.mtime_ns, kept.mtime_ns))
        os.replace(part, path)
    except OSError:
        pass
