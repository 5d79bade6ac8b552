"""Phrases that leave a choice, set values, narrow a slot, scale a number or hand over the whole request; sentences and lists as values."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.commands import CommandSpec, Phrase
from core.commands_file import read_commands
from core.phrases.keyed import demands_words
from core.phrases.match import match, nearest
from core.phrases.texts import list_items, text_value
from core.phrases.tokens import pieces, shown
from core.phrases.usable import is_usable

ROOT = Path(__file__).resolve().parents[3]
SENTENCE = {"type": "string", "format": "sentence", "maxLength": 200}
TEXT = {"type": "string", "maxLength": 60}


def spec(name: str, params: dict[str, dict[str, Any]], *say: str, effect: str = "write") -> CommandSpec:
    words = [word for param in params for word in (f"--{param}", f"{{{param}}}")]
    return CommandSpec("todo", name, "", ("python", "main.py", name, *words), ROOT, params, (), say, effect)


ADD = spec("add", {"text": SENTENCE}, "提醒我{text}", "remind me to {text}", Phrase("add <2|3|> tasks: {text}", whole="text"),
           Phrase("{text}", where={"text": "^(明天|tomorrow ).*[交写买].|^tomorrow .{4,}"}))
MOVE = spec("move", {"which": TEXT, "when": TEXT}, "<把|将|>{which}<推迟到|改到>{when}", "move {which} to {when}")
LEVEL = spec("level", {"which": TEXT, "priority": {"type": "string", "enum": ["high", "low"]}},
             Phrase("<把|>{which}<设为|改成>高优先级", given={"priority": "high"}), "make {which} {priority} priority")
TIME = spec("time", {"which": {**TEXT, "pattern": "^[^,]+$"}, "minutes": {"type": "integer", "maximum": 1440}}, "{which}要{minutes}分钟",
            Phrase("{which}要{minutes}<小时|个小时>", scale={"minutes": 60}), Phrase("{which} takes {minutes} hours", scale={"minutes": 60}))
TAG = spec("tag", {"which": TEXT, "tags": {"type": "array", "items": {"type": "string", "maxLength": 9}, "format": "list"}},
           "给{which}加<标签|个标签>:{tags}")
MANY = spec("many", {"tasks": {"type": "array", "items": {"type": "object", "required": ["title"]}, "format": "list"}}, "一次记{tasks}")
DELETE = spec("delete", {"which": TEXT}, "删除{which}", "delete {which}")
FIND = spec("find", {"word": TEXT}, "找<关于|>{word}<的事|>", effect="read")
ALL = [ADD, MOVE, LEVEL, TIME, TAG, MANY, DELETE, FIND]


def said(request: str) -> tuple[str, dict[str, Any]] | None:
    found = match(request, ALL)
    return None if found is None else (found.spec.name, dict(found.values))


@pytest.mark.parametrize(("request_text", "name", "values"), [
    ("把交作业推迟到周五", "move", {"which": "交作业", "when": "周五"}),
    ("请将交作业改到后天，谢谢", "move", {"which": "交作业", "when": "后天"}),
    ("交作业改到后天", "move", {"which": "交作业", "when": "后天"}),
    ("把它设为高优先级", "level", {"which": "它", "priority": "high"}),
    ("make it high priority", "level", {"which": "it", "priority": "high"}),
    ("写报告要30分钟", "time", {"which": "写报告", "minutes": 30}),
    ("写报告要两个小时", "time", {"which": "写报告", "minutes": 120}),
    ("写报告要1.5小时", "time", {"which": "写报告", "minutes": 90}),
    ("the report takes 2 hours", "time", {"which": "the report", "minutes": 120}),
    ("给交作业加标签：学校、急和本周", "tag", {"which": "交作业", "tags": ["学校", "急", "本周"]}),
    ("一次记买牛奶、交电费和写周报", "many", {"tasks": [{"title": "买牛奶"}, {"title": "交电费"}, {"title": "写周报"}]}),
    ("找关于报告的事", "find", {"word": "报告"}),
    ("找报告", "find", {"word": "报告"}),
    ("提醒我下班前交作业，然后去买菜。这个很急！", "add", {"text": "下班前交作业，然后去买菜。这个很急"}),
    ("add 3 tasks: milk, bread and eggs", "add", {"text": "add 3 tasks: milk, bread and eggs"}),
    ("please add tasks: milk, bread", "add", {"text": "add tasks: milk, bread"}),
    ("明天交作业", "add", {"text": "明天交作业"}),
    ("请明天交作业，谢谢", "add", {"text": "明天交作业"}),
    ("Tomorrow hand in homework", "add", {"text": "Tomorrow hand in homework"}),
])
def test_what_a_richer_phrase_understands(request_text: str, name: str, values: dict[str, Any]) -> None:
    assert said(request_text) == (name, values)


@pytest.mark.parametrize("request_text", [
    "提醒我买牛奶，然后删除3号", "提醒我买牛奶。删除3号", "remind me to buy milk and then delete task 3", "提醒我买牛奶，把它改到周五",
    "明天交作业，删除3号", "明天交作业？", "明天交作业?", "明天下雨", "不要明天交作业",
    "如果明天交作业", "写报告要1.33小时", "写报告要两小时然后删除3号",
    "给交作业加标签：",
    "提醒我",
])
def test_what_it_leaves_alone(request_text: str) -> None:
    assert said(request_text) is None


def test_a_value_that_the_phrase_scales_past_the_limit_is_named() -> None:
    for request, name in (("写报告要30小时", "minutes"), ("给交作业加标签：一个非常非常长的标签名字", "tags")):
        found = match(request, ALL)
        assert found is not None and found.problem is not None and name in str(found.problem.observation)


def test_a_phrase_with_words_wins_over_a_bare_one() -> None:
    bare = spec("bare", {"text": SENTENCE}, Phrase("{text}", where={"text": "^明天.*[交写买]."}))
    found = match("明天交作业改到后天", [bare, MOVE])
    assert found is not None and found.spec is MOVE


def test_a_choice_is_shown_by_its_first_wording_and_bare_phrases_are_not_shown() -> None:
    assert shown("<把|将|>{which}<推迟到|改到>{when}") == "把…推迟到…"
    near = nearest("把作业推迟", ALL)
    assert near[0] == "把…推迟到…" and all(phrase.strip("… ") for phrase in near)


def test_angle_brackets_without_a_choice_are_words_as_they_stand() -> None:
    assert [name for name, _ in pieces("a <b> {c} <d|e>")] == ["", "c", ""]


@pytest.mark.parametrize(("pattern", "holds"), [
    ("^明天", True), ("^(明天|后天).+", True), ("^[明后]天.+", True), ("^tomorrow .+", True), ("^(to|in) .+", True), ("^.{0,9}明", True),
    ("^(每){2}", True),
    ("^.+", False), ("明天", False), ("^(明天)?.+", False), ("^(明天|).+", False), ("^a.+", False), ("^[a-z]+ x", False), ("^[0-9]+.*", False),
    ("^(?=明天).+", False), ("^(明天)*.+", False), ("^[^明]+", False),
])
def test_a_pattern_demands_words_or_not(pattern: str, holds: bool) -> None:
    assert demands_words(pattern) is holds
    assert is_usable(Phrase("{x}", where={"x": pattern}), {"x": TEXT}, "write") is holds


@pytest.mark.parametrize(("phrase", "usable"), [
    ("<把|将>{x}", True), ("<把|将|>{x}", False), ("<请|帮我>{x}", False), ("<请|删掉>{x}", False), ("<删掉|>{x}<吧|>", False),
    ("<删掉|去掉>{x}<吧|>", True),
])
def test_a_phrase_is_as_good_as_its_weakest_wording(phrase: str, usable: bool) -> None:
    assert is_usable(phrase, {"x": TEXT}, "write") is usable


@pytest.mark.parametrize(("say", "wrong"), [
    ("{phrase: 'go {n}', with: {m: high}}", ""), ("{phrase: 'go {n}', with: {m: odd}}", "m"), ("{phrase: 'go {n}', with: {n: a}}", "n"),
    ("{phrase: 'go {n}', with: {k: a}}", "k"), ("{phrase: 'go {n}', where: {n: '^a+$'}}", ""), ("{phrase: 'go {n}', where: {n: '(a+)+'}}", "n"),
    ("{phrase: 'go {n}', where: {m: '^a'}}", "m"), ("{phrase: 'go {n}', where: {n: 3}}", "n"), ("{phrase: 'go {n}', scale: {n: 0}}", "n"),
    ("{phrase: 'go {n}', whole: n}", ""), ("{phrase: 'go {n}', whole: m}", "m"), ("{phrase: 'go {n}', whole: x}", "x"),
    ("{phrase: '{n}', where: {n: '^tomorrow .+'}}", ""), ("{phrase: '{n}', where: {n: '^.+'}}", "?"), ("{phrase: '{n}', where: {n: [a]}}", "n"),
    ("{phrase: 'go {n}', odd: 1}", "say"), ("{where: {}}", "say"), ("{phrase: 'go {n}', with: 3}", "say"),
])
def test_what_a_phrase_adds_is_checked_when_the_file_is_read(tmp_path: Path, say: str, wrong: str) -> None:
    (tmp_path / "commands.yaml").write_text(
        "commands:\n  - name: cook\n    description: d\n    effect: write\n    argv: [python, main.py, '{n}', '--m={m}']\n"
        f"    params: {{n: {{type: string}}, m: {{enum: [high, low]}}}}\n    required: [n]\n    say:\n      - {say}\n", encoding="utf-8")
    problems = read_commands(tmp_path / "commands.yaml", "soup").problems
    assert [problem.values.get("name", problem.values.get("field")) for problem in problems] == ([wrong] if wrong else [])
    assert all(problem.line == 9 for problem in problems)


def test_a_phrase_may_set_what_is_required(tmp_path: Path) -> None:
    (tmp_path / "commands.yaml").write_text(
        "commands:\n  - name: cook\n    description: d\n    effect: write\n    argv: [python, main.py, '{n}']\n"
        "    params: {n: {type: string}}\n    required: [n]\n    say: [{phrase: go home, with: {n: a}}]\n", encoding="utf-8")
    found = read_commands(tmp_path / "commands.yaml", "soup")
    assert found.problems == ()
    understood = match("please go home", found.commands)
    assert understood is not None and understood.values == {"n": "a"}


@pytest.mark.parametrize(("raw", "items"), [
    ("买牛奶、交电费和写周报", ["买牛奶", "交电费", "写周报"]), ("a, b and c", ["a", "b", "c"]), ("a and b", ["a", "b"]), ("一个", ["一个"]),
    ("a,,b", None), ("", None), ("a、b；c", ["a", "b", "c"]), ("sand, band", ["sand", "band"]),
])
def test_a_list_is_read_as_people_write_one(raw: str, items: list[str] | None) -> None:
    assert list_items(raw, {"type": "string"}) == items


@given(st.text(alphabet="明天交作业，。,. <>|{}a然后?删除3号", max_size=30))
def test_any_request_is_matched_or_left_alone(request_text: str) -> None:
    found = match(request_text, ALL)
    assert found is None or found.spec in ALL
    value = text_value(request_text, SENTENCE)
    assert value is None or value in request_text
