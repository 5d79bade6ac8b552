"""The launcher by hand, its self-test, and what follows when a step of the confinement fails (S6)."""
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import SandboxError
from core.launcher.config import ConfigError, dump, parse
from core.sandbox import Sandbox
from core.sandbox.probe import LAUNCHER, probe
from tests.core.sandbox.hostile import run

Make = Callable[..., Sandbox]


def launch(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", "-S", str(LAUNCHER), *arguments], capture_output=True, text=True, timeout=60,
                          check=False, stdin=subprocess.DEVNULL, **options)  # type: ignore[call-overload, no-any-return]


def needs_full(make: Make) -> None:
    make("full")


def test_help_explains_the_command_line() -> None:
    done = launch("--help")
    assert done.returncode == 0
    assert "CONFIG" in done.stdout
    assert launch().returncode == 2
    assert launch("nonsense").returncode == 2


def test_a_command_by_hand_is_confined_to_its_workspace(make: Make, tmp_path: Path) -> None:
    needs_full(make)
    work = tmp_path / "by-hand"
    work.mkdir()
    done = launch(f"workspace:{work}", "--", "bash", "-c", f"echo in > file; echo out > {tmp_path}/file; cat file; exit 5")
    assert done.returncode == 5
    assert done.stdout == "in\n"
    assert not (tmp_path / "file").exists()


def test_a_signal_shows_as_128_and_more_and_a_missing_program_as_125(make: Make, tmp_path: Path) -> None:
    needs_full(make)
    assert launch(f"workspace:{tmp_path}", "--", "bash", "-c", "kill -9 $$").returncode == 137
    done = launch(f"workspace:{tmp_path}", "--", "no-such-program")
    assert done.returncode == 125
    assert "no-such-program" in done.stderr


def test_killing_the_launcher_ends_what_it_runs(make: Make, tmp_path: Path) -> None:
    needs_full(make)
    mark = f"mark-{os.getpid()}-cold"
    process = subprocess.Popen([sys.executable, "-I", "-S", str(LAUNCHER), "inline:" + dump([
        ("tier", "full"), ("read", "/usr"), ("read", "/etc"), ("link", "/bin\tusr/bin"), ("link", "/lib\tusr/lib"),
        ("link", "/lib64\tusr/lib64"), ("env", "PATH=/usr/bin"), ("env", f"MARK={mark}")]).decode(), "--", "bash", "-c",
        "setsid sleep 300 & echo up; sleep 300"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"up\n"
        process.kill()
        process.wait()
        assert process.stdout.read() == b"", "the pipe ends only when no process holds it any more"


def test_the_liveness_pipe_stops_the_command_when_its_other_end_closes(make: Make, tmp_path: Path) -> None:
    needs_full(make)
    read, write = os.pipe()
    lines = [("tier", "landlock"), ("read", "/usr"), ("read", "/etc"), ("env", "PATH=/usr/bin:/bin"), ("liveness", str(read))]
    for path in ("/bin", "/lib", "/lib64"):
        lines.append(("read", path))
    process = subprocess.Popen([sys.executable, "-I", "-S", str(LAUNCHER), "inline:" + dump(lines).decode(), "--", "sleep", "300"],
                               pass_fds=[read])
    os.close(read)
    os.close(write)
    assert process.wait(30) == 137


@pytest.mark.parametrize(("step", "expected"), [("userns", "landlock"), ("mounts", "landlock"), ("seccomp", "none"), ("capabilities", "none")])
def test_a_failed_step_lowers_the_tier_and_says_why(make: Make, step: str, expected: str) -> None:
    needs_full(make)
    found = probe(failing=[step])
    assert found.tier in (expected, "bwrap")
    assert any(line.startswith(f"full: {step}") for line in found.refused)
    sandbox = make("full", failing=[step])
    assert sandbox.confines == (found.tier != "none"), "without a boundary nothing may run unasked"


def test_a_lost_feature_of_a_tier_is_named(make: Make) -> None:
    needs_full(make)
    assert probe(failing=["proc"]).missing == ("private_proc",)
    assert probe(failing=["landlock"]).missing == ("landlock",)


def test_a_tree_without_a_private_proc_works_and_still_hides_the_agent(make: Make) -> None:
    sandbox = make("full", failing=["proc"])
    status, output = run(sandbox, f"cat /proc/self/status | head -1; cat /proc/{os.getpid()}/environ")
    assert "Name:" in output
    assert "PATH=" not in output
    assert status != 0


def test_a_step_that_fails_at_run_time_starts_nothing(make: Make, tmp_path: Path) -> None:
    sandbox = make("full")
    run(sandbox, "true")
    (tmp_path / "work" / ".agent").rmdir()
    (tmp_path / "work" / ".agent").symlink_to("/etc")
    with pytest.raises(SandboxError) as caught:
        sandbox.spawn(["touch", "ran"])
    assert caught.value.step == "mounts"
    assert not (tmp_path / "work" / "ran").exists()


def test_the_finding_is_remembered_and_a_weaker_one_is_reported(tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "sandbox.json"
    found = probe(cache=cache)
    text = cache.read_text()
    assert probe(cache=cache) == found
    cache.write_text(text.replace('"key": "', '"key": "other-boot-').replace(f'"tier": "{found.tier}"', '"tier": "full"'))
    weaker = probe(cache=cache)
    assert weaker.lowered_from == ("" if found.tier == "full" else "full")
    cache.write_text("not JSON")
    assert probe(cache=cache).tier == found.tier


def test_configuration_lines_survive_the_way_through_bytes() -> None:
    lines = [("tier", "landlock"), ("arg", "two\nlines"), ("arg", "100 %0A"), ("arg", ""), ("env", "A=b=c"), ("read", "/caf\u00e9 \udcff")]
    config = parse(dump(lines))
    assert config.arg == ["two\nlines", "100 %0A", ""]
    assert config.environment() == {"A": "b=c"}
    assert config.read == ["/caf\u00e9 \udcff"]
    assert parse(dump(config.lines())).lines() == config.lines()


@pytest.mark.parametrize("line", ["tier strong", "network maybe", "reed /usr", "liveness soon"])
def test_a_configuration_line_that_is_not_understood_is_refused(line: str) -> None:
    with pytest.raises(ConfigError):
        parse(line.encode())
