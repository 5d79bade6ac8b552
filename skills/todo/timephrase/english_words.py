"""The English words that the reader knows, and the pass that turns a phrase into tokens."""
from __future__ import annotations

from timephrase.numerals import Token, digits_at, table

# One line: the kind of token, its value, the words; "_" stands for a space.
_TABLE = """
day 0 today
day 1 tomorrow tmr tmrw
day 2 day_after_tomorrow the_day_after_tomorrow
day -1 yesterday
day -2 day_before_yesterday the_day_before_yesterday
tonight 0 tonight this_evening
wd 0 monday mon
no recurring mondays tuesdays wednesdays thursdays fridays saturdays sundays every each daily weekly monthly yearly annually everyday
no recurring weekday weekdays weekends biweekly fortnightly hourly nightly always
wd 1 tuesday tue tues
wd 2 wednesday wed weds
wd 3 thursday thu thur thurs
wd 4 friday fri
wd 5 saturday sat
wd 6 sunday sun
monthname 1 january jan
monthname 2 february feb
monthname 3 march mar
monthname 4 april apr
monthname 5 may
monthname 6 june jun
monthname 7 july jul
monthname 8 august aug
monthname 9 september sep sept
monthname 10 october oct
monthname 11 november nov
monthname 12 december dec
num 0 zero
num 1 one
num 2 two
num 3 three
num 4 four
num 5 five
num 6 six
num 7 seven
num 8 eight
num 9 nine
num 10 ten
num 11 eleven
num 12 twelve
num 13 thirteen
num 14 fourteen
num 15 fifteen
num 16 sixteen
num 17 seventeen
num 18 eighteen
num 19 nineteen
num 20 twenty
num 30 thirty
num 45 forty-five
ordinal 1 first
ordinal 2 second
ordinal 3 third
ordinal 4 fourth
ordinal 5 fifth
ordinal 6 sixth
ordinal 7 seventh
ordinal 8 eighth
ordinal 9 ninth
ordinal 10 tenth
ordinal 11 eleventh
ordinal 12 twelfth
unit min minute minutes min mins
unit hour hour hours hr hrs
unit day day days
unit week week weeks
unit month month months
unit year year years
unit quarter quarters
weekend 0 weekend
rel 0 this
rel 1 next
rel -1 last
article 1 a an
ampm 0 am a.m. a.m
ampm 12 pm p.m. p.m
oclock 0 o'clock oclock o’clock
half 0 half
quarter 0 quarter
past 0 past
to 0 to
part en_morning morning in_the_morning
part en_afternoon afternoon in_the_afternoon
part evening evening in_the_evening at_night night
part offwork close_of_business cob end_of_business eob end_of_work end_of_the_workday
noon 0 noon midday
midnight 0 midnight
T 0 t
holiday 12/25 christmas christmas_day xmas
holiday 12/24 christmas_eve
holiday 1/1 new_year's_day new_year’s_day new_years_day
holiday 12/31 new_year's_eve new_year’s_eve new_years_eve
holiday 2/14 valentine's_day valentine’s_day valentines_day
holiday 10/31 halloween
holiday 5/1 may_day
fill 0 by before at on due until till around about approximately roughly the of , no_later_than not_later_than at_the_latest prior_to
in 0 in within
and 0 and
fromnow 1 from_now later from_today hence
fromnow -1 ago earlier
after 0 after since from starting
same 0 this_time the_same_time same_time
end day end_of_day end_of_the_day eod
end week end_of_week end_of_the_week eow end_of_this_week the_end_of_this_week
end month end_of_month end_of_the_month eom end_of_this_month month's_end
end year end_of_year end_of_the_year eoy end_of_this_year year's_end
end quarter end_of_quarter end_of_the_quarter eoq end_of_this_quarter
endof 0 end_of end
no vague soon later_today later_on asap someday sometime few couple several some many shortly eventually whenever now immediately recently
no vague other as_soon_as_possible one_day one_of_these_days beginning start early late mid mid-week sooner currently nowadays
no lunar chinese_new_year lunar_new_year spring_festival mid-autumn_festival mid-autumn dragon_boat_festival lantern_festival lunar qingming
no holiday thanksgiving easter mother's_day father's_day labor_day memorial_day new_year new_year's new_years mother’s_day father’s_day
no holiday independence_day good_friday easter_monday black_friday
no range or between through thru either versus & - ~
no workdays business_day business_days working_day working_days workdays workday
"""
WORDS = table(_TABLE)
_LONGEST: dict[str, int] = {}
for _entry in WORDS:
    _first = _entry.split(" ")[0]
    _LONGEST[_first] = max(_LONGEST.get(_first, 0), len(_entry))


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
