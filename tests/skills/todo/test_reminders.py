"""What comes up, asked for: overdue, due soon, due today; the overview; a notification on the desktop."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from taskbook.reminders import say_left, say_length

NOW = "2026-10-14T08:30:00"


@pytest.fixture
def tasks(call: Any) -> Any:
    """tasks(title=due, …) -> {title: id}; a due of None is a task without one."""

    def add(**dues: str | None) -> dict[str, int]:
        added = {}
        for title, due in dues.items():
            answer = call("add_task", now=NOW, title=title, **({"due_date": due} if due else {}))
            assert answer["ok"], answer
            added[title] = answer["task"]["id"]
        return added

    return add


def titles(items: list[dict[str, Any]]) -> list[str]:
    return [item["title"] for item in items]


def test_overdue_and_due_soon_and_today_are_told_apart(call: Any, tasks: Any) -> None:
    tasks(
        late="2026-10-14T08:00:00", yesterday="2026-10-13", soon="2026-10-14T09:00:00", edge="2026-10-14T09:30:00", beyond="2026-10-14T09:31:00",
        today="2026-10-14", tomorrow="2026-10-15", never=None,
    )  # fmt: skip
    answer = call("get_due_reminders", now=NOW)
    assert [(item["title"], item["level"], item["minutes_left"]) for item in answer["reminders"]] == [
        ("yesterday", "overdue", -511), ("late", "overdue", -30), ("soon", "due_soon", 30), ("edge", "due_soon", 60)
    ]  # fmt: skip
    assert [(item["title"], item["level"]) for item in answer["today"]] == [("today", "today")]
    assert (answer["count"], answer["total"]) == (5, 5)
    assert "逾期 2 项" in answer["message"] and all(name in answer["text"] for name in ("late", "yesterday", "soon", "edge", "today"))


def test_a_task_due_this_very_second_is_not_overdue(call: Any, tasks: Any) -> None:
    tasks(sharp=NOW)
    assert [(item["level"], item["minutes_left"]) for item in call("get_due_reminders", now=NOW)["reminders"]] == [("due_soon", 0)]
    assert [(item["level"], item["minutes_left"]) for item in call("get_due_reminders", now="2026-10-14T08:30:01")["reminders"]] == [("overdue", -1)]


def test_a_date_is_never_overdue_on_its_day_and_always_on_the_next(call: Any, tasks: Any) -> None:
    tasks(day="2026-10-14")
    assert titles(call("get_due_reminders", now="2026-10-14T23:59:59")["today"]) == ["day"]
    assert titles(call("get_due_reminders", now="2026-10-15T00:00:00")["reminders"]) == ["day"]


def test_how_far_ahead_is_the_callers_choice(call: Any, tasks: Any) -> None:
    tasks(soon="2026-10-14T09:00:00")
    assert call("get_due_reminders", now=NOW, within_minutes=29)["reminders"] == []
    assert titles(call("get_due_reminders", now=NOW, within_minutes=30)["reminders"]) == ["soon"]
    assert titles(call("get_due_reminders", now="2026-10-14T00:00:00", within_minutes=1440)["reminders"]) == ["soon"]


def test_done_tasks_are_not_listed_and_reading_marks_nothing(call: Any, tasks: Any) -> None:
    ids = tasks(late="2026-10-14T08:00:00", done="2026-10-14T08:00:00")
    call("complete_task", now=NOW, task_id=ids["done"])
    for _ in range(2):
        assert titles(call("get_due_reminders", now=NOW)["reminders"]) == ["late"]
    assert titles(call("reminders", now=NOW)["reminders"]) == ["late"]


def test_a_long_list_is_counted_whole_and_shown_in_part(call: Any) -> None:
    call("add_tasks", now=NOW, tasks=[{"title": f"t{n:02}", "due_date": f"2026-10-13T10:{n:02}:00"} for n in range(60)])
    answer = call("get_due_reminders", now=NOW)
    assert (answer["count"], answer["total"]) == (50, 60) and "逾期 60 项" in answer["message"] and "另有 40 项" in answer["text"]
    assert titles(answer["reminders"])[:2] == ["t00", "t01"]


def test_nothing_due_is_said_in_a_sentence(call: Any) -> None:
    answer = call("get_due_reminders", now=NOW)
    assert (answer["count"], answer["message"], answer["text"]) == (0, "没有逾期或即将到期的任务", "没有逾期或即将到期的任务")


def test_the_overview_counts_and_names_the_nearest_five(call: Any, tasks: Any) -> None:
    tasks(
        late="2026-10-14T08:00:00", yesterday="2026-10-13", noon="2026-10-14T12:00:00", today="2026-10-14", night="2026-10-15T08:30:00",
        later="2026-10-15T08:31:00", week="2026-10-21T08:30:00", beyond="2026-10-21", never=None,
    )  # fmt: skip
    answer = call("reminder_overview", now=NOW)
    assert answer["overview"] == {"overdue": 2, "today": 3, "next_24h": 3, "next_7d": 5}
    assert titles(answer["nearest"]) == ["noon", "today", "night", "later", "week"]
    assert answer["nearest"][0]["minutes_left"] == 210 and "noon" in answer["text"]


@pytest.mark.parametrize(
    ("minutes", "english", "chinese"),
    [(0, "0 minutes", "0 分钟"), (1, "1 minute", "1 分钟"), (60, "1 hour", "1 小时"), (125, "2 hours 5 minutes", "2 小时 5 分钟"),
     (1440, "1 day", "1 天"), (1441, "1 day", "1 天"), (4560, "3 days 4 hours", "3 天 4 小时")],
)  # fmt: skip
def test_lengths_are_said_in_two_units(minutes: int, english: str, chinese: str) -> None:
    assert (say_length(minutes, "en"), say_length(minutes, "zh")) == (english, chinese)


def test_what_is_due_within_a_minute_is_due_now() -> None:
    from datetime import datetime, timedelta

    now = datetime.fromisoformat(NOW)
    assert [say_left(now, now + timedelta(seconds=seconds), "en") for seconds in (-60, -59, 0, 59, 60)] == [
        "1 minute late", "due now", "due now", "due now", "1 minute left"
    ]  # fmt: skip


def test_a_notification_goes_to_the_desktop(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {tmp_path}/words\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr("sys.platform", "linux")
    answer = call("send_desktop_notification", now=NOW, title="喝水", message="$(id)")
    assert (answer["ok"], answer["delivered"], answer["channel"]) == (True, True, "notify-send")
    assert (tmp_path / "words").read_text(encoding="utf-8") == "--app-name=todo|--|喝水|$(id)|"


def test_without_a_desktop_the_console_has_the_words(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    answer = call("send_desktop_notification", now=NOW, title="喝水", message="现在")
    assert (answer["ok"], answer["delivered"], answer["fallback"], answer["text"]) == (True, False, "console", "喝水\n现在")
    assert call("send_desktop_notification", now=NOW, title="  ", message="x")["code"] == "invalid_argument"
