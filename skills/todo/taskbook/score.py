"""The priority score of a task: a sum of parts, each with its reason in words.

Hours count from now to the effective deadline: a timed due is itself, a date alone counts until the end of its day. Points stand in the
reasons with their sign, so that the reasons of a task add up to its score.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from taskbook.words import say

PRIORITY = {"high": 40, "medium": 25, "low": 10}
OVERDUE = ("overdue", 45)
NEAR = ((12, "hours_12", 40), (24, "hours_24", 34), (48, "days_2", 28), (72, "days_3", 22), (168, "week", 14))  # within so many hours
FAR = ("far", 10)  # a dated task must not fall below an undated one
UNDATED = ("undated", 8)
DOING, COMBO, LONG = 6, 8, -3
COMBO_HOURS = 24
LONG_MINUTES = 120
_ORDER = {"high": 0, "medium": 1, "low": 2}
Place = tuple[int, datetime, int, float, int]  # of a task in the ranking: the smallest is first


class Scorable(Protocol):
    """What a score needs to know of a task."""

    @property
    def id(self) -> int: ...
    @property
    def priority(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def estimated_minutes(self) -> int | None: ...
    @property
    def deadline(self) -> datetime | None: ...


T = TypeVar("T", bound=Scorable)


@dataclass(frozen=True)
class Scored(Generic[T]):
    """A task with its score and the reasons that add up to it."""

    task: T
    score: int
    reasons: list[str]


def score(task: T, now: datetime, lang: str) -> Scored[T]:
    """The score of one task at the moment `now`, with its reasons in `lang`."""
    parts = _parts(task, now)
    reasons = [say("score.reason", lang, what=say(f"score.{name}", lang), points=_signed(points)) for name, points in parts]
    return Scored(task, sum(points for _, points in parts), reasons)


def ranked(tasks: Iterable[T], now: datetime, lang: str) -> list[Scored[T]]:
    """The open ones among `tasks`, best first, in the order of `place`."""
    return sorted((score(task, now, lang) for task in tasks if task.status != "done"), key=lambda one: place(one.task, one.score))


def points(task: Scorable, now: datetime) -> int:
    """The score alone."""
    return sum(value for _, value in _parts(task, now))


def place(task: Scorable, scored: int) -> Place:
    """What orders a task of that score among others: score, then deadline (none last), priority, length (none last), id."""
    minutes = task.estimated_minutes
    return (-scored, task.deadline or datetime.max, _ORDER[task.priority], float("inf") if minutes is None else minutes, task.id)


def _parts(task: Scorable, now: datetime) -> list[tuple[str, int]]:
    parts = [(task.priority, PRIORITY[task.priority]), _urgency(task.deadline, now)]
    if task.status == "doing":
        parts.append(("doing", DOING))
    if task.priority == "high" and task.deadline is not None and task.deadline <= now + timedelta(hours=COMBO_HOURS):
        parts.append(("combo", COMBO))
    if (task.estimated_minutes or 0) > LONG_MINUTES:
        parts.append(("long", LONG))
    return parts


def _urgency(deadline: datetime | None, now: datetime) -> tuple[str, int]:
    if deadline is None:
        return UNDATED
    if deadline < now:
        return OVERDUE
    return next(((name, points) for hours, name, points in NEAR if deadline <= now + timedelta(hours=hours)), FAR)


def _signed(points: int) -> str:
    return f"+{points}" if points >= 0 else f"−{-points}"
