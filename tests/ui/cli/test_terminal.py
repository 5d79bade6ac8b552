"""What reaches the two streams: colours, encodings, and nothing that a model smuggles in."""
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fake_endpoint import FakeEndpoint
from tests.scripted_model import reply
from tests.ui.cli.driver import FakeStream, run_cli
from ui.cli.live_answer import LiveAnswer
from ui.cli.markdown import render
from ui.cli.screen import Screen
from ui.cli.terminal import Stream, clip, icons_for, visible, wants_colour, width


@pytest.mark.parametrize("choice,tty,environ,expected", [
    ("auto", True, {}, True), ("auto", False, {}, False), ("auto", True, {"TERM": "dumb"}, False), ("auto", True, {"NO_COLOR": "1"}, False),
    ("auto", True, {"NO_COLOR": ""}, True), ("auto", False, {"FORCE_COLOR": "1"}, True), ("auto", False, {"CLICOLOR_FORCE": "1"}, True),
    ("auto", False, {"FORCE_COLOR": "0"}, False), ("auto", False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ("always", False, {"NO_COLOR": "1"}, True), ("never", True, {"FORCE_COLOR": "1"}, False)])
def test_the_flag_beats_no_color_beats_force_color_beats_the_terminal(choice: str, tty: bool, environ: dict[str, str], expected: bool) -> None:
    assert wants_colour(choice, tty, environ) is expected


def test_colour_is_decided_for_each_stream() -> None:
    screen = Screen(out=FakeStream(tty=False), err=FakeStream(tty=True), environ={})
    assert (screen.out.colour, screen.err.colour) == (False, True)


@pytest.mark.parametrize("more,arguments,coloured", [
    ({}, [], False), ({"FORCE_COLOR": "1"}, [], True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False), ({}, ["--color", "always"], True),
    ({"FORCE_COLOR": "1"}, ["--no-color"], False)])
def test_a_pipe_has_escapes_only_where_somebody_asked(tmp_path: Path, more: dict[str, str], arguments: list[str], coloured: bool) -> None:
    with FakeEndpoint([reply("view_skill", skill="math-tools"), reply("answer", answer="**hi**")]) as endpoint:
        done = run_cli(tmp_path, *arguments, "-p", "x", endpoint=endpoint, **more)
    assert (b"\x1b[" in done.stderr) is coloured
    assert done.stdout == b"**hi**\n"


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "gb18030", "ascii", "latin-1", "cp1252", None])
def test_the_signs_can_be_written_in_the_encoding(encoding: str | None) -> None:
    assert "".join(icons_for(encoding)).encode(encoding or "ascii")


@pytest.mark.parametrize("more", [{"PYTHONIOENCODING": "gbk"}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"},
                                  {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}])
def test_no_encoding_breaks_a_run(tmp_path: Path, more: dict[str, str]) -> None:
    half_a_character = reply("answer", answer="✓ 答案 🙂 HALF").replace("HALF", "\\ud800")
    with FakeEndpoint([reply("view_skill", "✓ 想 🙂", skill="math-tools"), half_a_character]) as endpoint:
        done = run_cli(tmp_path, "-p", "问 🙂", endpoint=endpoint, **more)
    encoding = more.get("PYTHONIOENCODING", "utf-8")
    assert done.returncode == 0, done.stderr
    assert ("答案" if encoding != "ascii" else "??") in done.stdout.decode(encoding)
    assert b"Error" not in done.stderr


def test_gbk_gets_signs_that_gbk_has(tmp_path: Path) -> None:
    with FakeEndpoint([reply("view_skill", skill="math-tools"), reply("answer", answer="x")]) as endpoint:
        shown = run_cli(tmp_path, "-p", "x", endpoint=endpoint, PYTHONIOENCODING="gbk", AGENT_LANG="zh").stderr.decode("gbk")
    assert "[1] → 查看技能 math-tools" in shown
    assert "?" not in shown


@given(st.text())
def test_nothing_that_moves_a_cursor_is_printed(text: str) -> None:
    for shown in (visible(text), visible(text, exact=True)):
        assert not any(ord(character) < 0x20 and character not in "\n\t" or 0x7F <= ord(character) < 0xA0 for character in shown)
        assert not set(shown) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")


def test_colour_codes_of_a_command_are_dropped_and_other_escapes_spelled_out() -> None:
    assert visible("\x1b[1;31mred\x1b[0m\r\n") == "red\n"
    assert visible("a\x1b]0;title\x07b\x9b2J") == "a\\x1b]0;title\\x07b\\x9b2J"


def test_a_command_to_be_approved_hides_nothing() -> None:
    assert visible("ls\x1b[8m; rm -rf ~\x1b[0m\r\u202e\u200b", exact=True) == "ls\\x1b[8m; rm -rf ~\\x1b[0m\\x0d\\u202e\\u200b"
    assert visible("printf '\\x1b'", exact=True) == "printf '\\x1b'"
    assert visible("printf '\\x1b' \x1b", exact=True) == "printf '\\\\x1b' \\x1b"


