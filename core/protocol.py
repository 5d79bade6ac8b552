"""The reply protocol: a model's reply becomes one Step or is refused with words that help the model to do better.

Only what the model certainly meant is taken; nothing is repaired by guessing. The rules stand in docs/protocol.md.
"""
from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.errors import ProtocolError
from core.reading.shapes import ACTIONS, REQUIRED, Found, Refused, interpret
from core.reading.strict_json import Damage, read_strict, read_text

__all__ = ["ACTIONS", "KINDS", "ProtocolError", "Step", "parse", "reply_schema"]

KINDS = (
    "empty", "no_object", "no_action", "cut_off", "broken_json", "too_deep", "bad_escape", "unknown_action", "missing_field", "wrong_type",
    "conflict", "two_actions", "not_meant", "only_reasoning", "invented_observation", "runaway",
)  # fmt: skip
_CUT_KINDS = ("empty", "no_object", "no_action", "cut_off", "only_reasoning")
_BLANKS = " \t\r\n\ufeff\u200b\u200c\u200d\u2060\xa0\u3000"
_SHORT_REPLY = 200
_EXAMPLES = {
    "view_skill": {"thought": "open it", "action": "view_skill", "skill": "NAME"},
    "read_file": {"thought": "look", "action": "read_file", "path": "a.txt"},
    "write_file": {"thought": "save", "action": "write_file", "path": "a.txt", "content": "line 1\n"},
    "run_command": {"thought": "list", "action": "run_command", "command": "ls -la"},
    "answer": {"thought": "done", "action": "answer", "answer": "It works."},
}
_ESCAPED = {"thought": "quotes", "action": "answer", "answer": 'Say "hi"'}
_BACKSLASH = {"thought": "path", "action": "read_file", "path": "C:\\new\\a.txt"}
_IN_PARTS = {"thought": "part 2", "action": "write_file", "path": "a.md", "content": "next part", "append": True}


@dataclass(frozen=True)
class Step:
    """One turn of the model. `arguments` holds the required arguments of `action` and the optional ones that were given.

    `source` is JSON text for the history: the object as written when it was clean, its canonical flat form otherwise.
    """

    thought: str
    action: str
    arguments: Mapping[str, Any]
    source: str

    def to_dict(self) -> dict[str, Any]:
        """The flat object of the protocol: thought, action, then the arguments."""
        return {"thought": self.thought, "action": self.action, **self.arguments}


def parse(reply: str, finish_reason: str | None = None) -> Step:
    """The step that `reply` asks for. `finish_reason` is the endpoint's, "length" when the token limit cut the reply, or the client's
    "runaway" when it repeated itself and was stopped.

    Raises ProtocolError, and nothing else, when there is no action that may be taken.
    """
    try:
        found, source = _decide(reply)
    except (Refused, Damage) as error:
        raise _refusal(reply, finish_reason, error) from None
    flat = {"thought": found.thought, "action": found.action, **found.arguments}
    return Step(found.thought, found.action, found.arguments, source or json.dumps(flat, ensure_ascii=False))


def _decide(reply: str) -> tuple[Found, str]:
    """The action of `reply`, and its object as written when that was clean."""
    whole = reply.strip(_BLANKS)
    if not whole:
        raise Refused("empty", "the reply is blank")
    if whole[0] in '{["' and (read := read_strict(whole)):
        encoded = isinstance(read[0], str)
        found = interpret(read_text(read[0]) if encoded else read[0])
        if found is None:
            raise Refused("no_action", "the JSON holds no action", reply.index(whole))
        return found, whole if found.flat and not encoded else ""
    # Most replies are clean, and the patterns of the search take longer to compile than a whole step.
    from core.reading.scan import scan

    hit = scan(reply)
    if hit.found is None:
        raise Refused("no_action", "no object of the reply has an action")
    return hit.found, reply[hit.start : hit.end] if hit.found.flat and hit.standard else ""


