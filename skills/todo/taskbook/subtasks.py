"""Parts of a task, one level below it: a task with a parent has no parts of its own."""
from __future__ import annotations

from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.fields import checked_fields, insert_task, warning_of
from taskbook.task import Task, find


def add_subtask(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task`, the new part, and `parent` with its progress."""
    fields = checked_fields(ctx, values)
    with ctx.store.change(ctx.now, "add_subtask") as change:
        parent = _parent(ctx, values["parent_id"])
        task_id = insert_task(ctx, change, fields, parent_id=parent.id)
    task, parent = find(ctx.store, task_id), find(ctx.store, parent.id)
    answer = {"message": ctx.say("subtasks.added", id=task.id, title=task.title, parent=parent.id, parent_title=parent.title),
              "task": task.object(ctx.now, ctx.lang), "parent": parent.object(ctx.now, ctx.lang)}
    told = {"assumed": fields.assumed, "warning": warning_of(ctx, fields, task_id)}
    return {**answer, **{name: value for name, value in told.items() if value}}


def set_parent(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Makes a task a part of another; parent_id 0 makes it stand alone."""
    parent_id = values["parent_id"]
    with ctx.store.change(ctx.now, "set_parent") as change:
        task = find(ctx.store, values["task_id"])
        if parent_id == task.id:
            raise TodoError("invalid_argument", "subtasks.itself", id=task.id)
        if parent_id and task.parts:
            raise TodoError("invalid_argument", "subtasks.has_parts", id=task.id, title=task.title)
        parent = _parent(ctx, parent_id) if parent_id else None
        if (parent_id or None) == task.parent_id:
            return {"message": ctx.say("tasks.same", id=task.id, title=task.title), "task": task.object(ctx.now, ctx.lang), "unchanged": True}
        change.update("tasks", task.id, {"parent_id": parent_id or None, "updated_at": ctx.now.isoformat()})
    task = find(ctx.store, task.id)
    message = ctx.say("subtasks.moved", id=task.id, title=task.title, parent=parent.id, parent_title=parent.title) if parent \
        else ctx.say("subtasks.alone", id=task.id, title=task.title)
    return {"message": message, "task": task.object(ctx.now, ctx.lang)}


def _parent(ctx: Context, task_id: int) -> Task:
    parent = find(ctx.store, task_id)
    if parent.parent_id is not None:
        raise TodoError("invalid_argument", "subtasks.too_deep", id=parent.id, title=parent.title)
    if parent.status == "done":
        raise TodoError("invalid_argument", "subtasks.parent_done", id=parent.id, title=parent.title)
    return parent
