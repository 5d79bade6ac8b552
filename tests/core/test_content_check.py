"""core/content_check.py: text that would break a file."""
from __future__ import annotations

from pathlib import Path

import pytest

from core.content_check import loss, refusal, remark


def test_json_is_not_replaced_by_something_else() -> None:
    reason = refusal(Path("a.json"), "files/a.json", '{"volume": 3}', "json.dump({}, open('a.json', 'w'))")
    assert "not JSON" in reason and "files/a.json" in reason and '{"volume": 3}' in reason


@pytest.mark.parametrize("name, before, after", [
    ("a.json", '{"a": 1}', '{"a": 2}'), ("a.json", "", "nonsense"), ("tsconfig.json", "// note\n{}", "// other\n{}"), ("a.txt", "{}", "x")])
def test_good_json_new_files_and_files_that_were_no_json_are_let_through(name: str, before: str, after: str) -> None:
    assert refusal(Path(name), name, before, after) == ""


def test_a_script_that_python_cannot_read_is_remarked_with_its_line() -> None:
    assert "line 2" in remark(Path("a.py"), "import os\nfor x in y: if x: print(1)\n")
    assert remark(Path("a.py"), "print('ok')\n") == "" == remark(Path("a.txt"), "for x in")


@pytest.mark.parametrize("text", ["\0", "(" * 5000, "x = '\\d'", "-" * 100_000 + "1"])
def test_no_script_can_crash_the_check(text: str) -> None:
    assert isinstance(remark(Path("a.py"), text), str)


def test_new_json_that_is_none_is_remarked() -> None:
    assert "not valid JSON" in remark(Path("a.json"), "{'a': 1}")


def test_a_new_json_text_that_loses_a_key_is_told() -> None:
    before = '{"volume": 3, "theme": "light"}'
    assert '"volume"' in loss(Path("a.json"), "a.json", before, '{"theme": "dark"}')
    assert loss(Path("a.json"), "a.json", before, '{"volume": 3, "theme": "dark"}') == ""
    assert loss(Path("a.json"), "a.json", "[1]", "{}") == "" == loss(Path("a.txt"), "a.txt", before, "{}") == loss(Path("a.json"), "a.json", "", "{}")


@pytest.mark.parametrize("after", ['theme: "dark"', "theme: dark", "{theme: 'dark'}", "theme = dark\n"])
def test_a_change_that_is_written_as_a_pair_is_shown_as_the_whole_text(after: str) -> None:
    reason = refusal(Path("a.json"), "a.json", '{"volume": 3, "theme": "light"}', after)
    assert '"volume": 3,\n  "theme": "dark"' in reason and "nothing was changed" in reason


def test_a_pair_that_does_not_fit_the_object_changes_nothing_in_what_is_shown() -> None:
    assert "would be" not in refusal(Path("a.json"), "a.json", '{"volume": 3}', "volume: loud, other: 4")
    assert "would be" not in refusal(Path("a.json"), "a.json", "[1]", "volume: 4")
