"""The weather's HTTP: nothing waits longer than it may, nothing is followed elsewhere, one mishap is forgiven."""
from __future__ import annotations

import socket
import time
from typing import Any

import pytest
from taskbook.contract import TodoError
from taskbook.weather_client import FORECAST, Patience, Unreachable, ask

from tests.skills.todo.weather_stub import Stub


@pytest.fixture(autouse=True)
def service(weather: Stub) -> Stub:
    """Every test has the service running."""
    return weather


def refused(patience: float = 10.0) -> tuple[str, float]:
    """Why the service was unreachable, and after how many seconds."""
    start = time.monotonic()
    with pytest.raises(Unreachable) as problem:
        ask(FORECAST, {"a": "b c"}, Patience(patience))
    return str(problem.value), time.monotonic() - start


def test_a_first_mishap_is_forgiven_and_a_second_is_not(service: Stub) -> None:
    service.script = [503]
    assert "daily" in ask(FORECAST, {"a": "b c"}, Patience())
    assert [parameters for _, parameters in service.asked] == [{"a": "b c"}] * 2
    service.script = [503, 502, 200]
    assert refused()[0].endswith("HTTP 502") and len(service.asked) == 4


def test_a_service_that_does_not_answer_costs_no_more_than_the_patience(service: Stub) -> None:
    service.delay = 5.0
    assert refused(0.4)[1] < 2


def test_an_answer_that_drips_in_costs_no_more_than_the_patience(service: Stub) -> None:
    service.drip = 0.05
    assert refused(0.5)[1] < 2


def test_a_name_server_that_is_silent_costs_no_more_than_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: Any, **__: Any) -> list[Any]:
        time.sleep(3)
        raise socket.gaierror("no answer")

    monkeypatch.setenv("TODO_FORECAST_URL", "http://weather.invalid/forecast")
    monkeypatch.setattr(socket, "getaddrinfo", silent)
    reason, seconds = refused(0.3)
    assert reason == "timed out" and seconds < 2


def test_a_redirect_within_the_host_is_followed(service: Stub) -> None:
    service.script = ["/elsewhere"]
    assert "daily" in ask(FORECAST, {}, Patience()) and [path for path, _ in service.asked] == ["/forecast", "/elsewhere"]


@pytest.mark.parametrize("target", ["http://localhost:{port}/elsewhere", "https://127.0.0.1:{port}/x", "file:///etc/passwd", "ftp://127.0.0.1/x",
                                    "//127.0.0.2:{port}/x"])
def test_a_redirect_to_another_place_is_not_followed(service: Stub, target: str) -> None:
    port = service.base.rpartition(":")[2]
    service.script = [target.format(port=port)] * 2
    assert "HTTP 302" in refused()[0] and {path for path, _ in service.asked} == {"/forecast"}


def test_a_circle_of_redirects_ends(service: Stub) -> None:
    service.script = ["/forecast"] * 100
    assert refused()[1] < 5 and len(service.asked) < 60


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1:80", "http://", "gopher://x/"])
def test_only_addresses_of_the_web_are_asked(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("TODO_FORECAST_URL", address)
    with pytest.raises(TodoError) as problem:
        ask(FORECAST, {}, Patience())
    assert problem.value.code == "invalid_argument" and "TODO_FORECAST_URL" in problem.value.say("zh")


def test_parameters_are_added_to_those_that_an_address_has(service: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TODO_FORECAST_URL", f"{service.base}/forecast?key=1")
    ask(FORECAST, {"city": "北京"}, Patience())
    assert service.asked == [("/forecast", {"key": "1", "city": "北京"})]
