"""The person's yes, without a process around it."""
from __future__ import annotations

from pathlib import Path

import pytest

from core.execute import needs_network
from core.guard import judge
from core.guard.policy import Policy
from tests.ui.cli.driver import FakeStream
from ui.cli.confirm import Confirmer, Question, question_of
from ui.cli.handler import CliHandler
from ui.cli.memory import Memory
from ui.cli.scopes import Scope
from ui.cli.screen import Screen


class FakeKeyboard(FakeStream):
    """A terminal at which somebody has typed these lines."""

    def __init__(self, text: str) -> None:
        super().__init__(tty=True)
        self.write(text)
        self.seek(0)


def confirmer(text: str, tty: bool = True, workspace: Path | None = None) -> Confirmer:
    memory = Memory(workspace) if workspace else None
    return Confirmer(Screen(out=FakeStream(), err=FakeStream(tty=tty), environ={}), keyboard=FakeKeyboard(text), memory=memory)


def question(command: str, workspace: Path) -> Question:
    """What the kernel's events make of this command."""
    verdict = judge(command, workspace=workspace)
    request = {"id": "a1", "rule": verdict.rule, "reason": verdict.reason, "effect": verdict.effect, "network": needs_network(verdict)}
    return question_of("run_command", command, request, {"id": "a1", **verdict.to_dict()})


def shown(asked: Confirmer) -> str:
    text: str = asked.screen.err.stream.getvalue()
    return text


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "agent" / "workspace"
    folder.mkdir(parents=True)
    return folder


def test_the_question_spells_out_what_a_command_hides() -> None:
    asked = confirmer("n\n")
    assert asked.approve(Question("run_command", "ls\x1b[2K\r; echo \u202eevil\u200b\nsecond line", "r1", "why \x1b[1A")) is False
    shown = asked.screen.err.stream.getvalue()
    assert "ls\\x1b[2K\\x0d; echo \\u202eevil\\u200b" in shown
    assert "second line" in shown
    assert "why \\x1b[1A" in shown


def test_no_terminal_for_the_question_means_no_even_with_a_keyboard() -> None:
    asked = confirmer("y\n", tty=False)
    assert asked.approve(Question("run_command", "ls")) is False
    assert "--auto-approve" in asked.screen.err.stream.getvalue()


def test_the_end_of_input_is_a_no() -> None:
    assert confirmer("").approve(Question("run_command", "ls")) is False


def test_always_means_the_rule_or_the_very_command_where_no_rule_knows_it() -> None:
    asked = confirmer("a\na\nn\n")
    assert asked.approve(Question("run_command", "rm a", "posix.rm"))
    assert asked.approve(Question("run_command", "rm b", "posix.rm"))
    assert asked.approve(Question("run_command", "ls", "posix.any"))
    assert asked.approve(Question("run_command", "ls", "posix.any"))
    assert not asked.approve(Question("run_command", "ls -la", "posix.any"))
    assert asked.always == [Scope("run_command", "posix.rm"), Scope("run_command", "ls")]


@pytest.mark.parametrize("which,left", [("1", 1), ("all", 0), ("3", 2), ("0", 2), ("x", 2), ("", 2)])
def test_a_permission_is_taken_back_by_its_number(which: str, left: int) -> None:
    asked = confirmer("")
    asked.always = [Scope("run_command", "r1"), Scope("run_command", "r2")]
    assert asked.revoke(which) is (left < 2)
    assert len(asked.always) == left


def test_the_handler_is_made_with_two_words_and_approves_when_told_to() -> None:
    assert CliHandler(debug_level=1, auto_approve=True).on_confirm("run_command", "ls") is True
    handler = CliHandler(debug_level=0, auto_approve=False)
    handler.auto_approve = True
    assert handler.on_confirm("run_command", "ls") is True


