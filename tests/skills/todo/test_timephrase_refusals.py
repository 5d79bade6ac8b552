"""Every kind of refusal says in both languages which words are wrong and what to write; every convention says what it took."""
from __future__ import annotations

import re
from datetime import datetime

import pytest
from timephrase import Refusal, Rule, find, parse, parse_rule
from timephrase.sentences import ASSUMPTIONS, REFUSALS

NOW = datetime(2026, 10, 14, 10, 0)
# code -> a phrase that is refused for it, and the words that are to blame
PHRASES = {
    "empty": [("", ""), ("。。", "")], "no_time": [("开会", "开会"), ("hello", "hello"), ("42", "42")],
    "vague": [("过几天", "过几天"), ("尽快", "尽快"), ("in a few days", "in a few days"), ("几天后", "几天")],
    "length": [("三天", "三天"), ("an hour", "an hour")],
    "impossible": [("2月30日", "2月30日"), ("明天26点", "26点"), ("周九", "周九"), ("Feb 30", "Feb 30")],
    "range": [("3点到5点", "3点到5点"), ("明天或后天", "明天或后天"), ("Monday or Tuesday", "Monday or Tuesday")],
    "recurring": [("每天", "每天"), ("every Friday", "every")],
    "lunar": [("春节", "春节"), ("农历初八", "农历"), ("Spring Festival", "Spring Festival")],
    "holiday": [("母亲节", "母亲节"), ("Thanksgiving", "Thanksgiving")],
    "workdays": [("3个工作日后", "3个工作日"), ("in 3 business days", "in 3 business days")],
    "contradiction": [("10月12号星期三", "10月12号星期三"),
                      ("上午15点", "上午15点"), ("tomorrow Friday", "tomorrow Friday")],
    "past_point": [("周五以后", "周五以后"), ("after Friday", "after Friday")],
    "leftover": [("明天开会", "开会"), ("tomorrow foo", "foo")],
    "unclear": [("midnight Friday", "midnight Friday")],
    "too_long": [("明天" * 60, "明天明天"), ("tomorrow " * 20, "tomorrow")],
    "out_of_range": [("2300年1月1日", "2300年1月1日"), ("1000000天后", "1000000天后")],
}
RULE_PHRASES = {"not_recurring": [("明天", "明天"), ("tomorrow", "tomorrow")],
                "unsupported_rule": [("每小时", "每小时"), ("every hour", "every hour")]}


def test_every_kind_of_refusal_has_its_phrase_here() -> None:
    assert set(PHRASES) | set(RULE_PHRASES) == set(REFUSALS)


@pytest.mark.parametrize(("code", "text", "words"), [(code, *pair) for code, pairs in PHRASES.items() for pair in pairs])
def test_a_refusal_names_its_reason_and_quotes_the_words(code: str, text: str, words: str) -> None:
    error = parse(text, NOW).error
    assert error is not None
    assert (error.code, error.text) == (code, text)
    for lang in ("zh", "en"):
        assert words in error.say(lang)
        assert len(error.say(lang)) < 200


@pytest.mark.parametrize(("code", "text", "words"), [(code, *pair) for code, pairs in RULE_PHRASES.items() for pair in pairs])
def test_a_rule_that_is_refused_says_so_too(code: str, text: str, words: str) -> None:
    error = parse_rule(text, NOW)
    assert isinstance(error, Refusal)
    assert error.code == code
    assert all(words in error.say(lang) for lang in ("zh", "en"))


@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_a_refusal_suggests_can_be_written(code: str, lang: str) -> None:
    said = Refusal(code, "XXX", "XXX").say(lang)
    suggested = re.findall("“([^”]+)”", said.split("；" if lang == "zh" else ";")[1])
    assert suggested
    for example in suggested:
        assert parse(example, NOW).due is not None or isinstance(parse_rule(example, NOW), Rule)


def test_a_refusal_does_not_repeat_a_long_text() -> None:
    assert len(Refusal("leftover", "x" * 90, "x" * 90).say("en")) < 150


@pytest.mark.parametrize(("text", "zh", "en"), [
    ("明天6点", "没说上午还是下午，按 10月15日 18:00", "no am or pm given; taken as 15 Oct 18:00"),
    ("元旦", "今年的已经过了，按 2027年1月1日", "this year's date has passed; taken as 1 Jan 2027"),
    ("下周", "只说了周，按周一，按 10月19日", "a week alone counts as its Monday; taken as 19 Oct"),
    ("晚上", "没说几点，没说哪天，按 10月14日 20:00", "no clock time given, no day given; taken as 14 Oct 20:00")])
def test_an_assumption_says_what_was_taken(text: str, zh: str, en: str) -> None:
    assumed = parse(text, NOW).assumed
    assert assumed is not None
    assert (assumed.say("zh"), assumed.say("en"), assumed.say()) == (zh, en, zh)


@pytest.mark.parametrize(("text", "code"), [
    ("明天6点", "open_clock"), ("明天下午", "default_time"), ("下午3点", "no_day"), ("周二", "weekday_next"), ("周三", "weekday_today"),
    ("明天晚上1点", "after_midnight"), ("10月13日", "next_year"), ("5号", ""), ("2号", "next_month"), ("周末", "weekend"), ("下周", "week_start"),
    ("下个月", "month_start"), ("月初", "month_part"), ("半个月后", "half_month"), ("10/11", "month_first")])
def test_every_convention_of_the_rules_is_marked(text: str, code: str) -> None:
    assumed = parse(text, NOW.replace(day=3) if text == "5号" else NOW).assumed
    assert ([assumed.code] if assumed else [""]) == [code]


def test_a_clipped_month_is_marked() -> None:
    assumed = parse("一个月后", datetime(2027, 1, 31, 9, 0)).assumed
    assert assumed is not None
    assert assumed.code == "clipped"


@pytest.mark.parametrize("text", ["明天", "明天下午3点", "10月20日", "周五", "下周五", "三天后", "2027-01-05", "今天15:00", "月底", "明天24点"])
def test_a_phrase_that_said_it_all_carries_no_mark(text: str) -> None:
    assert parse(text, NOW).assumed is None


def test_every_assumption_is_used_by_some_phrase() -> None:
    texts = ["明天6点", "明天下午", "下午3点", "周二", "周三", "明天晚上1点", "10月13日", "2号", "周末", "下周", "下个月", "月初", "半个月后",
             "10/11", "next Friday", "end of week", "tonight at midnight"]
    seen = {code for text in texts for code in (parse(text, NOW).assumed or pytest.fail(text)).codes}
    assert seen | {"clipped"} == set(ASSUMPTIONS)


def test_values_are_frozen_and_equal_by_what_they_hold() -> None:
    first, second = parse("明天", NOW), parse("明天", NOW)
    assert first == second
    assert hash(first) == hash(second)
    assert first != parse("后天", NOW)
    with pytest.raises(AttributeError):
        first.due = "2026-01-01"  # type: ignore[misc]
    assert find("明天交作业", NOW) == find("明天交作业", NOW)
    assert repr(first).startswith("Reading(due='2026-10-15'")
