"""Which phrases of commands.yaml may be used: those that cannot take requests that were meant for others."""
from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from core.phrases.keyed import demands_words
from core.phrases.tokens import HAS_CJK, Token, pieces, tidy, tokenize
from core.phrases.words import POLITE_AFTER, POLITE_BEFORE, SOFT
from core.safe_pattern import reach

MAX_PHRASE = 200
_QUESTIONS = ("what is", "what's", "whats", "what are", "what does", "tell me", "do you know", "i want to", "how", "why", "告诉我", "什么是")


def is_free(schema: Mapping[str, Any]) -> bool:
    """Whether a slot takes words at will: a text without an `enum`, whose `pattern` (if any) lets several words or Chinese through;
    a list of such texts too."""
    if schema.get("type") == "array":
        return is_free(schema.get("items", {}))
    if schema.get("type", "string") != "string" or "enum" in schema:
        return False
    taken = reach(schema["pattern"]) if "pattern" in schema else {"wide"}
    return "wide" in taken or {"letter", "blank"} <= taken


def is_usable(phrase: str, params: Mapping[str, Mapping[str, Any]], effect: str) -> bool:
    """Whether the phrase has words of its own, enough for what it takes and does. Small words (the, 的) do not count; of a choice its weakest counts.

    Slots alone will do only for a command that reads, when their patterns allow no letters (1/3 + 1/6), or where the phrase narrows its one
    slot by a pattern that demands words itself. With a free text the words must be more than politeness, and for a command that changes
    something two letters or one Chinese character.
    """
    if len(phrase) > MAX_PHRASE:
        return False
    where: Mapping[str, str] = getattr(phrase, "where", {})
    slots = [{**params[name], **({"pattern": where[name]} if name in where else {})} for name, _ in pieces(phrase) if name]
    weakest = _own(phrase, by_letters=True)
    letters = sum(char.isalpha() for word in weakest for char in word)
    if len(where) == len(slots) == 1 and demands_words(next(iter(where.values()))):
        return True
    if not letters:
        return effect == "read" and bool(slots) and all("pattern" in one and not reach(one["pattern"]) & {"letter", "wide"} for one in slots)
    if not any(is_free(one) for one in slots):
        return True
    if set(_own(phrase, by_letters=False)) <= _fillers():
        return False
    return effect == "read" or letters > 1 or any(HAS_CJK.search(word) for word in weakest)


def _own(phrase: str, *, by_letters: bool) -> list[str]:
    """The words that even the weakest reading of the phrase holds: of a choice the wording with the fewest letters, or of fillers alone."""
    own: list[str] = []
    for name, options in pieces(phrase):
        if not name:
            worded = [[token.text for token in option if _counts(token)] for option in options]
            own += min(worded, key=lambda words: sum(map(len, words)) if by_letters else not set(words) <= _fillers())
    return own


def _counts(token: Token) -> bool:
    return token.text not in SOFT and token.kind in ("word", "han", "number")


@lru_cache(maxsize=1)
def _fillers() -> frozenset[str]:
    """The words that may stand around any request; a phrase made of them would take every request that holds them."""
    words = (*POLITE_BEFORE, *POLITE_AFTER, *_QUESTIONS)
    return frozenset(token.text for word in words for token in tokenize(tidy(word)))
