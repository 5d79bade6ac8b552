"""A user, mount, process, IPC and (unless granted) network namespace of the command's own."""
from __future__ import annotations

import os

from core.launcher.system import PR_SET_DUMPABLE, SetupError, call, prctl

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP_RUNNING = 0x8913, 0x8914, 0x41


def enter(network: bool) -> None:
    """Leave the host's namespaces; the next child is process 1 of the new one. The user keeps their own number."""
    uid, gid = os.geteuid(), os.getegid()
    # The files below belong to root while the process is not dumpable, and an ordinary user could not write them.
    prctl("userns", PR_SET_DUMPABLE, 1)
    call("userns", "unshare", NEWUSER | NEWNS | NEWPID | NEWIPC | (0 if network else NEWNET))
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")
    prctl("userns", PR_SET_DUMPABLE, 0)
    if not network:
        _loopback_up()


def _write(path: str, text: str) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SetupError("userns", error.errno or 0, path) from error


def _loopback_up() -> None:
    """Give the new network namespace a working 127.0.0.1, so that a server and its client can live in one command."""
    import _socket
    import fcntl
    name = b"lo".ljust(16, b"\0")
    try:
        link = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
        try:
            flags = int.from_bytes(fcntl.ioctl(link.fileno(), SIOCGIFFLAGS, name + bytes(24))[16:18], "little")
            fcntl.ioctl(link.fileno(), SIOCSIFFLAGS, name + (flags | IFF_UP_RUNNING).to_bytes(2, "little") + bytes(22))
        finally:
            link.close()
    except OSError as error:
        raise SetupError("netns", error.errno or 0, "loopback") from error
