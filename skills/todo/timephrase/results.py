"""What a reading gives back: a due point with what was assumed, or a refusal that says what is wrong with which words."""
from __future__ import annotations

from timephrase.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Refusal(Frozen):
    """Why a phrase was not read. `code` is one of the keys of `sentences.REFUSALS`, `words` the part of `text` that is to blame."""

    __slots__ = ("code", "text", "words")
    code: str
    text: str
    words: str

    def __init__(self, code: str, text: str, words: str = "") -> None:
        self._fill(code, text, words)

    def say(self, lang: str = "zh") -> str:
        """One sentence: what is wrong with which words, and what to write instead."""
        from timephrase.sentences import refusal

        return refusal(self.code, self.text, self.words, lang)


class Assumption(Frozen):
    """What a convention decided. `code` is the weightiest decision, `codes` all of them, `due` the point that they led to."""

    __slots__ = ("code", "codes", "due")
    code: str
    codes: tuple[str, ...]
    due: str

    def __init__(self, code: str, codes: tuple[str, ...] = (), due: str = "") -> None:
        self._fill(code, codes or (code,), due)

    def say(self, lang: str = "zh") -> str:
        """What was taken, in words that a person reads."""
        from timephrase.sentences import assumption

        return assumption(self.codes, self.due, lang)


class Reading(Frozen):
    """Exactly one of `due` ("YYYY-MM-DD" or "YYYY-MM-DDTHH:MM:SS") and `error` is set; `assumed` is None when the phrase said it all."""

    __slots__ = ("due", "assumed", "error")
    due: str | None
    assumed: Assumption | None
    error: Refusal | None

    def __init__(self, due: str | None, assumed: Assumption | None, error: Refusal | None) -> None:
        self._fill(due, assumed, error)


class Refused(Exception):
    """Ends a reading inside the package; `end` is the index of the token after the words to blame. Never leaves the package."""

    def __init__(self, code: str, words: str = "", end: int = 0) -> None:
        super().__init__(code)
        self.code, self.words, self.end = code, words, end


def refuse(code: str, words: str = "", end: int = 0) -> NoReturn:
    """Ends the reading with this reason."""
    raise Refused(code, words, end)
