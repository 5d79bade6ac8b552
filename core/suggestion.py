"""Finds the skill command that a request names, for a model that would not find it itself.

A weak local model reads the catalogue and still writes its own Fibonacci. The phrases that the skills declare know better: where one fits the whole
request, the user's message ends with the command. It is a suggestion, the model decides and the guard judges as always.
"""
from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.errors import SkillError

if TYPE_CHECKING:
    from core.commands import CommandSpec
    from core.skills import SkillRegistry

_QUALIFIERS = re.compile(r"\b(exactly|precisely|exact|precise|in full|as an integer|to the last digit)\b|精确地?|准确地?|确切地?|完整地?",
                         re.IGNORECASE)


def suggest(query: str, registry: SkillRegistry) -> str:
    """A line for the model: the declared command that fits the request, runnable from any folder, or else the skill whose words the
    request uses; "" when nothing fits. A command that destroys something is never suggested."""
    try:
        commands = registry.commands()
        for text in dict.fromkeys((query, _QUALIFIERS.sub(" ", query).strip(" ,，。.?？"))):
            if command := _command(text, commands):
                return f"a skill's command that fits: {command}"
        skills = {spec.skill for spec in commands if _names(spec, query)}
    except Exception:  # noqa: BLE001  # a hint is not worth a request: whatever a skill breaks here, the model goes without one
        return ""
    return f"a skill that fits: {skills.pop()}; view it first" if len(skills) == 1 else ""


def _command(text: str, commands: Sequence[CommandSpec]) -> str:
    from core.phrases.match import match

    found = match(text, commands)
    if found is None or found.problem is not None or found.spec.effect == "destructive":
        return ""
    try:
        return shlex.join(_absolute(word, found.spec) for word in found.spec.build_argv(found.values))
    except SkillError:
        return ""


def _names(spec: CommandSpec, query: str) -> bool:
    """Whether the request uses the command's name as a word (factorial) and holds a number for it."""
    words = re.findall(r"[a-z]+", query.lower())
    return len(spec.name) > 4 and spec.name.lower() in words and re.search(r"\d", query) is not None


def _absolute(word: str, spec: CommandSpec) -> str:
    """A file of the skill that the declaration itself names, with its folder; other words, values among them, stay as they are."""
    try:
        return str(spec.directory / word) if word in spec.argv and (spec.directory / word).is_file() else word
    except OSError:
        return word
