"""Notifications, with stand-ins for the three systems' programs on PATH: what they are given, and what happens when they fail."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

if str(Path(__file__).resolve().parents[3] / "skills" / "todo") not in sys.path:
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "skills" / "todo"))

from taskbook.notify import Delivery, notify  # noqa: E402

HOSTILE = [
    '$(touch x)"; display dialog "`id`"',
    "-e do shell script",
    "'; rm -rf ~; '",
    "%PATH% & calc",
    '"@\n"@ | iex',
    "C:\\new\\table",
    "交作业 😀",
]
SYSTEMS = [("linux", "notify-send"), ("darwin", "osascript"), ("win32", "powershell")]

RECORDER = """#!{python}
import json, os, sys
json.dump({{"words": sys.argv[1:], "title": os.environ.get("TODO_NOTICE_TITLE"), "message": os.environ.get("TODO_NOTICE_MESSAGE")}},
          open({log!r}, "w"))
"""


def place(folder: Path, name: str, body: str) -> dict[str, str]:
    """An executable of that name, and an environment that finds it alone."""
    program = folder / name
    program.write_text(body, encoding="utf-8")
    program.chmod(0o755)
    return {**os.environ, "PATH": str(folder)}


def recorded(folder: Path, platform: str, program: str, title: str, message: str) -> dict[str, object]:
    log = folder / "log.json"
    environment = place(folder, program, RECORDER.format(python=sys.executable, log=str(log)))
    assert notify(title, message, platform=platform, environment=environment) == Delivery(True, program, "")
    loaded: dict[str, object] = json.loads(log.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("text", HOSTILE)
def test_linux_gets_title_and_body_as_the_last_two_arguments(tmp_path: Path, text: str) -> None:
    words = recorded(tmp_path, "linux", "notify-send", text, text)["words"]
    assert words == ["--app-name=todo", "--", text, text.replace("\\", "\\\\")]


@pytest.mark.parametrize("text", HOSTILE)
def test_macos_gets_a_script_that_never_changes_and_the_text_as_arguments(tmp_path: Path, text: str) -> None:
    words = recorded(tmp_path, "darwin", "osascript", text, "body")["words"]
    assert isinstance(words, list) and words[-3:] == ["--", text, "body"]
    assert words[:-3] == recorded(tmp_path, "darwin", "osascript", "other", "words")["words"][:-3]  # type: ignore[index]


@pytest.mark.parametrize("text", HOSTILE)
def test_windows_gets_a_script_that_never_changes_and_the_text_in_the_environment(tmp_path: Path, text: str) -> None:
    seen = recorded(tmp_path, "win32", "powershell", text, "body")
    assert (seen["title"], seen["message"]) == (text, "body")
    assert seen["words"] == recorded(tmp_path, "win32", "powershell", "other", "words")["words"]
    assert text not in " ".join(seen["words"])  # type: ignore[arg-type]


@pytest.mark.parametrize(("platform", "program"), SYSTEMS)
def test_without_the_program_nothing_is_delivered(tmp_path: Path, platform: str, program: str) -> None:
    assert notify("a", "b", platform=platform, environment={"PATH": str(tmp_path)}) == Delivery(False, "", "none")
    assert notify("a", "b", platform=platform, environment={}) == Delivery(False, "", "none")


@pytest.mark.parametrize(("platform", "program"), SYSTEMS)
def test_a_program_that_fails_has_not_delivered(tmp_path: Path, platform: str, program: str) -> None:
    environment = place(tmp_path, program, "#!/bin/sh\nexit 3\n")
    assert notify("a", "b", platform=platform, environment=environment) == Delivery(False, program, "failed")


def test_a_program_that_cannot_be_started_has_not_delivered(tmp_path: Path) -> None:
    environment = place(tmp_path, "notify-send", "#!/nowhere/at/all\n")
    assert notify("a", "b", platform="linux", environment=environment) == Delivery(False, "notify-send", "failed")


def test_a_program_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    marker = tmp_path / "child"
    environment = place(tmp_path, "notify-send", f"#!/bin/sh\n/bin/sleep 60 &\necho $! > {marker}\nwait\n")
    begin = time.monotonic()
    assert notify("a", "b", platform="linux", environment=environment, limit=0.5) == Delivery(False, "notify-send", "slow")
    assert time.monotonic() - begin < 5
    child = int(marker.read_text())
    for _ in range(100):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.05)
    raise AssertionError(f"process {child} is still there")


def test_characters_that_cannot_be_arguments_do_no_harm(tmp_path: Path) -> None:
    words = recorded(tmp_path, "linux", "notify-send", "a\0b\x1b[31m", "\ud800")["words"]
    assert words == ["--app-name=todo", "--", "a b [31m", "?"]
