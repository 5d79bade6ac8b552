"""Undo, redo and the history, as a person meets them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from taskbook import store as store_module
from taskbook.words import say


def test_a_batch_is_taken_back_as_one(call: Any) -> None:
    call("add_tasks", tasks=[{"title": f"t{number}"} for number in range(5)])
    answer = call("undo")
    assert answer["message"] == "已撤销：批量新增 #1「t0」、#2「t1」、#3「t2」 等，另有 2 个" and answer["undone"]["operation"] == "add_tasks"
    assert call("task_stats")["stats"]["total"] == 0 and answer["tasks"] == []


def test_a_deleted_task_comes_back_with_its_number(call: Any) -> None:
    call("add_task", title="买牛奶", notes="两盒", due_date="明天", tags=["家"])
    before = call("get_task", task_id=1)["task"]
    call("delete_task", task_id=1, confirm=True)
    assert call("undo")["tasks"] == [before] and call("get_task", task_id=1)["task"] == before


def test_a_new_change_ends_the_possibility_to_redo(call: Any) -> None:
    call("add_task", title="a")
    call("undo")
    call("add_task", title="b")
    assert call("redo")["code"] == "not_found" and call("get_task", task_id=2)["task"]["title"] == "b"


def test_nothing_to_take_back_is_said_in_a_sentence(call: Any) -> None:
    assert call("undo")["error"] == "没有可以撤销的操作" and call("redo", lang="en")["error"] == "There is nothing to do again"


def test_reading_and_refused_calls_leave_no_step(call: Any) -> None:
    call("add_task", title="a")
    for name, values in (("list_tasks", {}), ("delete_task", {"task_id": 1}), ("add_task", {"title": ""}), ("complete_task", {"task_id": 9})):
        call(name, **values)
    assert [step["operation"] for step in call("history")["steps"]] == ["add_task"]


def test_the_history_shows_what_was_done_and_taken_back(call: Any) -> None:
    call("add_task", title="买牛奶")
    call("remember_preference", key="default_city", value="上海", now="2026-10-14T09:00:00")
    call("undo")
    answer = call("history")
    assert [(step["what"], step["undone"]) for step in answer["steps"]] == [("记住偏好 default_city", True), ("新增 #1「买牛奶」", False)]
    assert answer["text"].splitlines()[1] == "2026-10-14 09:00  记住偏好 default_city（已撤销）"
    assert call("history", limit=1)["count"] == 1


def test_every_step_has_words_in_both_languages() -> None:
    folder = Path(store_module.__file__).parent
    steps = set(re.findall(r'[.]change\(ctx[.]now, "(\w+)"', "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))))
    assert {"add_task", "import_tasks", "forget_preference"} <= steps
    for step in steps:
        assert say(f"journal.op_{step}", "zh") and say(f"journal.op_{step}", "en")
