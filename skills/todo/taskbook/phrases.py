"""The operation parse_time, and its batch form for many phrases at once."""
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from timephrase import Rule, parse, parse_rule

from taskbook.clock import read_now
from taskbook.contract import Context, TodoError
from taskbook.words import say


def parse_time(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`due` as the task object writes it and `assumed`, a sentence or null; a repetition gives `rule` and its first date instead."""
    from taskbook.preferences import known

    text, parts = values["text"], known(ctx.store).part_of_day
    reading = parse(text, ctx.now, parts)
    assumed = reading.assumed.say(ctx.lang) if reading.assumed else None
    answer: dict[str, Any] = {"text": text, "due": reading.due, "assumed": assumed}
    if reading.due is not None:
        from taskbook.task import due_display

        shown = due_display(reading.due, ctx.now, ctx.lang)
        key = "phrases.assumed" if assumed else "phrases.due"
        return {**answer, "message": ctx.say(key, text=text, due=shown, iso=reading.due, assumed=assumed)}
    rule = parse_rule(text, ctx.now, parts)
    if isinstance(rule, Rule):
        first, spoken = rule.first(ctx.now), rule.say(ctx.lang)
        return {**answer, "rule": spoken, "next": first, "message": ctx.say("phrases.rule", text=text, rule=spoken, first=first)}
    raise TodoError("invalid_argument", "phrases.refused", answer, refusal=reading.error)


def batch(lines: Iterable[bytes], now: datetime, lang: str) -> Iterator[str]:
    """For each JSON line {"text", "now"} one JSON line {"text", "due", "assumed", "error"}; `now` of the call where a line has none."""
    for line in lines:
        if line.strip():
            yield json.dumps(_one(line, now, lang), ensure_ascii=False)


def _one(line: bytes, now: datetime, lang: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"text": None, "due": None, "assumed": None, "error": None}
    try:
        asked = json.loads(line)
        text, moment = asked["text"], asked.get("now")
        if not isinstance(text, str) or not isinstance(moment, str | None):
            raise TypeError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {**answer, "error": say("phrases.bad_line", lang)}
    answer["text"] = text
    try:
        reading = parse(text, read_now(moment) if moment else now)
    except TodoError as problem:
        return {**answer, "error": problem.say(lang)}
    assumed = reading.assumed.say(lang) if reading.assumed else None
    return {**answer, "due": reading.due, "assumed": assumed, "error": reading.error.say(lang) if reading.error else None}
