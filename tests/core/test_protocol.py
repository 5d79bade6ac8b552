from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core import i18n
from core.protocol import ACTIONS, KINDS, ProtocolError, Step, parse, reply_schema
from tests.core.reply_cases import ACCEPTED, BAD, REFUSED, RUN, run

DEV = [json.loads(line) for line in (Path(__file__).parents[1] / "fixtures" / "replies_dev.jsonl").read_text("utf-8").splitlines()]


def outcome(reply: str) -> dict[str, Any] | None:
    try:
        return parse(reply).to_dict()
    except ProtocolError:
        return None


def refusal(reply: str, finish_reason: str | None = None) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        parse(reply, finish_reason)
    return caught.value


@pytest.mark.parametrize("case", DEV, ids=[case["id"] + "-" + case["kind"] for case in DEV])
def test_every_given_reply_ends_as_expected(case: dict[str, Any]) -> None:
    assert outcome(case["reply"]) in [case["expect"], *case.get("also_ok", [])], case["why"]


@pytest.mark.parametrize(("kind", "reply", "expected"), ACCEPTED, ids=[f"{n}-{case[0]}" for n, case in enumerate(ACCEPTED)])
def test_what_the_model_certainly_meant_is_taken(kind: str, reply: str, expected: dict[str, Any]) -> None:
    assert parse(reply).to_dict() == expected


@pytest.mark.parametrize(("kind", "reply", "error"), REFUSED, ids=[f"{n}-{case[0]}" for n, case in enumerate(REFUSED)])
def test_what_the_model_may_not_have_meant_is_refused_with_its_kind(kind: str, reply: str, error: str) -> None:
    assert refusal(reply).kind == error


@pytest.mark.parametrize("reply", [case[1] for case in ACCEPTED])
def test_the_source_of_a_step_parses_to_the_same_step(reply: str) -> None:
    step = parse(reply)
    assert parse(step.source).to_dict() == step.to_dict()
    assert set(json.loads(step.source)) == set(step.to_dict())


def test_a_clean_object_goes_to_the_history_exactly_as_written() -> None:
    written = '{ "action": "run_command",\n "thought": "\\u597d", "command": "ls", "timeout": 5 }'
    assert parse(written).source == written
    assert parse(f"<think>x</think>Look:\n```json\n{written}\n```\nbye").source == written


@pytest.mark.parametrize("reply", [
    '{"thought": "t", "action": "Run_Command", "command": "ls"}',
    '{"thought": "t", "action": "run_command", "cmd": "ls"}',
    '{"thought": "t", "action": "run_command", "command": "ls", "extra": 1}',
    "{'thought': 't', 'action': 'run_command', 'command': 'ls'}",
    f"[{RUN}]",
    f'{{"output": {RUN}}}',
])  # fmt: skip
def test_another_shape_goes_to_the_history_in_the_right_form(reply: str) -> None:
    assert parse(reply).source == RUN


def test_a_step_is_frozen_and_lists_the_thought_and_action_first() -> None:
    step = parse('{"action": "read_file", "limit": 5, "path": "a", "thought": "t"}')
    assert list(step.to_dict()) == ["thought", "action", "path", "limit"]
    with pytest.raises(AttributeError):
        step.action = "answer"  # type: ignore[misc]


def test_a_thought_before_the_action_is_lent_only_when_nothing_stands_between() -> None:
    action = '{"action": "run_command", "command": "ls"}'
    assert parse('{"thought": "why"}\n' + action).thought == "why"
    assert parse('{"thought": "why"}\nSo then:\n' + action).thought == ""


def test_a_cut_off_reply_is_told_to_be_shorter_and_to_write_in_parts() -> None:
    cut = '{"thought": "t", "action": "write_file", "path": "a", "content": "' + "x" * 500
    error = refusal(cut, "length")
    assert error.kind == "cut_off"
    assert "token limit" in error.correction
    assert '"append": true' in error.correction
    assert "token limit" not in refusal(cut, "stop").correction


@pytest.mark.parametrize("reply", ["", " \n ", '{"thought": "I', "<think>let me", "I will"])
def test_a_very_short_reply_at_the_limit_hints_at_the_context_window(reply: str) -> None:
    error = refusal(reply, "length")
    assert error.kind == "cut_off"
    assert "context window" in error.correction


def test_a_complete_object_before_the_limit_is_taken() -> None:
    assert parse(RUN + "\n\n\n", "length").to_dict() == run()


def test_a_refusal_says_where() -> None:
    error = refusal('{"thought": "t",\n "action": "answer",\n "answer": "say "hi""}')
    assert "line 3, column 18" in error.correction
    assert '\\"hi\\"' in error.correction
    assert error.position == 55


def test_an_unknown_action_is_answered_with_the_known_ones() -> None:
    correction = refusal('{"thought": "t", "action": "bash", "command": "ls"}').correction
    assert "'bash'" in correction
    assert all(action in correction for action in ACTIONS)


def test_a_missing_field_is_answered_with_an_example_of_that_action() -> None:
    correction = refusal('{"thought": "t", "action": "write_file", "path": "a"}').correction
    assert "'content'" in correction
    assert '"action": "write_file"' in correction


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
@pytest.mark.parametrize("reply", [case[1] for case in REFUSED] + [case["reply"] for case in DEV if case["expect"] is None])
def test_every_correction_is_short_english_and_ends_in_one_right_example(reply: str, finish_reason: str) -> None:
    try:
        parse(reply, finish_reason)
    except ProtocolError as error:
        text = error.correction
        assert error.kind in KINDS
        assert len(text) < 320
        assert parse(text[text.index('{"thought"') :]).action in ACTIONS
        assert error.position is None or 0 <= error.position <= len(reply)
        assert len(error.message) > 20


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_every_kind_of_refusal_has_words_for_a_person(language: str) -> None:
    i18n.set_language(language)
    assert len({i18n.t(f"protocol.{kind}") for kind in KINDS}) == len(KINDS)


