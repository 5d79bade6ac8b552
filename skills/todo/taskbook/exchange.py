"""import_tasks and export_tasks: whole files of the workspace in todo.txt, Taskwarrior's JSON or iCalendar, all or nothing."""
from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskbook import foreign
from taskbook.contract import Context, TodoError
from taskbook.formats import files
from taskbook.formats.entry import MAX_TASKS, Entry, Left, fingerprints

if TYPE_CHECKING:
    from taskbook.store import Change
    from taskbook.task import Task

SHOWN = 3  # places named for each kind of thing that was left out


@dataclass
class _Taken:
    """What an import has done so far: identity -> task id, the ids that are new, how many were there before."""

    ids: dict[str, int]
    added: list[int] = field(default_factory=list)
    already: int = 0


def import_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Take over a file: `count` new tasks (`task_ids`), `already` that an earlier import or export knows, `left_out` sentences, `fmt`, `path`.
    Raises TodoError with the line of a bad entry; then nothing is taken over. One undo takes the whole import back."""
    path = files.inside(ctx.workspace, values["path"])
    shown = _shown(ctx, path)
    text = files.read_text(path, shown)
    fmt = values.get("fmt") or files.guess_format(text, path)
    reading = import_module(f"taskbook.formats.{fmt}").read(text)
    left = list(reading.left)
    with ctx.store.change(ctx.now, "import_tasks") as change:
        taken = _take_over(ctx, change, fmt, reading.entries, left)
    message = ctx.say("exchange.imported", count=len(taken.added), path=shown)
    if taken.already:
        message += ctx.say("exchange.joint") + ctx.say("exchange.already", count=taken.already)
    return {**_answer(ctx, message, left, "line"), "path": shown, "fmt": fmt, "count": len(taken.added), "already": taken.already,
            "task_ids": taken.added}


def _shown(ctx: Context, path: Path) -> str:
    return path.relative_to(ctx.workspace.resolve()).as_posix()


def _take_over(ctx: Context, change: Change, fmt: str, entries: Sequence[Entry], left: list[Left]) -> _Taken:
    """Wholes first, so that their parts can name them."""
    entries = [entry if entry.uid else replace(entry, uid=uid) for entry, uid in zip(entries, fingerprints(entries), strict=True)]
    before = foreign.known(ctx.store.db, fmt)
    by_uid: dict[str, Entry] = {}
    for entry in entries:
        if entry.uid in by_uid:
            left.append(Left(entry.line, "same_uid", entry.title))
        by_uid.setdefault(entry.uid, entry)
    wholes = {entry.uid: _whole(ctx, entry, by_uid, before, left) for entry in by_uid.values()}
    taken = _Taken(dict(before))
    for entry in sorted(by_uid.values(), key=lambda entry: bool(wholes[entry.uid])):
        if entry.uid in before:
            taken.already += 1
            continue
        row = _row(ctx, entry, taken.ids.get(wholes[entry.uid]), left)
        task_id = change.insert("tasks", row)
        if row["rule"]:
            change.update("tasks", task_id, {"series": task_id, "occurrence": row["due_date"]})
        taken.ids[entry.uid] = task_id
        taken.added.append(task_id)
    foreign.keep(ctx.store.db, fmt, [(uid, task_id) for uid, task_id in taken.ids.items() if before.get(uid) != task_id])
    return taken


def _whole(ctx: Context, entry: Entry, by_uid: dict[str, Entry], before: dict[str, int], left: list[Left]) -> str:
    """The identity of the task that this one is a part of; "" for none, also where it is missing or itself a part."""
    parent = entry.parent
    if not parent:
        return ""
    if parent in before:
        row = ctx.store.db.execute("SELECT parent_id FROM tasks WHERE id = ?", (before[parent],)).fetchone()
        kind = "parent_deep" if row["parent_id"] else ""
    elif parent in by_uid:
        kind = "parent_deep" if by_uid[parent].parent in by_uid or by_uid[parent].parent in before else ""
    else:
        kind = "parent_missing"
    if kind:
        left.append(Left(entry.line, kind, entry.title))
    return "" if kind else parent


def _row(ctx: Context, entry: Entry, parent_id: int | None, left: list[Left]) -> dict[str, Any]:
    """The columns of a task. Times that the file does not know are those of the import."""
    now = ctx.now.isoformat()
    created = entry.created or entry.completed or now
    due = entry.due
    rule = None
    if entry.rrule and due:
        from taskbook.formats.rules import rule_of

        rule = rule_of(entry.rrule, due)
        left += [] if rule else [Left(entry.line, "rule", entry.rrule)]
    return {"title": entry.title, "notes": entry.notes, "priority": entry.priority, "status": entry.status, "due_date": due,
            "tags": json.dumps(entry.tags, ensure_ascii=False),
            "estimated_minutes": entry.estimated_minutes, "created_at": created, "updated_at": entry.updated or created, "parent_id": parent_id,
            "completed_at": (entry.completed or entry.updated or now) if entry.status == "done" else None,
            "rule": json.dumps(rule.to_dict(), ensure_ascii=False) if rule else None, "rule_text": rule.say("zh") if rule else None}


def _answer(ctx: Context, message: str, left: Sequence[Left], place: str) -> dict[str, Any]:
    """The message, what was left out, and both as text."""
    sentences = _sentences(ctx, left, place)
    if left:
        message += ctx.say("exchange.joint") + ctx.say("exchange.left_count", count=len(left))
    return {"message": message, "left_out": sentences, "text": "\n".join([message, *(f"- {sentence}" for sentence in sentences)])}


def _sentences(ctx: Context, left: Sequence[Left], place: str) -> list[str]:
    """One sentence for each kind, with the first places where it stands."""
    kinds: dict[str, list[Left]] = defaultdict(list)
    for each in left:
        kinds[each.kind].append(each)
    sentences = []
    for kind, found in kinds.items():
        places = [ctx.say(f"exchange.in_{place}{'_detail' * bool(each.detail)}", line=each.line, detail=each.detail) for each in found[:SHOWN]]
        places += [ctx.say("exchange.more", count=len(found) - SHOWN)] if len(found) > SHOWN else []
        where = ctx.say("exchange.list_joint").join(places)
        sentences.append(ctx.say("exchange.left_line", what=ctx.say(f"exchange.left_{kind}"), where=where))
    return sentences


def export_tasks(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Write all tasks, or those of one status, to a file (default exports/tasks.txt, .json, .ics): `path` in the workspace, `count`, `fmt`,
    `left_out`. An existing file of that name is replaced. Raises TodoError for a path outside, or one with another ending."""
    fmt = values["fmt"]
    ending = files.ENDINGS[fmt]
    path = files.inside(ctx.workspace, values.get("path") or f"exports/tasks{ending}")
    shown = _shown(ctx, path)
    if path.suffix.lower() != ending:  # the to-do list itself, a program, a setting: nothing of another kind is ever replaced
        raise TodoError("invalid_argument", "exchange.wrong_ending", fmt=fmt, ending=ending, path=shown)
    tasks = _tasks(ctx, values.get("status"))
    uids, fresh = foreign.identities(foreign.known(ctx.store.db, fmt), [task.id for task in tasks]) if fmt != "todotxt" else ({}, [])
    module = import_module(f"taskbook.formats.{fmt}")
    written = module.write([_entry(task, uids) for task in tasks])
    lost = [Left(task.id, "parent", task.title) for task in tasks if task.parent_id and uids and task.parent_id not in uids]
    if fmt == "todotxt":  # it has no identities: its lines stand for the tasks
        fresh = list(zip(fingerprints(module.read(written.text).entries), [task.id for task in tasks], strict=True))
    _write(ctx, path, shown, fmt, written.text, fresh)
    message = ctx.say("exchange.exported", count=len(tasks), path=shown)
    return {**_answer(ctx, message, [*written.left, *lost], "task"), "path": shown, "fmt": fmt, "count": len(tasks)}


