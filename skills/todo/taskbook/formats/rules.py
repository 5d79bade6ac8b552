"""A recurrence of RFC 5545 as a rule of the time phrases, where there is one that means the same."""
from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from timephrase import Rule

from taskbook.formats.recurrence import read_rrule

_DAYS = {name: number for number, name in enumerate(("MO", "TU", "WE", "TH", "FR", "SA", "SU"))}
_USED = {"FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS"}
_PLACED = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")


def rule_of(rrule: str, due: str) -> Rule | None:
    """The rule whose first date is `due`; what RFC 5545 takes from the start (weekday, day, month, clock time) is taken from it. None where
    there is no such rule: by the hour, several months, days counted from the end."""
    parts = read_rrule(rrule)
    start = datetime.fromisoformat(due)
    if not parts or set(parts) - _USED or not re.fullmatch(r"[0-9]{1,3}", parts.get("INTERVAL", "1")):
        return None
    fields = _fields(parts, start)
    if fields is None:
        return None
    clock = {"time": f"{start:%H:%M}"} if "T" in due else {}
    try:
        return Rule.from_dict({"freq": parts["FREQ"].lower(), "interval": int(parts.get("INTERVAL", "1")), **fields, **clock})
    except ValueError:
        return None


def _fields(parts: dict[str, str], start: datetime) -> dict[str, Any] | None:
    """The fields beside freq, interval and time."""
    freq = parts["FREQ"]
    days = [_PLACED.fullmatch(day) for day in parts["BYDAY"].split(",")] if "BYDAY" in parts else []
    if not all(days):
        return None
    weekdays = [_DAYS[day[2]] for day in days if day]
    placed = [int(day[1]) for day in days if day and day[1]]
    numbers = parts.get("BYMONTHDAY", "")
    monthdays = [int(day) for day in numbers.split(",")] if re.fullmatch(r"-?[0-9]{1,2}(,-?[0-9]{1,2})*", numbers) else []
    if "BYMONTHDAY" in parts and not monthdays or "BYMONTH" in parts and (freq != "YEARLY" or not parts["BYMONTH"].isdigit()):
        return None
    if freq == "MONTHLY" and weekdays:
        position = parts.get("BYSETPOS") or (str(placed[0]) if len(placed) == len(weekdays) == 1 else "")
        fits = re.fullmatch(r"[+-]?[1-5]", position) and not monthdays and (len(placed) == 0) == ("BYSETPOS" in parts)
        return {"weekdays": weekdays, "position": int(position)} if fits else None
    if placed or "BYSETPOS" in parts or weekdays and (monthdays or freq != "WEEKLY"):
        return None
    return _from_start(freq, weekdays, monthdays, parts, start)


def _from_start(freq: str, weekdays: list[int], monthdays: list[int], parts: dict[str, str], start: datetime) -> dict[str, Any] | None:
    if freq == "DAILY":
        return None if monthdays else {}
    if freq == "WEEKLY":
        return None if monthdays else {"weekdays": weekdays or [start.weekday()]}
    if freq == "MONTHLY":
        return {"monthdays": monthdays or [start.day]}
    if freq == "YEARLY" and (not monthdays or "BYMONTH" in parts):
        return {"month": int(parts.get("BYMONTH", start.month)), "monthdays": monthdays or [start.day]}
    return None
