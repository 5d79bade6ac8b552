"""Runs one Python process with limits, and always comes back with what it said.

    main.py ── shield ── the script's Python ── whatever the script starts

The shield is the script's parent: it ignores signals and passes the exit status on by a file, so a script that kills its
parent kills the shield, not the one who reports. When the shield dies, the script dies with it.
"""
from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import process_tree

MEGABYTE = 1 << 20
PROCESSES = 200              # at the same time, the script's own included
LARGEST_FILE = 1 << 30
REPORT_ROOM = 64 * MEGABYTE  # above the memory limit, for the report after a MemoryError
POSIX = os.name == "posix"
_POLL = 0.05
_STACK_PATIENCE = 1.0        # for the line in which a script hung to arrive


@dataclass(frozen=True)
class Limits:
    """`timeout` in seconds, `memory` in bytes for all processes together, `output` in bytes for each of the two streams."""

    timeout: float
    memory: int
    output: int


@dataclass
class Captured:
    """The two ends of a stream, `limit` bytes together; `size` counts all of it."""

    limit: int
    size: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self.size += len(data)
        half = self.limit // 2
        room = self.limit - half - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        self.tail += data[-half:] if half else b""
        if len(self.tail) > half:
            del self.tail[:len(self.tail) - half]

    def text(self, gap: str) -> str:
        """As text, whatever the bytes are; `gap` stands where something is left out."""
        if not self.left_out:
            return _text(bytes(self.head + self.tail))
        return f"{_text(bytes(self.head))}\n{gap}\n{_text(bytes(self.tail))}"

    @property
    def left_out(self) -> int:
        """How many bytes are not kept."""
        return self.size - len(self.head) - len(self.tail)


@dataclass(frozen=True)
class Ended:
    """How it went. `reason`: exit, time, memory, processes or shield (the script killed its parent); `status` as os.waitstatus
    gives it, negative for a signal, None when there is none; `left` counts processes that were still running and were ended."""

    reason: str
    status: int | None
    seconds: float
    stdout: Captured
    stderr: Captured
    left: int


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")


def run(argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], limits: Limits, notes: Path) -> Ended:
    """Run `argv` until it ends or breaks a limit; then everything it started is ended. `notes` is a folder for the shield's file."""
    process_tree.adopt_orphans()
    began = time.monotonic()
    options: dict[str, Any] = {"preexec_fn": _confine(limits.memory, notes / "status")} if POSIX else {"creationflags": 0x200}
    process = subprocess.Popen(argv, cwd=cwd, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, **options)
    streams = Captured(limits.output), Captured(limits.output)
    readers = [_reader(pipe, into) for pipe, into in zip((process.stdout, process.stderr), streams, strict=True)]
    left = 0
    try:
        reason = _watch(process, limits, began, notes / "stack")
    finally:
        left = _end(process)
    for reader in readers:
        reader.join(2)
    status = _status(notes / "status") if POSIX else process.returncode
    if reason == "exit" and status is None:
        reason = "shield"
    return Ended(reason, status if reason == "exit" else None, time.monotonic() - began, *streams, left if reason == "exit" else 0)


def _confine(memory: int, status: Path) -> Callable[[], None]:
    """What happens between fork and exec: the shield parts, the script's half gets its limits."""
    import resource
    limits = [(resource.RLIMIT_DATA, memory, memory + REPORT_ROOM), (resource.RLIMIT_FSIZE, LARGEST_FILE, LARGEST_FILE), (resource.RLIMIT_CORE, 0, 0)]

    def prepare() -> None:
        os.setsid()
        process_tree.die_with_parent()
        script = os.fork()
        if script:
            _shield(script, status)
        process_tree.die_with_parent()
        if process_tree.LINUX:
            os.setsid()
            with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")   # if the machine runs out of memory, the script is the one to go
        for name, soft, hard in limits:
            ceiling = resource.getrlimit(name)[1]
            hard = hard if ceiling == resource.RLIM_INFINITY else min(hard, ceiling)
            resource.setrlimit(name, (min(soft, hard), hard))

    return prepare


def _shield(script: int, status: Path) -> None:
    """Wait for the script, write down how it ended, end. Never returns."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    _close_all()
    _, result = os.waitpid(script, 0)
    file = os.open(status, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(file, str(os.waitstatus_to_exitcode(result)).encode())
    os._exit(0)


def _close_all() -> None:
    """Close every file, or the one who started the script waits for the shield to let go of it."""
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        numbers = list(range(4096))
    for number in numbers:
        with contextlib.suppress(OSError):
            os.close(number)


def _status(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        return None


def _reader(pipe: IO[bytes] | None, into: Captured) -> threading.Thread:
    def drain() -> None:
        with contextlib.suppress(OSError, ValueError):
            while pipe and (data := os.read(pipe.fileno(), 1 << 16)):
                into.add(data)

    thread = threading.Thread(target=drain, daemon=True)
    thread.start()
    return thread


def _watch(process: subprocess.Popen[bytes], limits: Limits, began: float, stack: Path) -> str:
    """Wait for the end; the value says what ended it: "exit" or the limit that was broken."""
    pause = _POLL
    while True:
        try:
            process.wait(max(0.001, min(pause, began + limits.timeout - time.monotonic())))
            return "exit"
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        if now - began >= limits.timeout:
            return "exit" if _ended_meanwhile(process, stack) else "time"
        if POSIX:
            process.send_signal(signal.SIGCONT)   # a script may have stopped its parent, which then never tells of its end
        running = list(process_tree.descendants(os.getpid()))
        if len(running) - 1 > PROCESSES:
            return "processes"
        if process_tree.memory_of(running, limits.memory) > limits.memory + REPORT_ROOM:
            return "memory"
        pause = max(_POLL, 10 * (time.monotonic() - now))   # looking costs a tenth of the time at most


def _ended_meanwhile(process: subprocess.Popen[bytes], stack: Path) -> bool:
    """Give the script's own watchdog a moment to write the line where it hangs. True when the script ended in that moment."""
    limit = time.monotonic() + _STACK_PATIENCE
    while time.monotonic() < limit:
        if process.poll() is not None:
            return True
        with contextlib.suppress(OSError):
            if stack.stat().st_size:
                time.sleep(0.02)
                break
        time.sleep(0.01)
    return False


def _end(process: subprocess.Popen[bytes]) -> int:
    """End the whole tree; returns how many processes were still there."""
    if sys.platform == "win32":
        left = int(process.poll() is None)
        if left:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        left = process_tree.end_all(process.pid)
    process.wait()
    if POSIX:
        process_tree.reap(-1)
    return left
