"""What a policy grants, what it hides, and what reaches a command's environment."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import SandboxError
from core.launcher import layout
from core.sandbox.policy import base_environment, final_environment, make_policy
from core.sandbox.watch import Watch


@pytest.mark.parametrize("wide", ["/", "~", "~/.."])
def test_a_workspace_as_wide_as_the_home_folder_is_refused(wide: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(SandboxError, match=r"workspace|工作区"):
        make_policy(wide)
    with pytest.raises(SandboxError):
        make_policy(tmp_path / "missing")


def test_a_workspace_below_home_may_be_named_with_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    policy = make_policy("~/project")
    assert policy.workspace == tmp_path / "project"
    assert (policy.workspace / ".agent").is_dir()


def test_the_environment_holds_no_secret_and_nothing_that_changes_what_programs_run(tmp_path: Path) -> None:
    policy = make_policy(tmp_path, names=["MY_SETTING"], secrets=["sk-very-secret"])
    source = {"LANG": "zh_CN.UTF-8", "LC_TIME": "C", "API_KEY": "sk-very-secret", "AWS_SECRET_ACCESS_KEY": "x", "MY_SETTING": "1",
              "HTTP_PROXY": "u:p@h", "TERM": "xterm", "SSH_AUTH_SOCK": "/run/agent"}
    base = base_environment(policy, "/usr/bin", source)
    assert set(base) == {"LANG", "LC_TIME", "MY_SETTING", "TERM", "PATH", "AGENT_WORKSPACE", "PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT"}
    given = {**base, "LD_PRELOAD": "x", "BASH_ENV": "x", "GIT_SSH_COMMAND": "x", "GIT_AUTHOR_NAME": "me", "PYTHONSTARTUP": "x", "NODE_OPTIONS": "x",
             "OPENAI_API_KEY": "y", "NOTE": "has sk-very-secret inside", "SKILL": "kept"}
    final = final_environment(policy, given, {"HOME": "/h"})
    assert set(final) == {*base, "GIT_AUTHOR_NAME", "SKILL", "HOME"}
    path = f"{tmp_path}/bin:.:/usr/bin::relative:{tmp_path}/../{tmp_path.name}"
    assert final_environment(policy, {"PATH": path}, {"HOME": "/h"})["PATH"] == "/usr/bin", "no folder that a command can write"


def test_hidden_and_closed_paths_are_found_at_every_depth_that_is_searched(tmp_path: Path) -> None:
    for name in (".env", ".env.local", ".env.example", "app/.env", "app/id_rsa", "node_modules/x/.env", "deep/a/b/c/.env"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for repository in (".git", "vendor/lib/.git", ".git/modules/sub"):
        (tmp_path / repository).mkdir(parents=True)
        (tmp_path / repository / "HEAD").touch()
        (tmp_path / repository / "config").touch()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / ".git").write_text("gitdir: elsewhere")
    lines = layout.closed_inside(str(tmp_path))
    masked = {path.removeprefix(f"{tmp_path}/") for key, path in lines if key == "mask"}
    closed = {path.removeprefix(f"{tmp_path}/") for key, path in lines if key == "protect"}
    assert masked == {".env", ".env.local", "app/.env", "app/id_rsa"}
    assert closed == {".git/config", ".git/hooks", ".git/modules/sub/config", ".git/modules/sub/hooks", "vendor/lib/.git/config",
                      "vendor/lib/.git/hooks", "tree/.git"}
    assert (tmp_path / ".git" / "hooks").is_dir(), "a missing one is made, so that it can be closed"


def test_landlock_grants_leave_out_private_files_and_grant_all_the_rest(tmp_path: Path) -> None:
    for name in ("a/secret", "a/open", "b/open", "file"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert layout.carve(str(tmp_path), [str(tmp_path / "a" / "secret")]) == [f"{tmp_path}/a/open", f"{tmp_path}/b", f"{tmp_path}/file"]
    assert layout.carve(str(tmp_path), []) == [str(tmp_path)]


def test_every_link_on_the_way_to_a_granted_path_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "real" / "bin").mkdir(parents=True)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "bin" / "python").symlink_to("../../one/bin")
    assert layout.hops(f"{tmp_path}/one/bin") == [("link", f"{tmp_path}/one\ttwo"), ("link", f"{tmp_path}/two\t{tmp_path}/real")]
    (tmp_path / "loop").symlink_to("loop")
    assert layout.hops(f"{tmp_path}/loop/x") == [("link", f"{tmp_path}/loop\tloop")]


def test_the_watch_puts_everything_closed_back_as_it_was(tmp_path: Path) -> None:
    hooks, config, policy = tmp_path / "hooks", tmp_path / "config", tmp_path / ".agent" / "policy.yaml"
    hooks.mkdir()
    policy.parent.mkdir()
    (hooks / "pre-commit").write_text("good")
    os.chmod(hooks / "pre-commit", 0o755)
    config.write_text("good")
    watch = Watch([("protect", str(hooks)), ("protect", str(config)), ("protect", str(policy.parent)), ("mask", "/x")])
    assert watch.restore() == []
    (hooks / "pre-commit").unlink()
    (hooks / "post-merge").symlink_to("/bin/sh")
    config.write_text("evil")
    policy.write_text("allow everything")
    assert watch.restore() == sorted(map(str, [policy, config, hooks / "post-merge", hooks / "pre-commit"]))
    assert (hooks / "pre-commit").read_text() == config.read_text() == "good"
    assert (hooks / "pre-commit").stat().st_mode & 0o777 == 0o755
    assert not (hooks / "post-merge").is_symlink()
    assert not policy.exists()
