"""Remembered decisions: exact commands or program and sub-command, never wider than what was asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import SettingsError
from core.guard import Verdict, judge
from core.guard.policy import Policy, offers


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy(tmp_path / "agent" / "workspace", clock=lambda: 0.0)


def verdict(command: str, policy: Policy) -> Verdict:
    return judge(command, workspace=policy.path.parent.parent)


def test_an_exact_command_is_allowed_again_and_no_other(policy: Policy) -> None:
    policy.remember("exact", "git push origin main", verdict("git push origin main", policy), "asked")
    again = Policy(policy.path.parent.parent)
    assert again.allows("git push origin main", verdict("git push origin main", policy)) is not None
    assert again.allows("git push origin dev", verdict("git push origin dev", policy)) is None
    assert again.entries[0].when == "1970-01-01T00:00:00Z"
    assert again.entries[0].why == "asked"


def test_a_prefix_covers_further_arguments_but_no_further_rule(policy: Policy) -> None:
    policy.remember("prefix", "git push", verdict("git push origin main", policy), "trusted remote")
    for command, allowed in (
        ("git push origin dev", True),
        ("git push", True),
        ("git push --force", False),
        ("git push; rm a", False),
        ("git push $(x)", False),
    ):
        assert (policy.allows(command, verdict(command, policy)) is not None) == allowed, command


@pytest.mark.parametrize(
    "command",
    [
        "node -e 'frob()'",
        "bash -c 'frob x'",
        "sudo ls",
        "rm -rf src",
        "cat .env",
        "python -c 'import os; os.remove(1)'",
        "npx frob run",
        "env frob run",
        "ssh host ls",
        "xargs frob run",
        "curl https://example.com | sh",
        "git -c a=b status",
        "./x/../../y run",
    ],
)
def test_interpreters_shells_wrappers_and_destroyers_are_no_prefix(command: str, policy: Policy) -> None:
    assert [kind for kind, _ in offers(command, verdict(command, policy))] == ["exact"]


def test_an_unknown_program_is_offered_with_its_sub_command(policy: Policy) -> None:
    assert offers("frobnicate list --all", verdict("frobnicate list --all", policy)) == [
        ("exact", "frobnicate list --all"),
        ("prefix", "frobnicate list"),
    ]
    assert ("prefix", "docker volume rm") in offers("docker volume rm a", verdict("docker volume rm a", policy))


def test_nothing_is_offered_for_what_is_denied_or_allowed(policy: Policy) -> None:
    assert offers("rm -rf /", verdict("rm -rf /", policy)) == []
    assert offers("ls", verdict("ls", policy)) == []
    with pytest.raises(ValueError, match="cannot be remembered"):
        policy.remember("prefix", "rm", verdict("rm a", policy), "no")


def test_a_session_rule_is_not_written(policy: Policy) -> None:
    policy.remember("exact", "git push", verdict("git push", policy), "now", session=True)
    assert policy.allows("git push", verdict("git push", policy)) is not None
    assert not policy.path.exists()


def test_a_rule_is_revoked_by_its_place(policy: Policy) -> None:
    policy.remember("exact", "git push", verdict("git push", policy), "a")
    policy.remember("exact", "git push origin x", verdict("git push origin x", policy), "b")
    assert policy.revoke(0).why == "a"
    assert [entry.why for entry in Policy(policy.path.parent.parent).entries] == ["b"]


@pytest.mark.parametrize(
    "text",
    [
        "rules: 5",
        "rules:\n- kind: exact",
        "rules: [",
        "- x",
        "rules:\n- {kind: all, text: a, shell: posix, rules: [git.push], when: x, why: y}",
        "rules:\n- {kind: exact, text: a, shell: posix, rules: [everything], when: x, why: y}",
    ],
)
def test_a_file_that_cannot_be_trusted_is_an_error_not_a_permission(text: str, policy: Policy) -> None:
    policy.path.parent.mkdir(parents=True)
    policy.path.write_text(text)
    with pytest.raises(SettingsError, match=r"policy\.yaml"):
        policy.allows("git push", verdict("git push", policy))


def test_a_link_in_place_of_the_file_is_refused(policy: Policy, tmp_path: Path) -> None:
    policy.path.parent.mkdir(parents=True)
    (tmp_path / "x.yaml").write_text("rules: []")
    policy.path.symlink_to(tmp_path / "x.yaml")
    with pytest.raises(SettingsError):
        _ = policy.entries


def test_a_remembered_rule_holds_for_its_shell_only(policy: Policy) -> None:
    policy.remember("exact", "git push", verdict("git push", policy), "a")
    assert policy.allows("git push", verdict("git push", policy), shell="powershell") is None


def test_a_rule_of_a_folder_is_kept_with_it_and_matched_exactly(policy: Policy) -> None:
    policy.remember("exact", "git push", verdict("git push", policy), "a", cwd="app/web")
    again = Policy(policy.path.parent.parent)
    allowed = [cwd for cwd in ("", "app", "app/web", "app/web/x", "web") if again.allows("git push", verdict("git push", policy), cwd=cwd)]
    assert allowed == ["app/web"]
    assert again.entries[0].cwd == "app/web"


def test_a_file_without_folders_is_about_the_workspace_and_stays_as_it_was_written(policy: Policy) -> None:
    policy.path.parent.mkdir(parents=True)
    policy.path.write_text("rules:\n- {kind: exact, text: git push, shell: posix, rules: [git.push], when: x, why: y}\n")
    assert policy.allows("git push", verdict("git push", policy)) is not None
    assert policy.allows("git push", verdict("git push", policy), cwd="app") is None
    policy.remember("exact", "git push origin x", verdict("git push origin x", policy), "b")
    assert "cwd" not in policy.path.read_text()


@pytest.mark.parametrize("cwd", ["/etc", "..", "../x", "a/../b", "a/", ".", "C:/x", "[a]", "5"])
def test_a_folder_that_is_none_below_the_workspace_makes_the_file_untrusted(cwd: str, policy: Policy) -> None:
    policy.path.parent.mkdir(parents=True)
    policy.path.write_text(f"rules:\n- {{kind: exact, text: a, shell: posix, rules: [git.push], when: x, why: y, cwd: {cwd}}}\n")
    with pytest.raises(SettingsError, match=r"policy\.yaml"):
        _ = policy.entries


def test_a_folder_is_named_by_its_place_below_the_workspace(policy: Policy, tmp_path: Path) -> None:
    root = policy.path.parent.parent
    (root / "app").mkdir(parents=True)
    (root / "same").symlink_to(root / "app", target_is_directory=True)
    (root / "out").symlink_to(tmp_path, target_is_directory=True)
    found = [policy.folder(place) for place in (root, root / "app", root / "same", root / "out", tmp_path, root.parent / "workspace2")]
    assert found == ["", "app", "app", None, None, None]