def test_the_question_names_effect_rules_and_what_a_yes_opens(workspace: Path) -> None:
    asked = confirmer("n\n")
    asked.approve(question("curl https://example.com/a; rm old.txt", workspace))
    assert "rule: network.remote, delete.workspace" in shown(asked)
    assert "effect: destructive" in shown(asked)
    asked.approve(question("curl https://example.com/a", workspace))
    assert "opens the network, for this command only" in shown(asked)


def test_where_the_network_is_open_anyway_a_yes_opens_nothing(workspace: Path) -> None:
    asked = confirmer("n\n")
    asked.networked = True
    asked.approve(question("curl https://example.com/a", workspace))
    assert "opens the network" not in shown(asked)


def test_always_for_one_rule_is_no_yes_for_a_command_that_meets_another(workspace: Path) -> None:
    asked = confirmer("a\nn\n")
    assert asked.approve(question("rm a", workspace))
    assert not asked.approve(question("rm b; git push", workspace))
    assert asked.approve(question("rm c", workspace))


def test_always_for_a_program_that_nobody_knows_means_this_command(workspace: Path) -> None:
    asked = confirmer("a\nn\n")
    assert asked.approve(question("frobnicate now", workspace))
    assert not asked.approve(question("frobnicate later", workspace))


def test_a_remembered_command_is_run_again_without_a_question_and_says_so(workspace: Path) -> None:
    asked = confirmer("r\n1\nmy own remote\n", workspace=workspace)
    assert asked.approve(question("git push origin main", workspace))
    again = confirmer("", tty=False, workspace=workspace)
    assert again.approve(question("git push origin main", workspace))
    assert "exactly git push origin main (my own remote)" in shown(again)
    assert not again.approve(question("git push origin other", workspace))
    entry = Policy(workspace).entries[0]
    assert (entry.kind, entry.text, entry.rules, entry.why) == ("exact", "git push origin main", ("git.push",), "my own remote")


def test_a_remembered_program_and_sub_command_covers_no_other_rule_and_no_denied_command(workspace: Path) -> None:
    assert confirmer("r\n2\n\n", workspace=workspace).approve(question("git push origin main", workspace))
    again = confirmer("", tty=False, workspace=workspace)
    assert again.approve(question("git push origin other", workspace))
    for command in ("git push --force", "git push; rm -rf /", "git push && rm a", "git push $(cat .env)"):
        assert not again.approve(question(command, workspace)), command


@pytest.mark.parametrize("keys", ["r\n\n", "r\n3\n", "r\n1\n", "r\n"])
def test_nothing_is_remembered_and_nothing_run_without_a_choice_and_its_why(keys: str, workspace: Path) -> None:
    assert not confirmer(keys, workspace=workspace).approve(question("git push origin main", workspace))
    assert Policy(workspace).entries == []


def test_interpreters_are_offered_as_the_exact_command_only(workspace: Path) -> None:
    asked = confirmer("r\nwhy not\n", workspace=workspace)
    assert asked.approve(question("bash -c 'frob x'", workspace))
    assert [entry.kind for entry in Policy(workspace).entries] == ["exact"]


def test_rules_that_cannot_be_read_are_told_and_allow_nothing(workspace: Path) -> None:
    (workspace / ".agent").mkdir()
    (workspace / ".agent" / "policy.yaml").write_text("rules: 5")
    asked = confirmer("n\n", workspace=workspace)
    assert not asked.approve(question("git push", workspace))
    assert "policy.yaml" in shown(asked)


def test_rules_that_cannot_be_written_leave_the_yes_for_this_once(workspace: Path) -> None:
    (workspace / ".agent").write_text("a file in place of the folder")
    asked = confirmer("r\n1\n\n", workspace=workspace)
    assert asked.approve(question("git push", workspace))
    assert "Not remembered" in shown(asked)


def test_a_file_action_is_asked_but_never_remembered(workspace: Path) -> None:
    asked = confirmer("r\n", workspace=workspace)
    assert not asked.approve(Question("write_file", ".git/hooks/x", "write.protected", "why", "write-outside"))
    assert "[r]emember" not in shown(asked)
