"""The priority score: its table, its golden values, and that the reasons add up to it."""
from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taskbook.score import ranked, score

NOW = datetime(2026, 10, 14, 8, 30)


@dataclass(frozen=True)
class Row:
    """What a score looks at."""

    id: int = 1
    priority: str = "medium"
    status: str = "todo"
    estimated_minutes: int | None = None
    deadline: datetime | None = None


def due(**distance: float) -> datetime:
    return NOW + timedelta(**distance)


moments = st.one_of(st.none(), st.integers(-400_000, 900_000).map(lambda seconds: NOW + timedelta(seconds=seconds)),
                    st.sampled_from([0, 12, 24, 48, 72, 168]).flatmap(lambda h: st.integers(-1, 1).map(lambda s: due(hours=h, seconds=s))))
rows = st.builds(Row, id=st.integers(1, 10_000), priority=st.sampled_from(["high", "medium", "low"]),
                 status=st.sampled_from(["todo", "doing", "done"]), estimated_minutes=st.one_of(st.none(), st.sampled_from([1, 120, 121, 1440])),
                 deadline=moments)


def test_high_and_begun_and_due_within_the_hour_is_94() -> None:
    scored = score(Row(priority="high", status="doing", deadline=due(minutes=49)), NOW, "zh")
    assert scored.score == 94
    assert scored.reasons == ["高优先级 +40", "12 小时内到期 +40", "进行中 +6", "高优且临期 +8"]


def test_high_and_due_within_twelve_hours_is_88_with_its_reasons() -> None:
    scored = score(Row(priority="high", deadline=due(hours=3.5)), NOW, "zh")
    assert (scored.score, scored.reasons) == (88, ["高优先级 +40", "12 小时内到期 +40", "高优且临期 +8"])


@pytest.mark.parametrize(("deadline", "points", "reason"), [
    (due(seconds=-1), 45, "已逾期 +45"), (NOW, 40, "12 小时内到期 +40"), (due(hours=12), 40, "12 小时内到期 +40"),
    (due(hours=12, seconds=1), 34, "24 小时内到期 +34"), (due(hours=24), 34, "24 小时内到期 +34"), (due(hours=48), 28, "2 天内到期 +28"),
    (due(hours=72), 22, "3 天内到期 +22"), (due(hours=168), 14, "1 周内到期 +14"), (due(hours=168, seconds=1), 10, "期限较远 +10"),
    (None, 8, "无期限 +8")])
def test_urgency_follows_the_hours_left_bounds_included(deadline: datetime | None, points: int, reason: str) -> None:
    scored = score(Row(priority="low", deadline=deadline), NOW, "zh")
    assert scored.score == 10 + points and scored.reasons == ["低优先级 +10", reason]


@pytest.mark.parametrize(("row", "combo"), [
    (Row(priority="high", deadline=due(hours=24)), True), (Row(priority="high", deadline=due(hours=24, seconds=1)), False),
    (Row(priority="high", deadline=due(days=-9)), True), (Row(priority="high"), False), (Row(priority="medium", deadline=due(hours=1)), False)])
def test_only_what_is_high_and_near_or_overdue_gets_the_combo(row: Row, combo: bool) -> None:
    assert ("高优且临期 +8" in score(row, NOW, "zh").reasons) is combo


def test_more_than_two_hours_of_work_costs_three_points_and_exactly_two_hours_nothing() -> None:
    assert "预计超过 2 小时 −3" in score(Row(estimated_minutes=121), NOW, "zh").reasons
    assert score(Row(estimated_minutes=120), NOW, "zh").score - score(Row(estimated_minutes=121), NOW, "zh").score == 3


@given(rows, st.sampled_from(["zh", "en"]))
def test_the_numbers_in_the_reasons_add_up_to_the_score(row: Row, lang: str) -> None:
    scored = score(row, NOW, lang)
    numbers = [re.search(r" ([+−])(\d+)$", reason) for reason in scored.reasons]
    assert all(numbers)
    assert sum(int(number[2]) * (1 if number[1] == "+" else -1) for number in numbers if number) == scored.score


def test_equal_scores_are_ordered_by_deadline_then_priority_then_length_then_id() -> None:
    first = Row(id=9, deadline=due(hours=1))
    by_deadline = [Row(id=1, deadline=due(hours=2)), first]
    assert [item.task.id for item in ranked(by_deadline, NOW, "zh")] == [9, 1]
    undated_high = Row(id=5, priority="high", estimated_minutes=500)  # 40 + 8 − 3 = 45
    dated_medium = Row(id=6, deadline=due(days=4), status="doing")  # 25 + 14 + 6 = 45
    assert [item.task.id for item in ranked([undated_high, dated_medium], NOW, "zh")] == [6, 5]
    short, long, unknown = Row(id=8, estimated_minutes=10), Row(id=7, estimated_minutes=20), Row(id=6)
    assert [item.task.id for item in ranked([unknown, long, short], NOW, "zh")] == [8, 7, 6]
    assert [item.task.id for item in ranked([Row(id=2), Row(id=1)], NOW, "zh")] == [1, 2]


def test_done_tasks_never_appear() -> None:
    assert [item.task.id for item in ranked([Row(id=1, status="done"), Row(id=2)], NOW, "zh")] == [2]
