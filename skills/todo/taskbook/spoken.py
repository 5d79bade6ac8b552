"""The operations that a person speaks: a task is named or pointed at (which), never by a number alone. Deletion asks first.

They find the task and leave the change itself to the operations on tasks, so that journal, recurrence and parts behave alike.
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from taskbook import pointing, tasks
from taskbook.contract import Context, TodoError
from taskbook.numerals import CHINESE, ENGLISH, whole_number
from taskbook.task import Task

Values = Mapping[str, Any]

ASKED = timedelta(minutes=30)  # how long a question about a deletion waits for its yes
_SPAN = re.compile(rf"(?:by\s+)?(?P<n>\d{{1,3}}|[{CHINESE}]{{1,4}}|半|{'|'.join(ENGLISH)}|half\s+an?)\s*个?\s*"
                   r"(?P<unit>天|日|周|星期|礼拜|小时|钟头|分钟|days?|weeks?|hours?|minutes?|mins?)", re.IGNORECASE)
_UNITS: tuple[tuple[str, timedelta], ...] = (
    ("天日d", timedelta(days=1)), ("周星礼w", timedelta(weeks=1)), ("小钟h", timedelta(hours=1)), ("分m", timedelta(minutes=1)))
_NEXT = ("下一次", "下次", "next time")
_ONCE = ("不再重复", "不重复", "no repeat")
_NEVER = ("无", "没有", "不限", "取消", "none", "never", "no date", "no deadline")
_ONE_NUMBER = re.compile(r"(?:#|任务|task\s*|tasks\s*)?(\d{1,9})(?:号|号任务)?", re.IGNORECASE)
_SEVERAL = re.compile(r"\s*(?:[、,，和与]|and)\s*")


def show(ctx: Context, values: Values) -> dict[str, Any]:
    """The task with all its fields."""
    return tasks.get_task(ctx, {"task_id": pointing.resolve(ctx, values["which"], done=True).id})


def finish(ctx: Context, values: Values) -> dict[str, Any]:
    """Marks it as done; several numbers (3号和5号) are one change. One that is done already stays so."""
    numbers = _numbers(values["which"])
    if len(numbers) > 1:
        return tasks.complete_tasks(ctx, {"task_ids": numbers})
    return tasks.complete_task(ctx, {"task_id": pointing.resolve(ctx, values["which"], done=True).id})


def start(ctx: Context, values: Values) -> dict[str, Any]:
    """Marks it as being worked on."""
    return _update(ctx, pointing.resolve(ctx, values["which"]), status="doing")


def reopen(ctx: Context, values: Values) -> dict[str, Any]:
    """Opens it again; one that is open stays so."""
    task = pointing.resolve(ctx, values["which"], done=True)
    if task.status == "todo":
        return {"task": task.object(ctx.now, ctx.lang), "unchanged": True, "message": ctx.say("spoken.open_already", id=task.id, title=task.title)}
    return _update(ctx, task, status="todo")


def postpone(ctx: Context, values: Values) -> dict[str, Any]:
    """Gives it another deadline: a time phrase, a length (两天) by which the deadline moves, 无 for no deadline, 下一次 for the next time
    of a task that comes again; a rule (每周四) lets it come again, 不再重复 stops that."""
    from timephrase import Rule, parse_rule

    from taskbook import recurring

    task, when = pointing.resolve(ctx, values["which"]), values["when"].strip()
    if when.lower() in (*_NEXT, *_ONCE):
        if task.rule is None:
            raise TodoError("invalid_argument", "spoken.not_recurring", id=task.id, title=task.title)
        change = recurring.skip_occurrence if when.lower() in _NEXT else recurring.clear_recurrence
        return change(ctx, {"task_id": task.id})
    if when.lower() in _NEVER:
        return _update(ctx, task, clear_due_date=True)
    if isinstance(parse_rule(when, ctx.now), Rule):
        return recurring.set_recurrence(ctx, {"task_id": task.id, "rule": when})
    return _update(ctx, task, due_date=_moved(task, when, ctx.now) or when)


def reprioritize(ctx: Context, values: Values) -> dict[str, Any]:
    """Gives it another priority."""
    return _update(ctx, pointing.resolve(ctx, values["which"]), priority=values["priority"])


def rename(ctx: Context, values: Values) -> dict[str, Any]:
    """Gives it another title."""
    return _update(ctx, pointing.resolve(ctx, values["which"], done=True), title=values["title"])


def annotate(ctx: Context, values: Values) -> dict[str, Any]:
    """Adds a line to its notes."""
    task = pointing.resolve(ctx, values["which"], done=True)
    return _update(ctx, task, notes="\n".join(part for part in (task.notes, values["notes"].strip()) if part))


def estimate(ctx: Context, values: Values) -> dict[str, Any]:
    """Says how long it takes, in minutes."""
    return _update(ctx, pointing.resolve(ctx, values["which"]), estimated_minutes=values["minutes"])


def tag(ctx: Context, values: Values) -> dict[str, Any]:
    """Adds tags to those that it has."""
    task = pointing.resolve(ctx, values["which"], done=True)
    new = [name.strip().lstrip("#") for name in values["tags"]]
    return _update(ctx, task, tags=list(dict.fromkeys([*task.tags, *(name for name in new if name)])))


def remove(ctx: Context, values: Values) -> dict[str, Any]:
    """Deletes nothing: asks, and keeps in mind what for. Always raises TodoError confirm_required with the tasks."""
    numbers = _numbers(values["which"])
    named = [str(number) for number in numbers] if len(numbers) > 1 else [values["which"]]
    found = [pointing.resolve(ctx, one, done=True) for one in named]
    shown = [task.object(ctx.now, ctx.lang) for task in found]
    pointing.keep_pending(ctx, shown)
    pointing.remember(ctx, "remove", {"task": shown[0]} if len(shown) == 1 else {"tasks": shown})
    titles = ctx.say("spoken.between").join(ctx.say("spoken.named", id=task.id, title=task.title) for task in found)
    raise TodoError("confirm_required", "spoken.confirm", {"task": shown[0]} if len(shown) == 1 else {"tasks": shown}, titles=titles)


def confirm_delete(ctx: Context, values: Values) -> dict[str, Any]:
    """Deletes what `remove` asked about last, within half an hour."""
    waiting = pointing.pending(ctx, ASKED)
    pointing.keep_pending(ctx, ())
    if not waiting:
        raise TodoError("not_found", "spoken.nothing_asked")
    if len(waiting) == 1:
        return tasks.delete_task(ctx, {"task_id": pointing.still_there(ctx, waiting[0]).id, "confirm": True})
    return tasks.delete_tasks(ctx, {"task_ids": [row["id"] for row in waiting], "confirm": True})


def cancel_delete(ctx: Context, values: Values) -> dict[str, Any]:
    """Keeps what `remove` asked about."""
    waiting = pointing.pending(ctx, ASKED)
    pointing.keep_pending(ctx, ())
    if not waiting:
        return {"message": ctx.say("spoken.nothing_to_keep"), "kept": []}
    titles = ctx.say("spoken.between").join(ctx.say("spoken.named", **row) for row in waiting)
    return {"message": ctx.say("spoken.kept", titles=titles), "kept": [row["id"] for row in waiting]}


def _update(ctx: Context, task: Task, **fields: Any) -> dict[str, Any]:
    return tasks.update_task(ctx, {"task_id": task.id, **fields})


def _numbers(which: str) -> list[int]:
    """The numbers of a list such as 3号、5号和7号; empty when it is no list of numbers."""
    parts = [_ONE_NUMBER.fullmatch(part.strip()) for part in _SEVERAL.split(which.strip())]
    return [int(part[1]) for part in parts if part] if all(parts) else []


def _moved(task: Task, when: str, now: datetime) -> str | None:
    """The deadline moved by a length; None when `when` is no bare length. Without a deadline it counts from now."""
    span = _SPAN.fullmatch(when)
    if span is None:
        return None
    unit = next(length for letters, length in _UNITS if span["unit"][0].lower() in letters)
    half = span["n"] == "半" or span["n"].lower().startswith("half")
    length = unit / 2 if half else unit * (whole_number(span["n"]) or 0)
    due = task.due_date
    if due is not None and len(due) == 10 and length % timedelta(days=1) == timedelta():
        return (date.fromisoformat(due) + length).isoformat()
    if due is None:
        moment = now + length
        return moment.date().isoformat() if length % timedelta(days=1) == timedelta() else moment.replace(second=0).isoformat()
    start = datetime.fromisoformat(due) if len(due) > 10 else datetime.fromisoformat(due + "T23:59:00")
    return (start + length).isoformat()
