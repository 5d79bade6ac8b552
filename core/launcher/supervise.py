"""Starts one confined command, watches it, and leaves none of its processes behind.

    supervisor ── process 1 of the namespace ── command …     tier full: when process 1 ends, the kernel ends all the rest
    supervisor ── command …                                   other tiers: orphans come to the supervisor, which ends them

The supervisor holds no Landlock domain itself, so that the command can neither signal nor read it.
"""
from __future__ import annotations

# ruff: noqa: SIM105 – contextlib costs the launcher a millisecond
import _socket
import os
import select
import time

from core.launcher import command, mounts, namespaces
from core.launcher.config import Config
from core.launcher.system import PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, PR_SET_PDEATHSIG, SetupError, drop_capabilities, prctl, signals, step

# Seen by the type checker alone: at run time these modules would cost more than the whole launcher.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    Notify = Callable[[str], None]

SIGKILL = 9
SWEEP_SECONDS = 5.0


class Prepared:
    """A process that has everything but its command: process 1 of a finished tree in tier full, else the command to be."""

    __slots__ = ("config", "child", "report", "status", "channel")

    def __init__(self, config: Config, child: int, report: int, status: int, channel: _socket.socket) -> None:
        self.config = config
        self.child = child
        self.report = report
        self.status = status
        self.channel = channel


def supervise(config: Config, stdio: tuple[int, int, int], control: int, notify: Notify) -> int:
    """Run the command of `config` to its end: prepare() and go() at once, with the same promises."""
    try:
        prepared = prepare(config, ())
    except SetupError as error:
        notify(f"failed {error.step} {error.errno} {error.detail}")
        return -1
    return go(prepared, b"", stdio, control, notify)


def prepare(config: Config, unneeded: Collection[int]) -> Prepared:
    """Fork a process that stands ready for go(); it closes the descriptors in `unneeded`. SetupError when this one fails."""
    if config.tier == "full":
        step("userns", config.fail)
        namespaces.enter(config.network == "on")
    else:
        prctl("subreaper", PR_SET_CHILD_SUBREAPER, 1)
    report, write = os.pipe()
    status, status_write = os.pipe()
    mine, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    child = os.fork()
    if child:
        for descriptor in (write, status_write):
            os.close(descriptor)
        theirs.close()
        return Prepared(config, child, report, status, mine)
    try:
        prctl("lifetime", PR_SET_PDEATHSIG, SIGKILL)
        mine.close()
        for descriptor in (report, status, *unneeded):
            os.close(descriptor)
        if config.tier == "full":
            _init(config, theirs, write, status_write)
        else:
            _wait_and_become(config, theirs, command.make_rules(config))
    except SetupError as error:
        _report(write, f"{error.step} {error.errno} {error.detail}")
    except BaseException as error:  # noqa: BLE001 – whatever went wrong, this process must never run on as a second supervisor
        _report(write, f"launcher 0 {error!r}")
    os._exit(125)


def go(prepared: Prepared, order: bytes, stdio: tuple[int, int, int], control: int, notify: Notify) -> int:
    """Start the command that `order` (more lines of the configuration) names, see it to its end, and return its wait status.

    -1: a step of the set-up failed. `control` is a descriptor: a byte read from it is a signal for the command, its end means
    "stop everything" (-1: none). Told to `notify`: "started PID", then "exited STATUS"; or "failed STEP ERRNO DETAIL".
    """
    child = prepared.child
    send(prepared.channel, order, stdio)
    for stream in set(stdio):
        if stream > 2:
            os.close(stream)
    failure = _read_all(prepared.report, control, child)
    if failure:
        _finish(child, prepared.config)
        notify("failed " + failure)
        return -1
    notify(f"started {child}")
    _watch(child, control)
    status = _finish(child, prepared.config)
    if prepared.config.tier == "full":
        told = _read_all(prepared.status, -1, 0)
        status = int(told) if told else SIGKILL
    notify(f"exited {status}")
    return status


def send(channel: _socket.socket, order: bytes, stdio: Collection[int]) -> None:
    """Pass an order and its streams on; nothing happens when the receiver has ended, whose report says why."""
    block = b"".join([number.to_bytes(4, "little") for number in stdio])
    try:
        channel.sendmsg([len(order).to_bytes(8, "little")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, block)])
        channel.sendall(order)
    except OSError:
        pass


def _receive(channel: _socket.socket) -> tuple[bytes, tuple[int, int, int]]:
    """Wait for an order and its streams. This process ends when none comes any more."""
    received, size = receive_descriptors(channel, 8)
    if len(received) != 3:
        os._exit(0)
    order = read_exactly(channel.fileno(), int.from_bytes(size, "little"))
    channel.close()
    return order, (received[0], received[1], received[2])


def receive_descriptors(channel: _socket.socket, size: int) -> tuple[list[int], bytes]:
    """The descriptors and the bytes of one message; both empty at the end of the channel."""
    data, ancillary, _, _ = channel.recvmsg(size, _socket.CMSG_SPACE(4 * 8), _socket.MSG_CMSG_CLOEXEC)
    received: list[int] = []
    for _, _, block in ancillary:
        received += [int.from_bytes(block[start:start + 4], "little") for start in range(0, len(block) - 3, 4)]
    return received, data


def read_exactly(descriptor: int, size: int) -> bytes:
    """`size` bytes; OSError when the stream ends before."""
    data = bytearray()
    while len(data) < size:
        part = os.read(descriptor, min(size - len(data), 1 << 20))
        if not part:
            raise OSError(32, "the order was cut off")
        data += part
    return bytes(data)


def _report(descriptor: int, text: str) -> None:
    os.write(descriptor, text.encode("utf-8", "surrogateescape")[:4000])


def _wait_and_become(config: Config, channel: _socket.socket, rules: int) -> None:
    """Be confined already when the order comes, then run it."""
    command.ready(config, rules)
    order, stdio = _receive(channel)
    config.extend(order)
    command.become(config, stdio)


def _init(config: Config, channel: _socket.socket, write: int, status: int) -> None:
    """Process 1: builds the root folder, starts the command, collects orphans, and reports how the command ended."""
    step("mounts", config.fail)
    mounts.build(config, os.geteuid())
    rules = command.make_rules(config)
    mine, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    child = os.fork()
    if child == 0:
        os.close(status)
        channel.close()
        mine.close()
        _wait_and_become(config, theirs, rules)
    theirs.close()
    order, stdio = _receive(channel)
    known = len(config.mask)
    config.extend(order)
    mounts.close(config, config.mask[known:])
    drop_capabilities("capabilities")
    send(mine, order, stdio)
    prctl("init", PR_SET_DUMPABLE, 0)
    os.close(write)
    for stream in set(stdio):
        os.close(stream)
    for number in (signals.SIGTERM, signals.SIGINT, signals.SIGHUP):
        signals.signal(number, lambda number, frame: os.kill(-1, number))
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


def _watch(child: int, control: int) -> None:
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
    if not keep and _childless():
        return
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


def _childless() -> bool:
    """Whether this subreaper has no child, and so no descendant: asked first, because a look at all processes takes time."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


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
