"""Properties of the parser, and mutated replies: PROTOCOL_FUZZ=50000 in the environment raises their number."""
from __future__ import annotations

import json
import os
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.protocol import ACTIONS, ProtocolError, Step, parse
from tests.core.reply_cases import ACCEPTED, REFUSED
from tests.core.test_protocol import DEV, outcome

COUNT = int(os.environ.get("PROTOCOL_FUZZ", "3000"))
PIECES = [
    "{", "}", "[", "]", '"', "'", "“", "”", "\\", ",", ":", "：", "，", "｛", "｝", "\n", "```json\n", "```", "<think>", "</think>",
    "<|channel|>final<|message|>", "<|channel|>analysis<|message|>", "assistantfinal", "[SYSTEM OBSERVATION]", "Observation: x\n",
    "// x\n", "/*", "*/", "#",
    "null", "True", "1e9", "-", "\\u", "\\ud800", "\x00", "\ufeff", "\u200b", "\ud800", '"action": ', '"answer"', '"run_command"', '"command": "rm"',
    '{"thought": "x", "action": "run_command", ', '"command": "rm x"}', "不要执行", "\\n", '""', "'''", " ", "x", "}}", "{{",
]  # fmt: skip
words = st.text(max_size=12) | st.sampled_from(PIECES) | st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
harmless = words.map(lambda text: "x" + "".join(ch for ch in text if ch.isprintable()))


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """A flat object of the protocol, with hostile text in every string."""
    action = draw(st.sampled_from(list(ACTIONS)))
    required = {"write_file": 2}.get(action, 1)
    return {"thought": draw(harmless), "action": action} | {name: draw(harmless) for name in ACTIONS[action][:required]}


wrappers = st.sampled_from([
    "@", "```json\n@\n```", "Here you are:\n@", "<think>hm {</think>\n@", "@\nThat is all.", "[@]", '{"output": @}', "@\n[SYSTEM OBSERVATION]\nok",
    "\ufeff @ \n\n", "<|channel|>final<|message|>@<|return|>", "{@}", "@}", "<tool_call>@</tool_call>", "@<|im_end|>",
])  # fmt: skip


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_step_or_a_protocol_error(text: str) -> None:
    try:
        assert isinstance(parse(text), Step)
    except ProtocolError as error:
        assert error.correction


@given(objects(), wrappers, st.booleans())
@settings(max_examples=300, deadline=None)
def test_a_wrapped_object_is_taken_as_it_is(value: dict[str, Any], wrapper: str, ascii_only: bool) -> None:
    written = json.dumps(value, ensure_ascii=ascii_only)
    step = parse(wrapper.replace("@", written))
    assert step.to_dict() == {name: text.replace("\ud800", "\ufffd") for name, text in value.items()}


@given(objects(), st.data())
@settings(max_examples=300, deadline=None)
def test_a_strict_prefix_of_an_object_is_refused(value: dict[str, Any], data: st.DataObject) -> None:
    written = data.draw(st.sampled_from([
        json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1), repr(value), json.dumps([value]), json.dumps({"response": value}),
        json.dumps({"thought": "x", "action": {"type": value["action"], **value, "action": value["action"]}}), json.dumps(json.dumps(value)),
        json.dumps({"tool_calls": [{"function": {"name": value["action"], "arguments": json.dumps(value)}}]}),
    ]))  # fmt: skip
    cut = data.draw(st.integers(0, len(written) - 1))
    noise = data.draw(st.sampled_from(["", "\n", "\n```", "</s>", "<|im_end|>", "\n[SYSTEM OBSERVATION]\nok", " and so on"]))
    assert outcome(written[:cut] + noise) is None


@given(objects(), objects(), st.sampled_from(["\n", "", "\n```\n```json\n", "\n[SYSTEM OBSERVATION]\nok\n[/SYSTEM OBSERVATION]\n", ", "]))
@settings(max_examples=200, deadline=None)
def test_of_two_objects_the_second_never_runs(first: dict[str, Any], second: dict[str, Any], glue: str) -> None:
    got = outcome(json.dumps(first) + glue + json.dumps(second))
    assert got == outcome(json.dumps(first))


@given(objects(), objects(), harmless.map(lambda text: text.replace("\n", " ")))
@settings(max_examples=200, deadline=None)
def test_an_object_inside_a_string_never_runs(outer: dict[str, Any], inner: dict[str, Any], text: str) -> None:
    outer |= {"action": "answer", "answer": text + json.dumps(inner) + text, "thought": json.dumps(inner)}
    for written in (json.dumps(outer), repr(outer), "Look:\n" + json.dumps(outer)):
        got = outcome(written)
        assert got is None or got["action"] == "answer"


def _mutate(rng: random.Random, text: str, others: list[str]) -> str:
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(text))
        end = min(len(text), at + rng.randint(0, 12))
        text = rng.choice([
            text[:at] + rng.choice(PIECES) + text[at:],
            text[:at] + text[end:],
            text[:at],
            text[at:],
            text[:at] + rng.choice(others)[:200] + text[at:],
            text[:at] + rng.choice(PIECES) + text[end:],
            text + rng.choice(others),
        ])  # fmt: skip
    return text


def test_mutated_replies_are_steps_or_protocol_errors_and_their_source_is_stable() -> None:
    rng = random.Random(20)
    replies = [case[1] for case in ACCEPTED] + [case[1][:3000] for case in REFUSED] + [case["reply"][:3000] for case in DEV]
    taken = 0
    for _ in range(COUNT):
        reply = _mutate(rng, rng.choice(replies), replies)
        try:
            step = parse(reply, rng.choice([None, "stop", "length"]))
        except ProtocolError as error:
            assert len(error.correction) < 400
            continue
        taken += 1
        step.source.encode("utf-8")
        assert parse(step.source).to_dict() == step.to_dict(), reply
    assert 0 < taken < COUNT
