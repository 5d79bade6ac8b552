"""Whole files in and out of the to-do list: identities, all or nothing, one undo, only inside the workspace."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from taskbook.formats.rules import rule_of
from taskbook.store import Store

NOW = "2026-10-14T08:30:00"
UUID = "296d835e-8f85-4224-8f36-c612cad1b9f8"


def todo(uid: str, title: str, *lines: str) -> str:
    return "\n".join(["BEGIN:VTODO", f"UID:{uid}", f"SUMMARY:{title}", *lines, "END:VTODO", ""])


def calendar(*todos: str) -> str:
    return "BEGIN:VCALENDAR\n" + "".join(todos) + "END:VCALENDAR\n"


SAMPLES = {
    "todotxt": ("in.txt", "(A) 交作业 +学校 @desk due:2026-10-15 at:15:00 rec:+1w\nx 2026-10-13 2026-10-01 买牛奶\n\n买牛奶\n买牛奶\n"),
    "taskwarrior": ("in.json", json.dumps([
        {"uuid": UUID, "description": "交作业", "status": "pending", "priority": "H", "tags": ["desk"], "entry": "20261001T000000Z"},
        {"uuid": "2", "description": "买牛奶", "status": "completed", "end": "20261013T120000Z"},
        {"uuid": "3", "description": "买鸡蛋", "status": "pending", "partof": UUID}])),
    "ics": ("in.ics", calendar(todo("a@b", "交作业", "DUE;VALUE=DATE:20261015", "RRULE:FREQ=WEEKLY"), todo("c", "买牛奶", "RELATED-TO:a@b"))),
}  # fmt: skip
COUNTS = {"todotxt": 4, "taskwarrior": 3, "ics": 2}


@pytest.fixture
def take(call: Any, tmp_path: Path) -> Any:
    """take("a.txt", text) writes the file and imports it."""

    def one(name: str, text: str | bytes, **values: Any) -> dict[str, Any]:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        answer: dict[str, Any] = call("import_tasks", now=NOW, path=name, **values)
        return answer

    return one


def tasks(call: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = call("list_tasks", now=NOW, limit=1000)["tasks"]
    return sorted(listed, key=lambda task: task["id"])


@pytest.mark.parametrize("fmt", list(SAMPLES))
def test_importing_twice_doubles_nothing_and_one_undo_takes_all_back(take: Any, call: Any, fmt: str) -> None:
    first = take(*SAMPLES[fmt])
    assert first["ok"] and (first["count"], first["already"], first["fmt"]) == (COUNTS[fmt], 0, fmt)
    again = take(*SAMPLES[fmt])
    assert (again["count"], again["already"]) == (0, COUNTS[fmt]) and "没有重复导入" in again["message"]
    assert len(tasks(call)) == COUNTS[fmt]
    assert call("undo", now=NOW)["ok"] and tasks(call) == []
    assert take(*SAMPLES[fmt])["count"] == COUNTS[fmt]


@pytest.mark.parametrize("fmt", list(SAMPLES))
def test_what_was_exported_is_known_when_it_comes_back(take: Any, call: Any, tmp_path: Path, fmt: str) -> None:
    for title, due in (("a", "2026-10-15"), ("b", "2026-10-15T15:00:00"), ("b", "2026-10-15T15:00:00")):
        call("add_task", now=NOW, title=title, due_date=due)
    out = call("export_tasks", now=NOW, fmt=fmt)
    assert out["ok"] and (out["count"], out["left_out"]) == (3, [])
    assert out["path"] == "exports/tasks" + {"todotxt": ".txt", "taskwarrior": ".json", "ics": ".ics"}[fmt]
    back = call("import_tasks", now=NOW, path=out["path"])
    assert (back["count"], back["already"], back["fmt"]) == (0, 3, fmt)
    before = (tmp_path / out["path"]).read_bytes()
    assert call("export_tasks", now=NOW, fmt=fmt)["ok"] and (tmp_path / out["path"]).read_bytes() == before


@pytest.mark.parametrize("fmt", ["taskwarrior", "ics"])
def test_a_list_moves_whole_to_another_place(call: Any, ctx: Any, tmp_path: Path, fmt: str) -> None:
    from taskbook.call import run

    whole = call("add_task", now=NOW, title="搬家", due_date="2026-10-20", priority="high", tags=["家", "urgent"], notes="一\n二")["task"]["id"]
    call("add_subtask", now=NOW, parent_id=whole, title="打包", estimated_minutes=90)
    call("add_recurring", now=NOW, title="周报", rule="每周五下午5点")
    call("add_task", now=NOW, title="进行中的", status="doing")
    call("complete_task", now=NOW, task_id=call("add_task", now=NOW, title="做完了")["task"]["id"])
    out = call("export_tasks", now=NOW, fmt=fmt)
    assert out["left_out"] == []
    other = Store(tmp_path / "other.db")
    try:
        moment = ctx(now=NOW).now
        assert run(other, "import_tasks", {"path": out["path"]}, now=moment, lang="zh", workspace=tmp_path)["count"] == 5
        there = run(other, "list_tasks", {"limit": 100}, now=moment, lang="zh", workspace=tmp_path)["tasks"]
        done = run(other, "complete_task", {"task_id": next(task["id"] for task in there if task["title"] == "周报")},
                   now=moment, lang="zh", workspace=tmp_path)  # fmt: skip
    finally:
        other.close()
    assert done["ok"] and "10月23日" in json.dumps(done, ensure_ascii=False)

    def plain(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = sorted(found, key=lambda task: str(task["title"]))
        return [{name: value for name, value in task.items() if name not in ("id", "parent_id")} for task in kept]

    assert plain(there) == plain(tasks(call))
    numbers = {task["title"]: task["id"] for task in there}
    assert next(task["parent_id"] for task in there if task["title"] == "打包") == numbers["搬家"]


def test_what_a_format_has_no_place_for_is_named_with_its_task(call: Any) -> None:
    whole = call("add_task", now=NOW, title="搬家", notes="一\n二", tags=["a b"])["task"]["id"]
    call("add_subtask", now=NOW, parent_id=whole, title="打包")
    call("add_recurring", now=NOW, title="月末", rule="每月最后一天")
    out = call("export_tasks", now=NOW, fmt="todotxt")
    assert len(out["left_out"]) == 4 and all(sentence in out["text"] for sentence in out["left_out"])
    told = "\n".join(out["left_out"])
    assert all(part in told for part in ("备注（#1", "#2", "#3", "a b"))
    assert "Notes (#1: 搬家)" in call("export_tasks", now=NOW, fmt="todotxt", lang="en")["left_out"]


def test_what_is_left_out_of_an_import_names_the_lines(take: Any) -> None:
    answer = take("a.txt", "".join(f"t{n} t:2026-10-20\n" for n in range(5)))
    assert answer["left_out"] == ["在这里不起作用，已放进备注（第 1 行：t:2026-10-20；第 2 行：t:2026-10-20；第 3 行：t:2026-10-20；另有 2 处）"]
    assert "5 处" in answer["message"]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [("a.txt", "good\n\nbad due:2026-02-30\n", 3), ("a.json", '[{"description":"good"},\n{"description":""}]', 2),
     ("a.ics", calendar(todo("1", "good"), todo("2", "bad", "DUE:never")), 9)],
)  # fmt: skip
def test_one_bad_entry_and_nothing_is_taken_over(take: Any, call: Any, name: str, text: str, line: int) -> None:
    answer = take(name, text)
    assert answer["code"] == "invalid_argument" and answer["error"].startswith(f"第 {line} 行") and "什么都没有导入" in answer["error"]
    assert tasks(call) == []


def test_recurrences_become_rules_that_make_the_next(take: Any, call: Any) -> None:
    take(*SAMPLES["todotxt"])
    homework = tasks(call)[0]
    assert (homework["due_date"], homework["tags"], homework["priority"]) == ("2026-10-15T15:00:00", ["+学校", "desk"], "high")
    assert "每周四" in homework["repeat"]
    call("complete_task", now=NOW, task_id=homework["id"])
    assert [task["due_date"] for task in tasks(call) if task["title"] == "交作业"] == ["2026-10-15T15:00:00", "2026-10-22T15:00:00"]


@pytest.mark.parametrize(
    ("rrule", "due", "words"),
    [("FREQ=DAILY", "2026-10-15", "FREQ=DAILY"), ("FREQ=WEEKLY;INTERVAL=2", "2026-10-15", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;WKST=MO"),
     ("FREQ=WEEKLY;BYDAY=MO,WE,FR", "2026-10-14", "FREQ=WEEKLY;BYDAY=MO,WE,FR"), ("FREQ=MONTHLY", "2026-10-31", "FREQ=MONTHLY;BYMONTHDAY=31"),
     ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-10-31", "FREQ=MONTHLY;BYMONTHDAY=-1"), ("FREQ=MONTHLY;BYDAY=2TU", "2026-10-13", "FREQ=MONTHLY;BYDAY=2TU"),
     ("FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1", "2026-10-30", "FREQ=MONTHLY;BYDAY=-1FR"),
     ("FREQ=YEARLY", "2026-10-15", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=15"),
     ("FREQ=HOURLY", "2026-10-15", None), ("FREQ=DAILY;BYDAY=MO", "2026-10-15", None), ("FREQ=MONTHLY;BYMONTHDAY=-2", "2026-10-15", None),
     ("FREQ=WEEKLY;BYDAY=1MO", "2026-10-15", None), ("FREQ=MONTHLY;BYDAY=TU", "2026-10-13", None), ("FREQ=MONTHLY;BYDAY=1TU,3TU", "2026-10-13", None),
     ("FREQ=YEARLY;BYMONTH=2,3", "2026-10-15", None), ("FREQ=YEARLY;BYMONTHDAY=1", "2026-10-15", None), ("FREQ=DAILY;INTERVAL=0", "2026-10-15", None),
     ("FREQ=DAILY;BYEASTER=1", "2026-10-15", None), ("FREQ=YEARLY;BYMONTH=99", "2026-10-15", None), ("FREQ=WEEKLY;BYDAY=XX", "2026-10-15", None)],
)  # fmt: skip
def test_a_rule_means_the_same_or_there_is_none(rrule: str, due: str, words: str | None) -> None:
    rule = rule_of(rrule, due)
    assert (rule and rule.rrule()) == words


def test_parts_find_their_whole_in_the_file_or_in_the_list_and_no_deeper(take: Any, call: Any) -> None:
    answer = take("a.ics", calendar(todo("p1", "part", "RELATED-TO:w"), todo("d", "deep", "RELATED-TO:p1"), todo("w", "whole"),
                                    todo("x", "lost", "RELATED-TO:no"),
                                    todo("m", "circle", "RELATED-TO:n"), todo("n", "circle", "RELATED-TO:m")))  # fmt: skip
    found = {task["title"]: task for task in tasks(call)}
    assert found["part"]["parent_id"] == found["whole"]["id"]
    assert all("parent_id" not in found[title] for title in ("deep", "lost", "circle", "whole"))
    assert len(answer["left_out"]) == 2
    take("b.ics", calendar(todo("p2", "later part", "RELATED-TO:w")))
    assert next(task for task in tasks(call) if task["title"] == "later part")["parent_id"] == found["whole"]["id"]


def test_an_identity_that_stands_twice_in_a_file_counts_once(take: Any) -> None:
    answer = take("a.ics", calendar(todo("u", "one"), todo("u", "two")))
    assert answer["count"] == 1 and "标识相同" in answer["left_out"][0]


# ---- files


def test_formats_are_told_by_the_ending_and_by_the_content(take: Any) -> None:
    assert take("a.ical", SAMPLES["ics"][1])["fmt"] == "ics"
    assert take("b.txt", SAMPLES["ics"][1])["fmt"] == "ics" and take("c.data", SAMPLES["taskwarrior"][1])["fmt"] == "taskwarrior"
    assert take("d.md", "# a page\n")["code"] == "invalid_argument" and take("d.md", "a\n", fmt="todotxt")["count"] == 1
    assert take("e.txt", "")["count"] == 0


@pytest.mark.parametrize("codec", ["utf-8-sig", "gb18030", "utf-16"])
def test_files_of_other_encodings_are_read(take: Any, call: Any, codec: str) -> None:
    assert take("a.txt", "交作业\n".encode(codec))["count"] == 1 and tasks(call)[0]["title"] == "交作业"


def test_files_outside_the_workspace_are_neither_read_nor_written(call: Any, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "secret.txt").write_text("secret\n")
    (tmp_path / "link.txt").symlink_to(elsewhere / "secret.txt")
    (tmp_path / "folder").symlink_to(elsewhere)
    (tmp_path / "circle.txt").symlink_to(tmp_path / "circle.txt")
    for path in ("../secret.txt", str(elsewhere / "secret.txt"), "link.txt", "folder/secret.txt", "circle.txt", ".", "", "a" * 400 + ".txt"):
        assert not call("import_tasks", now=NOW, path=path)["ok"], path
        if path:
            assert call("export_tasks", now=NOW, path=path, fmt="todotxt")["ok"] is False, path
    assert (elsewhere / "secret.txt").read_text() == "secret\n" and sorted(os.listdir(elsewhere)) == ["secret.txt"]


def test_what_is_no_plain_file_is_refused_at_once(call: Any, tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    begin = time.monotonic()
    assert call("import_tasks", now=NOW, path="folder.txt")["code"] == call("import_tasks", now=NOW, path="pipe.txt")["code"] == "invalid_argument"
    assert call("import_tasks", now=NOW, path="none.txt")["code"] == "not_found" and time.monotonic() - begin < 5
    assert call("export_tasks", now=NOW, path="folder.txt", fmt="todotxt")["code"] == "invalid_argument"
    assert call("export_tasks", now=NOW, path="pipe.txt/a.txt", fmt="todotxt")["code"] == "invalid_argument"


def test_an_export_replaces_nothing_of_another_kind(call: Any, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()")
    (tmp_path / "list.txt").symlink_to(tmp_path / "todo.db")
    for path in ("todo.db", "main.py", "list.txt", "exports/tasks.ics", ".txt"):
        assert "txt" in call("export_tasks", now=NOW, path=path, fmt="todotxt")["error"]
    assert call("task_stats", now=NOW)["ok"] and (tmp_path / "main.py").read_text() == "print()"


def test_only_a_status_may_be_exported(call: Any, tmp_path: Path) -> None:
    call("add_task", now=NOW, title="open")
    call("add_task", now=NOW, title="closed", status="done")
    assert call("export_tasks", now=NOW, fmt="todotxt", status="done", path="sub/done.txt")["count"] == 1
    assert (tmp_path / "sub" / "done.txt").read_text() == "x 2026-10-14 2026-10-14 closed pri:B\n"


def test_too_large_and_too_many_are_refused(take: Any, call: Any, tmp_path: Path) -> None:
    assert "10 MB" in take("a.txt", b"a\n" * (5 * 1024 * 1024 + 1))["error"]
    assert take("b.txt", "a\n" * 10_001)["error"].startswith("第 10001 行") and tasks(call) == []


def test_ten_thousand_tasks_come_and_go_in_seconds(take: Any, call: Any) -> None:
    begin = time.monotonic()
    assert take("a.txt", "".join(f"(B) 2026-10-01 task {n} @home due:2026-11-{1 + n % 28:02}\n" for n in range(10_000)))["count"] == 10_000
    assert call("export_tasks", now=NOW, fmt="ics")["count"] == 10_000
    assert time.monotonic() - begin < 30
    assert call("undo", now=NOW)["ok"] and tasks(call) == []
