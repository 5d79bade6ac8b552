"""Starts one confined command, watches it, and leaves none of its processes behind.

    supervisor ── process 1 of the namespace ── command …     tier full: when process 1 ends, the kernel ends all the rest
    supervisor ── command …                                   other tiers: orphans come to the supervisor, which ends them

The supervisor holds no Landlock domain itself, so that the command can neither signal nor read it.
"""
from __future__ import annotations

import _signal
import os
import select
import time

from core.launcher import command, mounts, namespaces
from core.launcher.config import Config
from core.launcher.system import (PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, PR_SET_PDEATHSIG, SetupError, drop_capabilities,
                                  prctl, step)

# Seen by the type checker alone: at run time these modules would cost more than the whole launcher.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    Notify = Callable[[str], None]

SIGKILL = 9
SWEEP_SECONDS = 5.0


def supervise(config: Config, stdio: tuple[int, int, int], control: int, notify: Notify) -> int:
    """Run the command to its end and return its wait status, or -1 when a step of the set-up failed.

    `control` is a descriptor: a byte read from it is a signal for the command, its end means "stop everything" (-1: none).
    Told to `notify`: "started PID", then "exited STATUS"; or "failed STEP ERRNO DETAIL".
    """
    read, write = os.pipe()
    status_read, status_write = os.pipe()
    try:
        child = _start(config, stdio, write, status_write, (read, status_read, control))
    except SetupError as error:
        notify(f"failed {error.step} {error.errno} {error.detail}")
        return -1
    os.close(write)
    os.close(status_write)
    for stream in set(stdio):
        if stream > 2:
            os.close(stream)
    failure = _read_all(read, control, child)
    if failure:
        _finish(child, config)
        notify("failed " + failure)
        return -1
    notify(f"started {child}")
    _watch(child, control, config)
    status = _finish(child, config)
    if config.tier == "full":
        told = _read_all(status_read, -1, 0)
        status = int(told) if told else SIGKILL
    notify(f"exited {status}")
    return status


def _start(config: Config, stdio: tuple[int, int, int], write: int, status: int, unneeded: tuple[int, ...]) -> int:
    """Fork the command, or in tier full its process 1, and return its number."""
    if config.tier == "full":
        step("userns", config.fail)
        namespaces.enter(config.network == "on")
    else:
        prctl("subreaper", PR_SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if child:
        return child
    try:
        prctl("lifetime", PR_SET_PDEATHSIG, SIGKILL)
        if config.tier == "full":
            for descriptor in unneeded:
                if descriptor > 2:
                    os.close(descriptor)
            _init(config, stdio, write, status)
        else:
            command.become(config, stdio)
    except SetupError as error:
        _report(write, f"{error.step} {error.errno} {error.detail}")
    except BaseException as error:
        # Whatever went wrong here, this process must end and never run on as a second supervisor.
        _report(write, f"launcher 0 {error!r}")
    os._exit(125)


def _report(descriptor: int, text: str) -> None:
    os.write(descriptor, text.encode("utf-8", "surrogateescape")[:4000])


def _init(config: Config, stdio: tuple[int, int, int], write: int, status: int) -> None:
    """Process 1: builds the root folder, starts the command, collects orphans, and reports how the command ended."""
    step("mounts", config.fail)
    mounts.build(config, os.geteuid())
    child = os.fork()
    if child == 0:
        os.close(status)
        command.become(config, stdio)
    prctl("init", PR_SET_DUMPABLE, 0)
    drop_capabilities("init")
    os.close(write)
    for stream in set(stdio):
        os.close(stream)
    for signal in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
        _signal.signal(signal, lambda number, frame: os.kill(-1, number))
    while True:
        ended, result = os.waitpid(-1, 0)
        if ended == child:
            os.write(status, str(result).encode())
            os._exit(0)


def _read_all(descriptor: int, control: int, child: int) -> str:
    """What a pipe says until its end; the end of `control` meanwhile kills the child."""
    data = b""
    watched = [descriptor] if control < 0 else [descriptor, control]
    while True:
        ready = select.select(watched, [], [])[0] if control >= 0 else [descriptor]
        if descriptor in ready:
            part = os.read(descriptor, 4096)
            if not part:
                os.close(descriptor)
                return data.decode("utf-8", "surrogateescape")
            data += part
        elif not _obey(control, child):
            watched = [descriptor]


def _watch(child: int, control: int, config: Config) -> None:
    """Wait until the child has ended (it stays unreaped), passing on signals; the end of `control` kills it."""
    handle = os.pidfd_open(child) if hasattr(os, "pidfd_open") else -1
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    if control >= 0:
        poll.register(control, select.POLLIN | select.POLLHUP)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == handle:
                os.close(handle)
                return
            if not _obey(control, child):
                poll.unregister(control)


def _obey(control: int, child: int) -> bool:
    """Pass on one signal; False when everything was told to stop."""
    try:
        data = os.read(control, 1)
    except OSError:
        data = b""
    number = data[0] if data else SIGKILL
    try:
        os.kill(child, number)
        if number != SIGKILL:
            # The command leads its own process group; process 1 of a namespace passes the signal on itself.
            os.killpg(child, number)
    except (ProcessLookupError, PermissionError):
        pass
    return number != SIGKILL


def _finish(child: int, config: Config) -> int:
    """Reap the child and end whatever it left behind; returns its wait status."""
    status = os.waitpid(child, 0)[1]
    if config.tier != "full":
        sweep()
    return status


def sweep(keep: Collection[int] = ()) -> None:
    """End every descendant of this process, its subreaper, but for the trees of `keep`; the rest is gone when it returns."""
    deadline = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < deadline:
        found = descendants(os.getpid(), keep)
        if not found:
            return
        for process in found:
            try:
                os.kill(process, SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        for process in found:
            try:
                os.waitpid(process, os.WNOHANG)
            except ChildProcessError:
                pass
        time.sleep(0.002)


def descendants(root: int, keep: Collection[int] = ()) -> list[int]:
    """The numbers of all processes below `root`, without the trees of `keep`, in no order."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            children.setdefault(_parent(name), []).append(int(name))
    found: list[int] = []
    pending = [root]
    while pending:
        below = [child for child in children.get(pending.pop(), []) if child not in keep]
        found += below
        pending += below
    return found


def _parent(name: str) -> int:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            # The name in parentheses may itself hold spaces and parentheses.
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return -1
