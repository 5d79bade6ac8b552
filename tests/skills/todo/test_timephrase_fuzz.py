"""Any text, any now: nothing is raised, every result is a date of 1970-2200, the same each time, and soon."""
from __future__ import annotations

import re
import subprocess
import sys
import time
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timephrase import Found, Reading, find, parse, parse_rule
from timephrase.chinese_words import WORDS
from timephrase.english_words import WORDS as ENGLISH

SKILL = Path(__file__).resolve().parents[3] / "skills" / "todo"
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 12, 31, 23, 59, 59))
FORM = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:00)?")
CHINESE_WORDS = st.lists(st.sampled_from([*WORDS, *"零一二三五十廿", "1", "8", "15", "30", "99", "2026", "9:30",
                                          "24:00", "10/20", "2.30", " ", "，", "水"]), max_size=7)
ENGLISH_WORDS = st.lists(st.sampled_from([*ENGLISH, "1", "8", "15", "31", "2027", "9:30", "10/20", "3.5", ",", ".", "-", "bob", "1st", "15th"]),
                         max_size=7)


def sound(reading: Reading) -> None:
    """One of due and error; a due that is well formed and within the years."""
    assert (reading.due is None) != (reading.error is None)
    assert reading.assumed is None or reading.due is not None
    if reading.due is not None:
        assert FORM.fullmatch(reading.due)
        assert 1970 <= datetime.fromisoformat(reading.due).year <= 2200
        for lang in ("zh", "en"):
            assert reading.assumed is None or reading.assumed.say(lang)
    else:
        assert reading.error is not None
        assert reading.error.say("zh")
        assert reading.error.say("en")


@given(st.text(max_size=120), MOMENTS)
def test_no_text_makes_it_fail(text: str, now: datetime) -> None:
    sound(parse(text, now))
    assert parse(text, now) == parse(text, now)


@settings(max_examples=400)
@given(CHINESE_WORDS, MOMENTS)
def test_no_mixture_of_chinese_time_words_makes_it_fail(words: list[str], now: datetime) -> None:
    text = "".join(words)
    sound(parse(text, now))
    assert parse(text, now) == parse(text, now)


@settings(max_examples=400)
@given(ENGLISH_WORDS, MOMENTS)
def test_no_mixture_of_english_time_words_makes_it_fail(words: list[str], now: datetime) -> None:
    text = " ".join(words)
    sound(parse(text, now))
    assert parse(text, now) == parse(text, now)


@settings(max_examples=300)
@given(st.one_of(st.text(max_size=80), CHINESE_WORDS.map("".join), ENGLISH_WORDS.map(" ".join)), MOMENTS)
def test_no_sentence_makes_finding_fail(text: str, now: datetime) -> None:
    found = find(text, now)
    assert found == find(text, now)
    if found is not None:
        assert isinstance(found, Found)
        assert 0 <= found.start < found.end <= len(text)
        assert (found.reading is None) != (found.rule is None)
        if found.reading is not None:
            sound(found.reading)


@given(st.dates(date(1970, 1, 1), date(2200, 12, 31)), st.integers(0, 1439), MOMENTS)
def test_a_date_that_is_written_out_is_that_date(day: date, minute: int, now: datetime) -> None:
    clock = f"{minute // 60:02}:{minute % 60:02}"
    for text in (day.isoformat(), f"{day.year}年{day.month}月{day.day}日", f"{day.year}/{day.month}/{day.day}", f"{day:%Y%m%d}",
                 f"{day:%B} {day.day} {day.year}"):
        assert parse(text, now).due == day.isoformat()
    for text in (f"{day.isoformat()}T{clock}", f"{day.isoformat()} {clock}"):
        assert parse(text, now).due == f"{day.isoformat()}T{clock}:00"


@given(st.dates(date(1971, 1, 1), date(2190, 12, 31)), MOMENTS.filter(lambda now: now.year < 2190))
def test_a_date_without_its_year_is_the_next_one(day: date, now: datetime) -> None:
    due = parse(f"{day.month}月{day.day}日", now).due
    assert due is not None
    assert due >= now.date().isoformat()
    assert due[5:] == day.isoformat()[5:]
    assert int(due[:4]) <= now.year + 8


@given(st.integers(1, 99), MOMENTS.filter(lambda now: now.year < 2199))
def test_days_from_now_count_days(count: int, now: datetime) -> None:
    due = parse(f"{count}天后", now).due
    assert due == parse(f"in {count} days", now).due
    assert due is not None
    assert (date.fromisoformat(due) - now.date()).days == count


@given(st.integers(0, 59), st.integers(1, 12), MOMENTS.filter(lambda now: now.year < 2200))
def test_a_clock_without_a_day_is_within_a_day_and_later_than_now(minute: int, hour: int, now: datetime) -> None:
    for text in (f"{hour}点{minute}分", f"下午{min(hour, 11)}点{minute}分", f"{hour}:{minute:02}pm"):
        due = parse(text, now).due
        assert due is not None
        ahead = datetime.fromisoformat(due) - now
        assert 0 < ahead.total_seconds() <= 86400


@pytest.mark.parametrize("text", ["明" * 10_000, "1" * 10_000, "一" * 10_000, "1." * 5_000, "(" * 10_000, "“" * 10_000, "周一到" * 3_000,
                                  "every " * 2_000, " " * 10_000, "a-" * 5_000, "每周一、" * 2_500])
def test_a_long_text_ends_at_once(text: str) -> None:
    now = datetime(2026, 10, 14, 10, 0)
    start = time.perf_counter()
    error = parse(text, now).error
    assert error is not None
    assert error.code == "too_long"
    assert find(text, now) is None
    parse_rule(text, now)
    assert time.perf_counter() - start < 0.05


@pytest.mark.parametrize("part", ["“", "1.", "周一到", "每周", "every ", "明天", "一", "2026-", "a-", "(", "1:", "'", "每月1号、"])
def test_the_longest_sentence_that_is_read_ends_soon(part: str) -> None:
    text = (part * 400)[:400]
    start = time.perf_counter()
    find(text, datetime(2026, 10, 14, 10, 0))
    parse(text[:100], datetime(2026, 10, 14, 10, 0))
    assert time.perf_counter() - start < 0.5


def test_the_package_uses_the_standard_library_alone_and_loads_nothing_heavy() -> None:
    code = ("import sys\nbefore = set(sys.modules)\nimport timephrase\nnew = {name.split('.')[0] for name in set(sys.modules) - before}\n"
            "assert not new - set(sys.stdlib_module_names) - {'timephrase'}, new\nassert not new & {'dataclasses', 'json', 'inspect'}, new\n")
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=SKILL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
