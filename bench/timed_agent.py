"""The agent with a clock beside the guard, so that a benchmark can tell what a step costs without the guard's judgement.

    python bench/timed_agent.py FILE ARGUMENTS…     runs main_cmd.py ARGUMENTS, then writes the milliseconds of each judgement to FILE, as JSON
"""
from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def timed(function: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    """The function, which notes the milliseconds of each call."""
    @functools.wraps(function)
    def run(*given: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            spent.append(1000 * (time.perf_counter() - started))

    return run


def main(file: Path, argv: list[str]) -> int:
    sys.path[0] = str(ROOT)
    from core import guard
    from main_cmd import main as run

    spent: list[float] = []
    for name in ("judge", "judge_path", "judge_declared"):
        setattr(guard, name, timed(getattr(guard, name), spent))
    try:
        return run(argv)
    finally:
        file.write_text(json.dumps(spent), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
