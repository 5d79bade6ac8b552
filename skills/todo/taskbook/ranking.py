"""prioritize_tasks: which open task first, and why."""
from __future__ import annotations

import json
from typing import Any

from taskbook.contract import Context
from taskbook.score import best_sql, score
from taskbook.task import WITH_PARTS, Task, line


def prioritize_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`tasks`, best first: each a task with `score`, `reasons` that add up to it, and `rank` from 1; `total` counts all open ones."""
    tag = values.get("tag", "").strip().lstrip("#")
    where, bounds = ("instr(tags, ?)", (json.dumps(tag, ensure_ascii=False),)) if tag else ("1", ())
    total = ctx.store.db.execute(f"SELECT count(*) FROM tasks WHERE closed = 0 AND {where}", bounds).fetchone()[0]
    rows = ctx.store.db.execute(*best_sql(ctx.now, where, bounds, values["limit"], WITH_PARTS))
    found = [score(Task.from_row(row), ctx.now, ctx.lang) for row in rows]
    shown = [{**one.task.object(ctx.now, ctx.lang), "score": one.score, "reasons": one.reasons, "rank": rank} for rank, one in enumerate(found, 1)]
    if not found:
        return {"message": ctx.say("score.none_tag", tag=tag) if tag else ctx.say("score.none"), "tasks": [], "count": 0, "total": 0}
    join = ctx.say("score.join")
    lines = [ctx.say("score.line", rank=rank, task=line(one.task, ctx.now, ctx.lang), score=one.score, reasons=join.join(one.reasons))
             for rank, one in enumerate(found, 1)]
    more = [ctx.say("score.more", count=total - len(found))] if total > len(found) else []
    first = found[0]
    named = ctx.say("tasks.named", id=first.task.id, title=first.task.title)
    message = ctx.say("score.first", task=named, score=first.score, reasons=join.join(first.reasons))
    return {"message": message, "tasks": shown, "count": len(shown), "total": total, "text": "\n".join([*lines, *more])}
