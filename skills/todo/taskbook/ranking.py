"""prioritize_tasks: which open task first, and why; and the first few of a long list without reading all of it."""
from __future__ import annotations

import heapq
import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from taskbook.contract import Context
from taskbook.operations import PRIORITIES
from taskbook.score import LONG, LONG_MINUTES, Place, place, points, score
from taskbook.task import WITH_PARTS, Task, line


def prioritize_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`tasks`, best first: each a task with `score`, `reasons` that add up to it, and `rank` from 1; `total` counts all open ones."""
    tag = values.get("tag", "").strip().lstrip("#")
    where, bounds = ("instr(tags, ?)", (json.dumps(tag, ensure_ascii=False),)) if tag else ("1", ())
    total = ctx.store.db.execute(f"SELECT count(*) FROM tasks WHERE closed = 0 AND {where}", bounds).fetchone()[0]
    rows = best(ctx.store.db, ctx.now, where, bounds, values["limit"], WITH_PARTS)
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


def best(db: sqlite3.Connection, now: datetime, where: str, bounds: Sequence[object], limit: int, columns: str = "*") -> list[sqlite3.Row]:
    """The first `limit` open tasks by score, in the order of `score.ranked`, of those that the SQL condition `where` lets through.

    Of tasks of one priority and status an earlier deadline never scores less, but for LONG; an index gives each such class in that order,
    and no class is read further than the ranking needs.
    """
    query = (f"SELECT {columns} FROM tasks WHERE closed = 0 AND rank = ? AND status = ? AND {where} "
             "ORDER BY deadline IS NULL, deadline, ifnull(estimated_minutes, 1e9), id")
    cursors = [db.execute(query, (rank, status, *bounds)) for rank in range(len(PRIORITIES)) for status in ("todo", "doing")]
    try:
        merged = heapq.merge(*(_by_place(cursor, now) for cursor in cursors), key=lambda pair: pair[0])
        return [row for _, row in islice(merged, limit)]
    finally:
        for cursor in cursors:
            cursor.close()  # an unread rest would keep old pages of the file alive


class _Slim(NamedTuple):
    """What a score needs of a row."""

    id: int
    priority: str
    status: str
    estimated_minutes: int | None
    deadline: datetime | None


def _by_place(rows: Iterator[sqlite3.Row], now: datetime) -> Iterator[tuple[Place, sqlite3.Row]]:
    """The rows of one class in the order of the ranking: a long task waits until nothing that comes can be before it."""
    waiting: list[tuple[Place, sqlite3.Row]] = []
    for row in rows:
        deadline = row["deadline"]
        slim = _Slim(row["id"], row["priority"], row["status"], row["estimated_minutes"], datetime.fromisoformat(deadline) if deadline else None)
        scored = points(slim, now)
        is_long = (slim.estimated_minutes or 0) > LONG_MINUTES
        soonest = place(slim, scored - LONG if is_long else scored)  # no later row of the class comes before this
        while waiting and waiting[0][0] < soonest:
            yield heapq.heappop(waiting)
        if is_long:
            heapq.heappush(waiting, (place(slim, scored), row))
        else:
            yield soonest, row
    while waiting:
        yield heapq.heappop(waiting)
