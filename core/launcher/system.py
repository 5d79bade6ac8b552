"""The system calls that Python does not offer, by number, with errors that name the step that failed."""
from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without stubs; "signal" itself builds enumerations at import, for 2 ms

# ruff: noqa: SIM105 – contextlib costs the launcher a millisecond
import ctypes
import os

_X86 = {"unshare": 272, "pivot_root": 155, "capset": 126}
_ARM = {"unshare": 97, "pivot_root": 41, "capset": 91}
# From 424 on a call has the same number on every architecture.
_COMMON = {"open_tree": 428, "move_mount": 429, "close_range": 436, "openat2": 437, "mount_setattr": 442,
           "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446}
AT_FDCWD = -100
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAP_VERSION = 0x20080522
EPERM, EINVAL, ENOSYS = 1, 22, 38

signals = _signal
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)
_libc.umount2.argtypes = (ctypes.c_char_p, ctypes.c_int)
_libc.prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong)


class SetupError(Exception):
    """A step of the confinement failed, so that the command was not started."""

    def __init__(self, step: str, errno: int, detail: str = "") -> None:
        super().__init__(step, errno, detail)
        self.step = step
        self.errno = errno
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.step}: {os.strerror(self.errno)}" + (f" ({self.detail})" if self.detail else "")


def step(name: str, failing: list[str]) -> None:
    """Fail here when the order asks for it: the tests of what follows a failure need one."""
    if name in failing:
        raise SetupError(name, EPERM, "asked to fail")


def machine() -> str:
    """"x86_64" or "aarch64"; SetupError elsewhere, because the numbers of other machines are not known here."""
    name = os.uname().machine
    name = {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)
    if name not in ("x86_64", "aarch64") or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise SetupError("machine", ENOSYS, name)
    return name


def number(name: str) -> int:
    """The number of a system call on this machine."""
    return _COMMON.get(name) or (_X86 if machine() == "x86_64" else _ARM)[name]


def call(step: str, name: str, *arguments: int | bytes, detail: str = "") -> int:
    """Make a system call; SetupError with the step's name when it fails. Buffers are passed as bytes."""
    # A bare int would be passed as 32 bits, which leaves the upper half of a register undefined.
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = _libc.syscall(ctypes.c_long(number(name)), *values)
    if result < 0:
        raise SetupError(step, ctypes.get_errno(), detail)
    return result


def prctl(step: str, option: int, *arguments: int) -> None:
    """prctl with all five arguments; SetupError when it fails."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    if _libc.prctl(option, *padded) != 0:
        raise SetupError(step, ctypes.get_errno(), f"prctl {option}")


def mount(step: str, source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2); SetupError when it fails."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    if _libc.mount(encoded[0], encoded[1], encoded[2], flags, encoded[3]) != 0:
        raise SetupError(step, ctypes.get_errno(), target)


def unmount(step: str, target: str) -> None:
    """Detach a mount (MNT_DETACH); SetupError when it fails."""
    if _libc.umount2(os.fsencode(target), 2) != 0:
        raise SetupError(step, ctypes.get_errno(), target)


def program(step: str, code: bytes, count: int) -> None:
    """Install a seccomp filter of `count` instructions for this process and its children."""
    buffer = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(
        count.to_bytes(8, "little") + ctypes.addressof(buffer).to_bytes(8, "little"), 16)
    prctl(step, PR_SET_SECCOMP, 2, ctypes.addressof(header))


def drop_capabilities(step: str) -> None:
    """Give up every capability for good: bounding, ambient, effective, permitted and inheritable."""
    for capability in range(64):
        try:
            prctl(step, PR_CAPBSET_DROP, capability)
        except SetupError as error:
            # EINVAL: beyond the last capability. EPERM: an ordinary user, who has none to give up.
            if error.errno in (EINVAL, EPERM):
                break
            raise
    try:
        prctl(step, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    except SetupError as error:
        if error.errno != EINVAL:
            raise
    call(step, "capset", CAP_VERSION.to_bytes(4, "little") + bytes(4), bytes(24))


def close_on_exec_from(step: str, first: int) -> None:
    """Let every descriptor from `first` on end with the next exec."""
    try:
        call(step, "close_range", first, 0xFFFFFFFF, 4)
    except SetupError:
        for name in os.listdir("/proc/self/fd"):
            if int(name) >= first:
                _set_cloexec(int(name))


def _set_cloexec(descriptor: int) -> None:
    try:
        os.set_inheritable(descriptor, False)
    except OSError:
        pass
