"""What the to-do list costs at 10,000 tasks: warm calls over `serve`, one call from the command line, opening the file.

    python bench/todo.py [TASKS]

Milliseconds of wall time as a client sees them: a JSON line written, a JSON line read. The tasks are made by the benchmark, one in
ten done, half of them dated within four weeks.
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench._common import median, table  # noqa: E402

MAIN = ROOT / "skills" / "todo" / "main.py"
NOW = "2026-10-14T08:30:00"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_tasks", {}), ("list_tasks", {"keyword": "报告 77"}), ("list_tasks", {"due_before": "周五"}), ("get_task", {"task_id": 4321}),
    ("task_stats", {}), ("prioritize_tasks", {}), ("plan_day", {}), ("get_due_reminders", {}), ("reminder_overview", {}), ("board", {}),
    ("generate_daily_brief", {}), ("parse_time", {"text": "明天下午3点前"}),
    ("add_task", {"title": "新任务", "due_date": "明天6点"}), ("quick_add", {"text": "明天下午3点前交作业，这个最重要"}),
    ("update_task", {"task_id": 4000, "priority": "high"}), ("complete_task", {"task_id": 4001}), ("undo", {}), ("changes", {"since": 60}))


class Client:
    """Talks to a warm to-do list."""

    def __init__(self, database: Path) -> None:
        command = [sys.executable, str(MAIN), "serve", "--db", str(database), "--now", NOW]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, command: str, args: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """The answer and the milliseconds that it took."""
        assert self._process.stdin and self._process.stdout
        start = time.perf_counter()
        self._process.stdin.write(json.dumps({"id": 1, "command": command, "args": args}).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        took = (time.perf_counter() - start) * 1000
        return json.loads(line), took

    def close(self) -> None:
        """End it."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@contextmanager
def client(database: Path) -> Iterator[Client]:
    """A warm to-do list on that file."""
    opened = Client(database)
    try:
        yield opened
    finally:
        opened.close()


def fill(todo: Client, count: int) -> float:
    """Add the tasks in batches of 500; the seconds that it took."""
    start, words = time.perf_counter(), ("报告", "邮件", "会议", "作业", "购物")
    first = datetime.fromisoformat(NOW)
    for begin in range(0, count, 500):
        batch = [{"title": f"{words[n % 5]} {n}", "priority": ("high", "medium", "low")[n % 3], "estimated_minutes": 10 + n % 170,
                  "status": "done" if n % 10 == 0 else "todo", "tags": [f"t{n % 20}"],
                  **({"due_date": (first + timedelta(minutes=37 * n % 40_000 - 2000)).isoformat()} if n % 2 else {})}
                 for n in range(begin, min(begin + 500, count))]
        answer, _ = todo.call("add_tasks", {"tasks": batch})
        assert answer["ok"], answer
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "todo.db"
        with client(database) as todo:
            print(f"{count} tasks added in {fill(todo, count):.1f} s, {database.stat().st_size / 1e6:.1f} MB\n")
        rows = []
        with client(database) as todo:
            for command, args in CALLS:
                cold, _ = todo.call(command, args)
                assert cold["ok"] or command == "generate_daily_brief", (command, cold)
                times = sorted(todo.call(command, args)[1] for _ in range(30))
                rows.append((command, " ".join(str(value) for value in args.values()), f"{median(times):.2f}", f"{times[-2]:.2f}"))
        table("warm calls", ("call", "with", "median ms", "worst but one"), rows)
        once = [_one_call(database) for _ in range(9)]
        print(f"\none call from the command line (get_task): {median(once):.0f} ms; python -c pass: {median([_pass() for _ in range(9)]):.0f} ms")


def _one_call(database: Path) -> float:
    return _timed([sys.executable, str(MAIN), "get_task", "5", "--db", str(database)])


def _pass() -> float:
    return _timed([sys.executable, "-c", "pass"])


def _timed(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
