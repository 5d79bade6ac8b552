"""What the benchmarks share: the scripted server, a clean environment, medians, tables."""
from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def scripted_server(steps: int) -> Iterator[str]:
    """The base URL of a scripted endpoint in its own process."""
    process = subprocess.Popen([sys.executable, str(ROOT / "bench" / "scripted_server.py"), str(steps)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def stats(base: str) -> dict[str, Any]:
    """The server's rows since the last call."""
    with urllib.request.urlopen(base + "/stats") as response:
        result: dict[str, Any] = json.load(response)
        return result


def environment(base: str, workspace: Path) -> dict[str, str]:
    """Settings for a benchmark run; no user's .env counts against them, since the environment wins. Compiled modules are kept, as they are
    for a user: without them each start compiles the whole program."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "API_BASE_URL": base, "API_KEY": "x", "MODEL_NAME": "scripted", "AGENT_WORKSPACE": str(workspace),
            "AGENT_NO_BOOTSTRAP": "1", "MAX_STEPS": "1000"}


def agent(*words: str) -> list[str]:
    """The command that runs the agent."""
    return [sys.executable, str(ROOT / "main_cmd.py"), *words]


def median(values: Iterable[float]) -> float:
    """The median; 0 for no values."""
    listed = list(values)
    return statistics.median(listed) if listed else 0.0


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table."""
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(f'{cell:.2f}' if isinstance(cell, float) else str(cell) for cell in row)} |")
