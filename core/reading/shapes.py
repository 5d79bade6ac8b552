"""Which action a JSON value asks for: names, aliases and nestings as data, and the checks that every argument passes."""
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.reading.strict_json import BadEscape, Damage, Number, Pairs, read_text

ACTIONS: Mapping[str, tuple[str, ...]] = {
    "view_skill": ("skill", "args"),
    "read_file": ("path", "offset", "limit", "numbers"),
    "write_file": ("path", "content", "append"),
    "run_command": ("command", "cwd", "timeout"),
    "answer": ("answer",),
}
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "view_skill": ("skill",),
    "read_file": ("path",),
    "write_file": ("path", "content"),
    "run_command": ("command",),
    "answer": ("answer",),
}
_OPTIONAL = {"args": "text", "offset": "integer", "limit": "integer", "numbers": "flag", "append": "flag", "cwd": "text", "timeout": "seconds"}
# Keys are compared squeezed: case, spaces, hyphens and underscores do not count.
_PATHS = {"filepath": "path", "filename": "path", "file": "path"}
_ALIASES: Mapping[str, Mapping[str, str]] = {
    "view_skill": {"skillname": "skill", "name": "skill"},
    "read_file": _PATHS,
    "write_file": _PATHS,
    "run_command": {"cmd": "command", "workdir": "cwd", "workingdir": "cwd", "workingdirectory": "cwd"},
    "answer": {"text": "answer", "content": "answer", "response": "answer", "finalanswer": "answer"},
}
_NAMES = {name.replace("_", ""): name for name in ACTIONS} | {"finalanswer": "answer"}
_CONTAINERS = ("actioninput", "args", "arguments", "parameters", "params", "input", "toolinput")
_CALLS = ("functioncall", "toolcall", "function")
_LISTS = ("actions", "toolcalls")
_WRAPPERS = ("response", "output", "result")
_NAME_KEYS = ("type", "name", "action", "tool")
_GENERIC_TYPES = ("function", "tool", "tooluse", "toolcall", "functioncall", "action")
# Extra fields are dropped, but not one whose loss would turn a harmless wish into a deed.
_HOLDS = {"dryrun": True, "simulate": True, "execute": False, "overwrite": False}
# Plain text, compiled at first use: an import costs every start.
_EXACT = ("command", "path", "skill", "cwd")
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_COMMAND_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
# C:\new and .\tools, written with single backslashes, arrive with a line break or a tab inside.
_EATEN_PATH = r"(?<!\w)[A-Za-z]:[\n\t](?=\w)|(?<![\w.])\.{1,2}\t(?=\w)"
_PLACEHOLDER = r"\s*(?:<[^<>|&;]+>|\.{3}|…)\s*"
_LEVELS = 3


class Refused(Exception):
    """No action may be taken. `kind` is a stable word, `detail` says what was wrong, `action` names the one it concerns."""

    def __init__(self, kind: str, detail: str, position: int | None = None, action: str = "") -> None:
        super().__init__(detail)
        self.kind, self.detail, self.position, self.action = kind, detail, position, action


class Found:
    """An action that passed every check. `flat`: the object was already in the shape that the prompt shows."""

    __slots__ = ("thought", "action", "arguments", "flat")

    def __init__(self, thought: str, action: str, arguments: dict[str, Any]) -> None:
        self.thought, self.action, self.arguments, self.flat = thought, action, arguments, False

    def same_deed(self, other: Found) -> bool:
        return (self.action, self.arguments) == (other.action, other.arguments)


def interpret(value: Any, thought: str = "", level: int = 0) -> Found | None:
    """The action that `value` asks for, or None when it asks for none. `thought` is lent to an object without its own.

    Raises Refused when it asks for one that may not be taken.
    """
    if isinstance(value, Pairs):
        return _interpret_object(value, thought, level)
    if isinstance(value, list) and value:
        first, lent = value[0], lone_thought(value[0])
        if lent is not None and len(value) > 1:
            first = value[1]
        if not isinstance(first, Pairs):
            return None
        return interpret(first, lent or thought, level + 1)
    return None


def lone_thought(value: Any) -> str | None:
    """The thought of an object that holds nothing else."""
    if isinstance(value, Pairs) and len(value) == 1 and _squeeze(value[0][0]) == "thought" and isinstance(value[0][1], str):
        return str(value[0][1])
    return None


def _interpret_object(pairs: Pairs, thought: str, level: int) -> Found | None:
    fields = _fields(pairs)
    own = fields.pop("thought", None)
    own = _inner_thought(fields) if own is None else own
    thought = _clean(own.text if isinstance(own, Number) else own, "thought") if isinstance(own, (str, Number)) else thought
    claims = _claims(fields)
    found = [_resolve(name, sources, thought) for name, sources in claims]
    found += _wrapped(fields, thought, level)
    if not found:
        return None
    if any(not other.same_deed(found[0]) for other in found[1:]):
        raise Refused("two_actions", "one object asks for two different actions")
    found[0].flat = level == 0 and _is_flat(pairs, found[0])
    return found[0]


