"""generate_daily_brief: the day in a few lines of Markdown. The weather may fail; the brief does not."""
from __future__ import annotations

import os
from datetime import date
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.preferences import known
from taskbook.task import WITH_PARTS, Task, due_display, line

SHOWN = 20  # tasks of one section
_PATIENCE = 6.0  # seconds for the weather


def generate_daily_brief(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`text`, and its parts: `weather` (null without), `city_source` (argument, preference, configured, none), `counts`, `overdue`, `today`,
    `top`, `plan` (null for a past day; only `error` when there can be none)."""
    from taskbook.ranking import prioritize_tasks
    from taskbook.tasks import stats
    from taskbook.when import resolve_date

    day = resolve_date(ctx, values["date"])
    weather_line, weather, source = _weather(ctx, day, values.get("city", ""))
    overdue, today = _section(ctx, day, "overdue"), _section(ctx, day, "today")
    top, plan, counts = prioritize_tasks(ctx, {"limit": 3}), _plan(ctx, day), stats(ctx)
    shown = due_display(day.isoformat(), ctx.now, ctx.lang)
    lines = [ctx.say("brief.title", day=shown, date=day.isoformat()), "", weather_line, ctx.say("brief.counts", **counts)]
    for name, tasks in (("overdue", overdue), ("today", today)):
        lines += ["", ctx.say(f"brief.{name}", day=shown), *([f"- {line(task, ctx.now, ctx.lang)}" for task in tasks] or [ctx.say("brief.nothing")])]
    lines += ["", ctx.say("brief.top"), *([f"{one['rank']}. {_ranked(ctx, one)}" for one in top["tasks"]] or [ctx.say("brief.nothing")])]
    lines += _plan_lines(ctx, plan)
    return {"message": ctx.say("brief.message", day=shown, **counts), "date": day.isoformat(), "weather": weather, "city_source": source,
            "counts": counts, "overdue": [task.object(ctx.now, ctx.lang) for task in overdue],
            "today": [task.object(ctx.now, ctx.lang) for task in today], "top": top["tasks"], "plan": plan, "text": "\n".join(lines)}


def _ranked(ctx: Context, one: dict[str, Any]) -> str:
    named = ctx.say("tasks.named", id=one["id"], title=one["title"])
    return ctx.say("brief.ranked", task=named, score=one["score"], reasons=ctx.say("score.join").join(one["reasons"]))


def _section(ctx: Context, day: date, name: str) -> list[Task]:
    """Open tasks that are overdue now, or due on the day and not overdue yet."""
    start, now = day.isoformat(), ctx.now.isoformat()
    where, bounds = ("deadline < ?", (now,)) if name == "overdue" else ("deadline >= ? AND deadline <= ?", (max(start, now), f"{start}T23:59:59"))
    rows = ctx.store.db.execute(f"SELECT {WITH_PARTS} FROM tasks WHERE closed = 0 AND {where} ORDER BY deadline, rank, id LIMIT {SHOWN}", bounds)
    return [Task.from_row(row) for row in rows]


def _plan(ctx: Context, day: date) -> dict[str, Any] | None:
    """The first three slots and how full the day is; only `error` where the working hours that are remembered make no day."""
    from taskbook.planning import plan_day

    if day < ctx.now.date():
        return None
    try:
        whole = plan_day(ctx, {"date": day.isoformat(), "include_backlog": True, "max_tasks": 20})
    except TodoError as problem:
        return {"error": problem.say(ctx.lang)}
    return {"schedule": whole["schedule"][:3], "utilization": whole["utilization"], "capacity_minutes": whole["capacity_minutes"],
            "unscheduled": len(whole["unscheduled"]) + whole.get("more_unscheduled", 0),
            **({"suggestion": whole["suggestion"]} if "suggestion" in whole else {})}


def _plan_lines(ctx: Context, plan: dict[str, Any] | None) -> list[str]:
    from taskbook.planning import text_of

    if plan is None:
        return []
    if "error" in plan:
        return ["", ctx.say("brief.plan_failed"), f"- {plan['error']}"]
    slots = [f"- {slot}" for slot in text_of(ctx, plan["schedule"])] or [ctx.say("brief.nothing")]
    return ["", ctx.say("brief.plan", utilization=plan["utilization"]), *slots, *([f"- {plan['suggestion']}"] if "suggestion" in plan else [])]


def _weather(ctx: Context, day: date, city: str) -> tuple[str, dict[str, Any] | None, str]:
    """The line, the day's weather, and where the city is from."""
    from taskbook.weather import say_day
    from taskbook.weather_client import Patience
    from taskbook.weather_forecast import forecast

    chosen = next(((name, source) for name, source in ((city.strip(), "argument"), (known(ctx.store).default_city or "", "preference"),
                                                      (os.environ.get("TODO_CITY", "").strip(), "configured")) if name), None)
    if chosen is None:
        return ctx.say("brief.no_city"), None, "none"
    name, source = chosen
    try:
        found = forecast(ctx, name, day, 1, Patience(_PATIENCE))
    except TodoError:
        return ctx.say("brief.no_weather"), None, source
    one = found.days[0]
    weather = {"city": found.place.name, "date": one.date, "weather_code": one.weather_code, "temperature_max": one.temperature_max,
               "temperature_min": one.temperature_min, "precipitation_probability": one.precipitation_probability, "wind_speed": one.wind_speed,
               "stale": found.stale}
    return say_day(ctx, found, one), weather, source
