"""The times of iCalendar: DATE stays a date in both directions, UTC and named zones become local time, a floating time is local already."""
from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo

from taskbook.formats.entry import BadEntry, Left, read_date, to_local
from taskbook.formats.ics_lines import Line

_DATE = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")
_TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)T(\d\d):?(\d\d):?(\d\d)(Z?)")
_DURATION = re.compile(r"([+-]?)P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?")


def read_time(line: Line, left: list[Left]) -> str:
    """ "YYYY-MM-DD" or local "YYYY-MM-DDTHH:MM:SS". A zone that this machine does not know counts as local time, and is named in `left`."""
    value = line.value.strip()
    if match := _DATE.fullmatch(value):
        return read_date(line.number, "-".join(match.groups()))
    match = _TIME.fullmatch(value)
    if match is None or line.parameters.get("VALUE", "").upper() == "DATE":
        raise BadEntry(line.number, "bad_date", f"{line.name}: {value}")
    numbers = [int(part) for part in match.groups()[:6]]
    numbers[5] = min(numbers[5], 59)  # a leap second
    try:
        moment = datetime(*numbers, tzinfo=timezone.utc if match[7] else _zone(line, left))  # type: ignore[arg-type, misc]
    except ValueError:
        raise BadEntry(line.number, "bad_date", f"{line.name}: {value}") from None
    return to_local(line.number, moment, value)


def _zone(line: Line, left: list[Left]) -> tzinfo | None:
    name = line.parameters.get("TZID", "").lstrip("/")
    if not name:
        return None
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # an unknown zone is a KeyError; a name that is a folder an OSError
        left.append(Left(line.number, "zone", name[:50]))
        return None


def read_duration(line: Line) -> timedelta:
    """The length of P1DT2H and the like. Raises BadEntry."""
    value = line.value.strip().upper()
    match = _DURATION.fullmatch(value)
    if match is None or not any(match.groups()[1:]):
        raise BadEntry(line.number, "bad_duration", value)
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -length if match[1] == "-" else length


def add_duration(line: Line, start: str, length: timedelta) -> str:
    """A date plus whole days is a date; anything else has a clock time."""
    whole_days = "T" not in start and not length % timedelta(days=1)
    try:
        end = datetime.fromisoformat(start) + length
    except OverflowError:
        raise BadEntry(line.number, "bad_duration", line.value) from None
    text = to_local(line.number, end, line.value)
    return text[:10] if whole_days else text


def write_time(name: str, local: str) -> str:
    """DATE for a date, a floating time for a local time: what the person wrote on their own clock."""
    plain = local.replace("-", "").replace(":", "")
    return f"{name}:{plain}" if "T" in local else f"{name};VALUE=DATE:{plain}"
