"""Several processes write to one list at the same time, and one of them is killed: nothing is lost, nothing is doubled.

TODO_TOGETHER_SECONDS says how long, 3 seconds if not set.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from taskbook.store import Store

MAIN = Path(__file__).resolve().parents[3] / "skills" / "todo" / "main.py"
SECONDS = float(os.environ.get("TODO_TOGETHER_SECONDS", "3"))


class Writer(threading.Thread):
    """Adds tasks through a process of its own and remembers what was confirmed, until told to stop or the process is gone."""

    def __init__(self, database: Path, name: str, end: float) -> None:
        super().__init__()
        self.process = subprocess.Popen(
            [sys.executable, str(MAIN), "serve", "--db", str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.label, self.end = name, end
        self.confirmed: list[str] = []
        self.refused: list[str] = []
        self.asked = 0

    def run(self) -> None:
        assert self.process.stdin and self.process.stdout
        while time.monotonic() < self.end:
            title, self.asked = f"{self.label}-{self.asked}", self.asked + 1
            batch = [{"title": title}, {"title": f"{title}-b"}]
            try:
                self.process.stdin.write(json.dumps({"id": 1, "command": "add_tasks", "args": {"tasks": batch}}).encode() + b"\n")
                self.process.stdin.flush()
                line = self.process.stdout.readline()
            except OSError:
                return
            if not line.endswith(b"\n"):
                return
            answer = json.loads(line)
            (self.confirmed if answer["ok"] else self.refused).append(title)

    def close(self) -> None:
        """End the process and close its pipes."""
        self.process.kill()
        self.process.communicate()


def test_three_writers_of_which_one_is_killed_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    database = tmp_path / "todo.db"
    end = time.monotonic() + SECONDS
    writers = [Writer(database, name, end) for name in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    time.sleep(SECONDS / 2)
    writers[0].process.kill()
    for writer in writers:
        writer.join(SECONDS + 60)
    for writer in writers:
        writer.close()
    store = Store(database)
    titles = Counter(row[0] for row in store.db.execute("SELECT title FROM tasks"))
    assert store.db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    journal = store.db.execute("SELECT count(*) FROM journal").fetchone()[0]
    version = store.version
    store.close()
    assert all(writer.refused == [] and len(writer.confirmed) > 3 for writer in writers), [writer.refused[:3] for writer in writers]
    confirmed = [title for writer in writers for title in writer.confirmed]
    assert all(titles[title] == titles[f"{title}-b"] == 1 for title in confirmed)
    unconfirmed = set(titles) - set(confirmed) - {f"{title}-b" for title in confirmed}
    assert len(unconfirmed) in (0, 2), "at most the batch that the killed writer had not heard of, and that whole"
    assert sum(titles.values()) == 2 * version and journal == min(version, 1000)
