"""The warm helper: one process with one thread that forks a supervisor for every command, so that Python starts only once.

It gets its orders over one socket from the process that started it, and ends with it. It holds no key and no connection.
First come eight bytes of length (little-endian) and the lines that all commands share. Then one byte a command, with four
descriptors: a stream for the rest of its order (length and lines again) and its reports, and its stdin, stdout and stderr.

    s   a command without network: a supervisor that was prepared meanwhile takes it
    f   the same, with a fresh supervisor               n   a command with network, with a fresh supervisor
"""
from __future__ import annotations

# ruff: noqa: SIM105 – contextlib costs the launcher a millisecond
import _socket
import gc
import os
import select
import time

from core.launcher import seccomp
from core.launcher.config import Config, ConfigError, parse
from core.launcher.supervise import SIGKILL, Prepared, go, prepare, read_exactly, receive_descriptors, sweep
from core.launcher.system import PR_SET_CHILD_SUBREAPER, PR_SET_DUMPABLE, SetupError, prctl, signals

DESCRIPTORS = 4
# A spare supervisor is prepared when a command has ended, so as not to compete with it, or this long after its start.
SPARE_SECONDS = 0.2


def serve(descriptor: int) -> None:
    """Obey the socket `descriptor` until its other end is closed; what still runs then is ended."""
    prctl("zygote", PR_SET_DUMPABLE, 0)
    prctl("zygote", PR_SET_CHILD_SUBREAPER, 1)
    signals.signal(signals.SIGINT, signals.SIG_IGN)
    shared = parse(read_exactly(descriptor, int.from_bytes(read_exactly(descriptor, 8), "little")))
    _load_everything(shared)
    gc.disable()
    gc.freeze()
    _Zygote(descriptor, shared).run()


def _load_everything(shared: Config) -> None:
    """Do now what every command needs, so that no child has to."""
    import fcntl  # noqa: F401  # for its effect on later imports
    for network in (False, True):
        seccomp.filter_for(shared.tier in ("full", "inner"), network)


class _Zygote:
    """The loop, its children and the spare supervisor."""

    def __init__(self, descriptor: int, shared: Config) -> None:
        self.channel = _socket.socket(fileno=descriptor)
        self.shared = shared
        self.children: set[int] = set()
        self.spare: _socket.socket | None = None
        self.spare_child = 0
        self.spare_due = 0.0
        self.wake, self.wake_write = os.pipe()
        os.set_blocking(self.wake_write, False)
        signals.signal(signals.SIGCHLD, lambda number, frame: None)
        signals.set_wakeup_fd(self.wake_write)

    def run(self) -> None:
        """Accept commands until the channel ends."""
        self._make_spare()
        while True:
            timeout = None if self.spare is not None else max(0.0, self.spare_due - time.monotonic())
            ready = select.select([self.channel.fileno(), self.wake], [], [], timeout)[0]
            if self.wake in ready:
                os.read(self.wake, 4096)
                self._reap()
            if self.channel.fileno() in ready:
                received, kind = receive_descriptors(self.channel, 1)
                if not kind:
                    sweep()
                    return
                if len(received) == DESCRIPTORS:
                    self._dispatch(received, kind)
                for descriptor in received:
                    os.close(descriptor)
                self.spare_due = time.monotonic() + SPARE_SECONDS
            # Only now: a spare that inherited a command's streams would keep their readers waiting.
            if self.spare is None and time.monotonic() >= self.spare_due:
                self._make_spare()

    def _dispatch(self, received: list[int], kind: bytes) -> None:
        if kind != b"s" or not self._hand_over(received):
            child = os.fork()
            if child == 0:
                self._become_supervisor(received, None, kind == b"n")
            self.children.add(child)

    def _hand_over(self, received: list[int]) -> bool:
        """Give a command to the spare supervisor; False when there is none."""
        if self.spare is None:
            return False
        spare, self.spare = self.spare, None
        block = b"".join([number.to_bytes(4, "little") for number in received])
        try:
            spare.sendmsg([b"s"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, block)])
        except OSError:
            return False
        finally:
            spare.close()
        return True

    def _make_spare(self) -> None:
        mine, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        child = os.fork()
        if child == 0:
            mine.close()
            self._become_supervisor([], theirs, False)
        theirs.close()
        self.spare, self.spare_child = mine, child
        self.children.add(child)

    def _become_supervisor(self, received: list[int], source: _socket.socket | None, network: bool) -> None:
        """In the child: prepare, wait for the command when it is not there yet, see it to its end. Never returns."""
        try:
            signals.set_wakeup_fd(-1)
            signals.signal(signals.SIGCHLD, signals.SIG_DFL)
            for descriptor in (self.channel.fileno(), self.wake, self.wake_write):
                os.close(descriptor)
            if self.spare is not None:
                self.spare.close()
            self.shared.network = "on" if network else "off"
            _supervisor(self.shared, received, source)
        finally:
            os._exit(0)

    def _reap(self) -> None:
        """Collect ended supervisors; one that was killed leaves orphans, which are ended here."""
        while True:
            try:
                child, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not child:
                return
            if child in self.children:
                self.children.discard(child)
                if child == self.spare_child and self.spare is not None:
                    self.spare.close()
                    self.spare = None
                    self.spare_due = time.monotonic() + SPARE_SECONDS
                else:
                    self.spare_due = 0.0
                if status:
                    sweep(self.children)


def _supervisor(shared: Config, received: list[int], source: _socket.socket | None) -> None:
    prepared: Prepared | None = None
    failure = ""
    try:
        prepared = prepare(shared, [*received, *([source.fileno()] if source else [])])
    except SetupError as error:
        failure = f"failed {error.step} {error.errno} {error.detail}"
    if source is not None:
        received = receive_descriptors(source, 1)[0]
        source.close()
        if len(received) != DESCRIPTORS:
            if prepared is not None:
                os.kill(prepared.child, SIGKILL)
            return
    control = received[0]

    def notify(text: str) -> None:
        try:
            os.write(control, text.replace("\n", " ").encode("utf-8", "surrogateescape") + b"\n")
        except OSError:
            pass  # The other end is gone; the next look at the control channel ends the command.

    if prepared is None:
        notify(failure)
        return
    try:
        order = read_exactly(control, int.from_bytes(read_exactly(control, 8), "little"))
        go(prepared, order, (received[1], received[2], received[3]), control, notify)
    except (SetupError, ConfigError, OSError) as error:
        notify(f"failed launcher 0 {error}")