def _tasks(ctx: Context, status: str | None) -> list[Task]:
    from taskbook.task import Task

    where, bounds = ("WHERE status = ?", (status,)) if status else ("", ())
    rows = ctx.store.db.execute(f"SELECT * FROM tasks {where} ORDER BY id LIMIT ?", (*bounds, MAX_TASKS + 1)).fetchall()
    if len(rows) > MAX_TASKS:
        raise TodoError("invalid_argument", "exchange.many_to_export", limit=MAX_TASKS)
    return [Task.from_row(row) for row in rows]


def _entry(task: Task, uids: dict[int, str]) -> Entry:
    rule = ""
    if task.rule:
        from timephrase import Rule

        rule = Rule.from_dict(json.loads(task.rule) if isinstance(task.rule, str) else task.rule).rrule()
    parent = "" if task.parent_id is None else uids.get(task.parent_id, "") if uids else f"#{task.parent_id}"
    return Entry(
        line=task.id, title=task.title, priority=task.priority, status=task.status, due=task.due_date, tags=tuple(task.tags), notes=task.notes or "",
        estimated_minutes=task.estimated_minutes, created=task.created_at, updated=task.updated_at, completed=task.completed_at,
        uid=uids.get(task.id, ""), parent=parent, rrule=rule)


def _write(ctx: Context, path: Path, shown: str, fmt: str, text: str, fresh: list[tuple[str, int]]) -> None:
    """The file and the identities that it gave: both or none."""
    try:
        if not fresh:
            files.write_text(path, ctx.workspace, text, shown)
            return
        with ctx.store.write() as db:
            foreign.keep(db, fmt, fresh)
            files.write_text(path, ctx.workspace, text, shown)
    except (PermissionError, NotADirectoryError, FileExistsError, IsADirectoryError) as error:
        raise TodoError("invalid_argument", "exchange.cannot_write", path=shown, reason=error.strerror or error) from error
