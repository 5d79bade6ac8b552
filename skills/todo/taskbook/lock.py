"""One process at a time: a lock of the operating system on a file, which a killed process gives back. The file says who holds it."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

_FAR = 1 << 20  # Windows keeps others from reading the locked byte: one that the text never reaches


class Held(Exception):
    """Another process holds the lock: `pid` (0 when it cannot be told) and `since` ("" likewise)."""

    def __init__(self, pid: int, since: str) -> None:
        super().__init__(f"held by {pid} since {since}")
        self.pid = pid
        self.since = since


@contextmanager
def single(path: Path, now: datetime) -> Iterator[None]:
    """Hold the lock for the body. Raises Held, or OSError when the file cannot be opened. The file stays: removing it would race."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _lock(file):
            raise _holder(file)
        os.ftruncate(file, 0)
        os.write(file, json.dumps({"pid": os.getpid(), "since": now.isoformat()}).encode())
        yield
        os.ftruncate(file, 0)
    finally:
        os.close(file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> bool:
        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(file, 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _holder(file: int) -> Held:
    try:
        said = json.loads(os.read(file, 500))
        return Held(int(said["pid"]), str(said["since"])[:19])
    except (ValueError, KeyError, TypeError):  # it has only just taken it
        return Held(0, "")
