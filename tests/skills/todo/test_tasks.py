"""The operations on tasks, as section 2 of their specification says."""

from __future__ import annotations

from typing import Any

import pytest

EVENING = "2026-10-14T20:00:00"


def test_adding_says_what_was_understood(call: Any) -> None:
    answer = call(
        "add_task", title="交作业", due_date="明天6点", priority="高", estimated_minutes=45, notes=" 第三章\n习题 ", tags=["#学校", "学校", " "]
    )
    assert answer["message"] == "已创建任务 #1「交作业」，截止 明天 18:00（没说上午还是下午，按 10月15日 18:00）"
    assert answer["assumed"] == "没说上午还是下午，按 10月15日 18:00"
    assert answer["task"] == {
        "id": 1,
        "title": "交作业",
        "notes": "第三章\n习题",
        "priority": "high",
        "status": "todo",
        "due_date": "2026-10-15T18:00:00",
        "due_display": "明天 18:00",
        "tags": ["学校"],
        "estimated_minutes": 45,
        "created_at": "2026-10-14T08:30:00",
        "updated_at": "2026-10-14T08:30:00",
        "completed_at": None,
        "overdue": False,
    }
    assert "assumed" not in call("add_task", title="开会", due_date="明天下午3点")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_deadline_that_cannot_be_read_writes_nothing_and_quotes_the_words(call: Any, lang: str) -> None:
    for phrase in ("2月30日", "改天", "3点到5点", "asap"):
        answer = call("add_task", title="a", due_date=phrase, lang=lang)
        assert answer["ok"] is False and answer["code"] == "invalid_argument" and phrase in answer["error"]
    repeated = call("add_task", title="a", due_date="每周五", lang=lang)
    assert repeated["code"] == "invalid_argument" and "add_recurring" in repeated["error"]
    assert call("task_stats")["stats"]["total"] == 0


def test_a_past_deadline_and_a_twin_are_stored_with_a_warning(call: Any) -> None:
    assert call("add_task", title="开会", due_date="今天早上8点")["warning"] == "截止时间已经过去"
    again = call("add_task", title="开会", due_date="2026-10-14T08:00:00")
    assert again["ok"] and again["warning"] == "截止时间已经过去；已有同名任务 #1" and again["warning"] in again["text"]
    assert "warning" not in call("add_task", title="开会", due_date="明天")


def test_a_title_is_one_line_of_what_a_person_typed(call: Any) -> None:
    assert call("add_task", title="  a\n\tb\x07\u202ec  😀\"'`$(x) ")["task"]["title"] == "a b c 😀\"'`$(x)"
    assert call("add_task", title="👩\u200d👧 שלום")["task"]["title"] == "👩\u200d👧 שלום"
    for empty in ("", "  ", "\n", "\u202e", "\u200b", "\ufeff\u00ad", "\u3164"):
        assert call("add_task", title=empty)["code"] == "invalid_argument"


def test_a_batch_is_all_or_nothing_and_names_the_bad_item(call: Any) -> None:
    bad = call("add_tasks", tasks=[{"title": "a"}, {"title": "b", "due_date": "2月30日"}])
    assert bad["code"] == "invalid_argument" and bad["error"].startswith("第 2 项：") and "2月30日" in bad["error"]
    assert call("add_tasks", tasks=[{"title": "a"}, {"priority": "high"}])["error"].startswith("第 2 项：")
    assert call("add_tasks", tasks=[{"title": "a", "colour": 1}])["error"].startswith("第 1 项：")
    assert call("task_stats")["stats"]["total"] == 0
    good = call("add_tasks", tasks=[{"title": "a"}, {"title": "b", "due_date": "明天"}])
    assert good["count"] == 2 and [task["id"] for task in good["tasks"]] == [1, 2] and good["tasks"][1]["due_date"] == "2026-10-15"


