"""core/runner.py: a command's output, its end, and what it leaves behind. Real processes."""
from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from core import runner


def run(command: str, folder: Path, *, timeout: float = 20, keep: int = 8000, cancelled: threading.Event | None = None,
        lines: list[str] | None = None) -> runner.CommandResult:
    return runner.run(runner.shell_argv(command), cwd=folder, environment=runner.command_environment(os.environ, folder), timeout=timeout,
                      keep=keep, spool=folder / ".agent" / "output" / "1.txt", on_line=(lines if lines is not None else []).append,
                      cancelled=cancelled or threading.Event())


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


def test_output_exit_code_and_lines_arrive(tmp_path: Path) -> None:
    lines: list[str] = []
    result = run("echo one; echo two >&2; exit 3", tmp_path, lines=lines)
    assert (result.exit_code, result.ended_by, result.head) == (3, "exit", "one\ntwo\n")
    assert lines == ["one", "two"]


def test_standard_input_is_closed(tmp_path: Path) -> None:
    assert run("read x; echo status $?", tmp_path).head == "status 1\n"


def test_a_time_out_ends_the_whole_tree_and_keeps_the_output(tmp_path: Path) -> None:
    marker = f"marker{os.getpid()}a"
    result = run(f"echo before; (exec -a {marker} sleep 60) & exec -a {marker} sleep 60", tmp_path, timeout=0.5)
    assert result.ended_by == "timeout" and result.head == "before\n" and result.duration < 5
    assert alive(marker) == []


def test_cancelling_ends_the_command_at_once(tmp_path: Path) -> None:
    cancelled, marker = threading.Event(), f"marker{os.getpid()}b"
    threading.Timer(0.3, cancelled.set).start()
    started = time.monotonic()
    result = run(f"echo started; exec -a {marker} sleep 60", tmp_path, cancelled=cancelled)
    assert result.ended_by == "cancel" and time.monotonic() - started < 3 and alive(marker) == []


def test_a_background_child_cannot_hold_the_pipe_open(tmp_path: Path) -> None:
    marker = f"marker{os.getpid()}c"
    started = time.monotonic()
    result = run(f"(exec -a {marker} sleep 60) & echo done", tmp_path)
    assert result.ended_by == "exit" and result.head == "done\n" and result.left
    assert time.monotonic() - started < 5 and alive(marker) == []


def test_a_child_that_fled_its_group_does_not_block_the_end(tmp_path: Path) -> None:
    started = time.monotonic()
    result = run("setsid sleep 8 & echo done", tmp_path)
    assert result.head == "done\n" and time.monotonic() - started < 5


def test_long_output_keeps_both_ends_and_the_whole_in_a_file(tmp_path: Path) -> None:
    result = run("seq 1 200000", tmp_path, keep=1000)
    assert result.head.startswith("1\n2\n") and result.tail.endswith("199999\n200000\n")
    assert result.whole is not None and result.whole.stat().st_size == result.size == len("".join(f"{n}\n" for n in range(1, 200001)))


def test_live_lines_are_bounded(tmp_path: Path) -> None:
    lines: list[str] = []
    run("seq 1 20000", tmp_path, lines=lines)
    assert len(lines) == runner.LIVE_LINES


def test_a_last_line_without_newline_is_shown(tmp_path: Path) -> None:
    lines: list[str] = []
    run("printf 'a\\nb'", tmp_path, lines=lines)
    assert lines == ["a", "b"]


def test_bytes_that_are_no_text_do_not_stop_it(tmp_path: Path) -> None:
    assert "ok" in run("printf '\\xff\\xfe ok\\n'", tmp_path).head


def test_a_program_that_does_not_exist_raises_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        runner.run(["/no/such/program"], cwd=tmp_path, environment={}, timeout=1, keep=10, spool=tmp_path / "x",
                   on_line=lambda line: None, cancelled=threading.Event())


def test_the_environment_is_an_allow_list_without_any_key(tmp_path: Path) -> None:
    environ = {"PATH": "/usr/bin:relative:/bin", "API_KEY": "sk-secret-1", "OPENAI_API_KEY": "sk-secret-2", "LD_PRELOAD": "x.so", "GIT_DIR": "y",
               "HOME": "/home/u", "LC_ALL": "zh_CN.UTF-8", "BASH_ENV": "evil.sh"}
    kept = runner.command_environment(environ, tmp_path)
    assert not [value for value in kept.values() if "secret" in value]
    assert not kept.keys() & {"LD_PRELOAD", "GIT_DIR", "BASH_ENV", "API_KEY"}
    assert kept["LC_ALL"] == "zh_CN.UTF-8" and kept["PAGER"] == "cat" and kept["AGENT_WORKSPACE"] == str(tmp_path)
    assert "relative" not in kept["PATH"].split(os.pathsep)


def test_python_is_the_agents_interpreter(tmp_path: Path) -> None:
    printed = run("python -c 'import sys; print(sys.prefix)'", tmp_path).head.strip()
    assert printed == sys.prefix


def test_a_full_spool_does_not_lose_the_command(tmp_path: Path) -> None:
    result = runner.run(runner.shell_argv("seq 1 100000"), cwd=tmp_path, environment={"PATH": os.defpath}, timeout=20, keep=100,
                        spool=Path("/dev/full"), on_line=lambda line: None, cancelled=threading.Event())
    assert result.exit_code == 0 and result.head.startswith("1\n") and result.tail.endswith("100000\n")


@pytest.mark.parametrize("raw, text", [("中文".encode(), "中文"), ("中文".encode()[:-1], "中"), (b"\xff\xff\xff\xff ab", "���� ab")])
def test_decoding_never_fails(raw: bytes, text: str) -> None:
    assert runner.decode(raw) == text
