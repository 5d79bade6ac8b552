"""The command line of the to-do list, as a shell and as another program use it: one JSON object, three exit statuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MAIN = Path(__file__).resolve().parents[3] / "skills" / "todo" / "main.py"
NOW = "2026-10-14T08:30:00"


def start(*words: str, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TODO_", "AGENT_"))}
    return subprocess.run(
        [sys.executable, str(MAIN), *words], input=stdin, capture_output=True, cwd=cwd, env={**clean, **environment}, timeout=60, check=False
    )


@pytest.fixture
def todo(tmp_path: Path) -> Any:
    """todo("list_tasks", …) -> (exit status, the object); the database lies in the test's folder."""

    def run(*words: str, stdin: bytes = b"") -> tuple[int, dict[str, Any]]:
        done = start(*words, "--db", str(tmp_path / "todo.db"), "--now", NOW, stdin=stdin)
        assert done.stdout.count(b"\n") == 1, done
        return done.returncode, json.loads(done.stdout)

    return run


def test_an_operation_prints_one_object_and_ends_with_0(todo: Any) -> None:
    status, answer = todo("add_task", "交作业", "--priority", "高", "--due-date=2026-10-15T15:00:00", "--tags", "学校，数学")
    assert status == 0 and answer["ok"] is True
    assert answer["message"] == "已创建任务 #1「交作业」，截止 明天 15:00"
    assert {name: answer["task"][name] for name in ("id", "title", "priority", "status", "due_date", "tags", "overdue")} == {
        "id": 1,
        "title": "交作业",
        "priority": "high",
        "status": "todo",
        "due_date": "2026-10-15T15:00:00",
        "tags": ["学校", "数学"],
        "overdue": False,
    }


def test_values_may_come_as_json_in_an_argument_or_on_stdin(todo: Any) -> None:
    quoted = {"title": 'it\'s "quoted" $HOME `x`; 【中文】', "estimated_minutes": 30}
    assert todo("add_task", "--json", json.dumps(quoted))[1]["task"]["title"] == quoted["title"]
    assert todo("add-task", "--json", "-", stdin='\ufeff{"title": "买牛奶"}'.encode())[1]["task"]["title"] == "买牛奶"


def test_a_lone_json_flag_is_allowed_anywhere(todo: Any) -> None:
    assert todo("--json", "task_stats")[0] == todo("task_stats", "--json")[0] == 0


def test_a_title_that_begins_with_a_dash_is_a_title(todo: Any) -> None:
    assert todo("add_task", "--title=--now")[1]["task"]["title"] == "--now"
    assert start("add_task", "--db", ":memory:", "--", "-5 degrees").returncode == 0


def test_what_cannot_be_done_ends_with_1_and_says_why_on_stdout(todo: Any) -> None:
    status, answer = todo("get_task", "7")
    assert (status, answer["ok"], answer["code"]) == (1, False, "not_found")
    assert answer["error"] == answer["message"] and "7" in answer["error"]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((), "操作"),
        (("frobnicate",), "frobnicate"),
        (("add_task",), "title"),
        (("add_task", "a", "b"), "b"),
        (("add_task", "a", "--colour", "red"), "--colour"),
        (("add_task", "--title"), "--title"),
        (("add_task", "a", "--title", "b"), "a"),
        (("list_tasks", "--json", "{"), "--json"),
        (("list_tasks", "--json", "[1]"), "--json"),
        (("add_task", "a", "--notes", "x", "--notes", "y"), "--notes"),
        (("list_tasks", "--batch", "-"), "--batch"),
    ],
)
def test_wrong_usage_ends_with_2_and_is_still_one_object(todo: Any, words: tuple[str, ...], part: str) -> None:
    status, answer = todo(*words)
    assert status == 2 and answer["ok"] is False and answer["code"] == "invalid_argument" and part in answer["error"]


def test_wrong_values_name_the_parameter(todo: Any) -> None:
    for words, name in (
        (("--limit", "many"), "limit"),
        (("--status", "lost"), "status"),
        (("--only-overdue", "perhaps"), "perhaps"),
        (("--limit", "0"), "limit"),
    ):
        status, answer = todo("list_tasks", *words)
        assert status in (1, 2) and answer["code"] == "invalid_argument" and name in answer["error"]