def _inner_thought(fields: dict[str, Any]) -> Any:
    """The thought of an action that is given as an object or as the first of a list."""
    inner = fields.get("action") or fields.get("actions")
    first = inner[0] if isinstance(inner, list) and not isinstance(inner, Pairs) and inner else inner
    return _fields(first).get("thought") if isinstance(first, Pairs) else None


def _fields(pairs: Pairs) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        _put(fields, _squeeze(key), value, key)
    return fields


def _put(fields: dict[str, Any], name: str, value: Any, written: str) -> None:
    if name in fields and fields[name] != value:
        raise Refused("conflict", f"the field {written[:40]!r} was given twice with different values")
    fields[name] = value


def _squeeze(key: str) -> str:
    return "".join(key.split()).replace("_", "").replace("-", "").lower()


def _claims(fields: dict[str, Any]) -> list[tuple[Any, list[dict[str, Any]]]]:
    """Every (action name, fields that hold its arguments) that an object states."""
    claims: list[tuple[Any, list[dict[str, Any]]]] = []
    flat = {key: value for key, value in fields.items() if key not in (*_CALLS, *_LISTS, "action", "tool")}
    action = fields.get("action")
    if isinstance(action, Pairs):
        claims.append(_nested(action, flat))
    elif action is not None:
        claims.append((action, [flat]))
    for calls in (fields.get(key) for key in _LISTS):
        if isinstance(calls, list) and not isinstance(calls, Pairs) and calls:
            claims.append(_call(calls[0], flat))
    claims += [_nested(fields[key], flat) for key in _CALLS if isinstance(fields.get(key), Pairs)]
    claims += _named(fields, flat, bool(claims))
    return claims


def _named(fields: dict[str, Any], flat: dict[str, Any], claimed: bool) -> list[tuple[Any, list[dict[str, Any]]]]:
    """The actions named by tool, function or name, as other agents' formats do."""
    claims: list[tuple[Any, list[dict[str, Any]]]] = []
    filled = any(fields.get(key) is not None for key in _CONTAINERS)
    for key in ("tool", "function", "name"):
        name = fields.get(key)
        if not isinstance(name, str):
            continue
        known = _squeeze(name) in _NAMES
        if (known and key == "tool") or (known and filled) or (filled and not claimed):
            rest = {field: value for field, value in flat.items() if field != key}
            if known or not claimed:
                claims.append((name, [rest]))
                claimed = True
    return claims


