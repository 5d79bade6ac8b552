"""English due-date phrases, read as strictly as the Chinese ones. "!code" is the reason of a refusal. It is Wednesday 14 October 2026, 10:00."""
from __future__ import annotations

from datetime import datetime

import pytest
from timephrase import parse

NOW = datetime(2026, 10, 14, 10, 0)
READ = """
today | 2026-10-14
tomorrow | 2026-10-15
the day after tomorrow | 2026-10-16
yesterday | 2026-10-13
tonight | 2026-10-14T20:00:00
tonight at 8 | 2026-10-14T20:00:00
tonight at midnight | 2026-10-15T00:00:00
Friday | 2026-10-16
this Friday | 2026-10-16
next Friday | 2026-10-23
last Friday | 2026-10-09
Monday | 2026-10-19
this Monday | 2026-10-12
Wednesday | 2026-10-14
Wednesday 9am | 2026-10-21T09:00:00
Wednesday at 9 | 2026-10-14T21:00:00
Friday next week | 2026-10-23
Friday afternoon | 2026-10-16T15:00:00
9am on Friday | 2026-10-16T09:00:00
in two hours | 2026-10-14T12:00:00
in 3 days | 2026-10-17
within 3 days | 2026-10-17
in a week | 2026-10-21
in a month | 2026-11-14
2 weeks from now | 2026-10-28
3 days later | 2026-10-17
3 days ago | 2026-10-11
in half an hour | 2026-10-14T10:30:00
in an hour and a half | 2026-10-14T11:30:00
in two and a half hours | 2026-10-14T12:30:00
in 1.5 hours | 2026-10-14T11:30:00
in 2 hours and 15 minutes | 2026-10-14T12:15:00
in 45 minutes | 2026-10-14T10:45:00
in three days at 5pm | 2026-10-17T17:00:00
end of day | 2026-10-14
EOD tomorrow | 2026-10-15
end of the week | 2026-10-18
end of next week | 2026-10-25
end of month | 2026-10-31
end of next month | 2026-11-30
end of October | 2026-10-31
end of quarter | 2026-12-31
end of year | 2026-12-31
COB Friday | 2026-10-16T18:00:00
this weekend | 2026-10-17
next weekend | 2026-10-24
next week | 2026-10-19
next month | 2026-11-01
noon | 2026-10-14T12:00:00
noon tomorrow | 2026-10-15T12:00:00
midnight | 2026-10-15T00:00:00
3pm | 2026-10-14T15:00:00
3:30 pm | 2026-10-14T15:30:00
3 p.m. | 2026-10-14T15:00:00
9am | 2026-10-15T09:00:00
12am | 2026-10-15T00:00:00
12pm | 2026-10-14T12:00:00
15:00 | 2026-10-14T15:00:00
at 9 | 2026-10-14T21:00:00
by 5 | 2026-10-14T17:00:00
5 o'clock | 2026-10-14T17:00:00
three pm | 2026-10-14T15:00:00
half past three | 2026-10-14T15:30:00
quarter past four pm | 2026-10-14T16:15:00
quarter to five | 2026-10-14T16:45:00
ten to five | 2026-10-14T16:50:00
twenty past six | 2026-10-14T18:20:00
Oct 15 | 2026-10-15
October 15th 2027 | 2027-10-15
October 15, 2027 | 2027-10-15
15 Oct | 2026-10-15
15th of October, 2027 | 2027-10-15
May 5 | 2027-05-05
Feb 29 | 2028-02-29
the 15th | 2026-10-15
the 1st of next month | 2026-11-01
2026-10-15 | 2026-10-15
2026-10-15T14:30 | 2026-10-15T14:30:00
2026-10-15 14:30 | 2026-10-15T14:30:00
10/15 | 2026-10-15
10/15/2027 | 2027-10-15
Oct 15 at 2:30pm | 2026-10-15T14:30:00
Thu Oct 15 2:30pm | 2026-10-15T14:30:00
Friday, Oct 16 | 2026-10-16
by Friday | 2026-10-16
before 5pm | 2026-10-14T17:00:00
no later than Friday | 2026-10-16
due tomorrow | 2026-10-15
in the morning | 2026-10-15T08:00:00
tomorrow morning | 2026-10-15T08:00:00
tomorrow night | 2026-10-15T20:00:00
tomorrow evening at 7 | 2026-10-15T19:00:00
this afternoon | 2026-10-14T15:00:00
9 in the morning | 2026-10-15T09:00:00
8 at night | 2026-10-14T20:00:00
tomorrow at 3 in the morning | 2026-10-15T03:00:00
3pm tomorrow | 2026-10-15T15:00:00
Tomorrow at 3 PM. | 2026-10-15T15:00:00
Christmas | 2026-12-25
New Year's Day | 2027-01-01
Christmas 2027 | 2027-12-25
"""
REFUSED = """
soon | vague
later | vague
ASAP | vague
some day | vague
in a few days | vague
in a couple of hours | vague
a couple of hours | vague
this week | vague
next year | vague
October | vague
Oct 2027 | vague
next week at 3pm | vague
an hour | length
3 to 5pm | range
9-11am | range
Monday to Friday | range
Monday-Friday | range
Monday or Tuesday | range
Monday and Tuesday | range
between 3pm and 5pm | range
five to six | range
Oct 12 Wednesday | contradiction
tomorrow Friday | contradiction
3pm 4pm | contradiction
9am in the evening | contradiction
noon in the evening | contradiction
half past nine am in the evening | contradiction
3pm in the morning | contradiction
Feb 30 | impossible
Feb 29 2027 | impossible
25:00 | impossible
13pm | impossible
13/13 | impossible
in 0 days | impossible
every Friday | recurring
daily | recurring
weekdays | recurring
after Friday | past_point
in 3 business days | workdays
tomorrow at midnight | unclear
midnight Friday | unclear
Thanksgiving | holiday
Spring Festival | lunar
hello | no_time
9 | no_time
tomorrow foo | leftover
tomorrow 9 | leftover
call Bob tomorrow | leftover
in 9999999 days | out_of_range
Oct 15 2300 | out_of_range
"""


