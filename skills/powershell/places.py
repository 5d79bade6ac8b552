"""Where things are: PowerShell, bash, the working folder, the folder for a run's files, and the program that confines."""
from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from words import SkillError

_POWERSHELL = ("pwsh", "powershell", "pwsh-preview")
_USUAL = ("/usr/bin/pwsh", "/usr/local/bin/pwsh", "/opt/microsoft/powershell/7/pwsh", "/opt/homebrew/bin/pwsh", "/snap/bin/pwsh")
_USUAL_WINDOWS = (r"%ProgramFiles%\PowerShell\7\pwsh.exe", r"%SystemRoot%\System32\WindowsPowerShell\v1.0\powershell.exe")
_SECRET = re.compile(r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)

QUIET = {"NO_COLOR": "1", "TERM": "dumb", "POWERSHELL_TELEMETRY_OPTOUT": "1", "POWERSHELL_UPDATECHECK": "Off", "PYTHONUTF8": "1"}


def _search(names: tuple[str, ...]) -> str:
    """The first program on PATH; relative folders and the workspace are passed over, since a script could have put a program there."""
    workspace = os.environ.get("AGENT_WORKSPACE", "")
    closed = os.path.realpath(workspace) if workspace else ""
    for name in names:
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            real = os.path.realpath(folder) if os.path.isabs(folder) else ""
            if not real or (closed and (real == closed or real.startswith(closed + os.sep))):
                continue
            found = shutil.which(os.path.join(folder, name))
            if found:
                return found
    return ""


def find_powershell() -> str:
    """The path of pwsh, or of Windows PowerShell. Raises SkillError no_powershell with the install step."""
    found = _search(_POWERSHELL)
    usual = [os.path.expandvars(path) for path in _USUAL_WINDOWS] if os.name == "nt" else list(_USUAL)
    for path in [found, *usual]:
        if path and os.access(path, os.X_OK):
            return path
    raise SkillError("no_powershell", "no_powershell", install=install_key())


def install_key() -> str:
    """The name of the sentence that tells how PowerShell is installed on this system."""
    return {"win32": "install_windows", "darwin": "install_darwin"}.get(sys.platform, "install_linux")


def find_bash() -> str:
    """The path of bash on a POSIX machine. Raises SkillError no_bash."""
    found = _search(("bash",)) if os.name == "posix" else ""
    if not found:
        raise SkillError("no_bash", "no_bash")
    return found


def is_windows_powershell(program: str) -> bool:
    """Whether it is version 5.1, which takes a file without a byte order mark for the old code page."""
    return Path(program).stem.lower() == "powershell"


def workspace() -> Path:
    """AGENT_WORKSPACE, or the current folder when a person starts the skill by hand."""
    return Path(os.environ.get("AGENT_WORKSPACE") or os.getcwd()).resolve()


def working_folder(given: str) -> Path:
    """Where the script runs: --cwd, else the workspace."""
    folder = workspace() / given if given else workspace()
    if not folder.is_dir():
        raise SkillError("usage", "no_folder", path=folder)
    return folder.resolve()


def find_file(given: str, folder: Path) -> Path:
    """A file named relative to the working folder, or else to the current one."""
    for base in (folder, Path.cwd()):
        if (base / given).is_file():
            return (base / given).resolve()
    return folder / given


@contextmanager
def run_folder() -> Iterator[Path]:
    """A folder below the workspace for one run's own files, removed afterwards; the sandbox shows the script the same folder."""
    base = workspace() / "powershell"
    try:
        made = not base.exists()
        base.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".run-", dir=base))
    except OSError as error:
        raise SkillError("no_workspace", "no_workspace", path=base, detail=error.strerror) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if made and not any(base.iterdir()):
            base.rmdir()


def confinement(folder: Path) -> tuple[list[str], str, str]:
    """What to put before a command, what confines it (a tier, "runner" or "nothing"), and the name of the sentence to say about it.

    The launcher starts commands in the workspace with an environment of its own, so a small shell line brings both along.

    The agent sets AGENT_SANDBOX to the tier it runs commands in; by hand AGENT_GUARD_RUNNER names the launcher.
    """
    tier = os.environ.get("AGENT_SANDBOX", "").strip()
    if tier:
        return [], "nothing" if tier == "none" else tier, "unconfined" if tier == "none" else ""
    runner = os.environ.get("AGENT_GUARD_RUNNER", "").strip()
    if not runner:
        return [], "nothing", "unconfined"
    if not os.path.isfile(runner):
        raise SkillError("not_confined", "no_runner", path=runner)
    if not sys.platform.startswith("linux"):
        return [], "nothing", "unconfined_here"
    settle = ["/bin/sh", "-c", 'cd -- "$1" && shift && exec env "$@"', "sh", str(folder), *(f"{name}={value}" for name, value in QUIET.items())]
    return [sys.executable, "-I", "-S", runner, f"workspace:{workspace()}", "--", *settle], "runner", ""


def environment() -> dict[str, str]:
    """What the script sees: no keys or passwords, no colours, no questions home."""
    kept = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    return {**kept, **QUIET}
