"""Makes the first start work: finds or builds the environment of the program, installs what it needs, re-executes inside it.

Standard library only, and it parses on Python 3.8, so that it can say "needs 3.10". It writes nothing but `.venv` and
`.venv.lock`; in an environment that the person has activated it installs there. Beside the installed packages it keeps
a folder `.skills-agent` with a copy of each requirement file as it was installed: that copy is the stamp which a later
start compares, byte by byte, in well under a millisecond. This is the one module of the core that speaks (on stderr)
and exits, since nothing else is there yet.
"""
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs more than the whole check
    from collections.abc import Sequence
    from typing import NoReturn

NEEDED = (3, 10)
EXIT_NOT_READY = 3
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = {"web": 22, "gui": 260, "voice": 10, "dev": 110}  # part -> MB on disk; its list is requirements-PART.txt
CORE_MB = 130
_OFF = ("", "0")
_STATE = ".skills-agent"
_GUARD = "AGENT_BOOTSTRAP_INSIDE"  # set for the re-executed interpreter, so that a bad environment cannot loop


def ensure(argv: Sequence[str], requirements: Sequence[str] = ("requirements.txt",), entry: str = "main_cmd.py") -> None:
    """Return when this interpreter can run the program; otherwise set up and re-execute, or exit 3 with one clear line.

    `argv` are the arguments after the program's name, `entry` its file (a `__main__.py` is started again by `-m`).
    `--no-bootstrap` before any `--`, or AGENT_NO_BOOTSTRAP=1, turns everything but the version check off.
    """
    came_from = os.environ.pop(_GUARD, "")
    options = argv[:argv.index("--")] if "--" in argv else argv
    if "--no-bootstrap" in options or os.environ.get("AGENT_NO_BOOTSTRAP", "") not in _OFF:
        return None if sys.version_info[:2] >= NEEDED else _too_old()
    own = os.path.join(ROOT, ".venv")
    active = _active()
    prefix = active or own
    current = _is_current(prefix, requirements)
    if active and current:
        return None
    if not current:
        prefix = _set_up(prefix, requirements, foreign=bool(active) and not _same(prefix, own))
    return None if active and _same(active, prefix) else _switch(prefix, argv, entry, came_from)


def is_installed(part: str) -> bool:
    """Whether an optional part is in the environment of this interpreter, as its list stands now."""
    return _is_current(sys.prefix, (_list_of(part),))


def install_part(part: str) -> int:
    """Install an optional part (a key of PARTS) into the environment of this interpreter, saying its size first; 0 or 3."""
    if is_installed(part):
        _say("bootstrap.part_there", part=part)
        return 0
    _say("bootstrap.part_size", part=part, size=PARTS[part])
    try:
        _set_up(sys.prefix, (_list_of(part),), foreign=True)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else EXIT_NOT_READY
    return 0


def _list_of(part: str) -> str:
    return f"requirements-{part}.txt"


# --- the warm path: no import beyond os and sys ---

def _active() -> str | None:
    """The prefix of the environment that this interpreter belongs to: a venv or conda's; None for the system's Python."""
    inside = sys.prefix != getattr(sys, "base_prefix", sys.prefix) or os.path.isdir(os.path.join(sys.prefix, "conda-meta"))
    return sys.prefix if inside else None


def _same(one: str, other: str) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def _python(prefix: str) -> str:
    if os.name != "nt":
        return os.path.join(prefix, "bin", "python")
    script = os.path.join(prefix, "Scripts", "python.exe")
    return script if os.path.exists(script) else os.path.join(prefix, "python.exe")  # conda has it at the top


def _read(*parts: str) -> bytes | None:
    try:
        with open(os.path.join(*parts), "rb") as file:
            return file.read()
    except OSError:
        return None


def _place(prefix: str) -> bytes | None:
    """What changes when the folder is moved or its Python goes away or changes; None when there is no Python in it."""
    python = _python(prefix)
    home = _home(prefix) if os.name == "nt" else ""
    if not os.path.exists(python) or (home and not os.path.isdir(home)):
        return None
    return "\n".join((os.path.realpath(prefix), os.path.realpath(python), home)).encode("utf-8", "surrogateescape")


def _home(prefix: str) -> str:
    """Windows: the folder of the Python that the environment leans on, out of pyvenv.cfg."""
    for line in (_read(prefix, "pyvenv.cfg") or b"").decode("utf-8", "replace").splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home":
            return value.strip()
    return ""


def _is_current(prefix: str, requirements: Sequence[str]) -> bool:
    state = os.path.join(prefix, _STATE)
    place = _read(state, "place")
    if place is None or place != _place(prefix) or os.path.exists(os.path.join(state, "installing")):
        return False
    return all(_read(ROOT, name) == _read(state, name) for name in requirements)


def _switch(prefix: str, argv: Sequence[str], entry: str, came_from: str) -> NoReturn:
    """Become the program inside the environment; on Windows, which cannot, wait for it and pass its exit status on."""
    if came_from == prefix:
        _fail("bootstrap.loop", folder=prefix)
    environ = dict(os.environ, **{_GUARD: prefix})
    environ.pop("__PYVENV_LAUNCHER__", None)  # macOS: would make the new interpreter believe that it is the old one
    command = [_python(prefix), *_interpreter_flags(argv), *_target(entry), *argv]
    if os.name != "nt":
        try:
            os.execve(command[0], command, environ)
        except OSError as error:
            _fail("bootstrap.no_start", folder=prefix, reason=error.strerror)
    import signal
    import subprocess

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the child's to answer
    sys.exit(subprocess.call(command, env=environ))


def _target(entry: str) -> list[str]:
    if os.path.basename(entry) == "__main__.py":
        return ["-m", os.path.basename(os.path.dirname(os.path.abspath(entry)))]
    return [entry]


def _interpreter_flags(argv: Sequence[str]) -> list[str]:
    """The options given to Python itself, such as -X utf8 (known from 3.10 on)."""
    whole = list(getattr(sys, "orig_argv", []))
    before = whole[1:len(whole) - len(argv)] if argv else whole[1:]
    if before[-2:-1] == ["-m"]:
        return before[:-2]
    return before[:-1] if before and before[-1] == sys.argv[0] else []


# --- the cold path ---

def _set_up(prefix: str, requirements: Sequence[str], foreign: bool) -> str:
    """Make `prefix` current and return it. A foreign one is only installed into; our own is built, repaired or rebuilt."""
    from core.bootstrap_install import set_up

    if sys.version_info[:2] < NEEDED:
        _too_old()
    return set_up(prefix, requirements, foreign)


def _too_old() -> NoReturn:
    from core.bootstrap_install import newer_python, system_command

    version = ".".join(map(str, sys.version_info[:3]))
    newer = newer_python()
    if newer:
        _fail("bootstrap.too_old_use", version=version, python=newer)
    _fail("bootstrap.too_old", version=version, command=system_command("python"))


def _say(key: str, **values: object) -> None:
    from core.i18n import t

    if sys.stderr is not None:
        sys.stderr.write(f"skills-agent: {t(key, **values)}\n")
        sys.stderr.flush()


def _fail(key: str, **values: object) -> NoReturn:
    _say(key, **values)
    sys.exit(EXIT_NOT_READY)
