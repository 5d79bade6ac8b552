"""Which reminders have come, and that each is given once.

A deadline with a time has two moments: `within` before it (due_soon) and itself (overdue). A date without a time has no minute to fire at:
it speaks on its day from the morning on (today), and from the morning of the day after (overdue), never in the night between. What was
given is kept as (task, due, level). Giving a later level uses up the earlier ones, so that neither a long downtime nor a clock that is set
back brings anything twice; another due begins anew. The caller holds the write transaction in which it gives and marks.
"""
from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from taskbook.task import WITH_PARTS, Task

if TYPE_CHECKING:
    from taskbook.store import Store

WITHIN = 60  # minutes before a deadline
MORNING = time(8)

_COME = f"""
SELECT {WITH_PARTS}, (SELECT group_concat(level) FROM reminded WHERE task_id = tasks.id AND due_date = tasks.due_date) AS given FROM tasks
WHERE closed = 0 AND deadline <= ? AND (deadline <= ? OR length(due_date) = 10)
  AND NOT EXISTS (SELECT 1 FROM reminded WHERE task_id = tasks.id AND due_date = tasks.due_date AND level = 'overdue')
  AND NOT EXISTS (SELECT 1 FROM snoozed WHERE task_id = tasks.id)
ORDER BY deadline, id"""

_SNOOZED = f"""
SELECT {WITH_PARTS}, snoozed.until FROM snoozed JOIN tasks ON tasks.id = snoozed.task_id WHERE closed = 0 AND until <= ? ORDER BY until, tasks.id"""


@dataclass(frozen=True)
class Reminder:
    """One reminder. `moment` is what it counts from: the deadline, or for a task put off without one the time it was put off to."""

    task: Task
    level: str
    moment: datetime
    snoozed: bool = False

    def minutes_left(self, now: datetime) -> int:
        """Whole minutes until the moment, negative once it has passed."""
        return (self.moment - now) // timedelta(minutes=1)


@dataclass(frozen=True)
class Habits:
    """What the person prefers: when the day begins to speak, and the quiet hours (none when both are the same)."""

    morning: time = MORNING
    quiet_start: time = time(0)
    quiet_end: time = time(0)

    def quiet_until(self, now: datetime) -> datetime | None:
        """The end of the quiet hours that `now` lies in; they may cross midnight."""
        start, end, clock = self.quiet_start, self.quiet_end, now.time()
        if start == end:
            return None
        inside = start <= clock < end if start < end else clock >= start or clock < end
        if not inside:
            return None
        day = now.date() + timedelta(days=1 if clock >= end else 0)
        return datetime.combine(day, end)


def habits(store: Store) -> Habits:
    """The preferences work_start, quiet_start and quiet_end. Whoever begins before eight hears of the day when they begin."""
    from taskbook.preferences import known

    found = known(store)
    start, end = found.quiet_start, found.quiet_end
    quiet = (_clock(start), _clock(end)) if start and end else ()
    return Habits(min(MORNING, _clock(found.work_start)), *quiet)


def _clock(text: str) -> time:
    """ "HH:MM"; the end of a day ("24:00") is the beginning of the next."""
    return time(0) if text == "24:00" else time.fromisoformat(text)


def reached(due: str, now: datetime, within: int, morning: time) -> list[str]:
    """The levels whose moment has come, in the order of their moments."""
    if "T" in due:
        deadline = datetime.fromisoformat(due)
        moments = [("due_soon", deadline - timedelta(minutes=within)), ("overdue", deadline)]
    else:
        begin = datetime.combine(date.fromisoformat(due), morning)
        moments = [("today", begin), ("overdue", begin + timedelta(days=1))]
    return [level for level, moment in moments if moment <= now]


def come(store: Store, now: datetime, within: int, habit: Habits) -> list[Reminder]:
    """The reminders that are to be given now, by deadline; none in the quiet hours. Reads only."""
    if habit.quiet_until(now):
        return []
    stamp = now.isoformat()
    found = [Reminder(task, _level(task, now, within, habit), task.deadline or datetime.fromisoformat(row["until"]), snoozed=True)
             for row in store.db.execute(_SNOOZED, (stamp,)) for task in [Task.from_row(row)]]
    soon, tonight = (now + timedelta(minutes=within)).isoformat(), f"{stamp[:10]}T23:59:59"
    for row in store.db.execute(_COME, (max(soon, tonight), soon)):
        levels = reached(row["due_date"], now, within, habit.morning)
        night = levels[-1:] == ["today"] and row["due_date"] < stamp[:10]  # its day is over, and the next has not begun to speak
        if levels and not night and levels[-1] not in (row["given"] or "").split(","):
            task = Task.from_row(row)
            found.append(Reminder(task, levels[-1], task.deadline or now))
    return found


def _level(task: Task, now: datetime, within: int, habit: Habits) -> str:
    """The level of a task that was put off: where its deadline stands by now; one far away or absent is "due_soon"."""
    levels = reached(task.due_date, now, within, habit.morning) if task.due_date else []
    return levels[-1] if levels else "due_soon"


def mark(db: sqlite3.Connection, given: Sequence[Reminder], now: datetime, within: int, habit: Habits) -> None:
    """Keep that they were given. Inside the write transaction of the giving."""
    stamp = now.isoformat()
    rows = [(each.task.id, each.task.due_date, level, stamp) for each in given if each.task.due_date
            for level in reached(each.task.due_date, now, within, habit.morning)]
    db.executemany("INSERT OR IGNORE INTO reminded (task_id, due_date, level, at) VALUES (?, ?, ?, ?)", rows)
    db.executemany("DELETE FROM snoozed WHERE task_id = ?", [(each.task.id,) for each in given if each.snoozed])


def next_moment(store: Store, now: datetime, within: int, habit: Habits) -> datetime:
    """The next moment at which something may have come, later than `now`."""
    quiet = habit.quiet_until(now)
    if quiet:
        return quiet
    before = timedelta(minutes=within)
    day = now.date() + timedelta(days=1 if now.time() >= habit.morning else 0)
    moments = [datetime.combine(day, habit.morning)]
    query = "SELECT min(deadline) FROM tasks WHERE closed = 0 AND deadline > ?"
    for edge, lead in ((now, timedelta(0)), (now + before, before)):
        first = store.db.execute(query, (edge.isoformat(),)).fetchone()[0]
        moments += [datetime.fromisoformat(first) - lead] if first else []
    first = store.db.execute("SELECT min(until) FROM snoozed WHERE until > ?", (now.isoformat(),)).fetchone()[0]
    moments += [datetime.fromisoformat(first)] if first else []
    return min(moments)
