"""commands.yaml: what is accepted, which line is named, how arguments are built, and which command texts count as declared."""
from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from core.commands import CommandSpec, split_plain
from core.commands_file import CommandsFile, read_commands
from core.errors import SkillError
from core.schema_values import schema_problem
from core.skills import SkillRegistry

COMMANDS = """
commands:
  - name: add
    description: Adds a task.
    argv: [python, main.py, add, "{title}", --tag, "{tag}", "--note={note}", --urgent, "{urgent}"]
    params:
      title: {type: string, maxLength: 60}
      tag: {type: string, enum: [home, work]}
      note: {type: string}
      urgent: {type: boolean}
    required: [title]
    say: ["remind me to {title}"]
    effect: write
  - name: sum
    description: Adds numbers.
    argv: [python, main.py, sum, "{numbers}", --places, "{places}"]
    params:
      numbers: {type: array, items: {type: integer, maximum: 99}, minItems: 2}
      places: {type: integer, default: 2}
    required: [numbers]
    effect: read
  - name: say
    description: Repeats words.
    argv: [python, main.py, say, --, "{words}"]
    params: {words: {type: string}}
    required: [words]
    effect: read
  - name: stats
    description: Counts.
    argv: [python, main.py, stats]
    effect: read
  - name: many
    description: Adds several tasks.
    argv: [python, main.py, many, "--tasks={tasks}", "--tags={tags}", "--open={open}"]
    params:
      tasks: {type: array, items: {type: object, required: [title]}, minItems: 1}
      tags: {type: array, items: {type: string}}
      open: {type: boolean}
    required: [tasks]
    effect: write
  - name: other
    description: Another program.
    argv: [node, main.js]
    effect: read
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    skill = tmp_path / "skills" / "todo"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: todo\ndescription: Tasks.\n---\nRun it.\n")
    (skill / "main.py").write_text("print(1)\n")
    (skill / "main.js").write_text("1\n")
    (skill / "commands.yaml").write_text(COMMANDS)
    return skill


def specs(folder: Path) -> dict[str, CommandSpec]:
    return {spec.name: spec for spec in read_commands(folder / "commands.yaml", "todo").commands}


def declared(tmp_path: Path, text: str | bytes) -> CommandsFile:
    path = tmp_path / "commands.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_commands(path, "soup")


def one(fields: str, effect: str = "effect: read") -> str:
    return f"commands:\n  - name: cook\n    description: Cooks.\n    {effect}\n" + "".join(f"    {line}\n" for line in fields.split("\n"))


def test_a_sound_file_declares_its_commands_and_its_serve_line(tmp_path: Path) -> None:
    found = declared(tmp_path, one('argv: [python, main.py, "{n}"]\nparams: {n: {type: integer, minimum: 0}}\nrequired: [n]\nsay: ["cook {n} soups"]')
                     + "serve: [python, main.py, serve]\n")
    assert found.problems == ()
    assert found.serve == ("python", "main.py", "serve")
    spec = found.commands[0]
    assert (spec.skill, spec.name, spec.effect, spec.say, spec.required) == ("soup", "cook", "read", ("cook {n} soups",), ("n",))


def test_a_missing_or_empty_file_declares_nothing_and_is_no_problem(tmp_path: Path) -> None:
    assert read_commands(tmp_path / "commands.yaml", "soup") == CommandsFile()
    assert declared(tmp_path, "") == CommandsFile()


@pytest.mark.parametrize(("text", "code", "line"), [
    ("commands:\n  - name: [", "commands_not_yaml", 3),
    ("commands:\n  - a: 1\n    a: 2\n", "commands_key", 3),
    ("- name: x\n", "commands_shape", 1),
    ("# hello\ncommands: soup\n", "commands_shape", 2),
    ("commands:\n  - soup\n", "command_shape", 2),
    (b"\xff\xfe\x00", "commands_encoding", 1),
    ("commands:\n  - description: x\n", "command_missing", 2),
    ("commands:\n  - name: Bad Name\n    description: x\n", "command_name", 2),
    (one("argv: []"), "command_texts", 5),
    (one("argv: [python, 3]"), "command_texts", 5),
    (one('argv: [python, "{n}"]'), "command_program", 5),
    (one('argv: [python, main.py, "{n}"]'), "command_placeholder", 5),
    (one('argv: [python, main.py, "{n}{n}"]\nparams: {n: {}}'), "command_placeholder", 5),
    (one("argv: [python, main.py]\nparams:\n  n: {type: integer}"), "command_unused", 7),
    (one("argv: [python, main.py]\nrequired: [n]"), "command_required", 6),
    (one("argv: [python, main.py]\nparams: soup"), "command_params", 6),
    (one('argv: [python, main.py, "{n}"]\nparams:\n  n: {type: intger}'), "command_schema", 7),
    (one('argv: [python, main.py, "{n}"]\nparams: {n: {}}\nrequired: [n]\nsay:\n  - fine {n}\n  - cook some'), "command_say", 10),
    (one('argv: [python, main.py]\nsay: ["{n}"]'), "command_say", 6),
    (one('argv: [python, main.py, "{n}"]\nparams: {n: {}}\nsay: ["{n}"]'), "command_say", 7),
    (one("argv: [python, main.py]", "effect: harmless"), "command_effect", 4),
    (one("argv: [python, main.py]\ncolour: red"), "command_unknown_key", 6),
    (one("argv: [python, main.py]") + "extra: 1\n", "commands_unknown_key", 6),
    (one("argv: [python, main.py]") + one("argv: [python, main.py]").split("\n", 1)[1], "command_twice", 6),
    ("a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n" for a, b in zip("abcdefg",
    "bcdefgh", strict=True)),
     "commands_too_big", 1),
    ("commands: !!python/object/apply:os.getcwd []\n", "commands_unknown_key", 0),
])
def test_every_fault_is_named_with_its_line(tmp_path: Path, text: str | bytes, code: str, line: int) -> None:
    problems = [(problem.code, problem.line) for problem in declared(tmp_path, text).problems]
    assert problems == ([(code, line)] if line else [])


def test_a_faulty_command_leaves_the_others_and_stands_in_the_load_report(folder: Path) -> None:
    (folder / "commands.yaml").write_text(COMMANDS.replace("name: sum", "name: Su m"))
    registry = SkillRegistry(folder.parent)
    assert [row["code"] for row in registry.check().rows] == ["command_name"]
    assert [spec.name for spec in registry.get("todo").commands] == ["add", "say", "stats", "many", "other"]
    row = registry.report.rows[0]
    assert row["line"] == 14 and row["path"].endswith("commands.yaml") and row["message"] and row["fix"]


def test_an_edited_file_is_read_again_without_a_restart(folder: Path) -> None:
    registry = SkillRegistry(folder.parent)
    registry.scan()
    assert len(registry.commands()) == 6
    (folder / "commands.yaml").write_text(COMMANDS.replace("name: stats", "name: statistics"))
    assert registry.commands()[3].name == "statistics"


@pytest.mark.parametrize(("name", "values", "argv"), [
    ("add", {"title": "milk"}, ["add", "milk"]),
    ("add", {"title": "a b; rm -rf /", "tag": "home"}, ["add", "a b; rm -rf /", "--tag", "home"]),
    ("add", {"title": "x", "note": "--n"}, ["add", "x", "--note=--n"]),
    ("add", {"title": "x", "urgent": True}, ["add", "x", "--urgent"]),
    ("add", {"title": "x", "urgent": "false"}, ["add", "x"]),
    ("sum", {"numbers": ["1", -2, 3.0]}, ["sum", "1", "-2", "3", "--places", "2"]),
    ("say", {"words": "-x {words}"}, ["say", "--", "-x {words}"]),
    ("many", {"tasks": [{"title": "买牛奶, \"now\""}]}, ["many", '--tasks=[{"title": "买牛奶, \\"now\\""}]']),
    ("many", {"tasks": ['{"title": "a"}'], "tags": ["home", "a,b"]}, ["many", '--tasks=[{"title": "a"}]', '--tags=["home", "a,b"]']),
    ("many", {"tasks": [{"title": "a"}], "tags": ["home", "v1.2"], "open": False},
     ["many", '--tasks=[{"title": "a"}]', "--tags=home,v1.2", "--open=false"]),
])
def test_arguments_are_built_as_single_words(folder: Path, name: str, values: dict[str, Any], argv: list[str]) -> None:
    assert specs(folder)[name].build_argv(values) == ["python", "main.py", *argv]


@pytest.mark.parametrize(("name", "values", "reason"), [
    ("add", {}, "title is missing"),
    ("add", {"title": "x" * 61}, "title must have 0 to 60 characters"),
    ("add", {"title": "--tag"}, "title must not begin with '-'"),
    ("add", {"title": "x", "tag": "garden"}, "tag must be one of home, work"),
    ("add", {"title": "x", "when": "now"}, "when is unknown"),
    ("add", {"title": 3}, "title must be text"),
    ("many", {"tasks": ["milk"]}, "tasks must be a JSON object"),
    ("many", {"tasks": [3]}, "tasks must be a JSON object"),
    ("many", {"tasks": [{"due": "x"}]}, "tasks must have the key title"),
    ("many", {"tasks": [{"title": float("nan")}]}, "tasks must be a JSON object"),
    ("add", {"title": "a\0b"}, "title must not contain a NUL"),
    ("sum", {"numbers": [1]}, "numbers must hold 2"),
    ("sum", {"numbers": [1, 100]}, "numbers must be 99 or less"),
    ("sum", {"numbers": [1, True]}, "numbers must be a whole number"),
    ("sum", {"numbers": [1, 1.5]}, "numbers must be a whole number"),
])
def test_a_value_that_does_not_fit_is_refused_by_name(folder: Path, name: str, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(SkillError) as caught:
        specs(folder)[name].build_argv(values)
    assert reason in str(caught.value.observation)


@pytest.mark.parametrize(("text", "argv"), [
    ("python main.py stats", ["stats"]),
    ("  python3   main.py  stats  ", ["stats"]),
    ("python ./main.py stats --json", ["stats", "--json"]),
    ("python main.py --json stats", ["--json", "stats"]),
    ("python '{folder}/main.py' stats", ["stats"]),
    ("'{python}' main.py stats", ["stats"]),
    ("python main.py add milk", ["add", "milk"]),
    ("python main.py add 'a; b && $(c) `d`' --tag=work", ["add", "a; b && $(c) `d`", "--tag", "work"]),
    ('python main.py add --urgent --tag home "two words"', ["add", "two words", "--tag", "home", "--urgent"]),
    ("python main.py add 买牛奶 '--note=a b'", ["add", "买牛奶", "--note=a b"]),
    ("python main.py sum 1 -2 3 --places 4", ["sum", "1", "-2", "3", "--places", "4"]),
    ("python main.py sum 1 2", ["sum", "1", "2", "--places", "2"]),
    ("python main.py say hello --json", ["--json", "say", "--", "hello"]),
    ("python main.py say -- --hello", ["say", "--", "--hello"]),
    ("python main.py add milk --note text", ["add", "milk", "--note=text"]),
    ("python main.py add --urgent true milk", ["add", "milk", "--urgent"]),
    ("python main.py many --tags 'a,b' --tasks '[{\"title\": \"a, b\"}]'", ["many", '--tasks=[{"title": "a, b"}]', "--tags=a,b"]),
    ("python main.py many '--tasks=[{\"title\": \"a\"}]' --open", ["many", '--tasks=[{"title": "a"}]', "--open=true"]),
    ("python main.py many --tasks='[{\"title\": \"a\"}]' --tags='[\"a,b\"]'", ["many", '--tasks=[{"title": "a"}]', '--tags=["a,b"]']),
])
def test_a_declared_command_is_recognised_and_rebuilt_from_its_declaration(folder: Path, text: str, argv: list[str]) -> None:
    registry = SkillRegistry(folder.parent)
    registry.scan()
    call = registry.match_command(text.replace("{folder}", str(folder)).replace("{python}", sys.executable), folder)
    assert call is not None
    assert call.argv == [sys.executable, str((folder / "main.py").resolve()), *argv]
    assert call.cwd == folder


@pytest.mark.parametrize("text", [
    "", "python", "python main.py", "python main.py nothing", "python main.py stats extra", "python main.py stats --force",
    "python main.py stats; rm -rf /", "python main.py stats && ls", "python main.py stats | sh", "python main.py stats > /etc/passwd",
    "python main.py stats &", "python main.py stats\nrm x", "python main.py stats $(rm x)", "python main.py stats `rm x`",
    "python main.py add $HOME", 'python main.py add "$HOME"', 'python main.py add "`id`"', "python main.py add *", "python main.py add a?b",
    "python main.py add [ab]", "python main.py add {a,b}", "python main.py add ~", "python main.py add a\\ b", "python main.py add 'open",
    'python main.py add "open', "python main.py add a # b", "python main.py add a\tb", "python main.py add 'a\u202eb'", 'python main.py add "a!b"',
    "X=1 python main.py stats", "sudo python main.py stats", "python -c 'import os' stats", "python -m main stats", "python -i main.py stats",
    "sh main.py stats", "/usr/bin/env python main.py stats", "./main.py stats", "pythonw main.py stats", "python other.py stats",
    "python ../main.py stats", "python /etc/passwd stats", "python main.js", "node main.js",
    "python main.py add --tag", "python main.py add milk --tag garden", "python main.py add milk --tag home --tag work",
    "python main.py add --json milk --json", "python main.py add milk bread", "python main.py add", "python main.py add --unknown milk",
    "python main.py add -- milk", "python main.py add milk --note", "python main.py sum 1", "python main.py sum 1 100",
    "python main.py sum 1 2 x", "python main.py sum 1 2 --places", "python main.py say --help", "python main.py stats --json --json",
    "python main.py stats --json=1", "python main.py many --tasks '[{\"title\": 1}'", "python main.py many --tasks '[1]'",
    "python main.py many --tasks '[]'", "python main.py many --tasks",
    "python\u3000main.py\u3000stats", "python main.py st''", "eval python main.py stats",
])
def test_everything_else_is_not_a_declared_command(folder: Path, text: str) -> None:
    registry = SkillRegistry(folder.parent)
    registry.scan()
    assert registry.match_command(text, folder) is None


def test_a_declared_script_must_be_the_skills_own_file(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "evil.py"
    outside.write_text("print(2)\n")
    registry = SkillRegistry(folder.parent)
    registry.scan()
    shutil.copy(outside, tmp_path / "main.py")
    assert registry.match_command("python main.py stats", tmp_path) is None
    assert registry.match_command("python skills/todo/main.py stats", tmp_path) is not None
    (folder / "main.py").unlink()
    (folder / "main.py").symlink_to(outside)
    assert registry.match_command("python main.py stats", folder) is None
    assert registry.match_command(f"python {outside} stats", folder) is None


def test_words_are_split_as_a_posix_shell_splits_them() -> None:
    for text in ("a b", "a 'b c'd\"e f\" ''", "--x='1 2'", "a=b c", "中文 “引号”", "1/3 + 1/6", 'a""b', " a "):
        assert split_plain(text) == shlex.split(text)


@pytest.mark.parametrize(("schema", "problem"), [
    ({"type": "integer", "minimum": 0}, ""), ({}, ""), ({"enum": ["a"]}, ""), ({"type": "array", "items": {"type": "number"}}, ""),
    ("integer", "must be a mapping"), ({"type": "objekt"}, "type must be one of"), ({"minimun": 1}, "unknown word 'minimun'"),
    ({"type": "integer", "minimum": "0"}, "minimum must be a number"), ({"maxLength": -1}, "maxLength must be a whole number"),
    ({"enum": []}, "enum must be a list"), ({"pattern": "("}, "pattern is not"), ({"type": "integer", "default": "x"}, "default must be"),
    ({"type": "array", "items": {"type": "array"}}, "items must not be arrays"), ({"type": "array", "items": {"x": 1}}, "items: unknown word"),
    ({"type": "object", "required": ["title"]}, ""), ({"type": "array", "items": {"type": "object"}}, ""),
    ({"type": "object", "required": "title"}, "required must list"), ({"type": "string", "required": ["title"]}, "required must list"),
])
def test_a_schema_is_checked_when_it_is_read(schema: Any, problem: str) -> None:
    found = schema_problem(schema)
    assert found.startswith(problem) and bool(found) == bool(problem)
