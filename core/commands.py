"""A skill's commands as data: reads commands.yaml, builds argument lists, recognises a command text that is a declared one.

Placeholders ({n}) become single arguments, never text for a shell. The rules for optional parameters, lists and switches
stand in docs/writing-a-skill.md. PyYAML is imported when a file is read, not before.
"""
from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from core.errors import SkillError
from core.schema_values import BadValue, fit

MAX_COMMAND = 32_000
EFFECTS = ("read", "write", "destructive", "network")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_PLAIN_WORDS = re.compile(r"""(?:[^\s'"\\$`;&|<>()*?\[\]{}~#!%^]|'[^']*'|"[^"\\$`!%]*")+""")
_OPTION = re.compile(r"-+[^\W\d]|--\Z")
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_ATTACHED = re.compile(r"(--[^={}]+)=\{([A-Za-z_]\w*)\}")
_SIMPLE_ITEM = re.compile(r"[^\W_][\w.+-]*", re.ASCII)  # what no reader of a list could take for a separator, a quote or JSON


class Phrase(str):
    """A phrase of `say` that says more than its words: `given` are values that it sets, `where` patterns that narrow its slots, `scale`
    factors for numbers (两小时 as minutes), `whole` the slot that gets the whole request, the words of the phrase included."""

    given: Mapping[str, Any]
    where: Mapping[str, str]
    scale: Mapping[str, int]
    whole: str

    def __new__(cls, text: str, given: Mapping[str, Any] | None = None, where: Mapping[str, str] | None = None,
                scale: Mapping[str, int] | None = None, whole: str = "") -> Phrase:
        phrase = super().__new__(cls, text)
        phrase.given, phrase.where, phrase.scale, phrase.whole = given or {}, where or {}, scale or {}, whole
        return phrase


@dataclass(frozen=True)
class CommandSpec:
    """One declared command. `argv` holds the placeholders, `params` JSON Schema properties, `say` phrases with slots (each a str or a Phrase)."""

    skill: str
    name: str
    description: str
    argv: tuple[str, ...]
    directory: Path
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    say: tuple[str, ...] = ()
    effect: str = "destructive"

    def validate(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values as their types, defaults filled in. Raises SkillError which names the parameter and what is allowed."""
        typed: dict[str, Any] = {}
        for name in values:
            if name not in self.params:
                raise self._bad(name, BadValue("unknown", known=", ".join(self.params) or "-"))
        for name, schema in self.params.items():
            value = values.get(name, schema.get("default"))
            if value is None:
                if name in self.required:
                    raise self._bad(name, BadValue("missing"))
                continue
            try:
                typed[name] = fit(value, schema)
            except BadValue as error:
                raise self._bad(name, error) from error
        return typed

    def build_argv(self, values: Mapping[str, Any]) -> list[str]:
        """The argument list for these values, `argv[0]` and the script as declared. Raises SkillError as validate does."""
        typed = self.validate(values)
        words: list[str] = []
        literal_only = False
        for index, element in enumerate(self.argv):
            names = _PLACEHOLDER.findall(element)
            if any(name not in typed for name in names):
                continue
            if not names:
                if not self._is_dropped_flag(index, typed):
                    words.append(element)
                literal_only = literal_only or element == "--"
            elif _PLACEHOLDER.fullmatch(element):
                words.extend(self._whole(index, names[0], typed[names[0]], literal_only))
            else:
                word = _PLACEHOLDER.sub(lambda match: _joined(typed[match[1]]), element)
                self._refuse_option(names[0], word, not element.startswith("-") and not literal_only)
                words.append(word)
        return words

    def _is_dropped_flag(self, index: int, typed: Mapping[str, Any]) -> bool:
        """A flag goes with the placeholder after it when that parameter is absent, or a switch that is off."""
        name = flag_parameter(self.argv, index)
        return bool(name) and (name not in typed or typed[name] is False)

    def _whole(self, index: int, name: str, value: Any, literal_only: bool) -> list[str]:
        if isinstance(value, bool) and flag_parameter(self.argv, index - 1) == name:
            return []
        items = value if isinstance(value, list) else [value]
        for item in items:
            self._refuse_option(name, _text(item), isinstance(item, str) and not literal_only)
        return [_text(item) for item in items]

    def _refuse_option(self, name: str, word: str, could_be_read_as_one: bool) -> None:
        """A text value must not turn into an option of the script."""
        if could_be_read_as_one and word.startswith("-"):
            raise self._bad(name, BadValue("dash"))

    def _bad(self, name: str, problem: BadValue) -> SkillError:
        command = f"{self.skill} {self.name}"
        return SkillError("skills.bad_value", f"{command}: {name} {problem.say('en')}.", command=command, name=name, problem=problem)


@dataclass(frozen=True)
class DeclaredCall:
    """A command text that is exactly a declared command: `argv` runs without a shell, in `cwd`."""

    spec: CommandSpec
    values: dict[str, Any]
    argv: list[str]
    cwd: Path


def flag_parameter(argv: Sequence[str], index: int) -> str:
    """The parameter of the flag at `index`: a literal that begins with "-", followed by a whole placeholder. "" if none."""
    if not 0 <= index < len(argv) - 1 or not argv[index].startswith("-") or argv[index] == "--" or _PLACEHOLDER.search(argv[index]):
        return ""
    match = _PLACEHOLDER.fullmatch(argv[index + 1])
    return match[1] if match else ""


def placeholders(argv: Sequence[str]) -> list[str]:
    """The names of all placeholders, in order."""
    return [name for element in argv for name in _PLACEHOLDER.findall(element)]


def split_plain(command: str) -> list[str] | None:
    """The words of a command text that every POSIX shell reads the same way, or None where a shell would do more than split.

    No substitution, redirection, chaining, globbing, expansion, escape, comment or control character.
    """
    if len(command) > MAX_COMMAND or not command.isprintable():
        return None
    words: list[str] = []
    for chunk in _split_outside_quotes(command):
        if not _PLAIN_WORDS.fullmatch(chunk):
            return None
        words.append(_QUOTED.sub(lambda match: match[1] if match[1] is not None else match[2], chunk))
    return words


def _split_outside_quotes(command: str) -> Iterator[str]:
    for match in re.finditer(r"""(?:'[^']*'|"[^"]*"|[^ '"]|['"])+""", command.strip(" ")):
        yield match[0]


def script_of(words: Sequence[str], cwd: Path) -> Path | None:
    """The real path of the script when the words are `python FILE …` with the agent's own interpreter; None otherwise."""
    if len(words) < 2 or words[0] not in ("python", "python3", sys.executable) or words[1].startswith("-"):
        return None
    try:
        script = (cwd / words[1]).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return script if script.is_file() else None


