"""A started command: one interface for those that the warm helper started and those that only subprocess could."""
from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from typing import BinaryIO, Protocol

GONE_SECONDS = 1.0


class Command(Protocol):
    """One running command. Every method may be called from any thread; the streams are the caller's to read and close."""

    pid: int
    argv: list[str]
    stdout: BinaryIO
    stderr: BinaryIO | None
    network: bool
    restored: list[str]

    @property
    def returncode(self) -> int | None:
        """The exit status, minus N after signal N, None while it runs (as far as poll or wait have seen)."""

    def poll(self) -> int | None:
        """Look whether it has ended, without waiting."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit status when it has ended; subprocess.TimeoutExpired after `timeout` seconds."""

    def send_signal(self, number: int) -> None:
        """Send a signal to the command's process group; nothing happens when it has ended."""

    def kill_tree(self, timeout: float = GONE_SECONDS) -> bool:
        """End the command and everything that it started; True when nothing was left within `timeout` seconds."""


class WarmCommand:
    """A command behind a supervisor of the launcher, told of by lines on a socket."""

    def __init__(self, argv: list[str], control: socket.socket, stdout: BinaryIO, stderr: BinaryIO | None, network: bool,
                 ended: Callable[[], list[str]]) -> None:
        self.argv = argv
        self.stdout = stdout
        self.stderr = stderr
        self.network = network
        self.pid = 0
        self.restored: list[str] = []
        self._control = control
        self._ended = ended
        self._status: int | None = None
        self._buffer = b""
        self._lock = threading.Lock()

    def started(self) -> str:
        """Wait for the first report: "" when the command runs, else "STEP ERRNO DETAIL" of the step that failed."""
        while b"\n" not in self._buffer:
            data = self._control.recv(4096)
            if not data:
                return "launcher 0 the helper ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        word, _, rest = line.decode("utf-8", "surrogateescape").partition(" ")
        if word == "started":
            self.pid = int(rest)
            return ""
        return rest

    @property
    def returncode(self) -> int | None:
        return self._status

    def poll(self) -> int | None:
        self._listen(0.0)
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        self._listen(timeout)
        if self._status is None:
            raise subprocess.TimeoutExpired(self.argv, timeout or 0.0)
        return self._status

    def send_signal(self, number: int) -> None:
        if self._status is None:
            # A supervisor that has ended left its last report in the socket.
            with contextlib.suppress(OSError):
                self._control.send(bytes([number]))

    def kill_tree(self, timeout: float = GONE_SECONDS) -> bool:
        self.send_signal(signal.SIGKILL)
        self._listen(timeout)
        return self._status is not None

    def _listen(self, timeout: float | None) -> None:
        """Take reports until the command has ended or the time is over."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self._status is None:
            left = -1.0 if deadline is None else max(0.0, deadline - time.monotonic())
            if not self._lock.acquire(timeout=left):
                return
            try:
                if self._status is None and not self._take(left):
                    return
            finally:
                self._lock.release()

    def _take(self, left: float) -> bool:
        """Read one piece of the reports; False when none came in time."""
        if b"\n" not in self._buffer:
            poll = select.poll()
            poll.register(self._control, select.POLLIN)
            if not poll.poll(None if left < 0 else left * 1000):
                return False
            data = self._control.recv(4096)
            self._buffer += data if data else b"exited 9\n"
        line, _, self._buffer = self._buffer.partition(b"\n")
        word, _, rest = line.partition(b" ")
        if word in (b"exited", b"failed"):
            status = os.waitstatus_to_exitcode(int(rest)) if word == b"exited" else 125
            self.restored = self._ended()
            self._control.close()
            self._status = status
        return True


class PlainCommand:
    """A command that subprocess started: unconfined, in its own process group. For tier none and for systems other than Linux."""

    def __init__(self, argv: list[str], process: subprocess.Popen[bytes], network: bool, end: Callable[[], None] | None = None) -> None:
        self.argv = argv
        self.pid = process.pid
        assert process.stdout is not None
        self.stdout: BinaryIO = process.stdout  # type: ignore[assignment]  # IO[bytes] is what the stubs say
        self.stderr: BinaryIO | None = process.stderr  # type: ignore[assignment]  # the same
        self.network = network
        self.restored: list[str] = []
        self._process = process
        self._end = end

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    def poll(self) -> int | None:
        return self._process.poll()

    def wait(self, timeout: float | None = None) -> int:
        return self._process.wait(timeout)

    def send_signal(self, number: int) -> None:
        if os.name == "nt":
            self._process.send_signal(number)
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def kill_tree(self, timeout: float = GONE_SECONDS) -> bool:
        if self._end is not None:
            self._end()
        elif os.name == "nt":
            self._process.kill()
        else:
            self.send_signal(signal.SIGKILL)
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True
