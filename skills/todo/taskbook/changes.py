"""What a board needs: one call for a day, one for what changed since a version."""
from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from taskbook.contract import Context
from taskbook.task import WITH_PARTS, Task, line
from taskbook.tasks import stats

SHOWN = 50  # tasks of one column
_READ = 20  # of them, in the text for a person


def board(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """A day in columns: `overdue`, `today` (due that day), `doing`, `done` (that day), `undated`; at most 50 tasks each, `counts` has all.

    `version` is the one to ask `changes` with.
    """
    from taskbook.when import resolve_date

    day = resolve_date(ctx, values["date"])
    columns: dict[str, list[dict[str, Any]]] = {}
    counts: dict[str, int] = {}
    lines: list[str] = []
    version = ctx.store.version
    for name, (where, bounds) in _columns(ctx, day).items():
        counts[name] = ctx.store.db.execute(f"SELECT count(*) FROM tasks WHERE {where}", bounds).fetchone()[0]
        query = f"SELECT {WITH_PARTS} FROM tasks WHERE {where} ORDER BY closed, deadline, rank, id LIMIT {SHOWN}"
        tasks = [Task.from_row(row) for row in ctx.store.db.execute(query, bounds)] if counts[name] else []
        columns[name] = [task.object(ctx.now, ctx.lang) for task in tasks]
        lines += [ctx.say("changes.column", name=ctx.say(f"changes.{name}"), count=counts[name])] if tasks else []
        lines += [line(task, ctx.now, ctx.lang) for task in tasks[:_READ]]
    message = ctx.say("changes.board", date=day.isoformat(), **counts)
    return {"message": message, "date": day.isoformat(), "version": version, "counts": counts, "stats": stats(ctx), **columns,
            "text": "\n".join([message, *lines])}


def _columns(ctx: Context, day: date) -> dict[str, tuple[str, tuple[str, ...]]]:
    start, following = day.isoformat(), (day + timedelta(days=1)).isoformat()
    late = ctx.now.isoformat() if day >= ctx.now.date() else start
    return {"overdue": ("closed = 0 AND deadline < ?", (late,)),
            "today": ("closed = 0 AND deadline >= ? AND deadline < ?", (late if day == ctx.now.date() else start, following)),
            "doing": ("status = 'doing'", ()), "done": ("completed_at >= ? AND completed_at < ?", (start, following)),
            "undated": ("closed = 0 AND deadline IS NULL", ())}


def changes(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`tasks` changed and ids `deleted` after version `since`; ask again with `version` while `more` is true. `reset` is true when the
    caller's version is not of this list, and everything follows."""
    since, limit, newest = values["since"], values["limit"], ctx.store.version
    reset = since > newest
    since = 0 if reset else since
    version = _until(ctx, since, limit, newest)
    more = version < newest
    query = f"SELECT {WITH_PARTS} FROM tasks WHERE changed > ? AND changed <= ? ORDER BY changed, id"
    tasks = [Task.from_row(row) for row in ctx.store.db.execute(query, (since, version))]
    gone = ctx.store.db.execute("SELECT task_id FROM tombstones WHERE changed > ? AND changed <= ? ORDER BY task_id", (since, version))
    deleted = [row[0] for row in gone]
    message = ctx.say("changes.changed", count=len(tasks), deleted=len(deleted), version=version)
    return {"message": message, "version": version, "more": more, "reset": reset, "deleted": deleted,
            "tasks": [task.object(ctx.now, ctx.lang) for task in tasks]}


def _until(ctx: Context, since: int, limit: int, newest: int) -> int:
    """The version up to which at most `limit` tasks changed. A version is never torn, for it is what is asked with next: the first
    one comes whole, however many it changed."""
    query = "SELECT changed FROM tasks WHERE changed > ? ORDER BY changed LIMIT 1 OFFSET ?"
    beyond = ctx.store.db.execute(query, (since, limit)).fetchone()
    if beyond is None:
        return newest
    first = ctx.store.db.execute(query, (since, 0)).fetchone()
    return int(beyond[0]) if first[0] == beyond[0] else int(beyond[0]) - 1
