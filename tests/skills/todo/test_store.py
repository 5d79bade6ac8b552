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


def test_steps_that_were_taken_back_and_dropped_do_not_shorten_the_journal(store: Store) -> None:
    for _ in range(KEPT_STEPS):
        with store.change(NOW, "add_task") as change:
            change.insert("tasks", ROW)
    store.db.execute("UPDATE journal SET undone = 1 WHERE step > 990")
    for _ in range(12):
        with store.change(NOW, "add_task") as change:
            change.insert("tasks", ROW)
    assert store.db.execute("SELECT count(*), min(step) FROM journal").fetchone()[:] == (KEPT_STEPS, 3)


def test_the_file_of_another_program_and_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    for name, version in (("foreign.db", 0), ("versioned.db", 1), ("counted.db", 2)):
        foreign = sqlite3.connect(tmp_path / name)
        foreign.execute("CREATE TABLE tasks (id INTEGER, song TEXT)")
        foreign.execute(f"PRAGMA user_version = {version}")
        foreign.close()
    Store(tmp_path / "newer.db").close()
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    for name in ("foreign.db", "versioned.db", "counted.db", "newer.db"):
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


def test_a_list_of_the_first_form_is_brought_up_to_date_and_can_still_be_undone(store: Store, tmp_path: Path) -> None:
    def run(list_: Store, name: str, **values: Any) -> dict[str, Any]:
        return calling.run(list_, name, values, now=NOW, lang="zh", workspace=tmp_path)

    run(store, "add_task", title="报告", tags=["工作"])
    run(store, "add_task", title="邮件")
    run(store, "delete_task", task_id=2, confirm=True)
    old = ('UPDATE tasks SET search = title || char(10) || char(10) || tags',
           "UPDATE journal_rows SET before = json_set(before, '$.search', 'x[]') WHERE before IS NOT NULL",
           "DROP INDEX tasks_order", "CREATE INDEX tasks_order ON tasks (closed, deadline IS NULL, deadline, rank, id)",
           "PRAGMA application_id = 0", "PRAGMA user_version = 1")
    for statement in old:
        store.db.execute(statement)
    again = Store(store.path)
    assert run(again, "undo")["ok"]
    found = [run(again, "list_tasks", keyword=keyword)["total"] for keyword in ("[", "工作", "邮件")]
    plan = again.db.execute("EXPLAIN QUERY PLAN SELECT id FROM tasks INDEXED BY tasks_order WHERE search GLOB '*x*'").fetchone()[3]
    again.close()
    assert found == [0, 1, 1] and "COVERING" in plan


def test_a_new_file_that_was_left_before_its_last_setting_gets_it(tmp_path: Path) -> None:
    Store(tmp_path / "todo.db").close()
    plain = sqlite3.connect(tmp_path / "todo.db")
    assert plain.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete"
    plain.close()
    opened = Store(tmp_path / "todo.db")
    assert opened.db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    opened.close()


OVERTAKEN = (
    ("delete_task", {"task_id": 1, "confirm": True}, "not_found"),
    ("delete_tasks", {"task_ids": [1], "confirm": True}, "not_found"),
    ("update_task", {"task_id": 1, "title": "b"}, "not_found"),
    ("complete_task", {"task_id": 1}, "not_found"),
    ("complete_tasks", {"task_ids": [1]}, "not_found"),
    ("set_recurrence", {"task_id": 1, "rule": "每天"}, "not_found"),
    ("skip_occurrence", {"task_id": 1}, "not_found"),
    ("add_subtask", {"parent_id": 1, "title": "b"}, "not_found"),
    ("set_parent", {"task_id": 2, "parent_id": 1}, "not_found"),
    ("forget_preference", {"key": "茶"}, "not_found"),
)


@pytest.mark.parametrize(("name", "values", "code"), OVERTAKEN)
def test_an_operation_that_another_process_overtook_sees_what_that_one_did(
    store: Store, tmp_path: Path, name: str, values: dict[str, Any], code: str
) -> None:
    def run(name: str, values: dict[str, Any]) -> dict[str, Any]:
        own = Store(store.path)
        try:
            return calling.run(own, name, values, now=NOW, lang="zh", workspace=tmp_path)
        finally:
            own.close()

    run("add_recurring", {"title": "a", "rule": "每天"})
    run("add_task", {"title": "other"})
    run("remember_preference", {"key": "茶", "value": "绿"})
    answers: list[dict[str, Any]] = []
    late = threading.Thread(target=lambda: answers.append(run(name, values)))
    with store.change(NOW, "delete_task") as change:
        change.delete("tasks", 1)
        change.delete("preferences", "茶")
        late.start()
        late.join(0.1)  # it waits for the change to end
        assert answers == []
    late.join()
    assert answers[0]["code"] == code, answers
    before = content(store)
    assert run("undo", {})["ok"] and len(content(store)["tasks"]) == len(before["tasks"]) + 1


def test_two_that_complete_one_of_a_series_at_once_make_one_follower(store: Store, tmp_path: Path) -> None:
    calling.run(store, "add_recurring", {"title": "a", "rule": "每天"}, now=NOW, lang="zh", workspace=tmp_path)
    start = threading.Barrier(4)
    answers: list[dict[str, Any]] = []

    def work() -> None:
        own = Store(store.path)
        start.wait()
        answers.append(calling.run(own, "complete_task", {"task_id": 1}, now=NOW, lang="zh", workspace=tmp_path))
        own.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted("next" in answer for answer in answers) == [False, False, False, True]
    assert sum("unchanged" in answer for answer in answers) == 3 and len(content(store)["tasks"]) == 2 and store.version == 2


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
    st.builds(lambda task, status: ("update_task", {"task_id": task, "status": status}), st.integers(1, 8), st.sampled_from(["todo", "done"])),
    st.builds(lambda task: ("update_task", {"task_id": task, "clear_due_date": True, "tags": ["x"]}), st.integers(1, 6)),
    st.builds(lambda tasks: ("delete_tasks", {"task_ids": tasks, "confirm": True}), st.lists(st.integers(1, 8), min_size=1, max_size=3)),
    st.builds(lambda task: ("set_recurrence", {"task_id": task, "rule": "每天"}), st.integers(1, 6)),
    st.builds(lambda task: ("clear_recurrence", {"task_id": task}), st.integers(1, 6)),
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
