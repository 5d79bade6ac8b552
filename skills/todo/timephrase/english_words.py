"""The English words that the reader knows, and the pass that turns a phrase into tokens."""
from __future__ import annotations

from collections.abc import Callable

from timephrase.numerals import Token, digits_at

WEEKDAYS = ("monday mon", "tuesday tue tues", "wednesday wed weds", "thursday thu thur thurs", "friday fri", "saturday sat", "sunday sun")
MONTHS = ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept", "october oct",
          "november nov", "december dec")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen",
            "sixteen", "seventeen", "eighteen", "nineteen", "twenty")
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")
_UNITS = {"min": "minute minutes min mins", "hour": "hour hours hr hrs", "day": "day days", "week": "week weeks", "month": "month months",
          "year": "year years", "quarter": "quarters"}


def _table() -> dict[str, tuple[str, object]]:
    words: dict[str, tuple[str, object]] = {}

    def add(kind: str, value: object, text: str) -> None:
        words.update(dict.fromkeys((word.replace("_", " ") for word in text.split()), (kind, value)))

    for value, text in {0: "today", 1: "tomorrow tmr tmrw", 2: "day_after_tomorrow the_day_after_tomorrow", -1: "yesterday",
                        -2: "day_before_yesterday the_day_before_yesterday"}.items():
        add("day", value, text)
    add("tonight", 0, "tonight this_evening")
    for value, names in enumerate(WEEKDAYS):
        add("wd", value, names)
        long = names.split()[0]
        add("no", "recurring", f"{long}s")
    for value, names in enumerate(MONTHS, 1):
        add("monthname", value, names)
    for value, name in enumerate(_NUMBERS):
        add("num", value, name)
    add("num", 30, "thirty")
    add("num", 45, "forty-five")
    for value, name in enumerate(_ORDINALS[1:], 1):
        add("ordinal", value, name)
    for unit, text in _UNITS.items():
        add("unit", unit, text)
    add("weekend", 0, "weekend")
    add("rel", 0, "this")
    add("rel", 1, "next")
    add("rel", -1, "last")
    add("article", 1, "a an")
    _clock_words(add)
    _other_words(add)
    return words


def _clock_words(add: Callable[[str, object, str], None]) -> None:
    add("ampm", 0, "am a.m. a.m")
    add("ampm", 12, "pm p.m. p.m")
    add("oclock", 0, "o'clock oclock o’clock")
    add("half", 0, "half")
    add("quarter", 0, "quarter")
    add("past", 0, "past")
    add("to", 0, "to")
    for part, text in {"en_morning": "morning in_the_morning", "en_afternoon": "afternoon in_the_afternoon", "evening": "evening in_the_evening at_night night",
                       "offwork": "close_of_business cob end_of_business eob end_of_work end_of_the_workday"}.items():
        add("part", part, text)
    add("noon", 0, "noon midday")
    add("midnight", 0, "midnight")
    add("T", 0, "t")


