"""The warm form: JSON lines in, the same objects out as the command line prints."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from taskbook import serve as warm
from taskbook.store import Store

NOW = "2026-10-14T08:30:00"


def served(tmp_path: Path, *lines: Any) -> list[dict[str, Any]]:
    """The answers to lines, which are objects or bytes."""
    answers: list[str] = []
    store = Store(tmp_path / "todo.db")
    text = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    try:
        warm.serve(io.BytesIO(text), answers.append, store, now=NOW, lang="zh", workspace=tmp_path)
    finally:
        store.close()
    return [json.loads(answer) for answer in answers]


def test_each_line_is_answered_in_order_with_its_id(tmp_path: Path) -> None:
    first, second, third = served(
        tmp_path,
        {"id": "a", "command": "add_task", "args": {"title": "交作业", "due_date": "2026-10-15"}},
        {"id": 2, "command": "complete-task", "args": ["1"]},
        {"id": None, "command": "task_stats"},
    )
    assert (first["id"], second["id"], third["id"]) == ("a", 2, None)
    assert first["message"] == "已创建任务 #1「交作业」，截止 明天" and second["task"]["status"] == "done" and third["stats"]["done"] == 1


def test_now_and_language_may_differ_from_line_to_line(tmp_path: Path) -> None:
    english, chinese = served(
        tmp_path,
        {"id": 1, "command": "add_task", "args": {"title": "a", "lang": "en", "now": "2026-01-02T03:04:05"}},
        {"id": 2, "command": "add_task", "args": ["b", "--now", "2026-01-03T00:00:00"]},
    )
    assert "task" in english["message"].lower() and english["task"]["created_at"] == "2026-01-02T03:04:05"
    assert "任务" in chinese["message"] and chinese["task"]["created_at"] == "2026-01-03T00:00:00"


def test_bad_lines_are_answered_and_the_next_one_is_served(tmp_path: Path) -> None:
    bad: list[Any] = [
        b"nonsense",
        b"[1]",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        {"id": 1},
        {"id": 1, "command": 5},
        {"id": 1, "command": "add_task", "args": 5},
        {"id": 1, "command": "nothing"},
        {"id": 1, "command": "add_task", "args": {}},
        {"id": 1, "command": "list_tasks", "args": {"lang": "fr"}},
        {"id": 1, "command": "list_tasks", "args": {"now": "soon"}},
        {"id": 1, "command": "list_tasks", "args": {"colour": 1}},
        {"id": 1, "command": "get_task", "args": {"task_id": 10**30}},
        {"id": 1, "command": "add_task", "args": {"title": "\ud800"}},
    ]
    answers = served(tmp_path, *bad, {"id": 9, "command": "task_stats"})
    assert len(answers) == len(bad) + 1
    assert all(answer["ok"] is False and answer["code"] == "invalid_argument" and answer["error"] for answer in answers[:-1])
    assert answers[-1]["ok"] is True and answers[-1]["stats"]["total"] == 0


def test_a_line_without_end_is_refused_without_being_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(warm, "MAX_LINE", 1000)
    long, good = served(tmp_path, b'{"id": 1, "x": "' + b"y" * 5000 + b'"}', {"id": 2, "command": "task_stats"})
    assert long["ok"] is False and good["ok"] is True
