"""There and back through the three formats, and bytes that mean harm: a task comes back as it went out, or what is missing is named."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from taskbook.contract import TodoError
from taskbook.formats import ics, taskwarrior, todotxt
from taskbook.formats.entry import BadEntry, Entry
from taskbook.formats.files import decode

MODULES = {"todotxt": todotxt, "taskwarrior": taskwarrior, "ics": ics}


pytestmark = pytest.mark.usefixtures("zone_with_summer_time")  # times cross between UTC and local time


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
PLAIN = st.lists(st.text(st.characters(categories=("L",), codec="utf-8"), min_size=2, max_size=10), min_size=1, max_size=5).map(" ".join)
ANY_TITLE = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
# Not in the hour that the clocks repeat in October, and not in the one that they pass over in March.
MOMENTS = st.datetimes(datetime(1975, 1, 1), datetime(2199, 12, 30)).map(
    lambda moment: moment.replace(hour=moment.hour % 20 + 4, microsecond=0).isoformat()
)
DAYS = st.dates(datetime(1975, 1, 1).date(), datetime(2199, 12, 30).date()).map(lambda day: day.isoformat())
TAGS = st.lists(st.text(st.characters(categories=("L", "N"), codec="utf-8"), min_size=1, max_size=8), max_size=4, unique=True).map(tuple)
NOTES = st.lists(ANY_TITLE, max_size=3).map("\n".join)


@st.composite
def entries(draw: st.DrawFn, titles: st.SearchStrategy[str] = ANY_TITLE) -> Entry:
    due = draw(st.none() | DAYS | MOMENTS)
    status = draw(st.sampled_from(("todo", "doing", "done")))
    created = draw(MOMENTS)
    rule = (
        draw(st.sampled_from(("", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=WEEKLY;INTERVAL=2")))
        if due and status == "todo"
        else ""
    )
    return Entry(
        line=1,
        title=draw(titles),
        priority=draw(st.sampled_from(("high", "medium", "low"))),
        status=status,
        due=due,
        tags=draw(TAGS),
        notes=draw(NOTES),
        estimated_minutes=draw(st.none() | st.integers(1, 1440)),
        created=created,
        updated=draw(MOMENTS),
        completed=draw(MOMENTS) if status == "done" else None,
        uid=str(draw(st.uuids())),
        rrule=rule,
        parent=draw(st.just("") | st.uuids().map(str)),
    )


@settings(max_examples=100)
@given(st.lists(entries(), max_size=4))
@pytest.mark.parametrize("name", ["taskwarrior", "ics"])
def test_every_task_comes_back_as_it_went_out(name: str, given_: list[Entry]) -> None:
    written = MODULES[name].write(given_)
    assert written.left == []
    back = MODULES[name].read(written.text)
    assert [replace(entry, line=1) for entry in back.entries] == given_
    assert back.left == []


@settings(max_examples=100)
@given(st.lists(entries(PLAIN), max_size=4))
def test_what_todo_txt_can_hold_comes_back(given_: list[Entry]) -> None:
    written = todotxt.write(given_)
    back = todotxt.read(written.text).entries
    for before, after in zip(given_, back, strict=True):
        expected = replace(
            before,
            notes="",
            updated=None,
            uid="",
            parent="",
            line=after.line,
            created=before.created and before.created[:10] + "T00:00:00",
            completed=before.completed and before.completed[:10] + "T00:00:00",
        )
        assert after == expected
    assert {left.kind for left in written.left} <= {"notes", "parent"}
    assert [left.kind for left in written.left].count("notes") == sum(bool(entry.notes) for entry in given_)


@settings(max_examples=100)
@given(entries())
def test_a_title_of_todo_txt_comes_back_or_is_named(entry: Entry) -> None:
    written = todotxt.write([entry])
    back = todotxt.read(written.text).entries
    assert len(back) == 1
    assert (back[0].title, back[0].due) == (entry.title, entry.due) or "reads_otherwise" in {left.kind for left in written.left}


def test_local_times_that_exist_twice_are_one_of_the_two() -> None:
    late = datetime(2026, 10, 25, 2, 30)
    for name in ("taskwarrior", "ics"):
        back = MODULES[name].read(MODULES[name].write([Entry(1, "a", due=late.isoformat(), uid="u")]).text).entries[0]
        assert abs(datetime.fromisoformat(back.due or "") - late) <= timedelta(hours=1)


# ---- hostile bytes

STARTS = st.sampled_from(
    [b"", b"BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:a\n", b'[{"description":"a",', b"(A) x 2026-", b"\xff\xfe", b"\xef\xbb\xbf", b"DUE;"]
)
PIECES = st.sampled_from(
    [
        b"BEGIN:VTODO\n",
        b"END:VTODO\n",
        b"DUE:",
        b"DURATION:P99999D\n",
        b"RRULE:FREQ=",
        b"\\",
        b"\n ",
        b"20260101T000000Z",
        b"\\ud800",
        b"}",
        b"]",
        b"{",
        b'"recur":',
        b"due:",
        b"9" * 30,
        b":",
        b";",
        b"\x00",
        b"\xff",
        b"x ",
        b"@",
        b"rec:0d",
    ]
)


@settings(max_examples=400)
@given(STARTS, st.lists(st.binary(max_size=20) | PIECES, max_size=12))
def test_hostile_bytes_end_in_a_sentence(start: bytes, more: list[bytes]) -> None:
    for module in MODULES.values():
        try:
            module.read(decode(start + b"".join(more), "f"))
        except TodoError as problem:
            assert problem.code == "invalid_argument" and problem.say("zh") and problem.say("en")


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_are_told_apart(codec: str) -> None:
    text = "(A) 交作业 due:2026-10-15\n买牛奶\n"
    assert decode(text.encode(codec), "f") == text


def test_bytes_of_no_encoding_are_refused() -> None:
    with pytest.raises(TodoError) as caught:
        decode(b"\x80\xff\xff\x81", "old.txt")
    assert "old.txt" in caught.value.say("zh")


def test_ten_thousand_tasks_are_the_most() -> None:
    assert len(todotxt.read("a\n" * 10_000).entries) == 10_000
    with pytest.raises(BadEntry) as caught:
        todotxt.read("a\n" * 10_001)
    assert caught.value.line == 10_001 and "10,000" in caught.value.say("en")
