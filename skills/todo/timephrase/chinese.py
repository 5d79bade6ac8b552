"""Reads Chinese due-date phrases: a small grammar over the tokens of `chinese_words`. Strict: what does not fit ends the reading."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime

from timephrase import days
from timephrase.moments import Clock, Pieces
from timephrase.numerals import Token
from timephrase.results import Refused, refuse

_UNITS = frozenset({"unit", "week", "gehalf"})
_NO_MINUTE_BEFORE = frozenset({"oclock", "mark", "month", "year", "unit", "week", "gehalf", "less", "ampm", "quarterhour", "monthpart"})


class ChineseReader:
    """One pass over the tokens. `phrase` reads the longest phrase that begins at a token; `pieces` is what it says."""

    def __init__(self, text: str, tokens: list[Token], now: datetime, parts: Mapping[str, str] | None) -> None:
        self.text, self.tokens, self.now, self.today = text, tokens, now, now.date()
        self.kinds = [token[0] for token in tokens] + [""] * 4  # so that looking ahead needs no check
        self.pieces = Pieces(now, parts)
        self.named: list[tuple[date, bool]] = []  # each day that was named; True: a bare weekday
        self.alone = ""  # the words of a span that must stand without a time of day
        self.done = False  # after 前 only fillers may follow
        self.past = False  # a day or moment that was said as past

    # --- the phrase ---

    def phrase(self, start: int, whole: bool = True) -> int:
        """Reads from token `start`; the index after the phrase. `whole`: every token must belong to it, else Refused."""
        place = end = start
        while kind := self.kinds[place]:
            if kind == "fill" or (kind in ("to", "and") and self._at_edge(place, start)):
                place += 1
                continue
            handler = _HANDLERS.get(kind)
            outside = kind == "no" and end > start and not whole  # the next words of a sentence are no business of this phrase
            after = handler(self, place) if handler and not outside and (not self.done or kind == "no") else 0
            if not after:
                if whole:
                    self._stuck(place, start)
                break
            place = end = after
        self._check_days(start, end)
        return end

    def _at_edge(self, place: int, start: int) -> bool:
        """R12: 到 and 和 are fillers at either end; between two times they make a range."""
        return end_of(self.kinds, place) or (all(kind in ("fill", "to", "and") for kind in self.kinds[start:place]))

    def _stuck(self, place: int, start: int) -> None:
        kind, read = self.kinds[place], place > start
        later = next((each for each in range(place, len(self.tokens)) if self.kinds[each] == "no"), None)
        if later is not None and kind != "?":  # 十来天: the word that says why stands further on
            refuse(str(self.tokens[later][1]), self.words(place, later + 1 + (self.kinds[later + 1] in _UNITS)), later + 1)
        if kind in ("to", "and") or (read and self._is(place, "-", "和", "与", "跟", "及", "到")):
            refuse("range", self.words(start, len(self.tokens)), len(self.tokens))
        if kind == "long" or (kind == "num" and not read):
            refuse("no_time", self.words(place, place + 1), place + 1)
        if all(each in ("?", "fill", "") for each in self.kinds):
            refuse("no_time", self.text, len(self.tokens))
        last = place + 1
        while self.kinds[last] == "?" and kind == "?":
            last += 1
        refuse("leftover", self.words(place, last), last)

    def _check_days(self, start: int, end: int) -> None:
        """R12: two days must agree; the date counts before the weekday."""
        if not self.named:
            return
        named = self.named
        day, bare = named[0] if len(named) == 1 else next((each for each in named if not each[1]), named[0])
        for other, other_bare in named if len(named) > 1 else ():
            if (other.weekday() != day.weekday()) if other_bare else (other != day):
                refuse("contradiction", self.words(start, end), end)
        self.pieces.day, self.pieces.bare = day, bare
        if self.alone and (self.pieces.part or self.pieces.clock):
            refuse("vague", self.alone, end)

    def words(self, start: int, end: int) -> str:
        """The text of the tokens start..end."""
        tokens = self.tokens[start:end]
        return self.text[tokens[0][2]:tokens[-1][3]] if tokens else ""

    def no(self, code: str, start: int, end: int) -> int:
        """Ends the reading; the words of the tokens are to blame."""
        refuse(code, self.words(start, end), end)

    def number(self, place: int) -> int:
        """The value of a number token."""
        value = self.tokens[place][1]
        assert isinstance(value, int)
        return value

    def value(self, place: int) -> int:
        """The value of a token whose kind says that it is whole."""
        return self.number(place)

    def _is(self, place: int, *texts: str) -> bool:
        return place < len(self.tokens) and self.words(place, place + 1) in texts

    def _day(self, day: date, start: int, end: int, bare: bool = False) -> int:
        """Notes a day; a day comes before the time of day."""
        if self.pieces.part or self.pieces.clock or self.pieces.moment:
            return 0
        self.named.append((day, bare))
        return end

    def _dated(self, make: Callable[[], date], start: int, end: int) -> int:
        """Notes the day that `make` gives; a refusal of the calendar gets the words."""
        try:
            day = make()
        except Refused as problem:
            refuse(problem.code, self.words(start, end), end)
        return self._day(day, start, end)

    def _past_the_point(self, place: int) -> int:
        """R12: 后 after a point is no deadline."""
        return self.no("past_point" if self.named or self.pieces.part or self.pieces.clock else "vague", max(place - 3, 0) if place else 0, place + 1)

    def _before(self, place: int) -> int:
        """R12: 前 never moves the point."""
        if not (self.named or self.pieces.part or self.pieces.clock or self.pieces.moment):
            return 0
        self.done = True
        return place + 1

    def _refused_word(self, place: int) -> int:
        code = str(self.tokens[place][1])
        if code == "range":
            return self.no(code, 0, len(self.tokens))
        return self.no(code, place, place + 1 + (self.kinds[place + 1] in _UNITS))

    # --- R2, R3: days and weeks ---

    def _day_word(self, place: int) -> int:
        offset, end = self.value(place), place + 1
        if self.kinds[end] == "within" and offset >= 0:  # R5: 今天内
            end += 1
        self.past |= offset < 0
        return self._dated(lambda: days.plus_days(self.today, offset), place, end)

    def _short_day(self, place: int) -> int:
        return self._day_word(place) if self.kinds[place + 1] == "part" else 0

    def _weekday(self, place: int) -> int:
        return self._day(days.next_weekday(self.today, self.value(place)), place, place + 1, bare=True)

    def _digit_weekday(self, place: int) -> int:
        """周5: one digit that begins no clock, date or length; a lone 周 is nothing."""
        if self.kinds[place + 1] != "num" or self.words(place + 1, place + 2) not in tuple("123456") or self.kinds[place + 2] in _NO_MINUTE_BEFORE:
            return 0
        return self._day(days.next_weekday(self.today, self.number(place + 1) - 1), place, place + 2, bare=True)

    def _bad_weekday(self, place: int) -> int:
        return self.no("impossible", place, place + 1)

    def _weekend(self, place: int) -> int:
        self.pieces.notes.append("weekend")
        return self._day(days.weekend(self.today, 0), place, place + 1)

    def _parenthesis(self, place: int) -> int:
        """10月14日(周三): a weekday in parentheses after a date."""
        if self.named and self.kinds[place + 1] == "wd" and self._is(place + 2, ")"):
            return place + 3 if self._weekday(place + 1) else 0
        return 0

    def _relative(self, place: int) -> int:
        """这/下/上 with a week, a month, a quarter or a year."""
        shift, kind, end = self.value(place), self.kinds[place + 1], place + 2
        self.past |= shift < 0
        if kind == "wd":
            return self._dated(lambda: days.week_day(self.today, shift, self.value(end - 1)), place, end)
        if kind == "week":
            return self._relative_week(place, shift)
        if kind == "weekend":
            self.pieces.notes.append("weekend")
            return self._dated(lambda: days.weekend(self.today, shift), place, end)
        if kind == "badwd":
            return self.no("impossible", place, end)
        return self._relative_span(place, shift, kind, end)

    def _relative_week(self, place: int, shift: int) -> int:
        after, end = self.kinds[place + 2], place + 2
        if after in ("wd", "within"):  # 下周周三; 本周内 is Sunday
            weekday = self.value(end) if after == "wd" else 6
            if after == "within":
                self.alone = self.words(place, end + 1)
            return self._dated(lambda: days.week_day(self.today, shift, weekday), place, end + 1)
        if after == "num" and self.words(end, end + 1) in tuple("123456") and self.kinds[end + 1] not in _NO_MINUTE_BEFORE:
            return self._dated(lambda: days.week_day(self.today, shift, self.number(end) - 1), place, end + 1)
        return self._span_alone(place, end, shift, "week_start", lambda: days.week_day(self.today, shift, 0))

    def _relative_span(self, place: int, shift: int, kind: str, end: int) -> int:
        if kind == "month":
            return self._relative_month(place, shift)
        if kind == "monthpart":
            return self._dated(lambda: days.month_day(self.today, shift, self.value(end - 1)), place, end)
        if kind == "quarterend":
            return self._dated(lambda: days.quarter_end(self.today, shift), place, end)
        if kind == "quarter" and self.kinds[end] == "within":
            return self._dated(lambda: days.quarter_end(self.today, shift), place, end + 1)
        return 0

    def _relative_month(self, place: int, shift: int) -> int:
        """R4: 下个月10号 is exactly that; alone it is the 1st, 内 its last day."""
        number = place + 2 + (self._is(place + 2, "的") and self.kinds[place + 3] == "num")
        if self.kinds[number] == "num" and self.kinds[number + 1] == "mark":
            day = self.number(number)
            return self._dated(lambda: days.exact(*days.shifted_month(self.today, shift), day), place, number + 2)
        if self.kinds[place + 2] == "within":
            self.alone = self.words(place, place + 3)
            return self._dated(lambda: days.month_day(self.today, shift, 0), place, place + 3)
        return self._span_alone(place, place + 2, shift, "month_start", lambda: days.month_day(self.today, shift, 1))

    def _span_alone(self, place: int, end: int, shift: int, note: str, first: Callable[[], date]) -> int:
        if shift <= 0:
            return self.no("vague", place, end)
        self.alone = self.words(place, end)
        self.pieces.notes.append(note)
        return self._dated(first, place, end)

    # --- R4: months, quarters, years ---

    def _month_within(self, place: int) -> int:
        if self.kinds[place + 1] != "within":
            return 0
        self.alone = self.words(place, place + 2)
        return self._dated(lambda: days.month_day(self.today, 0, 0), place, place + 2)

    def _month_part(self, place: int) -> int:
        """R4: 月初 and 月中 move to the next month once past, 月底 never is."""
        if self.kinds[place + 1] in ("num", "digits"):
            return self.no("lunar", place, place + 2)  # 月初五
        day = self.value(place)
        if day:
            self.pieces.notes.append("month_part")
        return self._dated(lambda: days.month_day(self.today, int(0 < day < self.today.day), day), place, place + 1)

    def _relative_year(self, place: int) -> int:
        year, end = self.today.year + self.value(place), place + 1
        self.past |= self.value(place) < 0
        if self._is(end, "的"):
            end += 1
        return self._in_year(place, end, year)

    def _in_year(self, place: int, end: int, year: int) -> int:
        """What follows a year: a date, a holiday, its end."""
        kind = self.kinds[end]
        if kind == "num" and self.kinds[end + 1] in ("month", "monthpart"):
            return self._month_date(place, end, year)
        if kind == "holiday":
            month, day = self._pair(end)
            return self._dated(lambda: days.exact(year, month, day), place, end + 1)
        if kind in ("yearend", "yearlast") or (kind == "within" and self.words(place, place + 1) in ("今年", "本年")):
            return self._dated(lambda: days.exact(year, 12, 31), place, end + 1)
        if kind == "no":
            return end  # the word itself says why
        return self.no("vague", place, end)

    def _year_end(self, place: int) -> int:
        return self._dated(lambda: days.exact(self.today.year, 12, 31), place, place + 1)

    def _year_within(self, place: int) -> int:
        return self._dated(lambda: days.exact(self.today.year, 12, 31), place, place + 2) if self.kinds[place + 1] == "within" else 0

    def _quarter_end(self, place: int) -> int:
        return self._dated(lambda: days.quarter_end(self.today, 0), place, place + 1)

    def _holiday(self, place: int) -> int:
        """R11: the next such day from today on."""
        month, day = self._pair(place)
        self._note_year(month, day)
        return self._dated(lambda: days.next_date(self.today, month, day), place, place + 1)

    def _pair(self, place: int) -> tuple[int, int]:
        pair = self.tokens[place][1]
        assert isinstance(pair, tuple)
        return pair[0], pair[1]

    def _note_year(self, month: int, day: int) -> None:
        if (month, day) < (self.today.month, self.today.day):
            self.pieces.notes.append("next_year")

    # --- R4: dates ---

    def _number(self, place: int) -> int:
        """A number says what it is by the word after it."""
        kind = self.kinds[place + 1]
        if kind == "year" and not self._is_length(place):
            return self._year_date(place)
        if kind in ("month", "monthpart"):
            return self._month_date(place, place, 0)
        if kind == "mark":
            return self._day_number(place)
        if kind == "oclock":
            return self._clock_words(place)
        if kind == "ampm":
            return self._clock_at(place, place + 2, self._twelve_hours(place, 0))
        return self.length(place) if kind in _UNITS or kind == "year" else 0

    def _is_length(self, place: int) -> bool:
        """N年 is a count of years when 半, a unit or a direction follows."""
        after = self.kinds[place + 2]
        return after in ("after", "before", "within", "half") or (after == "num" and self.kinds[place + 3] in _UNITS)

    def _year_date(self, place: int) -> int:
        """R4: Y年M月D日; YY年 is 20YY."""
        year, said = self.number(place), self.words(place, place + 1)
        if len(said) == 4:
            return self._in_year(place, place + 2, year)
        return self._in_year(place, place + 2, 2000 + year) if len(said) == 2 and self.kinds[place] in ("num", "digits") else 0

    def _month_date(self, place: int, month_at: int, year: int) -> int:
        """R4: M月D日/号, 日 may be missing; 10月底 is the last day of that October."""
        month, end = self.number(month_at), month_at + 2
        if self.kinds[month_at + 1] == "monthpart":
            return self._part_of_month(place, end, year, month)
        if self._is(end, "的") and self.kinds[end + 1] == "num":
            end += 1
        if self.kinds[end] != "num":
            return self.no("vague" if self.kinds[end] != "no" else str(self.tokens[end][1]), place, end)
        if self.kinds[end + 1] != "mark" and self.kinds[end + 1] in _NO_MINUTE_BEFORE:
            return self.no("vague", place, end)
        day = self.number(end)
        end += 2 if self.kinds[end + 1] == "mark" else 1
        return self._year_or_next(place, end, year, month, day)

    def _year_or_next(self, place: int, end: int, year: int, month: int, day: int) -> int:
        if year:
            return self._dated(lambda: days.exact(year, month, day), place, end)
        self._note_year(month, day)
        return self._dated(lambda: days.next_date(self.today, month, day), place, end)

    def _part_of_month(self, place: int, end: int, year: int, month: int) -> int:
        if self.kinds[end] in ("num", "digits"):
            return self.no("lunar", place, end + 1)  # 八月初五
        if not 1 <= month <= 12:
            return self.no("impossible", place, end)
        day = self.value(end - 1)
        self.pieces.notes.append("month_part") if day else None
        if day:
            return self._year_or_next(place, end, year, month, day)
        if year:
            return self._dated(lambda: days.exact(year, month, days.month_length(year, month)), place, end)
        return self._dated(lambda: days.next_month_end(self.today, month), place, end)

    def _day_number(self, place: int) -> int:
        """R4: D号 is this month's if not past, else that of the next month that has it."""
        day = self.number(place)
        if day < self.today.day:
            self.pieces.notes.append("next_month")
        return self._dated(lambda: days.next_day_of_month(self.today, day), place, place + 2)

    def _numeric_date(self, place: int) -> int:
        value, end = self.tokens[place][1], place + 1
        assert isinstance(value, tuple)
        year, month, day, separator = value
        if self.kinds[end] == "unit" and separator == "." and not year:  # 1.5小时后
            return self.length(place)
        if self.kinds[end] in _NO_MINUTE_BEFORE:
            return self.no("range", place, end + 1)  # 9-11点
        if self.text.isascii() and separator in ("/", "-") and not year and day <= 12 and month != day:
            self.pieces.notes.append("month_first")
        if self.kinds[end] == "T" or (self.kinds[end] == "gap" and self.kinds[end + 1] == "clock"):
            end += 1
            if self.kinds[end] != "clock":
                return 0
        after = self._year_or_next(place, end, year, month, day)
        # An ISO date makes its clock a 24-hour one: 2026-10-14 10:30 never means 22:30.
        return self._clock(end, exact=self.words(end, end + 1)[2:3] == ":") if after and separator == "-" and year and self.kinds[end] == "clock" else after

    def _gap(self, place: int) -> int:
        return place + 1 if self.kinds[place + 1] in ("clock", "num", "date") and (self.named or self.pieces.part) else 0

    # --- R5: lengths from now ---

    def length(self, place: int, passing: bool = False) -> int:
        """N天后, 半小时内, 1小时20分钟前, 过三天; a mix adds up."""
        from timephrase.chinese_lengths import read_length

        return read_length(self, place, passing)

    def _pass(self, place: int) -> int:
        return self.length(place + 1, passing=True) if self.kinds[place + 1] in ("num", "half", "digits", "date") else 0

    def _half(self, place: int) -> int:
        return self.length(place) if self.kinds[place + 1] in ("unit", "year", "week") else 0

    def _same_time(self, place: int) -> int:
        """R5: 明天这个时候 is that day at now's HH:MM."""
        if not self.named or self.pieces.part or self.pieces.clock:
            return self.no("vague", place, place + 1)
        self.pieces.same_time = True
        return place + 1

    # --- R6, R7: the time of day ---

    def _part(self, place: int) -> int:
        part = str(self.tokens[place][1])
        if self.pieces.clock or self.pieces.moment:
            return 0
        if self.pieces.part not in (None, part):
            return self.no("contradiction", place - 1, place + 1)
        self.pieces.part = part
        return place + 1

    def _clock_words(self, place: int) -> int:
        from timephrase.chinese_clock import clock_words

        clock, end = clock_words(self, place)
        return self._clock_at(place, end, clock)

    def _less(self, place: int) -> int:
        from timephrase.chinese_clock import less_first

        clock, end = less_first(self, place)
        return self._clock_at(place, end, clock) if clock else 0

    def _clock(self, place: int, exact: bool = False) -> int:
        """R6: HH:MM and 3:30pm."""
        value = self.tokens[place][1]
        assert isinstance(value, tuple)
        hour, minute, padded = value
        if self.kinds[place + 1] == "ampm":
            return self._clock_at(place, place + 2, self._twelve_hours(place, minute, hour))
        return self._clock_at(place, place + 1, Clock(hour, minute, exact or padded))

    def _twelve_hours(self, place: int, minute: int, hour: int | None = None) -> Clock:
        hour = self.number(place) if hour is None else hour
        if not 1 <= hour <= 12:
            refuse("impossible", self.words(place, place + 2), place + 2)
        return Clock(hour % 12 + int(str(self.tokens[place + 1][1])), minute, exact=True)

    def _clock_at(self, place: int, end: int, clock: Clock) -> int:
        """Notes a clock: at most one, of an hour that exists (R6)."""
        if self.pieces.moment:
            return 0
        if self.pieces.clock:
            return self.no("contradiction", place, end)
        if clock.hour > 24 or clock.minute > 59 or (clock.hour == 24 and clock.minute):
            return self.no("impossible", place, end)
        clock.exact = clock.exact or clock.hour == 0 or clock.hour > 12  # R9
        self.pieces.clock = clock
        return end


def end_of(kinds: list[str], place: int) -> bool:
    """Whether only fillers follow."""
    return all(kind in ("", "fill", "to", "and") for kind in kinds[place:])


Handler = Callable[[ChineseReader, int], int]
_R = ChineseReader
_HANDLERS: dict[str, Handler] = {
    "day": _R._day_word, "short": _R._short_day, "wd": _R._weekday, "badwd": _R._bad_weekday, "week": _R._digit_weekday, "weekend": _R._weekend,
    "rel": _R._relative, "month": _R._month_within, "monthpart": _R._month_part, "relyear": _R._relative_year, "year": _R._year_within,
    "yearend": _R._year_end, "quarterend": _R._quarter_end, "holiday": _R._holiday, "num": _R._number, "digits": _R._number,
    "date": _R._numeric_date, "clock": _R._clock, "less": _R._less, "pass": _R._pass, "half": _R._half, "same": _R._same_time,
    "part": _R._part, "before": _R._before, "until": _R._before, "after": _R._past_the_point, "no": _R._refused_word, "paren": _R._parenthesis,
    "gap": _R._gap,
}
