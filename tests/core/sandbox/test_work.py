"""Requirement S7: tools that people use every day work in tier full."""
from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.sandbox import Sandbox
from tests.core.sandbox.hostile import run

Make = Callable[..., Sandbox]


def check(sandbox: Sandbox, script: str, timeout: float = 90) -> str:
    status, output = run(sandbox, script, timeout)
    assert status == 0, output
    return output


def test_git_commits_and_branches_in_a_repository_whose_settings_are_closed(make: Make) -> None:
    sandbox = make()
    check(sandbox, "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first")
    output = check(sandbox, "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b;"
                            "echo x > file && git add file && git commit -qm second && git checkout -q -b other && git log --oneline | wc -l")
    assert output.strip() == "2"
    assert run(sandbox, "echo x > .git/hooks/pre-commit")[0] != 0


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_multiprocessing_works_with_every_start_method(make: Make, method: str) -> None:
    program = ("import multiprocessing as m\nif __name__ == '__main__':\n"
               f"    with m.get_context('{method}').Pool(2) as pool:\n        print(pool.map(abs, [-1, -2]))\n")
    sandbox = make()
    (sandbox.policy.workspace / "pool.py").write_text(program, encoding="utf-8")
    assert "[1, 2]" in check(sandbox, "python pool.py")


def test_pytest_runs_on_two_processes(make: Make) -> None:
    pytest.importorskip("xdist")
    sandbox = make()
    (sandbox.policy.workspace / "test_it.py").write_text("def test_a(tmp_path):\n    assert tmp_path.is_dir()\n\ndef test_b():\n    pass\n")
    assert "2 passed" in check(sandbox, f"{sys.executable} -m pytest -q -n 2 -p no:cacheprovider")


def test_node_runs_a_server_and_its_client(make: Make) -> None:
    if not shutil.which("node", path="/usr/bin:/usr/local/bin"):
        pytest.skip("node is not installed")
    script = ("const h = require('http'); const s = h.createServer((q, r) => r.end('hello')).listen(0, '127.0.0.1', () => "
              "h.get({port: s.address().port}, r => { r.on('data', d => console.log(String(d))); r.on('end', () => s.close()) }))")
    assert "hello" in check(make(), f'node -e "{script}"')


def test_pip_installs_a_local_package_into_a_venv(make: Make, tmp_path: Path) -> None:
    sandbox = make()
    package = sandbox.policy.workspace / "tiny"
    package.mkdir()
    (package / "tiny.py").write_text("WORD = 'installed'\n")
    wheel = ("import zipfile\nz = zipfile.ZipFile('tiny-1-py3-none-any.whl', 'w')\nz.write('tiny/tiny.py', 'tiny.py')\n"
             "z.writestr('tiny-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n')\n"
             "z.writestr('tiny-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n"
             "z.writestr('tiny-1.dist-info/RECORD', '')\nz.close()\n")
    (sandbox.policy.workspace / "wheel.py").write_text(wheel)
    output = check(sandbox, "python wheel.py && python -m venv env && env/bin/pip -q install --no-index ./tiny-1-py3-none-any.whl && "
                            "env/bin/python -c 'import tiny; print(tiny.WORD)'")
    assert "installed" in output


def test_a_terminal_program_gets_a_terminal_of_its_own(make: Make) -> None:
    assert "/dev/pts/" in check(make(), "python -c \"import pty; pty.spawn(['tty'])\"")


def test_the_workspace_is_reached_by_a_name_that_is_a_symbolic_link(make: Make, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "name").symlink_to("real")
    sandbox = make(workspace=tmp_path / "name")
    check(sandbox, f"cd {tmp_path / 'name'} && echo x > file")
    assert (tmp_path / "real" / "file").read_text() == "x\n"


def test_files_in_tmp_live_as_long_as_the_session_and_are_not_the_hosts(make: Make, tmp_path: Path) -> None:
    sandbox = make()
    check(sandbox, "echo x > /tmp/between-two-commands")
    assert check(sandbox, "cat /tmp/between-two-commands").strip() == "x"
    assert not Path("/tmp/between-two-commands").exists()


def test_an_added_folder_is_writable_and_an_added_readable_one_is_not(make: Make, tmp_path: Path) -> None:
    for name in ("both", "look"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("there")
    sandbox = make(readable=[tmp_path / "look"], writable=[tmp_path / "both"])
    assert check(sandbox, f"cat {tmp_path}/look/file; echo x > {tmp_path}/both/new") == "there"
    assert run(sandbox, f"echo x > {tmp_path}/look/new")[0] != 0


def test_a_workspace_that_was_made_anew_is_the_one_that_commands_see(make: Make, tmp_path: Path) -> None:
    sandbox = make()
    check(sandbox, "echo old > file")
    shutil.rmtree(tmp_path / "work")
    (tmp_path / "work").mkdir()
    check(sandbox, "echo new > file")
    assert (tmp_path / "work" / "file").read_text() == "new\n"


def test_the_network_is_there_for_the_command_that_it_was_granted_and_for_no_other(make: Make) -> None:
    import socket
    server = socket.create_server(("127.0.0.1", 0))
    script = f"echo x > /dev/tcp/127.0.0.1/{server.getsockname()[1]}"
    for tier in ("full", "landlock"):
        sandbox = make(tier)
        assert run(sandbox, script)[0] != 0
        granted = sandbox.spawn(["bash", "-c", script], merge=True, network=True)
        with granted.stdout:
            assert (granted.stdout.read(), granted.wait()) == (b"", 0)
        assert run(sandbox, script)[0] != 0
    server.close()
