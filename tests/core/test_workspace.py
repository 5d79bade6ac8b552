"""core/workspace.py: what may be read and written, whatever the path looks like."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import ActionError
from core.workspace import Workspace


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "workspace" / "notes").mkdir(parents=True)
    (tmp_path / "workspace" / "notes" / "a.txt").write_text("a")
    (tmp_path / "workspace_evil").mkdir()
    (tmp_path / "workspace_evil" / "b.txt").write_text("b")
    (tmp_path / "skills" / "demo").mkdir(parents=True)
    (tmp_path / "skills" / "demo" / "SKILL.md").write_text("manual")
    (tmp_path / "secret.txt").write_text("s")
    return tmp_path


def workspace_of(home: Path) -> Workspace:
    return Workspace(home / "workspace", [home / "skills"], windows=False)


def refusal(call: object, *arguments: object) -> str:
    with pytest.raises(ActionError) as caught:
        call(*arguments)  # type: ignore[operator]
    return caught.value.code


@pytest.mark.parametrize("path", ["notes/a.txt", "./notes/a.txt", "workspace/notes/a.txt", "notes/../notes/a.txt"])
def test_a_file_of_the_workspace_is_found_however_it_is_written(home: Path, path: str) -> None:
    assert workspace_of(home).readable(path) == home / "workspace" / "notes" / "a.txt"


@pytest.mark.parametrize("path", ["../secret.txt", "../workspace_evil/b.txt", "/etc/passwd", "notes/../../secret.txt", "missing/../../secret.txt",
                                  "~/.ssh/id_rsa", "~root/x", "C:\\Windows\\win.ini", "c:file.txt", "../workspace_evil"])
def test_a_path_outside_is_refused_for_reading_and_writing(home: Path, path: str) -> None:
    assert refusal(workspace_of(home).readable, path) == "outside_workspace"
    assert refusal(workspace_of(home).writable, path) == "outside_workspace"


def test_an_absolute_path_inside_the_workspace_is_accepted(home: Path) -> None:
    assert workspace_of(home).readable(str(home / "workspace" / "notes" / "a.txt")).read_text() == "a"


def test_a_link_that_leads_out_is_refused_and_a_link_inside_is_followed(home: Path) -> None:
    (home / "workspace" / "out").symlink_to(home / "secret.txt")
    (home / "workspace" / "folder").symlink_to(home / "workspace_evil")
    (home / "workspace" / "in").symlink_to(home / "workspace" / "notes")
    for path in ("out", "folder/b.txt", "folder/new.txt"):
        assert refusal(workspace_of(home).writable, path) == "outside_workspace"
    assert refusal(workspace_of(home).readable, "out") == "outside_workspace"
    assert workspace_of(home).readable("in/a.txt") == home / "workspace" / "notes" / "a.txt"


def test_a_link_loop_is_an_error_and_no_hang(home: Path) -> None:
    (home / "workspace" / "loop").symlink_to(home / "workspace" / "loop")
    assert refusal(workspace_of(home).readable, "loop/x") in {"not_found", "bad_path", "outside_workspace"}


def test_a_skill_folder_can_be_read_and_never_written(home: Path) -> None:
    workspace = workspace_of(home)
    assert workspace.readable("skills/demo/SKILL.md").read_text() == "manual"
    assert refusal(workspace.writable, str(home / "skills" / "demo" / "SKILL.md")) == "read_only"
    assert refusal(workspace.writable, "skills/demo/new.txt") == "read_only"
    assert refusal(Workspace(home, [home / "skills"]).writable, "skills/demo/SKILL.md") == "read_only"
    workspace.skill_folder = home / "skills" / "demo"
    assert workspace.readable("SKILL.md").read_text() == "manual"


def test_the_agents_own_record_is_never_written(home: Path) -> None:
    assert refusal(workspace_of(home).writable, ".agent/policy.yaml") == "read_only"
    assert refusal(workspace_of(home).writable, "notes/../.agent/x") == "read_only"


@pytest.mark.parametrize("path", ["notes", ".", ""])
def test_a_folder_cannot_be_written_as_a_file(home: Path, path: str) -> None:
    assert refusal(workspace_of(home).writable, path) == "not_a_file"


def test_devices_and_pipes_are_refused(home: Path) -> None:
    os.mkfifo(home / "workspace" / "pipe")
    assert refusal(workspace_of(home).readable, "pipe") == "not_a_file"
    assert refusal(workspace_of(home).writable, "pipe") == "not_a_file"
    assert refusal(workspace_of(home).readable, "/dev/zero") == "outside_workspace"


def test_a_nul_character_is_refused(home: Path) -> None:
    assert refusal(workspace_of(home).readable, "a\0b") == "bad_path"


@pytest.mark.parametrize("path", ["notes/a.txt:hidden", "a.txt::$DATA", "con", "NUL.txt", "notes/com1.log", "c:relative.txt"])
def test_windows_streams_devices_and_drive_relative_paths_are_refused(home: Path, path: str) -> None:
    windows = Workspace(home / "workspace", windows=True)
    assert refusal(windows.writable, path) in {"bad_path", "outside_workspace"}


def test_a_missing_file_is_answered_with_the_nearest_existing_one(home: Path) -> None:
    with pytest.raises(ActionError) as caught:
        workspace_of(home).readable("a.txt")
    assert caught.value.code == "not_found" and "notes/a.txt" in caught.value.detail


def test_the_working_directory_is_the_given_one_then_the_skills_then_the_workspace(home: Path) -> None:
    workspace = workspace_of(home)
    assert workspace.working_directory(None) == home / "workspace"
    workspace.skill_folder = home / "skills" / "demo"
    assert workspace.working_directory(None) == home / "skills" / "demo"
    assert workspace.working_directory("notes") == home / "workspace" / "notes"
    assert refusal(workspace.working_directory, "/tmp") == "outside_workspace"
    assert refusal(workspace.working_directory, "notes/a.txt") == "not_a_folder"


def test_listing_files_is_bounded_sorted_and_skips_tool_folders(home: Path) -> None:
    (home / "workspace" / ".git").mkdir()
    (home / "workspace" / ".git" / "config").write_text("x")
    for number in range(30):
        (home / "workspace" / f"f{number:02d}").write_text("x")
    assert list(workspace_of(home).files(limit=5)) == ["f00", "f01", "f02", "f03", "f04"]
    assert "notes/a.txt" in list(workspace_of(home).files()) and not [file for file in workspace_of(home).files() if ".git" in file]


def test_names_too_long_for_the_system_and_closed_folders_are_errors_in_words(home: Path) -> None:
    assert refusal(workspace_of(home).readable, "a" * 300) == "not_found"
    workspace = workspace_of(home)
    workspace.skill_folder = home / "skills" / "demo"
    assert workspace.working_directory(None, "python -c " + "x" * 400) == home / "skills" / "demo"


def test_folders_that_the_agent_may_write_are_told_when_they_hold_others(home: Path) -> None:
    assert Workspace(home, [home / "skills"]).holding([home / "skills"]) == home / "skills"
    assert workspace_of(home).holding([home / "skills"]) is None
    assert Workspace(home / "workspace", added=[home / "skills"]).holding([home / "skills" / "demo"]) == home / "skills" / "demo"
