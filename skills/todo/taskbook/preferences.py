"""Preferences: what a person wants remembered, and why. Some keys have an effect and are checked; secrets are refused."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from taskbook.contract import Context, TodoError
from taskbook.store import Store

CLOCKS = ("work_start", "work_end", "lunch_start", "lunch_end", "quiet_start", "quiet_end")
NUMBERS = {"break_minutes": (0, 240), "default_estimate": (1, 1440)}
PARTS = ("dawn", "morning", "forenoon", "noon", "afternoon", "dusk", "evening", "night", "offwork")
ALIASES = {"默认城市": "default_city", "城市": "default_city", "所在城市": "default_city", "上班时间": "work_start", "下班时间": "work_end",
           "午休开始": "lunch_start", "午休结束": "lunch_end", "休息时长": "break_minutes", "default city": "default_city"}


@dataclass(frozen=True)
class Known:
    """The preferences that have an effect, or what holds without them. Clock times are "HH:MM"; minutes are whole numbers."""

    default_city: str | None = None
    work_start: str = "09:00"
    work_end: str = "18:00"
    lunch_start: str = "12:00"
    lunch_end: str = "13:30"
    quiet_start: str | None = None
    quiet_end: str | None = None
    break_minutes: int = 10
    default_estimate: int = 30
    part_of_day: dict[str, str] = field(default_factory=dict)


def known(store: Store) -> Known:
    """The preferences with an effect."""
    found: dict[str, Any] = {}
    parts: dict[str, str] = {}
    for key, value in store.db.execute("SELECT key, value FROM preferences"):
        if key.startswith("part_of_day."):
            parts[key[12:]] = value
        elif key in NUMBERS:
            found[key] = int(value)
        elif key == "default_city" or key in CLOCKS:
            found[key] = value
    return Known(part_of_day=parts, **found)


def remember_preference(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Keeps the value and the reason under the key; a key that is there already gets the new ones."""
    from taskbook.secret_check import secret_in

    key, value, reason = _key(values["key"]), values["value"].strip(), values.get("reason", "").strip()
    if secret_in(key, value) or secret_in("", reason):
        raise TodoError("invalid_argument", "preferences.secret")
    if not value:
        raise TodoError("invalid_argument", "preferences.empty_value", key=key)
    value = _checked(ctx, key, value)
    with ctx.store.change(ctx.now, "remember_preference") as change:
        before = _row(ctx, key)
        fields = {"value": value, "reason": reason, "updated_at": ctx.now.isoformat()}
        if before is None:
            change.insert("preferences", {"key": key, **fields, "created_at": ctx.now.isoformat()})
        else:
            change.update("preferences", key, fields)
    answer = {"key": key, "value": value, "reason": reason, "message": ctx.say("preferences.remembered", key=key, value=value)}
    return {**answer, "previous": before["value"]} if before is not None and before["value"] != value else answer


def recall_preference(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """The value and the reason. Raises TodoError not_found with keys that are written alike."""
    row = _existing(ctx, values["key"])
    because = ctx.say("preferences.because", reason=row["reason"]) if row["reason"] else ""
    return {"key": row["key"], "value": row["value"], "reason": row["reason"],
            "message": ctx.say("preferences.recalled", key=row["key"], value=row["value"], because=because)}


def list_preferences(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """`preferences`: each key with its value, and key__reason where there is a reason; `count` counts the keys."""
    rows = ctx.store.db.execute("SELECT key, value, reason FROM preferences ORDER BY key").fetchall()
    listed: dict[str, str] = {}
    lines = []
    for row in rows:
        listed[row["key"]] = row["value"]
        if row["reason"]:
            listed[f"{row['key']}__reason"] = row["reason"]
        because = ctx.say("preferences.because", reason=row["reason"]) if row["reason"] else ""
        lines.append(ctx.say("preferences.line", key=row["key"], value=row["value"], because=because))
    message = ctx.say("preferences.count" if rows else "preferences.none", count=len(rows))
    return {"preferences": listed, "count": len(rows), "message": message, "text": "\n".join([message, *lines])}


def forget_preference(ctx: Context, values: dict[str, Any]) -> dict[str, Any]:
    """Removes it; `forgotten` is what it was. Raises TodoError not_found."""
    with ctx.store.change(ctx.now, "forget_preference") as change:
        row = _existing(ctx, values["key"])
        change.delete("preferences", row["key"])
    return {"forgotten": {"key": row["key"], "value": row["value"], "reason": row["reason"]},
            "message": ctx.say("preferences.forgotten", key=row["key"], value=row["value"])}


def _key(text: str) -> str:
    key = " ".join(text.split())
    if not key or not all(char.isprintable() for char in key):
        raise TodoError("invalid_argument", "preferences.empty_key")
    lower = key.lower()
    effective = lower in ("default_city", *CLOCKS, *NUMBERS) or lower.startswith("part_of_day.")
    return ALIASES.get(lower, lower if effective else key)


def _row(ctx: Context, key: str) -> Any:
    return ctx.store.db.execute("SELECT * FROM preferences WHERE key = ?", (key,)).fetchone()


def _existing(ctx: Context, text: str) -> Any:
    from difflib import get_close_matches

    key = _key(text)
    row = _row(ctx, key)
    if row is not None:
        return row
    keys = [found[0] for found in ctx.store.db.execute("SELECT key FROM preferences ORDER BY key")]
    near = get_close_matches(key, keys, 3, 0.5) or [one for one in keys if key.lower() in one.lower()][:3]
    raise TodoError("not_found", "preferences.near" if near else "preferences.not_found", {"near": near}, key=key[:50], near=", ".join(near))


def _checked(ctx: Context, key: str, value: str) -> str:
    """The value of a key with an effect in its one form, any other as it is."""
    if key in NUMBERS:
        return _number(key, value)
    part = key.removeprefix("part_of_day.")
    if part != key and part not in PARTS:
        raise TodoError("invalid_argument", "preferences.part", part=part[:30], known=", ".join(PARTS))
    return _clock(ctx, key, value) if key in CLOCKS or part != key else value


def _clock(ctx: Context, key: str, value: str) -> str:
    from taskbook.when import resolve_clock

    if key.endswith("_end") and value.strip() in ("24:00", "24点"):
        return "24:00"
    return resolve_clock(ctx, value, key).strftime("%H:%M")


def _number(key: str, value: str) -> str:
    low, high = NUMBERS[key]
    found = re.fullmatch(r"([0-9]{1,4})\s*(?:分钟|分|minutes?|min)?", value)
    if found is None or not low <= int(found[1]) <= high:
        raise TodoError("invalid_argument", "preferences.number", key=key, low=low, high=high, value=value[:30])
    return str(int(found[1]))
