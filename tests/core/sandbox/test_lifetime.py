"""Requirements S4 and S9: when a command ends, nothing of it is left, and nothing else ends it."""
from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import SandboxError
from core.launcher.supervise import descendants
from core.sandbox import Sandbox
from tests.core.sandbox.hostile import run

Make = Callable[..., Sandbox]
TIERS = ["full", "landlock", "none"]
# Every way of leaving a process group: a background job, a session of its own, a double fork.
RUNAWAYS = ("(sleep 300 &) ; setsid sleep 300 & python3 -c \"\nimport os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
            "        time.sleep(300)\n    os._exit(0)\n\"; nohup setsid bash -c 'trap \\\"\\\" TERM HUP INT; sleep 300' >/dev/null 2>&1 & ")


def marked(mark: str) -> list[int]:
    """The processes whose environment holds this mark."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and mark.encode() in Path(f"/proc/{name}/environ").read_bytes():
                found.append(int(name))
        except OSError:
            continue
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("tier", TIERS)
def test_stopping_a_command_leaves_no_process_and_keeps_its_output(make: Make, tier: str) -> None:
    sandbox = make(tier)
    mark = f"mark-{tier}-{os.getpid()}-stop"
    command = sandbox.spawn(["bash", "-c", f"echo before; {RUNAWAYS} sleep 300"], env={**sandbox.environment(), "MARK": mark}, merge=True)
    assert command.stdout.readline() == b"before\n"
    assert wait_for(lambda: len(marked(mark)) >= 5)
    assert command.kill_tree()
    assert marked(mark) == []
    assert command.returncode == -9
    command.stdout.close()


@pytest.mark.parametrize("tier", TIERS)
def test_what_a_command_leaves_in_the_background_ends_with_it(make: Make, tier: str) -> None:
    sandbox = make(tier)
    mark = f"mark-{tier}-{os.getpid()}-end"
    command = sandbox.spawn(["bash", "-c", f"{RUNAWAYS} sleep 0.3; exit 7"], env={**sandbox.environment(), "MARK": mark}, merge=True)
    with command.stdout:
        command.stdout.read()
    assert command.wait(10) == 7
    assert marked(mark) == []


def test_a_fork_bomb_is_ended(make: Make) -> None:
    sandbox = make(limits={"NPROC": 300})
    mark = f"mark-{os.getpid()}-bomb"
    program = ("import os, time\nfor _ in range(150):\n    if os.fork() == 0:\n        time.sleep(300)\n"
               "print('full', flush=True)\ntime.sleep(300)")
    command = sandbox.spawn(["python3", "-c", program], env={**sandbox.environment(), "MARK": mark}, merge=True)
    assert command.stdout.readline() == b"full\n"
    assert command.kill_tree(5)
    assert marked(mark) == []
    command.stdout.close()


@pytest.mark.parametrize("tier", TIERS)
def test_a_command_survives_the_end_of_the_thread_that_started_it(make: Make, tier: str) -> None:
    sandbox = make(tier)
    started = []
    thread = threading.Thread(target=lambda: started.append(sandbox.spawn(["bash", "-c", "sleep 0.5; echo done"], merge=True)))
    thread.start()
    thread.join()
    with started[0].stdout:
        assert started[0].stdout.read() == b"done\n"
    assert started[0].wait(5) == 0


def test_many_threads_start_commands_at_once_and_each_gets_its_own_output(make: Make) -> None:
    sandbox = make()
    results: dict[int, tuple[int, str]] = {}

    def one(number: int) -> None:
        results[number] = run(sandbox, f"echo {number}; exit {number}")

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: (number, f"{number}\n") for number in range(8)}


def test_the_end_of_the_agent_ends_its_commands(tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-agent"
    program = (f"import sys, os; sys.path.insert(0, {str(Path.cwd())!r})\nfrom core.sandbox import Sandbox\n"
               f"s = Sandbox({str(tmp_path)!r}, cache=__import__('pathlib').Path({str(tmp_path / 'cache')!r}))\n"
               f"c = s.spawn(['sleep', '300'], env={{**s.environment(), 'MARK': {mark!r}}})\nprint('up', flush=True)\nos.kill(os.getpid(), 9)\n")
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=60)
    assert wait_for(lambda: marked(mark) == [], 5)


def test_the_helper_is_started_anew_when_it_was_killed(make: Make) -> None:
    sandbox = make()
    assert run(sandbox, "echo a")[1] == "a\n"
    first = sandbox.helper_pid
    os.kill(first, 9)
    assert wait_for(lambda: not Path(f"/proc/{first}/stat").exists() or " Z " in Path(f"/proc/{first}/stat").read_text())
    assert run(sandbox, "echo b")[1] == "b\n"
    assert sandbox.helper_pid != first


def test_a_prepared_supervisor_that_was_killed_is_replaced(make: Make) -> None:
    sandbox = make()
    assert run(sandbox, "echo a")[1] == "a\n"
    assert wait_for(lambda: bool(descendants(sandbox.helper_pid)))
    for process in descendants(sandbox.helper_pid):
        os.kill(process, 9)
    assert [run(sandbox, f"echo {number}")[1] for number in range(3)] == ["0\n", "1\n", "2\n"]


def test_closing_ends_commands_helper_and_temporary_folder(make: Make) -> None:
    sandbox = make()
    mark = f"mark-{os.getpid()}-close"
    command = sandbox.spawn(["sleep", "300"], env={**sandbox.environment(), "MARK": mark})
    helper = sandbox.helper_pid
    temporary = sandbox._own_values()["TMPDIR"], sandbox._temporary
    sandbox.close()
    assert temporary[0] == "/tmp"
    assert not Path(temporary[1]).exists()
    assert command.poll() == -9
    assert marked(mark) == []
    assert not Path(f"/proc/{helper}").exists()
    with pytest.raises(SandboxError):
        sandbox.spawn(["true"])
    for stream in (command.stdout, command.stderr):
        assert stream is not None
        stream.close()


def test_a_signal_reaches_the_command_which_may_end_in_its_own_way(make: Make) -> None:
    for tier in ("full", "landlock"):
        sandbox = make(tier)
        command = sandbox.spawn(["bash", "-c", "trap 'echo bye; exit 3' TERM; echo up; while true; do sleep 0.05; done"], merge=True)
        assert command.stdout.readline() == b"up\n"
        command.send_signal(15)
        with command.stdout:
            assert command.stdout.read().endswith(b"bye\n")
        assert command.wait(5) == 3


def test_waiting_longer_than_allowed_says_so_and_the_command_goes_on(make: Make) -> None:
    command = make().spawn(["sleep", "300"], merge=True)
    with pytest.raises(subprocess.TimeoutExpired):
        command.wait(0.05)
    assert command.poll() is None
    assert command.kill_tree()
    command.stdout.close()


def test_exit_status_and_signal_are_those_of_the_command(make: Make) -> None:
    for tier in TIERS:
        sandbox = make(tier)
        assert run(sandbox, "exit 42")[0] == 42
        assert run(sandbox, "kill -SEGV $$")[0] == -11


def test_a_program_that_is_not_there_is_an_ordinary_error(make: Make) -> None:
    for tier in TIERS:
        with pytest.raises(FileNotFoundError):
            make(tier).spawn(["no-such-program"])
        with pytest.raises(FileNotFoundError):
            make(tier).spawn(["true"], cwd="/no/such/folder")
