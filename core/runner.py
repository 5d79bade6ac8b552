"""Follows a started command: streams its lines, keeps its output, and ends its whole process tree.

The sandbox starts the command; here is what happens until it has ended: by itself, by time-out, or because the person stopped it.
"""
from __future__ import annotations

import codecs
import locale
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from core.sandbox.process import Command

QUIET = {"NO_COLOR": "1", "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1", "DEBIAN_FRONTEND": "noninteractive"}
LIVE_LINES = 5000
WHOLE_OUTPUT = 64 * 1024 * 1024
_GRACE = 0.3
_BACKLOG = 16  # pieces of 64 KiB between command and reader; a command that writes faster has to wait


@dataclass(frozen=True)
class CommandResult:
    """How a command ended. `exit_code` is negative for a signal; `ended_by` is "exit", "timeout" or "cancel"; `duration` in seconds.

    `head` and `tail` are the two ends of the output; `tail` is empty when `head` holds all of it. `whole` is the file that
    holds the whole output when it was longer than asked for; `size` is its length in bytes.
    """

    exit_code: int
    ended_by: str
    duration: float
    head: str
    tail: str
    size: int
    whole: Path | None


def shell_argv(command: str) -> list[str]:
    """The argument list that runs a command text: bash without any start-up file, or PowerShell on Windows."""
    if os.name == "nt":
        return ["powershell", "-NoProfile", "-NonInteractive", "-Command", command]
    return ["/bin/bash", "--noprofile", "--norc", "-c", command]


def follow(command: Command, *, timeout: float, keep: int, spool: Path, create: Callable[[Path], IO[bytes]], on_line: Callable[[str], None],
           cancelled: threading.Event) -> CommandResult:
    """Follow a command to its end, to `timeout` seconds or until `cancelled` is set; then nothing of it is left.

    At most `keep` characters of each end of the output are held in memory; longer output goes whole to the file
    `spool`, which `create` opens without a buffer.
    """
    started = time.monotonic()
    output = _Output(keep, spool, create, on_line)
    chunks: queue.Queue[bytes] = queue.Queue(_BACKLOG)
    reader = threading.Thread(target=_read, args=(command.stdout, chunks), daemon=True)
    reader.start()
    ended_by = ""
    try:
        ended_by = _follow(command, chunks, output, started + timeout, cancelled)
    finally:
        command.kill_tree()
        if not output.whole_read:
            _drain(chunks, output)
        output.close()
    code = command.returncode
    return CommandResult(-9 if code is None else code, ended_by, time.monotonic() - started, output.head(), output.tail(), output.size, output.whole)


def _read(pipe: IO[bytes], chunks: queue.Queue[bytes]) -> None:
    """Move the pipe's bytes to the queue, then close it; an empty chunk marks the end."""
    with pipe:
        try:
            while chunk := os.read(pipe.fileno(), 65536):
                chunks.put(chunk)
        except (OSError, ValueError):
            pass
    chunks.put(b"")


def _follow(command: Command, chunks: queue.Queue[bytes], output: _Output, deadline: float,
            cancelled: threading.Event) -> str:
    """Feed the output until the pipe closes, the command exits, time is up, or the person stops it."""
    while True:
        if cancelled.is_set():
            return "cancel"
        if time.monotonic() > deadline:
            return "timeout"
        try:
            chunk = chunks.get(timeout=0.05)
        except queue.Empty:
            if command.poll() is not None:
                return "exit"
            continue
        if not chunk:
            output.whole_read = True
            return _wait(command, deadline, cancelled)
        output.feed(chunk)


def _wait(command: Command, deadline: float, cancelled: threading.Event) -> str:
    """The pipe is closed: wait for the command itself."""
    while not cancelled.is_set():
        try:
            command.wait(0.05)
            return "exit"
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                return "timeout"
    return "cancel"


def _drain(chunks: queue.Queue[bytes], output: _Output) -> None:
    """Take what the dead command left in the pipe; a process that fled may hold it open, so not for long."""
    limit = time.monotonic() + _GRACE
    while (left := limit - time.monotonic()) > 0:
        try:
            chunk = chunks.get(timeout=left)
        except queue.Empty:
            return
        if not chunk:
            return
        output.feed(chunk)


class _Output:
    """Collects output: both ends in memory, the whole in a file once it is long, complete lines to `on_line` as they come."""

    def __init__(self, keep: int, spool: Path, create: Callable[[Path], IO[bytes]], on_line: Callable[[str], None]) -> None:
        self.size = 0
        self.whole_read = False
        self.whole: Path | None = None
        self._keep = max(keep, 1) * 4  # bytes: a character of UTF-8 takes at most four
        self._spool, self._create, self._on_line = spool, create, on_line
        self._head, self._tail, self._line = bytearray(), bytearray(), bytearray()
        self._file: IO[bytes] | None = None
        self._lines = 0

    def feed(self, chunk: bytes) -> None:
        if not chunk:
            return
        self.size += len(chunk)
        self._store(chunk)
        if self._lines >= LIVE_LINES:
            return
        self._line += chunk
        *lines, rest = self._line.split(b"\n")
        self._line = bytearray(rest[-65536:])
        for line in lines:
            self._lines += 1
            if self._lines <= LIVE_LINES:
                self._on_line(decode(bytes(line)).rstrip("\r"))

    def _store(self, chunk: bytes) -> None:
        room = self._keep - len(self._head)
        self._head += chunk[:max(room, 0)]
        if rest := chunk[max(room, 0):]:
            self._tail += rest
            if len(self._tail) > 2 * self._keep:
                del self._tail[:-self._keep]
            if self._file is None and self.size - len(chunk) <= self._keep:
                self._open()
        if self._file is not None and self.size <= WHOLE_OUTPUT:
            self._write(rest)

    def _open(self) -> None:
        try:
            self._file = self._create(self._spool)
        except OSError:
            return
        self.whole = self._spool
        self._write(bytes(self._head))

    def _write(self, raw: bytes) -> None:
        """A disk that is full costs the file, never the command."""
        try:
            if self._file is not None and self._file.write(raw) == len(raw):
                return
        except OSError:
            pass
        self.close_file()
        self.whole = None

    def close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def close(self) -> None:
        if self._line and self._lines < LIVE_LINES:
            self._on_line(decode(bytes(self._line)).rstrip("\r"))
            self._line.clear()
        self.close_file()

    def head(self) -> str:
        return decode(bytes(self._head))

    def tail(self) -> str:
        return decode(bytes(self._tail[-self._keep:]))


def decode(raw: bytes) -> str:
    """Text of a command's output: UTF-8, else the locale's encoding, else UTF-8 with marks for what is broken."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        whole = codecs.getincrementaldecoder("utf-8")(errors="strict")
        if error.start > len(raw) - 4:  # cut in the middle of one character
            return whole.decode(raw[:error.start])
    encoding = locale.getpreferredencoding(False)
    if encoding.lower().replace("-", "") != "utf8":
        try:
            return raw.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            pass
    return raw.decode("utf-8", errors="replace")
