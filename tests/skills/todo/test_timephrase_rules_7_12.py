"""Rules R7-R12 of Chinese due-date phrases, one table a rule. "!code" is the reason of a refusal. It is Wednesday 14 October 2026, 10:00."""
from __future__ import annotations

from datetime import datetime

import pytest
from timephrase import parse

from tests.skills.todo.time_tables import NOW, outcome, rows

R7 = """
明天凌晨3点 | 2026-10-15T03:00:00
明天凌晨12点 | 2026-10-15T00:00:00
明天凌晨6点半 | 2026-10-15T06:30:00
明天凌晨8点 | !contradiction
明天早上7点 | 2026-10-15T07:00:00
明天清晨5点 | 2026-10-15T05:00:00
明天上午12点 | 2026-10-15T12:00:00
明天早上4点 | !contradiction
明天上午15点 | !contradiction
明天中午11点半 | 2026-10-15T11:30:00
明天中午1点 | 2026-10-15T13:00:00
明天中午两点 | 2026-10-15T14:00:00
明天中午3点 | !contradiction
明天下午1点 | 2026-10-15T13:00:00
明天下午12点 | 2026-10-15T12:00:00
明天下午15点 | 2026-10-15T15:00:00
明天下午3pm | 2026-10-15T15:00:00
明天上午3pm | !contradiction
明天下午9am | !contradiction
明天晚上9am | !contradiction
明天傍晚6点 | 2026-10-15T18:00:00
明天晚上7点 | 2026-10-15T19:00:00
明天晚上12点 | 2026-10-16T00:00:00
明天晚上12点半 | 2026-10-16T00:30:00
明天晚上1点 | 2026-10-16T01:00:00
明天晚上19:30 | 2026-10-15T19:30:00
明天晚上15点 | !contradiction
明天下午24点 | !contradiction
明天夜里11点 | 2026-10-15T23:00:00
今晚8点 | 2026-10-14T20:00:00
今早7点 | 2026-10-14T07:00:00
明晚9点 | 2026-10-15T21:00:00
下午上午3点 | !contradiction
"""
R8 = """
明天凌晨 | 2026-10-15T02:00:00
明天早上 | 2026-10-15T08:00:00
明早 | 2026-10-15T08:00:00
明天一早 | 2026-10-15T08:00:00
明天上午 | 2026-10-15T10:00:00
明天中午 | 2026-10-15T12:00:00
明天正午 | 2026-10-15T12:00:00
明天下午 | 2026-10-15T15:00:00
明天傍晚 | 2026-10-15T18:00:00
明天晚上 | 2026-10-15T20:00:00
明晚 | 2026-10-15T20:00:00
明天夜里 | 2026-10-15T20:00:00
明天深夜 | 2026-10-15T23:00:00
明天半夜 | 2026-10-15T23:00:00
明天下班前 | 2026-10-15T18:00:00
明天下班后 | !past_point
明天下班前3点 | !leftover
"""
R9 = """
明天8点 | 2026-10-15T08:00:00
明天3点 | 2026-10-15T15:00:00
明天11点 | 2026-10-15T11:00:00
明天12点 | 2026-10-15T12:00:00
明天6点 | 2026-10-15T18:00:00
明天7点 | 2026-10-15T07:00:00
明天13点 | 2026-10-15T13:00:00
明天0点 | 2026-10-15T00:00:00
明天03:00 | 2026-10-15T03:00:00
明天3:00 | 2026-10-15T15:00:00
今天8点 | 2026-10-14T20:00:00
今天11点 | 2026-10-14T11:00:00
今天6点 | 2026-10-14T18:00:00
今天08:00 | 2026-10-14T08:00:00
10月14日9点 | 2026-10-14T21:00:00
14号9点 | 2026-10-14T21:00:00
下周三9点 | 2026-10-21T09:00:00
"""
R10 = """
下午3点 | 2026-10-14T15:00:00
上午9点 | 2026-10-15T09:00:00
8点 | 2026-10-14T20:00:00
10点 | 2026-10-14T22:00:00
10点01分 | 2026-10-14T10:01:00
11点 | 2026-10-14T11:00:00
12点 | 2026-10-14T12:00:00
零点 | 2026-10-15T00:00:00
22:15 | 2026-10-14T22:15:00
晚上12点 | 2026-10-15T00:00:00
中午 | 2026-10-14T12:00:00
上午 | 2026-10-15T10:00:00
凌晨 | 2026-10-15T02:00:00
今天上午9点 | 2026-10-14T09:00:00
今早8点 | 2026-10-14T08:00:00
今天凌晨3点 | 2026-10-14T03:00:00
这个时候 | !vague
"""
R11 = """
元旦 | 2027-01-01
情人节 | 2027-02-14
妇女节 | 2027-03-08
劳动节 | 2027-05-01
五一 | 2027-05-01
儿童节 | 2027-06-01
六一 | 2027-06-01
教师节 | 2027-09-10
国庆 | 2027-10-01
圣诞节 | 2026-12-25
圣诞节晚上7点 | 2026-12-25T19:00:00
明年元旦 | 2027-01-01
春节 | !lunar
中秋 | !lunar
端午节 | !lunar
除夕 | !lunar
元宵 | !lunar
七夕 | !lunar
清明 | !lunar
农历八月十五 | !lunar
正月初一 | !lunar
腊月二十三 | !lunar
初五 | !lunar
八月初五 | !lunar
2027年春节 | !lunar
母亲节 | !holiday
"""
R12 = """
在明天 | 2026-10-15
截止到明天 | 2026-10-15
截至周五 | 2026-10-16
最晚周五 | 2026-10-16
大概下午3点 | 2026-10-14T15:00:00
下午3点左右 | 2026-10-14T15:00:00
明天吧 | 2026-10-15
明天的下午3点 | 2026-10-15T15:00:00
，明天。 | 2026-10-15
到周五 | 2026-10-16
周五以前 | 2026-10-16
3点前 | 2026-10-14T15:00:00
国庆前 | 2027-10-01
到周五为止 | 2026-10-16
三天前 | 2026-10-11
10分钟之前 | 2026-10-14T09:50:00
5年前 | 2021-10-14
周五以后 | !past_point
五一后 | !past_point
3点到5点 | !range
3点-5点 | !range
9-11点 | !range
周一到周五 | !range
明天或后天 | !range
明天和后天 | !range
明后天 | !range
每天 | !recurring
每周一 | !recurring
工作日 | !recurring
开会 | !no_time
明天开会 | !leftover
明天，下午3点 | !leftover
10月12号星期三 | !contradiction
10月14号星期三 | 2026-10-14
10月14日（周三） | 2026-10-14
10月14日（周四） | !contradiction
明天周四 | 2026-10-15
明天周五 | !contradiction
两周后的周五 | !contradiction
明天两小时后 | !contradiction
"""


