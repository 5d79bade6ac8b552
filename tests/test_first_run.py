"""A fresh machine: a clean copy, a clean environment, no key, one command. The only test that installs packages."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.bootstrap_install import base_python

ROOT = Path(__file__).resolve().parent.parent
BASE = base_python()
QUESTION = "斐波那契数列第100项是多少？"
ANSWER = "354224848179261915075"


def clean_copy(target: Path) -> None:
    """The files that git knows or would take, as a clone has them."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listing.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def clean_environment(home: Path) -> dict[str, str]:
    """PATH, an empty home, and how this machine reaches its package index."""
    pip = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_CERT")) or name.lower().endswith("_proxy")}
    pip.setdefault("PIP_CACHE_DIR", str(Path.home() / ".cache" / "pip"))
    return {**pip, "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "CI": "true"}


@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to tell the project's files from others")
def test_one_command_on_a_fresh_machine_answers_without_a_key(tmp_path: Path) -> None:
    project, home, elsewhere = tmp_path / "clone", tmp_path / "home", tmp_path / "elsewhere"
    clean_copy(project)
    home.mkdir()
    elsewhere.mkdir()
    environ = clean_environment(home)

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([BASE, str(project / "main_cmd.py"), *arguments], cwd=elsewhere, env=environ, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, encoding="utf-8", timeout=550, check=False)

    first = start(QUESTION)
    if first.returncode == 3 and "the package index did not answer" in first.stderr:
        pytest.skip("no package index can be reached from here")
    assert first.returncode == 0, first.stderr
    assert ANSWER in first.stdout
    assert "first start" in first.stderr
    second = start("--json", QUESTION)
    events = [json.loads(line) for line in second.stdout.splitlines()]
    assert (events[-1]["type"], events[-1]["status"], second.returncode) == ("run.finished", "done", 0)
    assert any(ANSWER in event.get("text", "") for event in events if event["type"] == "answer")
    assert "skills-agent: " not in second.stderr
    report = json.loads(start("doctor", "--json").stdout)
    assert [check for check in report["checks"] if check["state"] == "fail"] == []
    assert {check["name"]: check["detail"] for check in report["checks"]}["environment"] == str(project / ".venv")
    assert list(elsewhere.iterdir()) == []
