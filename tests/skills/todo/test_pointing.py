"""Which task is meant: by number, by place in the last list, by 它, by title – and never by a guess."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taskbook import pointing
from taskbook.contract import TodoError

from .conftest import Call, MakeContext

LATER = "2026-10-14T20:31:00"  # twelve hours and a minute on


@pytest.fixture
def three(call: Call) -> Call:
    """#1 交作业, #2 写周报 (high), #3 写月报."""
    call("add_task", title="交作业")
    call("add_task", title="写周报", priority="high")
    call("add_task", title="写月报")
    return call


def meant(ctx: MakeContext, which: str, **more: Any) -> int:
    return pointing.resolve(ctx(), which, **more).id


def refusal(ctx: MakeContext, which: str, now: str = "2026-10-14T08:30:00") -> TodoError:
    with pytest.raises(TodoError) as caught:
        pointing.resolve(ctx(now=now), which)
    return caught.value


@pytest.mark.parametrize("which", [
    "2", "#2", "2号", "2号任务", "任务2", "任务 2", "任务#2", "二号", "任务二", "任务二号", "编号2", "task 2", "Task #2", "no. 2", "number two",
    "＃２", "「2号」", "写周报", "周报", "「写周报」", "写 周报", "周报任务", "那个周报", "周报的任务", " 写周报。",
])
def test_a_number_or_a_title_names_a_task(three: Call, ctx: MakeContext, which: str) -> None:
    assert meant(ctx, which) == 2


@pytest.mark.parametrize("which", [
    "第二个", "第2个", "第二条", "第2个任务", "the second one", "second one", "the 2nd one", "2nd", "the second task", "第二项",
])
def test_a_place_counts_in_the_last_list_that_was_shown(three: Call, ctx: MakeContext, which: str) -> None:
    assert [task["id"] for task in three("prioritize_tasks")["tasks"]] == [2, 1, 3]
    assert meant(ctx, which) == 1
    three("list_tasks", keyword="报")
    assert meant(ctx, which) == 3


@pytest.mark.parametrize("which", ["最后一个", "最后一条", "the last one", "the last task", "倒数第一个"])
def test_the_last_one_is_the_last_of_the_list(three: Call, ctx: MakeContext, which: str) -> None:
    three("prioritize_tasks")
    assert meant(ctx, which) == 3


@pytest.mark.parametrize("which", [
    "它", "这个", "那个", "这个任务", "那件事", "刚才那个", "刚才那个任务", "刚才的", "刚加的那个", "上一个",
    "上一条", "it", "that one", "this", "the task", "the latest one",
])
def test_it_is_the_task_touched_last(three: Call, ctx: MakeContext, which: str) -> None:
    assert meant(ctx, which) == 3
    three("get_task", task_id=1)
    assert meant(ctx, which) == 1
    three("list_tasks")
    assert meant(ctx, which) == 1


def test_after_a_batch_it_could_be_any_of_them_and_is_asked(call: Call, ctx: MakeContext) -> None:
    call("add_tasks", tasks=[{"title": "a1"}, {"title": "b2"}])
    asked = refusal(ctx, "它")
    assert asked.code == "ambiguous" and [one["id"] for one in asked.extra["candidates"]] == [1, 2]
    assert "2. #2 b2" in asked.say("zh") and "2. #2 b2" in asked.say("en")
    assert meant(ctx, "第二个") == 2


def test_a_part_of_several_titles_is_asked_about_and_the_answer_may_be_a_place(three: Call, ctx: MakeContext) -> None:
    three("prioritize_tasks")
    asked = refusal(ctx, "写")
    assert asked.code == "ambiguous" and [one["title"] for one in asked.extra["candidates"]] == ["写周报", "写月报"]
    assert meant(ctx, "第二个") == 3
    three("add_task", title="写周报")
    assert refusal(ctx, "写周报").code == "ambiguous"


