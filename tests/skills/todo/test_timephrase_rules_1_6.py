"""Rules R1-R6 of Chinese due-date phrases, one table a rule. "!code" is the reason of a refusal. It is Wednesday 14 October 2026, 10:00."""
from __future__ import annotations

from datetime import datetime

import pytest

from tests.skills.todo.time_tables import outcome, rows

R1 = """
２０２６年１１月１日 | 2026-11-01
下週五 | 2026-10-23
禮拜天 | 2026-10-18
兩小時後 | 2026-10-14T12:00:00
兩個鐘頭後 | 2026-10-14T12:00:00
國慶節 | 2027-10-01
今晚９：３０ | 2026-10-14T21:30:00
二〇二六年十二月一日 | 2026-12-01
二零二六年十二月一日 | 2026-12-01
廿五號 | 2026-10-25
三十一号 | 2026-10-31
九十九天后 | 2027-01-21
俩小时后 | 2026-10-14T12:00:00
大 后 天 | 2026-10-17
下 周 三 下午 三 点 | 2026-10-21T15:00:00
2026-11-01 09:15 | 2026-11-01T09:15:00
三刻钟后 | 2026-10-14T10:45:00
壹号 | !leftover
明天 1 5点 | !leftover
二月二十二十点 | !vague
"""
R2 = """
今天 | 2026-10-14
今日 | 2026-10-14
今儿 | 2026-10-14
明天 | 2026-10-15
明日 | 2026-10-15
明儿 | 2026-10-15
明 | 2026-10-15
后天 | 2026-10-16
大后天 | 2026-10-17
昨天 | 2026-10-13
昨日 | 2026-10-13
前天 | 2026-10-12
大前天 | 2026-10-11
当天 | !vague
那天 | !vague
改天 | !vague
最近 | !vague
马上 | !vague
尽快 | !vague
过几天 | !vague
"""
R3 = """
周三 | 2026-10-14
周二 | 2026-10-20
星期天 | 2026-10-18
礼拜日 | 2026-10-18
这周一 | 2026-10-12
本周日 | 2026-10-18
下周一 | 2026-10-19
下个周五 | 2026-10-23
下周的周五 | 2026-10-23
下下周一 | 2026-10-26
上周五 | 2026-10-09
上上个周二 | 2026-09-29
周三上午9点 | 2026-10-21T09:00:00
周三上午 | 2026-10-21T10:00:00
周三9点 | 2026-10-14T21:00:00
周三下午3点 | 2026-10-14T15:00:00
周三晚上12点 | 2026-10-15T00:00:00
周末 | 2026-10-17
这周末 | 2026-10-17
下周末 | 2026-10-24
下周 | 2026-10-19
本周内 | 2026-10-18
这周之内 | 2026-10-18
下周内 | 2026-10-25
周七 | !impossible
下周八 | !impossible
这周 | !vague
上周 | !vague
下周下午3点 | !vague
"""
R4 = """
2026-12-05 | 2026-12-05
2026/12/5 | 2026-12-05
2026.12.5 | 2026-12-05
2026年12月5日 | 2026-12-05
20261205 | 2026-12-05
26年12月5日 | 2026-12-05
2026-12-05T08:30 | 2026-12-05T08:30:00
2026-10-14 09:30 | 2026-10-14T09:30:00
12月5 | 2026-12-05
10月14日 | 2026-10-14
10月13日 | 2027-10-13
2月29日 | 2028-02-29
5号 | 2026-11-05
14号 | 2026-10-14
13号 | 2026-11-13
12/5 | 2026-12-05
12-5 | 2026-12-05
12.5 | 2026-12-05
14号上午9点 | 2026-10-14T09:00:00
明年3月1日 | 2027-03-01
去年3月1日 | 2025-03-01
后年2月29日 | 2028-02-29
下个月的10号 | 2026-11-10
下下个月1号 | 2026-12-01
上个月5号 | 2026-09-05
下个月31号 | !impossible
2月30日 | !impossible
13月1日 | !impossible
10月32日 | !impossible
2027年2月29日 | !impossible
2026-02-30 | !impossible
月初 | 2026-11-01
月中 | 2026-10-15
月末 | 2026-10-31
本月初 | 2026-10-01
下个月中 | 2026-11-15
下月末 | 2026-11-30
11月底 | 2026-11-30
年底 | 2026-12-31
明年年底 | 2027-12-31
季度末 | 2026-12-31
这个月内 | 2026-10-31
下个月 | 2026-11-01
10月 | !vague
明年 | !vague
2201-01-01 | !out_of_range
"""
R5 = """
3天后 | 2026-10-17
三天之后 | 2026-10-17
过三天 | 2026-10-17
再过三天 | 2026-10-17
两周后 | 2026-10-28
2个星期以后 | 2026-10-28
两个礼拜后 | 2026-10-28
一个月后 | 2026-11-14
半个月后 | 2026-10-29
半年后 | 2027-04-14
两年后 | 2028-10-14
一年半后 | 2028-04-14
两个钟头后 | 2026-10-14T12:00:00
20分钟后 | 2026-10-14T10:20:00
半小时后 | 2026-10-14T10:30:00
一个半小时后 | 2026-10-14T11:30:00
1.5小时后 | 2026-10-14T11:30:00
三刻钟后 | 2026-10-14T10:45:00
1小时20分钟后 | 2026-10-14T11:20:00
过半小时 | 2026-10-14T10:30:00
三天内 | 2026-10-17
两小时内 | 2026-10-14T12:00:00
一周之内 | 2026-10-21
今天之内 | 2026-10-14
三天后下午3点 | 2026-10-17T15:00:00
明天这个时候 | 2026-10-15T10:00:00
下周三这个时间 | 2026-10-21T10:00:00
几天后 | !vague
三五天后 | !vague
十来分钟后 | !vague
一两天后 | !vague
半天后 | !vague
3个工作日后 | !workdays
三天 | !length
0天后 | !impossible
1000000天后 | !out_of_range
"""
R6 = """
明天3点钟 | 2026-10-15T15:00:00
明天3点整 | 2026-10-15T15:00:00
明天3点20分 | 2026-10-15T15:20:00
明天3点20 | 2026-10-15T15:20:00
明天三点零五 | 2026-10-15T15:05:00
明天3点零5分 | 2026-10-15T15:05:00
明天3点半 | 2026-10-15T15:30:00
明天3点一刻 | 2026-10-15T15:15:00
明天3点三刻 | 2026-10-15T15:45:00
差五分3点 | 2026-10-14T14:55:00
明天3点差5分 | 2026-10-15T14:55:00
明天差一刻八点 | 2026-10-15T07:45:00
明天15时20分 | 2026-10-15T15:20:00
明天3:30pm | 2026-10-15T15:30:00
明天10am | 2026-10-15T10:00:00
明天24点 | 2026-10-16T00:00:00
明天24:00 | 2026-10-16T00:00:00
明天零点 | 2026-10-15T00:00:00
明天16时40分50秒 | 2026-10-15T16:40:00
明天3点60分 | !impossible
明天25点 | !impossible
明天9:60 | !impossible
明天24:30 | !impossible
明天13pm | !impossible
明天三点五 | !leftover
明天两三点 | !vague
明天差十分零点 | !contradiction
明天3点4点 | !contradiction
"""


