"""Which foreign identity stands for which task, so that importing twice doubles nothing and a task is exported under one identity.

The table is not part of the journal: an identity whose task is gone counts for nothing, and counts again when the task comes back.
"""
from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

_TABLE = "CREATE TABLE IF NOT EXISTS foreign_ids (task_id INTEGER NOT NULL, system TEXT NOT NULL, uid TEXT NOT NULL, PRIMARY KEY (system, uid))"


def known(db: sqlite3.Connection, system: str) -> dict[str, int]:
    """The task that each identity of a system stands for; only tasks that are there."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'foreign_ids'").fetchone() is None:
        return {}
    rows = db.execute("SELECT uid, task_id FROM foreign_ids JOIN tasks ON tasks.id = task_id WHERE system = ? ORDER BY foreign_ids.rowid", (system,))
    return {row[0]: row[1] for row in rows}


def keep(db: sqlite3.Connection, system: str, pairs: Iterable[tuple[str, int]]) -> None:
    """Remember the identities (uid, task id); inside a write transaction. The latest word about an identity counts."""
    db.execute(_TABLE)
    db.executemany("INSERT OR REPLACE INTO foreign_ids (system, uid, task_id) VALUES (?, ?, ?)", ((system, uid, task) for uid, task in pairs))


def identities(found: Mapping[str, int], tasks: Iterable[int]) -> tuple[dict[int, str], list[tuple[str, int]]]:
    """The identity of each task, and the pairs that are new. A new one is random: two lists may be brought together."""
    from uuid import uuid4

    by_task = {task: uid for uid, task in found.items()}
    fresh = {task: str(uuid4()) for task in tasks if task not in by_task}
    return {**by_task, **fresh}, [(uid, task) for task, uid in fresh.items()]
