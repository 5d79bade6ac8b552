"""File, TCP, socket and signal rights that the kernel checks for this process and all that it starts."""
from __future__ import annotations

import os

from core.launcher.config import Config
from core.launcher.system import SetupError, call

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK, REFER, TRUNCATE, IOCTL_DEV = 1 << 6, 1 << 11, 1 << 13, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
DEVICE = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
TCP_BIND_CONNECT, ABSTRACT_SOCKET_AND_SIGNAL = 3, 3
DEVICE_FILES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts")


def abi() -> int:
    """The version that the kernel speaks; SetupError when it speaks none."""
    return call("landlock", "landlock_create_ruleset", 0, 0, 1)


def all_rights(version: int) -> int:
    """Every file right of a Landlock version."""
    bits = 13 if version < 2 else 14 if version < 3 else 15 if version < 5 else 16
    return (1 << bits) - 1


def rules(config: Config, container: bool) -> int:
    """A descriptor of the rules that `config` gives. In a container "/" holds only what may be read."""
    version = abi()
    rights = all_rights(version)
    private_network = container or config.network == "on"
    net = 0 if private_network or version < 4 else TCP_BIND_CONNECT
    scoped = 0 if version < 6 else ABSTRACT_SOCKET_AND_SIGNAL
    attributes = b"".join(value.to_bytes(8, "little") for value in (rights, net, scoped))
    size = 8 if version < 4 else 16 if version < 6 else 24
    handle = call("landlock", "landlock_create_ruleset", attributes, size, 0)
    write = rights & ~(MAKE_CHAR | MAKE_BLOCK)
    for path in ["/"] if container else [*config.read, *config.protect]:
        _allow(handle, path, READ & rights)
    for path in [*config.write, *(["/tmp"] if container and config.tmp else [config.tmp] if config.tmp else []), "/dev/shm"]:
        _allow(handle, path, write)
    for path in (*(("/dev",) if container else DEVICE_FILES), *config.device):
        _allow(handle, path, (DEVICE | READ_DIR) & rights)
    return handle


def restrict(handle: int) -> None:
    """Put the rules on this process, which has set "no new privileges", and on all that it starts."""
    call("landlock", "landlock_restrict_self", handle, 0)


def _allow(rules: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as error:
        raise SetupError("landlock", error.errno or 0, path) from error
    try:
        if os.fstat(handle).st_mode & 0o170000 != 0o040000:
            access &= FILE_RIGHTS
        call("landlock", "landlock_add_rule", rules, 1,
             access.to_bytes(8, "little") + handle.to_bytes(4, "little"), 0, detail=path)
    finally:
        os.close(handle)
