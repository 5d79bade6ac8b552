"""Reads English recurrences: daily, every other Friday, weekdays at 9am, monthly on the 15th, last day of every month, yearly on Oct 1."""
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NoReturn

from timephrase import days
from timephrase.chinese_rules import minutes_of, with_time
from timephrase.english import EnglishReader
from timephrase.english_words import english_tokens
from timephrase.results import refuse
from timephrase.rules import WORKDAYS, Rule

_ADVERBS = {"daily": ("daily", 1), "everyday": ("daily", 1), "nightly": ("daily", 1), "weekly": ("weekly", 1), "biweekly": ("weekly", 2),
            "fortnightly": ("weekly", 2), "monthly": ("monthly", 1), "yearly": ("yearly", 1), "annually": ("yearly", 1)}
_UNITS = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_JOINTS = (",", "and", "&", "on")


class RuleReader:
    """One pass over the tokens, which the reader of phrases continues with the time of day."""

    def __init__(self, text: str, now: datetime, parts: Mapping[str, str] | None) -> None:
        self.text, self.now, self.parts = text, now, parts
        self.phrase = EnglishReader(text, english_tokens(text), now, parts)
        self.kinds, self.tokens = self.phrase.kinds, self.phrase.tokens
        self.said = [text[token[2]:token[3]].lower() for token in self.tokens] + [""] * 6

    def whole(self) -> Rule:
        """The rule of the whole text; Refused when anything is left over."""
        start = 0
        while self.kinds[start] == "fill":
            start += 1
        rule, end = self.read(start)
        if end < len(self.tokens):
            refuse("leftover", self.phrase.words(end, len(self.tokens)))
        return rule

    def read(self, start: int) -> tuple[Rule, int]:
        """The rule that begins at a token, and the index after it."""
        if not self.tokens:
            refuse("empty")
        rule, end = self._frequency(start)
        read = self.phrase.phrase(end, whole=False)
        if read > end and (self.phrase.named or self.phrase.pieces.moment or self.phrase.pieces.same_time):
            refuse("contradiction", self.phrase.words(start, read), read)
        pieces = self.phrase.pieces
        return with_time(rule, minutes_of(pieces.clock, pieces.part, self.parts, self.text), self.text), max(read, end)

    def _no(self, code: str, start: int) -> NoReturn:
        refuse(code, self.phrase.words(start, len(self.tokens)), len(self.tokens))

    def _frequency(self, place: int) -> tuple[Rule, int]:
        word = self.said[place]
        if word in ("weekday", "weekdays"):
            return Rule("weekly", weekdays=WORKDAYS), place + 1
        if word in ("weekends",):
            return Rule("weekly", weekdays=(5, 6)), place + 1
        if word in _ADVERBS:
            return self._unit(place + 1, *_ADVERBS[word])
        if self.kinds[place] == "no" and word.endswith("days") and word[:-1] in _weekday_names():  # Mondays
            return self._weekdays(place, 1)
        if word in ("every", "each"):
            return self._every(place + 1)
        return self._position_first(place)

    def _every(self, place: int) -> tuple[Rule, int]:
        """every, then: other, second or a number, then a unit or weekdays."""
        interval = 1
        if self.said[place] in ("other", "second"):
            interval, place = 2, place + 1
        elif self.kinds[place] == "num" and self.kinds[place + 1] == "unit":
            interval, place = int(str(self.tokens[place][1])), place + 1
            if not 1 <= interval <= 999:
                self._no("impossible", place - 1)
        if self.said[place] in ("weekday", "workday", "business day", "working day"):
            return Rule("weekly", interval, WORKDAYS), place + 1
        if self.kinds[place] == "wd":
            return self._weekdays(place, interval)
        if self.kinds[place] == "part":  # every morning, every evening at 8
            return Rule("daily", interval), place
        if self.kinds[place] == "unit" and self.tokens[place][1] in _UNITS:
            return self._unit(place + 1, _UNITS[str(self.tokens[place][1])], interval)
        return self._every_date(place, interval)

    def _every_date(self, place: int, interval: int) -> tuple[Rule, int]:
        if self.kinds[place] in ("holiday", "monthname") or (self.kinds[place] == "ordinal" and interval == 1):
            freq = "monthly" if self.kinds[place] == "ordinal" else "yearly"
            return self._monthly(place, interval) if freq == "monthly" else self._yearly(place, interval)
        self._no("unsupported_rule", place - 1)

    def _unit(self, place: int, freq: str, interval: int) -> tuple[Rule, int]:
        """What follows a unit: `on` and its days; without them those of today."""
        on = place + (self.said[place] in ("on", "by"))
        on += self.said[on] == "the"
        if freq == "weekly":
            return self._weekdays(on, interval) if self._weekday_at(on) is not None else (Rule("weekly", interval, (self.now.weekday(),)), place)
        if freq == "monthly":
            return self._monthly(on, interval, place)
        if freq == "yearly":
            return self._yearly(on, interval, place)
        return Rule("daily", interval), place

    def _weekday_at(self, place: int) -> int | None:
        if self.kinds[place] == "wd":
            return int(str(self.tokens[place][1]))
        word = self.said[place]
        return _weekday_names().index(word[:-1]) if word.endswith("days") and word[:-1] in _weekday_names() else None

    def _weekdays(self, place: int, interval: int) -> tuple[Rule, int]:
        found: list[int] = []
        end = place
        while True:
            start = end
            while found and self.said[start] in _JOINTS:
                start += 1
            weekday = self._weekday_at(start)
            if weekday is None:
                return Rule("weekly", interval, tuple(sorted(set(found)))), end
            found.append(weekday)
            end = start + 1

    def _monthly(self, place: int, interval: int, bare_end: int = 0) -> tuple[Rule, int]:
        """the 15th, the 1st and 15th, the last day, the first Monday."""
        if self.said[place:place + 2] == ["last", "day"]:
            return Rule("monthly", interval, monthdays=(-1,)), place + 2
        position = self._position(place)
        if position and (self.kinds[place + 1] == "wd" or self.said[place + 1] in ("weekday", "workday", "business day", "working day")):
            weekdays = (int(str(self.tokens[place + 1][1])),) if self.kinds[place + 1] == "wd" else WORKDAYS
            return Rule("monthly", interval, weekdays, position=position), place + 2
        found, end = self._month_days(place)
        if found:
            return Rule("monthly", interval, monthdays=tuple(sorted(set(found)))), end
        if self.now.day > 28 or not bare_end:
            self._no("vague", max(place - 1, 0))
        return Rule("monthly", interval, monthdays=(self.now.day,)), bare_end

    def _month_days(self, place: int) -> tuple[list[int], int]:
        found: list[int] = []
        end = place
        while True:
            start = end
            while found and self.said[start] in (*_JOINTS, "the"):
                start += 1
            if self.kinds[start] != "ordinal":
                return found, end
            day = int(str(self.tokens[start][1]))
            if not 1 <= day <= 31:
                self._no("impossible", start)
            found.append(day)
            end = start + 1

    def _position(self, place: int) -> int:
        if self.said[place] == "last":
            return -1
        value = self.tokens[place][1] if self.kinds[place] == "ordinal" else 0
        return value if isinstance(value, int) and value <= 5 else 0

    def _yearly(self, place: int, interval: int, bare_end: int = 0) -> tuple[Rule, int]:
        """Oct 1, the 1st of October, Christmas."""
        kinds = self.kinds[place:place + 3]
        if kinds[0] == "holiday":
            value = self.tokens[place][1]
            assert isinstance(value, tuple)
            return Rule("yearly", interval, monthdays=(value[1],), month=value[0]), place + 1
        if self.said[place:place + 3] == ["last", "day", "of"] and self.kinds[place + 3] == "monthname":
            return Rule("yearly", interval, monthdays=(-1,), month=int(str(self.tokens[place + 3][1]))), place + 4
        if kinds[0] == "monthname" and kinds[1] in ("num", "ordinal"):
            return self._yearly_on(place, place + 1, interval), place + 2
        if kinds[0] in ("ordinal", "num") and "monthname" in (kinds[1], kinds[2]):
            of = 1 if kinds[1] == "monthname" else 2
            return self._yearly_on(place + of, place, interval), place + of + 1
        if not bare_end:
            self._no("vague", max(place - 1, 0))
        return Rule("yearly", interval, monthdays=(self.now.day,), month=self.now.month), bare_end

    def _yearly_on(self, month_at: int, day_at: int, interval: int) -> Rule:
        month, day = int(str(self.tokens[month_at][1])), int(str(self.tokens[day_at][1]))
        if not days.exists(2000, month, day):
            self._no("impossible", min(month_at, day_at))
        return Rule("yearly", interval, monthdays=(day,), month=month)

    def _position_first(self, place: int) -> tuple[Rule, int]:
        """last day of every month, first Monday of each month, the 15th of every month."""
        start = place + (self.said[place] == "the")
        of = next((each for each in range(start + 1, start + 4) if self.said[each:each + 2] in (["of", "every"], ["of", "each"])), 0)
        if not of or self.tokens[of + 2:of + 3] == [] or self.tokens[of + 2][1] != "month":
            self._no("not_recurring", place)
        rule, end = self._monthly(start, 1)
        if end != of:
            self._no("leftover", end)
        return rule, of + 3


def _weekday_names() -> tuple[str, ...]:
    return ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def read_rule(text: str, now: datetime, parts: Mapping[str, str] | None) -> Rule:
    """The rule of the whole phrase; Refused when there is none or anything is left over."""
    return RuleReader(text.strip().rstrip(".!;"), now, parts).whole()
