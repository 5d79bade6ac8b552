"""Reads English due-date phrases by the same rules and as strictly: day, part of the day and clock in any order, each at most once."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime

from timephrase import days
from timephrase.moments import Clock
from timephrase.numerals import Token
from timephrase.reader import Reader
from timephrase.results import Refused, refuse

_MARKS = frozenset(".!?;:\"'()“”…[]")


class EnglishReader(Reader):
    """One pass over the tokens. `phrase` reads the longest phrase that begins at a token; `pieces` is what it says."""

    def __init__(self, text: str, tokens: list[Token], now: datetime, parts: Mapping[str, str] | None) -> None:
        super().__init__(text, tokens, now, parts)
        self.midnight = ""  # the words of a midnight that needs no day, today or tonight
        self.tonight = False

    # --- the phrase ---

    def phrase(self, start: int, whole: bool = True) -> int:
        """Reads from token `start`; the index after the phrase. `whole`: every token must belong to it, else Refused."""
        place = end = start
        while kind := self.kinds[place]:
            if kind == "fill" or (kind == "?" and whole and self._mark_at_edge(place)):
                place += 1
                continue
            handler = HANDLERS.get(kind)
            outside = kind in ("no", "after") and end > start and not whole  # the next words of a sentence are no business of this phrase
            after = handler(self, place) if handler and not outside else 0
            if not after:
                if whole:
                    self._stuck(place, start)
                break
            place = end = after
        self._finish(start, end)
        return end

    def _mark_at_edge(self, place: int) -> bool:
        """R12: punctuation at either end."""
        marks = [self.words(each, each + 1) in _MARKS for each in range(len(self.tokens))]
        return marks[place] and (all(marks[:place]) or all(marks[place:]))

    def _stuck(self, place: int, start: int) -> None:
        kind, last = self.kinds[place], place + 1
        later = next((each for each in range(place, len(self.tokens)) if self.kinds[each] == "no"), None)
        if later is not None:  # in a few days: the word that says why stands further on
            refuse(str(self.tokens[later][1]), self.words(place, later + 1 + (self.kinds[later + 1] == "unit")), later + 1)
        if kind in ("and", "to"):
            refuse("range", self.words(start, len(self.tokens)), len(self.tokens))
        if all(each in ("?", "fill", "") for each in self.kinds):
            refuse("no_time", self.text.strip(), len(self.tokens))
        while kind == "?" and self.kinds[last] == "?":
            last += 1
        refuse("no_time" if kind in ("num", "long", "ordinal") and not self.named and place == start else "leftover", self.words(place, last), last)

    def _finish(self, start: int, end: int) -> None:
        """What is known only at the end. Midnight of a named day has two readings."""
        self.check_days(start, end)
        self.check_alone(end)
        self._midnight_of_day(start, end)
        if self.tonight and not self.pieces.clock and self.pieces.part is None:
            self.pieces.part = "evening"

    def _midnight_of_day(self, start: int, end: int) -> None:
        if not self.midnight:
            return
        if self.named and self.pieces.day != self.today:
            refuse("unclear", self.words(start, end), end)
        if self.named:
            self.pieces.notes.append("day_end")
        self.pieces.clock, self.tonight = Clock(24, exact=True), False

    def _dated(self, make: Callable[[], date], start: int, end: int, bare: bool = False) -> int:
        if self.pieces.moment:
            return 0
        try:
            self.named.append((make(), bare))
        except Refused as problem:
            refuse(problem.code, self.words(start, end), end)
        return end

    def _refused_word(self, place: int) -> int:
        code = str(self.tokens[place][1])
        return self.no(code, 0 if code == "range" else place, len(self.tokens) if code == "range" else place + 1)

    def _no_length(self, place: int) -> int:
        return self.no("vague", place, place + 1)  # later, with no length before it

    def _after(self, place: int) -> int:
        """R12: after a point is no deadline."""
        return self.no("past_point", place, min(place + 3, len(self.tokens)))

    # --- days and weeks ---

    def _day_word(self, place: int) -> int:
        offset = self.number(place)
        self.past |= offset < 0
        end = place + 1
        if self.kinds[end] == "part":  # tomorrow morning, tomorrow night
            end = self._part(end)
        return self._dated(lambda: days.plus_days(self.today, offset), place, end) if end else 0

    def _tonight(self, place: int) -> int:
        self.tonight = True
        return self._dated(lambda: self.today, place, place + 1)

    def _weekday(self, place: int) -> int:
        end = place + 1
        if self.kinds[end] == "rel" and self.kinds[end + 1] == "unit" and self.tokens[end + 1][1] == "week":  # Friday next week
            return self._dated(lambda: days.week_day(self.today, self._shift(end), self.number(place)), place, end + 2)
        if self.kinds[end] == "fill" and self.words(end, end + 1) == "of" and self.kinds[end + 1] == "rel":
            return self._dated(lambda: days.week_day(self.today, self._shift(end + 1), self.number(place)), place, end + 3) if (
                self.kinds[end + 2] == "unit" and self.tokens[end + 2][1] == "week") else 0
        return self._dated(lambda: days.next_weekday(self.today, self.number(place)), place, end, bare=True)

    def _shift(self, place: int) -> int:
        shift = self.number(place)
        self.past |= shift < 0
        return shift

    def _weekend(self, place: int) -> int:
        self.pieces.notes.append("weekend")
        return self._dated(lambda: days.weekend(self.today, 0), place, place + 1)

    def _relative(self, place: int) -> int:
        """this, next, last with a weekday, a weekend, a week, a month or a part of today."""
        shift, kind, end = self._shift(place), self.kinds[place + 1], place + 2
        if kind == "wd":
            if shift > 0:
                self.pieces.notes.append("next_week")
            return self._dated(lambda: days.week_day(self.today, shift, self.number(end - 1)), place, end)
        if kind == "weekend":
            self.pieces.notes.append("weekend")
            return self._dated(lambda: days.weekend(self.today, shift), place, end)
        if kind == "part" and shift == 0:
            return self._dated(lambda: self.today, place, end) and self._part(place + 1)
        if kind == "unit":
            return self._relative_span(place, end, shift, str(self.tokens[place + 1][1]))
        return 0

    def _relative_span(self, place: int, end: int, shift: int, unit: str) -> int:
        if unit == "week" and self.kinds[end] == "wd":  # next week Friday
            return self._dated(lambda: days.week_day(self.today, shift, self.number(end)), place, end + 1)
        if shift <= 0 or unit not in ("week", "month"):
            return self.no("vague", place, end)
        self.alone = self.words(place, end)
        self.pieces.notes.append("week_start" if unit == "week" else "month_start")
        return self._dated(lambda: days.week_day(self.today, 1, 0) if unit == "week" else days.month_day(self.today, 1, 1), place, end)

    # --- ends of spans ---

    def _end_of(self, place: int) -> int:
        """end of day, week, month, quarter, year: the last day of it, date-only."""
        span, end = str(self.tokens[place][1]), place + 1
        if span == "day":
            if self.kinds[end] in ("day", "wd", "rel", "monthname", "fill"):
                return end  # the day follows
            return end if self.named else self._dated(lambda: self.today, place, end)
        return self._span_end(place, end, span, 0)

    def _span_end(self, place: int, end: int, span: str, shift: int) -> int:
        self.alone = self.words(place, end)
        if span == "week":
            self.pieces.notes.append("week_end")
        make = {"week": lambda: days.week_day(self.today, shift, 6), "month": lambda: days.month_day(self.today, shift, 0),
                "quarter": lambda: days.quarter_end(self.today, shift), "year": lambda: days.exact(self.today.year + shift, 12, 31)}.get(span)
        return self._dated(make, place, end) if make else 0

    def _end_word(self, place: int) -> int:
        """end of next month, end of October, end of today."""
        after = place + 1
        while self.words(after, after + 1) in ("the", "of"):
            after += 1
        kind = self.kinds[after]
        if kind == "rel" and self.kinds[after + 1] in ("unit", "quarter"):
            span = "quarter" if self.kinds[after + 1] == "quarter" else str(self.tokens[after + 1][1])
            return self._span_end(place, after + 2, span, self._shift(after))
        if kind == "monthname":
            month = self.number(after)
            return self._dated(lambda: days.next_month_end(self.today, month), place, after + 1)
        return after if kind in ("day", "wd") else 0

    # --- dates ---

    def _month_name(self, place: int) -> int:
        """Oct 15, October 15th 2027, October the 15th."""
        after = place + 1
        if self.words(after, after + 1) == ".":
            after += 1
        if self.words(after, after + 1) == "the":
            after += 1
        if self.kinds[after] not in ("num", "ordinal") or self.kinds[after + 1] in ("ampm", "oclock", "unit"):
            return self.no("vague", place, place + 1)
        if self.number(after) > 31:
            return self.no("vague" if self.number(after) > 999 else "impossible", place, after + 1)
        return self._with_year(place, after + 1, self.number(place), self.number(after))

    def _with_year(self, place: int, end: int, month: int, day: int) -> int:
        """A four-digit year may follow, after a comma or not."""
        year_at = end + (self.words(end, end + 1) == ",")
        if self.kinds[year_at] == "num" and year_at < len(self.tokens) and len(self.words(year_at, year_at + 1)) == 4:
            return self._dated(lambda: days.exact(self.number(year_at), month, day), place, year_at + 1)
        return self._yearless(place, end, month, day)

    def _yearless(self, place: int, end: int, month: int, day: int) -> int:
        if (month, day) < (self.today.month, self.today.day):
            self.pieces.notes.append("next_year")
        return self._dated(lambda: days.next_date(self.today, month, day), place, end)

    def _numeric_date(self, place: int) -> int:
        """2026-10-15, 10/15 and 10/15/2027: the month comes first."""
        value, end = self.tokens[place][1], place + 1
        assert isinstance(value, tuple)
        year, month, day, separator = value
        if self.kinds[end] in ("unit", "ampm", "oclock"):
            return self.no("range", place, end + 1)
        if separator == ".":
            if not year:
                return 0  # 3.5 is a number
        elif self.words(place, end)[:4] != str(year) and month <= 12 and day <= 12 and month != day:
            self.pieces.notes.append("month_first")
        if self.kinds[end] == "T":
            end += 1
        made = self._dated(lambda: days.exact(year, month, day), place, place + 1) if year else self._yearless(place, end, month, day)
        if made and year and separator == "-" and self.kinds[end] == "clock":  # an ISO date makes its clock a 24-hour one
            return self._clock(end, exact=self.words(end, end + 1)[2:3] == ":")
        return made and (end if self.kinds[end - 1] != "T" else 0)

    def _holiday(self, place: int) -> int:
        """R11: the next such day from today on, or that of the year that follows."""
        month_day = self.tokens[place][1]
        assert isinstance(month_day, tuple)
        return self._with_year(place, place + 1, month_day[0], month_day[1])

    def _ordinal(self, place: int) -> int:
        """the 15th; 15th of October; the 1st of next month."""
        day, after = self.number(place), place + 1
        of = after + (self.words(after, after + 1) == "of")
        if self.kinds[of] == "monthname":
            return self._with_year(place, of + 1, self.number(of), day)
        if self.kinds[of] == "rel" and of > after and self.tokens[of + 1:of + 2] and self.tokens[of + 1][1] == "month":
            shift = self._shift(of)
            return self._dated(lambda: days.exact(*days.shifted_month(self.today, shift), day), place, of + 2)
        if self.words(place, place + 1).isalpha():
            return 0  # "first" alone is no date
        if day < self.today.day:
            self.pieces.notes.append("next_month")
        return self._dated(lambda: days.next_day_of_month(self.today, day), place, after)

    # --- numbers: a clock, a date, a length ---

    def _number(self, place: int) -> int:
        kind = self.kinds[place + 1]
        if kind == "monthname":  # 15 Oct
            return self._with_year(place, place + 2, self.number(place + 1), self.number(place))
        if kind in ("past", "to"):
            return self._past_or_to(place, self.number(place), place + 1)
        if kind in ("unit", "and", "fromnow", "half"):
            return self.length(place, 0) or self._bare_clock(place)
        return self._bare_clock(place)

    def _bare_clock(self, place: int) -> int:
        """9am, 9 o'clock, and a bare 9 after at or by."""
        kind, hour = self.kinds[place + 1], self.number(place)
        if kind == "ampm":
            return self._twelve_hours(place, hour, 0)
        if kind == "oclock":
            return self._clock_at(place, place + 2, Clock(hour))
        if kind == "part" and self.words(place + 1, place + 2)[:3].strip() in ("in", "at"):  # 9 in the morning
            return self._clock_at(place, place + 1, Clock(hour))
        said = place and self.words(place - 1, place) in ("at", "by", "before", "around", "about", "until", "till")
        if not said or kind in ("unit", "date", "clock", "wd", "num"):
            return 0
        if self.words(place - 1, place) == "before" and hour > 24:
            return 0
        return self._clock_at(place, place + 1, Clock(hour))

    def _article(self, place: int) -> int:
        if self.kinds[place + 1] == "quarter" and self.kinds[place + 2] in ("past", "to"):
            return self._quarter(place + 1)
        return self.length(place, 0)

    def length(self, place: int, direction: int) -> int:
        """in 3 days, 2 weeks from now, 3 days ago. `direction` 0: the words after it say it."""
        from timephrase.english_lengths import read_length

        return read_length(self, place, direction)

    def _in(self, place: int) -> int:
        return self.length(place + 1, 1) if self.kinds[place + 1] in ("num", "article", "half", "date", "no", "quarter") else 0

    # --- the time of day ---

    def _part(self, place: int) -> int:
        part = str(self.tokens[place][1])
        if self.pieces.moment or self.pieces.part not in (None, part):
            return self.no("contradiction", 0, place + 1)
        self.pieces.part = part
        return place + 1

    def _noon(self, place: int) -> int:
        return self._clock_at(place, place + 1, Clock(12, half=True))

    def _midnight(self, place: int) -> int:
        if self.midnight or self.pieces.clock:
            return self.no("contradiction", 0, place + 1)
        self.midnight = self.words(place, place + 1)
        return place + 1

    def _half(self, place: int) -> int:
        if self.kinds[place + 1] == "past":
            return self._past_or_to(place, 30, place + 1)
        return self.length(place, 0)

    def _quarter(self, place: int) -> int:
        return self._past_or_to(place, 15, place + 1) if self.kinds[place + 1] in ("past", "to") else 0

    def _past_or_to(self, place: int, minutes: int, at: int) -> int:
        """half past three, quarter to five, ten to five."""
        if self.kinds[at + 1] != "num":
            return 0
        hour, end = self.number(at + 1), at + 2
        past = self.kinds[at] == "past"
        if not past and minutes < 13 and self.words(place, at) != "ten":
            return self.no("range", place, end)  # 3 to 5, five to six
        if not 1 <= hour <= 12 or not 0 < minutes < 60:
            return self.no("impossible", place, end)
        clock = Clock(hour, minutes if past else 0, minus=0 if past else minutes)
        if self.kinds[end] == "ampm":
            clock = Clock(hour % 12 + self.number(end), clock.minute, minus=clock.minus, half=True)
            end += 1
        return self._clock_at(place, end, clock)

    def _clock(self, place: int, exact: bool = False) -> int:
        value = self.tokens[place][1]
        assert isinstance(value, tuple)
        hour, minute, padded = value
        if self.kinds[place + 1] == "ampm":
            return self._twelve_hours(place, hour, minute)
        return self._clock_at(place, place + 1, Clock(hour, minute, exact or padded))

    def _twelve_hours(self, place: int, hour: int, minute: int) -> int:
        if not 1 <= hour <= 12:
            return self.no("impossible", place, place + 2)
        return self._clock_at(place, place + 2, Clock(hour % 12 + self.number(place + 1), minute, half=True))

    def _clock_at(self, place: int, end: int, clock: Clock) -> int:
        if self.pieces.moment or self.pieces.clock or self.midnight:
            return self.no("contradiction", 0, end)
        if clock.hour > 24 or clock.minute > 59 or (clock.hour == 24 and clock.minute):
            return self.no("impossible", place, end)
        clock.exact = clock.exact or clock.hour == 0 or clock.hour > 12  # R9
        self.pieces.clock = clock
        if self.tonight and self.pieces.part is None:
            self.pieces.part, self.tonight = "evening", False
        return end

    def _same_time(self, place: int) -> int:
        self.pieces.same_time = True
        return place + 1


_R = EnglishReader
HANDLERS: dict[str, Callable[[EnglishReader, int], int]] = {
    "day": _R._day_word, "tonight": _R._tonight, "wd": _R._weekday, "weekend": _R._weekend, "rel": _R._relative, "end": _R._end_of,
    "endof": _R._end_word, "monthname": _R._month_name, "date": _R._numeric_date, "holiday": _R._holiday, "ordinal": _R._ordinal,
    "num": _R._number, "article": _R._article, "in": _R._in, "part": _R._part, "noon": _R._noon, "midnight": _R._midnight, "half": _R._half,
    "quarter": _R._quarter, "clock": _R._clock, "same": _R._same_time, "no": _R._refused_word, "after": _R._after, "fromnow": _R._no_length,
}
