"""What comes up: get_due_reminders, reminder_overview, send_desktop_notification. Reading marks nothing as given."""
from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.task import WITH_PARTS, Task, line

SHOWN = 50  # tasks of one level in an answer; `total` counts all
LINES = 20  # of them in the text
NEAREST = 5
_OPEN = "SELECT {} FROM tasks WHERE closed = 0 AND deadline {}"


def get_due_reminders(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`reminders`: open tasks that are overdue or whose deadline with a time is at most `within_minutes` away, by deadline; `today`: those
    due today without a time. Each is a task with `minutes_left` (negative when overdue) and `level` (overdue, due_soon, today).
    At most 50 of each level; `count` says how many are listed, `total` how many there are."""
    end = ctx.now + timedelta(minutes=values["within_minutes"])
    midnight = datetime.combine(ctx.now.date(), time(23, 59, 59))
    clauses = (("overdue", "< ?", (ctx.now.isoformat(),)),
               ("due_soon", "BETWEEN ? AND ? AND length(due_date) > 10", (ctx.now.isoformat(), end.isoformat())),
               ("today", "= ? AND length(due_date) = 10", (midnight.isoformat(),)))
    listed: dict[str, list[dict[str, Any]]] = {}
    counts: dict[str, int] = {}
    texts: list[str] = []
    for level, clause, bounds in clauses:
        tasks, counts[level] = _select(ctx, clause, bounds, SHOWN)
        listed[level] = [_item(ctx, task, level) for task in tasks]
        texts += _lines(ctx, level, tasks, counts[level])
    soon, total = listed["overdue"] + listed["due_soon"], sum(counts.values())
    message = ctx.say("reminders.due" if total else "reminders.none", **counts)
    return {"message": message, "reminders": soon, "today": listed["today"], "count": len(soon) + len(listed["today"]), "total": total,
            "text": "\n".join(texts) or message}


def _lines(ctx: Context, level: str, tasks: Sequence[Task], count: int) -> list[str]:
    """The level with its count, and a line for each of the first tasks."""
    if not count:
        return []
    lines = [ctx.say("reminders.level_line", level=ctx.say(f"reminders.{level}"), count=count), *(_line(ctx, task) for task in tasks[:LINES])]
    return [*lines, ctx.say("reminders.more", count=count - LINES)] if count > LINES else lines


def _line(ctx: Context, task: Task) -> str:
    return ctx.say("reminders.item", line=line(task, ctx.now, ctx.lang), left=say_left(ctx.now, task.deadline, ctx.lang))


def _select(ctx: Context, clause: str, bounds: tuple[str, ...], limit: int) -> tuple[list[Task], int]:
    rows = ctx.store.db.execute(f"{_OPEN.format(WITH_PARTS, clause)} ORDER BY deadline, id LIMIT ?", (*bounds, limit)).fetchall()
    total = len(rows) if len(rows) < limit else ctx.store.db.execute(_OPEN.format("count(*)", clause), bounds).fetchone()[0]
    return [Task.from_row(row) for row in rows], total


def _item(ctx: Context, task: Task, level: str) -> dict[str, Any]:
    return {**task.object(ctx.now, ctx.lang), "minutes_left": minutes_left(ctx.now, task.deadline), "level": level}


def minutes_left(now: datetime, deadline: datetime | None) -> int:
    """Whole minutes until the deadline; anything past is at least -1."""
    return ((deadline or now) - now) // timedelta(minutes=1)


def say_left(now: datetime, moment: datetime | None, lang: str) -> str:
    """ "45 minutes left", "due now", "2 hours late": how the moment lies to now."""
    from taskbook.words import say

    seconds = int(((moment or now) - now).total_seconds())
    if abs(seconds) < 60:
        return say("reminders.now", lang)
    return say("reminders.left" if seconds > 0 else "reminders.late", lang, length=say_length(abs(seconds) // 60, lang))


def say_length(minutes: int, lang: str) -> str:
    """A length of time in its two largest units: "3 days 4 hours", "45 minutes"."""
    from taskbook.words import say

    days, rest = divmod(minutes, 1440)
    parts = [(days, "day"), (rest // 60, "hour"), (rest % 60, "minute")]
    while len(parts) > 1 and not parts[0][0]:
        parts.pop(0)
    return " ".join(say(f"reminders.{unit}{'s' * (count != 1)}", lang, count=count) for count, unit in parts[:2] if count or len(parts) == 1)


def reminder_overview(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`overview`: how many open tasks are overdue, due today (the day, whatever the hour), within 24 hours, within 7 days;
    `nearest`: the five whose deadlines come next."""
    now, day = ctx.now.isoformat(), ctx.now.date().isoformat()
    spans = {"overdue": ("< ?", (now,)), "today": ("BETWEEN ? AND ?", (f"{day}T00:00:00", f"{day}T23:59:59")),
             "next_24h": ("BETWEEN ? AND ?", (now, (ctx.now + timedelta(hours=24)).isoformat())),
             "next_7d": ("BETWEEN ? AND ?", (now, (ctx.now + timedelta(days=7)).isoformat()))}
    counts = {name: ctx.store.db.execute(_OPEN.format("count(*)", clause), bounds).fetchone()[0] for name, (clause, bounds) in spans.items()}
    rows = ctx.store.db.execute(f"{_OPEN.format(WITH_PARTS, '>= ?')} ORDER BY deadline, id LIMIT ?", (now, NEAREST)).fetchall()
    nearest = [Task.from_row(row) for row in rows]
    message = ctx.say("reminders.overview", **counts)
    lines = [_line(ctx, task) for task in nearest]
    listed = [{**task.object(ctx.now, ctx.lang), "minutes_left": minutes_left(ctx.now, task.deadline)} for task in nearest]
    return {"message": message, "overview": counts, "nearest": listed, "text": "\n".join([message, *lines])}


def send_desktop_notification(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Show it on the desktop: `delivered`, and `channel`, the program that showed it. Where there is none: `delivered` false and
    `fallback` "console", with the words in `text`. Raises TodoError for an empty title."""
    from taskbook.notify import notify

    title, message = values["title"].strip(), values["message"].strip()
    if not title:
        raise TodoError("invalid_argument", "reminders.no_title")
    delivery = notify(title, message)
    if delivery.delivered:
        return {"message": ctx.say("reminders.notified", title=title), "delivered": True, "channel": delivery.channel}
    reason = ctx.say(f"reminders.not_{delivery.reason}", channel=delivery.channel)
    return {"message": ctx.say("reminders.not_notified", reason=reason), "delivered": False, "fallback": "console",
            "text": "\n".join(part for part in (title, message) if part)}
