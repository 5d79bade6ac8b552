"""Where a path leads and what may be done there: one set of rules for commands, read_file and write_file.

Paths are resolved with realpath and compared component by component, case folded where the system ignores case.
"""

from __future__ import annotations

import fnmatch
import functools
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.guard.verdict import Finding, Verdict, conclude, load_table
from core.guard.words import HOLE

_DRIVE = re.compile(r"^[A-Za-z]:")
_SHORT_NAME = re.compile(r"~\d+(\.|$)")
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Roots:
    """The folders that the rules speak of, resolved. `windows`: names follow Windows' rules; `fold`: case does not matter."""

    workspace: str
    project: str
    home: str
    temp: str
    protected: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    windows: bool = False
    fold: bool = False


@dataclass(frozen=True)
class Place:
    """`zone` is workspace, project, home, temp, outside, device, null or unknown; `secret` and `guarded` (a rule, or "") go beside it."""

    path: str
    zone: str
    secret: bool = False
    guarded: str = ""


def make_roots(
    workspace: Path | str,
    *,
    project: Path | str | None = None,
    protected: Iterable[Path | str] = (),
    writable: Iterable[Path | str] = (),
    windows: bool | None = None,
) -> Roots:
    """Resolve the roots once. `project` is the folder of the agent's own files (default: the parent of the workspace);
    `protected` are further folders such as skill roots; `writable` are folders that the person added."""
    on_windows = os.name == "nt" if windows is None else windows
    real = os.path.realpath(workspace)
    home = os.path.realpath(os.path.expanduser("~")).rstrip("/")
    parent = os.path.realpath(project) if project is not None else os.path.dirname(real)
    if project is None and (parent in ("/", home) or parent.count(os.sep) < 2 or parent == _temp()):
        parent = ""
    return Roots(
        real,
        parent,
        home,
        _temp(),
        tuple(os.path.realpath(p) for p in protected),
        tuple(os.path.realpath(p) for p in writable),
        on_windows,
        on_windows or sys.platform == "darwin",
    )


@functools.cache
def _temp() -> str:
    usual = os.environ.get("TEMP", "C:\\Windows\\Temp") if os.name == "nt" else "/tmp"
    return os.path.realpath(os.environ.get("TMPDIR") or usual)


def expand_home(text: str) -> str:
    """~ and ~name at the start replaced; a name that does not exist here is taken for a home folder all the same."""
    match = re.match(r"~([\w.-]*)(?=[/\\]|$)", text)
    if match is None:
        return text
    home = os.path.expanduser(match[0])
    return ("/home/" + match[1] if home.startswith("~") else home) + text[match.end() :]


def parts(path: str, fold: bool) -> tuple[str, ...]:
    """The components of a path for comparing."""
    return tuple(piece for piece in (path.casefold() if fold else path).replace("\\", "/").split("/") if piece)


def within(root: str, path: str, fold: bool) -> bool:
    """Whether `path` is `root` or lies below it, by components."""
    base = parts(root, fold)
    return bool(root) and parts(path, fold)[: len(base)] == base


@functools.cache
def _names(key: str) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(name) for name in load_table("paths")[key]))


@functools.cache
def _listed(key: str) -> frozenset[str]:
    return frozenset(load_table("paths")[key])


def locate(text: str, cwd: str | None, roots: Roots) -> Place:
    """The place that `text` names for a command started in `cwd` (None: not known)."""
    name = _windows_name(text) if roots.windows else text
    if HOLE in name:
        return Place(text, "unknown", _secret(name.replace(HOLE, "*"), name, False))
    if name.casefold() in _listed("null") or name.startswith("/dev/fd/"):
        return Place(name, "null")
    if roots.windows and _DRIVE.match(name):
        path = name if name[2:3] == "/" else name[:2] + "/" + name[2:]
        path = path[:2] + os.path.normpath(path[2:])
    elif name.startswith("//"):
        path = "/" + name.lstrip("/") if not roots.windows else name
    elif not os.path.isabs(name) and cwd is None:
        return Place(name, "unknown", _secret(name, name, roots.fold))
    else:
        path = os.path.join(cwd or "/", name)
    real = os.path.realpath(path) if path.startswith("/") or os.name == "nt" else path
    return Place(real, _zone(real, roots), _secret(name, real, roots.fold), _guarded(name, real, roots))


def _windows_name(text: str) -> str:
    """Slashes turned, streams, trailing dots and spaces removed: the name that Windows would open."""
    name = re.sub(r"^(?:[\w.]+\\[\w.]+::|filesystem::)", "", text, flags=re.I).replace("\\", "/")
    if name.startswith(("//?/", "//./")):
        name = name[4:]
    pieces = name.split("/")
    for index, piece in enumerate(pieces):
        if index == 0 and _DRIVE.match(piece):
            piece = piece[:2] + piece[2:].partition(":")[0]
        elif not index or "://" not in name:
            piece = piece.partition(":")[0]
        pieces[index] = piece if piece in (".", "..") else piece.rstrip(" .") or piece
    return "/".join(pieces)


def _zone(path: str, roots: Roots) -> str:
    fold = roots.fold
    if any(within(root, path, fold) for root in roots.protected):
        return "project"
    if within(roots.workspace, path, fold) or any(within(root, path, fold) for root in roots.writable):
        return "workspace"
    if within(roots.project, path, fold):
        return "project"
    return _foreign_zone(path, roots)


