"""iCalendar: one VTODO a task. RFC 5545; a date without a time is VALUE=DATE in both directions, a time is written as local (floating).

PRIORITY 1 to 4 is high, 5 medium, 6 to 9 low. How long a task takes is ESTIMATED-DURATION, for DUE and DURATION exclude each other.
X- properties and time zone definitions are passed over; what else a task cannot hold is named.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from taskbook.formats.entry import (
    MAX_MINUTES,
    BadEntry,
    Entry,
    Left,
    Reading,
    Written,
    check_count,
    clean_notes,
    clean_tags,
    clean_title,
    clean_uid,
    shorten,
    to_utc,
)
from taskbook.formats.ics_lines import Line, escape, fold, read_lines, split_list, unescape
from taskbook.formats.ics_times import add_duration, read_duration, read_time, write_time
from taskbook.formats.recurrence import read_rrule

_STATUSES = {"NEEDS-ACTION": "todo", "IN-PROCESS": "doing", "COMPLETED": "done"}
_PRIORITIES = {"high": 1, "medium": 5, "low": 9}
_KEPT = frozenset((
    "SUMMARY", "DESCRIPTION", "UID", "DUE", "DTSTART", "DURATION", "ESTIMATED-DURATION", "RRULE", "PRIORITY", "STATUS", "CATEGORIES", "COMPLETED",
    "CREATED", "LAST-MODIFIED", "DTSTAMP", "PERCENT-COMPLETE", "RELATED-TO", "SEQUENCE", "CLASS", "TRANSP"))
_MANY = ("CATEGORIES", "RELATED-TO", "COMMENT", "ATTENDEE", "ATTACH")


def read(text: str) -> Reading:
    """The tasks of a calendar. Cancelled ones, events and journals are left out and named. Raises BadEntry."""
    entries: list[Entry] = []
    left: list[Left] = []
    open_: list[tuple[str, int]] = []
    lines: list[Line] = []
    for line in read_lines(text):
        if not open_ and (line.name, line.value.strip().upper()) != ("BEGIN", "VCALENDAR"):
            raise BadEntry(line.number, "no_calendar", f"{line.name}:{line.value}")
        if line.name == "BEGIN":
            open_.append((line.value.strip().upper(), line.number))
            _begin(open_, line, left)
            lines = [] if open_[-1][0] == "VTODO" else lines
        elif line.name == "END":
            if open_.pop()[0] != line.value.strip().upper():
                raise BadEntry(line.number, "unclosed", line.value)
            if line.value.strip().upper() == "VTODO":
                entry = _read_todo(line.number, lines, left)
                entries += [entry] if entry else []
                check_count(entries, line.number)
        elif open_[-1][0] == "VTODO":
            lines.append(line)
    if open_:
        raise BadEntry(open_[-1][1], "unclosed", open_[-1][0])
    return Reading(entries, left)


def _begin(open_: list[tuple[str, int]], line: Line, left: list[Left]) -> None:
    name = open_[-1][0]
    if len(open_) > 8 or name == "VTODO" and len(open_) > 2:
        raise BadEntry(line.number, "nested", name)
    if name == "VALARM" and any(outer == "VTODO" for outer, _ in open_):
        left.append(Left(line.number, "alarm"))
    elif len(open_) == 2 and name not in ("VTODO", "VTIMEZONE", "VALARM") and not name.startswith("X-"):
        left.append(Left(line.number, "component", shorten(name)))


def _read_todo(end: int, lines: Sequence[Line], left: list[Left]) -> Entry | None:
    first = lines[0].number if lines else end
    found: dict[str, Line] = {}
    for line in lines:
        if line.name in found and line.name in _KEPT and line.name not in _MANY:
            raise BadEntry(line.number, "twice", line.name)
        found.setdefault(line.name, line)
    title = clean_title(first, unescape(_value(found, "SUMMARY")))
    status = _status(found)
    if status == "cancelled":
        left.append(Left(first, "deleted", title))
        return None
    due = _due(found, left)
    _name_rest(lines, found, left)
    return Entry(
        line=first, title=title, priority=_priority(found), status=status, due=due, notes=clean_notes(first, unescape(_value(found, "DESCRIPTION"))),
        tags=clean_tags(first, [tag for line in lines if line.name == "CATEGORIES" for tag in split_list(line.value)]),
        estimated_minutes=_minutes(found, left), created=_clock(found, "CREATED", left), updated=_clock(found, "LAST-MODIFIED", left),
        completed=_clock(found, "COMPLETED", left) if status == "done" else None, uid=clean_uid(first, _value(found, "UID").strip()),
        parent=_parent(lines), rrule=_rule(found, due, status, left))


def _value(found: dict[str, Line], name: str) -> str:
    return found[name].value if name in found else ""


def _status(found: dict[str, Line]) -> str:
    given = _value(found, "STATUS").strip().upper()
    if given == "CANCELLED":
        return "cancelled"
    if given and given not in _STATUSES:
        raise BadEntry(found["STATUS"].number, "bad_status", given)
    if given:
        return _STATUSES[given]
    return "done" if "COMPLETED" in found or _value(found, "PERCENT-COMPLETE").strip() == "100" else "todo"


def _priority(found: dict[str, Line]) -> str:
    given = _value(found, "PRIORITY").strip() or "0"
    if not re.fullmatch(r"[0-9]", given):
        raise BadEntry(found["PRIORITY"].number, "bad_priority", given)
    return "high" if 1 <= int(given) <= 4 else "low" if int(given) >= 6 else "medium"


def _due(found: dict[str, Line], left: list[Left]) -> str | None:
    """DUE; or DTSTART and DURATION; or the start of a repeating task. A start without these is no deadline."""
    start = read_time(found["DTSTART"], left) if "DTSTART" in found else None
    if "DUE" in found:
        due = read_time(found["DUE"], left)
        if start not in (None, due):
            left.append(Left(found["DTSTART"].number, "start", str(start)))
        return due
    if start and "DURATION" in found:
        return add_duration(found["DURATION"], start, read_duration(found["DURATION"]))
    if start and "RRULE" in found:
        return start
    if start:
        left.append(Left(found["DTSTART"].number, "start", start))
    return None


def _minutes(found: dict[str, Line], left: list[Left]) -> int | None:
    """ESTIMATED-DURATION, or a DURATION that has no start to count from."""
    name = "ESTIMATED-DURATION" if "ESTIMATED-DURATION" in found else "DURATION"
    if name not in found or name == "DURATION" and "DTSTART" in found:
        return None
    minutes = round(read_duration(found[name]) / timedelta(minutes=1))
    if 1 <= minutes <= MAX_MINUTES:
        return minutes
    left.append(Left(found[name].number, "property", f"{name}: {shorten(found[name].value)}"))
    return None


def _clock(found: dict[str, Line], name: str, left: list[Left]) -> str | None:
    if name not in found:
        return None
    moment = read_time(found[name], left)
    return moment if "T" in moment else f"{moment}T00:00:00"


def _rule(found: dict[str, Line], due: str | None, status: str, left: list[Left]) -> str:
    if "RRULE" not in found or status == "done":
        return ""
    given = found["RRULE"]
    parts = read_rrule(given.value)
    if not parts:
        raise BadEntry(given.number, "bad_rule", given.value)
    if due is None or "COUNT" in parts or "UNTIL" in parts:  # a series that ends would go on for ever here
        left.append(Left(given.number, "rule_without_due" if due is None else "rule_ends", shorten(given.value)))
        return ""
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _parent(lines: Sequence[Line]) -> str:
    for line in lines:
        if line.name == "RELATED-TO" and line.parameters.get("RELTYPE", "PARENT").upper() == "PARENT":
            return clean_uid(line.number, line.value.strip())
    return ""


def _name_rest(lines: Sequence[Line], found: dict[str, Line], left: list[Left]) -> None:
    left += [Left(line.number, "property", line.name) for line in lines
             if not line.name.startswith("X-") and (line.name not in _KEPT
             or line.name == "RELATED-TO" and line.parameters.get("RELTYPE", "PARENT").upper() != "PARENT")]
    percent = _value(found, "PERCENT-COMPLETE").strip()
    if percent not in ("", "0", "100"):
        left.append(Left(found["PERCENT-COMPLETE"].number, "property", f"PERCENT-COMPLETE: {shorten(percent)}"))


def write(entries: Sequence[Entry]) -> Written:
    """The calendar, lines ending in CRLF and folded. Everything of a task has its place here, so nothing is left."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//skills-agent//to-do list//EN"]
    for entry in entries:
        lines += _write_todo(entry)
    return Written("".join(fold(line) for line in [*lines, "END:VCALENDAR"]), [])


