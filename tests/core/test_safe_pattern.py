"""core/safe_pattern.py: a pattern that a text could make slow is refused, and the accepted ones stay quick on the worst texts."""
from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.safe_pattern import MAX_TEXT, fits, pattern_problem, reach
from core.schema_values import BadValue, fit, schema_problem


@pytest.mark.parametrize("pattern", [
    "(a+)+$", "(a*)*b", "(a|aa)+$", "(a?){50}", "(a?b?)*c", r"(\w+\s?)+$", "(?:x+x+)+y", "(.*a){11}", r"(\w+)\1", "(?P<q>a)(?P=q)", "(a(?=b))*",
    "a*a*a*a*b", ".*.*x", "a?" * 30 + "a" * 30, "(x{1000}){1000}", "^(a|b|ab)*c$", "(?i)a", "((a+))*b", "(a+|b)*c", "(a{1,5}){2,9}$",
    "(" * 5000, "(" * 150, "x{99999999999}", "a" * 201, "(", 5, None, ["a"],
])
def test_a_pattern_that_could_freeze_the_program_or_is_none_is_refused(pattern: object) -> None:
    assert pattern_problem(pattern)
    assert schema_problem({"type": "string", "pattern": pattern}).startswith("pattern ")


@pytest.mark.parametrize(("pattern", "text", "found"), [
    (r"^\d{4}-\d{2}-\d{2}$", "2031-05-06", True), (r"^\d{1,3}(\.\d{1,3}){3}$", "10.0.0.1", True), (r"[a-z]+@[a-z]+\.[a-z]+", "ann@soup.org", True),
    (r"^\w+(-\w+)*$", "a-b-c", True), ("^(yes|no)$", "maybe", False), (".*", "x", True), ("^([a-z]+)?:x", "ab:x", True), ("(ab|cd)+e", "abcde", True),
])
def test_patterns_as_people_write_them_are_accepted(pattern: str, text: str, found: bool) -> None:
    assert pattern_problem(pattern) == ""
    assert fits(pattern, text) is found


def test_a_text_longer_than_the_limit_does_not_fit() -> None:
    assert fits("^a+$", "a" * MAX_TEXT)
    assert not fits("^a+$", "a" * (MAX_TEXT + 1))
    with pytest.raises(BadValue):
        fit("a" * (MAX_TEXT + 1), {"pattern": "a"})


def test_a_doubtful_character_class_prints_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pattern_problem("[[b]") == "" and fits("[[b]", "b")


@pytest.mark.parametrize(("pattern", "expected"), [
    (".*", {"letter", "blank", "wide"}), ("[0-9]", {"letter", "blank", "wide"}), ("^[0-9+ ]+$", {"blank"}), ("^[a-z]+$", {"letter"}),
    (r"^\w+$", {"letter", "wide"}), ("^[×÷0-9]+$", set()), ("^[一-龥]+$", {"wide"}), ("^[^0-9]+$", {"letter", "blank", "wide"}),
    (r"^\S+$", {"letter", "wide"}), ("^a|b$", {"letter", "blank", "wide"}),
])
def test_what_a_pattern_lets_through_is_known(pattern: str, expected: set[str]) -> None:
    assert reach(pattern) == expected


PIECES = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\w", r"\d", "^", "$", r"\b", "|", "(", "(?:", "(?=", ")", "*", "+", "?", "{2}", "{1,3}",
                          "{0,}", "*?"])


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_whatever_is_accepted_ends_on_texts_made_to_slow_it_down(pattern: str) -> None:
    if pattern_problem(pattern) == "":
        for text in ("a" * MAX_TEXT, "a" * (MAX_TEXT - 1) + "!", "ab" * (MAX_TEXT // 2 - 1) + "!", "!" * MAX_TEXT):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert fits(pattern, text) is (re.search(pattern, text) is not None)
