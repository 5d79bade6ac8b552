"""The warm helper: one process with one thread that forks a supervisor for every command, so that Python starts only once.

It gets its orders over one socket from the process that started it, and ends with it. It holds no key and no connection.
A message is one byte with four descriptors: a stream for the order and the reports of that command, and its stdin, stdout
and stderr. The order is eight bytes of length (little-endian) and the lines of core/launcher/config.py.
"""
from __future__ import annotations

import _signal
import _socket
import gc
import os
import select

from core.launcher.config import ConfigError, parse
from core.launcher.supervise import supervise, sweep
from core.launcher.system import PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, SetupError, prctl

DESCRIPTORS = 4


def serve(descriptor: int) -> None:
    """Obey the socket `descriptor` until its other end is closed; what still runs then is ended."""
    prctl("zygote", PR_SET_DUMPABLE, 0)
    try:
        prctl("zygote", PR_SET_CHILD_SUBREAPER, 1)
    except SetupError:
        pass
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    _signal.signal(_signal.SIGCHLD, lambda number, frame: None)
    _signal.set_wakeup_fd(wake_write)
    channel = _socket.socket(fileno=descriptor)
    children: set[int] = set()
    gc.disable()
    gc.freeze()
    while True:
        ready = select.select([descriptor, wake_read], [], [])[0]
        if wake_read in ready:
            os.read(wake_read, 4096)
            _reap(children)
        if descriptor in ready and not _accept(channel, children, (wake_read, wake_write)):
            sweep()
            return


def _accept(channel: _socket.socket, children: set[int], wake: tuple[int, int]) -> bool:
    """Fork a supervisor for one message; False at the end of the channel."""
    data, ancillary, _, _ = channel.recvmsg(1, _socket.CMSG_SPACE(4 * DESCRIPTORS), _socket.MSG_CMSG_CLOEXEC)
    if not data:
        return False
    received: list[int] = []
    for _, _, block in ancillary:
        received += [int.from_bytes(block[start:start + 4], "little") for start in range(0, len(block) - 3, 4)]
    child = os.fork() if len(received) == DESCRIPTORS else -1
    if child == 0:
        _signal.set_wakeup_fd(-1)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        for descriptor in (channel.fileno(), *wake):
            os.close(descriptor)
        _serve_one(received)
    children.add(child)
    for descriptor in received:
        os.close(descriptor)
    return True


def _serve_one(received: list[int]) -> None:
    control, stdin, stdout, stderr = received

    def notify(text: str) -> None:
        try:
            os.write(control, text.replace("\n", " ").encode("utf-8", "surrogateescape") + b"\n")
        except OSError:
            pass  # The other end is gone; the next look at the control channel ends the command.

    try:
        config = parse(_read_order(control))
        supervise(config, (stdin, stdout, stderr), control, notify)
    except (SetupError, ConfigError, OSError) as error:
        notify(f"failed launcher 0 {error}")
    finally:
        os._exit(0)


def _read_order(control: int) -> bytes:
    size = int.from_bytes(_exactly(control, 8), "little")
    return _exactly(control, size)


def _exactly(descriptor: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = os.read(descriptor, min(size - len(data), 1 << 20))
        if not part:
            raise OSError(32, "the order was cut off")
        data += part
    return bytes(data)


def _reap(children: set[int]) -> None:
    """Collect ended supervisors; one that was killed leaves orphans, which are ended here."""
    while True:
        try:
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not child:
            return
        if child in children:
            children.discard(child)
            if status:
                sweep(children)
