"""Which task a person means: a number (#3, 3号), a place in the last list (第二个, the last one), 它 or "that one", a title or a part of it.

What was shown and touched last is kept in the table `focus`, apart for every session (AGENT_SESSION), and forgotten after twelve hours.
A title that fits several tasks is never guessed: the candidates become the last list, so that "第二个" answers the question.
"""
from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.numerals import CHINESE, ENGLISH, ORDINALS, whole_number
from taskbook.task import Task, find

REMEMBERED = timedelta(hours=12)
MAX_SHOWN = 100  # places of a list that can be pointed at
_CANDIDATES = 9
_QUIET = ("board", "changes", "reminders", "parse_time", "history", "task_stats", "list_preferences", "recall_preference")
_LISTS = ("tasks", "schedule", "reminders", "items", "nearest", "candidates")

_N = rf"\d{{1,9}}|[{CHINESE}]{{1,5}}|{'|'.join(ENGLISH)}"
_NUMBER = re.compile(rf"(?:#|no\.?|number|(?:任务|编号)\s*#?|task|task\s*(?:#|no\.?|number))\s*({_N})(?:号|号任务)?|(\d{{1,9}})|({_N})号(?:任务|的)?")
_PLACE = re.compile(rf"第({_N})(?:个|条|项|件|行)?(?:任务)?|(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)(?:\s+(?:one|task|item))?|"
                    rf"(?:the\s+)?({'|'.join(ORDINALS)})(?:\s+(?:one|task|item))?")
_LAST = re.compile(r"(?:最后|末尾)(?:一|那)?(?:个|条|项|件)?(?:任务)?|倒数第一个?|(?:the\s+)?last(?:\s+(?:one|task|item))?")
_IT = re.compile(r"[它他她]|[这那](?:个|条|项|件)?(?:任务|事)?|"
                 r"(?:刚才|刚刚|刚|之前|上面)(?:的|那|加的|记的|说的|添加的)?(?:一|那)?(?:个|条|项|件)?(?:任务|事)?|"
                 r"上(?:一)?(?:个|条|项|件)(?:任务)?|it|this|that|(?:this|that|the\s+same|the\s+previous|the\s+latest)\s+(?:one|task|item)|the\s+task")
_AROUND = re.compile(r"^(?:任务|待办|[这那][个条份件篇]|the\s+task\s+|task\s+|the\s+|my\s+)|"
                     r"(?:的?(?:这|那)(?:个|条|项|件)(?:任务|事)?|的?(?:任务|待办|事情)|\s+(?:task|todo|one))$")
_QUOTES = "\"'“”‘’「」『』《》`"


def remember(ctx: Context, name: str, payload: Mapping[str, Any]) -> None:
    """Keep what the answer to operation `name` showed: its list for 第二个, its one task for 它. Polling operations leave no trace."""
    if name in _QUIET:
        return
    one = payload.get("task")
    if isinstance(one, Mapping) and "id" in one:
        _keep(ctx, "task", [one])
        return
    listed = next((payload[key] for key in _LISTS if isinstance(payload.get(key), list) and payload[key]), None)
    rows = [row for row in listed or () if isinstance(row, Mapping) and ("id" in row or "task_id" in row)]
    if rows:
        keep_list(ctx, rows)
        if len(rows) == 1 or name in ("add_tasks", "quick_add", "import_tasks"):
            _keep(ctx, "task", rows)


def keep_list(ctx: Context, rows: Iterable[Mapping[str, Any]]) -> None:
    """Make these rows ({"id" or "task_id", "title"}) the last list shown."""
    _keep(ctx, "list", rows)


def resolve(ctx: Context, which: str, *, done: bool = False) -> Task:
    """The one task that `which` means. A task that is already done counts only where `done` is set; otherwise it is named.

    Raises TodoError: not_found (with what comes near), ambiguous (with numbered candidates), invalid_argument (the task is done).
    """
    text = _fold(which)
    if not text:
        raise TodoError("invalid_argument", "pointing.empty")
    if number := _NUMBER.fullmatch(text):
        value = whole_number(next(group for group in number.groups() if group))
        return _usable(ctx, find(ctx.store, value or 0), done)
    if (place := _PLACE.fullmatch(text)) or _LAST.fullmatch(text):
        return _usable(ctx, _at(ctx, place, which), done)
    if _IT.fullmatch(text):
        return _usable(ctx, _it(ctx), done)
    return _by_title(ctx, which, done)


def pending(ctx: Context, within: timedelta) -> list[dict[str, Any]]:
    """The tasks whose deletion was asked about `within` that time and waits for a yes: [{"id", "title"}]."""
    return _kept(ctx, "delete", within)


def keep_pending(ctx: Context, rows: Iterable[Mapping[str, Any]]) -> None:
    """Wait for a yes to the deletion of these tasks; none ends the waiting."""
    _keep(ctx, "delete", rows)


def _name(kind: str) -> str:
    return f"{os.environ.get('AGENT_SESSION', '')}/{kind}"


