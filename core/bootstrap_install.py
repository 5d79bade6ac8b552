"""The slow half of the bootstrap: builds `.venv`, runs pip or uv, explains what failed. Parses on Python 3.8.

What a killed start may leave behind is told apart by files in `.skills-agent`: `installing` stands there while packages
are being written, so that a later start does not trust a half-written package; `place` is written last of all.
"""
from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
from typing import Dict, Iterator, List, NoReturn, Optional, Sequence, Set

from core.bootstrap import _STATE, CORE_MB, NEEDED, ROOT, _fail, _is_current, _place, _python, _read, _same, _say

_NETWORK = re.compile(
    r"from versions: none|timed out"
    r"|ReadTimeout|ConnectTimeout|NewConnectionError|Max retries|connection error|[Nn]ame ?[Rr]esolution|Network is unreachable"
    r"|Connection (?:refused|reset|aborted)|error sending request|Failed to fetch|ProxyError|SSLError|certificate verify failed|dns error")
_WRITING = re.compile(r"^(?:Installing collected packages|Prepared \d+ package)", re.MULTILINE)  # pip's word and uv's
_SYSTEMS = (  # (program that tells the system apart, command for venv, command for Python itself)
    ("apt-get", "sudo apt install python{0}.{1}-venv", "sudo apt install python3 python3-venv"),
    ("dnf", "sudo dnf install python3", "sudo dnf install python3"),
    ("pacman", "sudo pacman -S python", "sudo pacman -S python"),
    ("zypper", "sudo zypper install python3", "sudo zypper install python312"),
    ("apk", "sudo apk add python3", "sudo apk add python3"),
    ("brew", "brew install python", "brew install python"),
    ("winget", "winget install Python.Python.3.13", "winget install Python.Python.3.13"),
)


def set_up(prefix: str, requirements: Sequence[str], foreign: bool) -> str:
    """Make the environment current, alone (other starts wait), and return its prefix; exits 3 with one line otherwise."""
    if foreign and not os.access(prefix, os.W_OK) and not missing_packages(requirements):
        return prefix
    started = time.monotonic()
    try:
        with _lock() as lock:
            if _is_current(prefix, requirements):
                return prefix
            if foreign:
                _say("bootstrap.into_active", folder=prefix)
            else:
                _prepare_own(prefix, lock)
            _install(prefix, requirements, foreign, lock)
    except OSError as error:
        _fail("bootstrap.not_writable", folder=error.filename or prefix, reason=error.strerror or error)
    except KeyboardInterrupt:
        _say("bootstrap.stopped")
        sys.exit(130)
    import importlib

    importlib.invalidate_caches()
    _say("bootstrap.ready", seconds=round(time.monotonic() - started))
    return prefix


def missing_packages(requirements: Sequence[str]) -> List[str]:
    """The distributions of the lists that no folder of sys.path holds; by the names of their dist-info folders, versions aside."""
    present: Set[str] = set()
    for folder in sys.path:
        with contextlib.suppress(OSError):
            present.update(_normal(name.split("-")[0]) for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))
    wanted = [name for file in requirements for name in requirement_names(file)]
    return [name for name in wanted if _normal(name) not in present]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement_names(file: str) -> List[str]:
    """The names in a requirement list of the project, in their order."""
    text = (_read(ROOT, file) or b"").decode("utf-8", "replace")
    return re.findall(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)", text, re.MULTILINE)


def system_command(what: str) -> str:
    """The one command of this system that brings "venv" or "python"."""
    for program, for_venv, for_python in _SYSTEMS:
        if shutil.which(program):
            return (for_venv if what == "venv" else for_python).format(*sys.version_info[:2])
    return "python.org/downloads"


def newer_python() -> Optional[str]:
    """The name of a Python on PATH that is new enough and starts, or None."""
    names = [f"python3.{minor}" for minor in range(19, NEEDED[1] - 1, -1)] + ["python3"]
    test = f"import sys; sys.exit(sys.version_info[:2] < {NEEDED})"
    return next((name for name in names if shutil.which(name) and _succeeds([name, "-I", "-c", test])), None)


