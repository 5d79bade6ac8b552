"""The file of the to-do list: all or nothing, a journal that can be walked both ways, no file of somebody else touched."""

from __future__ import annotations

import sqlite3
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from taskbook import call as calling
from taskbook.contract import TodoError
from taskbook.store import KEPT_STEPS, Store

NOW = datetime(2026, 10, 14, 8, 30)
ROW = {"title": "a", "created_at": "2026-10-14T08:30:00", "updated_at": "2026-10-14T08:30:00"}


def content(store: Store) -> dict[str, Any]:
    """The rows that a person sees, without the versions that count changes."""
    tasks = {row["id"]: {key: row[key] for key in row.keys() if key != "changed"} for row in store.db.execute("SELECT * FROM tasks")}  # noqa: SIM118
    return {"tasks": tasks, "preferences": [tuple(row) for row in store.db.execute("SELECT * FROM preferences ORDER BY key")]}


def test_a_change_that_fails_leaves_nothing_behind(store: Store) -> None:
    with pytest.raises(RuntimeError), store.change(NOW, "add_task") as change:
        change.insert("tasks", ROW)
        raise RuntimeError("the power went")
    assert content(store)["tasks"] == {} and store.version == 0 and not store.db.in_transaction


def test_changes_inside_a_change_are_one_step(store: Store) -> None:
    with store.change(NOW, "outer") as outer:
        outer.insert("tasks", ROW)
        with store.change(NOW, "inner") as inner:
            inner.insert("tasks", ROW)
    assert [tuple(row) for row in store.db.execute("SELECT operation, undone FROM journal")] == [("outer", 0)]
    assert store.version == 1


def test_a_change_that_changes_nothing_is_no_step(store: Store) -> None:
    with store.change(NOW, "nothing"):
        pass
    assert store.version == 0 and store.db.execute("SELECT count(*) FROM journal").fetchone()[0] == 0


def test_ids_are_never_used_again(store: Store) -> None:
    with store.change(NOW, "add_task") as change:
        first = change.insert("tasks", ROW)
    with store.change(NOW, "delete_task") as change:
        change.delete("tasks", first)
    with store.change(NOW, "add_task") as change:
        assert change.insert("tasks", ROW) == first + 1


def test_the_journal_keeps_the_last_thousand_steps(store: Store) -> None:
    for _ in range(KEPT_STEPS + 20):
        with store.change(NOW, "add_task") as change:
            change.insert("tasks", ROW)
    assert store.db.execute("SELECT count(*), min(step) FROM journal").fetchone()[:] == (KEPT_STEPS, 21)
    assert store.db.execute("SELECT min(step) FROM journal_rows").fetchone()[0] == 21


def test_the_file_of_another_program_and_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE tasks (id INTEGER, song TEXT)")
    foreign.close()
    Store(tmp_path / "newer.db").close()
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    for name in ("foreign.db", "newer.db"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(TodoError) as caught:
            Store(tmp_path / name)
        assert name in caught.value.say("zh") and name in caught.value.say("en")
        assert (tmp_path / name).read_bytes() == before


def test_many_that_open_a_new_file_at_once_all_find_it_ready(tmp_path: Path) -> None:
    problems: list[BaseException] = []

    def work() -> None:
        try:
            opened = Store(tmp_path / "todo.db")
            with opened.change(NOW, "add_task") as change:
                change.insert("tasks", ROW)
            opened.close()
        except BaseException as problem:  # noqa: BLE001  # a thread's failure is the test's
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    opened = Store(tmp_path / "todo.db")
    assert opened.version == 8 and len(content(opened)["tasks"]) == 8
    opened.close()


CALLS = st.one_of(
    st.builds(
        lambda title, due: ("add_task", {"title": title, "due_date": due}), st.sampled_from("甲乙丙"), st.sampled_from(["", "明天", "周五下午3点"])
    ),
    st.just(("add_tasks", {"tasks": [{"title": "x"}, {"title": "y", "priority": "high"}]})),
    st.just(("add_recurring", {"title": "r", "rule": "每周五"})),
    st.builds(lambda task: ("complete_task", {"task_id": task}), st.integers(1, 6)),
    st.builds(lambda task: ("delete_task", {"task_id": task, "confirm": True}), st.integers(1, 6)),
    st.builds(lambda tasks: ("complete_tasks", {"task_ids": tasks}), st.lists(st.integers(1, 8), min_size=1, max_size=3)),
    st.builds(lambda task, title: ("update_task", {"task_id": task, "title": title, "status": "doing"}), st.integers(1, 6), st.sampled_from("丁戊")),
    st.builds(lambda task, parent: ("set_parent", {"task_id": task, "parent_id": parent}), st.integers(1, 6), st.integers(0, 6)),
    st.builds(lambda task: ("add_subtask", {"parent_id": task, "title": "part"}), st.integers(1, 6)),
    st.builds(lambda task: ("skip_occurrence", {"task_id": task}), st.integers(1, 6)),
    st.builds(lambda value: ("remember_preference", {"key": "default_city", "value": value}), st.sampled_from(["上海", "北京"])),
    st.just(("forget_preference", {"key": "default_city"})),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(calls=st.lists(CALLS, min_size=1, max_size=12))
def test_whatever_was_done_can_be_taken_back_and_done_again(calls: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    store = Store(":memory:")

    def run(name: str, values: dict[str, Any]) -> dict[str, Any]:
        return calling.run(store, name, values, now=NOW, lang="zh", workspace=tmp_path)

    states = [content(store)]
    for name, values in calls:
        answer = run(name, values)
        assert answer["ok"] or answer["code"] in ("not_found", "invalid_argument"), answer
        if content(store) != states[-1]:
            states.append(content(store))
    for state in states[-2::-1]:
        assert run("undo", {})["ok"] and content(store) == state
    assert run("undo", {})["code"] == "not_found"
    for state in states[1:]:
        assert run("redo", {})["ok"] and content(store) == state
    assert run("redo", {})["code"] == "not_found"
    store.close()
