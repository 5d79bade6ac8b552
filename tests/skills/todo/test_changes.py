"""What a board asks for: a day in one call, and what changed since it looked."""

from __future__ import annotations

from typing import Any


def test_a_day_has_its_columns(call: Any) -> None:
    for values in (
        {"title": "late", "due_date": "昨天"},
        {"title": "today", "due_date": "今天"},
        {"title": "noon", "due_date": "今天中午"},
        {"title": "morning", "due_date": "今天早上8点"},
        {"title": "tomorrow", "due_date": "明天", "status": "doing"},
        {"title": "never"},
    ):
        call("add_task", **values)
    call("complete_task", task_id=2)
    board = call("board")
    shown = {name: [task["title"] for task in board[name]] for name in ("overdue", "today", "doing", "done", "undated")}
    assert shown == {"overdue": ["late", "morning"], "today": ["noon"], "doing": ["tomorrow"], "done": ["today"], "undated": ["never"]}
    assert board["counts"] == {name: len(titles) for name, titles in shown.items()} and board["stats"]["open"] == 5
    tomorrow = call("board", date="明天")
    assert [task["title"] for task in tomorrow["today"]] == ["tomorrow"] and tomorrow["date"] == "2026-10-15"


def test_a_board_that_follows_the_changes_shows_what_is_there(call: Any) -> None:
    seen: dict[int, dict[str, Any]] = {}
    version = 0

    def follow() -> None:
        nonlocal version
        while True:
            answer = call("changes", since=version, limit=2)
            seen.update({task["id"]: task for task in answer["tasks"]})
            for task_id in answer["deleted"]:
                seen.pop(task_id, None)
            version = answer["version"]
            if not answer["more"]:
                break

    steps: tuple[tuple[str, dict[str, Any]], ...] = (
        ("add_tasks", {"tasks": [{"title": str(number)} for number in range(7)]}),
        ("delete_task", {"task_id": 3, "confirm": True}),
        ("undo", {}),
        ("add_subtask", {"parent_id": 1, "title": "part"}),
        ("complete_task", {"task_id": 8}),
        ("update_task", {"task_id": 8, "status": "todo"}),
        ("undo", {}),
        ("set_parent", {"task_id": 8, "parent_id": 2}),
        ("undo", {}),
        ("redo", {}),
        ("delete_task", {"task_id": 8, "confirm": True}),
        ("undo", {}),
        ("complete_tasks", {"task_ids": [1, 2]}),
        ("undo", {}),
        ("redo", {}),
        ("update_task", {"task_id": 5, "title": "five"}),
        ("delete_tasks", {"task_ids": [6, 7], "confirm": True}),
    )
    for name, values in steps:
        assert call(name, **values)["ok"]
        follow()
        assert seen == {task["id"]: task for task in call("list_tasks")["tasks"]}, name
    assert call("changes", since=version)["tasks"] == []


def test_the_version_of_another_list_starts_anew(call: Any) -> None:
    call("add_task", title="a")
    answer = call("changes", since=999)
    assert answer["reset"] is True and len(answer["tasks"]) == 1 and answer["version"] == 1
