"""Paths: the same rules for commands, read_file and write_file; components are compared, never prefixes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.guard import judge, judge_path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "agent" / "workspace"
    folder.mkdir(parents=True)
    for name in ("core", "skills", "config"):
        (tmp_path / "agent" / name).mkdir()
    return folder


def written(path: Path | str, workspace: Path) -> str:
    """The rule of writing a path with write_file; a command that writes it must meet the same one."""
    verdict = judge_path(path, "write", workspace=workspace)
    by_command = judge(f"cp a '{path}'", workspace=workspace)
    assert by_command.decision == verdict.decision
    assert by_command.rule == verdict.rule
    return verdict.rule


def test_the_workspace_may_be_written(workspace: Path) -> None:
    assert written("a/b.txt", workspace) == "write.workspace"
    assert written(workspace / "b.txt", workspace) == "write.workspace"
    assert written("a/../b.txt", workspace) == "write.workspace"


@pytest.mark.parametrize("path", ["../core/kernel.py", "../skills/x/SKILL.md", "../config/a", "../main_cmd.py", "sub/../../core/a", "./.././core/a"])
def test_the_agents_own_files_ask_and_name_the_file(path: str, workspace: Path) -> None:
    assert written(path, workspace) == "write.project"
    verdict = judge_path(path, "write", workspace=workspace)
    assert verdict.decision == "ask"
    assert verdict.resource == os.path.normpath(workspace / path)
    assert verdict.resource in verdict.reason


@pytest.mark.parametrize(
    "path",
    [".env", ".env.local", "sub/.env", ".git/hooks/pre-commit", ".git/config", ".git/HEAD", "sub/.git/hooks/x", ".vscode/tasks.json", "server.key"],
)
def test_protected_files_inside_the_workspace_ask(path: str, workspace: Path) -> None:
    assert written(path, workspace) == "write.protected"


def test_the_policy_file_is_denied(workspace: Path) -> None:
    assert written(".agent/policy.yaml", workspace) == "write.policy"
    assert judge_path(".agent/policy.yaml", "write", workspace=workspace).decision == "deny"
    assert judge("rm -rf .agent", workspace=workspace).decision == "deny"


def test_a_sibling_with_the_same_beginning_is_outside(workspace: Path) -> None:
    assert written(f"{workspace}2/a", workspace) == "write.project"
    assert written(workspace.parent.parent / "agent2" / "a", workspace) == "write.outside"


def test_a_symbolic_link_is_followed(workspace: Path) -> None:
    (workspace / "link").symlink_to(workspace.parent / "core")
    (workspace / "file").symlink_to(workspace.parent / "core" / "a.py")
    (workspace / "inside").symlink_to(workspace)
    assert written("link/a.py", workspace) == "write.project"
    assert written("file", workspace) == "write.project"
    assert written("inside/a", workspace) == "write.workspace"


def test_a_workspace_behind_a_link_is_the_folder_itself(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(workspace)
    assert judge_path(workspace / "a", "write", workspace=tmp_path / "short").rule == "write.workspace"
    assert judge_path("../core/a", "write", workspace=tmp_path / "short").rule == "write.project"


def test_skill_roots_and_added_folders_are_obeyed(workspace: Path, tmp_path: Path) -> None:
    other = tmp_path / "more"
    assert judge_path(other / "a", "write", workspace=workspace).rule == "write.outside"
    assert judge_path(other / "a", "write", workspace=workspace, writable=[other]).rule == "write.workspace"
    assert judge_path(other / "a", "write", workspace=workspace, writable=[other], skill_roots=[other]).rule == "write.project"
    assert judge(f"touch {other}/a", workspace=workspace, writable=[other]).decision == "allow"


@pytest.mark.parametrize("path", ["../.env", ".env", "~/.ssh/id_rsa", "/etc/shadow", "/proc/self/environ", "~/.aws/credentials", "sub/key.pem"])
def test_secrets_are_not_read_without_a_question(path: str, workspace: Path) -> None:
    assert judge_path(path, workspace=workspace).rule == "secret.read"
    assert judge(f"cat {path}", workspace=workspace).rule == "secret.read"


@pytest.mark.parametrize("path", ["a.txt", "../core/kernel.py", "/etc/hosts", ".env.example", ".gitignore", "id_rsa.pub"])
def test_ordinary_files_are_read(path: str, workspace: Path) -> None:
    assert judge_path(path, workspace=workspace).decision == "allow"


@pytest.mark.parametrize("path", [".ENV", ".env.", ".env ", ".env::$DATA", ".Env:stream", "GIT~1/config", ".git\\hooks\\pre-commit", ".GIT/Config"])
def test_names_that_windows_takes_for_a_protected_file_ask(path: str, workspace: Path) -> None:
    assert judge_path(path, "write", workspace=workspace, windows=True).decision == "ask"


@pytest.mark.parametrize("path", [".ENV", ".env.", ".env::$DATA", "ENV~1"])
def test_names_that_windows_takes_for_a_secret_are_not_read(path: str, workspace: Path) -> None:
    assert judge_path(path, workspace=workspace, windows=True).rule == "secret.read"


def test_a_drive_or_a_share_is_outside(workspace: Path) -> None:
    for path in ("C:\\x", "c:/x", "D:x", "\\\\server\\share\\x"):
        assert judge_path(path, "write", workspace=workspace, windows=True).decision == "ask", path


def test_a_null_character_in_a_path_asks(workspace: Path) -> None:
    assert judge_path("a\x00b", "write", workspace=workspace).rule == "parse.control"


def test_a_workspace_that_is_the_home_folder_or_the_root_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert judge("ls", workspace=tmp_path).rule == "workspace.refused"
    assert judge("ls", workspace="/").decision == "deny"


def test_the_working_directory_moves_with_cd(workspace: Path) -> None:
    (workspace / "sub").mkdir()
    assert judge("cd sub && touch ../a", workspace=workspace).decision == "allow"
    assert judge("cd sub; touch ../a", workspace=workspace).decision == "allow"
    assert judge("touch ../a", workspace=workspace, cwd=workspace / "sub").decision == "allow"
    assert judge("cd .. && touch a", workspace=workspace).decision == "ask"
    assert judge("cd sub/../.. && touch a", workspace=workspace).decision == "ask"


def test_a_cd_that_may_fail_leaves_both_directories_possible(workspace: Path) -> None:
    assert judge("cd missing; touch ../skills/a", workspace=workspace).decision == "ask"
    assert judge("cd missing || true; touch ../skills/a", workspace=workspace).decision == "ask"
    assert judge("cd missing && touch ../a", workspace=workspace).decision == "allow"


def test_a_script_in_the_workspace_is_read_before_it_runs(workspace: Path) -> None:
    (workspace / "good.sh").write_text("make test\n")
    (workspace / "bad.sh").write_text("make test\nrm -rf ~/data\n")
    (workspace / "bad.py").write_text("import shutil\nshutil.rmtree('/srv/data')\n")
    (workspace / "good.py").write_text("import os\nos.remove('a.tmp')\n")
    assert judge("bash good.sh", workspace=workspace).decision == "allow"
    assert judge("bash bad.sh", workspace=workspace).rule == "delete.outside"
    assert judge("./bad.sh", workspace=workspace).rule == "delete.outside"
    assert judge("python bad.py", workspace=workspace).rule == "delete.outside"
    assert judge("python good.py", workspace=workspace).decision == "allow"
