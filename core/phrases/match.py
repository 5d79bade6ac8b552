"""Finds the command that a request asks for, by the phrases of commands.yaml, or the phrases that come nearest.

A request fits only as a whole: polite and asking words come off its ends, small words may differ, everything else must be the
phrase, with a value in each slot. A second wish, a condition or a negation is left over, and what is left over means no.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core.commands import CommandSpec
from core.errors import SkillError
from core.phrases.align import THRESHOLD, Alignment, weight
from core.phrases.texts import second_wishes
from core.phrases.tokens import Slot, Token, language_of, literals, phrase_items, pieces, shown, tidy, tokenize
from core.phrases.usable import is_free
from core.phrases.words import (
    ASKING_AFTER,
    ASKING_BEFORE,
    EDGE_MARKS,
    POLITE_AFTER,
    POLITE_BEFORE,
    SEPARATORS,
    SOFT,
)

MAX_CHARACTERS = 400
MAX_TRIES = 60_000  # for all phrases of one skill, so that no skill holds up a request
_MAX_STRIPPED = 24
_LIGHT = SOFT | SEPARATORS


@dataclass(frozen=True)
class Match:
    """A request understood: the command, the values that the phrase gave, how sure (from THRESHOLD to 1), the request's language.

    `problem` is set when the wish is clear and a value is outside what the command allows; it says which and why.
    """

    spec: CommandSpec
    phrase: str
    values: Mapping[str, Any]
    score: float
    language: str
    problem: SkillError | None = None


@dataclass(frozen=True)
class _Found:
    match: Match
    rank: tuple[bool, int, int, float, int]


@dataclass(frozen=True)
class _Window:
    """A part of the request after fillers came off: tokens[start:end]; `asking` says that one of them asked for a result.

    `content` holds its words and characters that mean something of their own.
    """

    start: int
    end: int
    asking: bool
    taken: int
    content: Set[str]


def match(request: str, commands: Iterable[CommandSpec]) -> Match | None:
    """The one command that the request asks for; None when nothing fits, or two commands fit equally well.

    A whole sentence in a slot (`format: sentence`) may hold commas and 然后; where what follows one is a request of its own, nothing fits.
    """
    specs = list(commands)
    found = _find(request, specs, bare=True)
    if found is None:
        return None
    sentences = [str(value) for name, value in found.values.items()
                 if found.spec.params[name].get("format") == "sentence" and f"{{{name}}}" in found.phrase]
    second = any(_find(wish, specs, bare=False) for sentence in sentences for wish in second_wishes(sentence))
    return None if second else found


def _find(request: str, commands: Sequence[CommandSpec], *, bare: bool) -> Match | None:
    """`bare`: whether a command that changes something may take it by a pattern alone; a question never asks for a change."""
    text = tidy(request)
    if not text or len(text) > MAX_CHARACTERS:
        return None
    tokens = tokenize(text)
    windows = list(_windows(tokens))
    there = {token.value or token.text for token in tokens}
    bare = bare and not text.endswith("?")
    tries: dict[str, list[int]] = {}
    found = [one for spec in commands
             for one in _readings(spec, text, tokens, windows, there, tries.setdefault(spec.skill, [MAX_TRIES]), bare)]
    if not found:
        return None
    best = max(found, key=lambda one: one.rank)
    rivals = {(one.match.spec.skill, one.match.spec.name) for one in found if one.rank == best.rank}
    return None if len(rivals) > 1 else _as_written(best.match, text, " ".join(request.split()))


def _as_written(found: Match, text: str, request: str) -> Match:
    """The match with its free texts as the person wrote them (，not ,), where the tidy text has kept every character's place."""
    if len(text) != len(request) or text == request:
        return found
    places = {name: text.find(value) for name, value in found.values.items()
              if isinstance(value, str) and is_free(found.spec.params[name]) and name not in getattr(found.phrase, "given", {})}
    written = {name: request[place:place + len(found.values[name])] for name, place in places.items() if place >= 0}
    return replace(found, values={**found.values, **written})


def nearest(request: str, commands: Iterable[CommandSpec], count: int = 3) -> list[str]:
    """The phrases that share most with the request, one a command, best first, slots shown as "…"; in the language of the request."""
    text = tidy(request)[:MAX_CHARACTERS]
    wanted, language = _features(text), language_of(text)
    scored: list[tuple[float, int, tuple[str, str], str]] = []
    for spec in commands:
        for phrase in spec.say:
            seen = shown(phrase)
            if literals(phrase) and (not language or language_of(seen) in ("", language)):
                features = _features(seen)
                likeness = 2 * len(wanted & features) / (len(wanted) + len(features) or 1)
                scored.append((-likeness, len(scored), (spec.skill, spec.name), seen))
    best: dict[tuple[str, str], str] = {}
    for _, _, command, seen in sorted(scored):
        best.setdefault(command, seen)
    return list(dict.fromkeys(best.values()))[:count]


def _features(text: str) -> set[str]:
    features: set[str] = set()
    for token in tokenize(tidy(text)):
        if token.kind == "word" and token.text not in SOFT and len(token.text) > 1:
            padded = f"^{token.text}$"
            features.update(padded[index:index + 3] for index in range(len(padded) - 2))
    characters = re.findall(r"[\u3400-\u9fff]+", text)
    features.update(run[index:index + 2] for run in characters for index in range(max(1, len(run) - 1)))
    return features


@lru_cache(maxsize=1)
def _fillers() -> tuple[list[tuple[tuple[str, ...], bool]], list[tuple[tuple[str, ...], bool]]]:
    """What may come off before and after, as (token texts, asking)."""
    def cut(words: Iterable[str], asking: bool) -> list[tuple[tuple[str, ...], bool]]:
        return [(tuple(token.text for token in tokenize(word)), asking) for word in words]

    return (cut(POLITE_BEFORE, False) + cut(ASKING_BEFORE, True), cut(POLITE_AFTER, False) + cut(ASKING_AFTER, True))


