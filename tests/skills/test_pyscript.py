"""pyscript as its users meet it: a command line that runs Python, survives whatever the script does, and tells what came of it."""
from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core.skills import SkillRegistry

FOLDER = Path(__file__).resolve().parents[2] / "skills" / "pyscript"
LINUX = sys.platform.startswith("linux")
LANGUAGES = ("AGENT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def call(workspace: Path, *words: str, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in (*LANGUAGES, "AGENT_GUARD_RUNNER")}
    environment = {**clean, "AGENT_WORKSPACE": str(workspace), "AGENT_SANDBOX": "landlock", "AGENT_LANG": "en", **environ}
    return subprocess.run([sys.executable, str(FOLDER / "main.py"), *words], input=stdin, capture_output=True, text=True, encoding="utf-8",
                          cwd=FOLDER, env=environment, timeout=60, check=False)


def result(workspace: Path, *words: str, **environ: str) -> dict[str, Any]:
    done = call(workspace, words[0], "--json", *words[1:], **environ)
    assert done.stdout.count("\n") == 1, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode == 0) == found["ok"]
    return found


def code(workspace: Path, text: str, *options: str) -> dict[str, Any]:
    return result(workspace, "run", *options, "--code", text)


def running(marker: str) -> list[str]:
    """Processes whose command line, or the folder they work in, holds the marker."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and marker in Path(f"/proc/{name}/cmdline").read_text(errors="replace") + os.readlink(f"/proc/{name}/cwd"):
                found.append(name)
        except OSError:
            continue
    return found


# --- what it is for ---

def test_the_output_is_printed_and_the_value_of_a_last_expression_shown(tmp_path: Path) -> None:
    done = call(tmp_path, "run", "--code", "print('a')\n6*7")
    assert (done.returncode, done.stdout, done.stderr) == (0, "a\n42\n", "")


def test_an_error_names_the_users_own_line_and_no_other_frame(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import json\ndef load(text):\n    return json.loads(text)\n\nload('{')\n", encoding="utf-8")
    found = result(tmp_path, "run", "job.py")
    raised = found["exception"]
    assert (found["code"], found["exit_code"], raised["type"]) == ("exception", 1, "json.decoder.JSONDecodeError")
    assert (raised["file"], raised["line"], raised["source"]) == ("job.py", 3, "return json.loads(text)")
    assert [(frame["line"], frame["function"]) for frame in raised["frames"]] == [(5, "<module>"), (3, "load")]
    assert found["stderr"] == "" and "job.py, line 3: return json.loads(text)" in found["error"]


def test_files_created_changed_and_deleted_are_named(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("1", encoding="utf-8")
    (tmp_path / "gone.txt").write_text("1", encoding="utf-8")
    found = code(tmp_path, "import os\nopen('old.txt','a').write('2')\nos.remove('gone.txt')\nos.mkdir('d')\nopen('d/new.txt','w').close()")
    assert found["files"] == {"created": ["d/new.txt"], "changed": ["old.txt"], "deleted": ["gone.txt"]}


def test_a_file_gets_its_arguments_and_is_main_for_child_processes_too(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def double(n):\n    return 2 * n\n", encoding="utf-8")
    (tmp_path / "job.py").write_text(
        "import multiprocessing, sys\nfrom helper import double\n\ndef work(n):\n    return double(n)\n\nif __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n        print(pool.map(work, [1, 2]), sys.argv[1:])\n", encoding="utf-8")
    done = call(tmp_path, "run", "job.py", "--", "-x", "--json")
    assert (done.stdout, done.returncode) == ("[2, 4] ['-x', '--json']\n", 0), done.stderr


def test_a_program_is_read_from_standard_input(tmp_path: Path) -> None:
    assert call(tmp_path, "run", "-", stdin="for n in range(2):\n    print(n)\n").stdout == "0\n1\n"


def test_figures_that_are_still_open_are_saved(tmp_path: Path) -> None:
    package = tmp_path / "matplotlib"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "pyplot.py").write_text(
        "class FakeFigure:\n    def savefig(self, path):\n        open(path, 'wb').write(b'PNG')\n"
        "def get_fignums():\n    return [1, 2]\ndef figure(number):\n    return FakeFigure()\n", encoding="utf-8")
    found = code(tmp_path, "import os, matplotlib.pyplot\nprint(os.environ['MPLBACKEND'])")
    assert found["stdout"] == "Agg\n" and len(found["figures"]) == 2
    assert all((tmp_path / name).read_bytes() == b"PNG" for name in found["figures"])


def test_keys_in_the_environment_do_not_reach_the_script(tmp_path: Path) -> None:
    done = call(tmp_path, "run", "--code", "import os\nprint([n for n in os.environ if n.startswith('MY_')])", MY_API_KEY="1", MY_COLOUR="red")
    assert done.stdout == "['MY_COLOUR']\n"


def test_a_run_without_output_says_that_it_ran(tmp_path: Path) -> None:
    done = call(tmp_path, "run", "--code", "x = 1")
    assert (done.returncode, done.stdout) == (0, "") and done.stderr.startswith("pyscript: finished in ")
    assert call(tmp_path, "run", "--code", "x = 1", AGENT_LANG="zh").stderr.startswith("pyscript: 运行完成")


# --- whatever the script does ---

def test_an_endless_loop_is_stopped_and_its_line_named(tmp_path: Path) -> None:
    found = code(tmp_path, "print('begun')\nn = 0\nwhile True:\n    n += 1", "--timeout", "0.5")
    assert (found["code"], found["exit_code"], found["stdout"]) == ("time_limit", None, "begun\n")
    assert found["line"] in (3, 4)


def test_a_memory_bomb_ends_in_its_own_line(tmp_path: Path) -> None:
    found = code(tmp_path, "kept = []\nwhile True:\n    kept.append(bytearray(10_000_000))", "--memory", "200")
    assert (found["code"], found["exception"]["line"]) == ("memory_limit", 3)


@pytest.mark.skipif(not LINUX, reason="processes are measured by /proc")
def test_memory_that_is_shared_or_spread_over_processes_counts_too(tmp_path: Path) -> None:
    text = "import mmap, time\nm = mmap.mmap(-1, 400_000_000)\nfor at in range(0, len(m), 4096): m[at] = 1\ntime.sleep(20)"
    found = code(tmp_path, text, "--memory", "100")
    assert found["code"] == "memory_limit"


@pytest.mark.skipif(not LINUX, reason="processes are counted by /proc")
def test_a_fork_bomb_is_stopped_and_leaves_nothing(tmp_path: Path) -> None:
    looks = "print([os.readlink(f'/proc/{n}/cwd') for n in (os.getpid(), os.getppid())], flush=True)"
    bomb = "begin = time.time()\nwhile time.time() < begin + 20:\n    os.fork() and time.sleep(0.01)\n"
    (tmp_path / "bomb.py").write_text(f"import os, time\n{looks}\n{bomb}", encoding="utf-8")
    found = result(tmp_path, "run", "bomb.py", "--timeout", "15")
    assert found["code"] == "process_limit" and str(tmp_path) in found["stdout"]
    assert running(str(tmp_path)) == []


@pytest.mark.skipif(not LINUX, reason="daemons are found by /proc")
def test_a_daemon_that_left_its_group_ends_with_the_script(tmp_path: Path) -> None:
    text = "import subprocess\nsubprocess.Popen(['setsid', 'sh', '-c', 'sleep 987.25 & sleep 987.25'])\nprint('left')"
    found = code(tmp_path, text)
    assert found["ok"] and found["stdout"] == "left\n" and "still running" in found["notes"][0]
    assert running("987.25") == []


def test_a_hundred_megabytes_of_output_keep_their_two_ends(tmp_path: Path) -> None:
    found = code(tmp_path, "print('first')\nblock = 'x' * 1_000_000\nfor _ in range(100):\n    print(block)\nprint('last')", "--output-limit", "1000")
    assert found["ok"] and found["stdout_bytes"] == 100 * 1_000_001 + 11
    assert found["stdout"].startswith("first\nxxx") and found["stdout"].endswith("xxx\nlast\n")
    assert len(found["stdout"]) < 1200 and "bytes left out" in found["stdout"]


def test_a_script_that_deletes_its_own_folder_is_reported(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "a.txt").write_text("", encoding="utf-8")
    found = code(workspace, "import os, shutil\nshutil.rmtree(os.getcwd())\nprint('gone')\n1/0")
    assert (found["stdout"], found["exception"]["line"], found["files"]["deleted"]) == ("gone\n", 4, ["a.txt"])


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_script_that_kills_its_parent_ends_alone(tmp_path: Path) -> None:
    found = code(tmp_path, "import os, time\nos.kill(os.getppid(), 15)\nprint('survived', flush=True)\nos.kill(os.getppid(), 9)\ntime.sleep(30)")
    assert (found["code"], found["stdout"]) == ("parent_killed", "survived\n")


@pytest.mark.parametrize(("text", "expected"), [
    ("import sys\nprint('a')\nsys.stdout.close()\nsys.stderr.close()", {"ok": True, "stdout": "a\n", "exit_code": 0}),
    ("import sys\nsys.stdout.close()\nprint('a')", {"code": "exception", "exit_code": 1}),
    ("import os\nprint('a')\nos._exit(3)", {"code": "exit_status", "stdout": "a\n", "exit_code": 3}),
    ("import sys\nsys.exit('no luck')", {"code": "exit_status", "stderr": "no luck\n", "exit_code": 1, "exception": None}),
    ("import sys\nsys.exit(7)", {"code": "exit_status", "exit_code": 7}),
    ("input('name? ')", {"code": "exception", "stdout": "name? "}),
    ("print('\\ud800 é')", {"ok": True, "stdout": "\\ud800 é\n"}),
    ("import sys\nsys.stdout.buffer.write(b'\\xff\\xfe!')\nNone", {"ok": True, "stdout": "\\xff\\xfe!"}),
    ("raise ValueError('\\ud800')", {"code": "exception", "error": "ValueError: \\ud800 – <code>, line 1: raise ValueError('\\ud800')"}),
    ("import os\nos.kill(os.getppid(), 19)\nprint('a')", {"ok": True, "stdout": "a\n"}),
    ("class Big(MemoryError): pass\nraise Big('x')", {"code": "memory_limit"}),
    ("import ctypes\nctypes.string_at(0)", {"code": "signal", "exit_code": None, "line": 2}),
    ("import sys\nsys.modules.clear()\nsys.path.clear()", {"ok": True}),
    ("import os, json\nos.write = os.open = json.dumps = None\n1/0", {"code": "exception"}),
], ids=["closes stdout", "prints to closed stdout", "os._exit", "exit text", "exit 7", "input", "surrogate", "not UTF-8", "surrogate error",
        "stops its parent", "kind of memory error", "crash", "no modules", "breaks os"])
def test_a_script_may_do_this_and_is_told_of(tmp_path: Path, text: str, expected: dict[str, Any]) -> None:
    found = code(tmp_path, text)
    assert {name: found.get(name) for name in expected} == expected


def test_input_and_missing_packages_come_with_what_to_do(tmp_path: Path) -> None:
    assert "--" in code(tmp_path, "input()")["hint"]
    assert "prepare" in code(tmp_path, "import no_such_package_at_all")["hint"]


def test_a_recursion_without_end_is_told_in_a_few_frames(tmp_path: Path) -> None:
    found = code(tmp_path, "def f(n):\n    return f(n + 1)\nf(0)")
    raised = found["exception"]
    assert (raised["type"], raised["line"]) == ("RecursionError", 2)
    assert len(raised["frames"]) == 9 and any("left_out" in frame for frame in raised["frames"])


def test_a_syntax_error_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("x = 1\nif x\n    print(x)\n", encoding="utf-8")
    raised = result(tmp_path, "run", "job.py")["exception"]
    assert (raised["type"], raised["file"], raised["line"], raised["source"]) == ("SyntaxError", "job.py", 2, "if x")
    done = call(tmp_path, "check", "job.py")
    assert done.returncode == 1 and "job.py, line 2: if x" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_stop_from_outside_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("import subprocess\nsubprocess.run(['sleep', '986.75'])\n", encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(FOLDER / "main.py"), "run", "job.py"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "AGENT_WORKSPACE": str(tmp_path), "AGENT_SANDBOX": "full"})
    limit = time.monotonic() + 20
    while not (started := running("986.75")) and time.monotonic() < limit:
        time.sleep(0.05)
    process.terminate()
    assert started and process.wait(20) == 143
    assert running("986.75") == []


# --- sessions ---

def test_a_session_keeps_values_imports_functions_and_what_they_share(tmp_path: Path) -> None:
    first = ("import math as m\nfrom json import dumps\na = [1]\nb = a\nclass P:\n    n = 3\np = P()\n"
             "def area(r):\n    return m.pi * r\nsq = lambda v: v * v")
    assert code(tmp_path, first, "--session", "s")["session"]["lost"] == {}
    found = code(tmp_path, "b.append(2)\n(a, p.n, isinstance(p, P), round(area(2), 2), sq(3), dumps([]))", "--session", "s")
    assert found["value"] == "([1, 2], 3, True, 6.28, 9, '[]')"
    assert code(tmp_path, "a", "--session", "other")["exception"]["type"] == "NameError"


def test_what_a_session_cannot_keep_is_named_with_the_reason(tmp_path: Path) -> None:
    done = call(tmp_path, "run", "--session", "s", "--code", "g = (n for n in 'ab')\nx = 1")
    assert done.returncode == 0 and "not kept in the session: g (" in done.stderr and "generator" in done.stderr
    assert code(tmp_path, "x", "--session", "s")["value"] == "1"


def test_an_error_keeps_what_went_before_and_a_stop_changes_nothing(tmp_path: Path) -> None:
    code(tmp_path, "x = 1\n1/0", "--session", "s")
    assert code(tmp_path, "x = 2\nwhile True: pass", "--session", "s", "--timeout", "0.5")["session"] == {"kept": None, "lost": {}}
    assert code(tmp_path, "x", "--session", "s")["value"] == "1"


def test_a_redefined_and_a_deleted_name_stay_so(tmp_path: Path) -> None:
    code(tmp_path, "def f():\n    return 1\ndef h():\n    return 1", "--session", "s")
    code(tmp_path, "f = 5\ndel h", "--session", "s")
    assert code(tmp_path, "(f, 'h' in globals())", "--session", "s")["value"] == "(5, False)"


def test_a_session_keeps_data_classes_closures_named_tuples_and_modules_inside_values(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text("""from __future__ import annotations
import os.path, xml.dom
import xml.sax
import enum, functools, typing
from collections import namedtuple
from dataclasses import dataclass, field
P = namedtuple("P", "x y")
T = typing.TypeVar("T")
Color = enum.Enum("Color", "RED BLUE")
@dataclass
class D:
    n: int
    many: list[Later] = field(default_factory=list)
