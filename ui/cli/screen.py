"""The two streams of one program as one thing: whole lines, live words and a status line, written by several threads in turn."""
from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from ui.cli.terminal import Stream, clip, visible

SPINNER_DELAY = 0.3  # s without a word before the status line appears
_TICK = 0.1  # s


class Screen:
    """What the command line shows. Answers go to `out`, everything else to `err`; no call raises because a stream is closed."""

    def __init__(self, *, colour: str = "auto", accessible: bool = False, raw: bool = False, out: Any = None, err: Any = None,
                 environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self.accessible = accessible or environ.get("ACCESSIBLE", "") not in ("", "0")
        self.raw = raw
        self.out = Stream(sys.stdout if out is None else out, "never" if self.accessible else colour, environ)
        self.err = Stream(sys.stderr if err is None else err, "never" if self.accessible else colour, environ)
        self.live = self.err.tty and not self.err.dumb and not self.accessible
        self._lock = threading.RLock()
        self._in_line = False  # live words stand on a line that is not ended
        self._status = Status(self) if self.live else None

    def note(self, text: str, *styles: str, prefix: str = "") -> None:
        """Lines on stderr, each after the prefix, safe to print."""
        lines = visible(text).rstrip("\n").split("\n")
        self.line("\n".join(prefix + self.err.paint(line, *styles) for line in lines))

    def line(self, text: str) -> None:
        """Lines on stderr as they are: the caller has made them safe."""
        with self._lock:
            self._clear()
            self._end_line()
            self.err.write(text + "\n")

    def words(self, text: str, *styles: str) -> None:
        """Live words on stderr that go on where the last ones ended."""
        if not text:
            return
        with self._lock:
            self._clear()
            self._in_line = not text.endswith("\n")
            self.err.write(self.err.paint(visible(text), *styles))

    def end_words(self) -> None:
        """End the line of live words, if there is one."""
        with self._lock:
            self._end_line()

    def interrupted(self, text: str) -> None:
        """A note after a Ctrl-C, whose own sign the terminal has put somewhere on the line."""
        with self._lock:
            self._end_line()
            if self.live:
                self.err.write("\r\x1b[K")
            self.note(text, "yellow")

    def ended_by_person(self) -> None:
        """The person pressed Enter, so the line of live words is ended already."""
        with self._lock:
            self._in_line = False

    def answer(self, text: str) -> None:
        """The answer on stdout: Markdown rendered on a terminal, plain text elsewhere."""
        with self._lock:
            self._clear()
            self._end_line()
            self.out.write(self._rendered(visible(text).rstrip("\n")) + "\n")

    def status(self, text: str) -> None:
        """Say what is going on until the next word, if it goes on for long; no word where nobody watches."""
        if self._status:
            self._status.start(text)

    def quiet(self) -> None:
        """Nothing is going on any more."""
        if self._status:
            self._status.stop()
            with self._lock:
                self._clear()

    def draw_status(self, text: str) -> bool:
        """Put the status line on the screen; False while live words stand on the line."""
        with self._lock:
            if self._in_line or not self._status or not self._status.label:
                return False
            self.err.write("\r\x1b[K" + self.err.paint(clip(text, columns() - 1, self.err.icons.dots), "dim"))
            self._status.drawn = True
            return True

    def _clear(self) -> None:
        if self._status and self._status.drawn:
            self._status.drawn = False
            self.err.write("\r\x1b[K")

    def _end_line(self) -> None:
        if self._in_line:
            self._in_line = False
            self.err.write("\n")

    def _rendered(self, text: str) -> str:
        if self.raw or self.accessible or not self.out.tty or self.out.dumb:
            return text
        from ui.cli.markdown import render

        return render(text, self.out, columns())


class Status:
    """A line that a thread keeps moving: a turning sign, what goes on, for how many seconds."""

    def __init__(self, screen: Screen) -> None:
        self.label = ""
        self.drawn = False
        self._screen = screen
        self._since = 0.0
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, label: str) -> None:
        """Show this label from now on; the clock goes on when only the words change."""
        if not self.label:
            self._since = time.monotonic()
        self.label = visible(label).replace("\n", " ")
        self._wake.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._turn, name="status", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Show nothing."""
        self.label = ""
        self._wake.clear()

    def _turn(self) -> None:
        frames, count = self._screen.err.icons.frames, 0
        while self._wake.wait():
            elapsed = time.monotonic() - self._since
            label = self.label
            if label and elapsed >= SPINNER_DELAY:
                self._screen.draw_status(f"{frames[count % len(frames)]} {int(elapsed)} s {label}")
                count += 1
            time.sleep(_TICK)


def columns() -> int:
    """The width of the terminal, 80 where it is unknown."""
    import shutil

    return max(20, shutil.get_terminal_size((80, 24)).columns)
