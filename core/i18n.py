"""The one catalogue of words that a person reads, in English and Chinese.

Each area of the program has one file, core/locale/AREA.json: {"name": {"en": "…", "zh": "…"}}. The text of the key
"area.name" is looked up in that file when it is first needed. Standard library only, and it parses on Python 3.8,
because the bootstrap speaks through it before anything is installed. A long text may be a list of lines.
"""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional

LANGUAGES = ("en", "zh")
_LOCALE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "locale")
_areas: Dict[str, Dict[str, Dict[str, Any]]] = {}
_language: Optional[str] = None


def detect_language(environ: Mapping[str, str]) -> str:
    """The language that the environment asks for: AGENT_LANG, then LC_ALL, LC_MESSAGES, LANG; English otherwise."""
    for name in ("AGENT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environ.get(name, "").strip().lower()
        if value:
            return "zh" if value.startswith(("zh", "chinese")) else "en"
    return "en"


def set_language(language: str) -> None:
    """Speak "en" or "zh" from now on; "" goes back to what the environment asks for."""
    global _language
    if language and language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
    _language = language or None


def language() -> str:
    """The language spoken now."""
    return _language or detect_language(os.environ)


def t(key: str, **values: Any) -> str:
    """The text of "area.name" in the current language with {placeholders} filled; KeyError for an unknown key."""
    return text_in(language(), key, **values)


def text_in(spoken: str, key: str, **values: Any) -> str:
    """The same in the language "en" or "zh", whatever is spoken now."""
    area, _, name = key.partition(".")
    if area not in _areas:
        path = os.path.join(_LOCALE, area + ".json")
        if not os.path.exists(path):
            raise KeyError(key)
        with open(path, encoding="utf-8") as file:
            _areas[area] = json.load(file)
    found: Any = _areas[area][name][spoken]
    text = "\n".join(found) if isinstance(found, list) else str(found)
    return text.format(**values) if values else text
