"""Rules in words, Chinese and English."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timephrase.rules import Rule

_ZH_DAYS = "一二三四五六日"
_EN_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
_EN_UNITS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_ZH_UNITS = {"daily": "天", "weekly": "周", "monthly": "个月", "yearly": "年"}
_ZH_PLACES = {1: "第一个", 2: "第二个", 3: "第三个", 4: "第四个", 5: "第五个", -1: "最后一个"}
_EN_PLACES = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_WORKDAYS = (0, 1, 2, 3, 4)


def words(rule: Rule, lang: str) -> str:
    """The rule as a person writes it; `parse_rule` reads it back to the same rule."""
    said = _english(rule) if lang == "en" else _chinese(rule)
    return f"{said} {rule.time}" if rule.time else said


def _chinese(rule: Rule) -> str:
    unit = "月" if rule.freq == "monthly" and rule.interval == 1 else _ZH_UNITS[rule.freq]
    every = "每" + ("" if rule.interval == 1 else _count(rule.interval)) + unit
    if rule.freq == "weekly":
        if rule.weekdays == _WORKDAYS and rule.interval == 1:
            return "每个工作日"
        return (every if rule.interval == 1 else f"{every}周") + "、".join(_ZH_DAYS[day] for day in rule.weekdays)
    if rule.freq == "monthly":
        if rule.position:
            named = "工作日" if rule.weekdays == _WORKDAYS else "周" + "、".join(_ZH_DAYS[day] for day in rule.weekdays)
            return f"{every}{_ZH_PLACES[rule.position]}{named}"
        return every + "、".join("最后一天" if day == -1 else f"{day}号" for day in rule.monthdays)
    if rule.freq == "yearly":
        return f"{every}{rule.month}月" + ("最后一天" if rule.monthdays[0] == -1 else f"{rule.monthdays[0]}日")
    return every


def _count(number: int) -> str:
    return "两" if number == 2 else str(number)


def _english(rule: Rule) -> str:
    unit = _EN_UNITS[rule.freq]
    every = f"every {unit}" if rule.interval == 1 else f"every {rule.interval} {unit}s"
    if rule.freq == "weekly":
        if rule.weekdays == _WORKDAYS and rule.interval == 1:
            return "every weekday"
        named = listed([_EN_DAYS[day] for day in rule.weekdays])
        return f"every {named}" if rule.interval == 1 else f"{every} on {named}"
    if rule.freq == "monthly":
        if rule.position:
            named = "weekday" if rule.weekdays == _WORKDAYS else listed([_EN_DAYS[day] for day in rule.weekdays])
            return f"{every} on the {_EN_PLACES[rule.position]} {named}"
        return f"{every} on the " + listed(["last day" if day == -1 else ordinal(day) for day in rule.monthdays])
    if rule.freq == "yearly":
        month = MONTHS[rule.month - 1]
        return f"{every} on the last day of {month}" if rule.monthdays[0] == -1 else f"{every} on {month} {rule.monthdays[0]}"
    return every


def listed(names: list[str]) -> str:
    """A, B and C."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def ordinal(number: int) -> str:
    """15th."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
