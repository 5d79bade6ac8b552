"""The three formats by themselves: what a line means, what comes back after writing, and that hostile bytes end in a sentence."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from taskbook.formats import ics, taskwarrior, todotxt
from taskbook.formats.entry import BadEntry, Entry
from taskbook.formats.ics_lines import fold

MODULES = {"todotxt": todotxt, "taskwarrior": taskwarrior, "ics": ics}


pytestmark = pytest.mark.usefixtures("zone_with_summer_time")  # times cross between UTC and local time


def one(name: str, text: str) -> Entry:
    entries = MODULES[name].read(text).entries
    assert len(entries) == 1
    return entries[0]  # type: ignore[no-any-return]


def kinds(name: str, text: str) -> list[str]:
    return [left.kind for left in MODULES[name].read(text).left]


def fault(name: str, text: str) -> tuple[int, str]:
    with pytest.raises(BadEntry) as caught:
        MODULES[name].read(text)
    assert caught.value.say("zh").startswith(f"第 {caught.value.line} 行") and caught.value.say("en")
    return caught.value.line, caught.value.values["reason"].key


# ---- todo.txt


def test_a_full_line_of_todo_txt_is_understood() -> None:
    entry = one("todotxt", "(A) 2026-10-10 Call Mom +Family @phone due:2026-10-15 at:15:00 rec:+1w t:2026-10-14 est:30m status:doing")
    assert entry == Entry(
        line=1,
        title="Call Mom",
        priority="high",
        status="doing",
        due="2026-10-15T15:00:00",
        tags=("+Family", "phone"),
        notes="t:2026-10-14",
        estimated_minutes=30,
        created="2026-10-10T00:00:00",
        rrule="FREQ=WEEKLY",
    )


@pytest.mark.parametrize(("letter", "priority"), [("A", "high"), ("B", "medium"), ("C", "low"), ("Z", "low"), ("", "medium")])
def test_letters_are_priorities(letter: str, priority: str) -> None:
    assert one("todotxt", f"({letter}) x ray" if letter else "y ray").priority == priority
    assert one("todotxt", f"x 2026-10-14 x ray pri:{letter}" if letter else "x y").priority == priority


def test_a_done_line_has_its_two_dates() -> None:
    entry = one("todotxt", "x 2026-10-14 2026-10-01 交作业")
    assert (entry.status, entry.completed, entry.created, entry.title) == ("done", "2026-10-14T00:00:00", "2026-10-01T00:00:00", "交作业")
    assert one("todotxt", "xylophone lesson").status == "todo"


@pytest.mark.parametrize(
    "text", ["see http://example.org/a:b", "ratio 3:1", "due:tomorrow", "at:15:00 sharp", "meet (A) team", "10:30 call", "rec:often", "est:1990"]
)
def test_words_with_a_colon_that_mean_nothing_here_stay_text(text: str) -> None:
    entry = one("todotxt", text)
    assert sorted(entry.title.split()) == sorted(text.split()) and entry.due is None


def test_a_tag_inside_a_sentence_stays_a_word_of_it() -> None:
    entry = one("todotxt", "Ask @bob about +garden shed @home")
    assert (entry.title, entry.tags) == ("Ask @bob about +garden shed", ("bob", "+garden", "home"))
    assert todotxt.read(todotxt.write([entry]).text).entries[0].tags == ("bob", "+garden", "home")


@pytest.mark.parametrize(
    ("rec", "rule"),
    [
        ("1d", "FREQ=DAILY"),
        ("+2w", "FREQ=WEEKLY;INTERVAL=2"),
        ("3m", "FREQ=MONTHLY;INTERVAL=3"),
        ("y", "FREQ=YEARLY"),
        ("1b", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("5b", ""),
    ],
)
def test_repetitions_of_todo_txt_become_rules(rec: str, rule: str) -> None:
    assert one("todotxt", f"a due:2026-10-15 rec:{rec}").rrule == rule


def test_what_todo_txt_says_and_a_task_cannot_hold_is_named() -> None:
    assert kinds("todotxt", "a t:2026-10-20") == ["kept_in_notes"]
    assert kinds("todotxt", "a rec:1w") == ["rule_without_due"]
    assert kinds("todotxt", "a due:2026-10-20 rec:1w") == ["rule_from_due"] and kinds("todotxt", "a due:2026-10-20 rec:+1w") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a due:2026-02-30", "bad_date"),
        ("a due:0026-02-20", "bad_date"),
        ("2026-13-01 a", "bad_date"),
        ("a due:2026-10-15 at:25:00", "bad_date"),
        ("x 2026-10-14 2026-10-01", "no_title"),
        ("a" * 501, "title_long"),
        ("@a " * 5000, "title_long"),
        ("a @" + "b" * 51, "tag_long"),
        ("a " + " ".join(f"@{n}" for n in range(51)), "many_tags"),
    ],
)
def test_a_bad_line_of_todo_txt_is_named(line: str, reason: str) -> None:
    assert fault("todotxt", f"good\n\n{line}\nnever seen due:2026-99-99") == (3, reason)


def test_a_title_that_todo_txt_would_read_as_marks_is_named_when_it_is_written() -> None:
    written = todotxt.write([Entry(7, "meet @home"), Entry(8, "plain"), Entry(9, "pay due:2026-10-10")])
    assert [(left.line, left.kind) for left in written.left] == [(7, "reads_otherwise"), (9, "reads_otherwise")]


# ---- Taskwarrior

UUID = "296d835e-8f85-4224-8f36-c612cad1b9f8"


def task(**more: object) -> str:
    return json.dumps([{"uuid": UUID, "description": "交作业", "status": "pending", "entry": "20261010T100000Z", **more}])


def test_times_of_taskwarrior_are_utc_and_midnight_is_a_date_without_a_time() -> None:
    assert one("taskwarrior", task(due="20261015T130000Z")).due == "2026-10-15T15:00:00"  # summer, two hours ahead
    assert one("taskwarrior", task(due="20261215T130000Z")).due == "2026-12-15T14:00:00"
    assert one("taskwarrior", task(due="20261014T220000Z")).due == "2026-10-15"
    assert one("taskwarrior", task(due="2026-10-14T22:00:00Z")).due == "2026-10-15"


def test_a_task_of_taskwarrior_keeps_its_identity_and_its_words() -> None:
    entry = one(
        "taskwarrior",
        task(
            priority="H",
            project="Home.Garden",
            tags=["next", "中文"],
            start="20261011T100000Z",
            modified="20261012T100000Z",
            annotations=[{"entry": "20261011T100000Z", "description": "first"}, {"description": "second"}],
        ),
    )
    assert (entry.uid, entry.priority, entry.status) == (UUID, "high", "doing")
    assert (entry.tags, entry.notes, entry.updated) == (("next", "中文", "+Home.Garden"), "first\nsecond", "2026-10-12T12:00:00")


def test_status_of_taskwarrior() -> None:
    done = one("taskwarrior", task(status="completed", end="20261012T100000Z"))
    assert (done.status, done.completed) == ("done", "2026-10-12T12:00:00")
    assert one("taskwarrior", task(status="waiting")).status == "todo"
    assert MODULES["taskwarrior"].read(task(status="deleted")).entries == [] and kinds("taskwarrior", task(status="deleted")) == ["deleted"]


@pytest.mark.parametrize(
    ("recur", "rule"),
    [
        ("weekly", "FREQ=WEEKLY"),
        ("2w", "FREQ=WEEKLY;INTERVAL=2"),
        ("P3M", "FREQ=MONTHLY;INTERVAL=3"),
        ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("3 days", "FREQ=DAILY;INTERVAL=3"),
        ("quarterly", "FREQ=MONTHLY;INTERVAL=3"),
        ("4hrs", ""),
        ("PT4H", ""),
        ("0d", ""),
    ],
)
def test_repetitions_of_taskwarrior_become_rules_where_they_can(recur: str, rule: str) -> None:
    text = task(status="recurring", recur=recur, due="20261015T130000Z")
    assert one("taskwarrior", text).rrule == rule
    assert kinds("taskwarrior", text) == ([] if rule else ["rule"])


def test_of_a_repeating_task_the_last_open_instance_carries_the_rule() -> None:
    parent = {"uuid": "p", "description": "a", "status": "recurring", "recur": "weekly", "due": "20261001T130000Z"}
    children = [
        {"uuid": f"c{n}", "description": "a", "status": "pending", "recur": "weekly", "parent": "p", "due": f"202610{n:02}T130000Z"}
        for n in (15, 22, 8)
    ]
    entries = taskwarrior.read(json.dumps([parent, *children])).entries
    assert [(entry.uid, entry.rrule) for entry in entries] == [("c15", ""), ("c22", "FREQ=WEEKLY"), ("c8", "")]


def test_what_taskwarrior_says_and_a_task_cannot_hold_is_named() -> None:
    text = task(depends=["x"], wait="20261014T220000Z", scheduled="20261014T220000Z", until="20261014T220000Z", urgency=3.2, id=4, brainpower="low")
    assert sorted(kinds("taskwarrior", text)) == ["depends", "property", "scheduled", "until", "wait"]
    assert kinds("taskwarrior", task(recur="weekly", due="20261014T220000Z", until="20271014T220000Z")) == ["rule_ends"]


def test_objects_may_stand_one_a_line_without_an_array() -> None:
    text = '{"description":"a","uuid":"1"}\n\n{"description":"b","uuid":"2"},\n'
    assert [(entry.title, entry.line) for entry in taskwarrior.read(text).entries] == [("a", 1), ("b", 3)]
    assert taskwarrior.read("").entries == taskwarrior.read("[ ]").entries == []


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"description": ""}', "no_title"),
        ('{"uuid": "x"}', "no_title"),
        ('{"description": 5}', "no_text"),
        ("7", "no_object"),
        ("{", "no_json"),
        ('{"description":"a","due":"20260230T000000Z"}', "bad_date"),
        ('{"description":"a","due":"tomorrow"}', "bad_date"),
        ('{"description":"a","status":"lost"}', "bad_status"),
        ('{"description":"a","priority":"X"}', "bad_priority"),
        ('{"description":"a","tags":[1]}', "no_text"),
        ('{"description":"a","annotations":["b"]}', "no_text"),
        ('{"description":"a","uuid":"' + "u" * 300 + '"}', "bad_uid"),
        ('{"description":"a","n":' + "9" * 5000 + "}", "no_json"),
        ("[" * 100_000, "no_json"),
        ('{"description":"a","due":"99991231T235959Z"}', "bad_date"),
    ],
)
def test_a_bad_object_of_taskwarrior_is_named_by_its_line(bad: str, reason: str) -> None:
    assert fault("taskwarrior", '[\n{"description": "good"},\n' + bad + "\n]") == (3, reason)


def test_an_array_must_end() -> None:
    assert fault("taskwarrior", '[{"description": "a"}')[1] == "no_json"
    assert fault("taskwarrior", '[{"description": "a"}] and more')[1] == "no_json"


def test_a_deadline_at_midnight_is_told_to_become_a_date() -> None:
    written = taskwarrior.write([Entry(3, "a", due="2026-10-15T00:00:00", uid="u")])
    assert [(left.line, left.kind) for left in written.left] == [(3, "midnight")]


# ---- iCalendar


def todo(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", "UID:u1", "SUMMARY:a", *lines, "END:VTODO", "END:VCALENDAR", ""])


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("DUE;VALUE=DATE:20261015", "2026-10-15"),
        ("DUE:20261015", "2026-10-15"),
        ("DUE:20261015T150000", "2026-10-15T15:00:00"),
        ("DUE:20261015T130000Z", "2026-10-15T15:00:00"),
        ("DUE;TZID=Asia/Shanghai:20261015T210000", "2026-10-15T15:00:00"),
        ('DUE;TZID="America/New_York":20261015T090000', "2026-10-15T15:00:00"),
    ],
)
def test_a_date_stays_a_date_and_times_become_local(line: str, due: str) -> None:
    assert one("ics", todo(line)).due == due


@pytest.mark.parametrize(
    ("lines", "due"),
    [
        (("DTSTART:20261015T090000", "DURATION:P1DT2H30M"), "2026-10-16T11:30:00"),
        (("DTSTART;VALUE=DATE:20261015", "DURATION:P1W"), "2026-10-22"),
        (("DTSTART;VALUE=DATE:20261015", "DURATION:PT90M"), "2026-10-15T01:30:00"),
        (("DTSTART;VALUE=DATE:20261015", "RRULE:FREQ=DAILY"), "2026-10-15"),
        (("DTSTART;VALUE=DATE:20261015",), None),
    ],
)
def test_a_start_with_a_length_is_a_deadline(lines: tuple[str, ...], due: str | None) -> None:
    assert one("ics", todo(*lines)).due == due


@pytest.mark.parametrize(("number", "priority"), [(0, "medium"), (1, "high"), (4, "high"), (5, "medium"), (6, "low"), (9, "low")])
def test_numbers_are_priorities(number: int, priority: str) -> None:
    assert one("ics", todo(f"PRIORITY:{number}")).priority == priority


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("STATUS:NEEDS-ACTION",), "todo"),
        (("STATUS:IN-PROCESS", "PERCENT-COMPLETE:40"), "doing"),
        (("STATUS:COMPLETED",), "done"),
        (("COMPLETED:20261014T100000Z",), "done"),
        (("PERCENT-COMPLETE:100",), "done"),
        ((), "todo"),
    ],
)
def test_status_of_a_calendar(lines: tuple[str, ...], status: str) -> None:
    assert one("ics", todo(*lines)).status == status


def test_texts_are_unescaped_and_lists_split() -> None:
    text = todo("DESCRIPTION:one\\ntwo\\, three\\; C:\\\\new", "CATEGORIES:a\\,b,c", "CATEGORIES:d", "X-APPLE-SORT:1", "X-NOTE;X-P=1:y").replace(
        "SUMMARY:a", "SUMMARY;LANGUAGE=zh:交\r\n 作业"
    )
    entry = one("ics", text)
    assert (entry.title, entry.notes, entry.tags) == ("交作业", "one\ntwo, three; C:\\new", ("a,b", "c", "d"))
    assert kinds("ics", text) == []


def test_what_a_calendar_says_and_a_task_cannot_hold_is_named() -> None:
    assert kinds("ics", todo("LOCATION:here")) == ["property"]
    assert kinds("ics", todo("BEGIN:VALARM", "TRIGGER:-PT5M", "END:VALARM")) == ["alarm"]
    assert kinds("ics", todo("DTSTART:20261015T090000")) == ["start"]
    assert kinds("ics", todo("DUE;TZID=Middle Earth:20261015T090000")) == ["zone"]
    assert kinds("ics", todo("DUE:20261015", "RRULE:FREQ=DAILY;COUNT=3")) == ["rule_ends"]
    assert kinds("ics", todo("STATUS:CANCELLED")) == ["deleted"]
    assert kinds(
        "ics",
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\nBEGIN:VTIMEZONE\nTZID:q\nBEGIN:STANDARD\nEND:STANDARD\nEND:VTIMEZONE\nEND:VCALENDAR",
    ) == ["component"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("DUE:20260230", "bad_date"),
        ("DUE:tomorrow", "bad_date"),
        ("DUE;VALUE=DATE:20261015T100000", "bad_date"),
        ("PRIORITY:x", "bad_priority"),
        ("STATUS:LOST", "bad_status"),
        ("no line", "no_property"),
        ("DURATION:P", "bad_duration"),
        ("RRULE:often", "bad_rule"),
        ("UID:u2", "twice"),
        ("BEGIN:VTODO", "nested"),
        ("END:VEVENT", "unclosed"),
        ("DUE:99991231T235959Z", "bad_date"),
    ],
)
def test_a_bad_line_of_a_calendar_is_named(line: str, reason: str) -> None:
    assert fault("ics", todo("LOCATION:x", line)) == (7, reason)


def test_a_calendar_must_begin_and_end() -> None:
    assert fault("ics", "SUMMARY:a") == (1, "no_calendar")
    assert fault("ics", "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:a") == (2, "unclosed")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=300))
@example("é" * 80)
@example("a" * 74 + "😀")
def test_folded_lines_are_short_and_no_character_is_torn(line: str) -> None:
    folded = fold(line).encode()
    assert folded.endswith(b"\r\n") and all(len(piece) <= 75 for piece in folded.split(b"\r\n"))
    assert folded.replace(b"\r\n ", b"").removesuffix(b"\r\n").decode() == line
    for piece in folded.split(b"\r\n"):
        piece.decode()
