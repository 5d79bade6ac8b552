"""Taskwarrior's JSON: an array of objects, or one object a line. Times are UTC ("20261015T070000Z"); a date without a time is local midnight.

uuid, status, priority, tags, annotations, recur and the dates are carried over. The project becomes the tag "+project". Our own keys,
which Taskwarrior keeps as attributes it does not know, are `estimated_minutes` and `partof`, the uuid of the whole.
"""
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

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
    to_local,
    to_utc,
)
from taskbook.formats.recurrence import recur_of_rrule, rrule_of_recur

_TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)Z")
_PRIORITIES = {"H": "high", "M": "medium", "L": "low", "": "medium"}
_STATUSES = {"pending": "todo", "waiting": "todo", "recurring": "todo", "completed": "done"}
_KNOWN = frozenset((
    "id", "uuid", "description", "status", "priority", "project", "tags", "annotations", "due", "entry", "modified", "end", "start", "recur",
    "urgency", "mask", "imask", "rtype", "last", "parent", "partof", "estimated_minutes", "depends", "wait", "scheduled", "until"))
_SAID = ("depends", "wait", "scheduled", "until")
_SPACE = re.compile(r"[\s,]*")


def read(text: str) -> Reading:
    """The tasks of a file. Deleted ones are left out and named; of a repeating one only the instances, if it has any. Raises BadEntry."""
    left: list[Left] = []
    objects = []
    for line, item in _objects(text):
        objects.append((line, item))
        check_count(objects, line)
    lead = _leading(objects)
    read_ = (_read_one(line, item, lead, left) for line, item in objects)
    return Reading([entry for entry in read_ if entry], left)


def write(entries: Sequence[Entry]) -> Written:
    """The file: an array with one object a line."""
    left: list[Left] = []
    lines = [json.dumps(_write_one(entry, left), ensure_ascii=False) for entry in entries]
    return Written("[\n" + ",\n".join(lines) + "\n]\n", left)


