"""The operations on tasks: add, list, show, count, change, complete, delete. Deleting asks first; completing brings the next one of a series."""
from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.fields import Fields, checked_fields, insert_task, warning_of
from taskbook.store import Change
from taskbook.task import WITH_PARTS, Task, due_display, find, line

_ORDER = "closed, deadline IS NULL, deadline, rank, id"
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
    if "search" in where:  # one walk through the rows as they lie, then the order: an index would visit each of them in turn
        found = [row[0] for row in ctx.store.db.execute(f"SELECT id FROM tasks NOT INDEXED WHERE {where} ORDER BY {_ORDER}", bounds)]
        total, shown = len(found), found[:values["limit"]]
        rows = ctx.store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE id IN ({', '.join('?' * len(shown))}) ORDER BY {_ORDER}", shown)
    else:
        total = ctx.store.db.execute(f"SELECT count(*) FROM tasks WHERE {where}", bounds).fetchone()[0]
        rows = ctx.store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE {where} ORDER BY {_ORDER} LIMIT ?", (*bounds, values["limit"]))
    tasks = [Task.from_row(row) for row in rows]
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
    if tag := values.get("tag", "").strip().lstrip("#"):
        add("instr(tags, ?)", json.dumps(tag, ensure_ascii=False))
    if keyword := values.get("keyword", "").strip():
        add("instr(search, ?)", keyword.casefold())
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
    by_status = dict(ctx.store.db.execute("SELECT status, count(*) FROM tasks GROUP BY status").fetchall())
    overdue = ctx.store.db.execute("SELECT count(*) FROM tasks WHERE closed = 0 AND deadline < ?", (ctx.now.isoformat(),)).fetchone()[0]
    midnight = datetime.combine(ctx.now.date(), time()).isoformat()
    done_today = ctx.store.db.execute("SELECT count(*) FROM tasks WHERE completed_at >= ? AND completed_at < ?",
                                      (midnight, ctx.now.date().isoformat() + "T24")).fetchone()[0]
    todo, doing, done = (by_status.get(name, 0) for name in ("todo", "doing", "done"))
    return {"total": todo + doing + done, "todo": todo, "doing": doing, "done": done, "open": todo + doing, "overdue": overdue,
            "done_today": done_today}


