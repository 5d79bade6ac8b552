"""What every format reads into and writes from: one plain record of a task, and what could not be carried over."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timezone

from taskbook.contract import TodoError
from taskbook.plain_text import CONTROL, is_visible, one_line, several_lines
from taskbook.words import say

MAX_TASKS = 10_000
MAX_TITLE, MAX_NOTES, MAX_TAG, MAX_TAGS, MAX_UID = 500, 10_000, 50, 50, 255
MAX_MINUTES = 1440
YEARS = range(1970, 2201)


@dataclass(frozen=True)
class Entry:
    """One task. `line` is its place in the file (its id on the way out). `due` is "YYYY-MM-DD" or local "YYYY-MM-DDTHH:MM:SS"; the other
    times are local and always have a clock time. `rrule` is a recurrence in the words of RFC 5545; `parent` is the uid of the whole."""

    line: int
    title: str
    priority: str = "medium"
    status: str = "todo"
    due: str | None = None
    tags: tuple[str, ...] = ()
    notes: str = ""
    estimated_minutes: int | None = None
    created: str | None = None
    updated: str | None = None
    completed: str | None = None
    uid: str = ""
    parent: str = ""
    rrule: str = ""


@dataclass(frozen=True)
class Left:
    """Something that the other side cannot hold: exchange.left_KIND says what, `detail` fills the sentence in."""

    line: int
    kind: str
    detail: str = ""


@dataclass(frozen=True)
class Reading:
    """What a file says."""

    entries: list[Entry]
    left: list[Left]


@dataclass(frozen=True)
class Written:
    """The text of a file."""

    text: str
    left: list[Left]


@dataclass(frozen=True)
class Reason:
    """A sentence that is said in the language of whoever reads it."""

    key: str
    value: str = ""

    def say(self, lang: str) -> str:
        """The sentence."""
        return say(f"exchange.{self.key}", lang, value=self.value)


class BadEntry(TodoError):
    """An entry that cannot be taken over as it stands; nothing of the file is."""

    def __init__(self, line: int, key: str, value: str = "") -> None:
        super().__init__("invalid_argument", "exchange.bad_entry", line=line, reason=Reason(key, shorten(value)))
        self.line = line


def shorten(text: str, limit: int = 50) -> str:
    """One printable line of at most `limit` characters."""
    flat = one_line(text)
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def clean_line(line: int, text: str, limit: int, key: str) -> str:
    """One line of text without characters that are none. Raises BadEntry when it is longer than `limit`."""
    flat = one_line(text)
    if len(flat) > limit:
        raise BadEntry(line, f"{key}_long", flat)
    return flat


def clean_title(line: int, text: str) -> str:
    """The title in one line. Raises BadEntry when there is none, or when it is too long."""
    title = clean_line(line, text, MAX_TITLE, "title")
    if not is_visible(title):
        raise BadEntry(line, "no_title")
    return title


def clean_notes(line: int, text: str) -> str:
    """Notes keep their lines. Raises BadEntry when they are too long."""
    joined = several_lines(text)
    if len(joined) > MAX_NOTES:
        raise BadEntry(line, "notes_long", joined)
    return joined


def clean_tags(line: int, words: Sequence[str]) -> tuple[str, ...]:
    """Each tag once, in order, without # before it. Raises BadEntry when there are too many or one is too long."""
    tags = tuple(dict.fromkeys(tag for tag in (clean_line(line, word.lstrip("#＃ "), MAX_TAG, "tag") for word in words) if tag))
    if len(tags) > MAX_TAGS:
        raise BadEntry(line, "many_tags", str(len(tags)))
    return tags


def clean_uid(line: int, text: str) -> str:
    """The foreign identity as it stands, or BadEntry: a shortened one would be another one."""
    if len(text) > MAX_UID or CONTROL.search(text):
        raise BadEntry(line, "bad_uid", text)
    return text


def read_date(line: int, text: str) -> str:
    """ "YYYY-MM-DD" of a day that exists, in the years that the list keeps."""
    try:
        day = date(*(int(part) for part in text.split("-")))
    except (ValueError, TypeError, OverflowError):
        raise BadEntry(line, "bad_date", text) from None
    if day.year not in YEARS:
        raise BadEntry(line, "bad_date", text)
    return day.isoformat()


def to_local(line: int, moment: datetime, text: str) -> str:
    """A moment with a zone as local time "YYYY-MM-DDTHH:MM:SS"; a naive one is local already."""
    try:
        local = moment if moment.tzinfo is None else moment.astimezone().replace(tzinfo=None)
    except (OverflowError, OSError, ValueError):
        raise BadEntry(line, "bad_date", text) from None
    if local.year not in YEARS:
        raise BadEntry(line, "bad_date", text)
    return local.replace(microsecond=0).isoformat()


def to_utc(local: str) -> datetime:
    """Local "YYYY-MM-DD" (its first moment) or "YYYY-MM-DDTHH:MM:SS" as a moment in UTC."""
    return datetime.fromisoformat(local).astimezone(timezone.utc)


def check_count(entries: Sequence[object], line: int) -> None:
    """Raises BadEntry at the first task too many."""
    if len(entries) > MAX_TASKS:
        raise BadEntry(line, "too_many", f"{MAX_TASKS:,}")


def fingerprints(entries: Sequence[Entry]) -> list[str]:
    """An identity for each task of a file that knows none: what the line says, and the how-manieth line it is to say so."""
    from hashlib import sha256

    seen: dict[str, int] = {}
    identities = []
    for entry in entries:
        said = sha256(repr(replace(entry, line=0, tags=tuple(sorted(entry.tags)))).encode()).hexdigest()[:32]
        seen[said] = seen.get(said, 0) + 1
        identities.append(f"{said}-{seen[said]}")
    return identities