def _windows(tokens: Sequence[Token]) -> Iterator[_Window]:
    before, after = _fillers()
    texts = [token.text for token in tokens]
    starts = _strip(texts, before, 1)
    ends = _strip(texts[::-1], [(filler[::-1], asking) for filler, asking in after], -1)
    for start, (asking_before, taken_before) in starts.items():
        for cut, (asking_after, taken_after) in ends.items():
            end = len(texts) - cut
            if start < end:
                content = frozenset(token.text for token in tokens[start:end] if token.kind in ("word", "han") and token.text not in _LIGHT)
                yield _Window(start, end, asking_before or asking_after, taken_before + taken_after, content)


def _strip(texts: Sequence[str], fillers: Sequence[tuple[tuple[str, ...], bool]], direction: int) -> dict[int, tuple[bool, int]]:
    """Every position that can be reached by taking fillers and edge marks off the front: (asking, how many tokens)."""
    reached: dict[int, tuple[bool, int]] = {0: (False, 0)}
    waiting = [0]
    while waiting and len(reached) < _MAX_STRIPPED:
        position = waiting.pop()
        asking, taken = reached[position]
        steps = [(position + len(filler), asking or asks, taken + len(filler)) for filler, asks in fillers
                 if tuple(texts[position:position + len(filler)]) == filler]
        if position < len(texts) and texts[position] in EDGE_MARKS:
            steps.append((position + 1, asking, taken + 1))
        for place, asks, count in steps:
            if place not in reached or reached[place][0] and not asks:
                reached[place] = (asks, count)
                waiting.append(place)
    return reached


def _readings(spec: CommandSpec, text: str, tokens: Sequence[Token], windows: Sequence[_Window], there: Set[str], tries: list[int],
              bare: bool) -> list[_Found]:
    try:
        tried = (_try(spec, phrase, text, tokens, windows, tries) for phrase in spec.say
                 if _could_fit(phrase, there) and (bare or spec.effect == "read" or literals(phrase)))
        return [one for one in tried if one is not None]
    except Exception:  # noqa: BLE001  # a declaration that breaks the matcher loses its own requests, not those of the other skills
        return []


def _try(spec: CommandSpec, phrase: str, text: str, tokens: Sequence[Token], windows: Sequence[_Window], tries: list[int]) -> _Found | None:
    """The best way to read the request as the phrase. A phrase with a free text ranks below every phrase without one."""
    items = phrase_items(phrase, spec.params)
    free = sum(isinstance(item, Slot) and is_free({**item.schema, **({"pattern": item.where} if item.where else {})}) for item in items)
    known = None if any(isinstance(item, Slot) and _takes_text(item.schema) for item in items) else _vocabulary(phrase)
    best: _Found | None = None
    for window in windows:
        tries[0] -= 1
        if tries[0] <= 0:
            break
        if window.asking and spec.effect not in ("read", "network") or known is not None and len(window.content - known) > 1:
            continue
        aligned = Alignment(items, text, tokens, window.end, spec.effect == "read", tries).best(0, window.start)
        if aligned is None or aligned[0] > 1 - THRESHOLD:
            continue
        values = {name: value for name, value in aligned[1] if name}
        rank = (free == 0, weight(aligned), -free, round(1 - aligned[0], 2), window.taken)
        if best is None or rank > best.rank:
            if whole := getattr(phrase, "whole", ""):
                values[whole] = text[tokens[window.start].start:tokens[window.end - 1].end]
            best = _Found(_made(spec, phrase, values, 1 - aligned[0], text), rank)
    return best


def _takes_text(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items", {}) if schema.get("type") == "array" else schema
    return items.get("type", "string") in ("string", "object")


def _could_fit(phrase: str, there: Set[str]) -> bool:
    """A cheap look before the alignment: at most one word of the phrase, misspelt, may be missing in the request."""
    fixed, choices = _needed(phrase)
    missing = [is_word for key, is_word in fixed if key not in there and key + "s" not in there and key.rstrip("s") not in there]
    return (not missing or missing == [True]) and all(any(option <= there for option in options) for options in choices)


_Needed = tuple[tuple[tuple[str, bool], ...], tuple[tuple[frozenset[str], ...], ...]]


@lru_cache(maxsize=16384)
def _needed(phrase: str) -> _Needed:
    """What a request must hold to be the phrase, each with whether it is a word (which may be misspelt); and of each choice one wording."""
    parts = [options for name, options in pieces(phrase) if not name]
    fixed = tuple((token.value or token.text, token.kind == "word") for options in parts if len(options) == 1
                  for token in options[0] if token.text not in SOFT)
    choices = tuple(tuple(frozenset(token.value or token.text for token in option if token.text not in SOFT) for option in options)
                    for options in parts if len(options) > 1)
    return fixed, choices


def _vocabulary(phrase: str) -> Set[str]:
    fixed, choices = _needed(phrase)
    return {key for key, _ in fixed}.union(*(option for options in choices for option in options))


def _made(spec: CommandSpec, phrase: str, values: dict[str, Any], score: float, text: str) -> Match:
    language = language_of(text)
    values = {**getattr(phrase, "given", {}), **values}
    if language in spec.params.get("lang", {}).get("enum", ()) and "lang" not in values:
        values["lang"] = language
    try:
        spec.build_argv(values)
    except SkillError as problem:
        return Match(spec, phrase, values, score, language, problem)
    return Match(spec, phrase, spec.validate(values), score, language)