@pytest.mark.parametrize(("text", "expected"), rows(R7))
def test_r7_a_part_of_the_day_fixes_the_clock_or_contradicts_it(text: str, expected: str) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(("text", "expected"), rows(R8))
def test_r8_a_part_of_the_day_alone_has_a_default_time(text: str, expected: str) -> None:
    assert outcome(text) == expected


def test_r8_preferences_override_the_default_times_and_nonsense_is_passed_over() -> None:
    assert parse("明天晚上", NOW, {"evening": "21:30"}).due == "2026-10-15T21:30:00"
    assert parse("明天下班前", NOW, {"offwork": "17:30"}).due == "2026-10-15T17:30:00"
    assert parse("tomorrow morning", NOW, {"morning": "07:15"}).due == "2026-10-15T07:15:00"
    assert parse("明天晚上8点", NOW, {"evening": "21:30"}).due == "2026-10-15T20:00:00"
    assert parse("明天晚上", NOW, {"evening": "late"}).due == "2026-10-15T20:00:00"
    assert parse("明天晚上", NOW, {"evening": "25:00"}).due == "2026-10-15T20:00:00"


@pytest.mark.parametrize(("text", "expected"), rows(R9))
def test_r9_a_clock_without_a_part_of_the_day_has_two_readings_at_most(text: str, expected: str) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("今天8点", "2026-10-14T20:00:00"), ("今天9点", "2026-10-14T21:00:00"), ("今天12点", "2026-10-14T12:00:00"), ("今天6点", "2026-10-14T18:00:00"),
    ("周三8点", "2026-10-21T08:00:00"), ("10月14日8点", "2026-10-14T20:00:00")])
def test_r9_with_no_reading_left_today_the_last_one_stands_and_only_a_weekday_moves(text: str, expected: str) -> None:
    assert outcome(text, datetime(2026, 10, 14, 22, 0)) == expected


@pytest.mark.parametrize(("text", "expected"), rows(R10))
def test_r10_without_a_day_it_is_the_first_moment_later_than_now(text: str, expected: str) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("晚上1点", "2026-10-14T01:00:00"), ("零点", "2026-10-15T00:00:00"), ("晚上12点", "2026-10-15T00:00:00"), ("0:30", "2026-10-15T00:30:00"),
    ("凌晨1点", "2026-10-14T01:00:00"), ("早上8点", "2026-10-14T08:00:00")])
def test_r10_shortly_after_midnight_the_coming_moment_is_meant(text: str, expected: str) -> None:
    assert outcome(text, datetime(2026, 10, 14, 0, 30)) == expected


@pytest.mark.parametrize(("text", "expected"), rows(R11))
def test_r11_fixed_holidays_are_known_and_lunar_ones_refused(text: str, expected: str) -> None:
    assert outcome(text) == expected


def test_r11_a_holiday_that_is_today_is_today() -> None:
    assert outcome("国庆节", datetime(2026, 10, 1, 23, 0)) == "2026-10-01"
    assert outcome("元旦", datetime(2027, 1, 2, 0, 0)) == "2028-01-01"


@pytest.mark.parametrize(("text", "expected"), rows(R12))
def test_r12_fillers_never_move_the_point_and_nothing_may_be_left_over(text: str, expected: str) -> None:
    assert outcome(text) == expected
