"""The to-do list for its tests: its folder on the path, a store in the test's folder, calls as every surface makes them."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

SKILL = Path(__file__).resolve().parents[3] / "skills" / "todo"
sys.path.insert(0, str(SKILL))

from taskbook import call as calling  # noqa: E402  # the skill's folder had to come first
from taskbook.contract import Context  # noqa: E402
from taskbook.store import Store  # noqa: E402

from tests.skills.todo.weather_stub import Stub, weather_service  # noqa: E402

NOW = "2026-10-14T08:30:00"  # a Wednesday


class MakeContext(Protocol):
    """ctx(now=…, lang=…) -> Context."""

    def __call__(self, now: str = NOW, lang: str = "zh") -> Context: ...


class Call(Protocol):
    """call("add_task", now=…, lang=…, **values) -> the answer."""

    def __call__(self, name: str, /, *, now: str = NOW, lang: str = "zh", **values: Any) -> dict[str, Any]: ...


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty to-do list in a file."""
    opened = Store(tmp_path / "todo.db")
    yield opened
    opened.close()


@pytest.fixture
def ctx(store: Store, tmp_path: Path) -> MakeContext:
    """Contexts on `store`; the test's folder is the workspace."""
    def make(now: str = NOW, lang: str = "zh") -> Context:
        return Context(store, datetime.fromisoformat(now), lang, tmp_path)

    return make


@pytest.fixture
def call(store: Store, tmp_path: Path) -> Call:
    """Calls operations on `store` as the command line does."""
    def make(name: str, /, *, now: str = NOW, lang: str = "zh", **values: Any) -> dict[str, Any]:
        return calling.run(store, name, values, now=datetime.fromisoformat(now), lang=lang, workspace=tmp_path)

    return make


@pytest.fixture
def weather(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A running weather service that the skill is pointed at, asked without a proxy."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with weather_service() as stub:
        monkeypatch.setenv("TODO_GEOCODING_URL", f"{stub.base}/search")
        monkeypatch.setenv("TODO_FORECAST_URL", f"{stub.base}/forecast")
        yield stub


@pytest.fixture(scope="module")
def zone_with_summer_time() -> Iterator[None]:
    """A local time that jumps twice a year."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()