@lru_cache(maxsize=32)
def reply_schema(skill_names: tuple[str, ...], thought_limit: int = 300, *, barred: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The JSON schema of one reply, for servers that constrain the output by a grammar.

    `barred` are actions that it leaves out. The same arguments give the same object: do not change it.
    `thought_limit` (characters) keeps the grammar small and a rambling model short; every other text is unbounded.
    """
    thought = {"type": "string", "maxLength": thought_limit}
    shapes = []
    for action, names in ACTIONS.items():
        if action in barred or (action == "view_skill" and not skill_names):
            continue
        properties: dict[str, Any] = {"thought": thought, "action": {"type": "string", "const": action}}
        properties |= {name: _PROPERTIES[name] for name in names if name not in _UNOFFERED}
        if action == "view_skill":
            properties["skill"] = {"type": "string", "enum": list(skill_names)}
        required = ["thought", "action", *REQUIRED[action]]
        shapes.append({"type": "object", "properties": properties, "required": required, "additionalProperties": False})
    return {"anyOf": shapes}


# Accepted when a model writes them, not offered to one whose output is constrained: weak models fill in whatever they are offered.
_UNOFFERED = {"args", "numbers", "cwd", "timeout"}
_TEXT = {"type": "string", "minLength": 1}
_PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "skill": _TEXT, "args": {"type": "string"}, "path": _TEXT, "offset": {"type": "integer"}, "limit": {"type": "integer"},
    "numbers": {"type": "boolean"}, "content": {"type": "string"}, "append": {"type": "boolean"}, "command": _TEXT, "cwd": {"type": "string"},
    "timeout": {"type": "number"}, "answer": _TEXT,
}  # fmt: skip


def _refusal(reply: str, finish_reason: str | None, error: Refused | Damage) -> ProtocolError:
    kind, position = error.kind, error.position
    if finish_reason == "length" and kind in _CUT_KINDS:
        return ProtocolError("cut_off", _limit_text(reply), position)
    if finish_reason == "runaway" and kind in _CUT_KINDS:
        text = f"Your reply repeated itself and was stopped, nothing was done. Send one short JSON object, like {_json(_EXAMPLES['answer'])}"
        return ProtocolError("runaway", text, position)
    if kind == "cut_off":
        return ProtocolError(kind, _unclosed_text(), position)
    action = error.action if isinstance(error, Refused) else ""
    where = _place(reply, position)
    known = f" Use one of: {', '.join(ACTIONS)}." if kind == "unknown_action" else ""
    text = f"Reply refused, nothing was done: {error.detail}{where}.{known} Send one JSON object only, like {_example(kind, error.detail, action)}"
    return ProtocolError(kind, text, position)


def _limit_text(reply: str) -> str:
    size = len(reply.strip())
    if size < _SHORT_REPLY:
        return (
            f"Your reply was cut off at the token limit after only {size} characters, nothing was done: the server's context window "
            f"is probably full. Keep it very short, like {_json(_EXAMPLES['answer'])}"
        )
    return (
        "Your reply was cut off at the token limit, nothing was done. Write less; for a long file, write it in parts, "
        f"like {_json(_IN_PARTS)}"
    )


def _unclosed_text() -> str:
    return (
        "Your reply was cut off: its JSON object is not closed, nothing was done. Send it whole, or for a long file in parts, "
        f"like {_json(_IN_PARTS)}"
    )


def _place(reply: str, position: int | None) -> str:
    if position is None:
        return ""
    line = reply.count("\n", 0, position) + 1
    column = position - reply.rfind("\n", 0, position)
    return f" (line {line}, column {column})"


def _example(kind: str, detail: str, action: str) -> str:
    if kind == "bad_escape":
        return _json(_BACKSLASH)
    if kind == "broken_json" and "escaped" in detail:
        return _json(_ESCAPED)
    return _json(_EXAMPLES.get(action, _EXAMPLES["read_file"]))


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value)
