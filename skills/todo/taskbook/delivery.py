"""Reminders as they come: `reminders` gives each one once, to whichever surface asks first; `snooze` puts one off."""
from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from taskbook import firing
from taskbook.contract import Context, TodoError
from taskbook.reminders import say_left
from taskbook.task import due_display, find, line

AT_ONCE = 100  # reminders of one answer; the others come with the next


def reminders(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`reminders`: tasks with `level`, `minutes_left` and `snoozed`, `count`, and `more`, how many the next call will give. In the quiet
    hours there are none, and `quiet_until` says how long."""
    habit, within = firing.habits(ctx.store), values["within_minutes"]
    quiet = habit.quiet_until(ctx.now)
    if quiet:
        message = ctx.say("reminders.quiet", until=due_display(quiet.isoformat(), ctx.now, ctx.lang))
        return {"message": message, "reminders": [], "count": 0, "more": 0, "quiet_until": quiet.isoformat()}
    given: list[firing.Reminder] = []
    waiting = 0
    if firing.come(ctx.store, ctx.now, within, habit):  # only then is the lock of the writers worth taking
        with ctx.store.write() as db:
            found = firing.come(ctx.store, ctx.now, within, habit)
            given, waiting = found[:AT_ONCE], max(0, len(found) - AT_ONCE)
            firing.mark(db, given, ctx.now, within, habit)
    key = "nothing" if not given else "given_one" if len(given) == 1 else "given"
    message = ctx.say(f"reminders.{key}", count=len(given))
    lines = [ctx.say("reminders.item", line=line(each.task, ctx.now, ctx.lang), left=say_state(each, ctx.now, ctx.lang)) for each in given]
    return {"message": message, "reminders": [_item(ctx, each) for each in given], "count": len(given), "more": waiting,
            "text": "\n".join([message, *lines])}


def _item(ctx: Context, each: firing.Reminder) -> dict[str, Any]:
    return {**each.task.object(ctx.now, ctx.lang), "level": each.level, "minutes_left": each.minutes_left(ctx.now), "snoozed": each.snoozed}


def say_state(each: firing.Reminder, now: datetime, lang: str) -> str:
    """How the reminder lies to its deadline: "45 minutes left", "due today", "2 hours late", "put off until now"."""
    from taskbook.words import say

    if each.level == "today":
        left = say("reminders.today", lang)
    elif each.task.due_date is None:
        return say("reminders.put_off_plain", lang)
    else:
        left = say_left(now, each.moment, lang)
    return say("reminders.put_off", lang, left=left) if each.snoozed else left


def snooze(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Nothing is heard of the task until then, and then once, with or without a deadline. A day without a time means its morning.
    Raises TodoError for a time that has passed and for a task that is done."""
    from taskbook.when import resolve_due

    task = find(ctx.store, values["task_id"])
    if task.status == "done":
        raise TodoError("invalid_argument", "reminders.snooze_done", id=task.id, title=task.title)
    due = resolve_due(ctx, values["until"])
    until, assumed = due.due, due.assumed
    if "T" not in until:
        clock = firing.habits(ctx.store).morning
        moment = datetime.combine(datetime.fromisoformat(until).date(), clock)
        assumed = assumed or ctx.say("reminders.snooze_morning", until=values["until"].strip(), clock=f"{clock:%H:%M}")
        until = moment.isoformat()
    if datetime.fromisoformat(until) < ctx.now + timedelta(seconds=1):
        raise TodoError("invalid_argument", "reminders.snooze_past", until=values["until"].strip())
    with ctx.store.write() as db:
        db.execute("INSERT OR REPLACE INTO snoozed (task_id, until, at) VALUES (?, ?, ?)", (task.id, until, ctx.now.isoformat()))
    message = ctx.say("reminders.snoozed", id=task.id, title=task.title, until=due_display(until, ctx.now, ctx.lang))
    return {"message": f"{message}（{assumed}）" if assumed and ctx.lang != "en" else f"{message} ({assumed})" if assumed else message,
            "task": task.object(ctx.now, ctx.lang), "until": until, **({"assumed": assumed} if assumed else {})}
