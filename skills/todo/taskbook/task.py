"""A task: its row, the object that the operations print, and how a deadline reads for a person."""
from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from taskbook.contract import TodoError
from taskbook.store import Store, deadline_of
from taskbook.words import say

_COLUMNS = ("id", "title", "notes", "priority", "status", "due_date", "tags", "estimated_minutes", "created_at", "updated_at", "completed_at",
            "parent_id", "rule", "rule_text", "series", "occurrence")  # in the order of Task's fields
WITH_PARTS = (", ".join(f"tasks.{name}" for name in _COLUMNS) + ", (SELECT count(*) FROM tasks part WHERE part.parent_id = tasks.id) AS parts, "
              "(SELECT count(*) FROM tasks part WHERE part.parent_id = tasks.id AND part.status = 'done') AS parts_done, tasks.deadline")
_TAGS = _COLUMNS.index("tags")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Task:
    """One row of `tasks`. `due_date` is "YYYY-MM-DD", "YYYY-MM-DDTHH:MM:SS" or None; `parts` and `parts_done` count the tasks below it."""

    id: int
    title: str
    notes: str
    priority: str
    status: str
    due_date: str | None
    tags: tuple[str, ...]
    estimated_minutes: int | None
    created_at: str
    updated_at: str
    completed_at: str | None
    parent_id: int | None = None
    rule: str | None = None
    rule_text: str | None = None
    series: int | None = None
    occurrence: str | None = None
    parts: int = 0
    parts_done: int = 0

    @classmethod
    def from_row(cls, row: sqlite3.Row) -> Task:
        """The task of a row of `SELECT *` or `SELECT WITH_PARTS`, whatever columns follow that."""
        values: list[Any] = list(row)[:len(_COLUMNS) + 2]  # by place: hundreds of rows are read for one answer, and a look by name is slow
        if "parts" not in row.keys():  # noqa: SIM118  # a row looks for a value with `in`, not for a column
            values = [row[name] for name in _COLUMNS]
        values[_TAGS] = _tags(values[_TAGS])
        return cls(*values)

    @property
    def deadline(self) -> datetime | None:
        """The effective deadline: a date alone counts until the end of its day."""
        text = deadline_of(self.due_date)
        return datetime.fromisoformat(text) if text else None

    def overdue(self, now: datetime) -> bool:
        """Whether it is open and its deadline has passed."""
        deadline = deadline_of(self.due_date)
        return self.status != "done" and deadline is not None and deadline < now.isoformat()

    def repeats(self, lang: str) -> str:
        """The rule by which it comes again, in words; "" for none."""
        if self.rule is None:
            return ""
        from timephrase import Rule

        return Rule.from_dict(json.loads(self.rule)).say(lang)

    def object(self, now: datetime, lang: str) -> dict[str, Any]:
        """The task as operations print it. `parent_id` is there for a part, `repeat` for one that comes again, `progress` for one with parts."""
        shown: dict[str, Any] = {
            "id": self.id, "title": self.title, "notes": self.notes, "priority": self.priority, "status": self.status, "due_date": self.due_date,
            "due_display": due_display(self.due_date, now, lang), "tags": list(self.tags), "estimated_minutes": self.estimated_minutes,
            "created_at": self.created_at, "updated_at": self.updated_at, "completed_at": self.completed_at, "overdue": self.overdue(now)}
        if self.parent_id is not None:
            shown["parent_id"] = self.parent_id
        if self.rule is not None:
            shown["repeat"] = self.repeats(lang)
        if self.parts:
            shown["progress"] = f"{self.parts_done}/{self.parts}"
        return shown


@lru_cache(maxsize=1024)
def _tags(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def due_display(due: str | None, now: datetime, lang: str) -> str:
    """A deadline as a person says it: 今天, 明天 15:00, 周五, 10月25日, 2027年10月25日; "" for none. A time only where the due has one."""
    if due is None:
        return ""
    day = date.fromisoformat(due[:10])
    away = (day - now.date()).days
    if -1 <= away <= 2:
        shown = say(("task.yesterday", "task.today", "task.tomorrow", "task.after_tomorrow")[away + 1], lang)
    elif 0 < away <= 6:
        shown = say(f"task.{_WEEKDAYS[day.weekday()]}", lang)
    else:
        key = "task.date" if day.year == now.year else "task.date_year"
        shown = say(key, lang, year=day.year, month=day.month, day=day.day, name=say(f"task.month_{day.month}", lang))
    return f"{shown} {due[11:16]}" if len(due) > 10 else shown


def line(task: Task, now: datetime, lang: str) -> str:
    """A task in one line: `#12 交作业（高，截止 明天 15:00）`."""
    said = [say(f"task.{task.priority}", lang)]
    if task.status != "todo":
        said.append(say(f"task.{task.status}", lang))
    if task.due_date:
        said.append(say("task.overdue" if task.overdue(now) else "task.due", lang, due=due_display(task.due_date, now, lang)))
    if task.rule:
        said.append(task.repeats(lang))
    if task.estimated_minutes:
        said.append(say("task.minutes", lang, minutes=task.estimated_minutes))
    if task.parts:
        said.append(say("task.progress", lang, done=task.parts_done, parts=task.parts))
    said += [f"#{tag}" for tag in task.tags]
    return say("task.line", lang, id=task.id, title=task.title, said=say("task.between", lang).join(said))


def find(store: Store, task_id: int) -> Task:
    """The task with that id. Raises TodoError not_found."""
    row = store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE id = ?", (task_id,)).fetchone()
    if row is None:
        raise TodoError("not_found", "tasks.not_found", id=task_id)
    return Task.from_row(row)
