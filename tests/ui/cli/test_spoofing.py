"""A command that tries to hide in its own question, and permissions that reach no further than what was seen."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.guard import judge
from tests.ui.cli.driver import FakeStream
from tests.ui.cli.test_confirm import FakeKeyboard, shown
from ui.cli.confirm import Confirmer, Question
from ui.cli.memory import Memory
from ui.cli.quote import plain, wrap
from ui.cli.scopes import scripts_of
from ui.cli.screen import Screen


def confirmer(text: str, workspace: Path | None = None, encoding: str = "utf-8") -> Confirmer:
    screen = Screen(out=FakeStream(), err=FakeStream(tty=True, encoding=encoding), environ={"NO_COLOR": "1"})
    return Confirmer(screen, keyboard=FakeKeyboard(text), memory=Memory(workspace) if workspace else None)


def question(command: str, cwd: Path) -> Question:
    verdict = judge(command, workspace=cwd)
    return Question("run_command", command, verdict.rule, verdict.reason, verdict.effect, verdict, str(cwd))


@pytest.mark.parametrize("encoding,blanks,lines", [("utf-8", "␠×3000", "⏎×60"), ("gbk", "<SP×3000>", "<NL×60>"), ("ascii", "<SP*3000>", "<NL*60>")])
def test_long_runs_become_a_mark_with_their_number(encoding: str, blanks: str, lines: str) -> None:
    assert plain("ls" + " " * 3000 + "; rm x" + "\n" * 61 + "end", encoding) == f"ls{blanks}; rm x\n{lines}\nend"


def test_the_marks_cannot_be_written_by_the_command() -> None:
    assert plain("ls ␠×3000 ⏎×2", "utf-8") == "ls \\u2420×3000 \\u23ce×2"


def test_no_row_is_wider_than_asked_and_nothing_is_lost() -> None:
    text = "echo 汉字" * 40 + "x" * 300
    rows = wrap(text, 40)
    assert "".join(rows) == text
    assert all(sum(1 if character.isascii() else 2 for character in row) <= 40 for row in rows)


def test_every_row_of_the_command_has_the_mark(tmp_path: Path) -> None:
    fake = "? May the agent do this? Run"
    asked = confirmer("n\n")
    asked.approve(question("ls #" + "x" * 76 + fake + "\n" + fake, tmp_path))
    rows = shown(asked).split("\n")
    assert sum(row.startswith("?") for row in rows) == 1
    assert all(len(row) < 80 for row in rows)
    assert sum("│ " in row for row in rows) >= 3


@pytest.mark.parametrize("keys,approved", [
    ("y\n", False), ("y\ny\n", False), ("a\n", False), ("v\nn\n", False), ("v\ny\n", True), ("y\nv\ny\n", True), ("", False)])
def test_a_yes_to_what_is_not_shown_counts_only_after_all_was_shown(keys: str, approved: bool, tmp_path: Path) -> None:
    asked = confirmer(keys)
    command = "\n".join(["echo first", *(f"echo {number}" for number in range(200)), "rm -rf last"])
    assert asked.approve(question(command, tmp_path)) is approved
    text = shown(asked)
    assert "echo first" in text and "rm -rf last" in text and "not shown; v shows all" in text
    assert ("echo 100" in text) is ("v" in keys)


def test_the_folder_and_the_length_stand_last(tmp_path: Path) -> None:
    asked = confirmer("n\n")
    asked.approve(question("rm a", tmp_path))
    text = shown(asked)
    assert text.index("a = always") < text.index("length: 4 characters, 1 line")
    assert text.index("length:") < text.index("[y]es")


def test_always_in_one_folder_is_none_in_another(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    asked = confirmer("a\nn\n")
    assert asked.approve(question("rm -rf *", tmp_path))
    assert asked.approve(question("rm -rf *", tmp_path))
    assert not asked.approve(question("rm -rf *", other))


def test_always_for_a_script_ends_when_the_script_changes(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("print(1)")
    asked = confirmer("a\nn\n")
    assert asked.approve(question("python x.py", tmp_path))
    assert asked.approve(question("python x.py", tmp_path))
    (tmp_path / "x.py").write_text("print(2)")
    assert not asked.approve(question("python x.py", tmp_path))


@pytest.mark.parametrize("command", ["python new.py", "python $F", "python *.py", "bash -c 'python `ls`'"])
def test_always_is_not_offered_where_nobody_knows_the_script(command: str, tmp_path: Path) -> None:
    asked = confirmer("a\n")
    assert not asked.approve(question(command, tmp_path))
    assert "[a]lways" not in shown(asked) and not asked.always


@pytest.mark.skipif(os.name == "nt", reason="bits of the mode")
def test_scripts_are_found_by_name_by_interpreter_and_by_mode(tmp_path: Path) -> None:
    for name in ("a.sh", "plain", "tool", "mod.py"):
        (tmp_path / name).write_text("x")
    (tmp_path / "tool").chmod(0o755)
    found = {command: scripts_of(command, str(tmp_path)) for command in ("./a.sh", "bash plain", "cat plain", "./tool", "python -m mod")}
    assert {command: [os.path.basename(path) for path, _ in scripts or ()] for command, scripts in found.items()} == {
        "./a.sh": ["a.sh"], "bash plain": ["plain"], "cat plain": [], "./tool": ["tool"], "python -m mod": ["mod.py"]}


def test_a_rule_remembered_for_the_workspace_is_none_for_another_folder(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert confirmer("r\n1\nmine\n", tmp_path).approve(question("git push origin main", tmp_path))
    assert confirmer("", tmp_path).approve(question("git push origin main", tmp_path))
    assert not confirmer("", tmp_path).approve(question("git push origin main", other))


def test_a_rule_remembered_in_a_folder_below_the_workspace_holds_in_that_very_folder_only(tmp_path: Path) -> None:
    app, deep = tmp_path / "app", tmp_path / "app" / "deep"
    deep.mkdir(parents=True)
    asked = confirmer("r\n1\nmine\n", tmp_path)
    assert asked.approve(question("git push origin main", app))
    assert "exactly git push origin main, in the folder app" in asked.screen.err.stream.getvalue()
    assert confirmer("", tmp_path).approve(question("git push origin main", app))
    assert not any(confirmer("", tmp_path).approve(question("git push origin main", place)) for place in (tmp_path, deep))


def test_no_rule_is_offered_in_a_folder_that_a_link_leads_out_to(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    for folder in (workspace, outside):
        folder.mkdir()
    (workspace / "link").symlink_to(outside, target_is_directory=True)
    assert not confirmer("r\n1\nmine\n", workspace).approve(question("git push origin main", workspace / "link"))
    assert not (workspace / ".agent").exists()
