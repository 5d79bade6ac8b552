"""The watch as a process: one at a time, each reminder on one line and once, whatever kills it; and its rounds with a clock that is handed in."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from taskbook.contract import TodoError
from taskbook.lock import Held, single
from taskbook.notify import Delivery
from taskbook.store import Store
from taskbook.watch import Watcher

MAIN = Path(__file__).resolve().parents[3] / "skills" / "todo" / "main.py"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "todo.db"


def add(database: Path, title: str, due: datetime | str) -> int:
    text = due if isinstance(due, str) else due.replace(microsecond=0).isoformat()
    deadline = text if "T" in text else f"{text}T23:59:59"
    store = Store(database)
    try:
        with store.write() as db:
            row = (title, text, deadline, text, text)
            return int(
                db.execute(
                    "INSERT INTO tasks (title, notes, priority, status, due_date, deadline, tags, created_at, updated_at, changed)"
                    " VALUES (?, '', 'medium', 'todo', ?, ?, '[]', ?, ?, 1)",
                    row,
                ).lastrowid
                or 0
            )
    finally:
        store.close()


def marked(database: Path) -> int:
    with closing(sqlite3.connect(database)) as db:
        return int(db.execute("SELECT count(*) FROM reminded").fetchone()[0])


# ---- real processes


class Process:
    """A watch in a process of its own, its output in files."""

    def __init__(self, database: Path, *words: str, folder: Path) -> None:
        self.out, self.err = folder / f"out-{time.monotonic_ns()}", folder / f"err-{time.monotonic_ns()}"
        environment = {**os.environ, "PATH": str(folder / "bin"), "AGENT_LANG": "en"}
        command = [sys.executable, str(MAIN), "watch", "--db", str(database), *words]
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment)

    def lines(self) -> list[str]:
        return self.out.read_text(encoding="utf-8").splitlines()

    def told(self) -> str:
        return self.err.read_text(encoding="utf-8")

    def until(self, ready: Callable[[Process], bool], seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not ready(self):
            assert time.monotonic() < end, (self.lines(), self.told())
            time.sleep(0.02)

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)


@pytest.fixture
def watch(database: Path, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """watch("--interval", "1") starts a process; those left over are ended."""
    started: list[Process] = []

    def start(*words: str) -> Process:
        started.append(Process(database, *words, folder=tmp_path))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
        each.process.wait(20)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_watch_with_0_and_no_traceback(watch: Any, database: Path, number: int) -> None:
    add(database, "late one", "2020-01-02T03:04:00")
    process = watch()
    process.until(lambda it: len(it.lines()) == 1)
    begin = time.monotonic()
    assert process.end(number) == 0 and time.monotonic() - begin < 5
    assert "Traceback" not in process.told() and "ended" in process.told()
    assert re.fullmatch(r"2020-01-02 03:04  #1 late one  \d+ days( \d+ hours?)? late", process.lines()[0])


def test_once_looks_once(watch: Any, database: Path) -> None:
    add(database, "交作业\n\x1b[31m", "2020-01-02")
    first, second = watch("--once", "--lang", "zh"), None
    assert first.process.wait(20) == 0 and len(first.lines()) == 1 and "交作业 [31m" in first.lines()[0] and "已过" in first.lines()[0]
    second = watch("--once")
    assert second.process.wait(20) == 0 and second.lines() == []


def test_what_was_given_before_kill_9_is_not_given_again(watch: Any, database: Path) -> None:
    add(database, "a", "2020-01-02T03:04:00")
    first = watch("--interval", "0.2")
    first.until(lambda it: len(it.lines()) == 1 and marked(database) > 0)  # between the two, a kill would have it told again: better than never
    first.process.kill()
    first.process.wait(20)
    add(database, "b", "2020-01-03T03:04:00")
    second = watch("--interval", "0.2")
    second.until(lambda it: len(it.lines()) >= 1)
    time.sleep(0.6)
    assert len(second.lines()) == 1 and "#2 b" in second.lines()[0]
    assert second.end() == 0


def test_a_second_watch_says_who_holds_it_and_ends_with_1(watch: Any, database: Path, tmp_path: Path) -> None:
    first = watch()
    first.until(lambda it: "watching" in it.told())
    link = tmp_path / "other.db"
    link.symlink_to(database)
    second = Process(link, folder=tmp_path)
    assert second.process.wait(20) == 1
    assert f"process {first.process.pid}" in second.told() and second.lines() == [] and "Traceback" not in second.told()
    assert first.end() == 0


def test_a_reminder_comes_at_its_moment_and_not_with_the_next_look(watch: Any, database: Path) -> None:
    due = datetime.now().replace(microsecond=0) + timedelta(seconds=3)
    add(database, "a", due)
    process = watch("--interval", "60")
    process.until(lambda it: len(it.lines()) == 1)  # an hour before has long come
    process.until(lambda it: len(it.lines()) == 2)
    assert timedelta(0) <= datetime.now() - due < timedelta(seconds=1.5)
    if Path("/proc/self/stat").exists():
        used = Path(f"/proc/{process.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        assert sum(map(int, used)) < 100  # hundredths of a second: it waits, it does not spin
    assert process.end() == 0


def test_what_comes_together_is_one_notification(watch: Any, database: Path, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {tmp_path}/words\n', encoding="utf-8")
    program.chmod(0o755)
    for number in range(7):
        add(database, f"t{number}", "2020-01-02T03:04:00")
    process = watch("--once")
    assert process.process.wait(20) == 0 and len(process.lines()) == 7 and process.told() == ""
    words = (tmp_path / "words").read_text(encoding="utf-8").splitlines()
    assert words.count("--app-name=todo") == 1 and "7 reminders" in words and "… and 2 more" in words


@pytest.mark.parametrize("words", [("--interval", "0"), ("--interval", "nan"), ("--interval",), ("--colour",), ("now",), ("--lang", "fr")])
def test_wrong_words_end_with_2(watch: Any, words: tuple[str, ...]) -> None:
    process = watch(*words)
    assert process.process.wait(20) == 2 and '"ok": false' in process.lines()[0]


def test_a_file_that_is_no_list_ends_with_1(watch: Any, database: Path) -> None:
    database.write_bytes(b"no list at all, but long enough to be looked at" * 50)
    process = watch()
    assert process.process.wait(20) == 1 and "no to-do list" in process.told() and "Traceback" not in process.told()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is needed")
def test_what_a_full_disk_could_not_take_comes_again(database: Path, tmp_path: Path) -> None:
    add(database, "a", "2020-01-02T03:04:00")
    command = [sys.executable, str(MAIN), "watch", "--db", str(database), "--once"]
    environment = {**os.environ, "PATH": str(tmp_path), "AGENT_LANG": "en"}
    with open("/dev/full", "wb") as full:
        refused = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment, timeout=30, check=False)
    assert refused.returncode == 1 and b"disk is full" in refused.stderr and b"Traceback" not in refused.stderr
    taken = subprocess.run(command, capture_output=True, env=environment, timeout=30, check=False)
    assert taken.returncode == 0 and taken.stdout.count(b"\n") == 1


# ---- rounds


class Stage:
    """A watcher with a clock, a page and a desktop that a test can read."""

    def __init__(self, database: Path) -> None:
        self.now = datetime(2026, 10, 14, 9)
        self.page: list[str] = []
        self.notices: list[tuple[str, str]] = []
        self.fault: OSError | None = None
        self.watcher = Watcher(database, "en", lambda: self.now, self._show, self._notify)

    def _show(self, text: str) -> None:
        if self.fault:
            raise self.fault
        self.page += text.splitlines()

    def _notify(self, title: str, message: str) -> Delivery:
        self.notices.append((title, message))
        return Delivery(False, "", "none")

    def at(self, hour: int, minute: int = 0, second: float = 0) -> bool:
        self.now = datetime(2026, 10, 14, hour, minute) + timedelta(seconds=second)
        return self.watcher.round()


@pytest.fixture
def stage(database: Path) -> Iterator[Stage]:
    made = Stage(database)
    yield made
    made.watcher.close()


def test_it_sleeps_until_the_next_moment_and_at_most_the_interval(stage: Stage, database: Path) -> None:
    add(database, "a", "2026-10-14T15:00:00")
    assert stage.at(13, 59) and stage.watcher.delay(30) == 30 and stage.watcher.delay(3600) == 60
    assert stage.at(13, 59, 59.5) and stage.watcher.delay(30) == 0.5
    assert stage.at(14) and stage.page == ["2026-10-14 15:00  #1 a  1 hour left"]
    assert stage.at(14, 30) and len(stage.page) == 1
    assert stage.at(15, 0, 0.25) and stage.page[1:] == ["2026-10-14 15:00  #1 a  due now"]


def test_a_missing_desktop_is_told_once(stage: Stage, database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(database, "a", "2026-10-14T10:00:00"), add(database, "b", "2026-10-14T12:00:00")
    assert stage.at(9) and stage.at(12)
    assert [title for title, _ in stage.notices] == ["a", "2 reminders"]
    assert capsys.readouterr().err.count("desktop") == 1


def test_a_locked_database_is_told_once_and_tried_again(stage: Stage, database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(database, "a", "2026-10-14T10:00:00")
    assert stage.at(8)
    assert stage.watcher._store is not None
    stage.watcher._store.db.execute("PRAGMA busy_timeout = 20")
    other = sqlite3.connect(database, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        assert not stage.at(10) and stage.page == []
    finally:
        other.close()
    assert stage.at(10, 1) and len(stage.page) == 1
    told = capsys.readouterr().err
    assert told.count("writing to the to-do list") == 1 and told.count("come again") == 1


def test_what_could_not_be_printed_is_not_marked(stage: Stage, database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(database, "a", "2026-10-14T10:00:00")
    stage.fault = OSError(28, "No space left on device")
    assert not stage.at(10) and not stage.at(10, 1) and stage.notices == []
    stage.fault = None
    assert stage.at(10, 2) and stage.page == ["2026-10-14 10:00  #1 a  2 minutes late"]
    assert capsys.readouterr().err.count("disk is full") == 1


def test_a_reader_that_has_gone_ends_the_watch(stage: Stage, database: Path) -> None:
    add(database, "a", "2026-10-14T10:00:00")
    stage.fault = BrokenPipeError()
    with pytest.raises(BrokenPipeError):
        stage.at(10)


def test_a_file_that_was_replaced_is_opened_anew(stage: Stage, database: Path, tmp_path: Path) -> None:
    assert stage.at(9)
    add(tmp_path / "backup.db", "from the backup", "2026-10-14T10:00:00")
    os.replace(tmp_path / "backup.db", database)
    assert stage.at(10) and stage.page == ["2026-10-14 10:00  #1 from the backup  due now"]


def test_a_damaged_file_ends_the_watch(stage: Stage, database: Path) -> None:
    database.write_bytes(b"x" * 5000)
    with pytest.raises(TodoError) as caught:
        stage.at(9)
    assert "damaged" in caught.value.say("en")


def test_the_lock_is_held_by_one_and_given_back(tmp_path: Path) -> None:
    path, now = tmp_path / "lock", datetime(2026, 10, 14, 9)
    with single(path, now):
        with pytest.raises(Held) as caught, single(path, now):
            raise AssertionError("held twice")
        assert (caught.value.pid, caught.value.since) == (os.getpid(), "2026-10-14T09:00:00")
    with single(path, now):
        path.write_text("no JSON")
        with pytest.raises(Held) as caught, single(path, now):
            raise AssertionError("held twice")
        assert caught.value.pid == 0
