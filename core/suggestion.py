"""Finds the skill command that a request names, for a model that would not find it itself.

A weak local model reads the catalogue and still writes its own Fibonacci. The phrases that the skills declare know better: where one fits the whole
request, the user's message ends with the command. It is a suggestion, the model decides and the guard judges as always.
"""
from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from core.errors import SkillError

if TYPE_CHECKING:
    from core.commands import CommandSpec
    from core.skills import SkillRegistry


def suggest(query: str, registry: SkillRegistry) -> str:
    """The text of the declared command that fits the request, runnable from any folder; "" when none does or it destroys something."""
    from core.phrases.match import match

    try:
        found = match(query, registry.commands())
    except Exception:  # noqa: BLE001  # a hint is not worth a request: whatever a skill breaks here, the model goes without one
        return ""
    if found is None or found.problem is not None or found.spec.effect == "destructive":
        return ""
    try:
        argv = found.spec.build_argv(found.values)
    except SkillError:
        return ""
    return shlex.join(_absolute(word, found.spec) for word in argv)


def _absolute(word: str, spec: CommandSpec) -> str:
    """A file of the skill that the declaration itself names, with its folder; other words, values among them, stay as they are."""
    try:
        return str(spec.directory / word) if word in spec.argv and (spec.directory / word).is_file() else word
    except OSError:
        return word
