"""Recurrences: what is read as which rule, when it comes next, what it says and how it is kept. It is Wednesday 14 October 2026, 10:00."""
from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timephrase import Refusal, Rule, parse_rule

NOW = datetime(2026, 10, 14, 10, 0)
READ = [  # phrase, rule in Chinese, first, the one after, RRULE
    ("每天", "每天", "2026-10-14", "2026-10-15", "FREQ=DAILY"),
    ("每日", "每天", "2026-10-14", "2026-10-15", "FREQ=DAILY"),
    ("每天早上8点", "每天 08:00", "2026-10-15T08:00:00", "2026-10-16T08:00:00", "FREQ=DAILY"),
    ("每晚8点", "每天 20:00", "2026-10-14T20:00:00", "2026-10-15T20:00:00", "FREQ=DAILY"),
    ("每天晚上12点", "每天 00:00", "2026-10-15T00:00:00", "2026-10-16T00:00:00", "FREQ=DAILY"),
    ("每周五下午5点", "每周五 17:00", "2026-10-16T17:00:00", "2026-10-23T17:00:00", "FREQ=WEEKLY;BYDAY=FR"),
    ("每周五下班前", "每周五 18:00", "2026-10-16T18:00:00", "2026-10-23T18:00:00", "FREQ=WEEKLY;BYDAY=FR"),
    ("每周五三点", "每周五 15:00", "2026-10-16T15:00:00", "2026-10-23T15:00:00", "FREQ=WEEKLY;BYDAY=FR"),
    ("每周五晚上12点", "每周六 00:00", "2026-10-17T00:00:00", "2026-10-24T00:00:00", "FREQ=WEEKLY;BYDAY=SA"),
    ("每周一三五", "每周一、三、五", "2026-10-14", "2026-10-16", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
    ("每周一、三、五", "每周一、三、五", "2026-10-14", "2026-10-16", "FREQ=WEEKLY;BYDAY=MO,WE,FR"),
    ("每周一到周五", "每个工作日", "2026-10-14", "2026-10-15", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("每个工作日", "每个工作日", "2026-10-14", "2026-10-15", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("工作日上午9点", "每个工作日 09:00", "2026-10-15T09:00:00", "2026-10-16T09:00:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("每两周", "每两周周三", "2026-10-14", "2026-10-28", "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE;WKST=MO"),
    ("每两周的周五", "每两周周五", "2026-10-16", "2026-10-30", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;WKST=MO"),
    ("隔天", "每两天", "2026-10-14", "2026-10-16", "FREQ=DAILY;INTERVAL=2"),
    ("每隔一天", "每两天", "2026-10-14", "2026-10-16", "FREQ=DAILY;INTERVAL=2"),
    ("每3天", "每3天", "2026-10-14", "2026-10-17", "FREQ=DAILY;INTERVAL=3"),
    ("每月15号", "每月15号", "2026-10-15", "2026-11-15", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("每月1号和15号", "每月1号、15号", "2026-10-15", "2026-11-01", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
    ("每月最后一天", "每月最后一天", "2026-10-31", "2026-11-30", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("每月最后一个工作日", "每月最后一个工作日", "2026-10-30", "2026-11-30", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"),
    ("每月第一个周一", "每月第一个周一", "2026-11-02", "2026-12-07", "FREQ=MONTHLY;BYDAY=1MO"),
    ("每月31号", "每月31号", "2026-10-31", "2026-12-31", "FREQ=MONTHLY;BYMONTHDAY=31"),
    ("每年10月1日", "每年10月1日", "2027-10-01", "2028-10-01", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1"),
    ("每年2月29日", "每年2月29日", "2028-02-29", "2032-02-29", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"),
    ("daily", "每天", "2026-10-14", "2026-10-15", "FREQ=DAILY"),
    ("every day at 9am", "每天 09:00", "2026-10-15T09:00:00", "2026-10-16T09:00:00", "FREQ=DAILY"),
    ("every Friday", "每周五", "2026-10-16", "2026-10-23", "FREQ=WEEKLY;BYDAY=FR"),
    ("Mondays", "每周一", "2026-10-19", "2026-10-26", "FREQ=WEEKLY;BYDAY=MO"),
    ("every other Friday", "每两周周五", "2026-10-16", "2026-10-30", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;WKST=MO"),
    ("weekdays", "每个工作日", "2026-10-14", "2026-10-15", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("every Monday and Thursday at 6pm", "每周一、四 18:00", "2026-10-15T18:00:00", "2026-10-19T18:00:00", "FREQ=WEEKLY;BYDAY=MO,TH"),
    ("monthly on the 15th", "每月15号", "2026-10-15", "2026-11-15", "FREQ=MONTHLY;BYMONTHDAY=15"),
    ("last day of every month", "每月最后一天", "2026-10-31", "2026-11-30", "FREQ=MONTHLY;BYMONTHDAY=-1"),
    ("the last Friday of each month at 5pm", "每月最后一个周五 17:00", "2026-10-30T17:00:00", "2026-11-27T17:00:00", "FREQ=MONTHLY;BYDAY=-1FR"),
    ("every 2 weeks", "每两周周三", "2026-10-14", "2026-10-28", "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE;WKST=MO"),
    ("yearly on Oct 1", "每年10月1日", "2027-10-01", "2028-10-01", "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1"),
    ("every Christmas", "每年12月25日", "2026-12-25", "2027-12-25", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25"),
]


def rule_of(text: str, now: datetime = NOW) -> Rule:
    """The rule of a phrase that has one."""
    rule = parse_rule(text, now)
    assert isinstance(rule, Rule), rule
    return rule


@pytest.mark.parametrize(("text", "said", "first", "second", "rrule"), READ)
def test_a_repetition_becomes_a_rule(text: str, said: str, first: str, second: str, rrule: str) -> None:
    rule = rule_of(text)
    assert (rule.say(), rule.first(NOW), rule.after(first), rule.rrule()) == (said, first, second, rrule)


@pytest.mark.parametrize("text", [row[0] for row in READ])
def test_a_rule_survives_its_words_and_its_dict(text: str) -> None:
    rule = rule_of(text)
    assert rule_of(rule.say("zh")) == rule
    assert rule_of(rule.say("en")) == rule
    assert Rule.from_dict(json.loads(json.dumps(rule.to_dict()))) == rule


@pytest.mark.parametrize(("text", "code"), [
    ("每小时", "unsupported_rule"), ("每隔两天", "unsupported_rule"), ("每季度", "unsupported_rule"), ("每周九", "impossible"),
    ("每月32号", "impossible"),
    ("每年2月30日", "impossible"), ("每年春节", "lunar"),
    ("每天26点", "impossible"), ("每天吃药", "leftover"), ("每天早上8点和晚上8点", "leftover"),
    ("每月15号晚上12点", "contradiction"), ("每天上午15点", "contradiction"), ("每天明天", "contradiction"),
    ("明天", "not_recurring"), ("", "empty"),
    ("每周一二十点", "unclear"), ("每天" * 60, "too_long"),
    ("every hour", "unsupported_rule"), ("every 0 days", "impossible"), ("every Feb 30", "impossible"),
    ("daily at 25:00", "impossible"), ("every day tomorrow", "contradiction"), ("tomorrow", "not_recurring"), ("every Friday foo", "leftover"),
    ("every 32nd", "impossible")])
def test_what_is_no_supported_repetition_is_refused(text: str, code: str) -> None:
    refusal = parse_rule(text, NOW)
    assert isinstance(refusal, Refusal)
    assert refusal.code == code


def test_bare_weeks_and_months_take_the_day_of_now() -> None:
    assert rule_of("每周").say() == "每周三"
    assert rule_of("monthly").say() == "每月14号"
    assert isinstance(parse_rule("每月", datetime(2026, 10, 31, 9, 0)), Refusal)


def test_a_due_keeps_its_shape() -> None:
    rule = rule_of("每周五下午5点")
    assert rule.after("2026-10-16") == "2026-10-23"
    assert rule.after("2026-10-17T08:00:00") == "2026-10-23T17:00:00"
    assert rule_of("每周五").after("2026-10-16T09:30:00") == "2026-10-23T09:30:00"


def test_an_occurrence_moved_within_its_day_is_not_doubled() -> None:
    assert rule_of("每天早上8点").after("2026-10-14T07:00:00") == "2026-10-15T08:00:00"


def test_every_other_week_with_two_days_takes_both_days_of_a_week() -> None:
    rule = rule_of("每两周周一、五")
    assert [rule.after("2026-10-12"), rule.after("2026-10-16"), rule.after("2026-10-26")] == ["2026-10-16", "2026-10-26", "2026-10-30"]


def test_the_default_times_may_be_ones_own() -> None:
    assert parse_rule("每天早上", NOW, {"morning": "06:45"}) == Rule("daily", time="06:45")
    assert parse_rule("every morning", NOW, {"morning": "06:45"}) == Rule("daily", time="06:45")


@pytest.mark.parametrize("given_dict", [
    {}, {"freq": "hourly"}, {"freq": "weekly"}, {"freq": "weekly", "weekdays": [7]}, {"freq": "weekly", "weekdays": "MO"},
    {"freq": "daily", "interval": 0},
    {"freq": "daily", "interval": "2"}, {"freq": "daily", "interval": True}, {"freq": "daily", "time": "24:00"}, {"freq": "daily", "time": 900},
    {"freq": "daily", "colour": "red"}, {"freq": "monthly", "monthdays": [32]}, {"freq": "monthly"},
    {"freq": "yearly", "month": 2, "monthdays": [30]},
    {"freq": "yearly", "month": 13, "monthdays": [1]}, {"freq": "daily", "weekdays": [1]}, {"freq": "monthly", "position": 1}, [], None, "daily"])
def test_a_dict_that_is_no_rule_is_a_value_error(given_dict: Any) -> None:
    with pytest.raises(ValueError, match="."):
        Rule.from_dict(given_dict)


def test_beyond_the_last_year_there_is_no_date() -> None:
    with pytest.raises(ValueError, match="2201"):
        Rule("daily").after("2200-12-31")
    with pytest.raises(ValueError, match="2201"):
        rule_of("每年2月29日").after("2200-01-01")


RULES = st.one_of(
    st.builds(lambda n, t: Rule("daily", n, time=t), st.integers(1, 40), st.sampled_from([None, "00:00", "17:30"])),
    st.builds(lambda n, d: Rule("weekly", n, tuple(sorted(d))), st.integers(1, 8), st.sets(st.integers(0, 6), min_size=1)),
    st.builds(lambda n, d: Rule("monthly", n, monthdays=tuple(sorted(d))), st.integers(1, 13), st.sets(st.integers(1, 31), min_size=1, max_size=3)),
    st.builds(lambda d, p: Rule("monthly", 1, (d,), position=p), st.integers(0, 6), st.sampled_from([-1, 1, 2, 3, 4])),
    st.builds(lambda n, m, d: Rule("yearly", n, monthdays=(d,), month=m), st.integers(1, 5), st.integers(1, 12), st.integers(1, 28)))


@given(RULES, st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)))
def test_the_next_occurrence_is_always_later_and_on_a_day_of_the_rule(rule: Rule, now: datetime) -> None:
    assert Rule.from_dict(rule.to_dict()) == rule
    due = rule.first(now)
    assert due[:10] >= now.date().isoformat()
    following = rule.after(due)
    assert following[:10] > due[:10]
    assert ("T" in following) == ("T" in due)
    for each in (due, following):
        day = date.fromisoformat(each[:10])
        assert not rule.weekdays or day.weekday() in rule.weekdays
        assert not rule.monthdays or day.day in rule.monthdays
        assert not rule.month or day.month == rule.month


@given(st.text(max_size=30), st.datetimes(datetime(1970, 1, 1), datetime(2200, 12, 31)))
def test_no_text_makes_the_rule_reader_fail(text: str, now: datetime) -> None:
    result = parse_rule(text, now)
    assert isinstance(result, (Rule, Refusal))


WORDS = [*"每两3周一三五天月年号下午到和、隔个的前", "15", "最后一天", "最后一个", "工作日", "5点", "every", "other", "2", "weeks", "Friday",
         "and", "on", "the", "15th", "last", "day", "of", "month", "at", "9am", "daily"]


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.sampled_from(["", " "]))
def test_no_mixture_of_rule_words_makes_the_rule_reader_fail(words: list[str], joint: str) -> None:
    result = parse_rule(joint.join(words), NOW)
    assert isinstance(result, (Rule, Refusal))
    if isinstance(result, Rule):
        assert Rule.from_dict(result.to_dict()) == result
