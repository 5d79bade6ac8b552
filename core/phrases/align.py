"""Lays a phrase over a part of a request: which words are the phrase's own, which are values, and what it costs."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from core.phrases.texts import list_items, text_value
from core.phrases.tokens import Choice, Slot, Token
from core.phrases.words import SEPARATORS, SOFT

THRESHOLD = 0.8
_SOFT_COST, _PLURAL_COST, _TYPO_COST = 0.02, 0.02, 0.1
Aligned = tuple[float, tuple[tuple[str, Any], ...]]


class Alignment:
    """The cheapest way to read the tokens before `end` as the phrase: (cost, values). A value without a name is the weight of words.

    `tries` holds what may still be spent; at 0 nothing fits.
    """

    def __init__(self, items: Sequence[Token | Slot | Choice], text: str, tokens: Sequence[Token], end: int, typos: bool, tries: list[int]) -> None:
        self._items, self._text, self._tokens = items, text, tokens
        self._end, self._typos, self._tries = end, typos, tries
        self._known: dict[tuple[int, int], Aligned | None] = {}

    def best(self, item: int, place: int) -> Aligned | None:
        key = (item, place)
        if self._tries[0] <= 0:
            return None
        if key not in self._known:
            self._tries[0] -= 1
            self._known[key] = min(self._ways(item, place), key=lambda way: (round(way[0], 6), -weight(way)), default=None)
        return self._known[key]

    def _ways(self, item: int, place: int) -> Iterator[Aligned]:
        """Every way from here; the rest of it is the best one from where the first piece ends."""
        if item == len(self._items) and place == self._end:
            yield 0.0, ()
        if place < self._end and self._tokens[place].text in SOFT:
            yield from self._then(_SOFT_COST, item, place + 1)
        if item == len(self._items):
            return
        wanted = self._items[item]
        if isinstance(wanted, Slot):
            for end, value in self._slot_values(wanted, place):
                yield from self._then(0.0, item + 1, end, ((wanted.name, value),))
            return
        if isinstance(wanted, Choice):
            for option in wanted.options:
                yield from self._wording(option, item, place)
            return
        if wanted.text in SOFT:
            yield from self._then(_SOFT_COST, item + 1, place)
        cost = self._literal_cost(wanted, self._tokens[place]) if place < self._end else None
        if cost is not None:
            yield from self._then(cost, item + 1, place + 1, _weight_of(wanted))

    def _wording(self, option: Sequence[Token], item: int, place: int) -> Iterator[Aligned]:
        """One wording of a choice, word for word; small words may be missing or added."""
        total, weight = 0.0, 0
        for wanted in option:
            while place < self._end and self._literal_cost(wanted, self._tokens[place]) is None and self._tokens[place].text in SOFT:
                total, place = total + _SOFT_COST, place + 1
            cost = self._literal_cost(wanted, self._tokens[place]) if place < self._end else None
            if cost is None and wanted.text not in SOFT:
                return
            total += _SOFT_COST if cost is None else cost
            place += cost is not None
            weight += sum(value for _, value in _weight_of(wanted))
        yield from self._then(total, item + 1, place, (("", weight),) if weight else ())

    def _then(self, cost: float, item: int, place: int, values: tuple[tuple[str, Any], ...] = ()) -> Iterator[Aligned]:
        rest = self.best(item, place)
        if rest is not None and rest[0] + cost <= 1 - THRESHOLD + 1e-9:
            yield rest[0] + cost, values + rest[1]

    def _literal_cost(self, wanted: Token, token: Token) -> float | None:
        if wanted.same(token):
            return 0.0
        if wanted.kind != "word" or token.kind != "word":
            return None
        if len(wanted.text) > 3 and (token.text == wanted.text + "s" or wanted.text == token.text + "s"):
            return _PLURAL_COST
        return _TYPO_COST if self._typos and _is_typo(wanted.text, token.text) else None

    def _slot_values(self, slot: Slot, place: int) -> Iterator[tuple[int, Any]]:
        kind = slot.schema.get("type", "string")
        if kind in ("integer", "number"):
            value = _number_value(self._tokens[place], kind, slot.scale) if place < self._end else None
            if value is not None:
                yield place + 1, value
        elif kind == "array":
            yield from self._lists(slot.schema, place)
        elif kind == "string":
            for end in range(place + 1, self._end + 1):
                self._tries[0] -= 1
                if self._tries[0] <= 0:
                    return
                value = text_value(self._raw(place, end), slot.schema, slot.where)
                if value is not None:
                    yield end, value

    def _raw(self, place: int, end: int) -> str:
        return self._text[self._tokens[place].start:self._tokens[end - 1].end]

    def _lists(self, schema: Mapping[str, Any], place: int) -> Iterator[tuple[int, list[Any]]]:
        """Lists of numbers with commas, 和, and or blanks between them; lists of texts where the schema says `format: list`."""
        items = schema.get("items", {})
        kind = items.get("type", "string")
        if schema.get("format") == "list" and kind in ("string", "object"):
            for end in range(place + 1, self._end + 1):
                self._tries[0] -= 1
                texts = list_items(self._raw(place, end), items) if self._tries[0] > 0 else None
                if texts:
                    yield end, texts
        values: list[str] = []
        separated = False
        while kind in ("integer", "number") and place < self._end and _fits_number(self._tokens[place], kind):
            token = self._tokens[place]
            if values and not separated and not token.after_gap:
                return
            values.append(token.value)
            place += 1
            split = _grouped(token) if len(values) == 1 else None
            yield place, split or list(values)
            separated = False
            while place < self._end and self._tokens[place].text in SEPARATORS:
                place, separated = place + 1, True


def _grouped(token: Token) -> list[str] | None:
    """100,200 on its own is a list of two, since no part has a leading zero as 1,000 has."""
    parts = token.text.split(",")
    return parts if len(parts) > 1 and all(part.isdigit() and part[0] != "0" for part in parts) else None


def _number_value(token: Token, kind: str, scale: int) -> str | None:
    """The token's number times the scale (1.5 hours are 90 minutes); None where it is no number of that kind."""
    if scale == 1 or not _fits_number(token, "number"):
        return token.value if _fits_number(token, kind) else None
    product = Decimal(token.value) * scale
    return str(int(product)) if product == int(product) and abs(product) < 10**15 else str(product) if kind == "number" else None


def _fits_number(token: Token, kind: str) -> bool:
    return token.value != "" and (kind == "number" or "." not in token.value)


def weight(aligned: Aligned) -> int:
    """How much of the phrase's own words an alignment holds; of two that cost the same the heavier is meant (找关于{x}, not 找{x})."""
    return sum(value for name, value in aligned[1] if not name)


def _weight_of(token: Token) -> tuple[tuple[str, Any], ...]:
    """How much a word of the phrase counts when two phrases fit, as an entry without a name beside the values."""
    return () if token.text in SOFT else (("", len(token.text)),)


def _is_typo(wanted: str, found: str) -> bool:
    """One letter missing, added, changed or swapped in a word of seven letters or more whose first letter is right."""
    if min(len(wanted), len(found)) < 7 or wanted[0] != found[0] or abs(len(wanted) - len(found)) > 1:
        return False
    start = next((index for index, (one, two) in enumerate(zip(wanted, found, strict=False)) if one != two), min(len(wanted), len(found)))
    one, two = wanted[start:], found[start:]
    return one[1:] == two[1:] or one[1:] == two or one == two[1:] or one[:2] == two[1::-1] and one[2:] == two[2:]
