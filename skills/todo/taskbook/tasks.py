"""The operations on tasks: add, list, show, count, change, complete, delete. Deleting asks first; completing brings the next one of a series."""
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.fields import Fields, checked_fields, clean_tags, insert_task, warning_of
from taskbook.store import Change, searchable
from taskbook.task import WITH_PARTS, Task, due_display, find, line

_ORDER = "closed, deadline IS NULL, deadline, rank, id"
_COUNTS = """
SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM tasks WHERE status = 'doing'), (SELECT count(*) FROM tasks WHERE status = 'done'),
    (SELECT count(*) FROM tasks WHERE closed = 0 AND deadline < ?), (SELECT count(*) FROM tasks WHERE completed_at >= ? AND completed_at < ?)"""
_GLOB = str.maketrans({char: f"[{char}]" for char in "*?["})
_FIELDS = ("title", "priority", "due_date", "tags", "estimated_minutes", "notes", "status")


def add_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task`; with `warning` (past deadline, same name) and `assumed` where there is something to tell."""
    fields = checked_fields(ctx, values)
    with ctx.store.change(ctx.now, "add_task") as change:
        task_id = insert_task(ctx, change, fields)
    return added(ctx, task_id, fields)


def added(ctx: Context, task_id: int, fields: Fields) -> dict[str, Any]:
    """What is told of a task that was just added."""
    task = find(ctx.store, task_id)
    due = ctx.say("tasks.with_due", due=due_display(task.due_date, ctx.now, ctx.lang)) if task.due_date else ""
    assumed = ctx.say("tasks.assumed", assumed=fields.assumed) if fields.assumed else ""
    answer: dict[str, Any] = {"message": ctx.say("tasks.added", id=task.id, title=task.title, due=due, assumed=assumed),
                              "task": task.object(ctx.now, ctx.lang)}
    return {**answer, **_told(assumed=fields.assumed, warning=warning_of(ctx, fields, task_id))}


def add_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`tasks` and `count`, all or none; a bad one is named by its place. `assumed` and `warnings` list what there is to tell, by task id."""
    from taskbook.fit import fit
    from taskbook.operations import OPERATIONS

    checked: list[Fields] = []
    for place, item in enumerate(values["tasks"], 1):
        try:
            checked.append(checked_fields(ctx, fit(OPERATIONS["add_task"], item)))
        except TodoError as problem:
            raise TodoError("invalid_argument", "tasks.item", place=place, problem=problem) from problem
    with ctx.store.change(ctx.now, "add_tasks") as change:
        ids = [insert_task(ctx, change, fields) for fields in checked]
    tasks = [find(ctx.store, task_id) for task_id in ids]
    message = ctx.say("tasks.added_many", count=len(ids), ids=_ids(ids))
    assumed = {str(task_id): fields.assumed for task_id, fields in zip(ids, checked, strict=True) if fields.assumed}
    warnings = {str(task_id): warning for task_id, fields in zip(ids, checked, strict=True) if (warning := warning_of(ctx, fields, task_id))}
    return {"message": message, "tasks": [task.object(ctx.now, ctx.lang) for task in tasks], "count": len(ids),
            "text": "\n".join([message, *_lines(ctx, tasks)]), **_told(assumed=assumed, warnings=warnings)}


def list_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`tasks` (at most `limit`), `count` of them and `total`: open before done, by deadline, priority and id."""
    where, bounds = _filter(ctx, values)
    index = "INDEXED BY tasks_order" if "search" in where else ""  # it holds what is searched, in the order that is wanted
    source = f"FROM tasks {index} WHERE {where}"
    rows = ctx.store.db.execute(f"SELECT {WITH_PARTS} {source} ORDER BY {_ORDER} LIMIT ?", (*bounds, values["limit"] + 1)).fetchall()
    whole = len(rows) <= values["limit"]  # then a second walk to count them is spared
    total = len(rows) if whole else ctx.store.db.execute(f"SELECT count(*) {source}", bounds).fetchone()[0]
    tasks = [Task.from_row(row) for row in rows[:values["limit"]]]
    message = ctx.say("tasks.none" if not total else "tasks.listed" if total == len(tasks) else "tasks.listed_some", total=total, count=len(tasks))
    return {"message": message, "tasks": [task.object(ctx.now, ctx.lang) for task in tasks], "count": len(tasks), "total": total,
            "text": "\n".join([message, *_lines(ctx, tasks)])}


def _filter(ctx: Context, values: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
    """The WHERE clause and its values; texts of a caller are values only."""
    from taskbook.when import resolve_due

    clauses: list[str] = ["1"]
    bounds: list[Any] = []

    def add(clause: str, *more: Any) -> None:
        clauses.append(clause)
        bounds.extend(more)

    if "status" in values:
        add("status = ?", values["status"])
    if "priority" in values:
        add("priority = ?", values["priority"])
    for tag in clean_tags([values.get("tag", "")]):
        add("search GLOB ?", f"*\n{searchable(tag).translate(_GLOB)}\n*")
        add("(instr(tags, ?) OR instr(tags, ?))", *(f"{before}{json.dumps(tag, ensure_ascii=False)}" for before in ("[", ", ")))
    if keyword := values.get("keyword", "").strip():
        add("search GLOB ?", f"*{searchable(keyword).translate(_GLOB)}*")
    if "due_before" in values:
        due = resolve_due(ctx, values["due_before"]).due
        add("deadline <= ?", due if len(due) > 10 else f"{due}T23:59:59")
    if values["only_overdue"]:
        add("closed = 0 AND deadline < ?", ctx.now.isoformat())
    return " AND ".join(clauses), tuple(bounds)


def get_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task`, and its `parts` where it has some. Raises TodoError not_found."""
    task = find(ctx.store, values["task_id"])
    answer: dict[str, Any] = {"message": line(task, ctx.now, ctx.lang), "task": task.object(ctx.now, ctx.lang)}
    below = parts_of(ctx, task) if task.parts else []
    said = [answer["message"], *([task.notes] if task.notes else []), *_lines(ctx, below, "  ")]
    return {**answer, **_told(parts=[part.object(ctx.now, ctx.lang) for part in below]), "text": "\n".join(said)}


def parts_of(ctx: Context, task: Task) -> list[Task]:
    """The tasks below a task, by id."""
    rows = ctx.store.db.execute("SELECT * FROM tasks WHERE parent_id = ? ORDER BY id", (task.id,))
    return [Task.from_row(row) for row in rows]


def stats(ctx: Context) -> dict[str, int]:
    """How many tasks there are: total, by status, open, overdue, done today."""
    midnight = datetime.combine(ctx.now.date(), time()).isoformat()
    total, doing, done, overdue, done_today = ctx.store.db.execute(_COUNTS, (ctx.now.isoformat(), midnight, midnight[:10] + "T24")).fetchone()
    return {"total": total, "todo": total - doing - done, "doing": doing, "done": done, "open": total - done, "overdue": overdue,
            "done_today": done_today}


def task_stats(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`stats`."""
    counted = stats(ctx)
    return {"message": ctx.say("tasks.stats", **counted), "stats": counted}


