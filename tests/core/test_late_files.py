"""Files that run later outside the sandbox: which changes are told and which are not."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.late_files import LateFiles


def write(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", [
    "Makefile", "sub/conftest.py", "web/package.json", "setup.py", "pyproject.toml", ".envrc", ".bashrc", ".vscode/tasks.json",
    ".git/hooks/pre-commit", "lib/.git/hooks/post-checkout", ".husky/pre-push"])
def test_a_new_file_that_runs_later_is_named(tmp_path: Path, name: str) -> None:
    before = LateFiles([tmp_path])
    write(tmp_path / name)
    assert before.changed() == [str(tmp_path / name)]


@pytest.mark.parametrize("name", [
    "notes.txt", "src/main.py", ".git/hooks/pre-commit.sample", "node_modules/a/package.json", ".venv/lib/setup.py", ".home/.bashrc", "hooks/run",
    ".vscode/extensions.json", ".agent/Makefile"])
def test_other_files_are_not_named(tmp_path: Path, name: str) -> None:
    before = LateFiles([tmp_path])
    write(tmp_path / name)
    assert before.changed() == []


def test_only_what_changed_is_named_and_what_is_gone_is_not(tmp_path: Path) -> None:
    for name in ("Makefile", "conftest.py", "setup.py"):
        write(tmp_path / name)
    before = LateFiles([tmp_path])
    write(tmp_path / "conftest.py", "changed")
    (tmp_path / "setup.py").unlink()
    assert before.changed() == [str(tmp_path / "conftest.py")]


def test_a_hook_that_becomes_executable_has_changed(tmp_path: Path) -> None:
    hook = tmp_path / ".git" / "hooks" / "pre-commit"
    write(hook)
    before = LateFiles([tmp_path])
    hook.chmod(0o755)
    assert before.changed() == [str(hook)]


@pytest.mark.parametrize("text,named", [
    ("[core]\n\tbare = false\n", False), ("[core]\n\thooksPath = /x\n", True), ("[alias]\n\tst = !sh x\n", True),
    ("[core]\n\tfsmonitor = a\n", True)])
def test_the_configuration_of_git_counts_where_it_names_a_program(tmp_path: Path, text: str, named: bool) -> None:
    before = LateFiles([tmp_path])
    write(tmp_path / ".git" / "config", text)
    assert bool(before.changed()) is named


def test_a_link_to_another_folder_is_not_followed_and_a_loop_ends(tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    outside.mkdir()
    workspace.mkdir()
    os.symlink(outside, workspace / "link")
    os.symlink(workspace, workspace / "loop")
    before = LateFiles([workspace])
    write(outside / "Makefile")
    assert before.changed() == []


def test_a_link_in_place_of_such_a_file_is_named(tmp_path: Path) -> None:
    before = LateFiles([tmp_path])
    os.symlink("/nowhere", tmp_path / "Makefile")
    assert before.changed() == [str(tmp_path / "Makefile")]