def task_stats(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`stats`."""
    counted = stats(ctx)
    return {"message": ctx.say("tasks.stats", **counted), "stats": counted}


def update_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task` and `changed`, the fields that are different now. Raises TodoError when nothing is given, or both a deadline and its removal."""
    task = find(ctx.store, values["task_id"])
    given = {name: values[name] for name in _FIELDS if name in values}
    if values.get("clear_due_date") and given.get("due_date"):
        raise TodoError("invalid_argument", "tasks.both")
    if not given and not values.get("clear_due_date"):
        raise TodoError("invalid_argument", "tasks.nothing")
    fields = checked_fields(ctx, given)
    columns = {**fields.columns, **({"due_date": None} if values.get("clear_due_date") else {})}
    with ctx.store.change(ctx.now, "update_task") as change:
        before = dict(ctx.store.db.execute("SELECT * FROM tasks WHERE id = ?", (task.id,)).fetchone())
        columns = {name: value for name, value in columns.items() if before[name] != value}
        following = _apply(ctx, change, task, columns)
    now = find(ctx.store, task.id)
    changed = [name for name in _FIELDS if name in columns]
    if not changed:
        message = ctx.say("tasks.same", id=task.id, title=now.title)
        return {"message": message, "task": now.object(ctx.now, ctx.lang), "changed": [], "unchanged": True}
    assumed = ctx.say("tasks.assumed", assumed=fields.assumed) if fields.assumed else ""
    what = ctx.say("tasks.between").join(_said(ctx, now, name) for name in changed)
    message = ctx.say("tasks.updated", id=now.id, title=now.title, what=what, assumed=assumed)
    return {"message": message + _next(ctx, following), "task": now.object(ctx.now, ctx.lang), "changed": changed,
            **_told(assumed=fields.assumed, warning=ctx.say("fields.past") if fields.past and now.status != "done" else None,
                    next=following.object(ctx.now, ctx.lang) if following else None)}


def _apply(ctx: Context, change: Change, task: Task, columns: dict[str, Any]) -> Task | None:
    """Write the columns; the next task of a series when this completes one."""
    status = columns.get("status")
    rest = {name: value for name, value in columns.items() if not (name == "status" and value == "done")}
    if task.status == "done" and status in ("todo", "doing"):
        rest["completed_at"] = None
    if rest:
        change.update("tasks", task.id, {**rest, "updated_at": ctx.now.isoformat()})
    return complete(ctx, change, find(ctx.store, task.id)) if status == "done" else None


def complete(ctx: Context, change: Change, task: Task) -> Task | None:
    """Mark an open task and its parts as done; the next task when it is one of a series."""
    from taskbook.recurring import next_of_series

    now = ctx.now.isoformat()
    done = {"status": "done", "completed_at": now, "updated_at": now}
    below = parts_of(ctx, task)
    change.update("tasks", task.id, done)
    for part in below:
        if part.status != "done":
            change.update("tasks", part.id, done)
    return next_of_series(ctx, change, task, below) if task.rule else None


def complete_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task`; `unchanged` when it was done already, `next` for a series, `completed_parts` for what was below it."""
    task = find(ctx.store, values["task_id"])
    if task.status == "done":
        return {"message": ctx.say("tasks.done_already", id=task.id, title=task.title), "task": task.object(ctx.now, ctx.lang), "unchanged": True}
    with ctx.store.change(ctx.now, "complete_task") as change:
        below = [part.id for part in parts_of(ctx, task) if part.status != "done"]
        following = complete(ctx, change, task)
    said = ctx.say("tasks.completed", id=task.id, title=task.title) + (ctx.say("tasks.with_parts", ids=_ids(below)) if below else "")
    return {"message": said + _next(ctx, following), "task": find(ctx.store, task.id).object(ctx.now, ctx.lang),
            **_told(completed_parts=below, next=following.object(ctx.now, ctx.lang) if following else None)}


def complete_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`completed`, `already_done`, `not_found`: ids; `next` the tasks that follow. Not ok only when no task was found."""
    completed: list[int] = []
    already: list[int] = []
    missing: list[int] = []
    following: list[dict[str, Any]] = []
    with ctx.store.change(ctx.now, "complete_tasks") as change:
        for task_id in dict.fromkeys(values["task_ids"]):
            row = ctx.store.db.execute("SELECT * FROM tasks WHERE id = ?", (task_id,)).fetchone()
            if row is None:
                missing.append(task_id)
            elif row["status"] == "done" and task_id not in completed:
                already.append(task_id)
            else:
                completed.append(task_id)
                after = complete(ctx, change, Task.from_row(row))
                following += [after.object(ctx.now, ctx.lang)] if after else []
    said = [ctx.say(f"tasks.{key}", ids=_ids(ids)) for key, ids in (("completed_many", completed), ("already", already), ("missing", missing)) if ids]
    message = ctx.say("tasks.between").join(said)
    answer: dict[str, Any] = {"message": message, "completed": completed, "already_done": already, "not_found": missing, **_told(next=following)}
    return answer if completed or already else {**answer, "ok": False, "code": "not_found", "error": message}


def delete_task(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Without `confirm` nothing happens but the question; with it `deleted` is the task as it was."""
    task = find(ctx.store, values["task_id"])
    shown = task.object(ctx.now, ctx.lang)
    below = parts_of(ctx, task)
    parts = ctx.say("tasks.and_parts", count=len(below)) if below else ""
    if not values.get("confirm"):
        raise TodoError("confirm_required", "tasks.confirm", {"task": shown}, id=task.id, title=task.title, parts=parts)
    with ctx.store.change(ctx.now, "delete_task") as change:
        _delete(change, [*below, task])
    return {"message": ctx.say("tasks.deleted", id=task.id, title=task.title, parts=parts), "deleted": shown}


def delete_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """As delete_task for several; `not_found` names ids that are no task. Not ok when none of them is one."""
    ids = list(dict.fromkeys(values["task_ids"]))
    rows = [ctx.store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE id = ?", (task_id,)).fetchone() for task_id in ids]
    found = [Task.from_row(row) for row in rows if row is not None]
    missing = [task_id for task_id, row in zip(ids, rows, strict=True) if row is None]
    shown = [task.object(ctx.now, ctx.lang) for task in found]
    told = ctx.say("tasks.between") + ctx.say("tasks.missing", ids=_ids(missing)) if missing and found else ""
    if not found:
        raise TodoError("not_found", "tasks.missing", {"not_found": missing}, ids=_ids(missing))
    titles = ctx.say("tasks.list_between").join(ctx.say("tasks.named", id=task.id, title=task.title) for task in found)
    if not values.get("confirm"):
        raise TodoError("confirm_required", "tasks.confirm_many", {"tasks": shown, "not_found": missing}, titles=titles, told=told)
    with ctx.store.change(ctx.now, "delete_tasks") as change:
        below = {part.id: part for task in found for part in parts_of(ctx, task)}
        _delete(change, [*below.values(), *(task for task in found if task.id not in below)])
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


def _next(ctx: Context, following: Task | None) -> str:
    if following is None:
        return ""
    return ctx.say("tasks.next", id=following.id, due=due_display(following.due_date, ctx.now, ctx.lang))


def _lines(ctx: Context, tasks: Sequence[Task], indent: str = "") -> list[str]:
    return [indent + line(task, ctx.now, ctx.lang) for task in tasks]


def _ids(ids: Sequence[int]) -> str:
    return ", ".join(f"#{task_id}" for task_id in ids)


def _told(**values: Any) -> dict[str, Any]:
    """The values that say something."""
    return {name: value for name, value in values.items() if value}
