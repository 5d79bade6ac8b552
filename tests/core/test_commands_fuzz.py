"""Whatever stands in commands.yaml, and whatever is typed: no exception, and every command that is accepted can be used."""
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.commands_file import read_commands
from core.errors import SkillError
from core.offline import OfflineModel
from core.skills import SkillRegistry
from core.suggestion import suggest

SCALARS = st.sampled_from([
    "a", "n", "5", "-1", "1.5", ".nan", ".inf", "null", "~", "true", "''", "'{n}'", "'{x}'", "'x{n}{x}y'", "'go {n} now'", "'{x} k'", "'煮{x}'",
    "--", "-f", "string", "integer", "number", "boolean", "array", "read", "write", "python", "main.py", "2031-05-06", "!!bool foo", "!!int ''",
    "!!float ''", "!!timestamp x", "!!binary x", "!!python/name:os.system ''", "!odd x", "'(a+)+$'", "'[a-z]+'", "'.*'", "'(('", "0x" + "f" * 4000,
    '"\\ud800"', "&q z", "*q", "[", '"\\0"',
])
WORDS_OF_SCHEMAS = ["type", "enum", "minimum", "maxLength", "items", "pattern", "default"]
KEYS = st.sampled_from([*WORDS_OF_SCHEMAS, "maximum", "maxItems", "description", "n", "x", "!!int z", "? [a]"])


def listed(items: list[str]) -> str:
    return f"[{', '.join(items)}]"


def mapped(pairs: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}"


NODES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4).map(listed)
                     | st.dictionaries(KEYS, inner, max_size=4).map(mapped), max_leaves=10)
SCHEMAS = st.dictionaries(st.sampled_from(WORDS_OF_SCHEMAS), NODES, max_size=3).map(mapped)
FIELDS = st.fixed_dictionaries({}, optional={
    "name": st.just("cook") | NODES, "description": st.just("d") | NODES, "effect": st.just("read") | NODES, "required": st.just("[n]") | NODES,
    "argv": st.lists(SCALARS, max_size=5).map(lambda words: listed(["python", "main.py", *words])) | NODES,
    "params": st.builds("{{n: {}, x: {}}}".format, SCHEMAS, SCHEMAS) | NODES, "say": st.lists(SCALARS, max_size=3).map(listed) | NODES})
SOUND = {"name": "cook", "description": "d", "effect": "read"}
SPOKEN = ["a", "n", "5", "-1", "1.5", "true", "--", "-f", "-f=a", "--json", "x5ay", "'a b'", "", "aaaa" * 9, "煮", "go", "now", "string"]
WORDS = st.lists(st.sampled_from(SPOKEN), max_size=9)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        skill = Path(place) / "soup"
        skill.mkdir()
        (skill / "SKILL.md").write_text("---\nname: soup\ndescription: Cooks.\n---\nBody.\n")
        (skill / "main.py").write_text("")
        yield skill


def use(folder: Path, text: str, words: list[str]) -> str:
    """Everything that the program does with a declaration; the action that the embedded model takes in the end."""
    (folder / "commands.yaml").write_text(text, encoding="utf-8")
    found = read_commands(folder / "commands.yaml", "soup")
    registry = SkillRegistry(folder.parent)
    assert all(row["message"] and row["fix"] for row in registry.check().rows)
    request = " ".join(words)
    call = registry.match_command(f"python main.py {request}", folder)
    if call is not None:
        assert call.spec in found.commands and call.argv[1] == str((folder / "main.py").resolve())
    for spec in found.commands:
        try:
            assert all(isinstance(word, str) for word in spec.build_argv({"n": words[0]} if words else {}))
        except SkillError as error:
            assert error.message
    assert isinstance(suggest(request, registry), str)
    return str(OfflineModel(registry).reply([{"role": "user", "content": request}])["action"])


@settings(max_examples=250, deadline=None)
@given(st.lists(st.one_of(FIELDS, FIELDS.map(lambda fields: {**fields, **SOUND})), min_size=1, max_size=3), WORDS)
def test_random_declarations_raise_nothing(folder: Path, commands: list[dict[str, str]], words: list[str]) -> None:
    text = "commands:\n"
    for number, fields in enumerate(commands):
        named = {**fields, **({"name": f"cook{number}"} if fields.get("name") == "cook" else {})}
        text += "".join(f"  {'-' if place == 0 else ' '} {key}: {value}\n" for place, (key, value) in enumerate(named.items())) or "  - {}\n"
    assert use(folder, text, words) in ("answer", "view_skill")


@settings(max_examples=100, deadline=None)
@given(NODES | st.text(max_size=60), WORDS)
def test_random_files_raise_nothing(folder: Path, text: str, words: list[str]) -> None:
    assert use(folder, text.encode("utf-8", "replace").decode(), words) in ("answer", "view_skill")


SHAPES = ["{a}", "{b}", "{c}", "{d}", "{e}", "--f", "--x={g}", "-", "--", "word", "{h}-{i}", "{j}x{k}x{l}"]
ELEMENTS = st.lists(st.sampled_from(SHAPES), max_size=12, unique=True)
TYPES = st.sampled_from(["{}", "{type: integer}", "{type: boolean}", "{type: array}", "{type: array, items: {type: number}}", "{enum: [w, x]}",
                         "{pattern: '^w+$'}"])


@settings(max_examples=250, deadline=None)
@given(ELEMENTS, st.lists(TYPES, min_size=12, max_size=12), st.lists(st.sampled_from("abcdehijkl"), max_size=2),
       st.lists(st.sampled_from(["w", "5", "-1", "--f", "--x=5", "--", "word", "w-w", "xxxx" * 50, "5x5x5", "true", "-"]), max_size=30))
def test_a_match_of_random_words_ends_and_is_built_from_the_declaration(folder: Path, elements: list[str], types: list[str], required: list[str],
                                                                         words: list[str]) -> None:
    names = [name for name in "abcdeghijkl" if any(f"{{{name}}}" in element for element in elements)]
    params = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types, strict=False))
    (folder / "commands.yaml").write_text(
        "commands:\n  - name: any\n    description: d\n    effect: read\n    argv: [python, main.py" + "".join(f", '{one}'" for one in elements)
        + f"]\n    params: {{{params}}}\n    required: [{', '.join(name for name in dict.fromkeys(required) if name in names)}]\n")
    registry = SkillRegistry(folder.parent)
    assert registry.check().rows == []
    call = registry.match_command("python main.py " + " ".join(words), folder)
    if call is not None:
        assert [word for word in call.argv[2:] if word != "--json"] == call.spec.build_argv(call.values)[2:]
