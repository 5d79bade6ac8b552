"""Tasks that come again: the rule is kept apart from the date, and one task follows one."""

from __future__ import annotations

from typing import Any

import pytest

FRIDAY = "2026-10-16T17:00:00"


@pytest.fixture
def report(call: Any) -> int:
    """写周报, every Friday at 17:00, added on Wednesday, 14 October 2026."""
    answer = call("add_recurring", title="写周报", rule="每周五下午5点", priority="高", tags=["工作"], estimated_minutes=40)
    assert answer["task"]["due_date"] == FRIDAY and answer["task"]["repeat"] == "每周五 17:00"
    assert answer["message"] == "已创建重复任务 #1「写周报」：每周五 17:00，第一次 后天 17:00"
    number: int = answer["task"]["id"]
    return number


def open_dates(call: Any, now: str = FRIDAY) -> list[str]:
    return [task["due_date"] for task in call("list_recurring", now=now)["tasks"]]


def test_completing_one_makes_the_next_with_everything_that_belongs_to_it(call: Any, report: int) -> None:
    done = call("complete_task", task_id=report, now="2026-10-16T16:00:00")
    assert done["next"]["due_date"] == "2026-10-23T17:00:00"
    assert {name: done["next"][name] for name in ("title", "priority", "tags", "estimated_minutes", "status", "repeat")} == {
        "title": "写周报",
        "priority": "high",
        "tags": ["工作"],
        "estimated_minutes": 40,
        "status": "todo",
        "repeat": "每周五 17:00",
    }
    assert open_dates(call) == ["2026-10-23T17:00:00"]


def test_after_a_long_absence_one_follows_and_not_one_for_each_week(call: Any, report: int) -> None:
    done = call("complete_task", task_id=report, now="2026-12-01T09:00:00")
    assert done["next"]["due_date"] == "2026-12-04T17:00:00" and call("task_stats")["stats"]["total"] == 2


def test_opening_again_and_completing_again_makes_no_second_follower(call: Any, report: int) -> None:
    call("complete_task", task_id=report)
    call("update_task", task_id=report, status="todo")
    assert "next" not in call("complete_task", task_id=report)
    assert open_dates(call) == ["2026-10-23T17:00:00"]


def test_postponing_one_leaves_the_rule_as_it_is(call: Any, report: int) -> None:
    call("update_task", task_id=report, due_date="下周一上午9点")
    assert call("complete_task", task_id=report, now="2026-10-19T08:00:00")["next"]["due_date"] == "2026-10-23T17:00:00"


def test_a_moved_task_of_a_rule_with_gaps_does_not_move_the_rule(call: Any) -> None:
    call("add_recurring", title="浇花", rule="每3天")
    first = open_dates(call)[0]
    call("update_task", task_id=1, due_date="2026-10-15")
    following = call("complete_task", task_id=1)["next"]["due_date"]
    assert (first, following) == ("2026-10-14", "2026-10-17")


def test_undoing_a_completion_takes_the_follower_away(call: Any, report: int) -> None:
    call("complete_tasks", task_ids=[report])
    assert call("undo")["ok"] and open_dates(call) == [FRIDAY] and call("task_stats")["stats"]["total"] == 1
    assert call("redo")["ok"] and open_dates(call) == ["2026-10-23T17:00:00"]


def test_skipping_moves_to_the_next_date_and_counts_as_nothing_done(call: Any, report: int) -> None:
    assert call("skip_occurrence", task_id=report)["task"]["due_date"] == "2026-10-23T17:00:00"
    assert call("task_stats")["stats"]["done"] == 0


def test_a_rule_can_be_given_and_taken_away(call: Any) -> None:
    call("add_task", title="跑步", due_date="明天")
    answer = call("set_recurrence", task_id=1, rule="每天")
    assert answer["task"]["due_date"] == "2026-10-15" and answer["task"]["repeat"] == "每天"
    assert call("set_recurrence", task_id=1, rule="每天早上8点")["task"]["due_date"] == "2026-10-15T08:00:00"
    assert "repeat" not in call("clear_recurrence", task_id=1)["task"]
    assert "next" not in call("complete_task", task_id=1)


def test_a_day_of_the_month_that_does_not_exist_is_not_made_up(call: Any) -> None:
    call("add_recurring", title="结账", rule="每月最后一天")
    dates = [call("list_recurring")["tasks"][0]["due_date"]]
    for number in (1, 2, 3, 4, 5):
        dates.append(call("complete_task", task_id=number, now=dates[-1] + "T10:00:00")["next"]["due_date"])
    assert dates == ["2026-10-31", "2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_is_no_rule_is_refused_with_its_words(call: Any, lang: str) -> None:
    for text in ("明天", "有空的时候", "every now and then"):
        answer = call("add_recurring", title="a", rule=text, lang=lang)
        assert answer["code"] == "invalid_argument" and answer["error"]
    assert call("task_stats")["stats"]["total"] == 0
    call("add_task", title="once")
    for name in ("clear_recurrence", "skip_occurrence"):
        assert "once" in call(name, task_id=1, lang=lang)["error"]


def test_the_parts_of_a_recurring_task_come_again_too(call: Any, report: int) -> None:
    call("add_subtask", parent_id=report, title="收集数据")
    done = call("complete_task", task_id=report)
    assert done["completed_parts"] == [2] and done["next"]["progress"] == "0/1"


def test_stopping_one_that_is_done_stops_what_followed_it(call: Any, report: int) -> None:
    call("complete_task", task_id=report)
    assert call("clear_recurrence", task_id=report)["ok"] and open_dates(call) == []
    call("undo")
    assert open_dates(call) == ["2026-10-23T17:00:00"]


def test_completing_several_tells_what_follows_each(call: Any, report: int) -> None:
    call("add_recurring", title="浇花", rule="每天")
    answer = call("complete_tasks", task_ids=[report, 2])
    assert [task["due_date"] for task in answer["next"]] == ["2026-10-23T17:00:00", "2026-10-15"]
    assert answer["message"] == "已完成 #1, #2；下一次：#3，10月23日 17:00；下一次：#4，明天"
