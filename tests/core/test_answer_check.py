"""core/answer_check.py: unsupported answers are questioned once; supported ones never."""
from __future__ import annotations

import pytest

from core.answer_check import AnswerCheck
from core.limits import Done, RunState


def after(query: str, *results: tuple[str, bool]) -> RunState:
    state = RunState(query)
    for number, (content, ok) in enumerate(results):
        state.add(Done("run_command", "python x.py", ok, content, number))
    return state


@pytest.mark.parametrize("query, answer", [
    ("What is the total of the amount column in files/orders.csv?", "The total is 12345."),
    ("Write the word done into status.txt", "Done."),
    ("统计 a.txt 有多少行", "有 120 行。"),
])
def test_an_answer_before_any_action_is_questioned(query: str, answer: str) -> None:
    assert "done nothing yet" in AnswerCheck().challenge(answer, after(query))


@pytest.mark.parametrize("query, answer", [("你好", "你好！有什么可以帮你？"), ("What is the capital of France?", "Paris."), ("谢谢", "不客气。")])
def test_small_talk_and_knowledge_go_out_at_once(query: str, answer: str) -> None:
    assert AnswerCheck().challenge(answer, after(query)) == ""


def test_a_claim_after_a_failed_action_is_questioned_and_an_admission_is_not() -> None:
    state = after("run it", ("exit code: 1", False))
    assert "failed" in AnswerCheck().challenge("All set.", state)
    assert AnswerCheck().challenge("It failed: the file does not exist.", state) == ""
    assert AnswerCheck().challenge("没有找到这个文件。", state) == ""


def test_a_number_that_no_observation_holds_is_questioned() -> None:
    state = after("sum it", ("exit code: 0\n10852", True))
    assert "10853" in AnswerCheck().challenge("The total is 10853.", state)
    assert "0852" not in AnswerCheck().challenge("The total is 10852.", state)


@pytest.mark.parametrize("answer", ["The total is 10,852.", "总数是 １０８５２。", "10852 in 3 files", "It is 10852"])
def test_a_supported_number_goes_out_however_it_is_written(answer: str) -> None:
    assert AnswerCheck().challenge(answer, after("sum it", ("exit code: 0\n10852", True))) == ""


def test_part_of_a_longer_number_is_no_support() -> None:
    assert AnswerCheck().challenge("It is 108.", after("sum it", ("10852", True)))


def test_each_kind_is_raised_once_so_a_model_that_stands_by_its_answer_is_heard() -> None:
    check, state = AnswerCheck(), after("sum it", ("10852", True))
    assert check.challenge("It is 777.", state)
    assert check.challenge("It is 777.", state) == ""
