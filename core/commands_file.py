"""Reads and checks commands.yaml; every problem carries its line. PyYAML is imported when a file is read."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.commands import EFFECTS, CommandSpec, Phrase, placeholders
from core.phrases.usable import is_usable
from core.safe_pattern import pattern_problem
from core.schema_values import BadValue, fit, schema_problem
from core.skill_files import BadSkillFile, open_own

MAX_BYTES = 256 * 1024
_MAX_NODES = 50_000
_MAX_WORDS = 100  # of argv
_UNREADABLE = object()  # the value of a scalar that its tag does not fit, as in "!!bool soup"
_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*\Z")
_PARAMETER = re.compile(r"[a-z_][a-z0-9_]*\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PHRASE = {"phrase", "with", "where", "scale", "whole"}
_KNOWN = ("name", "description", "argv", "params", "required", "say", "effect")


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the file. `code` names the texts skills.CODE and skills.CODE_fix; `line` counts from 1."""

    code: str
    line: int
    values: Mapping[str, Any] = field(default_factory=dict)
    severity: str = "error"


@dataclass(frozen=True)
class CommandsFile:
    """What commands.yaml declares. A command with an error is left out and stands in `problems`."""

    commands: tuple[CommandSpec, ...] = ()
    serve: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class _Bad(Exception):
    def __init__(self, code: str, line: int, **values: Any) -> None:
        super().__init__(code)
        self.problem = Problem(code, line, values)