def base_python() -> str:
    """The Python that environments are made from, also when this one runs in an environment."""
    if os.name == "nt":
        return getattr(sys, "_base_executable", None) or sys.executable
    if sys.prefix == sys.base_prefix:
        return sys.executable
    # before 3.11, sys._base_executable is the environment's own Python here
    named = os.path.join(sys.base_prefix, "bin", "python{0}.{1}".format(*sys.version_info[:2]))
    return named if os.path.exists(named) else os.path.realpath(sys.executable)


# --- one start at a time ---

@contextlib.contextmanager
def _lock() -> Iterator[Optional[int]]:
    """Hold `.venv.lock`. The system frees it with the last process that has it open, so nobody has to clean up after a kill."""
    try:
        handle = os.open(os.path.join(ROOT, ".venv.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:  # a read-only project with an active environment: nothing of ours to protect
        yield None
        return
    try:
        if not _try_lock(handle):
            _say("bootstrap.waiting")
            while not _try_lock(handle):
                time.sleep(0.2)
        yield handle
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        return True
    return True


# --- our own environment ---

def _prepare_own(prefix: str, lock: Optional[int]) -> None:
    """Leave a working, perhaps empty environment at `prefix`: the one that is there, or a new one."""
    if not os.path.lexists(prefix):
        _say("bootstrap.first_start", folder=prefix, size=CORE_MB)
    else:
        if not _looks_like_venv(prefix):
            _fail("bootstrap.not_a_venv", folder=prefix)
        reason = _why_broken(prefix)
        if reason is None:
            _say("bootstrap.update", folder=prefix)
            return
        _say("bootstrap.rebuild", folder=prefix, reason=reason)
    _build(prefix, _builder(prefix), lock)


def _looks_like_venv(prefix: str) -> bool:
    """Whether the folder may be deleted: an environment, one begun by us, or nothing at all."""
    if os.path.islink(prefix) or not os.path.isdir(prefix):
        return False
    return not os.listdir(prefix) or any(os.path.exists(os.path.join(prefix, name)) for name in ("pyvenv.cfg", _STATE))


def _why_broken(prefix: str) -> Optional[str]:
    from core.i18n import t

    if os.path.exists(os.path.join(prefix, _STATE, "installing")):
        return t("bootstrap.why_unfinished")
    place = _read(prefix, _STATE, "place")
    if place is not None and place != _place(prefix):
        return t("bootstrap.why_moved")
    test = f"import os, sys; sys.exit(sys.version_info[:2] < {NEEDED} or os.path.realpath(sys.prefix) != {os.path.realpath(prefix)!r})"
    if not _succeeds([_python(prefix), "-I", "-c", test]):
        return t("bootstrap.why_no_python")
    return None if _installer(prefix) else t("bootstrap.why_no_pip")


def _builder(prefix: str) -> List[str]:
    """The command that makes an environment: venv, or uv where the system took ensurepip out of Python."""
    from importlib.util import find_spec

    base = base_python()
    if find_spec("venv") and find_spec("ensurepip"):
        return [base, "-I", "-m", "venv", prefix]
    uv = shutil.which("uv")
    if uv:
        return [uv, "venv", "-q", "--allow-existing", "--python", base, prefix]
    _fail("bootstrap.no_venv", command=system_command("venv"))


def _build(prefix: str, command: List[str], lock: Optional[int]) -> None:
    if os.path.isdir(prefix):
        shutil.rmtree(prefix)
    _mark(prefix)
    code, text = _run(command, prefix, lock)
    if code == 0:
        return
    shutil.rmtree(prefix, ignore_errors=True)
    if "ensurepip" in text:
        _fail("bootstrap.no_venv", command=system_command("venv"))
    _explain(text)


# --- packages ---

def _install(prefix: str, requirements: Sequence[str], foreign: bool, lock: Optional[int]) -> None:
    command = _installer(prefix)
    if command is None:
        _fail("bootstrap.no_pip", folder=prefix)
    if foreign and os.path.exists(os.path.join(prefix, _STATE, "installing")):
        command.append("--force-reinstall")  # a killed install may have left half a package that pip takes for whole
    for name in requirements:
        command += ["-r", os.path.join(ROOT, name)]
    _mark(prefix)
    code, text = _run(command, prefix, lock)
    if code == 0 or not _WRITING.search(text):  # otherwise half a package may lie there: the next start builds anew
        os.remove(os.path.join(prefix, _STATE, "installing"))
    if code != 0:
        _explain(text)
    for name in requirements:
        _write(prefix, name, _read(ROOT, name) or b"")
    _write(prefix, "place", _place(prefix) or b"")


def _installer(prefix: str) -> Optional[List[str]]:
    """The start of an install command for the environment, or None. Not quiet: pip tells of a deaf index only as information."""
    python = sys.executable if _same(prefix, sys.prefix) else _python(prefix)
    if _has_pip(prefix):
        return [python, "-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    uv = shutil.which("uv")
    return [uv, "pip", "install", "--no-progress", "--python", python] if uv else None


def _has_pip(prefix: str) -> bool:
    for lib in (os.path.join(prefix, "Lib"), *(os.path.join(prefix, "lib", name) for name in _names(os.path.join(prefix, "lib")))):
        if os.path.isfile(os.path.join(lib, "site-packages", "pip", "__main__.py")):
            return True
    return False


def _names(folder: str) -> List[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def _mark(prefix: str) -> None:
    os.makedirs(os.path.join(prefix, _STATE), exist_ok=True)
    _write(prefix, "installing", b"")
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(prefix, _STATE, "log"))


def _write(prefix: str, name: str, data: bytes) -> None:
    with open(os.path.join(prefix, _STATE, name), "wb") as file:
        file.write(data)


def _explain(text: str) -> NoReturn:
    """Exit with the one line that fits what pip, uv or venv said."""
    if "No space left" in text:
        _fail("bootstrap.disk_full", size=CORE_MB)
    if _NETWORK.search(text):
        _fail("bootstrap.network", page="docs/installing.md")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    errors = [line for line in lines if "error" in line.lower()] or lines or ["?"]
    _fail("bootstrap.failed", reason=re.sub(r"://[^/@\s]*@", "://", errors[-1])[:300], page="docs/installing.md")


# --- child processes ---

def _environment() -> Dict[str, str]:
    """pip's own settings stay; what would send packages elsewhere, and keys that an installer has no use for, go."""
    dropped = ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "__PYVENV_LAUNCHER__")
    kept = {name: value for name, value in os.environ.items() if name not in dropped and "API_KEY" not in name}
    return dict(kept, PIP_USER="0", PYTHONUTF8="1")


def _succeeds(command: List[str]) -> bool:
    try:
        return subprocess.call(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_environment()) == 0
    except OSError:
        return False


def _run(command: List[str], prefix: str, lock: Optional[int]) -> "tuple[int, str]":
    """Run to the end, counting seconds on a terminal; the exit status and all that was printed.

    The child holds the lock too: if this process is killed, the next start waits until the orphan has stopped writing.
    """
    log = os.path.join(prefix, _STATE, "log")
    extra = {"pass_fds": (lock,)} if lock is not None and os.name != "nt" else {}
    with open(log, "wb") as file, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                                   env=_environment(), cwd=ROOT, **extra) as child:  # type: ignore[call-overload]
        try:
            _wait(child)
        except KeyboardInterrupt:
            child.terminate()
            raise
    return child.returncode, (_read(log) or b"").decode("utf-8", "replace")


def _wait(child: "subprocess.Popen[bytes]") -> None:
    from core.i18n import t

    started = time.monotonic()
    counts = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("ACCESSIBLE")
    while True:
        try:
            child.wait(1.0 if counts else None)
            break
        except subprocess.TimeoutExpired:
            sys.stderr.write("\r" + t("bootstrap.counting", seconds=round(time.monotonic() - started)))
            sys.stderr.flush()
    if counts:
        sys.stderr.write("\r" + " " * 20 + "\r")
