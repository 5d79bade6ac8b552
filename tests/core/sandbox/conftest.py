"""Where the sandbox tests get their machines: each tier that works here, as the user of the test run and as an ordinary one."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.sandbox import Sandbox

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ORDINARY = 1001
SYSTEM_PYTHON = "/usr/bin/python3"

if not sys.platform.startswith("linux"):
    collect_ignore_glob = ["test_*"]


@pytest.fixture(scope="session")
def probe_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One memory of the self-test for the whole run."""
    return tmp_path_factory.mktemp("probe") / "sandbox.json"


@pytest.fixture
def make(tmp_path: Path, probe_cache: Path) -> Iterator[Callable[..., Sandbox]]:
    """Makes sandboxes around tmp_path/work; skips where the tier asked for is not what this system gives."""
    made: list[Sandbox] = []

    def start(tier: str = "full", **options: Any) -> Sandbox:
        workspace = options.pop("workspace", tmp_path / "work")
        workspace.mkdir(exist_ok=True)
        made.append(Sandbox(workspace, at_most=tier, cache=probe_cache, **options))
        if made[-1].tier != tier and not options.get("failing"):
            pytest.skip(f"this system gives tier {made[-1].tier}: {'; '.join(made[-1].probe.refused)}")
        return made[-1]

    yield start
    for sandbox in made:
        sandbox.close()


def run_as(user: int | None, arguments: list[str], timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """Run a Python program of these tests; `user`: as that user, with the system's Python, on a copy that they may read."""
    if user is None:
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=timeout, check=False)
    return subprocess.run([SYSTEM_PYTHON, *arguments], capture_output=True, text=True, timeout=timeout, check=False, user=user, group=user,
                          extra_groups=[], cwd="/", env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})


@pytest.fixture(scope="session")
def readable_copy() -> Iterator[Path]:
    """The sources where every user can read them."""
    folder = Path(tempfile.mkdtemp(prefix="sandbox-copy-"))
    os.chmod(folder, 0o755)
    shutil.copytree(ROOT / "core", folder / "core", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HERE, folder / "tests" / "core" / "sandbox", ignore=shutil.ignore_patterns("__pycache__"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def attempts(readable_copy: Path) -> Callable[[str, str], dict[str, Any]]:
    """Runs all attempts of hostile.py in one go for a user ("me" or "ordinary") and a tier, and remembers what they gave."""
    known: dict[tuple[str, str], dict[str, Any]] = {}

    def look(who: str, tier: str) -> dict[str, Any]:
        if (who, tier) not in known:
            known[who, tier] = _run_attempts(readable_copy, who, tier)
        return known[who, tier]

    return look


def _run_attempts(copy: Path, who: str, tier: str, names: tuple[str, ...] = ()) -> dict[str, Any]:
    user = ORDINARY if who == "ordinary" else None
    if user and os.geteuid() != 0:
        return {"skip": "only root can run the checks as another user"}
    if user and not os.access(SYSTEM_PYTHON, os.X_OK):
        return {"skip": f"{SYSTEM_PYTHON} is not installed"}
    base = Path(tempfile.mkdtemp(prefix="hostile-"))
    try:
        if user:
            os.chown(base, user, user)
        done = run_as(user, [str(copy / "tests" / "core" / "sandbox" / "hostile.py"), tier, str(base), *names])
        assert done.returncode == 0, done.stderr[-2000:]
        found: dict[str, Any] = json.loads(done.stdout)
        if found["tier"] != tier:
            found["skip"] = f"tier {tier} does not work here: {'; '.join(found['refused'])}"
        return found
    finally:
        shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="session")
def control(readable_copy: Path) -> dict[str, Any]:
    """The same attempts without a sandbox, so that a test shows that they are real ones."""
    from tests.core.sandbox.hostile import HOSTILE, PROVABLE
    return _run_attempts(readable_copy, "me", "none", tuple(name for name in HOSTILE if name in PROVABLE))
