"""The person's yes, without a process around it."""
from __future__ import annotations

import pytest

from tests.ui.cli.driver import FakeStream
from ui.cli.confirm import Confirmer, Question
from ui.cli.handler import CliHandler
from ui.cli.screen import Screen


class FakeKeyboard(FakeStream):
    """A terminal at which somebody has typed these lines."""

    def __init__(self, text: str) -> None:
        super().__init__(tty=True)
        self.write(text)
        self.seek(0)


def confirmer(text: str, tty: bool = True) -> Confirmer:
    return Confirmer(Screen(out=FakeStream(), err=FakeStream(tty=tty), environ={}), keyboard=FakeKeyboard(text))


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
    assert asked.always == [("run_command", "posix.rm"), ("run_command", "ls")]


@pytest.mark.parametrize("which,left", [("1", 1), ("all", 0), ("3", 2), ("0", 2), ("x", 2), ("", 2)])
def test_a_permission_is_taken_back_by_its_number(which: str, left: int) -> None:
    asked = confirmer("")
    asked.always = [("run_command", "r1"), ("run_command", "r2")]
    assert asked.revoke(which) is (left < 2)
    assert len(asked.always) == left


def test_the_handler_is_made_with_two_words_and_approves_when_told_to() -> None:
    assert CliHandler(debug_level=1, auto_approve=True).on_confirm("run_command", "ls") is True
    handler = CliHandler(debug_level=0, auto_approve=False)
    handler.auto_approve = True
    assert handler.on_confirm("run_command", "ls") is True