@dataclass(frozen=True)
class _Node:
    """A YAML value with its line; `value` of a mapping is {key: _Node}, of a list [_Node], else the scalar."""

    value: Any
    line: int

    def plain(self) -> Any:
        """The value without lines."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        return [node.plain() for node in self.value] if isinstance(self.value, list) else self.value


def read_commands(path: Path, skill: str) -> CommandsFile:
    """The commands that the file declares for `skill`. Never raises; a file that is absent declares nothing."""
    try:
        return _interpret(_compose(_read(path)), skill, path.parent)
    except FileNotFoundError:
        return CommandsFile()
    except BadSkillFile as error:
        return CommandsFile(problems=(Problem(error.code, 1),))
    except OSError as error:
        return CommandsFile(problems=(Problem("unreadable", 1, {"reason": error.strerror or str(error)}),))
    except _Bad as bad:
        return CommandsFile(problems=(bad.problem,))
    except Exception as error:  # noqa: BLE001  # a file that breaks the reader in a way not thought of must not take the other skills along
        return CommandsFile(problems=(Problem("commands_not_yaml", 1, {"reason": type(error).__name__}),))


def _read(path: Path) -> str:
    with open_own(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _Bad("commands_too_big", 1, limit=MAX_BYTES)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Bad("commands_encoding", 1) from error


def _compose(text: str) -> _Node:
    import yaml
    from yaml.constructor import SafeConstructor
    try:
        root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return _Reader(SafeConstructor()).read(root) if root is not None else _Node({}, 1)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _Bad("commands_not_yaml", mark.line + 1 if mark else 1, reason=str(error.problem or error.context)) from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise _Bad("commands_not_yaml", 1, reason=str(error).split("\n")[0]) from error


class _Reader:
    """Turns composed YAML into values with lines; bounded, so that aliases cannot blow it up."""

    def __init__(self, constructor: Any) -> None:
        self._constructor = constructor
        self._left = _MAX_NODES

    def read(self, node: Any) -> _Node:
        line = node.start_mark.line + 1
        self._left -= 1
        if self._left < 0:
            raise _Bad("commands_too_big", line, limit=MAX_BYTES)
        if node.id == "sequence":
            return _Node([self.read(one) for one in node.value], line)
        if node.id == "scalar":
            return _Node(self._scalar(node), line)
        found: dict[str, _Node] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value) if key_node.id == "scalar" else ""
            if not key or key in found:
                raise _Bad("commands_key", key_node.start_mark.line + 1, field=key or "?")
            found[key] = self.read(value_node)
        return _Node(found, line)

    def _scalar(self, node: Any) -> Any:
        try:
            return self._constructor.construct_object(node)
        except Exception:  # noqa: BLE001  # PyYAML raises KeyError, IndexError and others; the field's own check names it with its command
            return _UNREADABLE


def _interpret(root: _Node, skill: str, directory: Path) -> CommandsFile:
    if not isinstance(root.value, dict):
        raise _Bad("commands_shape", root.line)
    problems: list[Problem] = [Problem("commands_unknown_key", node.line, {"field": key}, "warning")
                               for key, node in root.value.items() if key not in ("commands", "serve")]
    listed = root.value.get("commands", _Node([], root.line))
    if not isinstance(listed.value, list):
        raise _Bad("commands_shape", listed.line)
    commands: dict[str, CommandSpec] = {}
    for node in listed.value:
        try:
            spec = _command(node, skill, directory, problems)
            if spec.name in commands:
                raise _Bad("command_twice", node.line, command=spec.name)
            commands[spec.name] = spec
        except _Bad as bad:
            problems.append(bad.problem)
        except Exception as error:  # noqa: BLE001  # one command that breaks a check must not take the others along
            problems.append(Problem("command_broken", node.line, {"reason": type(error).__name__}))
    serve: tuple[str, ...] = ()
    if "serve" in root.value:
        try:
            serve = _texts(root.value["serve"], "serve", "serve")
        except _Bad as bad:
            problems.append(bad.problem)
    return CommandsFile(tuple(commands.values()), serve, tuple(problems))


def _command(node: _Node, skill: str, directory: Path, problems: list[Problem]) -> CommandSpec:
    if not isinstance(node.value, dict):
        raise _Bad("command_shape", node.line)
    fields: dict[str, _Node] = node.value
    name = _text(fields, "name", "?", node.line)
    if not _NAME.match(name):
        raise _Bad("command_name", fields["name"].line, command=name)
    for key, value in fields.items():
        if key not in _KNOWN:
            problems.append(Problem("command_unknown_key", value.line, {"command": name, "field": key}, "warning"))
    params = _params(fields, name)
    spec = CommandSpec(
        skill, name, _text(fields, "description", name, node.line), _argv(fields, name, node.line), directory, params,
        _texts(fields["required"], name, "required") if "required" in fields else (),
        _say(fields["say"], name) if "say" in fields else (), _effect(fields, name, node.line, problems))
    _check_names(spec, fields, node.line)
    return spec


def _text(fields: Mapping[str, _Node], key: str, command: str, line: int) -> str:
    node = fields.get(key)
    if node is None:
        raise _Bad("command_missing", line, command=command, field=key)
    if not isinstance(node.value, str) or not node.value.strip():
        raise _Bad("command_text", node.line, command=command, field=key)
    return node.value.strip()


def _texts(node: _Node, command: str, key: str) -> tuple[str, ...]:
    items = node.value if isinstance(node.value, list) else [node]
    for item in items:
        if not isinstance(item.value, str) or not item.value or "\0" in item.value or not item.value.isascii() and _SURROGATE.search(item.value):
            raise _Bad("command_texts", item.line, command=command, field=key)
    return tuple(item.value for item in items)


def _say(node: _Node, command: str) -> tuple[str, ...]:
    """The phrases: a text, or a mapping of `phrase` and what it adds (with, where, scale, whole)."""
    phrases: list[str] = []
    for item in node.value if isinstance(node.value, list) else [node]:
        if not isinstance(item.value, dict):
            phrases.extend(_texts(item, command, "say"))
            continue
        parts = {key: part.plain() for key, part in item.value.items()}
        mappings = [parts.get(key, {}) for key in ("with", "where", "scale")]
        if "phrase" not in parts or parts.keys() - _PHRASE or not all(isinstance(one, dict) for one in mappings):
            raise _Bad("command_texts", item.line, command=command, field="say")
        given, where, scale = mappings
        phrases.append(Phrase(_texts(item.value["phrase"], command, "say")[0], given, where, scale, str(parts.get("whole", ""))))
    return tuple(phrases)


def _argv(fields: Mapping[str, _Node], command: str, line: int) -> tuple[str, ...]:
    if "argv" not in fields:
        raise _Bad("command_missing", line, command=command, field="argv")
    node = fields["argv"]
    if not isinstance(node.value, list) or not node.value:
        raise _Bad("command_texts", node.line, command=command, field="argv")
    argv = _texts(node, command, "argv")
    if len(argv) > _MAX_WORDS:
        raise _Bad("command_long", node.line, command=command, limit=_MAX_WORDS)
    if placeholders(argv[:1]) or argv[0] == "python" and placeholders(argv[1:2]):
        raise _Bad("command_program", node.line, command=command)
    return argv


def _params(fields: Mapping[str, _Node], command: str) -> dict[str, dict[str, Any]]:
    node = fields.get("params", _Node({}, 1))
    if not isinstance(node.value, dict):
        raise _Bad("command_params", node.line, command=command)
    params: dict[str, dict[str, Any]] = {}
    for name, schema in node.value.items():
        problem = schema_problem(schema.plain()) if _PARAMETER.match(name) else "the name must be lower case a-z, 0-9 and _"
        if problem:
            raise _Bad("command_schema", schema.line, command=command, name=name, problem=problem)
        params[name] = schema.plain()
    return params


def _effect(fields: Mapping[str, _Node], command: str, line: int, problems: list[Problem]) -> str:
    node = fields.get("effect")
    if node is not None and node.value in EFFECTS:
        return str(node.value)
    problems.append(Problem("command_effect", node.line if node else line, {"command": command, "allowed": ", ".join(EFFECTS)}, "warning"))
    return "destructive"


def _check_names(spec: CommandSpec, fields: Mapping[str, _Node], line: int) -> None:
    """Every placeholder is a parameter, every parameter is used once in argv, every slot of a phrase is a parameter."""
    used = placeholders(spec.argv)
    for name in used:
        if name not in spec.params or used.count(name) > 1:
            raise _Bad("command_placeholder", fields["argv"].line, command=spec.name, name=name)
    for name in (*spec.params, *spec.required):
        if name not in spec.params:
            raise _Bad("command_required", fields["required"].line, command=spec.name, name=name)
        if name not in used:
            raise _Bad("command_unused", fields["params"].value[name].line, command=spec.name, name=name)
    for place, phrase in zip(_phrase_lines(fields, line), spec.say, strict=True):
        wrong = _wrong_in(phrase, spec)
        if wrong:
            raise _Bad("command_say", place, command=spec.name, phrase=phrase, name=wrong)


def _wrong_in(phrase: str, spec: CommandSpec) -> str:
    """The parameter for which a phrase cannot be used, "?" when its words are at fault, "" when all is well."""
    slots = placeholders([phrase])
    more = phrase if isinstance(phrase, Phrase) else Phrase(phrase)
    wrong = [name for name in slots if name not in spec.params or slots.count(name) > 1 or name in more.given]
    wrong += [name for name in spec.required if name not in (*slots, *more.given) and "default" not in spec.params[name]]
    wrong += [name for name, pattern in more.where.items() if name not in slots or not isinstance(pattern, str) or _pattern_problem(pattern)]
    wrong += [name for name, factor in more.scale.items() if name not in slots or not isinstance(factor, int) or factor < 1]
    wrong += [more.whole] if more.whole and (more.whole not in slots or spec.params[more.whole].get("type", "string") != "string") else []
    for name, value in more.given.items():
        try:
            fit(value, spec.params[name])
        except (BadValue, KeyError):
            wrong.append(name)
    return wrong[0] if wrong else "" if is_usable(phrase, spec.params, spec.effect) else "?"


@lru_cache(maxsize=512)
def _pattern_problem(pattern: str) -> str:
    """As pattern_problem; phrases share their patterns, and the look at one takes milliseconds."""
    return pattern_problem(pattern)


def _phrase_lines(fields: Mapping[str, _Node], line: int) -> Iterator[int]:
    node = fields.get("say", _Node([], line))
    for item in node.value if isinstance(node.value, list) else [node]:
        yield item.line
