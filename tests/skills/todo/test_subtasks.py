"""Parts of a task: two levels, progress, and what happens to them with their parent."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def move(call: Any) -> None:
    """#1 搬家 with #2 打包 and #3 叫车; #4 买菜 alone."""
    call("add_task", title="搬家")
    call("add_subtask", parent_id=1, title="打包", due_date="明天")
    call("add_subtask", parent_id=1, title="叫车")
    call("add_task", title="买菜")


def test_a_parent_shows_its_progress_and_its_parts(call: Any) -> None:
    call("complete_task", task_id=2)
    answer = call("get_task", task_id=1)
    assert answer["task"]["progress"] == "1/2" and [part["id"] for part in answer["parts"]] == [2, 3]
    assert [part["parent_id"] for part in answer["parts"]] == [1, 1] and "  #3 叫车" in answer["text"]


def test_there_are_two_levels_and_no_circles(call: Any) -> None:
    assert call("add_subtask", parent_id=2, title="x")["code"] == "invalid_argument"
    assert call("set_parent", task_id=1, parent_id=4)["code"] == "invalid_argument"
    assert call("set_parent", task_id=1, parent_id=1)["code"] == "invalid_argument"
    assert call("set_parent", task_id=4, parent_id=2)["code"] == "invalid_argument"
    assert call("set_parent", task_id=4, parent_id=9)["code"] == "not_found"


def test_a_task_can_join_and_leave(call: Any) -> None:
    assert call("set_parent", task_id=4, parent_id=1)["task"]["parent_id"] == 1
    assert call("set_parent", task_id=4, parent_id=1)["unchanged"] is True
    assert "parent_id" not in call("set_parent", task_id=4, parent_id=0)["task"]


def test_completing_the_parent_completes_its_parts_as_one_step(call: Any) -> None:
    answer = call("complete_task", task_id=1)
    assert answer["completed_parts"] == [2, 3] and call("task_stats")["stats"]["done"] == 3
    assert call("add_subtask", parent_id=1, title="late")["code"] == "invalid_argument"
    call("undo")
    assert call("task_stats")["stats"]["done"] == 0


def test_deleting_the_parent_says_how_many_parts_go_with_it_and_undo_brings_all_back(call: Any) -> None:
    assert call("delete_task", task_id=1)["message"] == "确认删除 #1「搬家」及其 2 个子任务吗？"
    call("delete_task", task_id=1, confirm=True)
    assert call("task_stats")["stats"]["total"] == 1
    call("undo")
    assert call("get_task", task_id=1)["task"]["progress"] == "0/2"


def test_a_part_and_its_parent_can_be_deleted_together(call: Any) -> None:
    assert call("delete_tasks", task_ids=[2, 1], confirm=True)["ok"] and call("task_stats")["stats"]["total"] == 1


def test_a_parent_and_its_part_are_completed_together_and_neither_was_done_before(call: Any) -> None:
    answer = call("complete_tasks", task_ids=[2, 1, 4])
    assert (answer["completed"], answer["already_done"], answer["completed_parts"]) == ([2, 1, 4], [], [3])
    assert answer["message"] == "已完成 #2, #1, #4，连同子任务 #3"


def test_every_way_of_completing_tells_what_else_was_completed(call: Any) -> None:
    answer = call("update_task", task_id=1, status="done")
    assert answer["completed_parts"] == [2, 3] and "#2, #3" in answer["message"]


def test_deleting_several_says_how_many_parts_go_with_them(call: Any) -> None:
    assert call("delete_tasks", task_ids=[1, 2, 4])["message"] == "确认删除 #1「搬家」、#2「打包」、#4「买菜」及其 1 个子任务吗？"
