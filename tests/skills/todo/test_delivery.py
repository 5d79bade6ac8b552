"""Each reminder is given once: late after downtime, anew when the deadline changes, never for what is done, not in the quiet hours."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from taskbook import firing
from taskbook.store import Store

DAY = "2026-10-14"


@pytest.fixture
def at(call: Any) -> Any:
    """at("14:00") -> [(title, level)] of the reminders given then; a whole moment is one too."""

    def ask(clock: str, **values: Any) -> list[tuple[str, str]]:
        answer = call("reminders", now=clock if "T" in clock else f"{DAY}T{clock}:00", **values)
        assert answer["ok"] and answer["count"] == len(answer["reminders"])
        return [(item["title"], item["level"]) for item in answer["reminders"]]

    return ask


@pytest.fixture
def add(call: Any) -> Any:
    def one(title: str, due: str | None = f"{DAY}T15:00:00") -> int:
        answer = call("add_task", now=f"{DAY}T08:30:00", title=title, **({"due_date": due} if due else {}))
        return int(answer["task"]["id"])

    return one


def test_a_deadline_speaks_an_hour_before_and_when_it_has_come_and_each_time_once(at: Any, add: Any) -> None:
    add("a")
    assert at("13:59") == []
    assert at("14:00") == [("a", "due_soon")] and at("14:01") == [] and at("14:59") == []
    assert at("15:00") == [("a", "overdue")] and at("15:00") == [] and at("2026-11-14T15:00:00") == []


def test_after_downtime_a_late_reminder_comes_once_and_the_missed_one_not_at_all(at: Any, add: Any, call: Any) -> None:
    add("a")
    answer = call("reminders", now="2026-10-17T15:00:00")
    assert [(item["level"], item["minutes_left"]) for item in answer["reminders"]] == [("overdue", -3 * 1440)]
    assert "3 天" in answer["text"] and at("2026-10-17T15:01:00") == []


def test_a_date_speaks_in_the_morning_of_its_day_and_of_the_next(at: Any, add: Any) -> None:
    add("a", DAY)
    assert at("00:01") == [] and at("07:59") == []
    assert at("08:00") == [("a", "today")] and at("23:59") == []
    assert at("2026-10-15T07:59:00") == []
    assert at("2026-10-15T08:00:00") == [("a", "overdue")] and at("2026-10-16T08:00:00") == []
    add("missed", DAY)
    assert at("2026-10-15T03:00:00") == [] and at("2026-10-15T09:00:00") == [("missed", "overdue")]


def test_who_begins_earlier_hears_of_the_day_earlier(at: Any, add: Any, call: Any) -> None:
    add("a", DAY)
    call("remember_preference", now=f"{DAY}T05:00:00", key="work_start", value="06:30")
    assert at("06:29") == [] and at("06:30") == [("a", "today")]


def test_another_deadline_arms_it_anew(at: Any, add: Any, call: Any) -> None:
    task = add("a")
    assert at("15:00") == [("a", "overdue")]
    call("update_task", now=f"{DAY}T15:01:00", task_id=task, due_date=f"{DAY}T17:00:00")
    assert at("15:02") == [] and at("16:00") == [("a", "due_soon")] and at("17:00") == [("a", "overdue")]
    call("update_task", now=f"{DAY}T17:01:00", task_id=task, title="b")
    assert at("17:02") == []


def test_done_and_deleted_tasks_are_silent(at: Any, add: Any, call: Any) -> None:
    done, gone, back = add("done"), add("gone"), add("back")
    call("complete_task", now=f"{DAY}T09:00:00", task_id=done)
    call("delete_task", now=f"{DAY}T09:00:00", task_id=gone, confirm=True)
    call("complete_task", now=f"{DAY}T09:00:00", task_id=back)
    assert at("14:00") == []
    call("update_task", now=f"{DAY}T14:30:00", task_id=back, status="todo")
    assert at("14:31") == [("back", "due_soon")]


def test_a_clock_that_is_set_back_brings_nothing_twice(at: Any, add: Any) -> None:
    add("a")
    assert at("15:00") == [("a", "overdue")]
    for clock in ("13:00", "14:00", "14:30", "15:00", "15:30"):
        assert at(clock) == []


def test_a_clock_that_is_set_forward_loses_nothing(at: Any, add: Any) -> None:
    add("a"), add("b", "2026-10-14T15:20:00"), add("c", "2026-10-14T19:00:00")
    assert at("13:00") == []
    assert at("18:00") == [("a", "overdue"), ("b", "overdue"), ("c", "due_soon")]


def test_what_was_given_is_known_after_a_restart_and_to_other_surfaces(at: Any, add: Any, call: Any, store: Any, ctx: Any) -> None:
    from taskbook import delivery

    add("a")
    assert at("15:00") == [("a", "overdue")]
    other = Store(store.path)
    try:
        again = delivery.reminders(_with(ctx(now=f"{DAY}T15:00:00"), other), {"within_minutes": 60})
    finally:
        other.close()
    assert again["reminders"] == []


def _with(context: Any, store: Store) -> Any:
    from dataclasses import replace

    return replace(context, store=store)


def test_quiet_hours_hold_back_and_afterwards_all_comes_at_once(at: Any, add: Any, call: Any) -> None:
    call("remember_preference", now=f"{DAY}T08:00:00", key="quiet_start", value="22:00")
    call("remember_preference", now=f"{DAY}T08:00:00", key="quiet_end", value="07:00")
    add("a", f"{DAY}T23:00:00"), add("b", "2026-10-15T02:00:00"), add("c", "2026-10-15T07:30:00")
    for clock in (f"{DAY}T22:00:00", f"{DAY}T23:30:00", "2026-10-15T06:59:59"):
        answer = call("reminders", now=clock)
        assert (answer["reminders"], answer["quiet_until"]) == ([], "2026-10-15T07:00:00")
    assert "07:00" in answer["message"]
    assert at("2026-10-15T07:00:00") == [("a", "overdue"), ("b", "overdue"), ("c", "due_soon")]
    assert at("2026-10-15T07:00:01") == []


def test_quiet_hours_may_lie_within_a_day() -> None:
    noon = firing.Habits(quiet_start=time(12), quiet_end=time(13, 30))
    day = datetime(2026, 10, 14)
    assert noon.quiet_until(day.replace(hour=11, minute=59, second=59)) is None
    assert noon.quiet_until(day.replace(hour=12)) == noon.quiet_until(day.replace(hour=13, minute=29)) == day.replace(hour=13, minute=30)
    assert noon.quiet_until(day.replace(hour=13, minute=30)) is None
    assert firing.Habits(quiet_start=time(9), quiet_end=time(9)).quiet_until(day.replace(hour=9)) is None


def test_a_task_that_is_put_off_comes_back_once(at: Any, add: Any, call: Any) -> None:
    task = add("a")
    assert at("14:00") == [("a", "due_soon")]
    answer = call("snooze", now=f"{DAY}T14:00:00", task_id=task, until=f"{DAY}T15:30:00")
    assert answer["until"] == f"{DAY}T15:30:00" and "15:30" in answer["message"]
    assert at("15:00") == [] and at("15:29") == []
    assert at("15:30") == [("a", "overdue")] and at("15:31") == [] and at("2026-10-15T15:30:00") == []


def test_a_task_that_is_put_off_again_and_again_keeps_the_last_word(at: Any, add: Any, call: Any) -> None:
    task = add("a", None)
    for until in ("14:00", "16:00"):
        assert call("snooze", now=f"{DAY}T13:00:00", task_id=task, until=f"{DAY}T{until}:00")["ok"]
    assert at("14:00") == [] and at("16:00") == [("a", "due_soon")] and at("16:00") == []


def test_a_phrase_says_how_long_and_a_day_means_its_morning(add: Any, call: Any) -> None:
    task = add("a")
    assert call("snooze", now=f"{DAY}T14:00:00", task_id=task, until="十分钟后")["until"] == f"{DAY}T14:10:00"
    answer = call("snooze", now=f"{DAY}T14:00:00", task_id=task, until="明天")
    assert answer["until"] == "2026-10-15T08:00:00" and answer["assumed"] in answer["message"]


def test_what_cannot_be_put_off_is_refused(add: Any, call: Any) -> None:
    task = add("a")
    assert call("snooze", now=f"{DAY}T14:00:00", task_id=99, until="明天")["code"] == "not_found"
    for until in (f"{DAY}T14:00:00", "昨天", "改天", "今天"):
        assert call("snooze", now=f"{DAY}T14:00:00", task_id=task, until=until)["code"] == "invalid_argument", until
    call("complete_task", now=f"{DAY}T14:00:00", task_id=task)
    assert "已经完成" in call("snooze", now=f"{DAY}T14:00:00", task_id=task, until="明天")["error"]


def test_a_task_that_is_done_while_it_is_put_off_stays_silent(at: Any, add: Any, call: Any) -> None:
    task = add("a")
    call("snooze", now=f"{DAY}T14:00:00", task_id=task, until=f"{DAY}T14:30:00")
    call("complete_task", now=f"{DAY}T14:10:00", task_id=task)
    assert at("14:30") == [] and at("16:00") == []


def test_a_hundred_come_at_once_and_the_others_with_the_next_call(at: Any, call: Any) -> None:
    call("add_tasks", now=f"{DAY}T08:30:00", tasks=[{"title": f"t{n}", "due_date": f"{DAY}T15:00:00"} for n in range(130)])
    first = call("reminders", now=f"{DAY}T15:00:00")
    assert (first["count"], first["more"]) == (100, 30)
    assert len(at("15:00")) == 30 and at("15:00") == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2880), st.booleans()), min_size=1, max_size=4), st.lists(st.integers(-400, 900), max_size=14))
def test_whatever_the_clock_does_nothing_is_lost_and_nothing_comes_twice(
    tmp_path_factory: pytest.TempPathFactory, dues: list[tuple[int, bool]], steps: list[int]
) -> None:
    store, begin, habit = Store(tmp_path_factory.mktemp("clock") / "todo.db"), datetime(2026, 10, 14), firing.Habits()
    try:
        with store.write() as db:
            for minutes, day in dues:
                moment = begin + timedelta(minutes=minutes)
                due, deadline = (f"{moment:%Y-%m-%d}", f"{moment:%Y-%m-%dT23:59:59}") if day else (moment.isoformat(), moment.isoformat())
                db.execute(
                    "INSERT INTO tasks (title, notes, priority, status, due_date, deadline, tags, created_at, updated_at, changed)"
                    " VALUES ('t', '', 'low', 'todo', ?, ?, '[]', ?, ?, 1)",
                    (due, deadline, begin.isoformat(), begin.isoformat()),
                )
        now = begin
        given_: list[tuple[int, str]] = []
        for step in [*steps, 5000]:
            now = max(begin, now + timedelta(minutes=step))
            if step == 5000:
                now = begin + timedelta(minutes=step)
            with store.write() as db:
                found = firing.come(store, now, 60, habit)
                firing.mark(db, found, now, 60, habit)
            for each in found:
                assert firing.reached(each.task.due_date or "", now, 60, habit.morning)[-1] == each.level
            given_ += [(each.task.id, each.level) for each in found]
            assert firing.next_moment(store, now, 60, habit) > now
        assert len(given_) == len(set(given_))
        assert {task for task, level in given_ if level == "overdue"} == set(range(1, len(dues) + 1))
        for task in range(1, len(dues) + 1):
            assert [level for number, level in given_ if number == task][-1] == "overdue"
    finally:
        store.close()


def test_a_watch_may_sleep_until_the_next_moment(store: Any, add: Any, call: Any) -> None:
    task = add("a"), add("b", "2026-10-16")
    now = datetime.fromisoformat(f"{DAY}T09:00:00")
    habit = firing.Habits()
    assert firing.next_moment(store, now, 60, habit) == datetime(2026, 10, 14, 14)
    assert firing.next_moment(store, datetime(2026, 10, 14, 14), 60, habit) == datetime(2026, 10, 14, 15)
    assert firing.next_moment(store, datetime(2026, 10, 15, 9), 60, habit) == datetime(2026, 10, 16, 8)
    call("snooze", now=f"{DAY}T09:00:00", task_id=task[0], until=f"{DAY}T09:20:00")
    assert firing.next_moment(store, now, 60, habit) == datetime(2026, 10, 14, 9, 20)
    quiet = firing.Habits(quiet_start=time(8), quiet_end=time(10))
    assert firing.next_moment(store, now, 60, quiet) == datetime(2026, 10, 14, 10)
