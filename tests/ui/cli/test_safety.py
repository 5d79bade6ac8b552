"""What the command line does for safety: the sandbox behind --auto-approve, added folders, remembered rules, previews, late files."""
from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from core.sandbox.manager import CONFINING
from core.sandbox.probe import probe
from tests.fake_endpoint import FakeEndpoint
from tests.scripted_model import reply
from tests.ui.cli.driver import FakeTerminal, run_cli, without_sandbox

DONE = reply("answer", answer="All is done.")
confined = pytest.mark.skipif(probe().tier not in CONFINING, reason="no tier of the sandbox holds on this machine")
terminals = pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are a POSIX thing")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the self-test is remembered on Linux only")


def run(command: str) -> str:
    return reply("run_command", command=command)


@linux
def test_auto_approve_without_a_sandbox_is_refused_before_the_model_is_asked(tmp_path: Path) -> None:
    with FakeEndpoint([run("touch made"), DONE]) as endpoint:
        done = run_cli(tmp_path, "--auto-approve", "-p", "go", endpoint=endpoint, **without_sandbox(tmp_path))
        assert endpoint.requests == []
    assert done.returncode == 3
    assert b"--unconfined" in done.stderr and b"commands run unconfined" in done.stderr
    assert not (tmp_path / "workspace" / "made").exists()


@linux
@terminals
def test_a_conversation_with_auto_approve_does_not_begin_without_a_sandbox(tmp_path: Path) -> None:
    with FakeEndpoint([]) as endpoint, FakeTerminal(tmp_path, "--auto-approve", endpoint=endpoint, **without_sandbox(tmp_path)) as terminal:
        terminal.wait_for("--unconfined")
        assert terminal.wait_end() == 3


@linux
def test_the_second_flag_lets_auto_approve_work_without_a_sandbox(tmp_path: Path) -> None:
    with FakeEndpoint([run("touch made"), DONE]) as endpoint:
        done = run_cli(tmp_path, "--auto-approve", "--unconfined", "-p", "go", endpoint=endpoint, **without_sandbox(tmp_path))
    assert done.returncode == 0
    assert (tmp_path / "workspace" / "made").exists()


@linux
def test_without_a_sandbox_whatever_does_more_than_read_is_asked(tmp_path: Path) -> None:
    with FakeEndpoint([run("touch made"), DONE]) as endpoint:
        done = run_cli(tmp_path, "-p", "go", endpoint=endpoint, **without_sandbox(tmp_path))
    assert done.returncode == 5
    assert not (tmp_path / "workspace" / "made").exists()


def test_an_answer_without_commands_never_looks_for_a_sandbox(tmp_path: Path) -> None:
    with FakeEndpoint([DONE]) as endpoint:
        assert run_cli(tmp_path, "-p", "go", endpoint=endpoint, XDG_CACHE_HOME=str(tmp_path / "cache")).returncode == 0
    assert not (tmp_path / "cache").exists()


def test_unconfined_alone_is_wrong_usage(tmp_path: Path) -> None:
    done = run_cli(tmp_path, "--unconfined", "-p", "go")
    assert done.returncode == 2
    assert b"--auto-approve" in done.stderr


@confined
def test_added_folders_may_be_written_or_only_read(tmp_path: Path) -> None:
    for name in ("free", "fixed", "other"):
        (tmp_path / name).mkdir()
    script = "; ".join(f"echo x > {tmp_path / name}/made" for name in ("free", "fixed", "other"))
    with FakeEndpoint([run(script), DONE]) as endpoint:
        folders = ["--add-dir", str(tmp_path / "free"), "--add-dir", f"{tmp_path / 'fixed'}:ro"]
        run_cli(tmp_path, "--auto-approve", *folders, "-p", "go", endpoint=endpoint)
    assert [(tmp_path / name / "made").exists() for name in ("free", "fixed", "other")] == [True, False, False]


@pytest.mark.parametrize("value,code,told", [("no-such-folder", 3, b"no-such-folder"), (".;..", 2, b"repeat it")])
def test_an_added_folder_that_is_none_is_told(tmp_path: Path, value: str, code: int, told: bytes) -> None:
    done = run_cli(tmp_path, "--add-dir", value, "-p", "go")
    assert done.returncode == code
    assert told in done.stderr


@pytest.mark.parametrize("arguments,value", [([], "off"), (["--network"], "on")])
def test_the_network_is_a_setting_of_this_start(tmp_path: Path, arguments: list[str], value: str) -> None:
    rows = {row["name"]: row for row in json.loads(run_cli(tmp_path, "config", "--json", *arguments).stdout)}
    assert rows["NETWORK"]["value"] == value


def test_a_preview_tells_people_the_verdict_and_how_it_was_read(tmp_path: Path) -> None:
    shown = run_cli(tmp_path, "guard", "--", "ls; rm -rf /").stdout.decode()
    assert "deny" in shown and "delete.root" in shown and "[rm] [-rf] [/]" in shown
    assert "\x1b" not in run_cli(tmp_path, "guard", "--", "ls \x1b[2J").stdout.decode()