def test_a_refusal_is_not_chained_to_a_private_error() -> None:
    error = refusal("x")
    assert error.__suppress_context__


HOSTILE = [
    "\\" * 200_000, '"' * 200_000, '{"thought": "' + "\\" * 200_000, '{"thought": "' + '\\"' * 100_000, "{'a': '" + "\\x" * 100_000, "{//" * 70_000,
    "{/*" * 70_000, "{//{\n" * 40_000, "{'a':1}" * 30_000, "[{" * 100_000, "<think>" * 30_000, "x<think>" * 25_000, "</think>" * 25_000,
    "<|channel|>" * 20_000, '{"' * 100_000, '{"a' * 70_000, '"{\\"' * 50_000, "{ " * 100_000, "[ " * 100_000, "```" * 70_000, "{}" * 100_000,
    "}" * 200_000, "［｛“" * 60_000, "Observation:\n" * 15_000, " " * 200_000 + "x", "#" * 200_000, "\n>" * 100_000, "不要" * 90_000 + RUN[:-1],
    "<" * 200_000, "{" + "\t" * 200_000, '{"a":1,' * 30_000, "<|" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:12].encode("unicode_escape").decode() for text in HOSTILE])
def test_hostile_replies_of_200_kb_are_refused_in_linear_time(text: str) -> None:
    assert refusal(text).kind in KINDS


def test_a_long_file_with_many_braces_is_taken() -> None:
    content = "int f() { return a[0]; }\n" * 8000
    step = parse(json.dumps({"thought": "t", "action": "write_file", "path": "a.c", "content": content}))
    assert step.arguments["content"] == content
    assert parse(repr(step.to_dict())).to_dict() == step.to_dict()


def test_the_schema_offers_the_five_actions_with_the_thought_first() -> None:
    shapes = reply_schema(("todo", "weather"))["anyOf"]
    assert [shape["properties"]["action"]["const"] for shape in shapes] == list(ACTIONS)
    for shape, names in zip(shapes, ACTIONS.values(), strict=True):
        offered = list(shape["properties"])
        assert offered == ["thought", "action", *(name for name in names if name in offered)]
        assert shape["required"] == [name for name in shape["properties"] if name in shape["required"]]
        assert shape["additionalProperties"] is False
        assert shape["properties"]["thought"]["maxLength"] == 300
    assert shapes[0]["properties"]["skill"]["enum"] == ["todo", "weather"]


def test_the_schema_bounds_no_text_but_the_thought() -> None:
    shapes = reply_schema(("todo",), thought_limit=120)["anyOf"]
    bounded = {name for shape in shapes for name, rule in shape["properties"].items() if "maxLength" in rule}
    assert bounded == {"thought"}
    assert shapes[0]["properties"]["thought"]["maxLength"] == 120


def test_without_skills_the_schema_leaves_view_skill_out() -> None:
    assert [shape["properties"]["action"]["const"] for shape in reply_schema(())["anyOf"]] == list(ACTIONS)[1:]


def test_the_schema_requires_what_the_parser_requires() -> None:
    for shape in reply_schema(("todo",))["anyOf"]:
        action = shape["properties"]["action"]["const"]
        full = {"thought": "t", "action": action} | dict.fromkeys(shape["required"][2:], "todo")
        assert parse(json.dumps(full)) == Step("t", action, dict.fromkeys(shape["required"][2:], "todo"), json.dumps(full))
        for name in shape["required"][2:]:
            assert outcome(json.dumps({key: value for key, value in full.items() if key != name})) is None


def test_the_parser_stands_on_no_repair_library() -> None:
    core = Path(__file__).parents[2] / "core"
    names: set[str] = set()
    for module in (core / "protocol.py", *(core / "reading").glob("*.py")):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            names |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            names |= {node.module or ""} if isinstance(node, ast.ImportFrom) else set()
    assert {name.split(".")[0] for name in names} == {"__future__", "collections", "core", "dataclasses", "functools", "json", "re", "typing"}


def test_a_clean_reply_needs_none_of_the_search_patterns() -> None:
    code = f"import sys; from core.protocol import parse; parse({RUN!r}); print('core.reading.scan' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert done.stdout.strip() == "False"


def test_a_bad_object_never_runs_whatever_stands_around_a_damaged_one() -> None:
    for damaged in ('{"thought": "a" b, ', '{"thought": "', "{'x': don't, ", '{"action": run, ', '{"a": [1, 2, ', '{“a": '):
        for glue in ("", "\n", "x ", "```json\n", '"', "}", "\n\n"):
            assert outcome(damaged + glue + BAD) is None, damaged + glue


def test_the_examples_of_the_docs_mean_what_the_docs_say() -> None:
    blocks = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8").split("```")
    exact, lenient = (next(block for block in blocks if block.startswith(language)).splitlines()[1:] for language in ("json", "text"))
    assert [parse(line).action for line in exact] == list(ACTIONS)
    assert [parse(line).source for line in exact] == exact
    assert [parse(line).to_dict() for line in lenient] == [run()] * 17
