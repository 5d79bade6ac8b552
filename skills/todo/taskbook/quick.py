"""quick_add: one sentence becomes one task, or one that comes again; "记三件事：…" becomes several, all or none.

Two kinds of sentences speak of a task that is there: "给搬家加个子任务：打包" adds a part to it, "10分钟后再提醒我" reminds of it again.
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.numerals import CHINESE, ENGLISH, whole_number
from taskbook.sentence import Sentence, read_sentence

_MANY = re.compile(r"(?:请|麻烦)?(?:帮我)?(?:记(?:录|一下|下)?|添加|增加|新建|加|安排)?(?:一下)?(?:下面|以下|这)?(?:的)?"
                   rf"(?P<zh>\d{{1,3}}|[{CHINESE}]{{1,3}}|几|些)?"
                   r"(?:(?:件|个|项|条)(?:事情?|任务|待办(?:事项)?)|(?:件|项)(?=[:：]))\s*[:：]\s*|"
                   r"(?:please\s+)?(?:add|note|create)\s+(?:these\s+|the\s+following\s+|my\s+)?"
                   rf"(?:(?P<en>\d{{1,3}}|{'|'.join(ENGLISH)})\s+)?(?:tasks|things|todos|to-dos)\s*:\s*",
                   re.IGNORECASE)
_PART = re.compile(r"给(?P<zh>.+?)(?:添加|新建|增加|加)[一个项]{0,2}(?:子任务|小任务|步骤)\s*[:：,，]?\s*(?P<title>.+)|"
                   r"add (?:a |the )?(?:subtask|step|part) to (?P<en>[^:]+):\s*(?P<said>.+)", re.IGNORECASE)
_AGAIN = re.compile(r"(?P<zh>.+?)(?:再|重新)(?:提醒|叫)我?(?:一次|一下)?(?P<which>.*)|"
                    r"(?:remind me again|snooze(?: (?:it|that))?)\s+(?P<en>.+)", re.IGNORECASE)
_JUST = timedelta(hours=2)  # a reminder this young is what "remind me again" speaks of
_STRONG = re.compile(r"\s*[、;；\n]\s*")
_WEAK = re.compile(r"\s*[,，]\s*(?:and\s+)?", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:和|以及|还有)\s*|\s+and\s+", re.IGNORECASE)
MAX_ITEMS = 100


def quick_add(ctx: Context, values: Mapping[str, Any]) -> dict[str, Any]:
    """Payload: `task` (or `tasks` and `count`), the message echoes what was understood, `assumed` what a convention decided."""
    text = values["text"].strip()
    if part := _PART.fullmatch(text):
        return _add_part(ctx, part["zh"] or part["en"], part["title"] or part["said"])
    if again := _AGAIN.fullmatch(text):
        return _again(ctx, again["zh"] or again["en"], again["which"] or "")
    many = _MANY.match(text)
    if many:
        return _add_many(ctx, _items(text[many.end():], many["zh"] or many["en"] or ""))
    return _add_one(ctx, _read(ctx, text))


def _add_part(ctx: Context, which: str, text: str) -> dict[str, Any]:
    from taskbook import pointing, subtasks

    said = _read(ctx, text)
    parent = pointing.resolve(ctx, which)
    return subtasks.add_subtask(ctx, {"parent_id": parent.id, **_fields(said), **({"due_date": said.due} if said.due else {})})


def _again(ctx: Context, when: str, which: str) -> dict[str, Any]:
    """Snooze the named task, else the one of the last reminder, else the one touched last."""
    from taskbook import delivery, pointing

    row = ctx.store.db.execute("SELECT task_id FROM reminded WHERE at > ? ORDER BY at DESC LIMIT 1", ((ctx.now - _JUST).isoformat(),)).fetchone()
    number = pointing.resolve(ctx, which).id if which.strip(" 。.") else row["task_id"] if row else pointing.resolve(ctx, "它").id
    until = re.sub(r"^(?:for|in)\s+", "in ", when.strip(" ,，"))
    return delivery.snooze(ctx, {"task_id": number, "until": f"in {until}" if re.match(r"\d+ ", until) else until})


def _read(ctx: Context, text: str) -> Sentence:
    from taskbook.preferences import known

    return read_sentence(text, ctx.now, ctx.lang, known(ctx.store).part_of_day)


def _items(text: str, counted: str) -> list[str]:
    """The sentences of a list. A final 和 divides the last one, unless the number of things that was named says otherwise."""
    text = text.strip(" 。.;；,，、")
    items = [part for part in (_STRONG if _STRONG.search(text) else _WEAK).split(text) if part.strip()]
    count = whole_number(counted) if counted else None
    if items and (count is None or len(items) < count):
        *_, last = items
        ends = [part for part in _JOINED.split(last) if part.strip()]
        if len(ends) > 1 and (count is None and len(ends) == 2 or count == len(items) - 1 + len(ends)):
            items[-1:] = ends
    items = [re.sub(r"^(?:和|以及|还有|and\s+|\d{1,2}\s*[.、)）]\s*)", "", item.strip()) for item in items]
    if not items:
        raise TodoError("invalid_argument", "quick.no_items")
    if count is not None and len(items) != count:
        raise TodoError("invalid_argument", "quick.count", said=count, found=len(items), items="; ".join(items)[:200])
    if len(items) > MAX_ITEMS:
        raise TodoError("invalid_argument", "quick.too_many", limit=MAX_ITEMS)
    return items


def _add_many(ctx: Context, items: list[str]) -> dict[str, Any]:
    read: list[Sentence] = []
    for place, item in enumerate(items, 1):
        try:
            read.append(_read(ctx, item))
        except TodoError as problem:
            raise TodoError(problem.code, "quick.item", place=place, problem=problem) from problem
    with ctx.store.change(ctx.now, "quick_add"):
        added = [_add_one(ctx, one) for one in read]
    tasks = [one["task"] for one in added]
    lines = "\n".join(one["message"] for one in added)
    ids = ", ".join(f"#{task['id']}" for task in tasks)
    return {"tasks": tasks, "count": len(tasks), "message": ctx.say("quick.many", count=len(tasks), ids=ids),
            "text": ctx.say("quick.many_text", count=len(tasks), lines=lines)}


def _add_one(ctx: Context, said: Sentence) -> dict[str, Any]:
    from taskbook import recurring, tasks

    fields = _fields(said)
    if said.rule is not None:
        payload = recurring.add_recurring(ctx, {**fields, "rule": said.rule})
    else:
        payload = tasks.add_task(ctx, {**fields, "status": "todo", **({"due_date": said.due} if said.due else {})})
    if said.assumed:
        payload["assumed"] = said.assumed
    payload["message"] = _echo(ctx, payload["task"], payload.get("assumed"))
    return payload


def _fields(said: Sentence) -> dict[str, Any]:
    return {"title": said.title, "priority": said.priority or "medium", **({"estimated_minutes": said.minutes} if said.minutes is not None else {}),
            **({"tags": list(said.tags)} if said.tags else {})}


def _echo(ctx: Context, task: Mapping[str, Any], assumed: str | None) -> str:
    """#12「交作业」, its deadline or repetition, priority, length and tags: all that was understood, so that the person can object."""
    said = [ctx.say("quick.added", id=task["id"], title=task["title"])]
    said += [ctx.say("quick.repeats", rule=task["repeat"])] if task.get("repeat") else []
    said.append(ctx.say("quick.due", due=task["due_display"]) if task.get("due_date") else ctx.say("quick.no_due"))
    said.append(ctx.say(f"quick.priority_{task['priority']}"))
    minutes = task.get("estimated_minutes")
    said += [ctx.say("quick.length", minutes=minutes)] if minutes else []
    said += [ctx.say("quick.tags", tags=ctx.say("quick.between").join(task["tags"]))] if task.get("tags") else []
    return "".join([*said, ctx.say("quick.assumed", assumed=assumed) if assumed else ""])