def test_sentences_are_chinese_unless_the_agent_or_the_caller_says_english(tmp_path: Path) -> None:
    database = ("--db", str(tmp_path / "todo.db"))
    assert "任务" in json.loads(start("add_task", "x", *database, LANG="en_US.UTF-8").stdout)["message"]
    assert "task" in json.loads(start("add_task", "y", *database, AGENT_LANG="en").stdout)["message"].lower()
    assert "task" in json.loads(start("add_task", "z", *database, "--lang", "en", AGENT_LANG="zh").stdout)["message"].lower()
    assert start("add_task", "z", *database, "--lang", "fr").returncode == 2


def test_the_database_lies_in_the_agents_workspace(tmp_path: Path) -> None:
    assert start("add_task", "x", cwd=tmp_path, AGENT_WORKSPACE=str(tmp_path / "work")).returncode == 0
    assert (tmp_path / "work" / "todo.db").is_file()
    assert start("add_task", "x", TODO_DB=str(tmp_path / "other.db"), AGENT_WORKSPACE=str(tmp_path / "work")).returncode == 0
    assert (tmp_path / "other.db").is_file()


def test_todo_now_holds_the_clock(tmp_path: Path) -> None:
    done = start("parse_time", "明天", "--db", str(tmp_path / "none.db"), TODO_NOW="2026-12-31T10:00:00")
    assert json.loads(done.stdout)["due"] == "2027-01-01"
    assert not (tmp_path / "none.db").exists()
    assert start("parse_time", "明天", TODO_NOW="soon").returncode == 1


def test_time_phrases_are_read_one_or_many_at_a_time() -> None:
    one = start("parse_time", "明天6点", "--now", "2026-10-14T10:00:00", "--json")
    assert one.returncode == 0 and json.loads(one.stdout)["due"] == "2026-10-15T18:00:00" and json.loads(one.stdout)["assumed"]
    refused = start("parse_time", "2月30日", "--now", "2026-10-14T10:00:00")
    assert refused.returncode == 1 and json.loads(refused.stdout)["due"] is None and "2月30日" in json.loads(refused.stdout)["error"]
    lines = [
        {"text": "明天下午3点前", "now": "2026-10-14T10:00:00"},
        {"text": "改天", "now": "2026-10-14T10:00:00"},
        {"text": 5},
        {"text": "今天", "now": "x"},
    ]
    many = start("parse_time", "--batch", "-", stdin="\n".join(json.dumps(line) for line in lines).encode() + b"\nnonsense\n")
    answers = [json.loads(line) for line in many.stdout.splitlines()]
    assert many.returncode == 0 and [set(answer) for answer in answers] == [{"text", "due", "assumed", "error"}] * 5
    assert (answers[0]["due"], answers[0]["assumed"], answers[0]["error"]) == ("2026-10-15T15:00:00", None, None)
    assert all(answer["due"] is None and answer["error"] for answer in answers[1:])


def test_help_lists_the_operations_and_the_parameters_of_one() -> None:
    assert b"plan_day" in start("--help").stdout and start("--help").returncode == 0
    assert b"--estimated_minutes" in start("add_task", "--help").stdout


def test_a_file_that_is_no_database_and_a_folder_that_cannot_be_made_are_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "todo.db").write_bytes(b"this is a letter, not a database" * 100)
    for place in (tmp_path / "todo.db", tmp_path / "todo.db" / "below" / "todo.db"):
        done = start("list_tasks", "--db", str(place))
        assert done.returncode == 1 and json.loads(done.stdout)["code"] == "internal" and done.stderr == b""
    assert (tmp_path / "todo.db").read_bytes().startswith(b"this is a letter")


def test_a_reader_that_leaves_and_an_interrupt_leave_no_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, str(MAIN), "serve", "--db", str(tmp_path / "todo.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdin.write(b'{"id": 1, "command": "task_stats"}\n')
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["ok"] is True
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and errors == b""
