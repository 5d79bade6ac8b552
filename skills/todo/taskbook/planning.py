"""plan_day: the open tasks of the store, ranked, through the planner, and back as clock times and sentences. Nothing is written."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.plan import DAY, Job, Left, Plan, Window, align, plan
from taskbook.preferences import Known, known
from taskbook.ranking import best
from taskbook.score import score
from taskbook.task import Task, due_display

LISTED = 100  # of the tasks over the limit; the others are counted
_CANDIDATE = "NOT EXISTS (SELECT 1 FROM tasks part WHERE part.parent_id = tasks.id AND part.status != 'done')"  # else its parts are planned


@dataclass(frozen=True)
class Planned:
    """A day as planned: `tasks` by id; `beyond`, (id, title) of those over the limit of tasks, at most LISTED; `uncounted`: how many more."""

    day: date
    window: Window
    result: Plan
    tasks: dict[int, Task]
    beyond: list[tuple[int, str]]
    uncounted: int


def plan_day(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`schedule` by start and `unscheduled` with reasons; capacity_minutes, planned_minutes, utilization in %. Times are "HH:MM".

    Of a very long list the last are only counted, in `more_unscheduled`.
    """
    from taskbook.when import resolve_date

    day = resolve_date(ctx, values["date"])
    planned = planned_day(ctx, day, values)
    schedule = [_slot(ctx, planned, slot.job, slot.start) for slot in planned.result.slots]
    unscheduled = [_left(ctx, planned, left) for left in planned.result.left] + [_beyond(ctx, *one) for one in planned.beyond]
    aligned = clock(planned.window.start) if planned.window.aligned else None
    answer: dict[str, Any] = {
        "date": day.isoformat(), "schedule": schedule, "unscheduled": unscheduled, "capacity_minutes": planned.result.capacity,
        "planned_minutes": planned.result.planned, "utilization": planned.result.utilization}
    if aligned:
        answer["aligned_from"] = aligned
    if planned.uncounted:
        answer["more_unscheduled"] = planned.uncounted
    if planned.result.hopeless:
        answer["suggestion"] = ctx.say("plan.suggestion" if day == ctx.now.date() else "plan.suggestion_other")
    answer["message"] = _message(ctx, day, answer)
    answer["text"] = "\n".join([answer["message"], *text_of(ctx, schedule), *_unscheduled_text(ctx, unscheduled)])
    return answer


def planned_day(ctx: Context, day: date, values: dict[str, Any]) -> Planned:
    """The plan of a day for the parameters of plan_day. Raises TodoError for a past day or times in the wrong order."""
    if day < ctx.now.date():
        raise TodoError("invalid_argument", "plan.past", date=due_display(day.isoformat(), ctx.now, ctx.lang))
    habits = known(ctx.store)
    window = _window(ctx, day, values, habits)
    where = _CANDIDATE if values.get("include_backlog", True) else f"{_CANDIDATE} AND deadline < '{(day + timedelta(days=1)).isoformat()}'"
    limit = values.get("max_tasks", 20)
    rows = best(ctx.store.db, ctx.now, where, (), limit + LISTED)
    chosen = [Task.from_row(row) for row in rows[:limit]]
    beyond = [(row["id"], row["title"]) for row in rows[limit:]]
    counted = f"SELECT count(*) FROM tasks WHERE closed = 0 AND {where}"
    total = ctx.store.db.execute(counted).fetchone()[0] if len(beyond) == LISTED else len(rows)
    jobs = [Job(task.id, task.estimated_minutes or habits.default_estimate, _deadline(task, day)) for task in chosen]
    rest = values.get("break_minutes", habits.break_minutes)
    return Planned(day, window, plan(jobs, window, rest), {task.id: task for task in chosen}, beyond, total - len(rows))


