"""The cases that the rules come with, and the ones converted from a public specification: every line, exactly."""
from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from timephrase import parse

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "todo"


def cases(name: str) -> list[dict[str, Any]]:
    """The lines of a fixture."""
    return [json.loads(line) for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines()]


def test_the_fixtures_are_whole() -> None:
    assert (len(cases("time_dev.jsonl")), len(cases("time_recognizers.jsonl"))) == (79, 85)


@pytest.mark.parametrize("case", cases("time_dev.jsonl") + cases("time_recognizers.jsonl"), ids=lambda case: f"{case['id']}-{case['text']}")
def test_a_case_gives_exactly_what_it_expects(case: dict[str, Any]) -> None:
    reading = parse(case["text"], datetime.fromisoformat(case["now"]))
    assert reading.due == case["expect"]
    assert (reading.error is None) == (case["expect"] is not None)
