"""What a command may see: the system, the interpreter, the workspace, and what in them stays closed. Lines for config.py."""
from __future__ import annotations

import os
import sys

# Seen by the type checker alone: at run time these modules would cost more than the whole launcher.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Lines = list[tuple[str, str]]

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store",
          "/sys/devices/system", "/sys/fs/cgroup")
PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")
SECRET_NAMES = frozenset({".env", ".envrc", ".netrc", ".pypirc", ".git-credentials", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"})
HARMLESS_ENDINGS = (".example", ".sample", ".template", ".dist")
SKIPPED = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".home", ".agent", ".tox", ".mypy_cache"})
SCAN_DEPTH, SCAN_FOLDERS = 4, 400
LIMITS = (("CORE", 0), ("FSIZE", 2 << 30), ("NOFILE", 4096))
PROCESSES = 2048


def hops(path: str) -> Lines:
    """The symbolic links on the way to `path`, as `link` lines, so that the name still works in a new root folder."""
    links: Lines = []
    seen: set[str] = set()
    pending = [os.path.abspath(path)]
    while pending:
        parts = pending.pop().split("/")
        for count in range(2, len(parts) + 1):
            prefix = "/".join(parts[:count])
            if os.path.islink(prefix) and prefix not in seen:
                seen.add(prefix)
                target = os.readlink(prefix)
                links.append(("link", f"{prefix}\t{target}"))
                pending.append(os.path.normpath(os.path.join(os.path.dirname(prefix), target, *parts[count:])))
                break
    return links


def grant(key: str, paths: Iterable[str]) -> Lines:
    """`read` or `write` lines for the paths that exist, by their real names, each with the links that lead to it."""
    lines: Lines = []
    for path in paths:
        real = os.path.realpath(path)
        if path and os.path.exists(real):
            lines += [(key, real), *hops(path)]
    return lines


def _environment_folder() -> str:
    """The virtual environment that this Python belongs to, "" for none; under -S sys.prefix does not tell."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(sys.executable)))
    return folder if os.path.isfile(f"{folder}/pyvenv.cfg") else ""


def interpreter() -> Lines:
    """What this Python needs: its environment, the installation that the environment links to, the links between them."""
    home = os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))
    folders = dict.fromkeys((_environment_folder(), sys.prefix, sys.base_prefix, sys.exec_prefix, home))
    lines = grant("read", [path for path in folders if os.path.realpath(path).count("/") > 1])
    return without_covered([*lines, *hops(sys.executable)])


def search_path() -> str:
    """PATH for commands: the interpreter first, then the system; never a folder that a command can write."""
    own = [f"{path}/bin" for path in (_environment_folder(), sys.prefix, sys.base_prefix) if path]
    return ":".join(dict.fromkeys([*own, *PATH]))


def private_files(folder: str = "/etc") -> list[str]:
    """What this user may read below a system folder although not everybody may: passwords, host keys."""
    found = []
    for path, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            full = f"{path}/{name}"
            try:
                private = not os.stat(full, follow_symlinks=False).st_mode & 0o004 and os.access(full, os.R_OK)
            except OSError:
                continue
            if private:
                found.append(full)
                if name in folders:
                    folders.remove(name)
    return found


def carve(folder: str, closed: Sequence[str]) -> list[str]:
    """The fewest paths below `folder` that leave out `closed`: for Landlock, whose grants cannot be taken back below."""
    if folder in closed:
        return []
    if not any(path.startswith(folder + "/") for path in closed):
        return [folder]
    paths: list[str] = []
    for entry in sorted(os.listdir(folder)):
        path = f"{folder}/{entry}"
        if not os.path.islink(path):
            paths += carve(path, closed)
    return paths


def without_covered(lines: Lines) -> Lines:
    """Drop each `read` path that lies below another one, and what stands there twice."""
    roots = [path for key, path in lines if key == "read"]
    return [(key, path) for key, path in dict.fromkeys(lines)
            if key != "read" or not any(path.startswith(root + "/") for root in roots)]


def system(tier: str) -> Lines:
    """The read-only system for a tier, without the files that only this user may read."""
    lines = without_covered(grant("read", SYSTEM))
    if os.path.islink("/etc/resolv.conf"):
        lines += grant("read", ["/etc/resolv.conf"])
    closed = private_files()
    if tier in ("full", "bwrap"):
        return [*lines, *(("mask", path) for path in closed)]
    carved = [line for line in lines if line != ("read", "/etc")]
    return [*carved, *(("read", path) for path in carve("/etc", closed)), ("read", "/proc")]


def closed_inside(root: str, make: bool = True) -> Lines:
    """`protect` and `mask` lines for one granted folder: git hooks and settings, secrets by their usual names.

    `make`: a missing hooks folder of a repository is made, so that there is something to close.
    """
    lines: Lines = []
    pending = [(root, 0)]
    folders = 0
    while pending and folders < SCAN_FOLDERS:
        folder, depth = pending.pop(0)
        folders += 1
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            if entry.name == ".git":
                lines += _git(entry.path, make)
            elif _secret(entry.name) and not entry.is_symlink():
                lines.append(("mask", entry.path))
            elif depth + 1 < SCAN_DEPTH and entry.name not in SKIPPED and entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, depth + 1))
    return lines


def _secret(name: str) -> bool:
    return (name in SECRET_NAMES or name.startswith(".env.")) and not name.endswith(HARMLESS_ENDINGS)


def _git(path: str, make: bool) -> Lines:
    """A repository's settings and hooks decide what runs outside later."""
    if os.path.islink(path):
        return []
    if os.path.isfile(path):
        return [("protect", path)]
    lines: Lines = []
    for folder in [path, *_modules(f"{path}/modules")]:
        if not os.path.isfile(f"{folder}/HEAD") or os.path.islink(folder):
            continue
        for name in ("config", "hooks", "commondir", "config.worktree"):
            target = f"{folder}/{name}"
            if make and name == "hooks" and not os.path.lexists(target):
                os.mkdir(target)
            if os.path.exists(target) and not os.path.islink(target):
                lines.append(("protect", target))
    return lines


def _modules(folder: str) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def limits(tier: str) -> Lines:
    """Resource limits: core dumps, size of a written file, open files, and processes where they are counted per sandbox."""
    lines = [("limit", f"{name}\t{value}") for name, value in LIMITS]
    return [*lines, ("limit", f"NPROC\t{PROCESSES}")] if tier == "full" else lines


def environment(tmp: str, home: str, workspace: str) -> Lines:
    """The smallest environment in which programs work."""
    values = {"PATH": search_path(), "HOME": home, "TMPDIR": tmp, "LANG": os.environ.get("LANG", "C.UTF-8"),
              "TERM": "dumb", "USER": os.environ.get("USER", "user"), "AGENT_WORKSPACE": workspace, "PAGER": "cat",
              "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
    return [("env", f"{key}={value}") for key, value in values.items()]


def for_workspace(workspace: str, network: bool) -> Lines:
    """The grants for a command run by hand in tier full: the system, the interpreter, this workspace and a /tmp in it."""
    root = os.path.realpath(os.path.expanduser(workspace))
    home, tmp = f"{root}/.home", f"{root}/.home/.tmp"
    os.makedirs(tmp, 0o700, exist_ok=True)
    return [("tier", "full"), ("network", "on" if network else "off"), *system("full"), *interpreter(),
            *grant("write", [workspace]), *closed_inside(root), ("tmp", tmp), ("cwd", root), *limits("full"),
            *environment("/tmp", home, root)]