def update_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task` and `changed`, the fields that are different now. Raises TodoError when nothing is given, or both a deadline and its removal."""
    find(ctx.store, values["task_id"])
    given = {name: values[name] for name in _FIELDS if name in values}
    if values.get("clear_due_date") and given.get("due_date"):
        raise TodoError("invalid_argument", "tasks.both")
    if not given and not values.get("clear_due_date"):
        raise TodoError("invalid_argument", "tasks.nothing")
    fields = checked_fields(ctx, given)
    columns = {**fields.columns, **({"due_date": None} if values.get("clear_due_date") else {})}
    with ctx.store.change(ctx.now, "update_task") as change:
        task = find(ctx.store, values["task_id"])
        before = ctx.store.db.execute("SELECT * FROM tasks WHERE id = ?", (task.id,)).fetchone()
        columns = {name: value for name, value in columns.items() if before[name] != value}
        done = _apply(ctx, change, task, columns)
    now = find(ctx.store, task.id)
    changed = [name for name in _FIELDS if name in columns]
    if not changed:
        message = ctx.say("tasks.same", id=task.id, title=now.title)
        return {"message": message, "task": now.object(ctx.now, ctx.lang), "changed": [], "unchanged": True}
    assumed = ctx.say("tasks.assumed", assumed=fields.assumed) if fields.assumed else ""
    what = ctx.say("tasks.between").join(_said(ctx, now, name) for name in changed)
    message = ctx.say("tasks.updated", id=now.id, title=now.title, what=what, assumed=assumed)
    return {"message": message + done.said(ctx), "task": now.object(ctx.now, ctx.lang), "changed": changed,
            **_told(assumed=fields.assumed, warning=ctx.say("fields.past") if fields.past and now.status != "done" else None,
                    completed_parts=list(done.parts), next=done.next_object(ctx))}


def _apply(ctx: Context, change: Change, task: Task, columns: dict[str, Any]) -> Completed:
    """Write the columns; what came with it when this completes the task."""
    status = columns.get("status")
    rest = {name: value for name, value in columns.items() if not (name == "status" and value == "done")}
    if task.status == "done" and status in ("todo", "doing"):
        rest["completed_at"] = None
    if rest:
        change.update("tasks", task.id, {**rest, "updated_at": ctx.now.isoformat()})
    return complete(ctx, change, find(ctx.store, task.id)) if status == "done" else Completed((), None)


@dataclass(frozen=True)
class Completed:
    """What came with completing a task: the parts that were still open, and the task that follows in its series."""

    parts: tuple[int, ...]
    following: Task | None

    def said(self, ctx: Context) -> str:
        """What is added to the message."""
        parts = ctx.say("tasks.with_parts", ids=_ids(self.parts)) if self.parts else ""
        if self.following is None:
            return parts
        return parts + ctx.say("tasks.next", id=self.following.id, due=due_display(self.following.due_date, ctx.now, ctx.lang))

    def next_object(self, ctx: Context) -> dict[str, Any] | None:
        """The task that follows, as operations print it."""
        return self.following.object(ctx.now, ctx.lang) if self.following else None


def complete(ctx: Context, change: Change, task: Task) -> Completed:
    """Mark an open task and its parts as done; one of a series is followed by the next."""
    from taskbook.recurring import next_of_series

    now = ctx.now.isoformat()
    done = {"status": "done", "completed_at": now, "updated_at": now}
    below = parts_of(ctx, task)
    left = tuple(part.id for part in below if part.status != "done")
    for task_id in (task.id, *left):
        change.update("tasks", task_id, done)
    return Completed(left, next_of_series(ctx, change, task, below) if task.rule else None)


def complete_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task`; `unchanged` when it was done already, `next` for a series, `completed_parts` for what was below it."""
    with ctx.store.change(ctx.now, "complete_task") as change:
        task = find(ctx.store, values["task_id"])
        if task.status == "done":
            return {"message": ctx.say("tasks.done_already", id=task.id, title=task.title), "task": task.object(ctx.now, ctx.lang), "unchanged": True}
        done = complete(ctx, change, task)
    return {"message": ctx.say("tasks.completed", id=task.id, title=task.title) + done.said(ctx),
            "task": find(ctx.store, task.id).object(ctx.now, ctx.lang), **_told(completed_parts=list(done.parts), next=done.next_object(ctx))}


def complete_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`completed`, `already_done`, `not_found`: ids; `completed_parts` what was below them, `next` the tasks that follow.

    Not ok only when no task was found.
    """
    with ctx.store.change(ctx.now, "complete_tasks") as change:
        tasks, missing = _found(ctx, values["task_ids"])
        closing = [task for task in tasks if task.status != "done"]
        chosen = {task.id for task in closing}
        done = [complete(ctx, change, task) for task in closing if task.parent_id not in chosen]  # a part goes with its parent
    completed, already = [task.id for task in closing], [task.id for task in tasks if task.status == "done"]
    parts = [task_id for one in done for task_id in one.parts if task_id not in chosen]
    said = [ctx.say(f"tasks.{key}", ids=_ids(ids)) for key, ids in (("completed_many", completed), ("already", already), ("missing", missing)) if ids]
    further = [Completed(tuple(parts), None), *(Completed((), one.following) for one in done)]
    message = ctx.say("tasks.between").join([said[0] + "".join(one.said(ctx) for one in further), *said[1:]])
    answer: dict[str, Any] = {"message": message, "completed": completed, "already_done": already, "not_found": missing,
                              **_told(completed_parts=parts, next=[one.next_object(ctx) for one in done if one.following])}
    return answer if tasks else {**answer, "ok": False, "code": "not_found", "error": message}


