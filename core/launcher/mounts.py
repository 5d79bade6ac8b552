"""A root folder that holds what was granted and nothing else.

Every source is opened by its real path with no symbolic link allowed on the way, cloned as a detached mount, given its
flags, and then put in its place; so a folder swapped for a link meanwhile ends in an error, never in a wrong grant.
"""
from __future__ import annotations

# ruff: noqa: SIM105 – contextlib costs the launcher a millisecond
import os

from core.launcher.config import Config
from core.launcher.system import AT_FDCWD, SetupError, call, mount, step, unmount

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 0x4000, 0x40000
ATTR_RDONLY, ATTR_NOSUID, ATTR_NODEV = 1, 2, 4
AT_EMPTY_PATH, AT_RECURSIVE, OPEN_TREE_CLONE, CLOEXEC = 0x1000, 0x8000, 1, 0o2000000
O_PATH, RESOLVE_NO_SYMLINKS = 0o10000000, 0x04
MOVE_FROM_EMPTY, MOVE_TO_EMPTY = 0x04, 0x40
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
DEVICE_LINKS = (("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"),
                ("stderr", "/proc/self/fd/2"), ("ptmx", "pts/ptmx"))
SHARED_MEMORY = "size=1073741824,mode=1777"
# Their files belong to root, so that a command of root could change the machine's settings through them.
SETTINGS = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs")


def open_path(path: str, folder: int = AT_FDCWD) -> int:
    """A handle on `path`; SetupError when it is missing or a symbolic link lies on the way or at its end."""
    how = (O_PATH | CLOEXEC).to_bytes(8, "little") + bytes(8) + RESOLVE_NO_SYMLINKS.to_bytes(8, "little")
    return call("mounts", "openat2", folder, os.fsencode(path), how, 24, detail=path)


