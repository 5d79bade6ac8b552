"""Runs the kernel in a thread, while the main thread keeps the keyboard and the signals.

The first Ctrl-C cancels what runs; a second within two seconds ends the program with 130; SIGTERM and SIGHUP end it too.
"""
from __future__ import annotations

import queue
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
TWICE = 2.0  # s within which a second Ctrl-C means leaving
_PATIENCE = 3.0  # s that a run may take to end its commands before the program leaves without it
_POLL = 0.2  # s; a signal that comes just before a wait does not end it, so no wait is longer


class Leave(BaseException):
    """The program is to end now with this exit code, whatever it is doing."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


class Interrupts:
    """Counts the Ctrl-C of a session, whether they come as a key or as a signal."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = float("-inf")

    def again(self) -> bool:
        """Note one Ctrl-C; whether it is the second within two seconds."""
        now = self._clock()
        second = now - self._last < TWICE
        self._last = now
        return second


class Foreground:
    """Runs one piece of work at a time. `cancel` must be callable from any thread and stop the work soon."""

    def __init__(self, cancel: Callable[[], None], interrupts: Interrupts | None = None) -> None:
        self._cancel = cancel
        self.interrupts = interrupts or Interrupts()
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._asking = False
        self._leave = 0

    def run(self, work: Callable[[], T]) -> T:
        """The result of the work, done in a thread. Raises what it raises, or Leave."""
        result: dict[str, Any] = {}

        def body() -> None:
            try:
                result["value"] = work()
            except BaseException as error:  # noqa: BLE001 – it is raised again in the main thread
                result["error"] = error
            self._inbox.put(("done", None))

        thread = threading.Thread(target=body, name="kernel", daemon=True)
        before = self._take_signals()
        try:
            thread.start()
            self._serve(thread)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._leave:
            raise Leave(self._leave)
        if "error" in result:
            raise result["error"]
        value: T = result["value"]
        return value

    def ask(self, dialogue: Callable[[], bool]) -> bool:
        """Run a dialogue in the main thread, where the keyboard is; called by the thread of the work."""
        if threading.current_thread() is threading.main_thread():
            return dialogue()
        answer: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._inbox.put(("ask", (dialogue, answer)))
        return answer.get()

    def _serve(self, thread: threading.Thread) -> None:
        """Wait for the end of the work, answering its questions."""
        while True:
            kind, message = self._next()
            if kind == "done":
                thread.join()
                return
            if kind == "ask":
                self._answer(*message)
            elif kind == "leave":
                thread.join(_PATIENCE)
                return

    def _next(self) -> tuple[str, Any]:
        while True:
            try:
                return self._inbox.get(timeout=_POLL)
            except queue.Empty:
                continue

    def _answer(self, dialogue: Callable[[], bool], answer: queue.SimpleQueue[bool]) -> None:
        approved = False
        self._asking = not self._leave
        try:
            try:
                approved = self._asking and dialogue()
            finally:
                self._asking = False
        except KeyboardInterrupt:  # even one that came in the line above
            approved = False
        answer.put(approved)

    def _take_signals(self) -> dict[int, Any]:
        if threading.current_thread() is not threading.main_thread():
            return {}
        wanted: dict[int, Any] = {signal.SIGINT: self._on_interrupt, signal.SIGTERM: self._on_end}
        if hasattr(signal, "SIGHUP"):
            wanted[signal.SIGHUP] = self._on_end
        return {number: signal.signal(number, handler) for number, handler in wanted.items()}

    def _on_interrupt(self, number: int, frame: Any) -> None:
        if self.interrupts.again():
            self._go(130)
        self._stop()

    def _on_end(self, number: int, frame: Any) -> None:
        self._go(128 + number)
        self._stop()

    def _go(self, exit_code: int) -> None:
        self._leave = self._leave or exit_code
        self._inbox.put(("leave", None))

    def _stop(self) -> None:
        # cancel may take a lock that the interrupted code holds, so it gets a thread of its own.
        threading.Thread(target=self._cancel, name="cancel", daemon=True).start()
        if self._asking:
            self._asking = False
            raise KeyboardInterrupt
