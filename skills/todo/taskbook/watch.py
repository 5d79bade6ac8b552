"""The reminders in the foreground: waits for the next moment, prints one line a reminder, shows them on the desktop.

A round marks and gives in one write transaction and prints as its last act: what could not be printed is not marked and comes again. A
process that is killed between printing and committing, within a millisecond, tells it twice rather than never. The desktop is asked
afterwards, so that a slow one holds nobody up. What the disk or another program refuses is told once and tried again.
"""
from __future__ import annotations

import os
import re
import select
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from taskbook import firing
from taskbook.contract import TodoError
from taskbook.words import say

if TYPE_CHECKING:
    from taskbook.notify import Delivery
    from taskbook.store import Store

INTERVAL = 30.0  # seconds
BUNDLED = 5  # titles in one notification
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SHORTEST = 0.05  # seconds: the clock may be a little behind the moment that was waited for

Notify = Callable[[str, str], "Delivery"]


def run(store_path: Path | str, lang: str, workspace: Path, *, interval: float = INTERVAL, once: bool = False,
        clock: Callable[[], datetime] = datetime.now) -> int:
    """Watch until Ctrl-C or SIGTERM, or for one round; the exit status: 0, or 1 when another watcher runs or the file is no to-do list."""
    from taskbook.lock import Held, single

    path = Path(os.path.realpath(store_path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with single(path.with_name(f"{path.name}.watch"), clock().replace(microsecond=0)):
            return _watch(Watcher(path, lang, clock, _print, _desktop), interval, once)
    except Held as held:
        key = "watch.held" if held.pid else "watch.held_by_someone"
        _tell(say(key, lang, pid=held.pid, since=held.since.replace("T", " "), path=path))
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        _tell(say("watch.no_lock", lang, path=path, reason=error.strerror or error))
    except TodoError as problem:
        _tell(problem.say(lang))
    return 1


def _watch(watcher: Watcher, interval: float, once: bool) -> int:
    with Alarm() as alarm:
        if not once:
            _tell(say("watch.begun", watcher.lang, path=watcher.path))
        try:
            while not alarm.rung:
                calm = watcher.round()
                if once:
                    return 0 if calm else 1
                alarm.wait(watcher.delay(interval) if calm else interval)
        finally:
            watcher.close()
    _tell(say("watch.ended", watcher.lang))
    return 0


class Watcher:
    """The rounds of a watch. `show` writes lines or raises OSError, `notify` asks the desktop, `clock` is the local time."""

    def __init__(self, path: Path, lang: str, clock: Callable[[], datetime], show: Callable[[str], None], notify: Notify) -> None:
        self.path = path
        self.lang = lang
        self._clock, self._show, self._notify = clock, show, notify
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None
        self._told = ""
        self._no_desktop = False

    def round(self) -> bool:
        """Give what has come; False when something was refused, which is told and can be tried again. Raises TodoError when it cannot."""
        try:
            given, now = self._give()
        except (sqlite3.Error, OSError) as error:
            self.close()
            self._refused(error)
            return False
        if self._told:
            _tell(say("watch.again", self.lang))
            self._told = ""
        self._ask_desktop(given, now)
        return True

    def delay(self, longest: float) -> float:
        """Seconds until something may come, at most `longest`."""
        if self._store is None:
            return longest
        now = self._clock()
        try:
            moment = firing.next_moment(self._store, now.replace(microsecond=0), firing.WITHIN, firing.habits(self._store))
        except sqlite3.Error:
            return longest
        return min(longest, max((moment - now) / timedelta(seconds=1), _SHORTEST))

    def close(self) -> None:
        """Let go of the file; the next round opens it again."""
        if self._store is not None:
            self._store.close()
        self._store = None

    def _give(self) -> tuple[list[firing.Reminder], datetime]:
        store, now = self._open(), self._clock().replace(microsecond=0)
        habit = firing.habits(store)
        if not firing.come(store, now, firing.WITHIN, habit):
            return [], now
        with store.write() as db:
            given = firing.come(store, now, firing.WITHIN, habit)
            firing.mark(db, given, now, firing.WITHIN, habit)
            if given:
                self._show("".join(f"{self.line(each, now)}\n" for each in given))
        return given, now

    def _open(self) -> Store:
        """The store; another file in its place (a backup that was put back) is opened anew."""
        from taskbook.store import Store

        if self._store is not None and _identity(self.path) != self._file:
            self.close()
        if self._store is None:
            self._store = Store(self.path)
            self._file = _identity(self.path)
        return self._store

    def line(self, each: firing.Reminder, now: datetime) -> str:
        """One line: when it is or was due, the title, how late."""
        from taskbook.delivery import say_state

        due = each.task.due_date or each.moment.isoformat()
        return f"{due[:16].replace('T', ' ')}  #{each.task.id} {_flat(each.task.title)}  {say_state(each, now, self.lang)}"

    def _ask_desktop(self, given: Sequence[firing.Reminder], now: datetime) -> None:
        """One notification for all that came together."""
        from taskbook.delivery import say_state

        if not given:
            return
        if len(given) == 1:
            title, body = _flat(given[0].task.title), say_state(given[0], now, self.lang)
        else:
            title = say("watch.bundle", self.lang, count=len(given))
            lines = [f"{_flat(each.task.title)[:80]}, {say_state(each, now, self.lang)}" for each in given[:BUNDLED]]
            more = len(given) - len(lines)
            body = "\n".join([*lines, *([say("watch.more", self.lang, count=more)] if more else [])])
        if not self._notify(title[:200], body).delivered and not self._no_desktop:
            self._no_desktop = True
            _tell(say("watch.no_desktop", self.lang))

    def _refused(self, error: Exception) -> None:
        if isinstance(error, BrokenPipeError):
            raise error
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            raise TodoError("internal", "watch.no_list", path=self.path, reason=error) from error
        text = str(error)
        key = "full" if "full" in text or "No space" in text else "locked" if "locked" in text or "busy" in text else "refused"
        if self._told != key:
            self._told = key
            _tell(say(f"watch.{key}", self.lang, path=self.path, reason=text[:200]))


class Alarm:
    """Waits until a time is over, or Ctrl-C or SIGTERM rings. The handler only notes it, so that a round always ends whole."""

    def __init__(self) -> None:
        self.rung = False
        self._reader, self._writer = socket.socketpair()
        self._before: dict[int, Any] = {}
        self._wakeup = -1

    def __enter__(self) -> Alarm:
        self._writer.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
            number = getattr(signal, name, None)
            if number is not None:
                self._before[number] = signal.signal(number, self._ring)
        return self

    def __exit__(self, *problem: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        signal.set_wakeup_fd(self._wakeup)
        self._reader.close()
        self._writer.close()

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self.rung = True

    def wait(self, seconds: float) -> None:
        """Until the time is over or it rings; a signal that came just before counts."""
        if not self.rung and select.select([self._reader], [], [], seconds)[0]:
            self._reader.recv(100)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _flat(text: str) -> str:
    """One line without anything that a terminal would obey."""
    return _CONTROL.sub(" ", text)


def _desktop(title: str, message: str) -> Delivery:
    from taskbook.notify import notify

    return notify(title, message)


def _print(text: str) -> None:
    """To stdout at once. Not through its buffer, which would keep what a full disk refused and print it twice later."""
    if sys.stdout.isatty():
        print(text, end="", flush=True)
        return
    data = text.encode()
    while data:
        data = data[os.write(sys.stdout.fileno(), data):]


def _tell(text: str) -> None:
    """To stderr; one that nobody reads, or that is full, does not end the watch."""
    try:
        print(f"todo: {text}", file=sys.stderr, flush=True)
    except OSError:
        return