def adder(k):
    return lambda v: v + k
def counting():
    def inner(n):
        return 1 if n < 2 else n * inner(n - 1)
    return inner
if True:
    def chosen():
        return "first"
else:
    def chosen():
        return "second"
@functools.lru_cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
add, inner, same = adder(3), counting(), fib
values = {"+": lambda a, b: a + b, "module": enum, "d": D(4), "p": P(1, 2), "c": Color.RED, "part": functools.partial(adder(5), 1)}
""", encoding="utf-8")
    assert result(tmp_path, "run", "--session", "s", "job.py")["session"]["lost"] == {}
    found = code(tmp_path, "assert values['c'] is Color.RED and values['p'] == P(1, 2) and same is fib and values['module'] is enum\n"
                 "(add(1), inner(5), values['+'](1, 2), values['d'], values['part'](), chosen(), fib(30), T, xml.dom.Node and xml.sax.parse and 1)",
                 "--session", "s")
    assert found["value"] == "(4, 120, 3, D(n=4, many=[]), 6, 'first', 832040, ~T, 1)"


def test_a_value_that_cannot_be_read_again_is_named_and_takes_no_other_along(tmp_path: Path) -> None:
    code(tmp_path, "class E(Exception):\n    def __init__(self, a, b):\n        super().__init__(a)\ne = E(1, 2)\nx = 5", "--session", "s")
    found = code(tmp_path, "x", "--session", "s")
    assert found["value"] == "5" and list(found["session"]["lost"]) == ["e"] and "missing 1 required" in found["session"]["lost"]["e"]


def test_what_stood_before_an_error_is_defined_again_and_what_stood_behind_it_is_not(tmp_path: Path) -> None:
    code(tmp_path, "def f():\n    return 1", "--session", "s")
    code(tmp_path, "def g():\n    return 2\n1/0\ndef f():\n    return 3", "--session", "s")
    assert code(tmp_path, "(f(), g())", "--session", "s")["value"] == "(1, 2)"


def test_an_object_of_a_class_that_the_session_cannot_define_is_named(tmp_path: Path) -> None:
    text = "def make():\n    class Inner:\n        pass\n    return Inner()\no = make()\nx = 1"
    assert "Inner" in code(tmp_path, text, "--session", "s")["session"]["lost"]["o"]
    assert code(tmp_path, "x", "--session", "s")["value"] == "1"


def test_a_damaged_session_is_told_and_can_be_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "pyscript" / "sessions" / "s.pickle"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"nonsense")
    found = code(tmp_path, "1", "--session", "s")
    assert not found["ok"] and "forget s" in found["error"]
    assert call(tmp_path, "forget", "s").returncode == 0
    assert call(tmp_path, "forget", "s").returncode == 1
    assert call(tmp_path, "forget", "../s").returncode == 2
    assert code(tmp_path, "1", "--session", "s")["ok"]


# --- packages ---

HEADER = '# /// script\n# requires-python = "{python}"\n# dependencies = [\n#   {packages}\n# ]\n# ///\n'


def test_packages_that_are_missing_are_no_surprise_download(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(HEADER.format(python=">=3.10", packages='"no-such-package>=1",') + "print(1)\n", encoding="utf-8")
    done = call(tmp_path, "run", "job.py")
    assert (done.returncode, done.stdout) == (3, "") and "run: python main.py prepare job.py" in done.stderr


def test_packages_that_are_there_need_no_environment_and_a_prepared_one_is_used(tmp_path: Path) -> None:
    assert code(tmp_path, HEADER.format(python=">=3.10", packages='"pytest"') + "print(1)")["stdout"] == "1\n"
    (tmp_path / "bin").mkdir()
    uv = tmp_path / "bin" / "uv"   # a stand-in for uv: makes a "Python" that is this one with a mark
    uv.write_text(f'#!/bin/sh\nfor last; do :; done\nif [ "$1" = venv ]; then mkdir -p "$last/bin"\n'
                  f'printf \'#!/bin/sh\\nMARK=1 exec {sys.executable} "$@"\\n\' > "$last/bin/python"; chmod +x "$last/bin/python"; fi\n'
                  f'echo "$@" >> {tmp_path}/calls\n', encoding="utf-8")
    uv.chmod(0o755)
    text = HEADER.format(python=">=3.10", packages='"soup>=1"') + "import os\nprint(os.environ.get('MARK'))\n"
    (tmp_path / "job.py").write_text(text, encoding="utf-8")
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    assert call(tmp_path, "prepare", "job.py", PATH=path).returncode == 0
    assert call(tmp_path, "prepare", "job.py", PATH=path).returncode == 0
    assert call(tmp_path, "run", "job.py").stdout == "1\n"
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert len(calls) == 2 and "--no-build" in calls[1] and calls[1].endswith("-- soup>=1")


@pytest.mark.parametrize(("python", "packages", "status"), [
    ("~=3.10,!=3.10.*,==2.*", "", 3), ("soon", "", 2), (">=3", '"--index-url=http://x"', 2), (">=3", '"a @ file:///etc"', 2), (">=3", "1", 2),
])
def test_a_header_that_cannot_be_met_or_names_more_than_packages_is_refused(tmp_path: Path, python: str, packages: str, status: int) -> None:
    done = call(tmp_path, "run", "--code", HEADER.format(python=python, packages=packages) + "print(1)")
    assert (done.returncode, done.stdout) == (status, "") and done.stderr


# --- check ---

def test_check_lists_what_a_script_touches_with_lines_and_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(
        "import os as o, numpy\nfrom subprocess import run as go\nfrom pathlib import Path\nimport urllib.request\nopen('ran.txt', 'w')\n"
        "o.remove('a')\ngo(['ls'])\nPath('b').write_text('x')\nurllib.request.urlopen('http://x')\neval('1')\n"
        "o.path.join('a', 'b')\nprint(len('harmless'))\n", encoding="utf-8")
    found = result(tmp_path, "check", "job.py")
    assert not (tmp_path / "ran.txt").exists()
    assert [(entry["name"], entry["line"], entry["origin"]) for entry in found["imports"]][:2] == [("os", 1, "standard"), ("numpy", 1, "other")]
    assert [(entry["line"], entry["call"]) for entry in found["files"]] == [(5, "open"), (6, "os.remove"), (8, "….write_text"), (8, "pathlib.Path")]
    assert found["files"][0] == {"line": 5, "call": "open", "argument": "'ran.txt'", "mode": "w"}
    assert [(found[kind][0]["line"], len(found[kind])) for kind in ("processes", "network", "eval")] == [(7, 1), (9, 1), (10, 1)]
    assert "line 6: os.remove('a')" in call(tmp_path, "check", "job.py").stdout


def test_check_says_so_when_nothing_is_touched(tmp_path: Path) -> None:
    assert "nothing but plain computing" in call(tmp_path, "check", "--code", "print(1 + 1)").stdout
    assert "只发现普通计算" in call(tmp_path, "check", "--code", "print(1 + 1)", AGENT_LANG="zh").stdout


# --- the sandbox ---

def test_by_hand_it_goes_through_the_guard_runner(tmp_path: Path) -> None:
    runner = tmp_path / "fake_runner.py"
    runner.write_text("import os, sys\nmark = sys.argv.index('--')\nos.environ['AGENT_WORKSPACE'] = sys.argv[1].split(':')[1]\n"
                      "os.chdir(os.environ['AGENT_WORKSPACE'])\n"
                      "print('confined', sys.argv[1].split(':', 2)[2:], sys.flags.isolated, file=sys.stderr)\n"
                      "os.execv(sys.argv[mark + 1], sys.argv[mark + 1:])\n", encoding="utf-8")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "job.py").write_text("import sys\nprint(sys.argv[1:])\nopen('made.txt', 'w').close()\n", encoding="utf-8")
    by_hand = {"AGENT_SANDBOX": "", "AGENT_GUARD_RUNNER": str(runner)}
    done = call(workspace, "run", "job.py", "--", "job.py", **by_hand)
    assert (done.returncode, done.stdout) == (0, "['job.py']\n")
    assert done.stderr == "confined [] 1\npyscript: created: made.txt\n"
    assert "confined ['on'] 1" in call(workspace, "run", "--network", "--code", "1", **by_hand).stderr
    assert sorted(path.name for path in workspace.iterdir()) == ["job.py", "made.txt"]
    assert "outside the workspace" in call(workspace, "run", str(runner), **by_hand).stderr


def test_a_runner_that_cannot_confine_runs_nothing_and_its_absence_is_told(tmp_path: Path) -> None:
    runner = tmp_path / "fake_runner.py"
    runner.write_text("import sys\nsys.exit(125)\n", encoding="utf-8")
    found = result(tmp_path, "run", "--code", "print(1)", AGENT_SANDBOX="", AGENT_GUARD_RUNNER=str(runner))
    assert found["code"] == "sandbox"
    done = call(tmp_path, "run", "--code", "print(1)", AGENT_SANDBOX="")
    assert done.stdout == "1\n" and "no sandbox" in done.stderr


RUNNER = FOLDER.parents[1] / "core" / "guard_runner.py"


@pytest.mark.skipif(not LINUX or not RUNNER.exists(), reason="no guard runner here")
def test_in_the_real_sandbox_a_script_changes_only_the_workspace_and_has_no_network(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside.txt"
    workspace.mkdir()
    outside.write_text("kept", encoding="utf-8")
    text = (f"import socket\nopen('made.txt', 'w').close()\ntry:\n    open({str(outside)!r}, 'w').write('lost')\n"
            "except OSError:\n    print('refused')\nsocket.create_connection(('192.0.2.1', 80), 5)")
    found = result(workspace, "run", "--code", text, AGENT_SANDBOX="", AGENT_GUARD_RUNNER=str(RUNNER))
    if found["code"] == "sandbox":
        pytest.skip("the guard runner cannot confine here")
    assert (found["code"], found["exception"]["line"], found["sandbox"]) == ("exception", 7, "full") and "no network" in found["hint"]
    assert found["files"]["created"] == ["made.txt"] and outside.read_text(encoding="utf-8") == "kept"


# --- the command line ---

@pytest.mark.parametrize("words", [
    [], ["run"], ["run", "none.py"], ["run", "--timeout", "0", "--code", "1"], ["run", "--session", "a/b", "--code", "1"],
    ["run", "a.py", "--code", "1"], ["run", "--cwd", "none", "--code", "1"],
], ids=str)
def test_wrong_usage_is_told_in_a_sentence(tmp_path: Path, words: list[str]) -> None:
    done = call(tmp_path, "--json", *words)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["ok"], done.stderr) == (2, False, "") and answer["error"] == answer["message"] != ""


def test_a_workspace_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = call(tmp_path / "none", "run", "--code", "1")
    assert done.returncode == 2 and "there is no folder" in done.stderr and "Traceback" not in done.stderr


def test_the_help_names_every_command_and_limit(tmp_path: Path) -> None:
    done = call(tmp_path, "--help")
    assert done.returncode == 0 and all(word in done.stdout for word in ("run", "check", "prepare", "forget", "--json"))
    done = call(tmp_path, "run", "--help")
    assert done.returncode == 0 and all(word in done.stdout for word in ("--timeout", "--memory", "--output-limit", "--session", "3600"))


def test_the_manuals_commands_are_declared_and_running_is_asked_about(tmp_path: Path) -> None:
    registry = SkillRegistry(FOLDER.parent)
    report = registry.scan()
    assert [row for row in report.rows if "pyscript" in row["path"]] == []
    manual = (FOLDER / "SKILL.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|")[2:4] for line in manual if "`python main.py" in line and line[0] == "|"]
    effects = {}
    for command, printed in rows:
        text = command.split("`")[1]
        found = registry.match_command(text, FOLDER)
        assert found is not None, text
        effects[found.spec.name] = found.spec.effect
        if found.spec.name == "run-code" and "--session" not in text:
            done = subprocess.run(found.argv, capture_output=True, text=True, check=False, cwd=FOLDER,
                                  env={**os.environ, "AGENT_WORKSPACE": str(tmp_path), "AGENT_SANDBOX": "full"})
            assert done.stdout.strip() == printed.strip(" `")
    assert effects == {"run": "destructive", "run-code": "destructive", "check": "read", "prepare": "network"}
    for escape in ("/etc/x.py", "../x.py", "a/../../x.py", "~/x.py"):
        assert registry.match_command(f"python main.py check '{escape}'", FOLDER) is None
