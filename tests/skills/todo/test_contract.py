"""One table of operations, and everything that repeats it says the same: commands.yaml, the modules, the reference, the words."""

from __future__ import annotations

import ast
import json
import re
import string
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from taskbook.operations import FURTHER, OPERATIONS, SPECIFIED

SKILL = Path(__file__).resolve().parents[3] / "skills" / "todo"
WORDS = {
    file.stem: json.loads(file.read_text(encoding="utf-8")) for file in (SKILL / "taskbook" / "words").glob("*.json") if file.name != "sentence.json"
}
DECLARED = {command["name"]: command for command in yaml.safe_load((SKILL / "commands.yaml").read_text(encoding="utf-8"))["commands"]}
MEANING = ("type", "enum", "default", "minimum", "maximum", "minItems", "maxItems", "maxLength")


def test_the_23_operations_of_the_specification_are_there_with_their_required_parameters() -> None:
    assert {name: operation.required for name, operation in SPECIFIED.items()} == {
        "add_task": ("title",),
        "add_tasks": ("tasks",),
        "list_tasks": (),
        "get_task": ("task_id",),
        "task_stats": (),
        "update_task": ("task_id",),
        "complete_task": ("task_id",),
        "complete_tasks": ("task_ids",),
        "delete_task": ("task_id",),
        "delete_tasks": ("task_ids",),
        "prioritize_tasks": (),
        "plan_day": (),
        "generate_daily_brief": (),
        "export_checklist": (),
        "get_weather": ("city",),
        "weather_travel_advice": ("city",),
        "get_due_reminders": (),
        "send_desktop_notification": ("title", "message"),
        "reminder_overview": (),
        "remember_preference": ("key", "value"),
        "recall_preference": ("key",),
        "list_preferences": (),
        "forget_preference": ("key",),
    }
    assert len(SPECIFIED) == 23 and not set(SPECIFIED) & set(FURTHER)


def test_commands_yaml_declares_every_operation_and_nothing_else() -> None:
    assert list(DECLARED) == list(OPERATIONS)
    assert {name: command.get("effect") for name, command in DECLARED.items()} == {name: operation.effect for name, operation in OPERATIONS.items()}


@pytest.mark.parametrize("name", OPERATIONS)
def test_commands_yaml_and_the_table_agree_on_parameters(name: str) -> None:
    operation, command = OPERATIONS[name], DECLARED[name]
    declared = {
        param: {key: schema[key] for key in MEANING if key in schema} for param, schema in (command.get("params") or {}).items() if param != "lang"
    }
    assert declared == {param: {key: schema[key] for key in MEANING if key in schema} for param, schema in operation.params.items()}
    assert tuple(command.get("required", ())) == operation.required
    assert command["argv"][:3] == ["python", "main.py", name]


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_written_where_the_table_says(name: str) -> None:
    operation = OPERATIONS[name]
    assert callable(getattr(import_module(f"taskbook.{operation.module}"), operation.function))


def test_every_sentence_is_there_in_both_languages_with_the_same_values() -> None:
    def fields(sentence: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}

    wrong = [
        f"{area}.{key}"
        for area, sentences in WORDS.items()
        for key, pair in sentences.items()
        if len(pair) != 2 or not all(isinstance(one, str) and one for one in pair) or fields(pair[0]) != fields(pair[1])
    ]
    assert wrong == []


def test_every_sentence_that_the_code_names_exists_and_every_one_is_named() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in [SKILL / "main.py", *(SKILL / "taskbook").rglob("*.py")])
    literals = {
        node.value
        for node in ast.walk(ast.parse(code.replace("from __future__ import annotations", "")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    keys = {f"{area}.{key}" for area, sentences in WORDS.items() for key in sentences}
    named = {text for text in literals if re.fullmatch(rf"({'|'.join(WORDS)})\.[a-z_0-9]*[a-z0-9]", text)}
    assert named - keys == set()
    begun = {key for key in keys for part in re.findall(r'f"([a-z]+\.[a-z_0-9]*)\{', code) if key.startswith(part)}
    assert keys - named - begun - {key for key in keys if key.split(".")[1] in literals} == set()