def _foreign_zone(path: str, roots: Roots) -> str:
    """The zone of a path outside the workspace and the agent's own folder."""
    pieces = parts(path, True)
    if within(roots.home, path, roots.fold):
        return "home"
    if pieces[:2] == ("dev", "shm") or within(roots.temp, path, roots.fold) and not within(roots.temp, roots.workspace, roots.fold):
        return "temp"
    if pieces[:1] == ("dev",):
        return "device"
    below = any(len(pieces) > len(parts(top, True)) and within(top, path, True) for top in _listed("home_parents"))
    return "home" if below or pieces[:1] == ("root",) else "outside"


def _secret(name: str, path: str, fold: bool) -> bool:
    whole = "/" + "/".join(parts(path, True)) + "/"
    if any(whole.startswith(prefix + "/") for prefix in _listed("secret_paths")):
        return True
    if whole.startswith("/proc/") and whole.endswith(("/environ/", "/mem/", "/maps/", "/root/", "/cmdline/")):
        return not whole.startswith("/proc/cmdline/")
    for base in {os.path.basename(path.rstrip("/")).lower(), os.path.basename(name.replace("\\", "/").rstrip("/")).lower()}:
        if _names("secret_files").match(base) and not _names("secret_not").match(base):
            return True
    return any(f"/{folder}/" in whole for folder in _listed("secret_dirs")) or bool(_WILD.search(name)) and _secret_glob(name)


def _secret_glob(name: str) -> bool:
    """Whether a pattern is written so that it meets a secret's name: `.e*`, `.s?h/id_*`."""
    for piece in parts(name, True):
        if not _WILD.search(piece) or not re.search(r"\w", re.sub(r"\[[^\]]*\]", "", piece)) and not piece.startswith("."):
            continue
        if any(fnmatch.fnmatchcase(known, piece) for known in _listed("secret_globs") if known[0] != "." or piece[0] in ".["):
            return True
    return False


def _guarded(name: str, path: str, roots: Roots) -> str:
    """The rule that protects a path from writing wherever it lies, or ""."""
    pieces = parts(path, True)
    whole = "/" + "/".join(pieces) + "/"
    if "/.agent/" in whole:
        return "write.policy"
    last = pieces[-1] if pieces else ""
    if last in _listed("startup_files") or any(f"/{folder}/" in whole for folder in _listed("startup_dirs")) or last.endswith(".pth"):
        return "write.startup"
    if any(whole.endswith(f"/{file}/") for file in _listed("git_writable")):
        return ""
    inside = whole[len("/" + "/".join(parts(roots.workspace, True))) :] if within(roots.workspace, path, True) else whole
    if any(f"/{folder}/" in inside for folder in _listed("protected_dirs")):
        return "write.protected"
    if _names("secret_files").match(last) and not _names("secret_not").match(last):
        return "write.protected"
    return "write.protected" if roots.windows and any(_SHORT_NAME.search(piece) for piece in pieces) else ""


def read_rule(place: Place, *, contents: bool = True) -> str:
    """The rule that stops reading here, or "". `contents` is false where only names and sizes are shown."""
    if place.secret:
        return "secret.read"
    if place.zone == "device":
        return "read.device" if contents else ""
    return "read.home" if place.zone == "home" and contents else ""


def write_rule(place: Place) -> str:
    """The rule that covers creating or changing this path."""
    if place.guarded:
        return place.guarded
    if place.zone == "temp":
        return "write.outside" if os.path.lexists(place.path) and not os.path.isdir(place.path) else "write.temp"
    return {
        "null": "read.only",
        "workspace": "write.workspace",
        "project": "write.project",
        "device": "write.device",
        "unknown": "overwrite.dynamic",
    }.get(place.zone, "write.outside")


def delete_rule(place: Place, roots: Roots) -> str:
    """The rule that covers deleting this path; none of them allows."""
    if place.zone == "unknown":
        return "delete.dynamic"
    path = place.path.rstrip("/*") or "/"
    if len(parts(path, True)) <= 1 or within(path, roots.home, roots.fold) or place.zone != "workspace" and within(path, roots.project, roots.fold):
        return "delete.root"
    if place.guarded == "write.policy":
        return "write.policy"
    return "delete.workspace" if place.zone == "workspace" else "delete.outside"


def judge_path(
    path: Path | str,
    mode: str = "read",
    *,
    workspace: Path | str,
    cwd: Path | str | None = None,
    skill_roots: Iterable[Path | str] = (),
    project: Path | str | None = None,
    writable: Iterable[Path | str] = (),
    windows: bool | None = None,
) -> Verdict:
    """The verdict about one path of read_file (`mode` "read") or write_file ("write"); the same rules as for commands.

    A relative path starts at `cwd`, or the workspace. Writing to skills, the agent's own files, .env, .git/hooks and .git/config
    asks, with the file as `resource`; the policy file is denied.
    """
    roots = make_roots(workspace, project=project, protected=skill_roots, writable=writable, windows=windows)
    text = os.fspath(path)
    text = expand_home(text)
    if "\x00" in text:
        return conclude([Finding("parse.control", 0, len(text), text)], text)
    place = locate(text, os.path.realpath(cwd) if cwd is not None else roots.workspace, roots)
    rule = write_rule(place) if mode == "write" else read_rule(place) or "read.only"
    if mode != "write" and roots.windows and place.guarded and _SHORT_NAME.search(text):
        rule = "secret.read"
    return conclude([Finding(rule, 0, len(text), place.path)], text)
