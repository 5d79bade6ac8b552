"""The conversation, at a real pseudo terminal."""
from __future__ import annotations

import os
import shutil
import signal
import stat
import sys
import time
from pathlib import Path

import pytest

from tests.fake_endpoint import HANG, FakeEndpoint, delta, sse, streamed
from tests.scripted_model import reply
from tests.ui.cli.driver import ROOT, FakeTerminal, running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are a POSIX thing")
CTRL_C, CTRL_D, CTRL_J, CTRL_O, CTRL_U, ENTER, TAB, UP = "\x03", "\x04", "\n", "\x0f", "\x15", "\r", "\t", "\x1b[A"
ASKS = reply("run_command", "It is outside of any skill.", command="rm -f none; echo from-the-command")
QUESTION = "[y]es / [N]o / [a]lways"
DONE = reply("answer", "The output says it.", answer="All is done.")


def thinking(text: str) -> object:
    """A reply that begins with a thought and then never goes on."""
    return sse(delta('{"thought": "' + text + '", '), HANG)


def test_a_conversation_keeps_its_history(tmp_path: Path) -> None:
    with FakeEndpoint([reply("answer", answer="first answer"), reply("answer", answer="second answer")]) as endpoint, \
            FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_for("skills-agent")
        terminal.wait_prompt()
        terminal.type("hello there" + ENTER)
        terminal.wait_for("first answer")
        terminal.wait_prompt()
        terminal.type("and again" + ENTER)
        terminal.wait_for("second answer")
        terminal.wait_prompt()
        terminal.type(CTRL_D)
        assert terminal.wait_end() == 0
        roles = [message["role"] for message in endpoint.bodies[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("answer,runs", [("y", True), ("yes", True), ("是", True), ("n", False), ("", False), ("whatever", False)])
def test_only_a_plain_yes_is_a_yes(tmp_path: Path, answer: str, runs: bool) -> None:
    with FakeEndpoint([ASKS, DONE]) as endpoint, FakeTerminal(tmp_path, "-p", "go", endpoint=endpoint) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type(answer + "\n")
        assert terminal.wait_end() == (0 if runs else 5)
    assert ("│ from-the-command" in terminal.screen) is runs


def test_what_was_typed_before_the_question_cannot_answer_it(tmp_path: Path) -> None:
    with FakeEndpoint([streamed(ASKS, pause=0.01), DONE]) as endpoint, FakeTerminal(tmp_path, "-p", "go", endpoint=endpoint) as terminal:
        terminal.wait_for("It is outside")
        terminal.type("y\ny\ny\n")
        terminal.wait_for(QUESTION)
        time.sleep(0.3)
        terminal.type("n\n")
        assert terminal.wait_end() == 5
    assert "│ from-the-command" not in terminal.screen


def test_always_covers_the_same_again_is_listed_and_can_be_taken_back(tmp_path: Path) -> None:
    with FakeEndpoint([ASKS, DONE, ASKS, DONE, ASKS, DONE]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("go" + ENTER)
        terminal.wait_for(QUESTION)
        terminal.type("a\n")
        terminal.wait_for("All is done.")
        terminal.wait_prompt()
        terminal.type("go" + ENTER)
        terminal.wait_for("always allowed in this session")
        terminal.wait_for("All is done.")
        terminal.wait_prompt()
        terminal.type("status" + ENTER)
        terminal.wait_for("1  Run ")
        terminal.wait_prompt()
        terminal.type("/revoke 1" + ENTER)
        terminal.wait_for("Taken back")
        terminal.wait_prompt()
        terminal.type("go" + ENTER)
        terminal.wait_for(QUESTION)
        terminal.type("n\n")
        terminal.wait_for("All is done.")
    assert terminal.screen.count("│ from-the-command") == 2


@pytest.mark.parametrize("way", ["key", "signal"])
def test_ctrl_c_stops_a_thought_and_keeps_it_and_the_session(tmp_path: Path, way: str) -> None:
    with FakeEndpoint([thinking("half a thought"), DONE]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:  # type: ignore[list-item]
        terminal.wait_prompt()
        terminal.type("go" + ENTER)
        terminal.wait_for("half a thought")
        terminal.type(CTRL_C) if way == "key" else terminal.signal(signal.SIGINT)
        terminal.wait_for("cancelled")
        terminal.wait_prompt()
        terminal.type("go on" + ENTER)
        terminal.wait_for("All is done.")
        assert "half a thought" in terminal.screen


@pytest.mark.parametrize("way", ["key", "signal"])
def test_ctrl_c_ends_a_running_command_with_its_children_and_keeps_the_session(tmp_path: Path, way: str) -> None:
    sleep = f"sleep {47120 + (way == 'key')}.{os.getpid()}"
    command = f"{sleep} & echo started; {sleep}"
    with FakeEndpoint([reply("run_command", command=command), DONE]) as endpoint, \
            FakeTerminal(tmp_path, "--auto-approve", endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("go" + ENTER)
        terminal.wait_for("│ started")
        terminal.type(CTRL_C) if way == "key" else terminal.signal(signal.SIGINT)
        terminal.wait_for("cancelled")
        assert not running(sleep)
        terminal.wait_prompt()
        terminal.type("go on" + ENTER)
        terminal.wait_for("All is done.")


@pytest.mark.parametrize("way", ["key", "signal"])
def test_ctrl_c_at_the_question_refuses_and_cancels(tmp_path: Path, way: str) -> None:
    with FakeEndpoint([ASKS, DONE]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("go" + ENTER)
        terminal.wait_for(QUESTION)
        terminal.type(CTRL_C) if way == "key" else terminal.signal(signal.SIGINT)
        terminal.wait_for("cancelled")
        terminal.wait_prompt()
    assert "│ from-the-command" not in terminal.screen


@pytest.mark.parametrize("way", ["key", "signal"])
def test_a_second_ctrl_c_within_two_seconds_leaves_with_130(tmp_path: Path, way: str) -> None:
    with FakeEndpoint([thinking("half a thought")]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:  # type: ignore[list-item]
        terminal.wait_prompt()
        terminal.type("go" + ENTER)
        terminal.wait_for("half a thought")
        for _ in range(2):
            terminal.type(CTRL_C) if way == "key" else terminal.signal(signal.SIGINT)
            time.sleep(0.2)
        assert terminal.wait_end() == 130


@pytest.mark.parametrize("way", ["key", "signal"])
def test_at_the_prompt_ctrl_c_clears_the_line_and_twice_leaves(tmp_path: Path, way: str) -> None:
    with FakeEndpoint([]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("half a line")
        terminal.wait_for("half a line")
        terminal.type(CTRL_C) if way == "key" else terminal.signal(signal.SIGINT)
        terminal.wait_for("Ctrl-C again")
        terminal.wait_prompt()
        terminal.type(CTRL_C) if way == "key" else terminal.signal(signal.SIGINT)
        assert terminal.wait_end() == 130
        assert endpoint.requests == []


def test_sigterm_at_the_prompt_ends_with_143_and_gives_the_terminal_back(tmp_path: Path) -> None:
    with FakeEndpoint([]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        time.sleep(0.3)
        terminal.signal(signal.SIGTERM)
        assert terminal.wait_end() == 143
        assert "Traceback" not in terminal.screen


def test_several_pasted_lines_are_one_message(tmp_path: Path) -> None:
    with FakeEndpoint([reply("answer", answer="one"), reply("answer", answer="two")]) as endpoint, \
            FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("\x1b[200~delete the folder x\ry\x1b[201~" + ENTER)
        terminal.wait_for("one")
        terminal.wait_prompt()
        terminal.type("no brackets\rsecond line\r")
        terminal.wait_for("two")
        texts = [body["messages"][-1]["content"] for body in endpoint.bodies]
    assert texts[0].startswith("delete the folder x\ny\n\n")
    assert texts[1].startswith("no brackets\nsecond line\n\n")


def test_ctrl_j_and_alt_enter_make_a_new_line(tmp_path: Path) -> None:
    with FakeEndpoint([reply("answer", answer="one")]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        for keys in ("line one", CTRL_J, "line two", "\x1b\r", "line three", ENTER):
            time.sleep(0.1)
            terminal.type(keys)
        terminal.wait_for("one")
        terminal.wait_for("done")
        assert endpoint.bodies[0]["messages"][-1]["content"].startswith("line one\nline two\nline three\n\n")


def test_commands_answer_at_once_and_unknown_ones_never_reach_the_model(tmp_path: Path) -> None:
    with FakeEndpoint([]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        for line, shown in (
                ("help", "/revoke N | all"), ("帮助", "/revoke N | all"), ("/skills", "math-tools"), ("重载", "skills loaded"),
                ("clear", "is forgotten"), ("model", "fake-model at"), ("/model other-model", "other-model at"), ("/statsu", "/status"),
                ("/help me please", "no command"), ("/config", "MAX_STEPS"), ("/doctor", "could be better")):
            terminal.wait_prompt()
            terminal.type(line + ENTER)
            terminal.wait_for(shown)
        terminal.wait_prompt()
        terminal.type("退出" + ENTER)
        assert terminal.wait_end() == 0
        assert endpoint.requests == []


def test_reload_keeps_the_conversation_and_finds_a_new_skill(tmp_path: Path) -> None:
    skills = tmp_path / "skills"
    skills.mkdir()
    with FakeEndpoint([reply("answer", answer="one"), reply("answer", answer="two")]) as endpoint, \
            FakeTerminal(tmp_path, "--skills", str(skills), endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("hello" + ENTER)
        terminal.wait_for("one")
        (skills / "fresh").mkdir()
        (skills / "fresh" / "SKILL.md").write_text("---\nname: fresh\ndescription: Just arrived.\n---\nHi.\n", encoding="utf-8")
        terminal.wait_prompt()
        terminal.type("reload" + ENTER)
        terminal.wait_for("1 skill loaded")
        terminal.wait_prompt()
        terminal.type("again" + ENTER)
        terminal.wait_for("two")
        messages = endpoint.bodies[1]["messages"]
    assert "fresh" in messages[0]["content"]
    assert messages[1]["content"].startswith("hello")


def test_history_is_private_kept_for_the_next_start_and_free_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "state" / "skills-agent" / "history"
    with FakeEndpoint([reply("answer", answer="one")], repeat=True) as endpoint:
        with FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
            for line in ("remember me", "my API_KEY=sk-abcdefghijklmnopqrstuvwxyz"):
                terminal.wait_prompt()
                terminal.type(line + ENTER)
                terminal.wait_for("one")
                terminal.wait_for("done")
        with FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
            terminal.wait_prompt()
            terminal.type(UP)
            terminal.wait_for("remember me")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "remember me\n"


def test_tab_completes_commands_skills_and_paths(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "report-of-june.txt").write_text("x")
    with FakeEndpoint([]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        for typed, completed in (("/rev", "/revoke"), ("use mat", "math-tools"), ("read report-", "report-of-june.txt")):
            terminal.type(typed + TAB)
            assert completed in terminal.wait_for(completed)
            terminal.type(CTRL_U)


def test_ctrl_o_and_edit_open_the_editor(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf 'written in the editor' > \"$1\"\n")
    editor.chmod(0o755)
    with FakeEndpoint([reply("answer", answer="one"), reply("answer", answer="two")]) as endpoint, \
            FakeTerminal(tmp_path, endpoint=endpoint, EDITOR=str(editor)) as terminal:
        for keys, answer in (("x" + CTRL_O, "one"), ("/edit" + ENTER, "two")):
            terminal.wait_prompt()
            terminal.type(keys)
            terminal.wait_prompt()
            terminal.wait_for("written in the editor")
            terminal.type(ENTER)
            terminal.wait_for(answer)
        assert [body["messages"][-1]["content"][:21] for body in endpoint.bodies] == ["written in the editor"] * 2


def test_the_banner_names_the_built_in_matcher_and_env_is_written_only_after_a_yes(tmp_path: Path) -> None:
    for answer, written in (("\n", False), ("y\n", True)):
        project, home = tmp_path / f"project-{written}", tmp_path / f"home-{written}"
        home.mkdir()
        for name in ("core", "ui", "skills"):
            shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("main_cmd.py", ".env.example"):
            shutil.copy(ROOT / name, project / name)
        with FakeTerminal(home, program=project / "main_cmd.py", AGENT_LANG="zh") as terminal:
            terminal.wait_for("内置句式匹配器；用 /setup 或 .env 连接模型")
            terminal.wait_for("[y 是 / N 否]")
            terminal.type(answer)
            terminal.wait_prompt()
            terminal.type(CTRL_D)
            assert terminal.wait_end() == 0
        assert (project / ".env").exists() is written
        with FakeTerminal(home, program=project / "main_cmd.py", AGENT_LANG="zh") as terminal:
            terminal.wait_prompt()
            assert "[y 是 / N 否]" not in terminal.screen


def test_without_prompt_toolkit_lines_are_read_plainly(tmp_path: Path) -> None:
    with FakeEndpoint([reply("answer", answer="one")]) as endpoint, FakeTerminal(tmp_path, "--accessible", endpoint=endpoint) as terminal:
        terminal.wait_for("> ")
        terminal.type("first line\nsecond line\n")
        terminal.wait_for("one")
        assert endpoint.bodies[0]["messages"][-1]["content"].startswith("first line\nsecond line\n\n")
        terminal.wait_for("> ")
        terminal.type("quit\n")
        assert terminal.wait_end() == 0
    assert "\x1b" not in terminal.raw and "\r" not in terminal.raw.replace("\r\n", "")


def test_a_spinner_counts_seconds_on_a_terminal_and_leaves_no_trace(tmp_path: Path) -> None:
    with FakeEndpoint([sse(1.3, *streamed(DONE).chunks)]) as endpoint, FakeTerminal(tmp_path, "-p", "go", endpoint=endpoint) as terminal:
        terminal.wait_for("1 s thinking")
        terminal.wait_end()
    assert terminal.raw.rindex("\x1b[K") > terminal.raw.rindex("thinking")


def test_json_at_a_terminal_still_asks_on_the_terminal(tmp_path: Path) -> None:
    with FakeEndpoint([ASKS, DONE]) as endpoint, FakeTerminal(tmp_path, "--json", "-p", "go", endpoint=endpoint) as terminal:
        terminal.wait_for(QUESTION)
        terminal.type("y\n")
        assert terminal.wait_end() == 0


def test_a_cleared_conversation_is_not_saved(tmp_path: Path) -> None:
    with FakeEndpoint([reply("answer", answer="first answer")]) as endpoint, FakeTerminal(tmp_path, endpoint=endpoint) as terminal:
        terminal.wait_prompt()
        terminal.type("hello there" + ENTER)
        terminal.wait_for("first answer")
        for line, told in (("/clear", "forgotten"), ("/save kept.md", "Saved")):
            terminal.wait_prompt()
            terminal.type(line + ENTER)
            terminal.wait_for(told)
    assert (tmp_path / "workspace" / "kept.md").read_text() == ""


def answer_first_question(terminal: FakeTerminal, answer: str) -> None:
    """Answer whether a `.env` is to be written, and wait for the prompt."""
    terminal.wait_for("[y/N]")
    terminal.type(f"{answer}\r")
    terminal.wait_prompt()


def test_a_request_typed_at_the_first_question_waits_at_the_prompt(tmp_path: Path) -> None:
    with FakeTerminal(tmp_path) as terminal:
        answer_first_question(terminal, "what is the 10th fibonacci number")
        assert "Fibonacci number 10" not in terminal.screen
        terminal.type("\r")
        assert "Fibonacci number 10 is 55" in terminal.wait_for("Fibonacci number 10 is 55")


@pytest.mark.parametrize("answer", ["n", "No", "不用", ""])
def test_a_no_at_the_first_question_is_no_request(answer: str, tmp_path: Path) -> None:
    with FakeTerminal(tmp_path) as terminal:
        answer_first_question(terminal, answer)
        terminal.type("what is 5!\r")
        assert "5! = 120" in terminal.wait_for("done")


def test_a_command_that_prints_one_object_is_shown_by_its_sentence(tmp_path: Path) -> None:
    with FakeTerminal(tmp_path) as terminal:
        answer_first_question(terminal, "n")
        terminal.type("add a task: buy milk\r")
        terminal.wait_for("Added #1")
        assert '"ok"' not in terminal.wait_for("done")
