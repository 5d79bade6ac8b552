"""core/review.py: unsupported answers are questioned once; supported ones never."""
from __future__ import annotations

import pytest

from core.limits import Done, RunState
from core.review import Review


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
    assert "done nothing yet" in Review(guided=True).challenge("answer", {"answer": answer}, after(query))


@pytest.mark.parametrize("query, answer", [("你好", "你好！有什么可以帮你？"), ("What is the capital of France?", "Paris."), ("谢谢", "不客气。")])
def test_small_talk_and_knowledge_go_out_at_once(query: str, answer: str) -> None:
    assert Review(guided=True).challenge("answer", {"answer": answer}, after(query)) == ""


def test_a_claim_after_a_failed_action_is_questioned_and_an_admission_is_not() -> None:
    state = after("run it", ("exit code: 1", False))
    assert "failed" in Review().challenge("answer", {"answer": "All set."}, state)
    assert Review().challenge("answer", {"answer": "It failed: the file does not exist."}, state) == ""
    assert Review().challenge("answer", {"answer": "没有找到这个文件。"}, state) == ""


def test_a_number_that_no_observation_holds_is_questioned() -> None:
    state = after("sum it", ("exit code: 0\n10852", True))
    assert "10853" in Review(guided=True).challenge("answer", {"answer": "The total is 10853."}, state)
    assert "0852" not in Review(guided=True).challenge("answer", {"answer": "The total is 10852."}, state)


@pytest.mark.parametrize("answer", ["The total is 10,852.", "总数是 １０８５２。", "10852 in 3 files", "It is 10852"])
def test_a_supported_number_goes_out_however_it_is_written(answer: str) -> None:
    assert Review(guided=True).challenge("answer", {"answer": answer}, after("sum it", ("exit code: 0\n10852", True))) == ""


def test_part_of_a_longer_number_is_no_support() -> None:
    assert Review(guided=True).challenge("answer", {"answer": "It is 108."}, after("sum it", ("10852", True)))


def test_each_kind_is_raised_once_so_a_model_that_stands_by_its_answer_is_heard() -> None:
    check, state = Review(guided=True), after("sum it", ("10852", True))
    assert check.challenge("answer", {"answer": "It is 777."}, state)
    assert check.challenge("answer", {"answer": "It is 777."}, state) == ""


LINES = "\n".join(f"day{number} {number}" for number in range(30))


def read(query: str) -> RunState:
    state = RunState(query)
    state.add(Done("read_file", "temps.txt", True, LINES, 1))
    return state


def test_a_guided_model_may_not_compute_over_many_lines_by_looking() -> None:
    answer = {"answer": "day29"}
    assert "cannot compute that by looking" in Review(guided=True).challenge("answer", answer, read("Which day has the highest temperature?"))
    assert Review(guided=True).challenge("answer", answer, read("What does the last line say?")) == ""
    assert Review().challenge("answer", answer, read("Which day has the highest temperature?")) == ""
    computed = read("Which day has the highest temperature?")
    computed.add(Done("run_command", "python max.py", True, "exit code: 0\nday29", 2))
    assert Review(guided=True).challenge("answer", answer, computed) == ""


def test_a_guided_model_that_gives_up_is_asked_to_try_once_more() -> None:
    review, state, answer = Review(guided=True), after("run it", ("exit code: 1", False)), {"answer": "It failed."}
    assert "another way" in review.challenge("answer", answer, state)
    assert review.challenge("answer", answer, state) == ""


def test_a_guided_model_that_changed_nothing_is_asked_to() -> None:
    state = RunState("In a.json change theme to dark")
    state.add(Done("read_file", "a.json", True, "{}", 1))
    assert "changed nothing yet" in Review(guided=True).challenge("answer", {"answer": "It is dark."}, state)
    state.add(Done("write_file", "a.json (9 characters)", True, "replaced", 2))
    assert Review(guided=True).challenge("answer", {"answer": "It is dark."}, state) == ""


def test_a_guided_model_looks_at_what_a_silent_command_did() -> None:
    state = after("In a.json change theme to dark", ("exit code: 0\nIt printed nothing.", True))
    assert "Look first" in Review(guided=True).challenge("answer", {"answer": "It is dark."}, state)
    assert Review(guided=True).challenge("answer", {"answer": "It is dark."}, after("change it", ("exit code: 0\nchanged", True))) == ""


@pytest.mark.parametrize("query, path, asked", [
    ("Write done into status.txt.", "files/status.txt", True), ("写一个脚本 squares.py，运行它", "files/squares.py", True),
    ("Write done into status.txt", "status.txt", False), ("put a.txt in files", "files/a.txt", False), ("make something", "files/a.txt", False),
    ("change config/a.json", "config/a.json", False), ("Write mystatus.txt", "files/status.txt", False)])
def test_a_guided_model_writes_a_new_file_where_the_request_says(query: str, path: str, asked: bool) -> None:
    arguments = {"path": path, "content": "x"}
    review = Review(guided=True, exists=lambda path: False)
    assert bool(review.challenge("write_file", arguments, RunState(query))) is asked
    assert review.challenge("write_file", arguments, RunState(query)) == ""
    assert Review(exists=lambda path: False).challenge("write_file", arguments, RunState(query)) == ""
    assert Review(guided=True, exists=lambda path: True).challenge("write_file", arguments, RunState(query)) == ""


@pytest.mark.parametrize("seen, answer", [
    ("3.14159", "About 3.14."), ("0.125", "It is 12.5%."), ("now: 2026-11-30", "30 November 2026"), ("10852", "10,852")])
def test_a_number_that_is_rounded_or_known_from_before_is_supported(seen: str, answer: str) -> None:
    state = after("what is it?", ("exit code: 0", True))
    state.known = seen
    assert Review(guided=True).challenge("answer", {"answer": answer}, state) == ""


@pytest.mark.parametrize("query, answer", [
    ("What is today's date?", "30 November 2026"), ("When did World War II end?", "1945"), ("Write a haiku about rain", "Drops on the window"),
    ("List ten fruits", "1. apple … 10. kiwi"), ("count to 20", "1 2 3 … 20")])
def test_a_strong_model_that_knows_the_answer_is_never_asked(query: str, answer: str) -> None:
    assert Review().challenge("answer", {"answer": answer}, after(query)) == ""


def test_replacing_a_file_is_questioned_once_for_each_path_and_a_second_knowing_attempt_passes() -> None:
    review, state = Review(guided=True, exists=lambda path: path != "new.py"), read("Which day has the highest temperature in temps.txt?")
    told = [review.challenge("write_file", {"path": path, "content": "1"}, state) for path in ("temps.txt", "./temps.txt", "b.txt", "b.txt")]
    assert [bool(text) for text in told] == [True, False, True, False]
    assert "temps.txt is the user's file" in told[0] and "b.txt is the user's file" in told[2]


def test_a_guided_model_is_asked_before_it_replaces_a_file_that_it_was_only_asked_about() -> None:
    review, state = Review(guided=True, exists=lambda path: path == "temps.txt"), read("Which day has the highest temperature in temps.txt?")
    assert "is the user's file" in review.challenge("write_file", {"path": "temps.txt", "content": "print(1)"}, state)
    assert review.challenge("write_file", {"path": "script.py", "content": "print(1)"}, state) == ""
    state.add(Done("write_file", "temps.txt (8 characters)", True, "wrote", 3))
    assert review.challenge("write_file", {"path": "temps.txt", "content": "print(2)"}, state) == ""
    assert Review(guided=True).challenge("write_file", {"path": "a.json", "content": "{}"}, RunState("In a.json set theme to dark")) == ""