@pytest.fixture
def several(call: Any) -> None:
    """1 done, 2 overdue, 3 today, 4 undated high, 5 undated low, 6 tomorrow 09:00 and in progress."""
    for values in (
        {"title": "Done thing", "status": "done"},
        {"title": "旧账", "due_date": "昨天"},
        {"title": "今天的报告", "due_date": "今天", "tags": ["工作"]},
        {"title": "100% _sure_", "priority": "high"},
        {"title": "Straße ÄRGER", "priority": "low", "notes": "工作日做"},
        {"title": "开会", "due_date": "明天上午9点", "status": "doing", "tags": ["工作", "a,b"]},
    ):
        assert call("add_task", **values)["ok"]


def ids(answer: dict[str, Any]) -> list[int]:
    return [task["id"] for task in answer["tasks"]]


@pytest.mark.usefixtures("several")
def test_the_list_has_open_tasks_first_by_deadline_priority_and_number(call: Any) -> None:
    answer = call("list_tasks")
    assert ids(answer) == [2, 3, 6, 4, 5, 1] and (answer["count"], answer["total"]) == (6, 6)
    assert answer["text"].splitlines()[1] == "#2 旧账（中，已逾期，截止 昨天）"
    cut = call("list_tasks", limit=2)
    assert ids(cut) == [2, 3] and (cut["count"], cut["total"]) == (2, 6)


@pytest.mark.usefixtures("several")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"status": "done"}, [1]),
        ({"status": "进行中"}, [6]),
        ({"priority": "高"}, [4]),
        ({"tag": "工作"}, [3, 6]),
        ({"tag": "＃工作 "}, [3, 6]),
        ({"tag": "工"}, []),
        ({"tag": "*"}, []),
        ({"tag": "a,b"}, [6]),
        ({"keyword": "%"}, [4]),
        ({"keyword": "_"}, [4]),
        ({"keyword": "*"}, []),
        ({"keyword": "["}, []),
        ({"keyword": "]"}, []),
        ({"keyword": '"'}, []),
        ({"keyword": "A\u0308rger"}, [5]),
        ({"keyword": "a,B"}, [6]),
        ({"keyword": "STRASSE"}, [5]),
        ({"keyword": "ärger"}, [5]),
        ({"keyword": "工作"}, [3, 6, 5]),
        ({"due_before": "今天"}, [2, 3]),
        ({"due_before": "明天"}, [2, 3, 6]),
        ({"due_before": "明天上午9点"}, [2, 3, 6]),
        ({"due_before": "明天上午8点"}, [2, 3]),
        ({"only_overdue": True}, [2]),
        ({"status": "todo", "tag": "工作", "due_before": "周五"}, [3]),
    ],
)
def test_the_list_can_be_narrowed(call: Any, values: dict[str, Any], expected: list[int]) -> None:
    assert ids(call("list_tasks", **values)) == expected


@pytest.mark.usefixtures("several")
def test_a_day_alone_is_not_overdue_before_it_ends(call: Any) -> None:
    assert [call("get_task", task_id=3, now=now)["task"]["overdue"] for now in (EVENING, "2026-10-14T23:59:59", "2026-10-15T00:00:00")] == [
        False,
        False,
        True,
    ]
    assert call("get_task", task_id=6, now="2026-10-15T09:00:01")["task"]["overdue"] is True


@pytest.mark.usefixtures("several")
def test_the_counts_say_how_things_stand(call: Any) -> None:
    call("complete_task", task_id=3)
    assert call("task_stats")["stats"] == {"total": 6, "todo": 3, "doing": 1, "done": 2, "open": 4, "overdue": 1, "done_today": 2}
    assert call("task_stats", now="2026-10-15T08:00:00")["stats"]["done_today"] == 0


@pytest.mark.usefixtures("several")
def test_only_what_is_given_changes(call: Any) -> None:
    before = call("get_task", task_id=6)["task"]
    answer = call("update_task", task_id=6, priority="高", tags=[], now=EVENING)
    assert answer["changed"] == ["priority", "tags"]
    assert answer["task"] == {**before, "priority": "high", "tags": [], "updated_at": EVENING}
    assert call("update_task", task_id=6, clear_due_date=True)["task"]["due_date"] is None
    assert call("update_task", task_id=6, due_date="后天")["task"]["due_date"] == "2026-10-16"
    assert call("update_task", task_id=6, notes="")["changed"] == []