def _call(item: Any, flat: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    """One element of a list of calls or actions."""
    if not isinstance(item, Pairs):
        raise Refused("unknown_action", "the list of actions does not hold objects")
    inner = _fields(item).get("function")
    return _nested(inner if isinstance(inner, Pairs) else item, flat)


def _nested(pairs: Pairs, flat: dict[str, Any]) -> tuple[Any, list[dict[str, Any]]]:
    """An action given as an object: {type or name, arguments}, or {its name: arguments}."""
    fields = _fields(pairs)
    fields.pop("thought", None)
    stated = {key: fields[key] for key in _NAME_KEYS if isinstance(fields.get(key), str)}
    known = [key for key in stated if _squeeze(stated[key]) in _NAMES]
    if known:
        names = {_NAMES[_squeeze(stated[key])] for key in known}
        if len(names) > 1:
            raise Refused("two_actions", "the action is given two names")
        return stated[known[0]], [{key: value for key, value in fields.items() if key not in known}, flat]
    keyed = [key for key in fields if key in _NAMES]
    if len(keyed) == 1 and all(_squeeze(name) in _GENERIC_TYPES for name in stated.values()):
        return keyed[0], [{"actioninput": fields[keyed[0]]}, flat]
    specific = [name for name in stated.values() if _squeeze(name) not in _GENERIC_TYPES]
    return (specific[0] if specific else None), []


def _wrapped(fields: dict[str, Any], thought: str, level: int) -> list[Found]:
    if level >= _LEVELS:
        return []
    values = [fields[key] for key in _WRAPPERS if isinstance(fields.get(key), list)]
    return [found for value in values if (found := interpret(value, thought, level + 1))]


def _resolve(stated: Any, sources: list[dict[str, Any]], thought: str) -> Found:
    action = _NAMES.get(_squeeze(stated)) if isinstance(stated, str) else None
    if action is None:
        raise Refused("unknown_action", f"there is no action {stated[:40]!r}" if isinstance(stated, str) else "the action has no name")
    given: dict[str, Any] = {}
    for source in sources:
        _gather(action, source, given)
    for key, held in _HOLDS.items():
        if any(source.get(key) is held for source in (*sources, given)):
            raise Refused("wrong_type", f"the field {key!r} is not supported, so the action was not taken", action=action)
    arguments = {name: _required(action, name, given.get(name)) for name in REQUIRED[action]}
    optional = {name: _optional(action, name, given.get(name)) for name in ACTIONS[action][len(REQUIRED[action]) :]}
    extra = {name: value for name, value in optional.items() if value is not None}
    return Found(thought, action, {**arguments, **extra})


def _gather(action: str, source: dict[str, Any], given: dict[str, Any]) -> None:
    """Put the arguments that `source` holds, flat or in a container, into `given` under their canonical names."""
    aliases = _ALIASES[action]
    has_skill = action == "view_skill" and any(source.get(key) is not None for key in ("skill", "skillname", "name"))
    for key, value in source.items():
        if key in _CONTAINERS and not (key == "args" and has_skill and isinstance(value, str)):
            for inner, argument in _contained(action, value).items():
                _argument(action, aliases.get(inner, inner), argument, given)
        else:
            _argument(action, aliases.get(key, key), value, given)


def _argument(action: str, name: str, value: Any, given: dict[str, Any]) -> None:
    if value is None:
        return
    if name == "mode" and action == "write_file":
        _put(given, "append", _append_mode(value), name)
    elif name in ACTIONS[action] or name in _HOLDS:
        _put(given, name, value, name)


def _append_mode(mode: Any) -> bool:
    word = _squeeze(mode) if isinstance(mode, str) else ""
    if word not in ("a", "append", "w", "write", "overwrite"):
        raise Refused("wrong_type", "mode is not a field of write_file: use append", action="write_file")
    return word in ("a", "append")


def _contained(action: str, value: Any) -> dict[str, Any]:
    """The arguments inside a container: an object, JSON text of one, or a bare string for an action with one field."""
    if isinstance(value, Pairs):
        return _fields(value)
    if value is None or value == [] or value == "":
        return {}
    if isinstance(value, str):
        if value.lstrip()[:1] in ("{", "["):
            return _fields(_json_text(action, value))
        if len(REQUIRED[action]) == 1:
            return {REQUIRED[action][0]: value}
    raise Refused("wrong_type", f"the arguments of {action} must be an object", action=action)


def _json_text(action: str, text: str) -> Pairs:
    try:
        value = None if isinstance(text, BadEscape) else read_text(text)
    except Damage as error:
        raise Refused("broken_json", "the JSON text in the arguments is damaged or cut off", action=action) from error
    if not isinstance(value, Pairs):
        raise Refused("wrong_type", f"the arguments of {action} must be one object", action=action)
    return value


def _required(action: str, name: str, value: Any) -> str:
    if value is None:
        raise Refused("missing_field", f"{action} needs the field {name!r}", action=action)
    if action == "answer" and isinstance(value, Number) and value.text[-1].isdigit():
        return value.text
    if not isinstance(value, str):
        raise Refused("wrong_type", f"the field {name!r} must be one string", action=action)
    if name != "content" and not value.strip():
        raise Refused("missing_field", f"the field {name!r} is blank", action=action)
    if name in _EXACT and re.fullmatch(_PLACEHOLDER, value):
        raise Refused("missing_field", f"the field {name!r} holds a placeholder", action=action)
    return _clean(value, name, action)


def _clean(value: str, name: str, action: str = "") -> str:
    """The text, safe to encode. Raises Refused for characters and escapes that may have changed what was meant."""
    if "\0" in value:
        raise Refused("bad_escape", f"the field {name!r} holds a NUL character", action=action)
    if name in _EXACT:
        if isinstance(value, BadEscape):
            raise Refused("bad_escape", f"an invalid escape in {name!r}: write each backslash twice", value.position, action)
        control = _COMMAND_CONTROL if name == "command" else _CONTROL
        if re.search(control, value) or (name == "command" and re.search(_EATEN_PATH, value)):
            raise Refused("bad_escape", f"{name!r} holds control characters: write each backslash twice", action=action)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return str(value)


def _optional(action: str, name: str, value: Any) -> str | int | float | bool | None:
    kind = _OPTIONAL[name]
    if value is None or value == "":
        return None
    text = value.text if isinstance(value, Number) else value.strip() if isinstance(value, str) else ""
    if kind == "text" and isinstance(value, str):
        return _clean(value, name, action) if text else None
    if kind == "flag" and (isinstance(value, bool) or text.lower() in ("true", "false")):
        return value is True or text.lower() == "true"
    if kind == "integer" and re.fullmatch(r"-?[0-9]{1,12}(?:\.0+)?", text):
        return int(text.split(".")[0])
    if kind == "seconds" and re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text) and float(text) > 0:
        return float(text) if "." in text else int(text)
    raise Refused("wrong_type", f"the field {name!r} must be {_WANTED[kind]}", action=action)


_WANTED = {"text": "a string", "flag": "true or false", "integer": "a whole number", "seconds": "a positive number of seconds"}


def _is_flat(pairs: Pairs, found: Found) -> bool:
    """Whether the object, as written, is the canonical one: every key canonical, every value of its own type and unchanged."""
    written = dict(pairs)
    if len(written) != len(pairs) or set(written) != {"thought", "action", *found.arguments} or written["action"] != found.action:
        return False
    if written["thought"] != found.thought:
        return False
    return all(_unchanged(written[name], value) for name, value in found.arguments.items())


def _unchanged(written: Any, value: Any) -> bool:
    if isinstance(written, Number):
        return not isinstance(value, str) and written.text == str(value)
    return type(written) is type(value) and bool(written == value)
