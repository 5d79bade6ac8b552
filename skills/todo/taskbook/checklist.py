"""export_checklist: what a day asks for, as a Markdown table or JSON, in the workspace's folder exports."""
from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

from taskbook.contract import Context
from taskbook.formats import files
from taskbook.markdown import cell, table
from taskbook.task import WITH_PARTS, Task, due_display


def export_checklist(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`path` (below the workspace), `count`, `total_minutes`. Tasks due that day, overdue open ones, and those done that day."""
    from taskbook.when import resolve_date

    day, fmt = resolve_date(ctx, values["date"]), values["fmt"]
    tasks = _tasks(ctx, day, values.get("status"))
    total = sum(task.estimated_minutes or 0 for task in tasks)
    shown = f"exports/{ctx.say('checklist.file')}_{day.isoformat()}.{fmt}"
    text = _markdown(ctx, day, tasks, total) if fmt == "md" else _json(ctx, day, tasks, total)
    files.write_text(files.inside(ctx.workspace, shown), ctx.workspace.resolve(), text, shown)
    return {"message": ctx.say("checklist.written", path=shown, count=len(tasks)), "path": shown, "count": len(tasks), "total_minutes": total}


def _tasks(ctx: Context, day: date, status: str | None) -> list[Task]:
    start, following = day.isoformat(), (day + timedelta(days=1)).isoformat()
    wanted = ("SELECT id FROM tasks WHERE deadline >= ? AND deadline < ? UNION ALL SELECT id FROM tasks WHERE closed = 0 AND deadline < ? "
              "UNION ALL SELECT id FROM tasks WHERE completed_at >= ? AND completed_at < ?")  # each by its index; one OR would read every task
    where, bounds = f"id IN ({wanted})", [start, following, min(ctx.now.isoformat(), following), start, following]
    if status:
        where, bounds = f"{where} AND status = ?", [*bounds, status]
    rows = ctx.store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE {where} ORDER BY closed, deadline IS NULL, deadline, rank, id", bounds)
    return [Task.from_row(row) for row in rows]


def say_minutes(ctx: Context, minutes: int) -> str:
    """1 小时 30 分钟."""
    hours, rest = divmod(minutes, 60)
    parts = [ctx.say("checklist.hours", count=hours)] if hours else []
    return " ".join([*parts, *([ctx.say("checklist.minutes", count=rest)] if rest or not hours else [])])


def _markdown(ctx: Context, day: date, tasks: list[Task], total: int) -> str:
    lines = [ctx.say("checklist.title", day=due_display(day.isoformat(), ctx.now, ctx.lang)), "",
             ctx.say("checklist.count", count=len(tasks)), ctx.say("checklist.time", time=say_minutes(ctx, total)), ""]
    if not tasks:
        return "\n".join([*lines, ctx.say("checklist.none"), ""])
    head = [ctx.say(f"checklist.head_{name}") for name in ("number", "status", "task", "priority", "due", "time", "tags")]
    rows = [[str(task.id), ctx.say(f"task.{task.status}"), cell(task.title), ctx.say(f"task.{task.priority}"),
             due_display(task.due_date, ctx.now, ctx.lang) or "–", say_minutes(ctx, task.estimated_minutes) if task.estimated_minutes else "–",
             cell(ctx.say("tasks.list_between").join(task.tags)) or "–"] for task in tasks]
    return "\n".join([*lines, *table(head, rows), ""])


def _json(ctx: Context, day: date, tasks: list[Task], total: int) -> str:
    content = {"date": day.isoformat(), "count": len(tasks), "total_minutes": total, "tasks": [task.object(ctx.now, ctx.lang) for task in tasks]}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