def _keep(ctx: Context, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
    kept = [{"id": row.get("id", row.get("task_id")), "title": str(row.get("title", ""))} for row in rows][:MAX_SHOWN]
    text, at = json.dumps(kept, ensure_ascii=False), ctx.now.isoformat()
    known = ctx.store.db.execute("SELECT value, at FROM focus WHERE name = ?", (_name(kind),)).fetchone()
    if known is None and not kept or known is not None and known["value"] == text and known["at"] == at:
        return
    with ctx.store.write() as db:
        db.execute("INSERT OR REPLACE INTO focus (name, value, at) VALUES (?, ?, ?)", (_name(kind), text, at))


def _kept(ctx: Context, kind: str, within: timedelta = REMEMBERED) -> list[dict[str, Any]]:
    row = ctx.store.db.execute("SELECT value, at FROM focus WHERE name = ?", (_name(kind),)).fetchone()
    if row is None or abs(ctx.now - datetime.fromisoformat(row["at"])) > within:
        return []
    kept: list[dict[str, Any]] = json.loads(row["value"])
    return kept


def _at(ctx: Context, place: re.Match[str] | None, which: str) -> Task:
    listed = _kept(ctx, "list")
    if not listed:
        raise TodoError("not_found", "pointing.no_list", which=which.strip())
    word = next(group for group in place.groups() if group) if place else ""
    index = (ORDINALS.get(word) or whole_number(word) or 0) if place else len(listed)
    if not 1 <= index <= len(listed):
        raise TodoError("not_found", "pointing.short_list", count=len(listed), which=which.strip())
    return still_there(ctx, listed[index - 1])


def _it(ctx: Context) -> Task:
    touched = _kept(ctx, "task")
    if not touched:
        listed = _kept(ctx, "list")
        if len(listed) > 1:
            raise _ambiguous(ctx, "pointing.which_one", listed)
        raise TodoError("not_found", "pointing.nothing")
    if len(touched) > 1:
        raise _ambiguous(ctx, "pointing.which_one", touched)
    return still_there(ctx, touched[0])


def still_there(ctx: Context, row: Mapping[str, Any]) -> Task:
    """The task of a remembered row; not_found with its title when it has been deleted since."""
    try:
        return find(ctx.store, row["id"])
    except TodoError as error:
        raise TodoError("not_found", "pointing.deleted", id=row["id"], title=row["title"]) from error


def _usable(ctx: Context, task: Task, done: bool) -> Task:
    if task.status == "done" and not done:
        raise TodoError("invalid_argument", "pointing.done", {"task": task.object(ctx.now, ctx.lang)}, id=task.id, title=task.title)
    return task


def _by_title(ctx: Context, which: str, done: bool) -> Task:
    """An exact title before a part of one, an open task before one that is done."""
    wanted = _fold(which)
    shorter = _AROUND.sub("", _AROUND.sub("", wanted)).strip(_QUOTES + " ") or wanted
    for piece, closed in ((_longest(shorter), 0), (_longest(shorter), 1), ("", 0), ("", 1)):  # "": ２ and 2, and blanks, differ for LIKE
        among = [(row, _fold(row["title"])) for row in _alike(ctx, closed, [piece])]
        for text, fits in ((text, fits) for text in dict.fromkeys((wanted, shorter)) for fits in (_same, _holds)):
            found = [row for row, title in among if fits(title, text)]
            if len(found) > 1:
                raise _ambiguous(ctx, "pointing.ambiguous", found, which=which.strip())
            if found:
                return _usable(ctx, find(ctx.store, found[0]["id"]), done)
    near = _near(ctx, shorter)
    if near:
        raise _ambiguous(ctx, "pointing.near", near, code="not_found", which=which.strip())
    raise TodoError("not_found", "pointing.none", which=which.strip())


def _alike(ctx: Context, closed: int, pieces: Sequence[str]) -> list[Any]:
    """The open or done tasks whose title holds one of the pieces as it stands; the database is quicker at this than we are."""
    escaped = [re.sub(r"([%_\\])", r"\\\1", piece) for piece in pieces]
    wanted = " OR ".join(["title LIKE ? ESCAPE '\\'"] * len(pieces))
    sql = f"SELECT id, title FROM tasks WHERE closed = {closed:d} AND ({wanted})"  # written out: the index of open titles then serves it alone
    return sorted(ctx.store.db.execute(sql, [f"%{piece}%" for piece in escaped]), key=lambda row: row["id"])


def _longest(text: str) -> str:
    return max(text.split(), key=len, default="")


def _same(title: str, text: str) -> bool:
    return title.replace(" ", "") == text.replace(" ", "")


def _holds(title: str, text: str) -> bool:
    """Whether a title holds the text: as it stands where it is Chinese, word by word where it is not."""
    if not text.isascii():
        return text.replace(" ", "") in title.replace(" ", "")
    words = set(re.findall(r"[\w'.-]+", title))
    wanted = re.findall(r"[\w'.-]+", text)
    return bool(wanted) and all(word in words for word in wanted)


def _near(ctx: Context, text: str) -> list[Any]:
    """At most three open tasks that share pairs of characters, or words, with the text."""
    pieces = sorted(_pieces(text))[:30]
    rows = _alike(ctx, 0, pieces) if pieces else []
    scored = sorted(((len({*pieces} & _pieces(_fold(row["title"]))), row["id"], row) for row in rows), key=lambda one: (-one[0], one[1]))
    return [row for count, _, row in scored[:3] if count]


def _pieces(text: str) -> set[str]:
    words = set(re.findall(r"[a-z0-9']{3,}", text))
    return words.union(*({run[index:index + 2] for index in range(len(run) - 1)} for run in re.findall(r"[\u3400-\u9fff]{2,}", text)))


def _ambiguous(ctx: Context, key: str, rows: Sequence[Any], *, code: str = "ambiguous", **values: Any) -> TodoError:
    """The error that shows the candidates with numbers; they become the last list."""
    shown = [{"id": row["id"], "title": row["title"]} for row in rows[:_CANDIDATES]]
    keep_list(ctx, shown)
    listed = "\n".join(f"{place}. #{row['id']} {row['title']}" for place, row in enumerate(shown, 1))
    return TodoError(code, key, {"candidates": shown, "total": len(rows)}, listed=listed, count=len(rows), **values)


def _fold(text: str) -> str:
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return plain.strip(_QUOTES + " ,，。.!！?？;；、:：")