def test_what_the_model_says_cannot_drive_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[1;1H\u202e\x9b31m\rgone"
    command = f"python -c \"print(''.join(map(chr, {list(map(ord, evil))})))\""
    with FakeEndpoint([reply("run_command", "think " + evil, command=command), reply("answer", answer="a" + evil)]) as endpoint:
        done = run_cli(tmp_path, "--auto-approve", "-p", "x", endpoint=endpoint)
    for stream in (done.stdout, done.stderr):
        text = stream.decode()
        assert not any(character in text for character in "\x1b\x07\u202e\x9b\r")
        assert "gone" in text


def test_markdown_is_drawn_on_a_terminal_only() -> None:
    text = "## Title\n\n| a | 中文 |\n|--|--|\n| 1 | 二 |\n\n**bold**"
    drawn = render(text, Stream(FakeStream(tty=True), environ={}), 60)
    assert "**" not in drawn and "|--" not in drawn and "bold" in drawn
    for tty, raw, accessible in ((False, False, False), (True, True, False), (True, False, True)):
        screen = Screen(out=FakeStream(tty), err=FakeStream(tty), raw=raw, accessible=accessible, environ={})
        screen.answer(text)
        assert screen.out.stream.getvalue() == text + "\n"


def test_columns_of_a_table_with_wide_characters_stand_under_each_other() -> None:
    drawn = render("| name | 说明 |\n|--|--|\n| a | 文件 |\n| 很长的名字 | b |\n", Stream(FakeStream(tty=True), "never", {}), 60).split("\n")
    rows = [line for line in drawn if "文件" in line or line.rstrip().endswith("b")]
    assert len({width(row[:max(row.rfind("文件"), row.rfind("b"))]) for row in rows}) == 1


def test_plain_words_need_no_renderer() -> None:
    import subprocess
    import sys

    code = ("import sys; from ui.cli.markdown import render; from ui.cli.terminal import Stream;"
            "render('The answer is 5.', Stream(sys.stdout), 80); print('rich' in sys.modules)")
    root = Path(__file__).resolve().parents[3]
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, timeout=60).stdout == "False\n"


def test_width_and_clipping_count_columns() -> None:
    assert width("a中e\u0301") == 4
    assert clip("中文字符", 5) == "中文…"
    assert clip("short", 5) == "short"


ANSWER = "# Head\n\npara one\nmore\n\n- a\n\n- b\n\n1. x\n\n   deeper\n\n```py\nx = 1\n\ny = 2\n```\n\nlast one is here"


@given(st.lists(st.integers(0, len(ANSWER)), max_size=12))
def test_an_answer_comes_out_whole_however_it_was_cut(cuts: list[int]) -> None:
    screen = Screen(out=FakeStream(), err=FakeStream(), environ={})
    live = LiveAnswer(screen)
    points = sorted({0, len(ANSWER), *cuts})
    for start, end in zip(points, points[1:], strict=False):
        live.feed(ANSWER[start:end])
    live.finish(ANSWER)
    assert screen.out.stream.getvalue() == ANSWER + "\n"


def test_a_block_is_shown_before_the_answer_has_ended_and_the_last_one_is_not() -> None:
    screen = Screen(out=FakeStream(), err=FakeStream(), environ={})
    live = LiveAnswer(screen)
    live.feed("First paragraph.\n\nSecond paragraph ")
    assert screen.out.stream.getvalue() == "First paragraph.\n"
    assert live.void() is True
    live.feed("Only one paragraph.")
    assert live.void() is False


def test_accessible_output_has_no_signs_and_no_redrawing(tmp_path: Path) -> None:
    with FakeEndpoint([reply("view_skill", skill="math-tools"), reply("run_command", command="python main.py fibonacci 10"),
                       reply("answer", answer="55")]) as endpoint:
        done = run_cli(tmp_path, "--accessible", "--color", "always", "-p", "x", endpoint=endpoint)
    shown = done.stderr.decode()
    assert "Step 2: Run python main.py fibonacci 10" in shown
    assert "Done in" in shown
    assert not set(shown) & set("\x1b\r▸✓✗│─→")


@pytest.mark.parametrize("character", [
    "\u00a0", "\u2003", "\u3000", "\ufe0f", "\U000e0041", "\U000e0100", "\u17b4", "\u206a", "\ue000", "\u0378", "\u2028"])
def test_what_looks_like_a_blank_or_like_nothing_is_spelled_out_in_a_command(character: str) -> None:
    shown = visible(f"rm{character}x", exact=True)
    assert shown.isascii() and f"{ord(character):x}" in shown


def test_what_is_written_in_other_scripts_stays_as_it_is_in_a_command() -> None:
    assert visible("echo 答案 é 🙂 C:\\new", exact=True) == "echo 答案 é 🙂 C:\\new"


@pytest.mark.parametrize("entity", ["&#x202e;", "&#8238;", "&#x200b;", "&ZeroWidthSpace;", "&#x2066;"])
def test_an_entity_draws_no_character_that_turns_or_hides(entity: str) -> None:
    shown = render(f"**a** {entity}evil", Stream(FakeStream(tty=True), environ={}), 80)
    assert not set(shown) & set("\u202e\u200b\u2066")
    assert "evil" in shown