def _found(ctx: Context, ids: Sequence[int]) -> tuple[list[Task], list[int]]:
    """The tasks with these ids, each once and in this order; the ids that are no task."""
    rows = {task_id: ctx.store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE id = ?", (task_id,)).fetchone() for task_id in ids}
    return [Task.from_row(row) for row in rows.values() if row is not None], [task_id for task_id, row in rows.items() if row is None]


def delete_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Without `confirm` nothing happens but the question; with it `deleted` is the task as it was."""
    with ctx.store.change(ctx.now, "delete_task") as change:
        task = find(ctx.store, values["task_id"])
        below, shown = parts_of(ctx, task), task.object(ctx.now, ctx.lang)
        parts = ctx.say("tasks.and_parts", count=len(below)) if below else ""
        if not values.get("confirm"):
            raise TodoError("confirm_required", "tasks.confirm", {"task": shown}, id=task.id, title=task.title, parts=parts)
        _delete(change, [*below, task])
    return {"message": ctx.say("tasks.deleted", id=task.id, title=task.title, parts=parts), "deleted": shown}


def delete_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """As delete_task for several; `not_found` names ids that are no task. Not ok when none of them is one."""
    with ctx.store.change(ctx.now, "delete_tasks") as change:
        found, missing = _found(ctx, values["task_ids"])
        if not found:
            raise TodoError("not_found", "tasks.missing", {"not_found": missing}, ids=_ids(missing))
        shown = [task.object(ctx.now, ctx.lang) for task in found]
        told = ctx.say("tasks.between") + ctx.say("tasks.missing", ids=_ids(missing)) if missing else ""
        chosen = {task.id for task in found}
        below = [part for task in found for part in parts_of(ctx, task) if part.id not in chosen]
        titles = ctx.say("tasks.list_between").join(ctx.say("tasks.named", id=task.id, title=task.title) for task in found)
        titles += ctx.say("tasks.and_parts", count=len(below)) if below else ""
        if not values.get("confirm"):
            raise TodoError("confirm_required", "tasks.confirm_many", {"tasks": shown, "not_found": missing}, titles=titles, told=told)
        _delete(change, [*below, *found])
    return {"message": ctx.say("tasks.deleted_many", titles=titles, told=told), "deleted": shown, "not_found": missing}


def _delete(change: Change, tasks: Sequence[Task]) -> None:
    for task in tasks:
        change.delete("tasks", task.id)


def _said(ctx: Context, task: Task, name: str) -> str:
    """A changed field with its new value."""
    values = {"title": task.title, "priority": ctx.say(f"task.{task.priority}"), "status": ctx.say(f"task.{task.status}"),
              "due_date": due_display(task.due_date, ctx.now, ctx.lang) or ctx.say("tasks.no_due"),
              "tags": ctx.say("tasks.list_between").join(task.tags), "estimated_minutes": task.estimated_minutes,
              "notes": task.notes.replace("\n", " ")[:40]}
    return ctx.say(f"tasks.field_{name}", value=values[name])


def _lines(ctx: Context, tasks: Sequence[Task], indent: str = "") -> list[str]:
    return [indent + line(task, ctx.now, ctx.lang) for task in tasks]


def _ids(ids: Sequence[int]) -> str:
    return ", ".join(f"#{task_id}" for task_id in ids)


def _told(**values: Any) -> dict[str, Any]:
    """The values that say something."""
    return {name: value for name, value in values.items() if value}
