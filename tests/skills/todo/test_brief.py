"""The day in brief: its parts, where the city is from, and that neither the weather nor the working hours can spoil it."""
from __future__ import annotations

import time
from typing import Any

import pytest
from taskbook import brief as brief_module

from tests.skills.todo.weather_stub import Stub


@pytest.fixture(autouse=True)
def service(weather: Stub) -> Stub:
    """Every test has the service running."""
    return weather


def test_the_brief_reads_as_one_page(call: Any) -> None:
    call("add_tasks", tasks=[{"title": "旧账", "due_date": "昨天下午6点", "estimated_minutes": 30},
                             {"title": "开会", "due_date": "今天下午3点", "priority": "high", "estimated_minutes": 60}])
    brief = call("generate_daily_brief", city="上海")
    assert brief["text"] == "\n".join([
        "# 今天简报（2026-10-14）", "", "上海今天：晴，10–20 °C，降水概率 5%，风速 8 公里/小时", "未完成 2（进行中 0），逾期 1，今天完成 0",
        "", "## 已逾期", "- #1 旧账（中，已逾期，截止 昨天 18:00，30 分钟）", "", "## 今天到期", "- #2 开会（高，截止 今天 15:00，60 分钟）",
        "", "## 优先做", "1. #2「开会」：88 分（高优先级 +40，12 小时内到期 +40，高优且临期 +8）", "2. #1「旧账」：70 分（中优先级 +25，已逾期 +45）",
        "", "## 安排（利用率 13.3%）", "- 09:00–10:00  #2 开会（88 分：高优先级 +40，12 小时内到期 +40，高优且临期 +8）"])
    assert brief["plan"]["unscheduled"] == 1 and [task["id"] for task in brief["overdue"]] == [1]
    assert [one["score"] for one in brief["top"]] == [88, 70]


def test_the_city_is_the_one_named_then_the_remembered_then_the_configured(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (call("generate_daily_brief")["city_source"], call("generate_daily_brief")["weather"]) == ("none", None)
    monkeypatch.setenv("TODO_CITY", "广州")
    assert call("generate_daily_brief")["city_source"] == "configured"
    call("remember_preference", key="default_city", value="上海")
    remembered = call("generate_daily_brief")
    assert (remembered["city_source"], remembered["weather"]["city"]) == ("preference", "上海")
    named = call("generate_daily_brief", city="北京", lang="en")
    assert (named["city_source"], named["weather"]["city"]) == ("argument", "Beijing") and "Beijing, today: clear" in named["text"]


def test_a_past_day_has_no_plan_and_another_day_its_own(call: Any) -> None:
    call("add_task", title="a", due_date="明天", estimated_minutes=30)
    assert call("generate_daily_brief", date="昨天")["plan"] is None
    tomorrow = call("generate_daily_brief", date="明天")
    assert tomorrow["text"].startswith("# 明天简报（2026-10-15）") and [task["id"] for task in tomorrow["today"]] == [1]
    assert tomorrow["plan"]["schedule"][0]["start"] == "09:00"


def test_only_the_first_three_slots_are_told_and_the_rest_is_counted(call: Any) -> None:
    call("add_tasks", tasks=[{"title": f"任务{n}", "estimated_minutes": 30} for n in range(150)])
    brief = call("generate_daily_brief")
    assert len(brief["plan"]["schedule"]) == 3 and len(brief["top"]) == 3 and len(brief["text"].splitlines()) < 30
    planned = call("plan_day")
    assert brief["plan"]["unscheduled"] == 150 - len(planned["schedule"])


def test_working_hours_that_make_no_day_are_told_and_the_rest_stands(call: Any) -> None:
    call("remember_preference", key="work_start", value="19:00")
    call("add_task", title="a", due_date="今天")
    brief = call("generate_daily_brief")
    assert brief["ok"] and "18:00" in brief["plan"]["error"] and brief["plan"]["error"] in brief["text"] and "#1 a" in brief["text"]


def test_late_in_the_evening_it_advises_another_day(call: Any) -> None:
    call("add_task", title="a")
    brief = call("generate_daily_brief", now="2026-10-14T21:00:00")
    assert brief["plan"]["suggestion"] == "建议改排明天" and "- 建议改排明天" in brief["text"].splitlines()


@pytest.mark.parametrize("answer", [b"{", 500, 404, b'{"daily": {"time": ["2020-01-01"]}}'])
def test_no_answer_of_the_weather_service_spoils_it(call: Any, service: Stub, answer: Any) -> None:
    service.forecast = answer
    brief = call("generate_daily_brief", city="北京")
    assert brief["ok"] and "天气暂不可用" in brief["text"].splitlines() and (brief["weather"], brief["city_source"]) == (None, "argument")
    assert call("generate_daily_brief", city="没有的城")["ok"]


def test_it_waits_for_the_weather_no_longer_than_its_patience(call: Any, service: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    service.delay = 5.0
    monkeypatch.setattr(brief_module, "_PATIENCE", 0.3)
    start = time.monotonic()
    assert call("generate_daily_brief", city="北京")["weather"] is None
    assert time.monotonic() - start < 3
