"""The spoken operations: each finds the task that is meant, changes it as the others do, and deletes nothing without a second word."""
from __future__ import annotations

import pytest

from .conftest import Call


@pytest.fixture
def two(call: Call) -> Call:
    """#1 交作业 (due tomorrow 15:00), #2 写周报."""
    call("add_task", title="交作业", due_date="2026-10-15T15:00:00")
    call("add_task", title="写周报", notes="给王总", tags=["工作"])
    return call


def test_show_prints_the_task_and_makes_it_it(two: Call) -> None:
    answer = two("show", which="作业")
    assert answer["task"]["id"] == 1 and "交作业" in answer["text"]
    assert two("show", which="它")["task"]["id"] == 1


def test_finish_start_and_reopen_change_the_status(two: Call) -> None:
    assert two("start", which="作业")["task"]["status"] == "doing"
    assert two("finish", which="它")["task"]["status"] == "done"
    assert two("finish", which="作业")["unchanged"] is True
    assert two("reopen", which="作业")["task"]["status"] == "todo"
    assert two("reopen", which="作业")["unchanged"] is True
    assert two("finish", which="作业")["ok"] and two("start", which="作业")["code"] == "invalid_argument"


def test_several_numbers_are_finished_in_one_change(two: Call) -> None:
    assert two("finish", which="1号和2号")["completed"] == [1, 2]
    assert two("undo")["ok"] and two("task_stats")["stats"]["done"] == 0


@pytest.mark.parametrize(("when", "due"), [
    ("后天", "2026-10-16"), ("周五下午5点", "2026-10-16T17:00:00"), ("两天", "2026-10-17T15:00:00"), ("一周", "2026-10-22T15:00:00"),
    ("2小时", "2026-10-15T17:00:00"), ("半小时", "2026-10-15T15:30:00"), ("30分钟", "2026-10-15T15:30:00"), ("two days", "2026-10-17T15:00:00"),
    ("by 2 days", "2026-10-17T15:00:00"), ("half an hour", "2026-10-15T15:30:00"), ("无", None), ("none", None), ("2026-12-01", "2026-12-01"),
])
def test_postpone_takes_a_time_a_length_or_none(two: Call, when: str, due: str | None) -> None:
    assert two("postpone", which="交作业", when=when)["task"]["due_date"] == due


def test_a_length_counts_from_now_where_there_is_no_deadline_and_keeps_a_day_a_day(two: Call) -> None:
    assert two("postpone", which="写周报", when="两天")["task"]["due_date"] == "2026-10-16"
    assert two("postpone", which="写周报", when="1天")["task"]["due_date"] == "2026-10-17"
    assert two("postpone", which="写周报", when="2小时")["task"]["due_date"] == "2026-10-18T01:59:00"


def test_a_refused_time_changes_nothing(two: Call) -> None:
    answer = two("postpone", which="交作业", when="改天")
    assert answer["code"] == "invalid_argument" and two("get_task", task_id=1)["task"]["due_date"] == "2026-10-15T15:00:00"


def test_a_recurring_task_is_skipped_changed_and_stopped_by_postpone(call: Call) -> None:
    call("add_recurring", title="写周报", rule="每周五下午5点")
    assert call("postpone", which="周报", when="下一次")["task"]["due_date"] == "2026-10-23T17:00:00"
    assert call("postpone", which="它", when="2026-10-24T09:00:00")["task"]["repeat"] == "每周五 17:00"
    assert call("postpone", which="它", when="每周四下午5点")["task"]["repeat"] == "每周四 17:00"
    assert "repeat" not in call("postpone", which="它", when="不再重复")["task"]
    assert call("postpone", which="它", when="next time", lang="en")["error"].startswith("#1 \"写周报\" does not come again")


def test_the_other_fields_are_changed_by_name(two: Call) -> None:
    assert two("reprioritize", which="作业", priority="高")["task"]["priority"] == "high"
    assert two("rename", which="作业", title="交数学作业")["task"]["title"] == "交数学作业"
    assert two("annotate", which="周报", notes="附上图表")["task"]["notes"] == "给王总\n附上图表"
    assert two("estimate", which="它", minutes=90)["task"]["estimated_minutes"] == 90
    assert two("tag", which="它", tags=["#月底", "工作"])["task"]["tags"] == ["工作", "月底"]


@pytest.mark.parametrize("name", ["start", "postpone", "reprioritize", "estimate"])
def test_a_done_task_is_named_instead_of_changed(two: Call, name: str) -> None:
    two("finish", which="作业")
    values = {"start": {}, "postpone": {"when": "后天"}, "reprioritize": {"priority": "low"}, "estimate": {"minutes": 5}}[name]
    answer = two(name, which="它", **values)
    assert answer["code"] == "invalid_argument" and "交作业" in answer["error"] and answer["task"]["status"] == "done"


def test_remove_asks_and_only_the_second_word_deletes(two: Call) -> None:
    asked = two("remove", which="周报")
    assert (asked["ok"], asked["code"], asked["task"]["id"]) == (False, "confirm_required", 2)
    assert asked["message"].startswith("确认删除 #2「写周报」吗？") and two("task_stats")["stats"]["total"] == 2
    assert two("confirm_delete")["ok"] and two("task_stats")["stats"]["total"] == 1
    assert two("confirm_delete")["code"] == "not_found"
    assert two("undo")["ok"] and two("get_task", task_id=2)["task"]["title"] == "写周报"


def test_a_question_can_be_taken_back_and_grows_old(two: Call) -> None:
    two("remove", which="周报")
    assert "写周报" in two("cancel_delete")["message"]
    assert two("cancel_delete")["kept"] == [] and two("confirm_delete")["code"] == "not_found"
    two("remove", which="周报")
    assert two("confirm_delete", now="2026-10-14T09:01:00")["code"] == "not_found"
    assert two("task_stats")["stats"]["total"] == 2


def test_the_last_question_counts_and_several_tasks_are_one_question(two: Call) -> None:
    two("add_task", title="买牛奶")
    two("remove", which="周报")
    asked = two("remove", which="1号和3号")
    assert [task["id"] for task in asked["tasks"]] == [1, 3] and "「交作业」、#3" in asked["message"]
    assert two("confirm_delete")["ok"]
    assert [task["id"] for task in two("list_tasks")["tasks"]] == [2]


def test_what_vanished_before_the_yes_is_named(two: Call) -> None:
    two("remove", which="周报")
    two("delete_task", task_id=2, confirm=True)
    assert "写周报" in two("confirm_delete")["error"]


def test_an_unclear_word_deletes_nothing_and_asks_nothing(two: Call) -> None:
    two("add_task", title="写月报")
    assert two("remove", which="写")["code"] == "ambiguous" and two("confirm_delete")["code"] == "not_found"
    assert two("remove", which="第二个")["task"]["title"] == "写月报"
    assert two("remove", which="没有这个任务")["code"] == "not_found"
