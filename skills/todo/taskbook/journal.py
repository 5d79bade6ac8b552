"""Taking changes back. One step is what one operation did, a batch included; the last step is undone first, whoever made it."""
from __future__ import annotations

import json
import sqlite3
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.task import Task, find

_TITLES = 3


def undo(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`undone`: the step taken back; `tasks`: the tasks that it concerned, as they are now. Raises TodoError when there is nothing left."""
    return _turn(ctx, "SELECT * FROM journal WHERE undone = 0 ORDER BY step DESC LIMIT 1", back=True)


def redo(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`redone`: the step done again. A new change ends the possibility."""
    return _turn(ctx, "SELECT * FROM journal WHERE undone = 1 ORDER BY step LIMIT 1", back=False)


def history(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`steps`, the latest first: {"step", "at", "operation", "what", "undone"}."""
    steps = ctx.store.db.execute("SELECT * FROM journal ORDER BY step DESC LIMIT ?", (values["limit"],)).fetchall()
    listed = [{"step": step["step"], "at": step["at"], "operation": step["operation"], "what": _what(ctx, step, _rows(ctx, step)),
               "undone": bool(step["undone"])} for step in steps]
    lines = [ctx.say(f"journal.{'undone_line' if one['undone'] else 'line'}", at=one["at"].replace("T", " ")[:16], what=one["what"])
             for one in listed]
    message = ctx.say("journal.listed" if listed else "journal.empty", count=len(listed))
    return {"message": message, "steps": listed, "count": len(listed), "text": "\n".join([message, *lines])}


def _turn(ctx: Context, query: str, *, back: bool) -> dict[str, Any]:
    name = "undo" if back else "redo"
    with ctx.store.revision() as change:
        step = ctx.store.db.execute(query).fetchone()
        if step is None:
            raise TodoError("not_found", f"journal.no_{name}")
        rows = _rows(ctx, step)
        for row in reversed(rows) if back else rows:
            change.restore(row["name"], row["key"], row["before" if back else "after"])
        ctx.store.db.execute("UPDATE journal SET undone = ? WHERE step = ?", (int(back), step["step"]))
    ids = dict.fromkeys(int(row["key"]) for row in rows if row["name"] == "tasks")
    there = [task_id for task_id in ids if ctx.store.db.execute("SELECT 1 FROM tasks WHERE id = ?", (task_id,)).fetchone()]
    what = _what(ctx, step, rows)
    told = {"step": step["step"], "operation": step["operation"], "at": step["at"], "what": what}
    tasks: list[Task] = [find(ctx.store, task_id) for task_id in there]
    return {"message": ctx.say(f"journal.{name}", what=what), "undone" if back else "redone": told,
            "tasks": [task.object(ctx.now, ctx.lang) for task in tasks]}


def _rows(ctx: Context, step: sqlite3.Row) -> list[sqlite3.Row]:
    return ctx.store.db.execute("SELECT * FROM journal_rows WHERE step = ? ORDER BY place", (step["step"],)).fetchall()


def _what(ctx: Context, step: sqlite3.Row, rows: list[sqlite3.Row]) -> str:
    """What a step did: the operation and the titles, or the keys, that it concerned."""
    names: dict[str, str] = {}
    for row in rows:
        image = json.loads(row["after"] or row["before"])
        named = ctx.say("tasks.named", id=row["key"], title=image["title"]) if row["name"] == "tasks" else row["key"]
        names.setdefault(f"{row['name']}/{row['key']}", named)
    shown = ctx.say("tasks.list_between").join(list(names.values())[:_TITLES])
    more = ctx.say("journal.more", count=len(names) - _TITLES) if len(names) > _TITLES else ""
    return ctx.say("journal.what", operation=ctx.say(f"journal.op_{step['operation']}"), names=shown, more=more)
