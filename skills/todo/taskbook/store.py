"""The to-do list's one SQLite file: opening it, changing it with a journal, reading it.

WAL mode, so that readers never wait for a writer; writers wait for each other up to five seconds. Whatever goes through `change` can be
taken back: each row is kept as it was before and after, and everything inside one outermost `change` is one step.
"""
from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from taskbook.contract import TodoError

SCHEMA_VERSION = 2  # 2: `search` holds the tags as words, and the order of a list is found together with it
APPLICATION = 0x746F646F  # the mark in the file that it is a to-do list
KEPT_STEPS = 1000  # of the journal; older ones cannot be undone any more
WAIT = 5.0  # seconds for another writer
_KEYS = {"tasks": "id", "preferences": "key"}
_RANK = {"high": 0, "medium": 1, "low": 2}
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('version', 0);
CREATE TABLE tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, notes TEXT NOT NULL DEFAULT '', priority TEXT NOT NULL DEFAULT 'medium',
    status TEXT NOT NULL DEFAULT 'todo', due_date TEXT, deadline TEXT, tags TEXT NOT NULL DEFAULT '[]', estimated_minutes INTEGER,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, completed_at TEXT, parent_id INTEGER, rule TEXT, rule_text TEXT, series INTEGER,
    occurrence TEXT, changed INTEGER NOT NULL DEFAULT 0, closed INTEGER NOT NULL DEFAULT 0, rank INTEGER NOT NULL DEFAULT 1,
    search TEXT NOT NULL DEFAULT '');
