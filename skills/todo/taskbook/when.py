"""Deadlines, days and clock times as people write them, read by `timephrase` with the part-of-day habits of the preferences."""
from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time

from taskbook.contract import Context, TodoError
from taskbook.store import deadline_of

_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_CLOCK = re.compile(r"([01]?\d|2[0-3])[:：]([0-5]\d)(?::[0-5]\d)?")


@dataclass(frozen=True)
class Due:
    """A deadline that was understood. `assumed`: the sentence that says what a convention decided; `past`: it lies before now."""

    due: str
    assumed: str | None
    past: bool


def resolve_due(ctx: Context, text: str) -> Due:
    """The deadline that the phrase names. Raises TodoError invalid_argument with the words quoted and an example."""
    from timephrase import Rule, parse, parse_rule

    iso = _iso(text.strip())
    if iso is not None:
        return _due(ctx, iso, None)
    parts = _parts(ctx)
    reading = parse(text, ctx.now, parts)
    if reading.due is not None:
        return _due(ctx, reading.due, reading.assumed.say(ctx.lang) if reading.assumed else None)
    if isinstance(parse_rule(text, ctx.now, parts), Rule):
        raise TodoError("invalid_argument", "when.rule", text=text.strip())
    raise TodoError("invalid_argument", "when.refused", refusal=reading.error)


def resolve_date(ctx: Context, text: str) -> date:
    """The day that the phrase names; "" is today. Raises TodoError invalid_argument."""
    return date.fromisoformat(resolve_due(ctx, text).due[:10]) if text.strip() else ctx.now.date()


def resolve_clock(ctx: Context, text: str, name: str) -> time:
    """The time of day that the phrase names ("09:00", "9点", "下午2点"). Raises TodoError invalid_argument with the parameter's name."""
    from timephrase import parse

    clock = _CLOCK.fullmatch(text.strip())
    if clock:
        return time(int(clock[1]), int(clock[2]))
    midnight = datetime.combine(ctx.now.date(), time())
    due = parse(text, midnight, _parts(ctx)).due
    if due is None or len(due) == 10 or due[:10] != midnight.date().isoformat():
        raise TodoError("invalid_argument", "when.clock", name=name, text=text.strip()[:50])
    return datetime.fromisoformat(due).time()


def _parts(ctx: Context) -> dict[str, str]:
    from taskbook.preferences import known

    return known(ctx.store).part_of_day


def _iso(text: str) -> str | None:
    """A date or moment in ISO form as the task object writes it; a moment with a zone becomes local. None for anything else."""
    if not _ISO.fullmatch(text):
        return None
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", re.sub(r"\.\d+", "", text).replace("Z", "+00:00")))
        return (moment.astimezone().replace(tzinfo=None) if moment.tzinfo else moment).replace(second=0).isoformat()
    except (ValueError, OverflowError):
        return None


def _due(ctx: Context, due: str, assumed: str | None) -> Due:
    if not "1970" <= due[:4] <= "2200":
        raise TodoError("invalid_argument", "when.range", due=due)
    return Due(due, assumed, (deadline_of(due) or "") < ctx.now.isoformat())
