"""The system-call filter, run instruction by instruction here, for both machines."""
from __future__ import annotations

import pytest

from core.launcher import seccomp

MACHINES = ["x86_64", "aarch64"]


def decide(code: bytes, arch: int, number: int, *arguments: int) -> int:
    """What the kernel would answer: a small interpreter of the classic packet filter."""
    values = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = number.to_bytes(4, "little") + arch.to_bytes(4, "little") + bytes(8) + b"".join(value.to_bytes(8, "little") for value in values)
    accumulator = position = 0
    while True:
        instruction = code[8 * position:8 * position + 8]
        kind, yes, no, value = int.from_bytes(instruction[:2], "little"), instruction[2], instruction[3], int.from_bytes(instruction[4:], "little")
        position += 1
        if kind == seccomp.LOAD:
            accumulator = int.from_bytes(data[value:value + 4], "little")
        elif kind == seccomp.AND:
            accumulator &= value
        elif kind == seccomp.RETURN:
            return value
        else:
            true = {seccomp.JUMP_EQUAL: accumulator == value, seccomp.JUMP_SET: bool(accumulator & value),
                    seccomp.JUMP_GREATER_EQUAL: accumulator >= value}[kind]
            position += yes if true else no


class Filter:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str, container: bool, network: bool) -> None:
        monkeypatch.setattr(seccomp, "machine", lambda: name)
        self.column = MACHINES.index(name)
        self.arch = seccomp.AUDIT_ARCH[name]
        self.code = seccomp.assemble(container, network)

    def allows(self, numbers: tuple[int, int], *arguments: int) -> bool:
        return decide(self.code, self.arch, numbers[self.column], *arguments) == seccomp.ALLOW


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("container", [True, False])
@pytest.mark.parametrize("network", [True, False])
def test_debugging_mounting_and_kernel_loading_are_never_allowed(monkeypatch: pytest.MonkeyPatch, name: str, container: bool, network: bool) -> None:
    calls = Filter(monkeypatch, name, container, network)
    assert not any(calls.allows(numbers) for numbers in seccomp.ALWAYS_DENIED.values())
    assert calls.allows((0, 63)), "read"
    assert calls.allows((59, 221)), "execve"
    assert decide(calls.code, 0x40000003, 1) == seccomp.KILL, "another machine's numbers"
    assert decide(calls.code, calls.arch, 435) == seccomp.UNKNOWN, "clone3 hides its flags"
    assert not calls.allows(seccomp.CLONE, 0x10000000), "a new user namespace"
    assert calls.allows(seccomp.CLONE, 0x00010F00), "a thread"
    assert not calls.allows(seccomp.IOCTL, 0, seccomp.TIOCSTI)
    assert calls.allows(seccomp.IOCTL, 0, 0x5401)


@pytest.mark.parametrize("name", MACHINES)
def test_sockets_are_those_that_the_tier_can_hold(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    own = Filter(monkeypatch, name, True, False)
    assert [family for family in range(46) if own.allows(seccomp.SOCKET, family, 1)] == [1, 2, 10, 16]
    shared = Filter(monkeypatch, name, False, False)
    assert [family for family in range(46) if shared.allows(seccomp.SOCKET, family, 1)] == [1]
    assert not shared.allows(seccomp.SOCKET, 1, 2 | 0o2000000), "a datagram socket names its receiver in each message"
    assert not shared.allows(seccomp.SOCKETPAIR, 1, 2)
    assert shared.allows(seccomp.SOCKETPAIR, 1, 1)
    assert not any(shared.allows(numbers, 3) for numbers in seccomp.SERVER_CALLS.values())
    granted = Filter(monkeypatch, name, False, True)
    assert [family for family in range(46) if granted.allows(seccomp.SOCKET, family, 1)] == [2, 10, 16]


def test_numbers_above_the_second_table_of_x86_are_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Filter(monkeypatch, "x86_64", True, False)
    assert decide(calls.code, calls.arch, 0x40000000 + 101) == seccomp.DENY
