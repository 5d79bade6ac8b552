"""The daily forecast of a place, and its cache: fresh for an hour, of use for a day when the service cannot be reached."""
from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.weather_client import FORECAST, Patience, Unreachable, ask
from taskbook.weather_places import Place, fold, known, searched

DAYS = 16
FRESH = timedelta(hours=1)
USABLE = timedelta(hours=24)
_COLUMNS = {"weather_code": "weather_code", "temperature_max": "temperature_2m_max", "temperature_min": "temperature_2m_min",
            "precipitation_probability": "precipitation_probability_max", "wind_speed": "wind_speed_10m_max"}


@dataclass(frozen=True)
class Day:
    """One day: WMO code, °C, %, km/h; None where the service says nothing."""

    date: str
    weather_code: int | None = None
    temperature_max: float | None = None
    temperature_min: float | None = None
    precipitation_probability: float | None = None
    wind_speed: float | None = None


@dataclass(frozen=True)
class Forecast:
    """Consecutive days of one place. stale: older than an hour, because the service could not be reached."""

    place: Place
    days: list[Day]
    fetched_at: datetime
    stale: bool = False


def forecast(ctx: Context, city: str, first: date, count: int, patience: Patience) -> Forecast:
    """Up to `count` days from `first` on: from the cache if fresh, from the service, or what the cache still has.

    Raises TodoError: not_found for a city that nobody knows, unavailable when there is neither network nor cache.
    """
    place = known(city, ctx.lang)
    kept = _kept(ctx, place, city, first, count)
    if kept and len(kept.days) == count and not kept.stale:
        return kept
    try:
        place = place or (kept.place if kept else None) or searched(city, ctx.lang, patience)
        if place is None:
            raise TodoError("not_found", "weather.unknown_city", city=city)
        days = _asked(place, patience)
    except Unreachable as problem:
        if kept:
            return replace(kept, stale=True)
        raise TodoError("unavailable", "weather.unavailable", {"detail": str(problem)}) from problem
    _keep(ctx, place, days)
    last = first + timedelta(days=count - 1)
    wanted = [day for day in days if first.isoformat() <= day.date <= last.isoformat()]
    if not wanted:
        raise TodoError("unavailable", "weather.no_day", {"detail": "the answer holds none of the days"}, date=first.isoformat())
    return Forecast(place, wanted, ctx.now)


def read_days(answer: dict[str, Any]) -> list[Day]:
    """The days of a service's answer. Raises Unreachable when it is not of the known form."""
    daily = answer.get("daily")
    dates = daily.get("time") if isinstance(daily, dict) else None
    if not isinstance(daily, dict) or not isinstance(dates, list) or not dates:
        raise Unreachable("the answer has no days")
    days = []
    for index, text in enumerate(dates[:DAYS + 2]):
        try:
            day = date.fromisoformat(text)
        except (TypeError, ValueError):
            raise Unreachable("the answer has days without a date") from None
        numbers = {name: _number(daily.get(column), index) for name, column in _COLUMNS.items()}
        code = numbers.pop("weather_code")
        days.append(Day(day.isoformat(), None if code is None else int(code), **numbers))
    return days


def _asked(place: Place, patience: Patience) -> list[Day]:
    """All days there are, in one request: later questions about other days then need none. One past day: the city may be a day ahead."""
    return read_days(ask(FORECAST, {"latitude": place.latitude, "longitude": place.longitude, "daily": ",".join(_COLUMNS.values()),
                                    "timezone": "auto", "forecast_days": DAYS, "past_days": 1}, patience))


def _number(column: Any, index: int) -> float | None:
    value = column[index] if isinstance(column, list) and index < len(column) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _kept(ctx: Context, place: Place | None, city: str, first: date, count: int) -> Forecast | None:
    """What the cache has of these days, if the first one is among it. A clock that was turned back makes an entry stale, not fresh."""
    last = first + timedelta(days=count - 1)
    rows = ctx.store.db.execute("SELECT body, fetched_at FROM weather WHERE city = ? AND date BETWEEN ? AND ? ORDER BY date",
                                (place.key if place else fold(city), first.isoformat(), last.isoformat())).fetchall()
    try:
        found = [(json.loads(row["body"]), datetime.fromisoformat(row["fetched_at"])) for row in rows]
        found = [(body, at) for body, at in found if abs(ctx.now - at) < USABLE]
        if not found or found[0][0]["day"]["date"] != first.isoformat():
            return None
        days, there = [Day(**body["day"]) for body, _ in found], place or Place(**found[0][0]["place"])
    except (ValueError, TypeError, KeyError):
        return None  # written by another version: as good as nothing
    oldest = min(at for _, at in found)
    return Forecast(there, days, oldest, stale=not timedelta(0) <= ctx.now - oldest < FRESH)


def _keep(ctx: Context, place: Place, days: Sequence[Day]) -> None:
    """Into the cache, and the old out of it. A cache that cannot be written costs no answer."""
    at = ctx.now.isoformat(timespec="seconds")
    rows = [(place.key, day.date, json.dumps({"place": asdict(place), "day": asdict(day)}, ensure_ascii=False), at) for day in days]
    try:
        with ctx.store.write() as db:
            db.executemany("INSERT OR REPLACE INTO weather(city, date, body, fetched_at) VALUES(?, ?, ?, ?)", rows)
            db.execute("DELETE FROM weather WHERE fetched_at < ?", ((ctx.now - USABLE).isoformat(timespec="seconds"),))
    except sqlite3.Error:
        return
