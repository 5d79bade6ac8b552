"""The weather: the right city, the cache, advice, and one line when the service cannot be reached."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from taskbook import weather_places
from taskbook.weather import advice, say_code
from taskbook.weather_forecast import Day
from taskbook.weather_places import fold, known

from tests.skills.todo.weather_stub import Stub, forecast_of


@pytest.fixture(autouse=True)
def service(weather: Stub) -> Stub:
    """Every test has the service running."""
    return weather


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No service: nothing listens at the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("TODO_GEOCODING_URL", f"{address}/search")
    monkeypatch.setenv("TODO_FORECAST_URL", f"{address}/forecast")


def test_a_city_of_the_table_is_found_without_asking_and_is_the_capital(call: Any, service: Stub) -> None:
    answer = call("get_weather", city="北京市")
    assert answer["ok"] and answer["city"] == "北京" and answer["days"][0]["date"] == "2026-10-14"
    assert answer["message"] == "北京今天：晴，10–20 °C，降水概率 5%，风速 8 公里/小时"
    assert [path for path, _ in service.asked] == ["/forecast"]
    asked = service.asked[0][1]
    assert abs(float(asked["latitude"]) - 39.9) < 0.2 and abs(float(asked["longitude"]) - 116.4) < 0.2 and asked["timezone"] == "auto"


def test_of_several_places_the_seat_of_government_with_most_people_is_taken(call: Any, service: Stub) -> None:
    service.geocoding = {"results": [
        {"name": "Springfield", "latitude": 1, "longitude": 1, "feature_code": "PPL", "population": 900_000},
        {"name": "Springfield", "latitude": 2, "longitude": 2, "feature_code": "PPLA", "population": 116_000},
        {"name": "Springfield", "latitude": 3, "longitude": 3, "feature_code": "PPLA2", "population": 169_000},
        {"name": "broken", "latitude": "x", "longitude": 3, "feature_code": "PPLC"}]}  # fmt: skip
    assert call("get_weather", city="Springfield", lang="en")["ok"]
    assert service.asked[1][1]["latitude"] == "3.0" and service.asked[0][1]["count"] == "10"
    service.geocoding = {"results": []}
    assert call("get_weather", city="Nowhereville")["code"] == "not_found"


def test_an_hour_is_fresh_a_day_is_of_use_when_there_is_no_network(call: Any, service: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    call("get_weather", city="上海", date="明天")
    assert call("get_weather", city="上海", now="2026-10-14T09:29:59")["ok"] and len(service.asked) == 1
    assert call("get_weather", city="上海", now="2026-10-14T09:30:01")["ok"] and len(service.asked) == 2
    service.forecast = 500
    old = call("get_weather", city="上海", now="2026-10-14T20:00:00")
    assert old["ok"] and old["stale"] is True and old["fetched_at"] == "2026-10-14T09:30:01" and "09:30" in old["text"]
    assert call("get_weather", city="上海", now="2026-10-15T10:00:00")["code"] == "unavailable"


@pytest.mark.usefixtures("nowhere")
def test_without_network_the_weather_says_so_in_one_line_and_the_rest_works(call: Any) -> None:
    for name in ("get_weather", "weather_travel_advice"):
        answer = call(name, city="北京")
        assert (answer["ok"], answer["code"], answer["error"]) == (False, "unavailable", "天气服务暂时连不上，其余功能不受影响")
    brief = call("generate_daily_brief", city="北京")
    assert brief["ok"] and "天气暂不可用" in brief["text"].splitlines() and brief["weather"] is None
    assert call("add_task", title="a")["ok"] and call("plan_day")["ok"] and call("export_checklist")["ok"]


@pytest.mark.parametrize(
    "answer", [b"", b"{", b"[]", b"null", b'{"daily": 5}', b'{"daily": {"time": ["x"]}}', b'{"daily": {"time": []}}', b"x" * 1_100_000, 302, 404]
)
def test_an_answer_that_is_no_forecast_counts_as_unreachable(call: Any, service: Stub, answer: Any) -> None:
    service.forecast = answer
    assert call("get_weather", city="北京")["code"] == "unavailable"


def test_missing_numbers_are_left_out(call: Any, service: Stub) -> None:
    service.forecast = forecast_of("2026-10-14", high=None, rain=None, wind=None, weather_code=None)
    assert call("get_weather", city="北京")["message"] == "北京今天：未知"


def test_several_days_and_days_out_of_reach(call: Any) -> None:
    assert [day["date"] for day in call("get_weather", city="北京", date="后天", days=3)["days"]] == ["2026-10-16", "2026-10-17", "2026-10-18"]
    for values in ({"date": "昨天"}, {"date": "三周后"}, {"days": 17}, {"city": " "}):
        assert call("get_weather", **{"city": "北京", **values})["code"] == "invalid_argument"
    assert call("get_weather", city="北京", date="15天后", days=5)["ok"]


@pytest.mark.parametrize(
    ("day", "level", "reasons"),
    [
        (Day("d", 0, 25, 15, 10, 10), "good", []),
        (Day("d", 61, 25, 15, 80, 10), "care", ["rain"]),
        (Day("d", 3, 25, 15, 60, 10), "care", ["rain"]),
        (Day("d", 3, 25, 15, 59, 38.9), "good", []),
        (Day("d", 1, 35, 20, 0, 10), "care", ["hot"]),
        (Day("d", 1, 3, -5, 0, 10), "care", ["cold"]),
        (Day("d", 1, 25, 15, 0, 39), "care", ["wind"]),
        (Day("d", 63, 25, 15, 90, 45), "bad", ["rain", "wind"]),
        (Day("d", 95, 25, 15, 90, 10), "bad", ["thunder"]),
        (Day("d", 73, 1, -2, 90, 10), "bad", ["snow"]),
        (Day("d", 65, 25, 15, 90, 10), "bad", ["pouring"]),
        (Day("d", 66, 1, -2, 90, 10), "bad", ["ice"]),
        (Day("d", 61, 25, 15, None, 10), "care", ["showery"]),
        (Day("d", 3, 35, -5, 0, 10), "bad", ["hot", "cold"]),
        (Day("d"), "care", ["unknown"]),
    ],
)
def test_the_advice_has_reasons(day: Day, level: str, reasons: list[str]) -> None:
    assert advice(day) == (level, reasons)


def test_the_advice_reads_as_a_sentence(call: Any, service: Stub) -> None:
    service.forecast = forecast_of("2026-10-14", weather_code=61, rain=80.0)
    answer = call("weather_travel_advice", city="广州", date="明天")
    assert (answer["level"], answer["reasons"]) == ("注意", ["可能下雨（80%），带伞"]) and answer[
        "message"
    ] == "广州明天：注意（可能下雨（80%），带伞）"


def test_an_address_that_is_not_of_the_web_is_refused(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TODO_FORECAST_URL", "file:///etc/passwd")
    answer = call("get_weather", city="北京")
    assert answer["code"] == "invalid_argument" and "TODO_FORECAST_URL" in answer["error"]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 45, 48, 51, 53, 55, 56, 57, 61, 63, 65, 66, 67, 71, 73, 75, 77, 80, 81, 82, 85, 86, 95, 96, 99])
def test_every_code_of_the_service_has_a_word_and_no_other_has(ctx: Any, code: int) -> None:
    assert say_code(ctx(), code) != "未知" and say_code(ctx(lang="en"), code) not in ("unknown", say_code(ctx(), code))
    assert say_code(ctx(), code + 100) == say_code(ctx(), 4) == say_code(ctx(), None) == "未知"


@pytest.mark.parametrize(("city", "name", "latitude"), [
    ("北京", "北京", 39.9), ("上海市", "上海", 31.23), ("吉林省", "长春", 43.82), ("吉林", "吉林", 43.84), ("吉林市", "吉林", 43.84),
    ("广西壮族自治区", "南宁", 22.82), ("廣州", "广州", 23.13), ("Beijing", "北京", 39.9), ("new york city", "纽约", 40.71),
    (" Xi’an ", "西安", 34.34), ("香港特别行政区", "香港", 22.32), ("SÃO PAULO", "圣保罗", -23.55)])
def test_a_city_of_the_table_is_known_by_all_its_names(city: str, name: str, latitude: float) -> None:
    place = known(city, "zh")
    assert place is not None and (place.name, place.latitude) == (name, latitude)


def test_every_province_has_its_capital_and_the_table_has_no_place_twice() -> None:
    table = json.loads((Path(weather_places.__file__).parent / "cities.json").read_text(encoding="utf-8"))
    named = [{fold(name) for name in (row[0], row[1], *row[4:])} for row in table["cities"]]
    assert len(set[str]().union(*named)) == sum(map(len, named)) and len(named) > 150
    assert len(table["capitals"]) >= 30 and all(known(capital, "zh") for capital in table["capitals"].values())
    assert all(-90 < row[2] < 90 and -180 < row[3] < 180 and round(row[2], 2) == row[2] and round(row[3], 2) == row[3] for row in table["cities"])


def test_a_cache_that_cannot_be_read_is_asked_anew(call: Any, store: Any, service: Stub) -> None:
    call("get_weather", city="北京")
    with store.write() as db:
        db.execute("UPDATE weather SET body = '{\"day\": 5}'")
    assert call("get_weather", city="北京")["ok"] and len(service.asked) == 2


def test_a_city_that_was_searched_is_kept_with_its_weather(call: Any, service: Stub) -> None:
    service.geocoding = {"results": [{"name": "Dali Town", "latitude": 2, "longitude": 2, "feature_code": "PPL"}]}
    first = call("get_weather", city="Dalitown")
    assert first["city"] == "Dali Town" and len(service.asked) == 2
    assert call("get_weather", city="dalitown", date="明天")["city"] == "Dali Town" and len(service.asked) == 2