def _small_integer(digits: str) -> int:
    if len(digits) > 20:  # Python before 3.11 would take minutes for a megabyte of digits
        raise ValueError("a number that is too long")
    return int(digits)


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each object with the line on which it begins."""
    decoder = json.JSONDecoder(parse_int=_small_integer)
    start = _SPACE.match(text)
    place = start.end() if start else 0
    array = text.startswith("[", place)
    place += array
    line, counted = 1, 0
    while True:
        match = _SPACE.match(text, place)
        place = match.end() if match else place
        line, counted = line + text.count("\n", counted, place), place
        if place >= len(text) or array and text[place] == "]":
            break
        try:
            item, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise BadEntry(line, "no_json", str(error)) from None
        if not isinstance(item, dict):
            raise BadEntry(line, "no_object", str(item)[:100])
        yield line, item
    if array and (place >= len(text) or text[place + 1:].strip()):
        raise BadEntry(line, "no_json", "]")


def _leading(objects: Sequence[tuple[int, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """For each repeating task that has open instances, the last one: that one carries the rule on."""
    last: dict[str, dict[str, Any]] = {}
    for _, item in objects:
        parent = item.get("parent")
        if isinstance(parent, str) and item.get("status") in ("pending", "waiting"):
            last[parent] = max(last.get(parent, item), item, key=lambda each: str(each.get("due", "")))
    return last


def _text(line: int, item: Mapping[str, Any], name: str) -> str:
    value = item.get(name, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadEntry(line, "no_text", name)
    return value


def _read_one(line: int, item: dict[str, Any], lead: Mapping[str, dict[str, Any]], left: list[Left]) -> Entry | None:
    title = clean_title(line, _text(line, item, "description"))
    status = _text(line, item, "status") or "pending"
    if status not in (*_STATUSES, "deleted"):
        raise BadEntry(line, "bad_status", status)
    uid = clean_uid(line, _text(line, item, "uuid").lower())
    if status == "deleted":
        left.append(Left(line, "deleted", title))
        return None
    if status == "recurring" and uid in lead:
        return None  # its instances stand in the file
    priority = _text(line, item, "priority").upper()
    if priority not in _PRIORITIES:
        raise BadEntry(line, "bad_priority", priority)
    _name_rest(line, item, left)
    started = bool(item.get("start")) and status != "completed"
    due = _due(_time(line, item, "due"))
    return Entry(
        line=line, title=title, priority=_PRIORITIES[priority], status="doing" if started else _STATUSES[status], due=due,
        tags=_tags(line, item), notes=_notes(line, item), estimated_minutes=_minutes(line, item, left), created=_time(line, item, "entry"),
        updated=_time(line, item, "modified"), completed=_time(line, item, "end") if status == "completed" else None, uid=uid,
        parent=clean_uid(line, _text(line, item, "partof").lower()), rrule=_rule(line, item, status, due, lead, left))


def _time(line: int, item: Mapping[str, Any], name: str) -> str | None:
    text = _text(line, item, name)
    if not text:
        return None
    match = _TIME.fullmatch(text)
    try:
        moment = datetime(*(int(part) for part in match.groups()), tzinfo=timezone.utc) if match else None  # type: ignore[arg-type, misc]
    except ValueError:
        moment = None
    if moment is None:
        raise BadEntry(line, "bad_date", f"{name}: {text}")
    return to_local(line, moment, text)


def _due(moment: str | None) -> str | None:
    return moment[:10] if moment and moment.endswith("T00:00:00") else moment


def _tags(line: int, item: Mapping[str, Any]) -> tuple[str, ...]:
    tags = item.get("tags") or []
    if isinstance(tags, str):  # some programs write them with commas
        tags = tags.split(",")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise BadEntry(line, "no_text", "tags")
    project = _text(line, item, "project").strip()
    return clean_tags(line, [*tags, f"+{project}"] if project else tags)


def _notes(line: int, item: Mapping[str, Any]) -> str:
    annotations = item.get("annotations") or []
    if not isinstance(annotations, list):
        raise BadEntry(line, "no_text", "annotations")
    parts = []
    for annotation in annotations:
        if not isinstance(annotation, dict) or not isinstance(annotation.get("description"), str):
            raise BadEntry(line, "no_text", "annotations")
        parts.append(annotation["description"])
    return clean_notes(line, "\n".join(parts))


def _minutes(line: int, item: Mapping[str, Any], left: list[Left]) -> int | None:
    value = item.get("estimated_minutes")
    if value is None:
        return None
    text = str(value).strip()
    if re.fullmatch(r"[0-9]{1,4}(\.0+)?", text) and 1 <= int(text.partition(".")[0]) <= MAX_MINUTES:
        return int(text.partition(".")[0])
    left.append(Left(line, "property", f"estimated_minutes: {shorten(text)}"))
    return None


def _rule(line: int, item: Mapping[str, Any], status: str, due: str | None, lead: Mapping[str, dict[str, Any]], left: list[Left]) -> str:
    recur = _text(line, item, "recur")
    parent = _text(line, item, "parent")
    if not recur or status == "completed" or parent and lead.get(parent) is not item:
        return ""
    if due is None:
        left.append(Left(line, "rule_without_due", f"recur: {shorten(recur)}"))
        return ""
    if item.get("until"):  # a rule that ends would go on for ever here
        left.append(Left(line, "rule_ends", f"recur: {shorten(recur)}"))
        return ""
    rule = rrule_of_recur(recur)
    if not rule:
        left.append(Left(line, "rule", f"recur: {shorten(recur)}"))
    return rule


def _name_rest(line: int, item: Mapping[str, Any], left: list[Left]) -> None:
    left += [Left(line, name) for name in _SAID if item.get(name) and not (name == "until" and item.get("recur"))]
    left += [Left(line, "property", shorten(name)) for name in item if name not in _KNOWN]


def _write_time(local: str) -> str:
    return to_utc(local).strftime("%Y%m%dT%H%M%SZ")


def _write_one(entry: Entry, left: list[Left]) -> dict[str, Any]:
    recur = _recur(entry, left)
    status = "completed" if entry.status == "done" else "recurring" if recur else "pending"
    created = entry.created or entry.updated or entry.completed or "1970-01-02T00:00:00"
    item: dict[str, Any] = {"uuid": entry.uid, "description": entry.title, "status": status, "entry": _write_time(created),
                            "priority": {"high": "H", "medium": "M", "low": "L"}[entry.priority]}
    if entry.updated:
        item["modified"] = _write_time(entry.updated)
    if entry.due:
        item["due"] = _write_time(entry.due)
        if entry.due.endswith("T00:00:00"):
            left.append(Left(entry.line, "midnight", entry.title))
    if entry.status == "done":
        item["end"] = _write_time(entry.completed or entry.updated or created)
    if entry.status == "doing":
        item["start"] = _write_time(entry.updated or created)
    _write_words(entry, item, created, left)
    return {**item, **({"recur": recur} if recur else {}), **({"partof": entry.parent} if entry.parent else {})}


def _write_words(entry: Entry, item: dict[str, Any], created: str, left: list[Left]) -> None:
    projects = [tag for tag in entry.tags if tag.startswith("+") and len(tag) > 1]
    if len(projects) == 1:
        item["project"] = projects[0][1:]
    tags = [tag for tag in entry.tags if [tag] != projects]
    left += [Left(entry.line, "tag_changed", tag) for tag in tags if " " in tag]
    if tags:
        item["tags"] = ["_".join(tag.split()) for tag in tags]
    if entry.notes:
        item["annotations"] = [{"entry": _write_time(created), "description": part} for part in entry.notes.split("\n")]
    if entry.estimated_minutes:
        item["estimated_minutes"] = entry.estimated_minutes


def _recur(entry: Entry, left: list[Left]) -> str:
    if not entry.rrule or entry.status == "done":
        return ""
    recur = recur_of_rrule(entry.rrule, entry.due)
    if not recur:
        left.append(Left(entry.line, "rule", entry.rrule))
    return recur
