"""Runs one program: output kept up to a limit, a time limit, and nothing that it started is left when it ends."""
from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

OUTPUT_KEPT = 200_000         # bytes of each stream: the first half and the last half of what was printed
OUTPUT_STOPS = 64_000_000     # bytes of each stream after which the program is stopped
_GRACE = 0.5                  # seconds for the rest of the output, once the program has ended


class Kept:
    """The beginning and the end of a stream."""

    def __init__(self, limit: int = OUTPUT_KEPT) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        rest = data[room:] if room > 0 else data
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail_size - (len(self._tail[0]) if self._tail else 0) >= self._half:
            self._tail_size -= len(self._tail.popleft())

    def parts(self) -> tuple[str, int, str]:
        """The beginning, how many bytes are left out after it, and the end ("" when nothing is left out)."""
        tail = b"".join(self._tail)[-self._half:]
        left_out = self.total - len(self._head) - len(tail)
        if left_out:
            return _text(bytes(self._head)), left_out, _text(tail)
        return _text(bytes(self._head) + tail), 0, ""


@dataclass
class Result:
    """How a program ended. `status` is negative for a signal; `ended_by` is "", timeout, output_limit or interrupted."""

    status: int
    stdout: Kept
    stderr: Kept
    seconds: float
    ended_by: str


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")


def _pump(stream: IO[bytes], kept: Kept, too_much: threading.Event) -> None:
    with contextlib.suppress(OSError, ValueError):
        while data := os.read(stream.fileno(), 65536):
            kept.add(data)
            if kept.total > OUTPUT_STOPS:
                too_much.set()


def run(argv: Sequence[str], folder: Path, environ: Mapping[str, str], timeout: float, gently: bool) -> Result:
    """Run a program to its end or to the time limit. `gently`: the launcher in front of it gets a chance to tidy up. Raises OSError."""
    _adopt_orphans()
    interrupted = threading.Event()
    previous = _listen(interrupted)
    started = time.monotonic()
    process = subprocess.Popen(list(argv), cwd=folder, env=dict(environ), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=os.name == "posix", creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0))
    assert process.stdout is not None and process.stderr is not None
    out, err, too_much = Kept(), Kept(), threading.Event()
    threads = [threading.Thread(target=_pump, args=(stream, kept, too_much), daemon=True)
               for stream, kept in ((process.stdout, out), (process.stderr, err))]
    for thread in threads:
        thread.start()
    ended_by = ""
    try:
        ended_by = _wait(process, started + timeout, {"interrupted": interrupted, "output_limit": too_much})
    finally:
        _restore(previous)
        end_tree(process, gently and bool(ended_by))
    for thread in threads:
        thread.join(_GRACE)
    return Result(process.returncode, out, err, time.monotonic() - started, ended_by)


def _wait(process: subprocess.Popen[bytes], deadline: float, reasons: Mapping[str, threading.Event]) -> str:
    while True:
        try:
            process.wait(min(0.1, max(0.0, deadline - time.monotonic())))
            return ""
        except subprocess.TimeoutExpired:
            for reason, happened in reasons.items():
                if happened.is_set():
                    return reason
            if time.monotonic() >= deadline:
                return "timeout"


def end_tree(process: subprocess.Popen[bytes], gently: bool) -> None:
    """End a program and all that it started, also what left its process group."""
    if os.name != "posix":
        if process.poll() is None:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
        process.wait()
        return
    if gently and process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2)
    for _ in range(20):
        family = _descendants(os.getpid())
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for one in family:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        process.wait()
        if not _reap():
            break
        time.sleep(0.02)


def _reap() -> bool:
    """Take leave of the orphans that came to this process; whether some are still there."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _descendants(root: int) -> list[int]:
    """All processes below `root`. /proc on Linux, ps elsewhere."""
    parents: dict[int, int] = {}
    if os.path.isdir("/proc/self"):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    parents[int(name)] = int(Path(f"/proc/{name}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    else:
        with subprocess.Popen(["ps", "-A", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as lister:
            rows = (lister.stdout.read() if lister.stdout else "").split("\n")
        parents = {int(row.split()[0]): int(row.split()[1]) for row in rows if row.strip()}
        parents.pop(lister.pid, None)
    found: list[int] = []
    pending = [root]
    while pending:
        parent = pending.pop()
        children = [child for child, above in parents.items() if above == parent and child not in found]
        found += children
        pending += children
    return found


def _adopt_orphans() -> None:
    """On Linux a process whose parent is gone comes to this one, so that it is found at the end."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)


def _listen(interrupted: threading.Event) -> list[tuple[int, Any]]:
    """SIGINT, SIGTERM and SIGHUP end the program instead of leaving it behind; the value is what was in force."""
    wanted = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return [(number, signal.signal(number, lambda *_: interrupted.set())) for number in wanted]


def _restore(previous: list[tuple[int, Any]]) -> None:
    for number, handler in previous:
        signal.signal(number, handler)