def _other_words(add: Callable[[str, object, str], None]) -> None:
    for month_day, text in {(12, 25): "christmas christmas_day xmas", (12, 24): "christmas_eve", (1, 1): "new_year's_day new_year’s_day new_years_day",
                            (12, 31): "new_year's_eve new_year’s_eve new_years_eve", (2, 14): "valentine's_day valentine’s_day valentines_day",
                            (10, 31): "halloween", (5, 1): "may_day"}.items():
        add("holiday", month_day, text)
    add("fill", 0, "by before at on due until till around about approximately roughly the of , no_later_than not_later_than at_the_latest prior_to")
    add("in", 0, "in within")
    add("and", 0, "and")
    add("fromnow", 1, "from_now later from_today hence")
    add("fromnow", -1, "ago earlier")
    add("after", 0, "after since from starting")
    add("same", 0, "this_time the_same_time same_time")
    for span, text in {"day": "end_of_day end_of_the_day eod", "week": "end_of_week end_of_the_week eow end_of_this_week the_end_of_this_week",
                       "month": "end_of_month end_of_the_month eom end_of_this_month month's_end",
                       "year": "end_of_year end_of_the_year eoy end_of_this_year year's_end", "quarter": "end_of_quarter end_of_the_quarter eoq end_of_this_quarter"}.items():
        add("end", span, text)
    add("endof", 0, "end_of end")
    add("no", "vague", "soon later_today later_on asap someday sometime few couple several some many shortly eventually whenever now immediately recently "
        "other as_soon_as_possible one_day one_of_these_days beginning start early late mid mid-week sooner currently nowadays")
    add("no", "recurring", "every each daily weekly monthly yearly annually everyday weekday weekdays weekends biweekly fortnightly hourly nightly always")
    add("no", "lunar", "chinese_new_year lunar_new_year spring_festival mid-autumn_festival mid-autumn dragon_boat_festival lantern_festival lunar qingming")
    add("no", "holiday", "thanksgiving easter mother's_day father's_day labor_day memorial_day new_year new_year's new_years mother’s_day father’s_day "
        "independence_day good_friday easter_monday black_friday")
    add("no", "range", "or between through thru either versus & - ~")
    add("no", "workdays", "business_day business_days working_day working_days workdays workday")


WORDS = _table()
_LONGEST: dict[str, int] = {}
for _word in WORDS:
    _first = _word.split(" ")[0]
    _LONGEST[_first] = max(_LONGEST.get(_first, 0), len(_word))


def english_tokens(text: str) -> list[Token]:
    """The tokens of an English text, the longest phrase of whole words first. Spaces part words and are no tokens."""
    low, found, place, size = text.lower(), [], 0, len(text)
    if len(low) != size:
        low = text  # a letter whose small form is longer: the places would be wrong
    while place < size:
        char = low[place]
        if char.isspace():
            place += 1
        elif "0" <= char <= "9":
            found += _figures(low, place)
            place = found[-1][3]
        else:
            found.append(_word(low, place))
            place = found[-1][3]
    return found


def _word(text: str, place: int) -> Token:
    end = word_end(text, place)
    longest = _LONGEST.get(text[place:end], 0)
    if longest > end - place and end < len(text):
        for last in range(min(place + longest, len(text)), end, -1):
            entry = WORDS.get(text[place:last])
            if entry is not None and (last == len(text) or not text[last].isalnum()):
                return (entry[0], entry[1], place, last)
    entry = WORDS.get(text[place:end])
    if entry is None and "-" in text[place + 1:end]:  # Monday-Friday
        end = text.index("-", place + 1)
        entry = WORDS.get(text[place:end])
    return (entry[0], entry[1], place, end) if entry else ("?", 0, place, end)


def word_end(text: str, place: int) -> int:
    """The end of the word at `place`: letters with apostrophes and hyphens inside, a.m. and p.m.; one character for anything else."""
    if text[place:place + 4] in ("a.m.", "p.m."):
        return place + 4
    end, size = place, len(text)
    while end < size and (text[end].isalpha() or (text[end] in "'’-" and end > place and end + 1 < size and text[end + 1].isalpha())):
        end += 1
    if end < size and text[end] == "_" or end == place:
        return end + 1
    return end


def _figures(text: str, place: int) -> list[Token]:
    token = digits_at(text, place)
    end = token[3]
    if token[0] == "num" and text[end:end + 2] in ("st", "nd", "rd", "th") and not text[end + 2:end + 3].isalnum():
        return [("ordinal", token[1], place, end + 2)]
    after = text[end:end + 1]
    if after == "t" and token[0] == "date" and text[end + 1:end + 2].isdecimal():
        return [token, ("T", 0, end, end + 1)]
    if after.isalpha():
        last = word_end(text, end)
        word = WORDS.get(text[end:last])
        if word is None or word[0] not in ("ampm", "unit"):
            return [("?", 0, place, last)]
    return [token]
