"""The sentences of this skill: words/AREA.json holds {"key": ["English", "中文"]}; a key is written AREA.key."""
from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("words")


@cache
def _area(name: str) -> dict[str, list[str]]:
    loaded: dict[str, list[str]] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def say(key: str, lang: str, /, **values: object) -> str:
    """One sentence in "zh" or "en" with its values filled in. A key that does not exist is a KeyError: a defect, not a user's mistake."""
    area, _, name = key.partition(".")
    return _area(area)[name][0 if lang == "en" else 1].format(**values)


def detect_language() -> str:
    """The language of the sentences: AGENT_LANG, which the agent sets; Chinese without it, as the to-do list was specified."""
    return "en" if os.environ.get("AGENT_LANG", "").strip().lower().startswith("en") else "zh"