def declared_script(spec: CommandSpec) -> Path | None:
    """The real path of the Python file that the command runs, when it lies inside the skill's folder; None otherwise."""
    if len(spec.argv) < 2 or spec.argv[0] != "python":
        return None
    folder = spec.directory.resolve()
    try:
        script = (folder / spec.argv[1]).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return script if script.is_file() and script.is_relative_to(folder) else None


def match_words(spec: CommandSpec, words: Sequence[str], script: Path, cwd: Path) -> DeclaredCall | None:
    """The call that `words` (python, script, arguments) stand for, when they are this command with valid values."""
    if declared_script(spec) != script:
        return None
    arguments, json_first, json_last = _take_json(spec, list(words[2:]))
    found = _read_arguments(spec, arguments)
    if found is None:
        return None
    try:
        values = spec.validate(found)
        built = spec.build_argv(values)
    except SkillError:
        return None
    argv = [sys.executable, str(script), *(["--json"] if json_first else []), *built[2:], *(["--json"] if json_last else [])]
    return DeclaredCall(spec, values, argv, cwd)


def _take_json(spec: CommandSpec, arguments: list[str]) -> tuple[list[str], bool, bool]:
    """The arguments without one leading or trailing --json, and whether the call gets it first or last."""
    if "--json" in spec.argv:
        return arguments, False, False
    if arguments[:1] == ["--json"]:
        return arguments[1:], True, False
    if arguments[-1:] == ["--json"] and "--" not in arguments:
        return arguments[:-1], "--" in spec.argv, "--" not in spec.argv
    return arguments, False, False


def _read_arguments(spec: CommandSpec, arguments: Sequence[str]) -> dict[str, Any] | None:
    """The raw values of the arguments; flags may stand anywhere before a `--`, everything else in the declared order."""
    flags = {spec.argv[index]: flag_parameter(spec.argv, index) for index in range(2, len(spec.argv)) if flag_parameter(spec.argv, index)}
    attached_to = {match[1]: match[2] for element in spec.argv[2:] if (match := _ATTACHED.fullmatch(element))}
    shape = [element for index, element in enumerate(spec.argv)
             if index >= 2 and element not in flags and spec.argv[index - 1] not in flags and not _ATTACHED.fullmatch(element)]
    flags |= attached_to
    values: dict[str, Any] = {}
    rest: list[str] = []
    index = 0
    while index < len(arguments):
        word, index = arguments[index], index + 1
        flag, equals, attached = word.partition("=")
        if "--" in rest or flag not in flags:
            rest.append(word)
            continue
        name = flags[flag]
        taken = [attached] if equals else _flag_values(spec.params[name], arguments[index:])
        if name in values or taken is None:
            return None
        index += 0 if equals else len(taken)
        if spec.params[name].get("type") == "array":
            values[name] = _listed(taken[0]) if equals or flag in attached_to and len(taken) == 1 else taken
        else:
            values[name] = taken[0] if taken else True
    return values if _Positions(spec, shape, rest).read(0, 0, values) else None


