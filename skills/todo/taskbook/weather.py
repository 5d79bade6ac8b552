"""get_weather and weather_travel_advice, from the forecast of Open-Meteo (weather codes: WMO table 4677, as the service uses them)."""
from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.weather_client import Patience
from taskbook.weather_forecast import DAYS, Day, Forecast, forecast

RAIN, SNOW, THUNDER = frozenset(range(51, 68)) | {80, 81, 82}, frozenset((71, 73, 75, 77, 85, 86)), frozenset((95, 96, 99))
_WORDS = ((0, "clear"), (1, "fair"), (2, "cloudy"), (3, "overcast"), (45, "fog"), (51, "drizzle"), (61, "rain"), (71, "snow"), (80, "showers"),
          (85, "snow"), (95, "thunder"))
WET, WINDY, HOT, COLD = 60, 39, 35, -5  # %, km/h, °C, °C


def get_weather(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`city`, `days`: [{date, weather, weather_code, temperature_max, temperature_min, precipitation_probability, wind_speed}]; `stale` and
    `fetched_at` when it is old. Raises TodoError unavailable without network and cache."""
    first = _day(ctx, values["date"])
    found = forecast(ctx, _city(ctx, values["city"]), first, min(values["days"], DAYS - (first - ctx.now.date()).days), Patience())
    days = [_shown(ctx, day) for day in found.days]
    lines = [say_day(ctx, found, day) for day in found.days]
    return {"message": lines[0] if len(lines) == 1 else ctx.say("weather.days", city=found.place.name, count=len(lines)), "city": found.place.name,
            "days": days, **_age(ctx, found), "text": "\n".join([*lines, *_old(ctx, found)])}


def weather_travel_advice(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`level` (适合, 注意, 不建议) with `reasons`, and the `day` that it rests on."""
    first = _day(ctx, values["date"])
    found = forecast(ctx, _city(ctx, values["city"]), first, 1, Patience())
    day = found.days[0]
    level, reasons = advice(day)
    said = [ctx.say(f"weather.because_{reason}", rain=_number(day.precipitation_probability), wind=_number(day.wind_speed),
                    hot=_number(day.temperature_max), cold=_number(day.temperature_min)) for reason in reasons]
    message = ctx.say("weather.advice", when=_when(ctx, day), city=found.place.name, level=ctx.say(f"weather.level_{level}"),
                      why=ctx.say("weather.between").join(said) or ctx.say("weather.fine"))
    return {"message": message, "city": found.place.name, "level": ctx.say(f"weather.level_{level}"), "reasons": said, "day": _shown(ctx, day),
            **_age(ctx, found), "text": "\n".join([message, say_day(ctx, found, day), *_old(ctx, found)])}


def advice(day: Day) -> tuple[str, list[str]]:
    """("good" | "care" | "bad", reasons): snow, thunder, or two reasons at once advise against it; one reason asks for care."""
    code = day.weather_code if day.weather_code is not None else -1
    reasons = ["thunder"] if code in THUNDER else ["snow"] if code in SNOW else []
    if not reasons and (code in RAIN or (day.precipitation_probability or 0) >= WET):
        reasons.append("rain")
    if (day.wind_speed or 0) >= WINDY:
        reasons.append("wind")
    if day.temperature_max is not None and day.temperature_max >= HOT:
        reasons.append("hot")
    if day.temperature_min is not None and day.temperature_min <= COLD:
        reasons.append("cold")
    bad = len(reasons) > 1 or bool({"thunder", "snow"} & set(reasons))
    return "bad" if bad else "care" if reasons else "good", reasons


def say_day(ctx: Context, found: Forecast, day: Day) -> str:
    """One day in one line."""
    said = [say_code(ctx, day.weather_code)]
    if day.temperature_min is not None and day.temperature_max is not None:
        said.append(ctx.say("weather.range", low=_number(day.temperature_min), high=_number(day.temperature_max)))
    if day.precipitation_probability is not None:
        said.append(ctx.say("weather.chance", chance=_number(day.precipitation_probability)))
    if day.wind_speed is not None:
        said.append(ctx.say("weather.wind", speed=_number(day.wind_speed)))
    return ctx.say("weather.line", city=found.place.name, when=_when(ctx, day), what=ctx.say("weather.between").join(said))


def say_code(ctx: Context, code: int | None) -> str:
    """A weather code in words: the last entry of the table that is not above it."""
    name = "unknown" if code is None or code < 0 else [name for low, name in _WORDS if low <= code][-1]
    return ctx.say(f"weather.code_{name}")


def _day(ctx: Context, text: str) -> date:
    from taskbook.when import resolve_date

    day = resolve_date(ctx, text)
    if not 0 <= (day - ctx.now.date()).days < DAYS:
        raise TodoError("invalid_argument", "weather.range_days", days=DAYS, last=(ctx.now.date() + timedelta(days=DAYS - 1)).isoformat())
    return day


def _city(ctx: Context, text: str) -> str:
    """The city that was named, or where the person lives."""
    from taskbook.preferences import known

    city = " ".join(text.split()) or known(ctx.store).default_city
    if not city:
        raise TodoError("invalid_argument", "weather.no_city")
    return city


def _shown(ctx: Context, day: Day) -> dict[str, Any]:
    return {"date": day.date, "weather": say_code(ctx, day.weather_code), "weather_code": day.weather_code, "temperature_max": day.temperature_max,
            "temperature_min": day.temperature_min, "precipitation_probability": day.precipitation_probability, "wind_speed": day.wind_speed}


def _when(ctx: Context, day: Day) -> str:
    from taskbook.task import due_display

    return due_display(day.date, ctx.now, ctx.lang)


def _age(ctx: Context, found: Forecast) -> dict[str, Any]:
    return {"fetched_at": found.fetched_at.isoformat(), **({"stale": True} if found.stale else {})}


def _old(ctx: Context, found: Forecast) -> list[str]:
    return [ctx.say("weather.stale", at=found.fetched_at.strftime("%H:%M"))] if found.stale else []


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:.0f}"
