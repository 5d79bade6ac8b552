"""Where a command runs: inside the agent's sandbox already, or, started by hand, through the guard runner that AGENT_GUARD_RUNNER names."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

COULD_NOT_CONFINE, KILLED = 125, 137


def workspace() -> Path:
    """The folder that a script may change: AGENT_WORKSPACE, else the current folder."""
    return Path(os.environ.get("AGENT_WORKSPACE") or os.getcwd()).resolve()


def tier() -> str:
    """The sandbox this process is in, "none" for none."""
    return os.environ.get("AGENT_SANDBOX", "") or "none"


def runner() -> str:
    """The guard runner to go through; "" when this process is confined already, or when there is none for this system."""
    named = os.environ.get("AGENT_GUARD_RUNNER", "")
    return named if tier() == "none" and sys.platform.startswith("linux") and os.path.isfile(named) else ""


def again(words: Sequence[str], root: Path, language: str, network: bool) -> int:
    """Run this program once more, confined to `root`, on the same streams; the value is its exit status, 125 when it did not start.

    The sandbox shows the workspace and the system only, so the program goes along as a copy, in a new folder that is removed afterwards.
    """
    here = Path(__file__).resolve().parent
    copy = Path(tempfile.mkdtemp(prefix=".pyscript-", dir=root))
    try:
        for file in here.glob("*.py"):
            shutil.copyfile(file, copy / file.name)
        command = ["/usr/bin/env", "AGENT_SANDBOX=full", f"AGENT_LANG={language}", sys.executable, "-B", str(copy / "main.py"), *words]
        argv = [sys.executable, "-I", "-S", runner(), f"workspace:{root}{':on' if network else ''}", "--", *command]
        return subprocess.run(argv, check=False).returncode
    finally:
        shutil.rmtree(copy, ignore_errors=True)
