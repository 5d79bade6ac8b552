"""Reads Chinese due-date phrases: a small grammar over the tokens of `chinese_words`. Strict: what does not fit ends the reading."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime

from timephrase import chinese_dates as dates
from timephrase import days
from timephrase.moments import Clock
from timephrase.numerals import UNIT_KINDS, Token
from timephrase.reader import Reader
from timephrase.results import Refused, refuse


class ChineseReader(Reader):
    """One pass over the tokens. `phrase` reads the longest phrase that begins at a token; `pieces` is what it says."""

    def __init__(self, text: str, tokens: list[Token], now: datetime, parts: Mapping[str, str] | None) -> None:
        super().__init__(text, tokens, now, parts)
        self.done = False  # after 前 only fillers may follow

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
        self.check_days(start, end)
        self.check_alone(end)
        return end

    def _at_edge(self, place: int, start: int) -> bool:
        """R12: 到 and 和 are fillers at either end; between two times they make a range."""
        return end_of(self.kinds, place) or (all(kind in ("fill", "to", "and") for kind in self.kinds[start:place]))

    def _stuck(self, place: int, start: int) -> None:
        kind, read = self.kinds[place], place > start
        later = next((each for each in range(place, len(self.tokens)) if self.kinds[each] == "no"), None)
        if later is not None and kind != "?":  # 十来天: the word that says why stands further on
            refuse(str(self.tokens[later][1]), self.words(place, later + 1 + (self.kinds[later + 1] in UNIT_KINDS)), later + 1)
        if kind in ("to", "and") or (read and self.says(place, "-", "和", "与", "跟", "及", "到")):
            refuse("range", self.words(start, len(self.tokens)), len(self.tokens))
        if kind == "long" or (kind == "num" and not read):
            refuse("no_time", self.words(place, place + 1), place + 1)
        if all(each in ("?", "fill", "") for each in self.kinds):
            refuse("no_time", self.text, len(self.tokens))
        last = place + 1
        while self.kinds[last] == "?" and kind == "?":
            last += 1
        refuse("leftover", self.words(place, last), last)

    def says(self, place: int, *texts: str) -> bool:
        return place < len(self.tokens) and self.words(place, place + 1) in texts

    def named_day(self, day: date, start: int, end: int, bare: bool = False) -> int:
        """Notes a day; a day comes before the time of day."""
        if self.pieces.part or self.pieces.clock or self.pieces.moment:
            return 0
        self.named.append((day, bare))
        return end

    def dated(self, make: Callable[[], date], start: int, end: int) -> int:
        """Notes the day that `make` gives; a refusal of the calendar gets the words."""
        try:
            day = make()
        except Refused as problem:
            refuse(problem.code, self.words(start, end), end)
        return self.named_day(day, start, end)

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
        return self.no(code, place, place + 1 + (self.kinds[place + 1] in UNIT_KINDS))

    # --- R2, R3: days and weeks ---

    def _day_word(self, place: int) -> int:
        offset, end = self.number(place), place + 1
        if self.kinds[end] == "within" and offset >= 0:  # R5: 今天内
            end += 1
        self.past |= offset < 0
        return self.dated(lambda: days.plus_days(self.today, offset), place, end)

    def _short_day(self, place: int) -> int:
        return self._day_word(place) if self.kinds[place + 1] == "part" else 0

    def _weekday(self, place: int) -> int:
        return self.named_day(days.next_weekday(self.today, self.number(place)), place, place + 1, bare=True)

    def _digit_weekday(self, place: int) -> int:
        """周5: one digit that begins no clock, date or length; a lone 周 is nothing."""
        if self.kinds[place + 1] != "num" or self.words(place + 1, place + 2) not in tuple("123456") or self.kinds[place + 2] in dates.OWNERS:
            return 0
        return self.named_day(days.next_weekday(self.today, self.number(place + 1) - 1), place, place + 2, bare=True)

    def _bad_weekday(self, place: int) -> int:
        return self.no("impossible", place, place + 1)

    def _weekend(self, place: int) -> int:
        self.pieces.notes.append("weekend")
        return self.named_day(days.weekend(self.today, 0), place, place + 1)

    def _parenthesis(self, place: int) -> int:
        """10月14日(周三): a weekday in parentheses after a date."""
        closed = self.says(place + 2, ")")  # a bracket at the very end counts as punctuation and is gone
        if self.named and self.says(place, "(") and self.kinds[place + 1] == "wd" and (closed or not self.kinds[place + 2]):
            return place + 2 + closed if self._weekday(place + 1) else 0
        return 0

    def _relative(self, place: int) -> int:
        """这/下/上 with a week, a month, a quarter or a year."""
        shift, kind, end = self.number(place), self.kinds[place + 1], place + 2
        self.past |= shift < 0
        if kind == "wd":
            return self.dated(lambda: days.week_day(self.today, shift, self.number(end - 1)), place, end)
        if kind == "week":
            return self._relative_week(place, shift)
        if kind == "weekend":
            self.pieces.notes.append("weekend")
            return self.dated(lambda: days.weekend(self.today, shift), place, end)
        if kind == "badwd":
            return self.no("impossible", place, end)
        return self._relative_span(place, shift, kind, end)

    def _relative_week(self, place: int, shift: int) -> int:
        end = place + 2 + (self.says(place + 2, "的") and self.kinds[place + 3] == "wd")
        after = self.kinds[end]
        if after in ("wd", "within"):  # 下周周三; 本周内 is Sunday
            weekday = self.number(end) if after == "wd" else 6
            if after == "within":
                self.alone = self.words(place, end + 1)
            return self.dated(lambda: days.week_day(self.today, shift, weekday), place, end + 1)
        if after == "num" and self.words(end, end + 1) in tuple("123456") and self.kinds[end + 1] not in dates.OWNERS:
            return self.dated(lambda: days.week_day(self.today, shift, self.number(end) - 1), place, end + 1)
        return self.span_alone(place, end, shift, "week_start", lambda: days.week_day(self.today, shift, 0))

    def _relative_span(self, place: int, shift: int, kind: str, end: int) -> int:
        if kind == "month":
            return self._relative_month(place, shift)
        if kind == "monthpart":
            return self.dated(lambda: days.month_day(self.today, shift, self.number(end - 1)), place, end)
        if kind == "quarterend":
            return self.dated(lambda: days.quarter_end(self.today, shift), place, end)
        if kind == "quarter" and self.kinds[end] == "within":
            return self.dated(lambda: days.quarter_end(self.today, shift), place, end + 1)
        return 0

    def _relative_month(self, place: int, shift: int) -> int:
        """R4: 下个月10号 is exactly that; alone it is the 1st, 内 its last day."""
        number = place + 2 + (self.says(place + 2, "的") and self.kinds[place + 3] == "num")
        if self.kinds[number] == "num" and self.kinds[number + 1] == "mark":
            day = self.number(number)
            return self.dated(lambda: days.exact(*days.shifted_month(self.today, shift), day), place, number + 2)
        if self.kinds[place + 2] == "within":
            self.alone = self.words(place, place + 3)
            return self.dated(lambda: days.month_day(self.today, shift, 0), place, place + 3)
        return self.span_alone(place, place + 2, shift, "month_start", lambda: days.month_day(self.today, shift, 1))

    def span_alone(self, place: int, end: int, shift: int, note: str, first: Callable[[], date]) -> int:
        if shift <= 0:
            return self.no("vague", place, end)
        self.alone = self.words(place, end)
        self.pieces.notes.append(note)
        return self.dated(first, place, end)

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

    def clock_words(self, place: int) -> int:
        from timephrase.chinese_clock import clock_words

        clock, end = clock_words(self, place)
        return self.clock_at(place, end, clock)

    def _less(self, place: int) -> int:
        from timephrase.chinese_clock import less_first

        clock, end = less_first(self, place)
        return self.clock_at(place, end, clock) if clock else 0

    def figures_clock(self, place: int, exact: bool = False) -> int:
        """R6: HH:MM and 3:30pm."""
        value = self.tokens[place][1]
        assert isinstance(value, tuple)
        hour, minute, padded = value
        if self.kinds[place + 1] == "ampm":
            return self.clock_at(place, place + 2, self.twelve_hours(place, minute, hour))
        return self.clock_at(place, place + 1, Clock(hour, minute, exact or padded))

    def twelve_hours(self, place: int, minute: int, hour: int | None = None) -> Clock:
        hour = self.number(place) if hour is None else hour
        if not 1 <= hour <= 12:
            refuse("impossible", self.words(place, place + 2), place + 2)
        return Clock(hour % 12 + int(str(self.tokens[place + 1][1])), minute, half=True)

    def clock_at(self, place: int, end: int, clock: Clock) -> int:
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
    "rel": _R._relative, "month": dates.month_within, "monthpart": dates.month_part, "relyear": dates.relative_year, "year": dates.year_within,
    "yearend": dates.year_end, "quarterend": dates.quarter_end, "holiday": dates.holiday, "num": dates.number_words, "digits": dates.number_words,
    "date": dates.numeric_date, "clock": _R.figures_clock, "less": _R._less, "pass": _R._pass, "half": _R._half, "same": _R._same_time,
    "part": _R._part, "before": _R._before, "until": _R._before, "after": _R._past_the_point, "no": _R._refused_word, "paren": _R._parenthesis,
    "gap": dates.gap,
}
