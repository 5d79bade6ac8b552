"""Where a city is: the skill's own table first, then the geocoding service, whose first hit is often a village of the same name."""
from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from taskbook.weather_client import GEOCODING, Patience, ask

_SUFFIX = re.compile(r"(?:壮族|维吾尔|回族)?自治区$|特别行政区$|[市省]$")
_SEATS = re.compile(r"PPLC|PPLA\d?")  # the capital of a country, of a province, of a prefecture …


@dataclass(frozen=True)
class Place:
    """A city: `key` tells it from others in the cache, whatever it was called."""

    key: str
    name: str
    latitude: float
    longitude: float


def known(city: str, lang: str) -> Place | None:
    """The city of the table with this name, in either language, 市 or 省 at its end left out. A province means its capital."""
    cities, capitals = _table()
    name = fold(city)
    short = _SUFFIX.sub("", name)
    row = next((cities[key] for key in (name, capitals.get(name, ""), short, capitals.get(short, "")) if key in cities), None)
    if row is None:
        return None
    chinese, english, latitude, longitude = row
    return Place(chinese, english if lang == "en" else chinese, latitude, longitude)


def searched(city: str, lang: str, patience: Patience) -> Place | None:
    """The city that the geocoding service finds by this name; None: there is none. Raises what `ask` raises."""
    name = _SUFFIX.sub("", city.strip()) or city.strip()
    answer = ask(GEOCODING, {"name": name, "count": 10, "language": "en" if lang == "en" else "zh", "format": "json"}, patience)
    results = answer.get("results")
    found = choose(results if isinstance(results, list) else [])
    return Place(fold(city), str(found["name"])[:100], float(found["latitude"]), float(found["longitude"])) if found else None


def choose(results: Iterable[Any]) -> dict[str, Any] | None:
    """The likeliest of several places of one name: a seat of government before any other place, then the most people."""
    usable = [row for row in results if isinstance(row, dict) and isinstance(row.get("name"), str)
              and _is_degree(row.get("latitude"), 90) and _is_degree(row.get("longitude"), 180)]
    return max(usable, key=lambda row: (bool(_SEATS.fullmatch(str(row.get("feature_code")))), _people(row)), default=None)


def fold(text: str) -> str:
    """A name as it is compared: width, case, spaces, dots and apostrophes do not matter."""
    return re.sub(r"[\s.'’·-]", "", unicodedata.normalize("NFKC", text)).casefold()


@cache
def _table() -> tuple[dict[str, tuple[str, str, float, float]], dict[str, str]]:
    loaded = json.loads(Path(__file__).with_name("cities.json").read_text(encoding="utf-8"))
    cities = {}
    for chinese, english, latitude, longitude, *others in loaded["cities"]:
        for name in (chinese, english, *others):
            cities[fold(name)] = (chinese, english, latitude, longitude)
    return cities, {fold(province): fold(capital) for province, capital in loaded["capitals"].items()}


def _is_degree(value: object, limit: int) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) <= limit


def _people(row: dict[str, Any]) -> float:
    value = row.get("population")
    return value if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) else 0
