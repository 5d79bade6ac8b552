"""The fields of a task as a caller gives them, checked and turned into columns: shared by everything that adds or changes tasks."""
from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.plain_text import is_visible, one_line, several_lines
from taskbook.store import Change
from taskbook.when import resolve_due


@dataclass(frozen=True)
class Fields:
    """Columns of `tasks`; `assumed` and `past` tell of the deadline among them."""

    columns: dict[str, Any]
    assumed: str | None = None
    past: bool = False


def checked_fields(ctx: Context, values: Mapping[str, Any]) -> Fields:
    """Title, notes, priority, status, due_date (a phrase), tags and estimated_minutes of `values` as columns; absent ones stay absent.

    Raises TodoError invalid_argument for an empty title or a deadline that cannot be read.
    """
    columns: dict[str, Any] = {name: values[name] for name in ("priority", "status", "estimated_minutes") if name in values}
    if "title" in values:
        columns["title"] = clean_title(values["title"])
    if "notes" in values:
        columns["notes"] = several_lines(values["notes"]).strip()
    if "tags" in values:
        columns["tags"] = json.dumps(clean_tags(values["tags"]), ensure_ascii=False)
    if not values.get("due_date"):
        return Fields(columns)
    due = resolve_due(ctx, values["due_date"])
    return Fields({**columns, "due_date": due.due}, due.assumed, due.past)


def insert_task(ctx: Context, change: Change, fields: Fields, **columns: Any) -> int:
    """Add the task; its id. `columns` are further columns (parent_id, rule …)."""
    now = ctx.now.isoformat()
    done = {"completed_at": now} if fields.columns.get("status") == "done" else {}
    return change.insert("tasks", {**fields.columns, **done, "created_at": now, "updated_at": now, **columns})


def clean_title(text: str) -> str:
    """One line without control characters. Raises TodoError when nothing that can be seen is left."""
    title = one_line(text)
    if not is_visible(title):
        raise TodoError("invalid_argument", "fields.title")
    return title


def clean_tags(tags: list[str]) -> list[str]:
    """Each tag once, without # and blanks around it; empty ones fall away."""
    return list(dict.fromkeys(tag for tag in (one_line(one).lstrip("#＃") for one in tags) if tag))


def warning_of(ctx: Context, fields: Fields, task_id: int) -> str | None:
    """What the person should know of a task just added: a deadline that has passed, an open task of the same name and deadline."""
    said = [ctx.say("fields.past")] if fields.past and fields.columns.get("status") != "done" else []
    twin = ctx.store.db.execute("SELECT id FROM tasks WHERE title = ? AND due_date IS ? AND closed = 0 AND id != ? ORDER BY id LIMIT 1",
                                (fields.columns["title"], fields.columns.get("due_date"), task_id)).fetchone()
    if twin is not None:
        said.append(ctx.say("fields.twin", id=twin[0]))
    return ctx.say("fields.between").join(said) or None
