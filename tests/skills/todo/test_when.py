"""Deadlines, days and clock times as callers write them."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from taskbook.contract import TodoError
from taskbook.when import resolve_clock, resolve_date, resolve_due


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("2026-10-15", "2026-10-15"),
        (" 2026-10-15T15:00:00 ", "2026-10-15T15:00:00"),
        ("2026-10-15 15:00", "2026-10-15T15:00:00"),
        ("2026-10-15T15:00:00.123", "2026-10-15T15:00:00"),
        ("明天下午3点", "2026-10-15T15:00:00"),
        ("tomorrow 3pm", "2026-10-15T15:00:00"),
    ],
)
def test_a_deadline_is_read_from_iso_and_from_words(ctx: Any, text: str, due: str) -> None:
    read = resolve_due(ctx(), text)
    assert (read.due, read.past) == (due, False)


@pytest.mark.parametrize("zone", ["Z", "+00:00", "+0000"])
def test_a_moment_with_a_zone_becomes_local(ctx: Any, zone: str) -> None:
    local = datetime.fromisoformat("2026-10-15T07:00:00+00:00").astimezone().replace(tzinfo=None)
    assert resolve_due(ctx(), f"2026-10-15T07:00:00{zone}").due == local.isoformat()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moment=st.datetimes(datetime(1970, 1, 1), datetime(2200, 12, 31)), day_only=st.booleans())
def test_what_a_task_shows_as_its_deadline_is_read_as_the_same(ctx: Any, moment: datetime, day_only: bool) -> None:
    due = moment.date().isoformat() if day_only else moment.replace(second=0, microsecond=0).isoformat()
    assert resolve_due(ctx(), due).due == due


def test_a_day_is_past_when_it_is_over_and_a_moment_at_once(ctx: Any) -> None:
    assert [resolve_due(ctx(), due).past for due in ("2026-10-14", "2026-10-13", "2026-10-14T08:30:00", "2026-10-14T08:29:00")] == [
        False,
        True,
        False,
        True,
    ]


def test_what_a_convention_decided_is_told_in_the_language_of_the_call(ctx: Any) -> None:
    chinese, english = (resolve_due(ctx(lang=lang), "明天6点").assumed for lang in ("zh", "en"))
    assert chinese and "18:00" in chinese and english and "18:00" in english and chinese != english
    assert resolve_due(ctx(), "明天18点").assumed is None


@pytest.mark.parametrize("text", ["2026-02-30", "1969-12-31", "2201-01-01", "每天", "改天", "", "2026-10-15T25:00:00"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_deadline_that_cannot_be_is_refused_in_a_sentence(ctx: Any, text: str, lang: str) -> None:
    with pytest.raises(TodoError) as caught:
        resolve_due(ctx(lang=lang), text)
    assert caught.value.code == "invalid_argument" and len(caught.value.say(lang)) > 5


def test_a_day_may_be_named_with_or_without_an_hour(ctx: Any) -> None:
    assert resolve_date(ctx(), "") == resolve_date(ctx(), "今天") == date(2026, 10, 14)
    assert resolve_date(ctx(), "后天下午3点") == date(2026, 10, 16)


@pytest.mark.parametrize(
    ("text", "clock"),
    [("09:00", time(9)), ("23：59", time(23, 59)), ("9点", time(9)), ("下午2点", time(14)), ("2pm", time(14)), ("中午", time(12))],
)
def test_a_time_of_day_is_read(ctx: Any, text: str, clock: time) -> None:
    assert resolve_clock(ctx(), text, "work_start") == clock


@pytest.mark.parametrize("text", ["24:00", "9:60", "明天9点", "今天", "soon", ""])
def test_what_is_no_time_of_day_is_refused_with_the_name_of_the_parameter(ctx: Any, text: str) -> None:
    with pytest.raises(TodoError) as caught:
        resolve_clock(ctx(), text, "work_start")
    assert caught.value.code == "invalid_argument" and "work_start" in caught.value.say("zh") and "work_start" in caught.value.say("en")


def test_the_parts_of_the_day_are_those_of_the_preferences(call: Any, ctx: Any) -> None:
    before = resolve_clock(ctx(), "晚上", "x")
    call("remember_preference", key="part_of_day.evening", value="19:15")
    assert (before, resolve_clock(ctx(), "晚上", "x")) == (time(20), time(19, 15))