CREATE INDEX tasks_order ON tasks (closed, deadline IS NULL, deadline, rank, id, search);
CREATE INDEX tasks_board ON tasks (closed, deadline, rank, id);
CREATE INDEX tasks_score ON tasks (closed, rank, status, deadline IS NULL, deadline, ifnull(estimated_minutes, 1e9), id);
CREATE INDEX tasks_deadline ON tasks (deadline, status);
CREATE INDEX tasks_status ON tasks (status);
CREATE INDEX tasks_completed ON tasks (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_title ON tasks (title) WHERE closed = 0;
CREATE INDEX tasks_parent ON tasks (parent_id, status) WHERE parent_id IS NOT NULL;
CREATE INDEX tasks_series ON tasks (series) WHERE series IS NOT NULL;
CREATE INDEX tasks_rule ON tasks (closed) WHERE rule IS NOT NULL;
CREATE INDEX tasks_changed ON tasks (changed);
CREATE TABLE tombstones (task_id INTEGER PRIMARY KEY, changed INTEGER NOT NULL);
CREATE INDEX tombstones_changed ON tombstones (changed);
CREATE TABLE preferences (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, updated_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE journal (step INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, operation TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0);
CREATE TABLE journal_rows (
    step INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, before TEXT, after TEXT,
    PRIMARY KEY (step, place)) WITHOUT ROWID;
CREATE TABLE reminded (
    task_id INTEGER NOT NULL, due_date TEXT NOT NULL, level TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (task_id, due_date, level)) WITHOUT ROWID;
CREATE TABLE snoozed (task_id INTEGER PRIMARY KEY, until TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE focus (name TEXT PRIMARY KEY, value TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE weather (city TEXT NOT NULL, date TEXT NOT NULL, body TEXT NOT NULL, fetched_at TEXT NOT NULL, PRIMARY KEY (city, date)) WITHOUT ROWID;
"""
_FROM_1 = ("DROP INDEX tasks_order", "CREATE INDEX tasks_order ON tasks (closed, deadline IS NULL, deadline, rank, id, search)")


def deadline_of(due: str | None) -> str | None:
    """The effective deadline: a due with a time is itself, a date alone counts until the end of its day."""
    return due + "T23:59:59" if due is not None and len(due) == 10 else due


def searchable(*texts: str) -> str:
    """The form in which texts are searched: neither case nor the way an accent is encoded makes a difference."""
    text = "\n".join(texts)
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", text).casefold())


class Change:
    """What one step does to the rows of `tasks` and `preferences`. Columns that follow from others are filled in here."""

    def __init__(self, db: sqlite3.Connection, version: int) -> None:
        self._db = db
        self.version = version
        self.rows: list[tuple[str, int | str, str | None, str | None]] = []

    def insert(self, table: str, values: Mapping[str, Any]) -> int:
        """Add a row; its id (0 for a table without ids)."""
        columns = self._complete(table, dict(values), {})
        marks = ", ".join("?" * len(columns))
        cursor = self._db.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", tuple(columns.values()))
        key = columns[_KEYS[table]] if _KEYS[table] in columns else int(cursor.lastrowid or 0)
        self.rows.append((table, key, None, self.image(table, key)))
        self._touch(columns.get("parent_id"))
        return key if isinstance(key, int) else 0

    def update(self, table: str, key: int | str, values: Mapping[str, Any]) -> None:
        """Change columns of a row that exists."""
        before = self.image(table, key)
        if before is None:
            raise KeyError(f"{table} {key}")
        row = json.loads(before)
        if all(row[name] == value for name, value in values.items()):
            return  # nothing to take back later
        columns = self._complete(table, dict(values), row)
        sets = ", ".join(f"{name} = ?" for name in columns)
        self._db.execute(f"UPDATE {table} SET {sets} WHERE {_KEYS[table]} = ?", (*columns.values(), key))
        self.rows.append((table, key, before, self.image(table, key)))
        if {"status", "parent_id"} & columns.keys():
            self._touch(row["parent_id"], columns.get("parent_id"))

    def delete(self, table: str, key: int | str) -> None:
        """Remove a row that exists."""
        before = self.image(table, key)
        if before is None:
            raise KeyError(f"{table} {key}")
        self._db.execute(f"DELETE FROM {table} WHERE {_KEYS[table]} = ?", (key,))
        self._touch(json.loads(before).get("parent_id"))
        if table == "tasks":
            self._db.execute("INSERT OR REPLACE INTO tombstones VALUES (?, ?)", (key, self.version))
        self.rows.append((table, key, before, None))

    def restore(self, table: str, key: str, image: str | None) -> None:
        """Put a row back as the image says, or away where there is none. Not journaled: this is what undo and redo do."""
        images = [json.loads(one) for one in (self.image(table, key), image) if one is not None]
        self._db.execute(f"DELETE FROM {table} WHERE {_KEYS[table]} = ?", (key,))
        if table == "tasks":
            self._db.execute("DELETE FROM tombstones WHERE task_id = ?", (key,))
            if image is None:
                self._db.execute("INSERT INTO tombstones VALUES (?, ?)", (key, self.version))
            self._touch(*(row["parent_id"] for row in images))
        if image is not None:
            row = images[-1]
            if table == "tasks":  # the image may be older than the form of these columns
                row |= {"changed": self.version, "search": _search_of(row)}
            self._db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))

    def image(self, table: str, key: int | str) -> str | None:
        """The row as JSON, None when there is none."""
        row = self._db.execute(f"SELECT * FROM {table} WHERE {_KEYS[table]} = ?", (key,)).fetchone()
        return json.dumps(dict(row), ensure_ascii=False) if row is not None else None

    def _touch(self, *parents: int | None) -> None:
        """Whoever follows the changes must see a parent again: it shows the progress of its parts."""
        for parent in {parent for parent in parents if parent is not None}:
            self._db.execute("UPDATE tasks SET changed = ? WHERE id = ?", (self.version, parent))

    def _complete(self, table: str, values: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
        if table != "tasks":
            return values
        values["changed"] = self.version
        if "due_date" in values:
            values["deadline"] = deadline_of(values["due_date"])
        if "status" in values:
            values["closed"] = int(values["status"] == "done")
        if "priority" in values:
            values["rank"] = _RANK[values["priority"]]
        if not before or {"title", "notes", "tags"} & values.keys():
            values["search"] = _search_of({**before, **values})
        return values


def _search_of(row: Mapping[str, Any]) -> str:
    """What a keyword is looked for in: title, notes, and each tag in a line of its own."""
    return searchable(row["title"], row.get("notes", ""), *json.loads(row.get("tags", "[]")), "")


class Store:
    """An open to-do list. Raises TodoError when the file is another program's or a newer one, sqlite3.Error or OSError when it cannot be used."""

    def __init__(self, path: Path | str) -> None:
        self.path = str(path)
        self._change: Change | None = None
        if self.path != ":memory:":
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None, check_same_thread=False)
        try:
            self.db.row_factory = sqlite3.Row
            self._prepare()
        except BaseException:
            self.db.close()
            raise

    def _prepare(self) -> None:
        self.db.execute("PRAGMA synchronous = NORMAL")
        found = self._number("user_version")
        if found < SCHEMA_VERSION:
            with self.write():
                self._bring_up_to_date()
        elif self._number("application_id") != APPLICATION:
            raise TodoError("internal", "call.foreign", reason=self.path)
        elif found > SCHEMA_VERSION:
            raise TodoError("internal", "call.newer", path=self.path)
        if self.db.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
            with suppress(sqlite3.OperationalError):  # another process is at it, or the disk cannot: it works without, readers wait then
                self.db.execute("PRAGMA journal_mode = WAL").fetchone()

    def _number(self, pragma: str) -> int:
        return int(self.db.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _bring_up_to_date(self) -> None:
        """New or older files. Of several processes that open one at once, one does this and the others wait and find it done."""
        found = self._number("user_version")
        if found == SCHEMA_VERSION:
            return
        names = {row[0] for row in self.db.execute("SELECT name FROM sqlite_master")}
        if names and (found == 0 or "tombstones" not in names):
            raise TodoError("internal", "call.foreign", reason=self.path)
        for statement in _SCHEMA.split(";\n") if found == 0 else _FROM_1:
            self.db.execute(statement)
        for row in self.db.execute("SELECT id, title, notes, tags FROM tasks").fetchall():
            self.db.execute("UPDATE tasks SET search = ? WHERE id = ?", (_search_of(dict(row)), row["id"]))
        self.db.execute(f"PRAGMA application_id = {APPLICATION}")
        self.db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @property
    def version(self) -> int:
        """The number of the last change; 0 for a new list."""
        return int(self.db.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()[0])

    @contextmanager
    def change(self, now: datetime, operation: str) -> Iterator[Change]:
        """All or nothing, and one step of the journal when anything changed. Inside another `change` it joins that one."""
        if self._change is not None:
            yield self._change
            return
        with self.write():
            self._change = Change(self.db, self.version + 1)
            try:
                yield self._change
                if self._change.rows:
                    self._record(self._change, now, operation)
            finally:
                self._change = None

    @contextmanager
    def revision(self) -> Iterator[Change]:
        """For undo and redo: a change that raises the version and is not journaled itself."""
        with self.write():
            change = Change(self.db, self.version + 1)
            yield change
            self._set_version(change.version)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction without a journal, for what is no content: focus, reminders given, the weather. Joins one that is open."""
        if self.db.in_transaction:
            yield self.db
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield self.db
            self.db.execute("COMMIT")
        except BaseException:
            self._rollback()
            raise

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def _record(self, change: Change, now: datetime, operation: str) -> None:
        self._set_version(change.version)
        self.db.execute("DELETE FROM journal_rows WHERE step IN (SELECT step FROM journal WHERE undone = 1)")
        self.db.execute("DELETE FROM journal WHERE undone = 1")
        step = self.db.execute("INSERT INTO journal (at, operation) VALUES (?, ?)", (now.isoformat(), operation)).lastrowid or 0
        self.db.executemany("INSERT INTO journal_rows VALUES (?, ?, ?, ?, ?, ?)",
                            [(step, place, table, str(key), before, after) for place, (table, key, before, after) in enumerate(change.rows)])
        old = self.db.execute("SELECT step FROM journal ORDER BY step DESC LIMIT 1 OFFSET ?", (KEPT_STEPS,)).fetchone()
        if old is not None:
            self.db.execute("DELETE FROM journal_rows WHERE step <= ?", (old[0],))
            self.db.execute("DELETE FROM journal WHERE step <= ?", (old[0],))

    def _set_version(self, version: int) -> None:
        self.db.execute("UPDATE meta SET value = ? WHERE name = 'version'", (version,))

    def _rollback(self) -> None:
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
