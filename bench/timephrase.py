"""What reading a time phrase costs and how often it is right, beside the public parsers that are installed.

    python bench/timephrase.py

The cases are those of tests/fixtures/todo and a few English ones below. "Wrong date" is the column that matters for a deadline: another
date than the one meant, or a date where there is none. The other parsers have their own conventions and are judged gently: a day counts
as right whatever time of day they add to it, a range or a repetition as no date, a time without a day as its next moment.
"""
from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SKILL = ROOT / "skills" / "todo"
sys.path[:0] = [str(ROOT), str(SKILL)]

from bench._common import median, table  # noqa: E402

Parser = Callable[[str, datetime], "str | None"]
Case = tuple[str, datetime, "str | None"]
WEDNESDAY = datetime(2026, 10, 14, 10, 0)
ENGLISH: dict[str, str | None] = {
    "tomorrow": "2026-10-15", "tomorrow at 3pm": "2026-10-15T15:00:00", "Friday": "2026-10-16", "next Friday": "2026-10-23",
    "in two hours": "2026-10-14T12:00:00", "in 3 days": "2026-10-17", "in half an hour": "2026-10-14T10:30:00", "Oct 15": "2026-10-15",
    "October 15th 2027": "2027-10-15",
    "May 5": "2027-05-05", "2026-10-15 14:30": "2026-10-15T14:30:00", "10/15": "2026-10-15", "end of month": "2026-10-31", "the 15th": "2026-10-15",
    "half past three": "2026-10-14T15:30:00", "noon tomorrow": "2026-10-15T12:00:00", "2 weeks from now": "2026-10-28", "Feb 30": None, "soon": None,
    "every Friday": None, "Monday or Tuesday": None, "call Bob tomorrow": None, "25:00": None, "in a few days": None}


def ours() -> Parser:
    """This project's."""
    parse = importlib.import_module("timephrase").parse
    return lambda text, now: parse(text, now).due


def by_dateparser() -> Parser:
    """dateparser, told to prefer the future."""
    parse = importlib.import_module("dateparser").parse

    def read(text: str, now: datetime) -> str | None:
        found = parse(text, languages=["zh", "en"], settings={"RELATIVE_BASE": now, "PREFER_DATES_FROM": "future"})
        return found.replace(tzinfo=None, microsecond=0).isoformat() if found else None

    return read


def by_parsedatetime() -> Parser:
    """parsedatetime; English only."""
    calendar = importlib.import_module("parsedatetime").Calendar()

    def read(text: str, now: datetime) -> str | None:
        found, status = calendar.parseDT(text, now)
        return found.replace(second=0, microsecond=0).isoformat() if status else None

    return read


def by_jionlp() -> Parser:
    """jionlp; Chinese only."""
    parse = importlib.import_module("jionlp").parse_time

    def read(text: str, now: datetime) -> str | None:
        try:
            found: dict[str, Any] = parse(text, time_base=now.timestamp())
        except (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError):
            return None
        return str(found["time"][0]).replace(" ", "T") if found["type"] == "time_point" else None

    return read


def by_recognizers() -> Parser:
    """The date-time recognisers of recognizers-text-suite; the later of two readings, as their future resolution."""
    module = importlib.import_module("recognizers_date_time")

    def read(text: str, now: datetime) -> str | None:
        culture = module.Culture.English if text.isascii() and any(map(str.isalpha, text)) else module.Culture.Chinese
        found = module.recognize_datetime(text, culture, reference=now)
        whole = [result for result in found if result.start == 0 and result.end == len(text) - 1]
        values = [value for result in whole for value in (result.resolution or {}).get("values", [])]
        values = [value for value in values if value["type"] in ("date", "datetime", "time") and value.get("value", "not resolved") != "not resolved"]
        return _future(values, now)

    return read


def _future(values: list[dict[str, str]], now: datetime) -> str | None:
    if not values:
        return None
    if values[0]["type"] != "time":
        return values[-1]["value"].replace(" ", "T")
    midnight = now.replace(hour=0, minute=0)
    clocks = [value["value"].split(":") for value in values]
    moments = [midnight + timedelta(hours=int(hour), minutes=int(minute)) for hour, minute, *_ in clocks]
    return min(moment + timedelta(days=moment <= now) for moment in moments).isoformat()


PARSERS: dict[str, Callable[[], Parser]] = {"ours": ours, "dateparser": by_dateparser, "parsedatetime": by_parsedatetime, "jionlp": by_jionlp,
                                            "recognizers-text-suite": by_recognizers}
MODULES = {"ours": "timephrase", "dateparser": "dateparser", "parsedatetime": "parsedatetime", "jionlp": "jionlp",
           "recognizers-text-suite": "recognizers_date_time"}


def cases(name: str) -> list[Case]:
    """The cases of a fixture."""
    lines = (ROOT / "tests" / "fixtures" / "todo" / name).read_text("utf-8").splitlines()
    return [(case["text"], datetime.fromisoformat(case["now"]), case["expect"]) for case in map(json.loads, lines)]


def judged(parser: Parser, given: list[Case], strict: bool) -> tuple[int, int, int]:
    """How many are right, a wrong date, missed."""
    right = wrong = 0
    for text, now, expected in given:
        got = parser(text, now)
        same = got == expected or (not strict and got is not None and expected is not None and got[:len(expected)] == expected)
        right += same
        wrong += not same and got is not None
    return right, wrong, len(given) - right - wrong


def timed(parser: Parser, given: list[Case]) -> tuple[float, float]:
    """Microseconds a phrase, median and 99th percentile, of about a second of calls."""
    samples: list[float] = []
    until = time.perf_counter() + 1
    while time.perf_counter() < until:
        for text, now, _ in given:
            start = time.perf_counter()
            parser(text, now)
            samples.append((time.perf_counter() - start) * 1e6)
    return median(samples), statistics.quantiles(samples, n=100)[98]


def import_time(module: str) -> float:
    """Milliseconds that importing takes in a fresh interpreter, median of 7; with compiled modules, as for a user."""
    code = (f"import sys, time; sys.path.insert(0, {str(SKILL)!r}); start = time.perf_counter(); import {module}; "
            "print((time.perf_counter() - start) * 1000, file=sys.stderr)")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as compiled:
        command = [sys.executable, "-W", "ignore", "-X", f"pycache_prefix={compiled}", "-c", code]
        times = [float(subprocess.run(command, capture_output=True, text=True, check=True, env=clean).stderr.split()[-1]) for _ in range(8)]
    return median(times[1:])


def main() -> None:
    """Print both tables."""
    warnings.simplefilter("ignore")
    sets = {"dev": cases("time_dev.jsonl"), "recognizers": cases("time_recognizers.jsonl"),
            "English": [(text, WEDNESDAY, expected) for text, expected in ENGLISH.items()]}
    scores, costs = [], []
    for name, make in PARSERS.items():
        try:
            parser = make()
        except ImportError:
            scores.append([name, "not installed"] + [""] * (len(sets) - 1))
            continue
        results = [judged(parser, given, strict=name == "ours") for given in sets.values()]
        scores.append([name, *(f"{right}/{right + wrong + missed} (wrong date {wrong})" for right, wrong, missed in results)])
        middle, slow = timed(parser, sets["dev"] + sets["recognizers"] if name != "parsedatetime" else sets["English"])
        costs.append([name, f"{middle:.1f}", f"{slow:.1f}", f"{import_time(MODULES[name]):.1f}"])
    table("right", ["parser", *sets], scores)
    table("cost", ["parser", "µs a phrase, median", "p99", "import ms"], costs)


if __name__ == "__main__":
    main()
