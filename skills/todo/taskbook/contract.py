"""What every operation shares: the context it gets, and the one error it raises for what a person can mend."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskbook.words import say

if TYPE_CHECKING:
    from taskbook.store import Store


class TodoError(Exception):
    """An operation cannot be done. `code`: invalid_argument, not_found, confirm_required, ambiguous, unavailable
    or internal; `key` names the sentence, `extra` joins the answer (a preview, candidates)."""

    def __init__(self, code: str, key: str, extra: dict[str, Any] | None = None, /, **values: Any) -> None:
        super().__init__(f"{code}: {key}")
        self.code = code
        self.key = key
        self.values = values
        self.extra = extra or {}

    def say(self, lang: str) -> str:
        """The sentence for a person. A value that has a `say` of its own (a refusal of a time phrase) speaks that language too."""
        values = {name: value.say(lang) if hasattr(value, "say") else value for name, value in self.values.items()}
        return say(self.key, lang, **values)


@dataclass(frozen=True)
class Context:
    """What an operation works on. `now` is naive local time without microseconds; `lang` is "zh" or "en"."""

    store: Store
    now: datetime
    lang: str
    workspace: Path

    def say(self, key: str, /, **values: object) -> str:
        """A sentence in the language of the call."""
        return say(key, self.lang, **values)
