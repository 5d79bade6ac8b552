"""The planner: which task when, inside one day. Pure: whole minutes from the midnight of the day in, slots out; the same in, the same out.

A task takes the first gap, in the order of the ranks, that is long enough and ends before its deadline. Tasks are not split. Between two
tasks of one interval lies a break; none is needed before the first, nor before lunch or the end of the day.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

DAY = 24 * 60
MARK = 10  # a day under way begins at the next full ten minutes
LITTLE = 10  # with less than this left, another day is suggested

Interval = tuple[int, int]


@dataclass(frozen=True)
class Window:
    """A working day in minutes from midnight. lunch_start == lunch_end: no lunch. `aligned`: the present moment moved the start."""

    start: int
    end: int
    lunch_start: int
    lunch_end: int
    aligned: bool = False

    def free(self) -> list[Interval]:
        """The intervals that tasks may take, in time order, none empty."""
        noon, after = max(self.start, self.lunch_start), min(self.end, self.lunch_end)
        parts = [(self.start, self.end)] if noon >= after else [(self.start, noon), (after, self.end)]
        return [(start, end) for start, end in parts if start < end]


@dataclass(frozen=True)
class Job:
    """A task to place. `deadline`: minutes from the midnight of the day, negative before it, None without one."""

    task_id: int
    minutes: int
    deadline: int | None = None


@dataclass(frozen=True)
class Slot:
    """A placed job."""

    job: Job
    start: int

    @property
    def end(self) -> int:
        """The first minute after it."""
        return self.start + self.job.minutes


@dataclass(frozen=True)
class Left:
    """A job that does not fit. code: deadline, too_long (longer than `longest` minutes, the longest interval), no_room."""

    job: Job
    code: str
    longest: int


@dataclass(frozen=True)
class Plan:
    """slots in time order; left in the order of the ranks; capacity and planned in minutes, breaks not counted."""

    slots: list[Slot] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    capacity: int = 0

    @property
    def planned(self) -> int:
        """Minutes of all placed jobs."""
        return sum(slot.job.minutes for slot in self.slots)

    @property
    def utilization(self) -> float:
        """Planned of capacity in %, one decimal; 0.0 for a day without capacity."""
        return round(100 * self.planned / self.capacity, 1) if self.capacity else 0.0

    @property
    def hopeless(self) -> bool:
        """Nothing could be placed, or there is no time to speak of: another day is the better idea."""
        return self.capacity < LITTLE or bool(self.left and not self.slots)


def align(window: Window, second: float) -> Window:
    """The window of a day under way, `second` seconds after its midnight: it starts at the next ten-minute mark, or later as it was."""
    mark = -int(-second // (60 * MARK)) * MARK
    return window if mark <= window.start else Window(mark, window.end, window.lunch_start, window.lunch_end, aligned=True)


def plan(jobs: Sequence[Job], window: Window, rest: int) -> Plan:
    """First fit, in the order of `jobs`, with `rest` minutes of break between two jobs of one interval."""
    intervals = window.free()
    longest = max((end - start for start, end in intervals), default=0)
    nexts = [start for start, _ in intervals]
    slots: list[Slot] = []
    left: list[Left] = []
    for job in jobs:
        fits = [index for index, (_, end) in enumerate(intervals) if nexts[index] + job.minutes <= end]
        timely = next((index for index in fits if job.deadline is None or nexts[index] + job.minutes <= job.deadline), None)
        if timely is None:
            left.append(Left(job, _why(job, window, longest, bool(fits)), longest))
            continue
        slots.append(Slot(job, nexts[timely]))
        nexts[timely] += job.minutes + rest
    return Plan(sorted(slots, key=lambda slot: slot.start), left, sum(end - start for start, end in intervals))


def _why(job: Job, window: Window, longest: int, fits: bool) -> str:
    """The first reason that applies, as people would give it."""
    if job.deadline is not None and job.deadline <= window.start:
        return "deadline"
    if 0 < longest < job.minutes:  # of a day without any free interval one says that there is no room
        return "too_long"
    return "deadline" if fits else "no_room"
