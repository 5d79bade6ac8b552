"""The planner alone: its window, its first fit, its reasons, and what must hold whatever the day looks like."""
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taskbook.plan import DAY, Job, Window, align, plan

WORKDAY = Window(540, 1080, 720, 810)


def placed(jobs: list[Job], window: Window = WORKDAY, rest: int = 10) -> list[tuple[int, int, int]]:
    return [(slot.job.task_id, slot.start, slot.end) for slot in plan(jobs, window, rest).slots]


def why(jobs: list[Job], window: Window = WORKDAY) -> dict[int, str]:
    return {left.job.task_id: left.code for left in plan(jobs, window, 10).left}


@pytest.mark.parametrize(("window", "free"), [
    (WORKDAY, [(540, 720), (810, 1080)]),
    (Window(540, 1080, 720, 720), [(540, 1080)]),  # lunch of no length is no lunch
    (Window(540, 1080, 1200, 1260), [(540, 1080)]),  # lunch after the window
    (Window(540, 1080, 300, 400), [(540, 1080)]),  # lunch before it
    (Window(540, 1080, 500, 1100), []),  # lunch all day
    (Window(540, 1080, 540, 600), [(600, 1080)]),
    (Window(540, 1080, 1020, 1080), [(540, 1020)]),
    (Window(750, 1080, 720, 810), [(810, 1080)]),  # begins inside lunch
    (Window(540, 750, 720, 810), [(540, 720)]),  # ends inside it
    (Window(1090, 1080, 720, 810), []),  # the day is over
    (Window(0, DAY, 720, 720), [(0, DAY)])])
def test_free_time_is_the_window_without_lunch(window: Window, free: list[tuple[int, int]]) -> None:
    assert window.free() == free


@pytest.mark.parametrize(("second", "start", "aligned"), [
    (17 * 3600 + 11 * 60, 17 * 60 + 20, True), (17 * 3600 + 20 * 60, 17 * 60 + 20, True), (17 * 3600 + 20 * 60 + 1, 17 * 60 + 30, True),
    (8 * 3600, 540, False), (9 * 3600, 540, False), (9 * 3600 + 1, 550, True), (DAY * 60 - 1, DAY, True)])
def test_a_day_under_way_starts_at_the_next_ten_minute_mark(second: float, start: int, aligned: bool) -> None:
    window = align(WORKDAY, second)
    assert (window.start, window.aligned, window.end) == (start, aligned, 1080)


def test_a_later_short_task_takes_the_gap_that_a_long_one_left() -> None:
    assert placed([Job(1, 100), Job(2, 200), Job(3, 60)]) == [(1, 540, 640), (3, 650, 710), (2, 810, 1010)]


def test_no_break_is_needed_at_the_end_of_an_interval_nor_before_its_first_task() -> None:
    assert placed([Job(1, 85), Job(2, 85), Job(3, 270)]) == [(1, 540, 625), (2, 635, 720), (3, 810, 1080)]


def test_without_a_break_tasks_follow_each_other() -> None:
    assert placed([Job(1, 90), Job(2, 90)], rest=0) == [(1, 540, 630), (2, 630, 720)]


def test_a_deadline_may_be_met_to_the_minute() -> None:
    assert placed([Job(1, 60, 600)]) == [(1, 540, 600)]
    assert why([Job(1, 61, 600)]) == {1: "deadline"}


def test_reasons_come_in_their_order() -> None:
    full = [Job(1, 180), Job(2, 270)]
    assert why([Job(3, 300, 500)]) == {3: "deadline"}  # before the window, though too long as well
    assert why([Job(3, 300, 700)]) == {3: "too_long"}
    assert why([Job(1, 180), Job(3, 60, 720)]) == {3: "deadline"}  # the afternoon would have room
    assert why([*full, Job(3, 30)]) == {3: "no_room"}
    assert why([*full, Job(3, 30, DAY)]) == {3: "no_room"}


def test_a_day_that_is_over_has_no_room_and_says_so_of_every_task() -> None:
    over = plan([Job(1, 1), Job(2, DAY), Job(3, 30, 1080)], Window(1090, 1080, 720, 810), 10)
    assert [left.code for left in over.left] == ["no_room", "no_room", "deadline"]
    assert (over.capacity, over.utilization, over.planned, over.hopeless) == (0, 0.0, 0, True)


def test_one_minute_and_a_whole_day_both_fit_their_windows() -> None:
    assert placed([Job(1, 1)], Window(540, 541, 0, 0)) == [(1, 540, 541)]
    assert placed([Job(1, DAY, DAY)], Window(0, DAY, 720, 720)) == [(1, 0, DAY)]


def test_a_day_with_room_and_no_tasks_is_not_hopeless() -> None:
    assert not plan([], WORKDAY, 10).hopeless and plan([], Window(540, 549, 0, 0), 10).hopeless


minutes = st.integers(0, DAY)
windows = st.builds(lambda a, b, c, d: Window(*sorted((a, b)), *sorted((c, d))), minutes, minutes, minutes, minutes)
jobs = st.lists(st.tuples(st.integers(1, DAY) | st.integers(1, 90), st.none() | st.integers(-500, 2 * DAY)), max_size=25).map(
    lambda pairs: [Job(number, length, deadline) for number, (length, deadline) in enumerate(pairs, 1)])


@given(jobs, windows, st.integers(0, 240))
def test_whatever_the_day_is_like_the_plan_keeps_its_promises(todo: list[Job], window: Window, rest: int) -> None:
    made = plan(todo, window, rest)
    slots = made.slots
    assert slots == sorted(slots, key=lambda slot: slot.start)
    for slot in slots:
        assert window.start <= slot.start < slot.end <= window.end
        assert slot.end <= window.lunch_start or slot.start >= window.lunch_end or window.lunch_start == window.lunch_end
        assert slot.job.deadline is None or slot.end <= slot.job.deadline
    for before, after in zip(slots, slots[1:], strict=False):
        assert before.end <= after.start
        apart_by_lunch = before.end <= window.lunch_start < window.lunch_end <= after.start
        assert after.start - before.end >= rest or apart_by_lunch
    assert sorted([slot.job.task_id for slot in slots] + [left.job.task_id for left in made.left]) == [job.task_id for job in todo]
    assert made.capacity == sum(end - start for start, end in window.free()) and made.planned <= made.capacity
    assert 0 <= made.utilization <= 100
    assert plan(todo, window, rest) == made


@given(jobs, windows, st.integers(0, 240))
def test_what_is_left_out_could_not_have_been_placed_at_the_end_of_any_interval(todo: list[Job], window: Window, rest: int) -> None:
    made = plan(todo, window, rest)
    for left in made.left:
        for start, end in window.free():
            inside = [slot.end + rest for slot in made.slots if start <= slot.start < end]
            first = max(inside, default=start)
            assert first + left.job.minutes > min(end, DAY * 2 if left.job.deadline is None else left.job.deadline)