def test_an_exact_title_wins_over_a_part_and_an_open_task_over_a_done_one(call: Call, ctx: MakeContext) -> None:
    for title in ("Report", "Report for Ann", "buy the milk"):
        call("add_task", title=title)
    assert (meant(ctx, "report"), meant(ctx, "Ann"), meant(ctx, "milk"), meant(ctx, "the milk")) == (1, 2, 3, 3)
    call("complete_task", task_id=1)
    assert meant(ctx, "report") == 2
    assert refusal(ctx, "rep").code == "not_found"


def test_what_nothing_is_called_is_told_with_what_comes_near(three: Call, ctx: MakeContext) -> None:
    near = refusal(ctx, "交数学作业")
    assert near.code == "not_found" and [one["title"] for one in near.extra["candidates"]] == ["交作业"]
    assert meant(ctx, "第一个") == 1
    assert "有哪些任务" in refusal(ctx, "xyz").say("zh")
    assert refusal(ctx, "99").code == "not_found"
    assert refusal(ctx, " 。").key == "pointing.empty"


def test_without_a_list_or_a_task_it_says_so(call: Call, ctx: MakeContext) -> None:
    assert refusal(ctx, "它").key == "pointing.nothing"
    assert refusal(ctx, "第二个").key == "pointing.no_list"
    call("add_task", title="a1")
    call("list_tasks")
    assert refusal(ctx, "第二个").key == "pointing.short_list" and "1" in refusal(ctx, "第二个").say("zh")


def test_what_is_done_or_deleted_meanwhile_is_named(three: Call, ctx: MakeContext) -> None:
    three("list_tasks")
    three("get_task", task_id=2)
    three("complete_task", task_id=2)
    assert "写周报" in refusal(ctx, "它").say("zh") and refusal(ctx, "2").key == "pointing.done"
    assert refusal(ctx, "写周报").key == "pointing.done" and meant(ctx, "写周报", done=True) == 2
    three("delete_task", task_id=1, confirm=True)
    assert refusal(ctx, "第二个").key == "pointing.deleted" and "交作业" in refusal(ctx, "第二个").say("en")


def test_it_is_forgotten_after_twelve_hours(three: Call, ctx: MakeContext) -> None:
    three("list_tasks")
    assert pointing.resolve(ctx(now="2026-10-14T20:30:00"), "它").id == 3
    assert refusal(ctx, "它", now=LATER).key == "pointing.nothing"
    assert refusal(ctx, "第一个", now=LATER).key == "pointing.no_list"


def test_every_session_has_an_it_of_its_own(three: Call, ctx: MakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_SESSION", "two")
    assert refusal(ctx, "它").key == "pointing.nothing"
    three("get_task", task_id=1)
    assert meant(ctx, "它") == 1
    monkeypatch.delenv("AGENT_SESSION")
    assert meant(ctx, "它") == 3


def test_a_surface_that_polls_does_not_change_what_it_is(three: Call, ctx: MakeContext) -> None:
    three("get_task", task_id=1)
    three("prioritize_tasks")
    for name, values in (("board", {}), ("changes", {"since": 0}), ("reminders", {}), ("task_stats", {}), ("history", {})):
        assert three(name, **values)["ok"]
    assert (meant(ctx, "它"), meant(ctx, "第一个")) == (1, 2)


def test_what_was_pointed_at_is_not_part_of_the_undo(three: Call) -> None:
    three("list_tasks")
    assert "写月报" in three("undo")["message"]
    assert three("task_stats")["stats"]["total"] == 2


@given(which=st.text(max_size=30))
def test_any_text_is_a_task_or_a_refusal(which: str) -> None:
    from datetime import datetime
    from pathlib import Path

    from taskbook import call as calling
    from taskbook.store import Store

    store = Store(Path(":memory:"))
    try:
        for title in ("交作业", "写周报", "buy milk"):
            calling.run(store, "add_task", {"title": title}, now=datetime(2026, 10, 14), lang="zh", workspace=Path("."))
        answer = calling.run(store, "show", {"which": which}, now=datetime(2026, 10, 14), lang="zh", workspace=Path("."))
    finally:
        store.close()
    assert answer["ok"] or answer["code"] in ("not_found", "ambiguous", "invalid_argument")
