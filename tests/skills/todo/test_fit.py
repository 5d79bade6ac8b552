"""Values of a call are read by the table of operations; what does not fit is told with the parameter's name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taskbook.contract import TodoError
from taskbook.fit import fit
from taskbook.operations import OPERATIONS


def test_text_becomes_what_the_table_says() -> None:
    assert fit(OPERATIONS["complete_tasks"], {"task_ids": "1, 2，#3"}) == {"task_ids": [1, 2, 3]}
    assert fit(OPERATIONS["complete_tasks"], {"task_ids": "[4, 5]"}) == {"task_ids": [4, 5]}
    assert fit(OPERATIONS["complete_tasks"], {"task_ids": 6}) == {"task_ids": [6]}
    assert fit(OPERATIONS["delete_task"], {"task_id": "#7", "confirm": "是"}) == {"task_id": 7, "confirm": True}
    assert fit(OPERATIONS["get_task"], {"task_id": 3.0}) == {"task_id": 3}
    assert fit(OPERATIONS["update_task"], {"task_id": 1, "priority": "高", "status": "进行中", "tags": "a、b"})["tags"] == ["a", "b"]
    assert fit(OPERATIONS["update_task"], {"task_id": 1, "tags": ""})["tags"] == []


def test_null_counts_as_not_given_and_defaults_are_filled_in() -> None:
    assert fit(OPERATIONS["add_task"], {"title": "a", "due_date": None}) == {"title": "a", "priority": "medium", "status": "todo"}


@pytest.mark.parametrize(
    ("name", "values", "part"),
    [
        ("add_task", {}, "title"),
        ("add_task", {"title": ["a"]}, "title"),
        ("add_task", {"title": True}, "title"),
        ("add_task", {"title": "x" * 501}, "500"),
        ("add_task", {"title": "a\0b"}, "title"),
        ("add_task", {"title": "a", "priority": "urgent"}, "urgent"),
        ("add_task", {"title": "a", "estimated_minutes": 0}, "1440"),
        ("add_task", {"title": "a", "estimated_minutes": "1e3"}, "1e3"),
        ("add_task", {"title": "a", "colour": 1}, "colour"),
        ("complete_tasks", {"task_ids": []}, "task_ids"),
        ("complete_tasks", {"task_ids": "[1"}, "task_ids"),
        ("complete_tasks", {"task_ids": {"a": 1}}, "task_ids"),
        ("add_tasks", {"tasks": "a,b"}, "tasks"),
        ("add_tasks", {"tasks": ["a"]}, "tasks"),
        ("get_task", {"task_id": True}, "task_id"),
        ("get_task", {"task_id": -1}, "-1"),
        ("get_task", {"task_id": 2**63}, "task_id"),
        ("list_tasks", {"only_overdue": "perhaps"}, "perhaps"),
    ],
)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_does_not_fit_is_named(name: str, values: dict[str, Any], part: str, lang: str) -> None:
    with pytest.raises(TodoError) as caught:
        fit(OPERATIONS[name], values)
    assert caught.value.code == "invalid_argument" and part in caught.value.say(lang)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(OPERATIONS)), st.data())
def test_no_value_raises_anything_but_a_told_error(name: str, data: st.DataObject) -> None:
    operation = OPERATIONS[name]
    values = data.draw(st.dictionaries(st.sampled_from([*operation.params, "other"]), _JSON, max_size=4))
    try:
        fitted = fit(operation, values)
    except TodoError as problem:
        assert problem.code == "invalid_argument" and problem.say("zh") and problem.say("en")
    else:
        assert set(fitted) <= set(operation.params) and set(operation.required) <= set(fitted)
