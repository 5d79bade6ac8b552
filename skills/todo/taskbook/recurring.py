"""Tasks that come again. The rule is kept apart from the date: `occurrence` is the date that the rule gave, `due_date` may be moved.

Completing one makes the next, one and no more, however late it is; postponing or skipping one leaves the rule as it is.
"""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from taskbook.contract import Context, TodoError
from taskbook.fields import checked_fields, insert_task
from taskbook.store import Change
from taskbook.task import WITH_PARTS, Task, due_display, find, line

if TYPE_CHECKING:
    from timephrase import Rule


def add_recurring(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`task`, whose deadline is the first date of the rule from now on."""
    rule = _rule(ctx, values["rule"])
    first = rule.first(ctx.now)
    fields = checked_fields(ctx, {**values, "due_date": first, "status": "todo"})
    with ctx.store.change(ctx.now, "add_recurring") as change:
        task_id = insert_task(ctx, change, fields, occurrence=first, **_kept(rule, values["rule"]))
        change.update("tasks", task_id, {"series": task_id})
    task = find(ctx.store, task_id)
    message = ctx.say("recurring.added", id=task.id, title=task.title, rule=rule.say(ctx.lang), due=due_display(first, ctx.now, ctx.lang))
    return {"message": message, "task": task.object(ctx.now, ctx.lang)}


def set_recurrence(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Gives an open task a rule; its deadline stays, or becomes the first date of the rule when it has none."""
    rule = _rule(ctx, values["rule"])
    first = rule.first(ctx.now)
    with ctx.store.change(ctx.now, "set_recurrence") as change:
        task = _open(ctx, values["task_id"])
        due = task.due_date if task.due_date and len(task.due_date) == len(first) else first  # a day alone would lose the rule's hour
        change.update("tasks", task.id, {**_kept(rule, values["rule"]), "series": task.series or task.id, "occurrence": due, "due_date": due,
                                         "updated_at": ctx.now.isoformat()})
    return _answer(ctx, task.id, "recurring.set", rule=rule.say(ctx.lang), due=due_display(due, ctx.now, ctx.lang))


def clear_recurrence(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """The task stays and comes no more. Asked of one that is done, the open one that followed it stops too."""
    with ctx.store.change(ctx.now, "clear_recurrence") as change:
        task = find(ctx.store, values["task_id"])
        if task.rule is None:
            raise TodoError("invalid_argument", "recurring.none_here", id=task.id, title=task.title)
        followers = ctx.store.db.execute("SELECT id FROM tasks WHERE series = ? AND closed = 0 AND rule IS NOT NULL AND id != ?",
                                         (task.series, task.id)).fetchall()
        for task_id in (task.id, *(row[0] for row in followers)):
            change.update("tasks", task_id, {"rule": None, "rule_text": None, "occurrence": None, "updated_at": ctx.now.isoformat()})
    return _answer(ctx, task.id, "recurring.cleared")


def skip_occurrence(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """The task moves to the next date of its rule; nothing counts as done."""
    with ctx.store.change(ctx.now, "skip_occurrence") as change:
        task = _open(ctx, values["task_id"])
        if task.rule is None:
            raise TodoError("invalid_argument", "recurring.none_here", id=task.id, title=task.title)
        due = _following(ctx, task)
        change.update("tasks", task.id, {"due_date": due, "occurrence": due, "updated_at": ctx.now.isoformat()})
    return _answer(ctx, task.id, "recurring.skipped", due=due_display(due, ctx.now, ctx.lang))


def list_recurring(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`tasks`: the open ones with a rule, by deadline."""
    rows = ctx.store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE closed = 0 AND rule IS NOT NULL ORDER BY deadline, id")
    tasks = [Task.from_row(row) for row in rows]
    message = ctx.say("recurring.listed" if tasks else "recurring.none", count=len(tasks))
    return {"message": message, "tasks": [task.object(ctx.now, ctx.lang) for task in tasks], "count": len(tasks),
            "text": "\n".join([message, *(line(task, ctx.now, ctx.lang) for task in tasks)])}


def next_of_series(ctx: Context, change: Change, task: Task, parts: Sequence[Task]) -> Task | None:
    """The task that follows one just completed; None when the series has an open one already (the completed one had been opened again)."""
    open_one = ctx.store.db.execute("SELECT 1 FROM tasks WHERE series = ? AND closed = 0 AND id != ?", (task.series, task.id)).fetchone()
    if open_one is not None:
        return None
    due, now = _following(ctx, task), ctx.now.isoformat()
    shared = {"notes": task.notes, "priority": task.priority, "status": "todo", "created_at": now, "updated_at": now}
    task_id = change.insert("tasks", {
        **shared, "title": task.title, "due_date": due, "occurrence": due, "tags": json.dumps(task.tags, ensure_ascii=False), "rule": task.rule,
        "estimated_minutes": task.estimated_minutes, "parent_id": task.parent_id, "rule_text": task.rule_text, "series": task.series})
    for part in parts:
        change.insert("tasks", {**shared, "title": part.title, "notes": part.notes, "priority": part.priority, "parent_id": task_id,
                                "tags": json.dumps(part.tags, ensure_ascii=False), "estimated_minutes": part.estimated_minutes})
    return find(ctx.store, task_id)


def _following(ctx: Context, task: Task) -> str:
    """The rule's first date after this occurrence that is not past: after a long absence one task comes, not one for each date missed."""
    from timephrase import Rule

    rule = Rule.from_dict(json.loads(task.rule or "{}"))
    due = rule.after(task.occurrence or task.due_date or ctx.now.date().isoformat())
    past = ctx.now.isoformat()
    while due <= past[:len(due)] and due != past[:10]:
        due = rule.after(due)
    return due


def _rule(ctx: Context, text: Any) -> Rule:
    from timephrase import Rule, parse_rule

    from taskbook.preferences import known

    if isinstance(text, Rule):
        return text
    rule = parse_rule(text, ctx.now, known(ctx.store).part_of_day)
    if not isinstance(rule, Rule):
        raise TodoError("invalid_argument", "recurring.refused", refusal=rule)
    return rule


def _kept(rule: Rule, text: Any) -> dict[str, str]:
    return {"rule": json.dumps(rule.to_dict(), ensure_ascii=False), "rule_text": text if isinstance(text, str) else rule.say("zh")}


def _open(ctx: Context, task_id: int) -> Task:
    task = find(ctx.store, task_id)
    if task.status == "done":
        raise TodoError("invalid_argument", "recurring.done", id=task.id, title=task.title)
    return task


def _answer(ctx: Context, task_id: int, key: str, **values: Any) -> dict[str, Any]:
    task = find(ctx.store, task_id)
    return {"message": ctx.say(key, id=task.id, title=task.title, **values), "task": task.object(ctx.now, ctx.lang)}
