"""Ranking and planning through the store: the specification's golden runs, preferences, and days at their edges."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from taskbook.call import run
from taskbook.score import ranked
from taskbook.store import Store
from taskbook.task import Task

GOLDEN = [
    {"title": "一", "priority": "high", "due_date": "2026-10-14T12:00:00", "estimated_minutes": 60},
    {"title": "二", "due_date": "2026-10-14", "estimated_minutes": 90},
    {"title": "三", "priority": "low", "estimated_minutes": 30},
    {"title": "四", "priority": "high", "due_date": "2026-10-16", "estimated_minutes": 150},
    {"title": "五", "due_date": "2026-10-13T18:00:00", "estimated_minutes": 30},
    {"title": "六", "priority": "low", "estimated_minutes": 240}]  # fmt: skip


def slots(answer: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(slot["start"], slot["end"], slot["task_id"]) for slot in answer["schedule"]]


def left(answer: dict[str, Any]) -> dict[int, str]:
    return {one["task_id"]: one["code"] for one in answer["unscheduled"]}


def test_golden_run_a(call: Any) -> None:
    call("add_tasks", tasks=GOLDEN)
    answer = call("plan_day")
    assert slots(answer) == [("09:00", "10:00", 1), ("10:10", "11:40", 2), ("13:30", "16:00", 4), ("16:10", "16:40", 3)]
    assert left(answer) == {5: "deadline", 6: "no_room"} and "suggestion" not in answer and "aligned_from" not in answer
    assert [one["reason"] for one in answer["unscheduled"]] == ["截止时间 昨天 18:00 之前已无可用时段", "今天剩余时段不足（需要 240 分钟）"]
    assert (answer["capacity_minutes"], answer["planned_minutes"], answer["utilization"]) == (450, 330, 73.3)
    ranked = call("prioritize_tasks")["tasks"]
    assert [(task["id"], task["score"], task["rank"]) for task in ranked] == [(1, 88, 1), (5, 70, 2), (2, 59, 3), (4, 59, 4), (3, 18, 5), (6, 15, 6)]
    assert ranked[0]["reasons"] == ["高优先级 +40", "12 小时内到期 +40", "高优且临期 +8"]


def test_golden_run_b(call: Any) -> None:
    now = "2026-10-14T17:11:00"
    call("add_tasks", now=now, tasks=[
        {"title": "交稿", "priority": "high", "status": "doing", "due_date": "2026-10-14T18:00:00", "estimated_minutes": 40},
        {"title": "整理", "estimated_minutes": 30}, {"title": "读书", "priority": "low", "estimated_minutes": 60}])  # fmt: skip
    answer = call("plan_day", now=now)
    assert slots(answer) == [("17:20", "18:00", 1)] and answer["aligned_from"] == "17:20" and "已按当前时间从 17:20 起排" in answer["message"]
    assert (answer["capacity_minutes"], answer["utilization"]) == (40, 100.0) and left(answer) == {2: "no_room", 3: "too_long"}
    assert call("prioritize_tasks", now=now)["tasks"][0]["score"] == 94
    late = call("plan_day", now="2026-10-14T18:05:00")
    assert (late["capacity_minutes"], late["utilization"], late["suggestion"]) == (0, 0.0, "建议改排明天")
    assert late["schedule"] == [] and len(late["unscheduled"]) == 3


def test_golden_run_c(call: Any) -> None:
    call("add_task", title="写报告", estimated_minutes=60)
    answer = call("plan_day", now="2026-10-14T12:20:01")
    assert slots(answer) == [("13:30", "14:30", 1)] and (answer["capacity_minutes"], answer["utilization"]) == (270, 22.2)


def test_preferences_replace_the_usual_hours_and_parameters_replace_preferences(call: Any) -> None:
    for key, value in (
        ("work_start", "10点"),
        ("work_end", "16:00"),
        ("lunch_start", "12:30"),
        ("lunch_end", "13:00"),
        ("break_minutes", "0"),
        ("default_estimate", "45"),
    ):
        assert call("remember_preference", key=key, value=value)["ok"]
    call("add_tasks", tasks=[{"title": "a"}, {"title": "b", "estimated_minutes": 60}])
    answer = call("plan_day")
    assert slots(answer) == [("10:00", "11:00", 2), ("11:00", "11:45", 1)] or slots(answer) == [("10:00", "10:45", 1), ("10:45", "11:45", 2)]
    assert answer["capacity_minutes"] == 330 and {slot["task_id"]: slot["estimated"] for slot in answer["schedule"]} == {1: False, 2: True}
    other = call("plan_day", start_time="下午2点", end_time="24:00", lunch_start="14:00", lunch_end="14:00", break_minutes=20)
    assert other["schedule"][0]["start"] == "14:00" and other["capacity_minutes"] == 600


@pytest.mark.parametrize(
    "values",
    [
        {"date": "昨天"},
        {"start_time": "18:00", "end_time": "09:00"},
        {"start_time": "09:00", "end_time": "09:00"},
        {"start_time": "soon"},
        {"lunch_start": "13:00", "lunch_end": "12:00"},
        {"date": "2月30日"},
        {"max_tasks": 0},
        {"break_minutes": -1},
    ],
)
def test_a_day_that_makes_no_sense_is_refused(call: Any, values: dict[str, Any]) -> None:
    answer = call("plan_day", **values)
    assert answer["code"] == "invalid_argument" and answer["error"]


def test_another_day_is_planned_from_its_morning(call: Any) -> None:
    call("add_tasks", tasks=GOLDEN)
    answer = call("plan_day", date="明天", now="2026-10-14T17:11:00")
    assert answer["date"] == "2026-10-15" and answer["schedule"][0]["start"] == "09:00" and "aligned_from" not in answer
    assert left(answer)[1] == "deadline" and left(answer)[2] == "deadline"


def test_without_the_backlog_only_what_is_due_by_then_is_planned(call: Any) -> None:
    call("add_tasks", tasks=GOLDEN)
    answer = call("plan_day", include_backlog=False)
    assert {slot[2] for slot in slots(answer)} | set(left(answer)) == {1, 2, 5}


def test_what_is_over_the_limit_is_listed(call: Any) -> None:
    call("add_tasks", tasks=GOLDEN)
    answer = call("plan_day", max_tasks=2)
    assert left(answer) == {5: "deadline", 2: "limit", 4: "limit", 3: "limit", 6: "limit"} and answer["unscheduled"][1]["reason"] == "超出数量上限"


@pytest.mark.parametrize(("now", "values", "expected", "capacity", "aligned"), [
    ("2026-10-14T17:20:00", {}, ("17:20", "17:50"), 40, "17:20"),  # on a mark it stays
    ("2026-10-14T17:20:01", {}, ("17:30", "18:00"), 30, "17:30"),
    ("2026-10-14T09:00:00", {}, ("09:00", "09:30"), 450, None),
    ("2026-10-14T08:30:00", {"start_time": "00:00", "end_time": "24:00", "lunch_start": "12:00", "lunch_end": "12:00"},
     ("08:30", "09:00"), 930, "08:30"),
    ("2026-10-14T23:21:00", {"end_time": "24:00"}, ("23:30", "24:00"), 30, "23:30"),  # a date alone lasts until midnight
    ("2026-10-14T08:30:00", {"lunch_start": "19:00", "lunch_end": "20:00"}, ("09:00", "09:30"), 540, None),
    ("2026-10-14T08:30:00", {"lunch_start": "24:00", "lunch_end": "24:00"}, ("09:00", "09:30"), 540, None),
    ("2026-10-14T08:30:00", {"lunch_start": "08:00", "lunch_end": "19:00"}, None, 0, None),
    ("2026-10-14T23:55:00", {}, None, 0, "24:00")])  # fmt: skip
def test_days_at_their_edges(
    call: Any, now: str, values: dict[str, Any], expected: tuple[str, str] | None, capacity: int, aligned: str | None
) -> None:
    call("add_task", title="a", due_date="2026-10-14", estimated_minutes=30)
    answer = call("plan_day", now=now, **values)
    assert [(start, end) for start, end, _ in slots(answer)] == ([expected] if expected else [])
    assert (answer["capacity_minutes"], answer.get("aligned_from"), "suggestion" in answer) == (capacity, aligned, expected is None)


def test_what_was_due_yesterday_by_date_alone_has_no_time_left_today(call: Any) -> None:
    call("add_task", title="a", due_date="2026-10-13")
    answer = call("plan_day")
    assert [one["reason"] for one in answer["unscheduled"]] == ["截止时间 昨天 之前已无可用时段"] and answer["suggestion"] == "建议改排明天"
    assert call("plan_day", lang="en")["unscheduled"][0]["reason"] == "no free time is left before its deadline, yesterday"


def test_the_first_of_a_long_list_are_found_without_its_rest(call: Any) -> None:
    call("add_tasks", tasks=[{"title": f"长{n}", "priority": "high", "estimated_minutes": 200} for n in range(300)])
    call("add_tasks", tasks=[{"title": f"短{n}", "priority": "high", "estimated_minutes": 20} for n in range(3)])
    assert [task["title"] for task in call("prioritize_tasks", limit=4)["tasks"]] == ["短0", "短1", "短2", "长0"]
    answer = call("plan_day", max_tasks=2)
    assert len(answer["unscheduled"]) == 100 and answer["more_unscheduled"] == 201 and {one["code"] for one in answer["unscheduled"]} == {"limit"}


def test_parts_are_planned_in_place_of_their_parent_and_nothing_is_written(call: Any) -> None:
    call("add_task", title="搬家", estimated_minutes=60)
    call("add_subtask", parent_id=1, title="打包", estimated_minutes=30)
    before = call("list_tasks")["tasks"]
    assert [slot[2] for slot in slots(call("plan_day"))] == [2]
    assert call("plan_day") == call("plan_day") and call("list_tasks")["tasks"] == before
    call("complete_task", task_id=2)
    assert [slot[2] for slot in slots(call("plan_day"))] == [1]


def test_the_ranking_can_be_narrowed_and_says_when_there_is_nothing(call: Any) -> None:
    assert call("prioritize_tasks")["message"] == "没有未完成的任务"
    call("add_tasks", tasks=[{"title": "a", "tags": ["x"]}, {"title": "b", "tags": ["xy"]}, {"title": "c", "status": "done", "tags": ["x"]}])
    assert [task["id"] for task in call("prioritize_tasks", tag="x")["tasks"]] == [1]
    assert call("prioritize_tasks", tag="none")["total"] == 0 and "none" in call("prioritize_tasks", tag="none", lang="en")["message"]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"title": st.just("x"), "priority": st.sampled_from(["high", "medium", "low"]), "status": st.sampled_from(["todo", "doing", "done"])},
            optional={
                "due_date": st.sampled_from(["2026-10-12", "2026-10-14", "2026-10-14T09:00:00", "2026-10-14T20:30:00", "2026-10-16", "2026-11-30"]),
                "estimated_minutes": st.sampled_from([30, 120, 121, 500]),
            },
        ),
        min_size=1,
        max_size=25,
    ),
    st.integers(1, 30),
)
@settings(max_examples=60, deadline=None)
def test_the_query_ranks_as_the_score_does(tasks: list[dict[str, Any]], limit: int) -> None:
    store = Store(":memory:")
    try:
        context: dict[str, Any] = {"now": datetime(2026, 10, 14, 8, 30), "lang": "zh", "workspace": Path()}
        assert run(store, "add_tasks", {"tasks": tasks}, **context)["ok"]
        everything = [Task.from_row(row) for row in store.db.execute("SELECT * FROM tasks")]
        expected = [(one.task.id, one.score) for one in ranked(everything, context["now"], "zh")]
        answer = run(store, "prioritize_tasks", {"limit": limit}, **context)
        assert [(task["id"], task["score"]) for task in answer["tasks"]] == expected[:limit] and answer["total"] == len(expected)
        planned = run(store, "plan_day", {"max_tasks": limit}, **context)
        everywhere = {one["task_id"] for one in [*planned["schedule"], *planned["unscheduled"]]}
        assert everywhere == {task_id for task_id, _ in expected} and 0 <= planned["utilization"] <= 100
    finally:
        store.close()