@pytest.mark.parametrize("shell,command,decision", [
    ("posix", "rm -rf ~", "deny"), ("posix", "ls -la", "allow"), ("powershell", "Get-ChildItem | Remove-Item -Recurse", "ask"),
    ("cmd", "del /s /q *.*", "ask")])
def test_a_preview_as_data_holds_the_verdict_the_parse_and_the_findings(tmp_path: Path, shell: str, command: str, decision: str) -> None:
    found = json.loads(run_cli(tmp_path, "guard", "--json", "--shell", shell, "--", command).stdout)
    assert found["decision"] == decision
    assert {"effect", "rule", "reason", "span", "rules", "allowed", "network", "commands", "findings"} <= set(found)
    assert found["commands"][0]["words"] and (found["findings"] or decision == "allow")


def test_a_preview_says_that_what_needs_the_network_is_asked(tmp_path: Path) -> None:
    found = json.loads(run_cli(tmp_path, "guard", "--json", "--", "pip install requests").stdout)
    assert (found["decision"], found["network"], found["asked"]) == ("allow", True, True)
    shown = run_cli(tmp_path, "guard", "--", "pip install requests").stdout
    assert b"You are asked first" in shown and b"needs the network" in shown


@linux
def test_a_preview_says_that_more_than_reading_is_asked_without_a_sandbox(tmp_path: Path) -> None:
    bare = without_sandbox(tmp_path)
    found = [json.loads(run_cli(tmp_path, "guard", "--json", "--", command, **bare).stdout)["asked"] for command in ("ls", "touch a")]
    assert found == [False, True]


@terminals
def test_a_rule_is_remembered_at_the_question_listed_and_revoked(tmp_path: Path) -> None:
    script = [run("git push origin main"), DONE]
    with FakeEndpoint([*script, *script, *script]) as endpoint:
        with FakeTerminal(tmp_path, "-p", "go", endpoint=endpoint) as terminal:
            terminal.wait_for("[r]emember:")
            terminal.type("r\n")
            terminal.wait_for("Which one?")
            terminal.type("1\n")
            terminal.wait_for("Why?")
            terminal.type("my remote\n")
            terminal.wait_for("Remembered: exactly git push origin main")
            terminal.wait_end()
        assert b"my remote" in run_cli(tmp_path, "-p", "go", endpoint=endpoint).stderr
        listed = json.loads(run_cli(tmp_path, "rules", "--json").stdout)
        assert [(row["text"], row["why"], row["rules"]) for row in listed] == [("git push origin main", "my remote", ["git.push"])]
        assert run_cli(tmp_path, "rules", "revoke", "2").returncode == 2
        assert b"git push origin main" in run_cli(tmp_path, "rules", "revoke", "1").stdout
        assert run_cli(tmp_path, "-p", "go", endpoint=endpoint).returncode == 5


@terminals
def test_status_and_rules_say_what_commands_may_do(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    with FakeEndpoint([]) as endpoint, FakeTerminal(tmp_path, "--add-dir", str(tmp_path / "more"), endpoint=endpoint) as terminal:
        for line, shown in (("status", str(tmp_path / "more")), ("rules", "No remembered rules"), ("/rules revoke 1", "no rule 1"),
                            ("/rules what", "Use: rules")):
            terminal.wait_prompt()
            terminal.type(line + "\r")
            terminal.wait_for(shown)
        assert "sandbox" in terminal.screen and "network" in terminal.screen and "remembered" in terminal.screen


def test_files_that_run_later_outside_are_named_at_the_end(tmp_path: Path) -> None:
    with FakeEndpoint([run("echo 'all: ; echo hi' > Makefile; echo x > notes.txt"), DONE]) as endpoint:
        done = run_cli(tmp_path, "--auto-approve", "--unconfined", "--debug-level", "0", "-p", "go", endpoint=endpoint)
    told = done.stderr.decode()
    assert str(tmp_path / "workspace" / "Makefile") in told and "outside the sandbox" in told
    assert "notes.txt" not in told
    assert done.stdout == b"All is done.\n"


@terminals
def test_a_conversation_names_them_when_it_ends(tmp_path: Path) -> None:
    write = reply("write_file", path="conftest.py", content="x = 1\n")
    with FakeEndpoint([write, DONE]) as endpoint, FakeTerminal(tmp_path, "--auto-approve", "--unconfined", endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("go\r")
        terminal.wait_for("All is done.")
        terminal.wait_prompt()
        terminal.type("\x04")
        terminal.wait_for("outside the sandbox")
        terminal.wait_for("conftest.py")
        assert terminal.wait_end() == 0


def test_doctor_shows_the_tier(tmp_path: Path) -> None:
    checks = {check["name"]: check for check in json.loads(run_cli(tmp_path, "doctor", "--json").stdout)["checks"]}
    assert checks["sandbox"]["detail"].startswith(probe().tier)


@linux
def test_doctor_tells_a_machine_without_a_sandbox_what_would_bring_one(tmp_path: Path) -> None:
    done = run_cli(tmp_path, "doctor", "--json", **without_sandbox(tmp_path))
    check = {check["name"]: check for check in json.loads(done.stdout)["checks"]}["sandbox"]
    assert check["state"] == "warn"
    assert "bubblewrap" in check["cure"] and "--auto-approve" in check["cure"]
    assert "the network is open" in check["detail"]
