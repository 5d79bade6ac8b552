"""core/runner.py: a command's output, its end, and what it leaves behind. Real processes."""
from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from core import runner
from core.sandbox import Sandbox


@pytest.fixture(params=["full", "none"])
def sandbox(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(tmp_path, at_most=request.param) as made:
        if made.tier != request.param:
            pytest.skip(f"tier {request.param} is not to be had here, only {made.tier}")
        yield made


def run(command: str, sandbox: Sandbox, *, timeout: float = 20, keep: int = 8000, cancelled: threading.Event | None = None,
        lines: list[str] | None = None, spool: Path | None = None) -> runner.CommandResult:
    folder = sandbox.policy.workspace
    started = sandbox.spawn(runner.shell_argv(command), folder, sandbox.environment(runner.QUIET), merge=True)
    return runner.follow(started, timeout=timeout, keep=keep, spool=spool or folder / ".agent" / "output" / "1.txt",
                         create=create, on_line=(lines if lines is not None else []).append, cancelled=cancelled or threading.Event())


def create(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    return open(path, "wb", buffering=0)


def alive(marker: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    found.append(entry.name)
            except OSError:
                pass
    return found


def test_output_exit_code_and_lines_arrive(sandbox: Sandbox) -> None:
    lines: list[str] = []
    result = run("echo one; echo two >&2; exit 3", sandbox, lines=lines)
    assert (result.exit_code, result.ended_by, result.head) == (3, "exit", "one\ntwo\n")
    assert lines == ["one", "two"]


def test_standard_input_is_closed(sandbox: Sandbox) -> None:
    assert run("read x; echo status $?", sandbox).head == "status 1\n"


def test_a_time_out_ends_the_whole_tree_and_keeps_the_output(sandbox: Sandbox) -> None:
    marker = f"marker{os.getpid()}a"
    result = run(f"echo before; (exec -a {marker} sleep 60) & exec -a {marker} sleep 60", sandbox, timeout=0.5)
    assert result.ended_by == "timeout" and result.head == "before\n" and result.duration < 5
    assert alive(marker) == []


def test_cancelling_ends_the_command_at_once(sandbox: Sandbox) -> None:
    cancelled, marker = threading.Event(), f"marker{os.getpid()}b"
    threading.Timer(0.3, cancelled.set).start()
    started = time.monotonic()
    result = run(f"echo started; exec -a {marker} sleep 60", sandbox, cancelled=cancelled)
    assert result.ended_by == "cancel" and time.monotonic() - started < 3 and alive(marker) == []


def test_a_background_child_cannot_hold_the_pipe_open(sandbox: Sandbox) -> None:
    marker = f"marker{os.getpid()}c"
    started = time.monotonic()
    result = run(f"(exec -a {marker} sleep 60) & echo done", sandbox)
    assert result.ended_by == "exit" and result.head == "done\n"
    assert time.monotonic() - started < 5 and alive(marker) == []


def test_a_child_that_fled_its_group_does_not_block_the_end(sandbox: Sandbox) -> None:
    started = time.monotonic()
    result = run("setsid sleep 8 & echo done", sandbox)
    assert result.head == "done\n" and time.monotonic() - started < 5


def test_long_output_keeps_both_ends_and_the_whole_in_a_file(sandbox: Sandbox) -> None:
    result = run("seq 1 200000", sandbox, keep=1000)
    assert result.head.startswith("1\n2\n") and result.tail.endswith("199999\n200000\n")
    assert result.whole is not None and result.whole.stat().st_size == result.size == len("".join(f"{n}\n" for n in range(1, 200001)))


def test_live_lines_are_bounded(sandbox: Sandbox) -> None:
    lines: list[str] = []
    run("seq 1 20000", sandbox, lines=lines)
    assert len(lines) == runner.LIVE_LINES


def test_a_last_line_without_newline_is_shown(sandbox: Sandbox) -> None:
    lines: list[str] = []
    run("printf 'a\\nb'", sandbox, lines=lines)
    assert lines == ["a", "b"]


def test_bytes_that_are_no_text_do_not_stop_it(sandbox: Sandbox) -> None:
    assert "ok" in run("printf '\\xff\\xfe ok\\n'", sandbox).head


def test_python_is_the_agents_interpreter(sandbox: Sandbox) -> None:
    printed = run("python -c 'import sys; print(sys.prefix)'", sandbox).head.strip()
    assert printed == sys.prefix


def test_a_full_spool_does_not_lose_the_command(sandbox: Sandbox) -> None:
    result = run("seq 1 100000", sandbox, keep=100, spool=Path("/dev/full"))
    assert result.exit_code == 0 and result.head.startswith("1\n") and result.tail.endswith("100000\n")


@pytest.mark.parametrize("raw, text", [("中文".encode(), "中文"), ("中文".encode()[:-1], "中"), (b"\xff\xff\xff\xff ab", "���� ab")])
def test_decoding_never_fails(raw: bytes, text: str) -> None:
    assert runner.decode(raw) == text


def test_a_command_that_talks_without_end_is_stopped_in_time(sandbox: Sandbox) -> None:
    started = time.monotonic()
    result = run("yes", sandbox, timeout=1)
    assert result.ended_by == "timeout" and time.monotonic() - started < 4
