"""Repetitions in foreign words: RFC 5545 in the middle, the short forms of todo.txt (`rec:2w`) and Taskwarrior (`weekly`, `P2W`) around it."""
from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

_UNITS = {"d": "DAILY", "w": "WEEKLY", "m": "MONTHLY", "y": "YEARLY"}
_WORKDAYS = "MO,TU,WE,TH,FR"
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_NAMED: Mapping[str, tuple[str, int]] = {
    "daily": ("DAILY", 1), "day": ("DAILY", 1), "days": ("DAILY", 1), "weekly": ("WEEKLY", 1), "week": ("WEEKLY", 1), "weeks": ("WEEKLY", 1),
    "biweekly": ("WEEKLY", 2), "fortnight": ("WEEKLY", 2), "sennight": ("WEEKLY", 1), "monthly": ("MONTHLY", 1), "month": ("MONTHLY", 1),
    "months": ("MONTHLY", 1), "bimonthly": ("MONTHLY", 2), "quarterly": ("MONTHLY", 3), "quarter": ("MONTHLY", 3), "quarters": ("MONTHLY", 3),
    "semiannual": ("MONTHLY", 6), "annual": ("YEARLY", 1), "yearly": ("YEARLY", 1), "year": ("YEARLY", 1), "years": ("YEARLY", 1),
    "biannual": ("YEARLY", 2), "biyearly": ("YEARLY", 2), "d": ("DAILY", 1), "w": ("WEEKLY", 1), "wk": ("WEEKLY", 1), "wks": ("WEEKLY", 1),
    "m": ("MONTHLY", 1), "mo": ("MONTHLY", 1), "mth": ("MONTHLY", 1), "q": ("MONTHLY", 3), "y": ("YEARLY", 1), "yr": ("YEARLY", 1)}
_COUNTED = re.compile(r"(\d{0,3})\s*([a-z]+)")
_PERIOD = re.compile(r"p(\d{1,3})([dwmy])")
_TIME = ("BYHOUR", "BYMINUTE", "BYSECOND", "WKST")


def read_rrule(text: str) -> dict[str, str]:
    """The parts of a rule, names in capitals, without what changes nothing (INTERVAL=1, WKST, clock times). {} when it is none."""
    parts: dict[str, str] = {}
    for part in text.strip().upper().split(";"):
        name, equals, value = part.partition("=")
        if not equals or not value or name in parts:
            return {}
        parts[name] = value
    if "FREQ" not in parts:
        return {}
    if parts.get("INTERVAL", "").lstrip("0") == "1":
        del parts["INTERVAL"]
    return {name: value for name, value in parts.items() if name not in _TIME}


def rrule(freq: str, interval: int = 1, **more: str) -> str:
    """A rule in the words of RFC 5545."""
    parts = {"FREQ": freq, **({"INTERVAL": str(interval)} if interval > 1 else {}), **more}
    return ";".join(f"{name}={value}" for name, value in parts.items())


def rrule_of_rec(rec: str) -> str:
    """todo.txt: a count and d, w, m, y, or b for business days ("2w", "b"). More than one business day at a time has no rule: ""."""
    count, unit = int(rec[:-1] or "1"), rec[-1]
    if unit == "b":
        return rrule("WEEKLY", BYDAY=_WORKDAYS) if count == 1 else ""
    return rrule(_UNITS[unit], count) if count else ""


def rec_of_rrule(rule: str, due: str | None) -> str:
    """The short form for todo.txt, or "" when it has none."""
    plain = _plain(rule, due)
    if plain is None:
        return ""
    freq, interval = plain
    return "1b" if freq == "WORKDAYS" else f"{interval}{freq[0].lower()}"


def rrule_of_recur(recur: str) -> str:
    """Taskwarrior: a name, a number with a unit, or an ISO period. What has no rule of whole days (hours, "mondays" of a count) is ""."""
    word = recur.strip().lower()
    if word in ("weekdays", "weekday"):
        return rrule("WEEKLY", BYDAY=_WORKDAYS)
    if match := _PERIOD.fullmatch(word):
        return rrule(_UNITS[match[2]], int(match[1])) if int(match[1]) else ""
    match = _COUNTED.fullmatch(word)
    if match is None or match[2] not in _NAMED or match[1] and not int(match[1]):
        return ""
    freq, times = _NAMED[match[2]]
    return rrule(freq, times * int(match[1] or "1"))


def recur_of_rrule(rule: str, due: str | None) -> str:
    """The word for Taskwarrior, or "" when it has none."""
    plain = _plain(rule, due)
    if plain is None:
        return ""
    freq, interval = plain
    if freq == "WORKDAYS":
        return "weekdays"
    return freq.lower() if interval == 1 else f"P{interval}{freq[0]}"


def _plain(rule: str, due: str | None) -> tuple[str, int] | None:
    """Frequency and interval, when they and the first date say everything; WORKDAYS for Monday to Friday."""
    parts = read_rrule(rule)
    interval = parts.get("INTERVAL", "1")
    if not interval.isdigit() or not 1 <= int(interval) <= 999 or due is None:
        return None
    freq, day = parts.get("FREQ", ""), date.fromisoformat(due[:10])
    said = {name: value for name, value in parts.items() if name not in ("FREQ", "INTERVAL")}
    if freq == "WEEKLY" and sorted(said.get("BYDAY", "").split(",")) == sorted(_DAYS[:5]) and interval == "1" and len(said) == 1:
        return "WORKDAYS", 1
    implied = {"DAILY": {}, "WEEKLY": {"BYDAY": _DAYS[day.weekday()]}, "MONTHLY": {"BYMONTHDAY": str(day.day)},
               "YEARLY": {"BYMONTH": str(day.month), "BYMONTHDAY": str(day.day)}}.get(freq)
    if implied is None or any(implied.get(name) != value for name, value in said.items()):
        return None
    return freq, int(interval)