def _flag_values(schema: Mapping[str, Any], following: Sequence[str]) -> list[str] | None:
    """The words that a flag takes: a switch true or false or none, a list all up to the next flag, else one; None when there is none."""
    if schema.get("type") == "boolean":
        return [word for word in following[:1] if word in ("true", "false")]
    if schema.get("type") != "array":
        return list(following[:1]) or None
    return list(itertools.takewhile(lambda word: not word.startswith("--"), following)) or None


class _Positions:
    """Reads words that stand in the declared order. What failed once at a place is not tried there again."""

    def __init__(self, spec: CommandSpec, shape: Sequence[str], words: Sequence[str]) -> None:
        self._spec, self._shape, self._words = spec, shape, words
        self._failed: set[tuple[int, int]] = set()

    def read(self, item: int, place: int, values: dict[str, Any]) -> bool:
        """Fill `values` from the words after `place`; whether they all fit and none is left."""
        if (item, place) in self._failed:
            return False
        if self._fits(item, place, values):
            return True
        self._failed.add((item, place))
        return False

    def _fits(self, item: int, place: int, values: dict[str, Any]) -> bool:
        if item == len(self._shape):
            return place == len(self._words)
        element, word = self._shape[item], self._words[place] if place < len(self._words) else None
        names = _PLACEHOLDER.findall(element)
        if element == "--" and "--" not in self._words[place:]:
            return not any(_OPTION.match(one) for one in self._words[place:]) and self.read(item + 1, place, values)
        if not names:
            return word == element and self.read(item + 1, place + 1, values)
        if _PLACEHOLDER.fullmatch(element) and self._spec.params[names[0]].get("type") == "array":
            return self._list(names[0], item, place, values)
        captured = _capture(self._spec, element, word) if word is not None else None
        if captured is not None and not any(name in values for name in captured):
            trial = {**values, **captured}
            if self.read(item + 1, place + 1, trial):
                values.update(trial)
                return True
        return all(name not in self._spec.required for name in names) and self.read(item + 1, place, values)

    def _list(self, name: str, item: int, place: int, values: dict[str, Any]) -> bool:
        for count in range(len(self._words) - place, -1, -1):
            trial = {**values, name: list(self._words[place:place + count])} if count else dict(values)
            if (count or name not in self._spec.required) and self.read(item + 1, place + count, trial):
                values.update(trial)
                return True
        return False


def _capture(spec: CommandSpec, element: str, word: str) -> dict[str, Any] | None:
    """The values of an element's placeholders in a word, each as long as it can be, the first before the others."""
    parts = _PLACEHOLDER.split(element)
    first, last, end = parts[0], parts[-1], len(word) - len(parts[-1])
    if not word.startswith(first) or not word.endswith(last) or end < len(first):
        return None
    texts: dict[str, str] = {}
    for index in range(len(parts) - 3, 0, -2):
        place = word.rfind(parts[index], len(first), end)
        if place < 0:
            return None
        texts[parts[index + 1]] = word[place + len(parts[index]):end]
        end = place
    texts[parts[1]] = word[len(first):end]
    return {name: _listed(text) if spec.params[name].get("type") == "array" else text for name, text in texts.items()}


def _listed(text: str) -> list[Any]:
    """The items of a list that stands in one word: a JSON array, or items with commas between them."""
    if text.startswith("["):
        try:
            return list(json.loads(text))
        except (ValueError, RecursionError):
            return [text]
    return text.split(",")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return format(Decimal(repr(value)), "f") if isinstance(value, float) else str(value)


def _joined(value: Any) -> str:
    """A list in one word: with commas where every item is plain, else as JSON, so that an item may hold a comma or be an object."""
    if not isinstance(value, list):
        return _text(value)
    if value and all(not isinstance(one, str | dict) or isinstance(one, str) and _SIMPLE_ITEM.fullmatch(one) for one in value):
        return ",".join(_text(one) for one in value)
    return json.dumps(value, ensure_ascii=False)
