"""todo.txt: one task a line. `(A) 2026-10-10 Call +family @phone due:2026-10-15`, done ones begin with `x DATE`.

Priorities: A is high, B medium, C to Z low. @context becomes the tag "context", +project the tag "+project", so that both find their way
back. A date has no time in this format: `at:15:00` stands beside `due:`, and a reader that does not know it still has the right day.
Our own words, beside the usual `due:`, `t:`, `rec:` and `pri:`, are `at:`, `est:90m` and `status:doing`. Any other word with a colon is text.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import time

from taskbook.formats.entry import (
    MAX_MINUTES,
    BadEntry,
    Entry,
    Left,
    Reading,
    Written,
    check_count,
    clean_tags,
    clean_title,
    read_date,
)
from taskbook.formats.recurrence import rec_of_rrule, rrule_of_rec

MAX_LINE = 10_000  # characters: the longest title, fifty tags and every key stay far below
_DATE = r"\d{4}-\d{2}-\d{2}"
_HEAD = re.compile(rf"(?P<done>[xX]\s+)?(?:\((?P<priority>[A-Z])\)\s+)?(?:(?P<first>{_DATE})(?:\s+|$))?(?:(?P<second>{_DATE})(?:\s+|$))?")
_DUE = re.compile(rf"due:({_DATE})(?:[T_](\d{{2}}:\d{{2}})(?::\d{{2}})?)?", re.IGNORECASE)
_AT = re.compile(r"at:(\d{2}:\d{2}(?::\d{2})?)", re.IGNORECASE)
_THRESHOLD = re.compile(rf"t:({_DATE})", re.IGNORECASE)
_REC = re.compile(r"rec:(\+?\d{0,3}[dwmyb])", re.IGNORECASE)
_PRI = re.compile(r"pri:([A-Z])", re.IGNORECASE)
_EST = re.compile(r"est:(\d{1,4})m", re.IGNORECASE)
_DOING = re.compile(r"status:doing")
_TAG = re.compile(r"[+@]\S+")
_LETTERS = {"high": "A", "medium": "B", "low": "C"}


@dataclass
class _Words:
    """What the words behind the head of a line say, while they are read."""

    line: int
    title: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    due: str = ""
    clock: str = ""
    threshold: str = ""
    rec: str = ""
    letter: str = ""
    minutes: int | None = None
    doing: bool = False


def read(text: str) -> Reading:
    """The tasks of a file; empty lines count but say nothing. Raises BadEntry."""
    entries: list[Entry] = []
    left: list[Left] = []
    for line, content in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        if len(content) > MAX_LINE:
            raise BadEntry(line, "title_long", content[:100])
        if content.strip():
            entries.append(_read_line(line, content.strip(), left))
            check_count(entries, line)
    return Reading(entries, left)


def write(entries: Sequence[Entry]) -> Written:
    """The file. What the format has no place for is left out and named; a title that would be read otherwise is named too."""
    left: list[Left] = []
    lines = []
    for entry in entries:
        line = _write_line(entry, left)
        lines.append(line)
        back = _read_line(entry.line, line, [])
        if (back.title, set(back.tags), back.due) != (entry.title, {_word(tag) for tag in entry.tags}, entry.due):
            left.append(Left(entry.line, "reads_otherwise", entry.title))
    return Written("".join(f"{line}\n" for line in lines), left)


def _read_line(line: int, text: str, left: list[Left]) -> Entry:
    head = _HEAD.match(text)
    assert head is not None  # every part of it may be absent
    words = _read_words(line, text[head.end():].split())
    done = bool(head["done"])
    first, second = (read_date(line, day) if day else None for day in (head["first"], head["second"]))
    completed, created = (first, second) if done else (None, first)
    if second and not done:  # an open task has one date of its own: the second is the beginning of its text
        words.title.insert(0, head["second"])
    letter = (head["priority"] or words.letter or "").upper()
    due = _due(words)
    return Entry(
        line=line, title=clean_title(line, " ".join(words.title) or text[head.end():]),
        priority={"": "medium", "A": "high", "B": "medium"}.get(letter, "low"),
        status="done" if done else "doing" if words.doing else "todo", due=due, tags=clean_tags(line, words.tags),
        notes=_threshold(words, left), estimated_minutes=words.minutes, rrule=_rule(words, due, left),
        created=created and f"{created}T00:00:00", completed=completed and f"{completed}T00:00:00")


def _read_words(line: int, words: list[str]) -> _Words:
    """Tags behind the text are taken out of it; a tag in the middle of a sentence is a word of it as well."""
    found = _Words(line)
    rest = [word for word in words if not _read_key(found, word)]
    text_ends = max((index + 1 for index, word in enumerate(rest) if not _TAG.fullmatch(word)), default=0)
    found.title = rest[:text_ends]
    found.tags = [word[1:] if word[0] == "@" else word for word in rest if _TAG.fullmatch(word)]
    return found


def _read_key(found: _Words, word: str) -> bool:
    """Whether the word is one of the keys that mean something here; each counts once, a second one is text."""
    if (match := _DUE.fullmatch(word)) and not found.due:
        found.due, found.clock = match[1], match[2] or found.clock
    elif (match := _AT.fullmatch(word)) and not found.clock:
        found.clock = match[1]
    elif (match := _THRESHOLD.fullmatch(word)) and not found.threshold:
        found.threshold = match[1]
    elif (match := _REC.fullmatch(word)) and not found.rec:
        found.rec = match[1].lower()
    elif (match := _PRI.fullmatch(word)) and not found.letter:
        found.letter = match[1]
    elif (match := _EST.fullmatch(word)) and found.minutes is None and 1 <= int(match[1]) <= MAX_MINUTES:
        found.minutes = int(match[1])
    elif _DOING.fullmatch(word) and not found.doing:
        found.doing = True
    else:
        return False
    return True


def _due(words: _Words) -> str | None:
    if not words.due:
        if words.clock:  # a time without a day is no deadline
            words.title.append(f"at:{words.clock}")
        return None
    day = read_date(words.line, words.due)
    if not words.clock:
        return day
    try:
        return f"{day}T{time.fromisoformat(words.clock).isoformat()}"
    except ValueError:
        raise BadEntry(words.line, "bad_date", f"{words.due} {words.clock}") from None


def _threshold(words: _Words, left: list[Left]) -> str:
    if not words.threshold:
        return ""
    day = read_date(words.line, words.threshold)
    left.append(Left(words.line, "kept_in_notes", f"t:{day}"))
    return f"t:{day}"


def _rule(words: _Words, due: str | None, left: list[Left]) -> str:
    if not words.rec:
        return ""
    if due is None:
        left.append(Left(words.line, "rule_without_due", f"rec:{words.rec}"))
        return ""
    if not words.rec.startswith("+"):
        left.append(Left(words.line, "rule_from_due", f"rec:{words.rec}"))
    return rrule_of_rec(words.rec.lstrip("+"))


def _word(tag: str) -> str:
    return "_".join(tag.split())


def _write_line(entry: Entry, left: list[Left]) -> str:
    letter = _LETTERS[entry.priority]
    created = (entry.created or entry.completed or "")[:10]
    if entry.status == "done":
        completed = (entry.completed or entry.updated or entry.created or "")[:10]
        parts = ["x", completed, created or completed]
        keys = [f"pri:{letter}"]
    else:
        parts, keys = [f"({letter})", created], []
    present = set(entry.title.split())
    marks = [_word(tag) if tag.startswith("+") and len(tag) > 1 else f"@{_word(tag)}" for tag in entry.tags]
    left += [Left(entry.line, "tag_changed", tag) for tag in entry.tags if _word(tag) != tag]
    keys += _keys(entry, left)
    return " ".join(part for part in [*parts, entry.title, *(mark for mark in marks if mark not in present), *keys] if part)


def _keys(entry: Entry, left: list[Left]) -> list[str]:
    keys = []
    if entry.due:
        keys.append(f"due:{entry.due[:10]}")
        if "T" in entry.due:
            keys.append(f"at:{entry.due[11:16] if entry.due.endswith(':00') else entry.due[11:]}")
    if entry.estimated_minutes:
        keys.append(f"est:{entry.estimated_minutes}m")
    if entry.status == "doing":
        keys.append("status:doing")
    keys += _rule_key(entry, left)
    lines = entry.notes.splitlines()
    threshold = next((part for part in lines if _THRESHOLD.fullmatch(part)), "")
    if threshold:
        keys.append(threshold)
        lines.remove(threshold)
    if any(part.strip() for part in lines):
        left.append(Left(entry.line, "notes", entry.title))
    if entry.parent:
        left.append(Left(entry.line, "parent", entry.title))
    return keys


def _rule_key(entry: Entry, left: list[Left]) -> list[str]:
    if not entry.rrule or entry.status == "done":
        return []
    rec = rec_of_rrule(entry.rrule, entry.due)
    if not rec:
        left.append(Left(entry.line, "rule", entry.rrule))
        return []
    return [f"rec:+{rec}"]
