"""The processes that a script started: found by who started whom, measured, ended. Linux; elsewhere the process group has to do.

The caller makes itself the one that orphans fall to, so that a process which left its group and its parent is still found.
"""
from __future__ import annotations

import contextlib
import os
import signal
import sys
import time

LINUX = sys.platform.startswith("linux")
_ADOPT_ORPHANS, _DIE_WITH_PARENT = 36, 1   # prctl's PR_SET_CHILD_SUBREAPER and PR_SET_PDEATHSIG
_PATIENCE = 5.0


def prctl(option: int, value: int) -> None:
    """One call of prctl(2); a kernel or a C library without it changes nothing."""
    if LINUX:
        import ctypes
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def adopt_orphans() -> None:
    """From now on a descendant whose parent ends becomes a child of this process."""
    prctl(_ADOPT_ORPHANS, 1)


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends; also after exec."""
    prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def descendants(root: int) -> dict[int, int]:
    """pid -> process group of everything below `root` that still runs; empty where there is no /proc."""
    children: dict[int, list[tuple[int, int]]] = {}
    for name in os.listdir("/proc") if LINUX else ():
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent, group_text = file.read().rpartition(b")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if state not in (b"Z", b"X"):
            children.setdefault(int(parent), []).append((int(name), int(group_text)))
    found: dict[int, int] = {}
    pending = [root]
    while pending:
        for pid, group in children.get(pending.pop(), ()):
            if pid not in found:
                found[pid] = group
                pending.append(pid)
    return found


def memory_of(pids: list[int], enough: int) -> int:
    """Bytes of memory these processes hold together. Counted exactly (shared pages once) only when a rough count passes `enough`."""
    rough = sum(_resident(pid) for pid in pids)
    return rough if rough <= enough else sum(_proportional(pid) for pid in pids)


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(b"Pss:"))
    except (OSError, ValueError, IndexError):
        return _resident(pid)


def end_all(leader: int) -> int:
    """End everything below this process; `leader` is the group to end where there is no /proc. Returns how many were found at first."""
    if not LINUX:
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
        return 0
    first = 0
    own = os.getpgrp()
    limit = time.monotonic() + _PATIENCE
    while (found := descendants(os.getpid())) and time.monotonic() < limit:
        first = first or len(found)
        # A signal to a whole group cannot be outrun by forking; one by one could be.
        for group in set(found.values()) - {own, 0}:
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        reap(leader)
        time.sleep(0.005)
    return first


def reap(leader: int) -> None:
    """Take the exit status of adopted processes; the leader's own is left to whoever started it."""
    with contextlib.suppress(OSError):
        while True:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None or ended.si_pid == leader:
                return
            os.waitpid(ended.si_pid, 0)
