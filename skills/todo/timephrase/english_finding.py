"""Scans an English sentence for time phrases, and knows by their neighbours the words that only look like one."""
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from timephrase import moments
from timephrase.english import HANDLERS, EnglishReader
from timephrase.english_rules import RuleReader
from timephrase.english_words import english_tokens
from timephrase.finding import Candidate, Found
from timephrase.results import Reading, Refusal, Refused
from timephrase.rules import Rule

_LEADS = frozenset({"by", "before", "at", "on", "due", "until", "till", "around", "about", "no later than", "not later than",
                    "prior to", "approximately", "roughly"})
_ERRORS = frozenset({"impossible", "contradiction", "out_of_range", "unclear"})
_ASKED = frozenset({"someday", "sometime", "later today", "one day", "one of these days"})
_NOUNISH = frozenset({"holiday", "weekend", "noon", "midnight"})
_SHORT_DAYS = frozenset({"sun", "sat", "wed", "mon", "thu", "tue", "fri"})
_AFTER_CLOCK = frozenset({"to", "for", "with", "sharp", "and", "please", "i", "we"})
_ADVERBS = frozenset({"daily", "weekly", "monthly", "yearly", "annually", "biweekly", "fortnightly", "nightly", "hourly", "everyday"})


class _Scan:
    """One pass over a sentence."""

    def __init__(self, sentence: str, now: datetime, parts: Mapping[str, str] | None) -> None:
        self.sentence, self.now, self.parts = sentence, now, parts
        self.tokens = english_tokens(sentence)
        self.kinds = [token[0] for token in self.tokens] + [""] * 5
        self.candidates: list[Candidate] = []

    def run(self) -> list[Candidate]:
        """Every candidate, in order."""
        place = 0
        while place < len(self.tokens):
            kind = self.kinds[place]
            end = self._at(place) if kind in HANDLERS and kind not in ("after", "fromnow", "same") else 0
            place = max(end, place + 1)
        return self.candidates

    def said(self, place: int) -> str:
        """The small letters of a token, "" outside the sentence."""
        return self.sentence[self.tokens[place][2]:self.tokens[place][3]].lower() if 0 <= place < len(self.tokens) else ""

    def _at(self, place: int) -> int:
        if self.kinds[place] == "no":
            return self._recurring(place) if self.tokens[place][1] == "recurring" else self._refused(place)
        if self.kinds[place] == "ordinal" and (rule_end := self._recurring(place)):
            return rule_end
        if self.kinds[place] == "rel" and self.said(place + 1) in ("day", "weekday") and (rule_end := self._recurring(place)):
            return rule_end
        return self._phrase(place)

    def _phrase(self, place: int) -> int:
        reader = EnglishReader(self.sentence, self.tokens, self.now, self.parts)
        try:
            end = reader.phrase(place, whole=False)
            if end == place:
                return 0
            reading = moments.reading(reader.pieces)
        except Refused as problem:
            return self._problem(place, problem, reader)
        if not self._plausible(place, end, reader):
            return 0
        if self.said(place - 1) in ("after", "since"):
            self._add(place - 1, end, self._error("past_point", place - 1, end))
        elif self._in_range(place):
            self._add(place - 2, end, self._error("range", place - 2, end))
        else:
            lacks = "" if reader.pieces.moment else "clock" if not (reader.pieces.clock or reader.pieces.part) else "" if reader.named else "day"
            self._add(place, end, reading, reader.past, lacks)
        return end

    def _in_range(self, place: int) -> bool:
        """7 to 9pm: the number before the joint is the other end."""
        return self.said(place - 1) in ("to", "or", "-", "and", "through") and self.kinds[max(place - 2, 0)] == "num" and place > 1

    def _problem(self, place: int, problem: Refused, reader: EnglishReader) -> int:
        end = max(problem.end, place + 1)
        code = problem.code
        sure = code in _ERRORS or (code == "vague" and bool(reader.alone)) or (code == "range" and self.kinds[end - 1] in ("ampm", "oclock"))
        if code == "vague" and self.kinds[place] == "rel" and not reader.past:
            sure = sure or (place == 0 or end >= len(self.tokens))
        if not sure or not self._plausible(place, min(end, len(self.tokens)), reader):
            return 0
        end = min(end, len(self.tokens))
        self._add(place, end, self._error(code, place, end))
        return end

    def _refused(self, place: int) -> int:
        """in a few days, a couple of hours from now, someday, before Thanksgiving."""
        said, code, end = self.said(place), self.tokens[place][1], place + 1
        if code in ("lunar", "holiday"):
            sure = self._leads(place) or self._closes(end)
        elif said in ("few", "couple", "several", "some", "many") and code == "vague":
            end += self.said(end) == "of"
            sure = self.kinds[end] == "unit" and (self.kinds[end + 1] == "fromnow" or "in" in self.kinds[max(place - 2, 0):place])
            end += 1 + (self.kinds[end + 1] == "fromnow")
            while sure and self.kinds[place - 1] in ("article", "in") and place:
                place -= 1
        elif code == "workdays":
            sure = self.kinds[place - 1:place] == ["num"] and self.kinds[place - 2:place - 1] == ["in"]
            place -= 2 if sure else 0
        else:
            sure = said in _ASKED
        if not sure:
            return 0
        end = min(end, len(self.tokens))
        self._add(place, end, self._error(str(code), place, end))
        return end

    def _recurring(self, place: int) -> int:
        said = self.said(place)
        reader = RuleReader(self.sentence, self.now, self.parts)
        try:
            rule, end = reader.read(place)
        except Refused as problem:
            known = problem.code in ("impossible", "contradiction") and said in ("every", "each")
            if not known:
                return 0
            end = min(place + 3, len(self.tokens))
            self._add(place, end, self._error(problem.code, place, end))
            return end
        adverb = said in _ADVERBS or said == "weekday"
        if adverb and end == place + 1 and not self._closes(end):
            return 0
        if said == "each" and self.kinds[place + 1] == "part":
            return 0
        self._add(place, end, rule)
        return end

    # --- neighbours ---

    def _leads(self, place: int) -> bool:
        """Whether a word before says that a time follows."""
        before = self.said(place - 1)
        return before in _LEADS or (before in ("the", ",") and self.said(place - 2) in _LEADS) or self.kinds[max(place - 1, 0)] == "rel" and place > 0

    def _closes(self, end: int) -> bool:
        """Whether the sentence or clause ends here."""
        return end >= len(self.tokens) or self.said(end) in tuple(".,;:!?()，。；！？、") or not self.said(end).isascii()

    def _plausible(self, place: int, end: int, reader: EnglishReader) -> bool:
        """Whether the neighbours let the tokens be a time."""
        kind, said = self.kinds[place], self.said(place)
        if kind == "num" and not self._plausible_number(place, end):
            return False
        if reader.past and (self.kinds[end - 1] == "fromnow" or (self.kinds[place] == "rel" and self.kinds[end - 1] == "unit")):
            return False
        if end == place + 1 and (kind in (*_NOUNISH, "wd", "ordinal")):
            return self._plausible_word(place, end)
        if kind == "monthname" and self.sentence[self.tokens[place][2]].islower() and said in ("may", "march"):
            return self._leads(place) or self.kinds[place + 1] == "ordinal" or (self._closes(end) and end > place + 1)
        if kind == "part" and reader.pieces.day is None and reader.pieces.clock is None:
            return said.startswith(("in ", "at ")) or said in ("cob", "eob", "close of business", "end of business")
        return kind != "date" or self._plausible_date(place, end)

    def _plausible_word(self, place: int, end: int) -> bool:
        """Christmas, noon, Sat or 15th alone: a word before says that a time follows, or the sentence ends."""
        kind, before = self.kinds[place], self.said(place - 1)
        if kind == "ordinal":
            return self._closes(end) and (before == "the" or self._leads(place))
        if kind == "wd":
            proper = self.sentence[self.tokens[place][2]].isupper()
            return self.said(place) not in _SHORT_DAYS or (before != "the" and (self._leads(place) or (proper and self._closes(end))))
        return self._leads(place) or self._closes(end)

    def _plausible_number(self, place: int, end: int) -> bool:
        """at 9 is a clock where nothing that could be counted follows."""
        if self.kinds[end - 1] == "num" and end == place + 1 and self.said(end) not in _AFTER_CLOCK:
            return self._closes(end) or self.kinds[end] not in ("?", "unit")
        return True

    def _plausible_date(self, place: int, end: int) -> bool:
        value = self.tokens[place][1]
        assert isinstance(value, tuple)
        if value[0] or end > place + 1:
            return True
        return value[3] != "." and self._leads(place)  # else a fraction, a score, pages: 1/2 cup, 24/7

    # --- results ---

    def _error(self, code: str, place: int, end: int) -> Reading:
        said = self.sentence[self.tokens[place][2]:self.tokens[end - 1][3]]
        return Reading(None, None, Refusal(code, said, said))

    def _add(self, place: int, end: int, result: Reading | Rule, past: bool = False, lacks: str = "") -> None:
        """Notes a candidate with the fillers before it."""
        while place and (self.said(place - 1) in _LEADS or self.said(place - 1) == "the"):
            place -= 1
        end = min(end, len(self.tokens))
        rule = result if isinstance(result, Rule) else None
        found = Found(self.tokens[place][2], self.tokens[end - 1][3], result if isinstance(result, Reading) else None, rule)
        self.candidates.append(Candidate(found, past, lacks))


def scan(sentence: str, now: datetime, parts: Mapping[str, str] | None) -> list[Candidate]:
    """The time phrases of an English sentence, in order."""
    return _Scan(sentence, now, parts).run()
