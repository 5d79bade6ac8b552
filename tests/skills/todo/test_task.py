"""How a task and its deadline read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from taskbook.task import due_display, find, line

NOW = datetime(2026, 10, 14, 8, 30)


@pytest.mark.parametrize(
    ("due", "zh", "en"),
    [
        ("2026-10-13", "昨天", "yesterday"),
        ("2026-10-14", "今天", "today"),
        ("2026-10-15T15:00:00", "明天 15:00", "tomorrow 15:00"),
        ("2026-10-16", "后天", "day after tomorrow"),
        ("2026-10-17T09:05:00", "周六 09:05", "Sat 09:05"),
        ("2026-10-20", "周二", "Tue"),
        ("2026-10-21", "10月21日", "21 Oct"),
        ("2026-10-12", "10月12日", "12 Oct"),
        ("2027-01-02T00:00:00", "2027年1月2日 00:00", "2 Jan 2027"[:10] + " 00:00"),
    ],
)
def test_a_deadline_reads_as_a_person_says_it(due: str, zh: str, en: str) -> None:
    assert (due_display(due, NOW, "zh"), due_display(due, NOW, "en")) == (zh, en)


def test_a_task_reads_in_one_line(call: Any, ctx: Any) -> None:
    call("add_task", title="交作业", priority="高", due_date="明天下午3点", estimated_minutes=60, tags=["学校"], status="doing")
    task = find(ctx().store, 1)
    assert line(task, NOW, "zh") == "#1 交作业（高，进行中，截止 明天 15:00，60 分钟，#学校）"
    assert line(task, NOW, "en") == "#1 交作业 (high, in progress, due tomorrow 15:00, 60 min, #学校)"