@pytest.mark.parametrize(("text", "expected"), rows(R1))
def test_r1_full_width_traditional_and_chinese_numerals_are_equal(text: str, expected: str) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(("text", "expected"), rows(R2))
def test_r2_days_count_from_today_and_vague_ones_are_refused(text: str, expected: str) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(("text", "expected"), rows(R3))
def test_r3_weeks_start_on_monday(text: str, expected: str) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("周末", "2026-10-18"), ("下周一", "2026-10-19"), ("下周日", "2026-10-25"), ("这周日", "2026-10-18"), ("下周末", "2026-10-24"),
    ("周日", "2026-10-18"),
    ("周日上午9点", "2026-10-25T09:00:00"), ("周日9点", "2026-10-25T09:00:00"), ("上周日", "2026-10-11")])
def test_r3_sunday_is_the_last_day_of_its_week(text: str, expected: str) -> None:
    assert outcome(text, datetime(2026, 10, 18, 21, 30)) == expected


@pytest.mark.parametrize(("text", "expected"), rows(R4))
def test_r4_calendar_dates_are_exact_or_the_next_one(text: str, expected: str) -> None:
    assert outcome(text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("31号", "2026-12-31"), ("30号", "2026-11-30"), ("29号", "2026-12-29"), ("月初", "2026-12-01"), ("月中", "2026-12-15"),
    ("月底", "2026-11-30"), ("这个月31号", "!impossible"), ("下个月31号", "2026-12-31"), ("本月中", "2026-11-15"), ("季度末", "2026-12-31"),
    ("三个月后", "2027-02-28")])
def test_r4_a_day_that_the_month_lacks_waits_for_a_month_that_has_it(text: str, expected: str) -> None:
    assert outcome(text, datetime(2026, 11, 30, 13, 45)) == expected


@pytest.mark.parametrize(("text", "expected"), rows(R5))
def test_r5_lengths_count_from_now(text: str, expected: str) -> None:
    assert outcome(text) == expected


def test_r5_seconds_of_now_are_dropped_and_only_months_are_clipped() -> None:
    assert outcome("2小时后", datetime(2026, 10, 14, 10, 0, 59)) == "2026-10-14T12:00:00"
    assert outcome("一个月后", datetime(2027, 1, 31, 9, 0)) == "2027-02-28"
    assert outcome("一年后", datetime(2028, 2, 29, 9, 0)) == "2029-02-28"
    assert outcome("30天后", datetime(2027, 1, 31, 9, 0)) == "2027-03-02"


@pytest.mark.parametrize(("text", "expected"), rows(R6))
def test_r6_clocks_in_all_their_forms(text: str, expected: str) -> None:
    assert outcome(text) == expected