def rows(table: str) -> list[tuple[str, str]]:
    """The rows "phrase | outcome" of a table."""
    pairs = [tuple(part.strip() for part in line.rsplit("|", 1)) for line in table.strip().splitlines()]
    return [(text, expected) for text, expected in pairs]


@pytest.mark.parametrize(("text", "due"), rows(READ))
def test_a_plain_phrase_is_read(text: str, due: str) -> None:
    reading = parse(text, NOW)
    assert (reading.due, reading.error) == (due, None)


@pytest.mark.parametrize(("text", "code"), rows(REFUSED))
def test_a_phrase_that_names_no_one_point_is_refused_with_its_reason(text: str, code: str) -> None:
    reading = parse(text, NOW)
    assert reading.due is None
    assert reading.error is not None
    assert reading.error.code == code


def test_case_and_spaces_make_no_difference() -> None:
    assert parse("  NEXT   friday  ", NOW) == parse("next Friday", NOW)


@pytest.mark.parametrize(("text", "code"), [
    ("at 9", "open_clock"), ("next Friday", "next_week"), ("tonight", "default_time"), ("3pm", "no_day"), ("Monday", "weekday_next"),
    ("May 5", "next_year"), ("this weekend", "weekend"), ("next week", "week_start"), ("10/11", "month_first"), ("the 2nd", "next_month"),
    ("end of week", "week_end"), ("tonight at midnight", "day_end"), ("next month", "month_start")])
def test_what_a_convention_decided_is_marked(text: str, code: str) -> None:
    assumed = parse(text, NOW).assumed
    assert assumed is not None
    assert code in assumed.codes


@pytest.mark.parametrize("text", ["tomorrow", "tomorrow at 3pm", "Oct 15 2027", "in 3 days", "2026-10-15 14:30", "this Friday", "Friday"])
def test_a_phrase_that_said_it_all_carries_no_mark(text: str) -> None:
    assert parse(text, NOW).assumed is None
