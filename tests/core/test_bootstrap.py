"""The bootstrap in small projects of its own: real venv, real pip, packages out of a folder, no network."""
from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import bootstrap, bootstrap_install

ROOT = Path(bootstrap.ROOT)
BASE = bootstrap_install.base_python()
ENTRY = """
import sys
from core import bootstrap
bootstrap.ensure(sys.argv[1:], entry=__file__)
import json, os
try:
    import tinypart
    version = tinypart.VERSION
except ImportError:
    version = None
print(json.dumps({"argv": sys.argv[1:], "prefix": sys.prefix, "version": version, "utf8": sys.flags.utf8_mode,
                  "guard": os.environ.get("AGENT_BOOTSTRAP_INSIDE")}))
sys.exit(7)
"""
pytestmark = pytest.mark.skipif(os.name == "nt", reason="uses POSIX signals and symbolic links to break environments")


def make_wheel(folder: Path, name: str, version: str) -> None:
    """The smallest package that pip installs."""
    info = f"{name}-{version}.dist-info"
    files = {f"{name}.py": f"VERSION = {version!r}\n", f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
        wheel.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"]))


class Project:
    """A copy of the bootstrap with one requirement, tinypart, and a folder of wheels in place of an index."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.venv = self.root / ".venv"
        wheels = folder / "wheels"
        wheels.mkdir(parents=True)
        for version in ("1.0", "2.0"):
            make_wheel(wheels, "tinypart", version)
        (self.root / "core" / "locale").mkdir(parents=True)
        for name in ("__init__.py", "bootstrap.py", "bootstrap_install.py", "i18n.py", "locale/bootstrap.json"):
            shutil.copy(ROOT / "core" / name, self.root / "core" / name)
        (self.root / "main_cmd.py").write_text(ENTRY)
        self.require("tinypart==1.0")
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_CONFIG_FILE": os.devnull,
                        "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}

    def require(self, line: str) -> None:
        (self.root / "requirements.txt").write_text(f"# the list\n{line}\n")

    def start(self, *arguments: str, python: str = BASE, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([python, *(arguments or ("main_cmd.py",))], cwd=self.root, env={**self.environ, **environ},
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False)

    def begin(self, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen([BASE, "main_cmd.py"], cwd=self.root, env={**self.environ, **environ}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def deaf_index() -> Iterator[str]:
    """The address of an index that accepts the connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/simple"


def ran(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert done.returncode == 7, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 3, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)


def test_the_first_start_sets_up_the_second_is_silent_and_a_changed_list_is_brought_up_to_date(project: Project) -> None:
    first = project.start("-X", "utf8", "main_cmd.py", "two words", "--", "--no-bootstrap")
    assert ran(first) == {"argv": ["two words", "--", "--no-bootstrap"], "prefix": str(project.venv), "version": "1.0", "utf8": 1, "guard": None}
    assert "first start" in first.stderr
    assert "ready after" in first.stderr
    second = project.start()
    assert ran(second)["prefix"] == str(project.venv)
    assert second.stderr == ""
    (project.venv / "witness").touch()
    project.require("tinypart==2.0")
    third = project.start()
    assert ran(third)["version"] == "2.0"
    assert "up to date" in third.stderr
    assert (project.venv / "witness").exists()
    inside = project.start(python=str(project.venv / "bin" / "python"))
    assert (ran(inside)["version"], inside.stderr) == ("2.0", "")


def test_a_module_is_started_again_as_a_module_and_a_failed_update_leaves_the_old_packages(project: Project) -> None:
    package = project.root / "checks"
    package.mkdir()
    (package / "__main__.py").write_text(ENTRY)
    done = project.start("-m", "checks", "-k", "x")
    assert (ran(done)["argv"], ran(done)["prefix"]) == (["-k", "x"], str(project.venv))
    project.require("tinypart==3.0")
    assert "AGENT_NO_BOOTSTRAP=1" in one_line(project.start())
    assert ran(project.start(python=str(project.venv / "bin" / "python"), AGENT_NO_BOOTSTRAP="1"))["version"] == "1.0"


def test_a_broken_environment_is_rebuilt_whatever_broke_it(project: Project) -> None:
    subprocess.run([BASE, "-m", "venv", "--without-pip", str(project.venv)], check=True, timeout=100)
    done = project.start(PATH="/usr/bin:/bin")
    assert ran(done)["version"] == "1.0"
    assert "it has no pip" in done.stderr
    moved = project.root.rename(project.root.with_name("moved"))
    project.root, project.venv = moved, moved / ".venv"
    done = project.start()
    assert ran(done)["prefix"] == str(project.venv)
    assert "it was moved" in done.stderr
    for link in (project.venv / "bin").glob("python*"):
        link.unlink()
    (project.venv / "bin" / "python").symlink_to("/no/such/python")
    done = project.start()
    assert ran(done)["version"] == "1.0"
    assert "its Python has changed" in done.stderr


def test_a_set_up_killed_in_the_middle_of_pip_is_repaired_by_the_next_start(project: Project, deaf_index: str) -> None:
    hanging = {"PIP_NO_INDEX": "", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": deaf_index, "PIP_TIMEOUT": "60", "PIP_RETRIES": "0"}
    killed = project.begin(**hanging)
    wait_for(project.venv / "bin" / "pip")
    pip = _child_that_runs("pip", killed.pid)
    killed.kill()
    killed.communicate()
    waiting = project.begin()
    assert waiting.stderr is not None
    assert "another start is setting up" in waiting.stderr.readline()
    os.kill(pip, signal.SIGKILL)
    out, err = waiting.communicate(timeout=100)
    assert json.loads(out)["version"] == "1.0"
    assert "did not finish" in err


def _child_that_runs(module: str, parent: int) -> int:
    """The process that `parent` started as `python -I -m module install`."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        listing = subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines()[1:]:
            pid, ppid, arguments = line.split(None, 2)
            if int(ppid) == parent and f"-m {module} install" in arguments:
                return int(pid)
        time.sleep(0.05)
    raise AssertionError(f"{module} never started")


def test_two_starts_at_once_set_up_once(project: Project) -> None:
    starts = [project.begin(), project.begin()]
    results = [start.communicate(timeout=100) for start in starts]
    assert [json.loads(out)["version"] for out, _ in results] == ["1.0", "1.0"]
    assert sum("ready after" in err for _, err in results) == 1


def test_a_folder_that_is_no_environment_is_left_alone(project: Project) -> None:
    project.venv.mkdir()
    (project.venv / "diary.txt").write_text("dear")
    assert "is no virtual environment" in one_line(project.start())
    assert (project.venv / "diary.txt").read_text() == "dear"


def test_an_active_environment_is_used_and_no_other_is_made(project: Project, tmp_path: Path) -> None:
    own = tmp_path / "mine"
    subprocess.run([BASE, "-m", "venv", str(own)], check=True, timeout=100)
    first = project.start(python=str(own / "bin" / "python"))
    assert ran(first)["prefix"] == str(own)
    assert f"into the active environment {own}" in first.stderr
    assert ran(first)["version"] == "1.0"
    second = project.start(python=str(own / "bin" / "python"))
    assert (ran(second)["version"], second.stderr) == ("1.0", "")
    assert not project.venv.exists()
    (project.root / "requirements-web.txt").write_text("tinypart==2.0\n")
    code = ("from core import bootstrap; before = bootstrap.is_installed('web'); "
            "print(bootstrap.install_part('web'), before, bootstrap.is_installed('web'))")
    part = project.start("-c", code, python=str(own / "bin" / "python"))
    assert part.stdout.split() == ["0", "False", "True"]
    assert part.stderr.splitlines()[0] == "skills-agent: installing the part “web”: about 22 MB"


def test_an_index_that_cannot_be_reached_is_named_with_the_settings_that_help(project: Project) -> None:
    away = {"PIP_NO_INDEX": "", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    line = one_line(project.start(**away))
    assert "PIP_INDEX_URL" in line
    assert "UV_DEFAULT_INDEX" in line
    assert "docs/installing.md" in line
    assert "PIP_INDEX_URL" in one_line(project.start(AGENT_LANG="zh", **away))
    project.require("tinypart 1.0")
    assert "tinypart 1.0" in one_line(project.start())
    project.require("tinypart==1.0")
    assert ran(project.start())["version"] == "1.0"


def test_an_install_that_fails_while_it_writes_is_not_trusted(project: Project) -> None:
    stub = project.venv / "bin" / "python"  # an environment whose pip fails like one on a full disk
    stub.parent.mkdir(parents=True)
    (project.venv / "pyvenv.cfg").touch()
    pip = project.venv / "lib" / "python3" / "site-packages" / "pip" / "__main__.py"
    pip.parent.mkdir(parents=True)
    pip.touch()
    stub.write_text('#!/bin/sh\ncase "$*" in *pip*) echo "Installing collected packages: x"; '
                    'echo "[Errno 28] No space left on device"; exit 1;; esac\n')
    stub.chmod(0o755)
    assert "the disk is full" in one_line(project.start())
    assert bootstrap_install._why_broken(str(project.venv)) == "the last set-up did not finish"


def test_ctrl_c_during_the_set_up_ends_it_at_once_and_leaves_it_for_the_next_start_to_mend(project: Project, deaf_index: str) -> None:
    stopped = project.begin(PIP_NO_INDEX="", PIP_FIND_LINKS="", PIP_INDEX_URL=deaf_index, PIP_TIMEOUT="60", PIP_RETRIES="0")
    wait_for(project.venv / "bin" / "pip")
    _child_that_runs("pip", stopped.pid)
    stopped.send_signal(signal.SIGINT)
    _, err = stopped.communicate(timeout=60)
    assert (stopped.returncode, "Traceback" in err) == (130, False)
    assert "set-up stopped" in err
    assert bootstrap_install._why_broken(str(project.venv)) == "the last set-up did not finish"


def test_nothing_is_made_when_the_person_turned_it_off(project: Project) -> None:
    assert ran(project.start("main_cmd.py", "--no-bootstrap"))["version"] is None
    assert ran(project.start(AGENT_NO_BOOTSTRAP="1"))["version"] is None
    assert not project.venv.exists()


def crippled(project: Project, programs: Path) -> subprocess.CompletedProcess[str]:
    """A start by a Python without ensurepip, as a bare Debian has it, with only `programs` on PATH."""
    code = ("import sys, runpy; sys.modules['ensurepip'] = None; sys.argv = ['main_cmd.py']; sys.orig_argv = ['python3', 'main_cmd.py']; "
            "sys.path.insert(0, '.'); runpy.run_path('main_cmd.py', run_name='__main__')")
    return project.start("-c", code, PATH=str(programs))


def test_a_python_without_ensurepip_gives_the_one_command_or_uses_uv(project: Project, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "apt-get").write_text("#!/bin/sh\nexit 1\n")
    (programs / "apt-get").chmod(0o755)
    version = ".".join(map(str, sys.version_info[:2]))
    line = one_line(crippled(project, programs))
    assert f"sudo apt install python{version}-venv" in line
    assert not project.venv.exists()
    uv = programs / "uv"  # a stand-in that does with venv and pip what uv does by itself
    uv.write_text(f'#!/bin/sh\nfor last; do :; done\ncase "$1" in venv) exec {BASE} -m venv "$last";; *) exit 9;; esac\n')
    uv.chmod(0o755)
    assert ran(crippled(project, programs))["version"] == "1.0"


def _old_pythons() -> list[str]:
    known = [*map(shutil.which, ("python3.8", "python3.9")), *map(str, Path.home().glob(".pyenv/versions/3.[89].*/bin/python"))]
    return [path for path in known if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0]


OLD = _old_pythons()


@pytest.mark.skipif(not OLD, reason="no Python older than 3.10 on this machine")
def test_an_old_python_is_told_so_in_one_line(project: Project, tmp_path: Path) -> None:
    for python in OLD:
        assert "needs Python 3.10+" in one_line(project.start(python=python))
        assert "needs Python 3.10+" in one_line(project.start(str(ROOT / "main_cmd.py"), "--no-bootstrap", "hello", python=python))
        assert "needs Python 3.10+" in one_line(project.start(str(ROOT / "tests" / "__main__.py"), "--no-bootstrap", python=python))
        assert "需要 Python 3.10+" in one_line(project.start("main_cmd.py", "--no-bootstrap", python=python, AGENT_LANG="zh", PATH=str(tmp_path)))
    assert not project.venv.exists()


@pytest.mark.parametrize("file", ["core/__init__.py", "core/bootstrap.py", "core/bootstrap_install.py", "core/i18n.py", "core/errors.py",
                                  "main_cmd.py", "ui/cli/arguments.py", "tests/__init__.py", "tests/__main__.py"])
def test_what_runs_before_the_version_check_parses_on_python_3_8(file: str) -> None:
    assert ast.parse((ROOT / file).read_text(encoding="utf-8"), feature_version=(3, 8)).body


def test_a_warm_check_imports_nothing(project: Project) -> None:
    code = ("import sys; before = set(sys.modules); from core import bootstrap; bootstrap._is_current(sys.prefix, ('requirements.txt',)); "
            "print(sorted(set(sys.modules) - before))")
    assert project.start("-c", code).stdout.strip() == "['__future__', 'core', 'core.bootstrap']"


def test_the_installer_gets_the_persons_pip_settings_but_no_keys_and_no_foreign_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "OPENAI_API_KEY", "PIP_TARGET", "PYTHONPATH", "PIP_INDEX_URL", "PIP_PROXY"):
        monkeypatch.setenv(name, "value")
    environ = bootstrap_install._environment()
    assert {"API_KEY", "OPENAI_API_KEY", "PIP_TARGET", "PYTHONPATH"} & set(environ) == set()
    assert (environ["PIP_INDEX_URL"], environ["PIP_PROXY"], environ["PIP_USER"]) == ("value", "value", "0")


def test_packages_that_are_there_are_recognised_by_their_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(bootstrap_install, "ROOT", str(tmp_path))
    (tmp_path / "requirements.txt").write_text("# c\nPyYAML>=6\nsome.thing>=1  # c\nnot-there\n")
    (tmp_path / "Some_Thing-1.0.dist-info").mkdir()
    assert bootstrap_install.missing_packages(("requirements.txt",)) == ["not-there"]


def test_a_full_disk_and_an_index_with_a_password_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    for text, expected in (("OSError: [Errno 28] No space left on device", "the disk is full"),
                           ("WARNING: x\nERROR: 404 for http://me:hunter2@host/simple", "404 for http://host/simple")):
        with pytest.raises(SystemExit) as stop:
            bootstrap_install._explain(text)
        assert stop.value.code == 3
        said = capsys.readouterr().err
        assert expected in said
        assert "hunter2" not in said
