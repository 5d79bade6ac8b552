"""The exported checklist: which tasks, how they are written, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_the_list_holds_what_is_due_late_or_done_that_day(call: Any, tmp_path: Path) -> None:
    call(
        "add_tasks",
        tasks=[
            {"title": "旧账", "due_date": "昨天", "estimated_minutes": 30},
            {"title": "交作业", "due_date": "今天下午3点", "priority": "high", "estimated_minutes": 60},
            {"title": "明天的事", "due_date": "明天"},
            {"title": "没有期限"},
            {"title": "已经做了", "tags": ["家", "a|b"]},
        ],
    )
    call("complete_task", task_id=5)
    answer = call("export_checklist")
    assert (answer["path"], answer["count"], answer["total_minutes"]) == ("exports/待办清单_2026-10-14.md", 3, 90)
    assert (tmp_path / answer["path"]).read_text(encoding="utf-8") == (
        "# 待办清单 · 今天\n\n- 任务数量：**3**\n- 预计用时：**1 小时 30 分钟**\n\n"
        "| # | 状态 | 任务 | 优先级 | 截止时间 | 预计用时 | 标签 |\n| --- | --- | --- | --- | --- | --- | --- |\n"
        "| 1 | 待办 | 旧账 | 中 | 昨天 | 30 分钟 | – |\n| 2 | 待办 | 交作业 | 高 | 今天 15:00 | 1 小时 | – |\n"
        "| 5 | 已完成 | 已经做了 | 中 | – | – | 家、a\\|b |\n"
    )
    assert call("export_checklist", status="done")["count"] == 1 and call("export_checklist", date="明天")["count"] == 2


def test_a_title_cannot_break_the_table(call: Any, tmp_path: Path) -> None:
    call("add_task", title="# a | b <script> \\", due_date="今天")
    rows = (tmp_path / call("export_checklist")["path"]).read_text(encoding="utf-8").splitlines()
    assert rows[-1] == "| 1 | 待办 | \\# a \\| b &lt;script> \\\\ | 中 | 今天 | – | – |"


def test_what_a_title_says_is_read_and_not_done(call: Any, tmp_path: Path) -> None:
    call("add_task", title="*急* `x` ![p](http://a.example/p.png) a&lt;b R&D", due_date="今天")
    row = (tmp_path / call("export_checklist")["path"]).read_text(encoding="utf-8").splitlines()[-1]
    assert "| \\*急\\* \\`x\\` !\\[p](http://a.example/p.png) a&amp;lt;b R&D |" in row


def test_an_empty_day_makes_a_file_that_says_so_and_a_second_export_replaces_the_first(call: Any, tmp_path: Path) -> None:
    assert "暂无任务" in (tmp_path / call("export_checklist")["path"]).read_text(encoding="utf-8")
    call("add_task", title="a", due_date="今天")
    assert "暂无任务" not in (tmp_path / call("export_checklist")["path"]).read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "exports").iterdir()] == ["待办清单_2026-10-14.md"]


def test_json_holds_the_tasks_as_every_operation_prints_them(call: Any, tmp_path: Path) -> None:
    call("add_task", title="a", due_date="今天")
    content = json.loads((tmp_path / call("export_checklist", fmt="json")["path"]).read_text(encoding="utf-8"))
    assert content["tasks"] == [call("get_task", task_id=1)["task"]] and content["count"] == 1
    assert call("export_checklist", fmt="pdf")["code"] == "invalid_argument"


def test_nothing_is_written_outside_the_workspace(call: Any, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (tmp_path / "exports").symlink_to(outside)
    assert call("export_checklist")["code"] == "invalid_argument" and list(outside.iterdir()) == []
    (tmp_path / "exports").unlink()
    (tmp_path / "exports").mkdir()
    (outside / "kept.md").write_text("kept")
    (tmp_path / "exports" / "待办清单_2026-10-14.md").symlink_to(outside / "kept.md")
    assert call("export_checklist")["code"] == "invalid_argument" and (outside / "kept.md").read_text() == "kept"


def test_a_file_where_the_folder_should_be_is_named_and_left_alone(call: Any, tmp_path: Path) -> None:
    (tmp_path / "exports").write_text("mine")
    answer = call("export_checklist")
    assert not answer["ok"] and "exports" in answer["error"] and (tmp_path / "exports").read_text() == "mine"


def test_english_has_its_own_words(call: Any, tmp_path: Path) -> None:
    call("add_task", title="a", due_date="today", estimated_minutes=90)
    answer = call("export_checklist", lang="en")
    text = (tmp_path / answer["path"]).read_text(encoding="utf-8")
    assert answer["path"] == "exports/checklist_2026-10-14.md" and "- Estimated time: **1 h 30 min**" in text and "| 1 | to do | a |" in text
