"""Finds the skill command that a request names, for a model that would not find it itself.

A weak local model reads the catalogue and still writes its own Fibonacci. The phrases that the skills declare know better: where one fits the whole
request, the user's message ends with the command. It is a suggestion, the model decides and the guard judges as always.
"""
from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from core.errors import SkillError

if TYPE_CHECKING:
    from core.skills import SkillRegistry


def suggest(query: str, registry: SkillRegistry) -> str:
    """The text of the declared command that fits the request, runnable from any folder; "" when none does or it destroys something."""
    from core.phrases.match import match

    found = match(query, registry.commands())
    if found is None or found.problem is not None or found.spec.effect == "destructive":
        return ""
    try:
        argv = found.spec.build_argv(found.values)
    except SkillError:
        return ""
    folder = registry.get(found.spec.skill).directory
    return shlex.join(str(folder / word) if (folder / word).is_file() else word for word in argv)