def build(config: Config, uid: int) -> None:
    """Replace the root folder of this process (alone in its mount namespace, process 1 of its process namespace)."""
    mount("mounts", "none", "/", None, MS_REC | MS_PRIVATE)
    binds = _sources(config)
    devices = [(f"/dev/{name}", _clone(f"/dev/{name}", ATTR_NOSUID)) for name in DEVICES if os.path.exists(f"/dev/{name}")]
    devices += [(path, _clone(path, ATTR_NOSUID)) for path in config.device]
    procs = _clone("/proc", ATTR_NOSUID | ATTR_NODEV) if config.proc == "bind" else -1
    mount("mounts", "tmpfs", "/usr", "tmpfs", MS_NOSUID | MS_NODEV, "size=4m,mode=755")
    os.chdir("/usr")
    for target, source in binds:
        _attach(source, target)
    os.close(os.open("./.empty", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
    for path in config.mask:
        _mask(path)
    _devices(devices)
    _process_files(procs, uid, config.fail)
    for line in config.link:
        _link(*line.split("\t", 1))
    _seal(".")
    call("mounts", "pivot_root", b".", b".")
    unmount("mounts", ".")
    os.chdir("/")


def close(config: Config, masks: list[str]) -> None:
    """Close paths below the writable folders of the finished root; SetupError `stale` when a folder was replaced meanwhile."""
    for line in config.same:
        path, _, identity = line.partition("\t")
        state = os.stat(path)
        if f"{state.st_dev}:{state.st_ino}" != identity:
            raise SetupError("stale", 116, path)
    plan: dict[str, int] = {}
    for path in config.protect:
        for parent in between(path, config.write):
            plan.setdefault(parent, 0)
        plan[path] = ATTR_RDONLY
    for path in sorted(plan, key=lambda path: path.count("/")):
        _attach(_clone(path, plan[path] | ATTR_NOSUID | ATTR_NODEV), path)
    for path in masks:
        _mask(path)


def _sources(config: Config) -> list[tuple[str, int]]:
    """(where, detached mount) from the root downwards, so that a narrower grant lies over a wider one."""
    plan = {path: (path, ATTR_RDONLY) for path in config.read}
    plan.update({path: (path, 0) for path in config.write})
    if config.tmp:
        plan["/tmp"] = (config.tmp, 0)
    order = sorted(plan, key=lambda path: (path.count("/"), path))
    return [(target, _clone(plan[target][0], plan[target][1] | ATTR_NOSUID | ATTR_NODEV)) for target in order]


def between(path: str, roots: list[str]) -> list[str]:
    """The folders between a writable root and a protected path: as mount points they cannot be renamed away."""
    root = max((root for root in roots if path.startswith(root.rstrip("/") + "/")), key=len, default="")
    parents = []
    parent = os.path.dirname(path)
    while root and len(parent) > len(root):
        parents.append(parent)
        parent = os.path.dirname(parent)
    return parents


def _clone(path: str, attributes: int) -> int:
    source = open_path(path)
    try:
        copy = call("mounts", "open_tree", source, b"", OPEN_TREE_CLONE | CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE, detail=path)
    finally:
        os.close(source)
    _set_attributes(copy, attributes, path)
    return copy


def _set_attributes(tree: int, attributes: int, path: str) -> None:
    value = attributes.to_bytes(8, "little") + bytes(24)
    call("mounts", "mount_setattr", tree, b"", AT_EMPTY_PATH | AT_RECURSIVE, value, 32, detail=path)


def _attach(tree: int, path: str) -> None:
    """Put a detached mount at `path` of the new root, making the place when there is none."""
    place = "." + path
    try:
        target = open_path(place)
    except SetupError as error:
        if error.errno != 2:
            raise
        _make_place(place, os.stat(tree))
        target = open_path(place)
    try:
        call("mounts", "move_mount", tree, b"", target, b"", MOVE_FROM_EMPTY | MOVE_TO_EMPTY, detail=path)
    finally:
        os.close(target)
        os.close(tree)


def _make_place(place: str, like: os.stat_result) -> None:
    try:
        if like.st_mode & 0o170000 == 0o040000:
            os.makedirs(place, 0o755, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    except OSError as error:
        raise SetupError("mounts", error.errno or 0, place) from error


def _mask(path: str) -> None:
    """Let a file read as empty and a folder as an empty one, both read-only; a path that is gone needs no mask."""
    try:
        target = open_path("." + path)
    except SetupError as error:
        if error.errno == 2:
            return
        raise
    folder = os.stat(target).st_mode & 0o170000 == 0o040000
    os.close(target)
    if folder:
        mount("mounts", "tmpfs", "." + path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=555")
        _seal("." + path)
        return
    empty = call("mounts", "open_tree", AT_FDCWD, b"./.empty", OPEN_TREE_CLONE | CLOEXEC)
    _set_attributes(empty, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV, path)
    _attach(empty, path)


def _seal(path: str) -> None:
    value = ATTR_RDONLY.to_bytes(8, "little") + bytes(24)
    call("mounts", "mount_setattr", AT_FDCWD, os.fsencode(path), 0, value, 32, detail=path)


def _devices(devices: list[tuple[str, int]]) -> None:
    for path, tree in devices:
        _attach(tree, path)
    for name, target in DEVICE_LINKS:
        os.symlink(target, f"./dev/{name}")
    os.mkdir("./dev/shm")
    mount("mounts", "tmpfs", "./dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, SHARED_MEMORY)
    os.mkdir("./dev/pts")
    mount("mounts", "devpts", "./dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")


def _process_files(procs: int, uid: int, failing: list[str]) -> None:
    if procs >= 0:
        _attach(procs, "/proc")
        return
    step("proc", failing)
    os.mkdir("./proc")
    mount("proc", "proc", "./proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for path in SETTINGS if uid == 0 else ():
        if os.path.exists("." + path):
            tree = call("mounts", "open_tree", AT_FDCWD, os.fsencode("." + path), OPEN_TREE_CLONE | CLOEXEC | AT_RECURSIVE)
            _set_attributes(tree, ATTR_RDONLY, path)
            _attach(tree, path)


def _link(path: str, target: str) -> None:
    """Make a symbolic link of the real system again; one that cannot be made is only a lost shortcut."""
    try:
        os.makedirs(os.path.dirname("." + path), 0o755, exist_ok=True)
        os.symlink(target, "." + path)
    except OSError:
        pass