@pytest.mark.usefixtures("several")
def test_changes_that_make_no_sense_are_refused(call: Any) -> None:
    assert call("update_task", task_id=2)["code"] == "invalid_argument"
    assert call("update_task", task_id=2, due_date="明天", clear_due_date=True)["code"] == "invalid_argument"
    assert call("update_task", task_id=2, title=" ")["code"] == "invalid_argument"
    assert call("update_task", task_id=99, title="x")["code"] == "not_found"
    assert call("update_task", task_id=2, priority="中")["unchanged"] is True


@pytest.mark.usefixtures("several")
def test_completing_twice_is_no_mistake_and_opening_again_forgets_when(call: Any) -> None:
    assert call("complete_task", task_id=2)["task"]["completed_at"] == "2026-10-14T08:30:00"
    again = call("complete_task", task_id=2, now=EVENING)
    assert again["ok"] and again["unchanged"] is True and again["task"]["completed_at"] == "2026-10-14T08:30:00"
    assert call("update_task", task_id=2, status="todo")["task"]["completed_at"] is None
    assert call("update_task", task_id=2, status="done", now=EVENING)["task"]["completed_at"] == EVENING


@pytest.mark.usefixtures("several")
def test_several_are_completed_and_the_unknown_are_named(call: Any) -> None:
    answer = call("complete_tasks", task_ids=[2, 1, 77, 2])
    assert (answer["ok"], answer["completed"], answer["already_done"], answer["not_found"]) == (True, [2], [1], [77])
    none = call("complete_tasks", task_ids=[77, 78])
    assert none["ok"] is False and none["code"] == "not_found" and none["not_found"] == [77, 78]


@pytest.mark.usefixtures("several")
def test_deleting_asks_first(call: Any) -> None:
    asked = call("delete_task", task_id=3)
    assert (asked["ok"], asked["code"], asked["message"]) == (False, "confirm_required", "确认删除 #3「今天的报告」吗？")
    assert asked["task"]["id"] == 3 and call("task_stats")["stats"]["total"] == 6
    assert call("delete_task", task_id=3, confirm=True)["deleted"]["title"] == "今天的报告"
    assert call("get_task", task_id=3)["code"] == "not_found" and call("delete_task", task_id=3, confirm=True)["code"] == "not_found"


@pytest.mark.usefixtures("several")
def test_one_unknown_number_does_not_stop_the_others_from_being_deleted(call: Any) -> None:
    asked = call("delete_tasks", task_ids=[2, 4, 99])
    assert asked["code"] == "confirm_required" and ids(asked) == [2, 4] and asked["not_found"] == [99] and "#99" in asked["message"]
    assert call("task_stats")["stats"]["total"] == 6
    done = call("delete_tasks", task_ids=[2, 4, 99], confirm=True)
    assert [task["id"] for task in done["deleted"]] == [2, 4] and done["not_found"] == [99] and call("task_stats")["stats"]["total"] == 4
    assert call("delete_tasks", task_ids=[99], confirm=True)["code"] == "not_found"


def test_a_tag_is_the_whole_tag_whatever_is_in_it(call: Any) -> None:
    for tag in ("工作", 'a"工作', '工作"b', "a工作", "[x]*?", "Work", "work"):
        call("add_task", title=tag, tags=[tag])
    assert [ids(call("list_tasks", tag=tag)) for tag in ("工作", 'a"工作', "[x]*?", "work", "x")] == [[1], [2], [5], [7], []]
    assert ids(call("list_tasks", keyword="[X]*?")) == [5] and ids(call("list_tasks", keyword='"')) == [2, 3]


def test_what_is_listed_and_counted_agree_at_the_limit(call: Any) -> None:
    call("add_tasks", tasks=[{"title": f"t{number}"} for number in range(4)])
    for limit in (3, 4, 5):
        answer = call("list_tasks", keyword="T", limit=limit)
        assert (answer["count"], answer["total"]) == (min(limit, 4), 4)
