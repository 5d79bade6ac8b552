"""--json: every line of stdout is an event, the last is run.finished, whatever happens."""
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.fake_endpoint import FakeEndpoint, error, streamed
from tests.scripted_model import reply
from tests.ui.cli.driver import PROGRAM, ROOT, environment, run_cli


def events_of(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    """The events, after checking what holds for each stream of them."""
    assert done.stdout.endswith(b"\n")
    events = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert all(event["v"] == 1 and event["type"] and event["ts"].endswith("Z") for event in events)
    assert [event["type"] for event in events].count("run.finished") == 1
    assert events[-1]["type"] == "run.finished"
    assert len({event["session"] for event in events}) == 1
    return events


SPAM = """---
name: spam
description: Prints a lot everywhere.
---
Run `python spam.py`.
"""
SPAM_PY = """import os, sys
for number in range(200):
    print("{not json", number)
    print("\\x1b[31mred\\u2028 and \\x85 and \\x00", file=sys.stderr)
os.write(1, b"raw bytes \\xff\\xfe\\n")
"""


def test_every_line_parses_while_a_command_spams_both_streams(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "spam"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SPAM, encoding="utf-8")
    (folder / "spam.py").write_text(SPAM_PY, encoding="utf-8")
    with FakeEndpoint([streamed(reply("view_skill", skill="spam")), streamed(reply("run_command", command="python spam.py")),
                       streamed(reply("answer", answer="done\u2028 \x85 中文 \x1b[2J"))]) as endpoint:
        done = run_cli(tmp_path, "--json", "--auto-approve", "--skills", str(tmp_path / "skills"), "-p", "spam", endpoint=endpoint)
    events = events_of(done)
    types = [event["type"] for event in events]
    assert types[0] == "run.started"
    assert types.count("action.started") == types.count("action.finished") == 2
    assert types.count("command.output") >= 400
    assert [event["text"] for event in events if event["type"] == "answer"] == ["done\u2028 \x85 中文 \x1b[2J"]
    assert events[-1]["status"] == "done"
    assert done.returncode == 0


def test_nothing_that_prints_inside_the_process_reaches_stdout(tmp_path: Path) -> None:
    code = (f"import os, sys; sys.path.insert(0, {str(ROOT)!r}); from ui.cli.json_output import JsonOutput; output = JsonOutput();"
            "print('stray'); os.write(1, b'straight to the file\\n'); os.system('echo from a child'); output.finish(0)")
    done = subprocess.run([PROGRAM[0], "-c", code], capture_output=True, timeout=60, env=environment(tmp_path))
    assert [event["type"] for event in events_of(done)] == ["run.finished"]
    for text in (b"stray", b"straight to the file", b"from a child"):
        assert text in done.stderr


@pytest.mark.parametrize("arguments,code", [
    (["--json"], 2), (["--json", "--no-such-option"], 2), (["--json", "-p", ""], 2), (["-p", "x", "--json", "--max-steps", "none"], 3)])
def test_wrong_usage_and_wrong_settings_are_events_too(tmp_path: Path, arguments: list[str], code: int) -> None:
    done = run_cli(tmp_path, *arguments)
    events = events_of(done)
    assert done.returncode == code
    assert [event["type"] for event in events] == ["error", "run.finished"]
    assert events[0]["message"]
    assert events[-1]["status"] == "failed"


def test_an_error_of_the_endpoint_is_an_event_with_its_code(tmp_path: Path) -> None:
    with FakeEndpoint([error(429, "slow down")] * 5) as endpoint:
        done = run_cli(tmp_path, "--json", "-p", "x", endpoint=endpoint, MAX_RETRIES="0")
    found = [event for event in events_of(done) if event["type"] == "error"]
    assert done.returncode == 75
    assert found[0]["retryable"] is True


def test_a_defect_of_the_program_is_an_event_and_no_traceback(tmp_path: Path) -> None:
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); import ui.cli.session as s; s.Session.answer = lambda self, request: 1 / 0;"
            "from ui.cli.app import main; sys.exit(main(['--json', '-p', 'x']))")
    done = subprocess.run([PROGRAM[0], "-c", code], capture_output=True, timeout=60, env=environment(tmp_path), stdin=subprocess.DEVNULL)
    events = events_of(done)
    assert done.returncode == 1
    assert events[0]["code"] == "crash" and "ZeroDivisionError" in events[0]["message"]
    assert b"Traceback" not in done.stderr


def test_a_request_that_nothing_can_serve_is_no_success(tmp_path: Path) -> None:
    done = run_cli(tmp_path, "--json", "-p", "write me a poem about the sea")
    assert done.returncode == 3
    assert events_of(done)[-1]["status"] == "failed"


def test_a_refused_confirmation_ends_with_denied(tmp_path: Path) -> None:
    with FakeEndpoint([reply("run_command", command="rm x"), reply("answer", answer="no")]) as endpoint:
        done = run_cli(tmp_path, "--json", "-p", "x", endpoint=endpoint)
    events = events_of(done)
    requested = next(event for event in events if event["type"] == "confirm.requested")
    assert requested["detail"] == "rm x" and requested["rule"]
    assert next(event for event in events if event["type"] == "confirm.answered")["approved"] is False
    assert (events[-1]["status"], done.returncode) == ("denied", 5)


def test_prompts_and_raw_replies_are_left_out_below_debug_level_2(tmp_path: Path) -> None:
    with FakeEndpoint([reply("answer", answer="hi")], repeat=True) as endpoint:
        short = {event["type"] for event in events_of(run_cli(tmp_path, "--json", "-p", "x", endpoint=endpoint))}
        full = {event["type"] for event in events_of(run_cli(tmp_path, "--json", "--debug-level", "2", "-p", "x", endpoint=endpoint))}
    assert full - short == {"llm.request", "llm.reply"}


def test_a_reader_that_goes_away_does_not_break_the_program(tmp_path: Path) -> None:
    with FakeEndpoint([reply("view_skill", skill="math-tools"), reply("answer", answer="hi")]) as endpoint:
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([*PROGRAM, "--json", "-p", "x"], stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, timeout=60,
                              env=environment(tmp_path, endpoint))
        os.close(writing)
    assert done.returncode == 0
    assert b"BrokenPipe" not in done.stderr


def test_sub_commands_print_one_object(tmp_path: Path) -> None:
    assert json.loads(run_cli(tmp_path, "guard", "--json", "--", "rm", "-rf", "a b").stdout)["command"] == "rm -rf 'a b'"
    assert json.loads(run_cli(tmp_path, "guard", "--json", "--", "ls | wc").stdout)["decision"] in ("allow", "ask", "deny")
    assert {"python", "model"} <= {check["name"] for check in json.loads(run_cli(tmp_path, "doctor", "--json").stdout)["checks"]}
    assert json.loads(run_cli(tmp_path, "skills", "list", "--json").stdout)[0]["name"]
    report = json.loads(run_cli(tmp_path, "skills", "check", str(tmp_path), "--json").stdout)
    assert {"found", "loaded", "shadowed", "failed", "excluded", "rows"} == set(report)
    rows = {row["name"]: row for row in json.loads(run_cli(tmp_path, "config", "--json", API_KEY="k" * 30, API_BASE_URL="http://localhost:1/v1").stdout)}
    assert rows["API_KEY"]["source"] == "environment" and "k" * 10 not in rows["API_KEY"]["value"]
