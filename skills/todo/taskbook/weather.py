"""get_weather and weather_travel_advice, from the forecast of Open-Meteo (weather codes: WMO table 4677, as the service uses them)."""
from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.weather_client import Patience
from taskbook.weather_forecast import DAYS, Day, Forecast, forecast

_WORDS = {
    0: "clear", 1: "fair", 2: "cloudy", 3: "overcast", 45: "fog", 48: "rime", 51: "drizzle", 53: "drizzle", 55: "drizzle", 56: "ice", 57: "ice",
    61: "rain_light", 63: "rain", 65: "rain_heavy", 66: "ice", 67: "ice", 71: "snow_light", 73: "snow", 75: "snow_heavy", 77: "grains",
    80: "showers_light", 81: "showers", 82: "showers_heavy", 85: "snow_showers", 86: "snow_showers", 95: "thunder", 96: "hail", 99: "hail"}
RAIN, SNOW, THUNDER = frozenset((51, 53, 55, 61, 63, 65, 80, 81, 82)), frozenset((71, 73, 75, 77, 85, 86)), frozenset((95, 96, 99))
ICE, POURING = frozenset((56, 57, 66, 67)), frozenset((65, 82))
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
    """("good" | "care" | "bad", reasons): thunder, ice, snow, pouring rain or two reasons at once advise against going out; one reason asks
    for care, and so does a day of which nothing is known."""
    reasons = [*_wet(day), *(name for name, holds in (
        ("wind", day.wind_speed is not None and day.wind_speed >= WINDY),
        ("hot", day.temperature_max is not None and day.temperature_max >= HOT),
        ("cold", day.temperature_min is not None and day.temperature_min <= COLD)) if holds)]
    if len(reasons) > 1 or {"thunder", "ice", "snow", "pouring"} & set(reasons):
        return "bad", reasons
    if not reasons and all(value is None for value in (day.weather_code, day.precipitation_probability, day.wind_speed, day.temperature_max)):
        reasons = ["unknown"]
    return "care" if reasons else "good", reasons


def _wet(day: Day) -> list[str]:
    """The one reason, if any, that falls from the sky: the gravest."""
    named = next((name for name, codes in (("thunder", THUNDER), ("ice", ICE), ("snow", SNOW), ("pouring", POURING), ("rain", RAIN))
                  if day.weather_code in codes), None)
    if named is None and day.precipitation_probability is not None and day.precipitation_probability >= WET:
        named = "rain"
    return [] if named is None else ["showery"] if named == "rain" and day.precipitation_probability is None else [named]


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
    """A weather code in words."""
    return ctx.say(f"weather.code_{'unknown' if code is None else _WORDS.get(code, 'unknown')}")


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
    from taskbook.task import due_display

    return [ctx.say("weather.stale", at=due_display(found.fetched_at.isoformat(), ctx.now, ctx.lang))] if found.stale else []


def _number(value: float | None) -> str:
    return "?" if value is None else str(round(value))
