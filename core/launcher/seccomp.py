"""A filter of system calls: no debugging, no kernel surface that a command has no use for, no sockets beyond the grant."""
from __future__ import annotations

from core.launcher.system import machine, program

LOAD, AND, JUMP_EQUAL, JUMP_SET, JUMP_GREATER_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x45, 0x35, 0x06
ALLOW, KILL, DENY, UNKNOWN = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026  # 0x0005eeee: fail with errno eeee
NUMBER, ARCH, ARGUMENT = 0, 4, 16
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEW_NAMESPACES = 0x7E020080  # CLONE_NEW{NS, CGROUP, UTS, IPC, USER, PID, NET} and NEWTIME
UNIX, INET, INET6, NETLINK, DATAGRAM = 1, 2, 10, 16, 2
TIOCSTI, TIOCLINUX = 0x5412, 0x541C

# name: (x86-64, arm64)
ALWAYS_DENIED = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280), "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "userfaultfd": (323, 282),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97),
    "setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "sethostname": (170, 161), "setdomainname": (171, 162), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "syslog": (103, 116), "vhangup": (153, 58),
}
X86_ONLY = (172, 173)  # iopl, ioperm
SERVER_CALLS = {"connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242)}
SOCKET, SOCKETPAIR = (41, 198), (53, 199)
CLONE, CLONE3, IOCTL = (56, 220), (435, 435), (16, 29)


class _Program:
    """A straight list of instructions; every rule ends by falling through to the next one."""

    def __init__(self, column: int) -> None:
        self.column = column
        self.code = bytearray()

    def add(self, code: int, value: int, yes: int = 0, no: int = 0) -> None:
        self.code += code.to_bytes(2, "little") + bytes((yes, no)) + value.to_bytes(4, "little")

    def answer(self, numbers: tuple[int, int], result: int) -> None:
        """A call that always gets this answer."""
        self.add(JUMP_EQUAL, numbers[self.column], 0, 1)
        self.add(RETURN, result)

    def check(self, numbers: tuple[int, int], argument: int, jump: int, values: tuple[int, ...], denied: bool, mask: int = 0) -> None:
        """A call whose argument decides: one of `values` is denied (or, with denied=False, only they are allowed)."""
        body = _Program(self.column)
        body.add(LOAD, ARGUMENT + 8 * argument)
        if mask:
            body.add(AND, mask)
        for position, value in enumerate(values):
            body.add(jump, value, len(values) - position, 0)
        body.add(RETURN, ALLOW if denied else DENY)
        body.add(RETURN, DENY if denied else ALLOW)
        self.only_for(numbers, body)

    def only_for(self, numbers: tuple[int, int], body: _Program) -> None:
        """Run `body`, which returns on every path, for this call alone."""
        self.add(JUMP_EQUAL, numbers[self.column], 0, len(body.code) // 8)
        self.code += body.code


def assemble(container: bool, network: bool) -> bytes:
    """The filter as bytes, eight an instruction. `container`: a root folder of its own keeps the host's sockets out of reach."""
    name = machine()
    code = _Program(0 if name == "x86_64" else 1)
    code.add(LOAD, ARCH)
    code.add(JUMP_EQUAL, AUDIT_ARCH[name], 1, 0)
    code.add(RETURN, KILL)
    code.add(LOAD, NUMBER)
    if name == "x86_64":
        code.add(JUMP_GREATER_EQUAL, 0x40000000, 0, 1)
        code.add(RETURN, DENY)
        for number in X86_ONLY:
            code.answer((number, number), DENY)
    for numbers in ALWAYS_DENIED.values():
        code.answer(numbers, DENY)
    # glibc falls back to clone, whose flags can be seen here, when clone3 is not there.
    code.answer(CLONE3, UNKNOWN)
    _sockets(code, container, network)
    code.check(IOCTL, 1, JUMP_EQUAL, (TIOCSTI, TIOCLINUX), denied=True)
    code.check(CLONE, 0, JUMP_SET, (NEW_NAMESPACES,), denied=True)
    code.add(RETURN, ALLOW)
    return bytes(code.code)


def _sockets(code: _Program, container: bool, network: bool) -> None:
    if container:
        # The families that a network namespace isolates; AF_PACKET sees every packet and AF_VSOCK ignores namespaces.
        code.check(SOCKET, 0, JUMP_EQUAL, (UNIX, INET, INET6, NETLINK), denied=False)
    elif network:
        # The host's Unix sockets (a container engine, the desktop bus) would be in reach: none can be made, pairs can.
        code.check(SOCKET, 0, JUMP_EQUAL, (INET, INET6, NETLINK), denied=False)
    else:
        for numbers in SERVER_CALLS.values():
            code.answer(numbers, DENY)
        code.check(SOCKETPAIR, 1, JUMP_EQUAL, (DATAGRAM,), denied=True, mask=0xF)
        code.only_for(SOCKET, _unix_streams(code.column))


def _unix_streams(column: int) -> _Program:
    """Unix sockets, but no datagram ones: they name a receiver in every message, which no filter of connect() sees."""
    body = _Program(column)
    body.add(LOAD, ARGUMENT)
    body.add(JUMP_EQUAL, UNIX, 1, 0)
    body.add(RETURN, DENY)
    body.add(LOAD, ARGUMENT + 8)
    body.add(AND, 0xF)
    body.add(JUMP_EQUAL, DATAGRAM, 0, 1)
    body.add(RETURN, DENY)
    body.add(RETURN, ALLOW)
    return body


_assembled: dict[tuple[bool, bool], bytes] = {}


def filter_for(container: bool, network: bool) -> bytes:
    """assemble(), once for each pair of arguments: a process that forks others makes it for all of them."""
    key = (container, network)
    if key not in _assembled:
        _assembled[key] = assemble(container, network)
    return _assembled[key]


def install(container: bool, network: bool) -> None:
    """Put the filter on this process and all that it starts."""
    code = filter_for(container, network)
    program("seccomp", code, len(code) // 8)