def _utc(name: str, local: str) -> str:
    return f"{name}:{to_utc(local):%Y%m%dT%H%M%SZ}"


def _write_todo(entry: Entry) -> list[str]:
    stamp = entry.updated or entry.created or "1970-01-02T00:00:00"
    status = {"todo": "NEEDS-ACTION", "doing": "IN-PROCESS", "done": "COMPLETED"}[entry.status]
    lines = ["BEGIN:VTODO", f"UID:{entry.uid}", _utc("DTSTAMP", stamp), f"SUMMARY:{escape(entry.title)}",
             f"PRIORITY:{_PRIORITIES[entry.priority]}", f"STATUS:{status}"]
    if entry.notes:
        lines.append(f"DESCRIPTION:{escape(entry.notes)}")
    if entry.tags:
        lines.append(f"CATEGORIES:{','.join(escape(tag) for tag in entry.tags)}")
    if entry.due:
        rule = entry.rrule if entry.status != "done" else ""
        lines += [write_time("DTSTART", entry.due), f"RRULE:{rule}"] if rule else []  # a rule needs a start to count from
        lines.append(write_time("DUE", entry.due))
    if entry.estimated_minutes:
        lines.append(f"ESTIMATED-DURATION:PT{entry.estimated_minutes}M")
    if entry.parent:
        lines.append(f"RELATED-TO;RELTYPE=PARENT:{entry.parent}")
    for name, moment in (("CREATED", entry.created), ("LAST-MODIFIED", entry.updated)):
        lines += [_utc(name, moment)] if moment else []
    if entry.status == "done":
        lines.append(_utc("COMPLETED", entry.completed or stamp))
    return [*lines, "END:VTODO"]