def _window(ctx: Context, day: date, values: dict[str, Any], habits: Known) -> Window:
    start, end, noon, after = (_minutes(ctx, values.get(name) or usual, name) for name, usual in (
        ("start_time", habits.work_start), ("end_time", habits.work_end), ("lunch_start", habits.lunch_start), ("lunch_end", habits.lunch_end)))
    if end <= start:
        raise TodoError("invalid_argument", "plan.window", start=clock(start), end=clock(end))
    if after < noon:
        raise TodoError("invalid_argument", "plan.lunch", start=clock(noon), end=clock(after))
    window = Window(start, end, noon, after)
    return align(window, (ctx.now - datetime.combine(day, time())).total_seconds()) if day == ctx.now.date() else window


def _minutes(ctx: Context, text: str, name: str) -> int:
    """Minutes from midnight; 24:00 is the end of the day."""
    from taskbook.when import resolve_clock

    if text.strip() in ("24:00", "24：00", "24点") and name != "start_time":
        return DAY
    moment = resolve_clock(ctx, text, name)
    return 60 * moment.hour + moment.minute


def _deadline(task: Task, day: date) -> int | None:
    """Minutes from the midnight of the day; a date alone lasts until its end."""
    if task.due_date is None:
        return None
    if len(task.due_date) == 10:
        return (date.fromisoformat(task.due_date) - day).days * DAY + DAY
    return int((datetime.fromisoformat(task.due_date) - datetime.combine(day, time())).total_seconds() // 60)


def clock(minutes: int) -> str:
    """Minutes from midnight as "HH:MM"."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _slot(ctx: Context, planned: Planned, job: Job, start: int) -> dict[str, Any]:
    task = planned.tasks[job.task_id]
    scored = score(task, ctx.now, ctx.lang)
    return {"task_id": task.id, "title": task.title, "start": clock(start), "end": clock(start + job.minutes), "minutes": job.minutes,
            "estimated": task.estimated_minutes is not None, "score": scored.score, "reason": ctx.say("score.join").join(scored.reasons)}


def _left(ctx: Context, planned: Planned, left: Left) -> dict[str, Any]:
    task = planned.tasks[left.job.task_id]
    day = due_display(planned.day.isoformat(), ctx.now, ctx.lang)
    reason = ctx.say(f"plan.left_{left.code}", due=due_display(task.due_date, ctx.now, ctx.lang), minutes=left.job.minutes,
                     longest=left.longest, day=day)
    return {"task_id": task.id, "title": task.title, "reason": reason, "code": left.code}


def _beyond(ctx: Context, task_id: int, title: str) -> dict[str, Any]:
    return {"task_id": task_id, "title": title, "reason": ctx.say("plan.left_limit"), "code": "limit"}


def _message(ctx: Context, day: date, answer: dict[str, Any]) -> str:
    shown = due_display(day.isoformat(), ctx.now, ctx.lang)
    said = [ctx.say("plan.planned", day=shown, count=len(answer["schedule"]), minutes=answer["planned_minutes"],
                    capacity=answer["capacity_minutes"], utilization=answer["utilization"])]
    if "aligned_from" in answer:
        said.append(ctx.say("plan.aligned", start=answer["aligned_from"]))
    if answer["unscheduled"]:
        said.append(ctx.say("plan.unscheduled", count=len(answer["unscheduled"]) + answer.get("more_unscheduled", 0)))
    return ctx.say("plan.between").join([*said, *([answer["suggestion"]] if "suggestion" in answer else [])])


def text_of(ctx: Context, schedule: Sequence[dict[str, Any]]) -> list[str]:
    """The slots as lines for a person."""
    return [ctx.say("plan.slot" if slot["estimated"] else "plan.slot_guessed", **slot) for slot in schedule]


def _unscheduled_text(ctx: Context, unscheduled: Sequence[dict[str, Any]]) -> list[str]:
    lines = [ctx.say("plan.left_line", **left) for left in unscheduled[:20]]
    return [*lines, ctx.say("plan.left_more", count=len(unscheduled) - 20)] if len(unscheduled) > 20 else lines
