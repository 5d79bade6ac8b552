"""Reads Chinese recurrences: how often, on which days, at what time. 每天早上8点, 每周一、三、五, 每两周, 每月最后一天, 每年10月1日."""
from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from timephrase import days
from timephrase.chinese import ChineseReader
from timephrase.chinese_words import compact, tokens_of
from timephrase.moments import Clock, default_time
from timephrase.numerals import NUMERALS, chinese_number
from timephrase.reading import EDGE
from timephrase.results import refuse
from timephrase.rules import WORKDAYS, Rule

_WEEKDAYS = {char: place for place, chars in enumerate(("一1", "二2", "三3", "四4", "五5", "六6", "日天")) for char in chars}
_PLACES = {"第一个": 1, "第二个": 2, "第三个": 3, "第四个": 4, "最后一个": -1, "最后1个": -1}
_WEEK = ("周", "星期", "礼拜")
_UNSUPPORTED = ("小时", "个小时", "分钟", "个钟头", "钟头", "季度", "个季度", "半天", "半小时", "半年", "半个月", "次", "秒")
Taken = tuple[Rule, int]


def read_rule(text: str, now: datetime, parts: Mapping[str, str] | None) -> Rule:
    """The rule of the whole phrase; Refused when there is none or anything is left over."""
    plain = compact(text)[0].strip(EDGE)
    rule, end = prefix(plain, now, parts)
    rest = plain[end:]
    if rest.removeprefix("的") not in ("", "吧", "左右"):
        refuse("leftover", rest)
    return rule


def prefix(plain: str, now: datetime, parts: Mapping[str, str] | None) -> Taken:
    """The rule that a compact text begins with, and where it ends."""
    if not plain:
        refuse("empty")
    rule, end = _frequency(plain, now)
    return _timed(plain, rule, end, now, parts)


def _frequency(text: str, now: datetime) -> Taken:
    """How often and on which days."""
    for word, days_apart in (("每隔一天", 2), ("每隔1天", 2), ("隔天", 2), ("隔日", 2), ("每天", 1), ("每日", 1), ("天天", 1)):
        if text.startswith(word):
            return Rule("daily", days_apart), len(word)
    for word in ("每个工作日", "每工作日", "每逢工作日", "工作日"):
        if text.startswith(word):
            return Rule("weekly", weekdays=WORKDAYS), len(word)
    if text.startswith(("每早", "每晚")):  # 每早7点, 每晚8点: the part of the day follows
        return Rule("daily"), 1
    for word in ("隔周", "每隔一周", "每隔1周", "每隔一个星期", "每隔一个礼拜", "每隔一星期"):
        if text.startswith(word):
            return _weekly(text, len(word) - (word == "隔周"), 2, now)
    if not text.startswith("每"):
        refuse("not_recurring", text)
    return _every(text, now)


def _every(text: str, now: datetime) -> Taken:
    end = 2 if text.startswith(("每逢", "每到")) else 1
    if text.startswith("隔", end):
        refuse("unsupported_rule", text[:5])
    count, end = _count(text, end)
    end += text.startswith("个", end)
    if not count:
        refuse("impossible", text)
    if count > 1 and text.startswith(("天", "日"), end):
        return Rule("daily", count), end + 1
    if text.startswith("月", end):
        return _monthly(text, end + 1, count, now)
    if text.startswith("年", end):
        return _yearly(text, end + 1, count, now)
    if text.startswith(_WEEK, end):
        return _weekly(text, end, count, now)
    code = "unsupported_rule" if text.startswith(_UNSUPPORTED, end) else "leftover"
    refuse(code, text)


def _count(text: str, place: int) -> tuple[int, int]:
    """The number after 每, 1 without one."""
    end = place
    while end < len(text) and end - place < 3 and (text[end] in NUMERALS or "0" <= text[end] <= "9"):
        end += 1
    if end == place:
        return 1, place
    said = text[place:end]
    value = int(said) if said.isascii() else chinese_number(said)
    return value or 0, end


def _weekly(text: str, place: int, interval: int, now: datetime) -> Taken:
    """周一三五, 周一、三、五, 周一和周三, 周一到周五, 周末; without a weekday that of today."""
    end = place
    week = next((word for word in _WEEK if text.startswith(word, end)), "")
    end += len(week)
    if text.startswith("的", end):  # 每两周的周五
        end += 1
    repeated = next((word for word in _WEEK if text.startswith(word, end)), "")
    end += len(repeated)
    if text.startswith("末", end):
        return Rule("weekly", interval, (5,)), end + 1
    found, end = _weekdays(text, end)
    if not found:
        if repeated or text.startswith(tuple("七八九十零"), end):
            refuse("impossible", text[place:end + 1])
        return Rule("weekly", interval, (now.weekday(),)), end
    return Rule("weekly", interval, tuple(sorted(set(found)))), end


def _weekdays(text: str, place: int) -> tuple[list[int], int]:
    """The weekdays that follow, and where they end. A digit before 点 or : begins a clock."""
    found: list[int] = []
    end = place
    while end < len(text):
        start = end
        joined = found and text[end] in "、,，和及与到至-~"
        ranged = found and text[end] in "到至-~"
        start += bool(joined)
        start += next((len(word) for word in _WEEK if found and text.startswith(word, start)), 0)
        char = text[start:start + 1]
        if char not in _WEEKDAYS or not char or ((found or char.isascii()) and _is_clock(text, start)):
            break
        if ranged:
            if _WEEKDAYS[char] <= found[-1]:
                refuse("contradiction", text[place:start + 1])
            found += range(found[-1] + 1, _WEEKDAYS[char])
        found.append(_WEEKDAYS[char])
        end = start + 1
    return found, end


def _is_clock(text: str, place: int) -> bool:
    """Whether the number at `place` is the hour of a clock: 每周五三点, 每周一10:00. 每周一二十点 could be 20:00 or two days at 10:00."""
    end = place
    while end < len(text) and (text[end] in NUMERALS or "0" <= text[end] <= "9"):
        end += 1
    run = text[place:end]
    if text[end:end + 1] not in tuple("点时:"):
        return False
    if run.isascii():
        return True
    if chinese_number(run) is not None and len(run) > 1 and run[0] in _WEEKDAYS and chinese_number(run[1:]) is not None:
        refuse("unclear", text)
    return chinese_number(run) is not None


def _monthly(text: str, place: int, interval: int, now: datetime) -> Taken:
    """15号, 1号和15号, 最后一天, 底, 初, 第一个周一, 最后一个工作日; without a day that of today."""
    end = place + text.startswith("的", place)
    for word, day in (("最后一天", -1), ("最后1天", -1), ("月底", -1), ("底", -1), ("末", -1), ("月末", -1), ("月初", 1), ("初", 1), ("第一天", 1)):
        if text.startswith(word, end):
            return Rule("monthly", interval, monthdays=(day,)), end + len(word)
    for word, position in _PLACES.items():
        if text.startswith(word, end):
            return _ordinal(text, end + len(word), interval, position)
    found: list[int] = []
    while True:
        start = end + bool(found and text[end:end + 1] in tuple("、,，和及"))
        day, after = _count(text, start)
        if after == start or text[after:after + 1] not in ("号", "日", "、", "和", ",", "，"):
            break
        if not 1 <= day <= 31:
            refuse("impossible", text[:after + 1])
        found.append(day)
        end = after + (text[after] in "号日")
    if found:
        return Rule("monthly", interval, monthdays=tuple(sorted(set(found)))), end
    if now.day > 28 or text[end:end + 1] not in ("", "的"):
        refuse("vague", text)
    return Rule("monthly", interval, monthdays=(now.day,)), end


def _ordinal(text: str, place: int, interval: int, position: int) -> Taken:
    if text.startswith("工作日", place):
        return Rule("monthly", interval, WORKDAYS, position=position), place + 3
    week = next((word for word in _WEEK if text.startswith(word, place)), "")
    char = text[place + len(week):place + len(week) + 1]
    if not week or char not in _WEEKDAYS or not char:
        refuse("unsupported_rule", text)
    return Rule("monthly", interval, (_WEEKDAYS[char],), position=position), place + len(week) + 1


def _yearly(text: str, place: int, interval: int, now: datetime) -> Taken:
    """10月1日, 国庆节; without a date that of today."""
    place += text.startswith("的", place)
    tokens = tokens_of(text[place:])
    if not tokens:
        return Rule("yearly", interval, monthdays=(now.day,), month=now.month), place
    kinds = [token[0] for token in tokens] + [""] * 3
    if kinds[0] == "holiday":
        value = tokens[0][1]
        assert isinstance(value, tuple)
        return Rule("yearly", interval, monthdays=(value[1],), month=value[0]), place + tokens[0][3]
    if kinds[:3] != ["num", "month", "num"]:
        refuse(str(tokens[0][1]) if kinds[0] == "no" else "leftover", text)
    month, day = tokens[0][1], tokens[2][1]
    assert isinstance(month, int) and isinstance(day, int)
    if not days.exists(2000, month, day):
        refuse("impossible", text)
    return Rule("yearly", interval, monthdays=(day,), month=month), place + tokens[2 + (kinds[3] == "mark")][3]


def _timed(text: str, rule: Rule, place: int, now: datetime, parts: Mapping[str, str] | None) -> Taken:
    """Adds the time of day that follows."""
    place += text.startswith(" ", place)
    rest = text[place:]
    reader = ChineseReader(rest, tokens_of(rest), now, parts)
    read = reader.phrase(0, whole=False)
    if not read:
        return rule, place
    if reader.named or reader.pieces.moment or reader.pieces.same_time:
        refuse("contradiction", text[:place + reader.tokens[read - 1][3]])
    return clocked(rule, reader, parts, text), place + reader.tokens[read - 1][3]


def clocked(rule: Rule, reader: ChineseReader, parts: Mapping[str, str] | None, text: str) -> Rule:
    """The rule at the clock or part of the day of the reader. Past midnight the days of a week move on by one; others cannot."""
    return with_time(rule, minutes_of(reader.pieces.clock, reader.pieces.part, parts, text), text)


def minutes_of(clock: Clock | None, part: str | None, parts: Mapping[str, str] | None, text: str) -> int | None:
    """Minutes from the midnight of the day (R6-R9, the earlier reading), None for no time of day."""
    if clock is None:
        return None if part is None else default_time(part, parts)
    earlier = clock.hour if clock.exact or clock.hour >= 7 else clock.hour + 12
    hour = earlier if part is None else clock.hour_in(part)
    if hour * 60 + clock.minute < clock.minus:
        refuse("contradiction", text)
    return hour * 60 + clock.minute - clock.minus


def with_time(rule: Rule, minutes: int | None, text: str) -> Rule:
    """The rule at that time of day."""
    if minutes is None:
        return rule
    shift, minutes = divmod(minutes, 1440)
    if shift and rule.freq not in ("daily", "weekly"):
        refuse("contradiction", text)
    weekdays = tuple(sorted((day + shift) % 7 for day in rule.weekdays))
    return Rule(rule.freq, rule.interval, weekdays, rule.monthdays, rule.month, rule.position, f"{minutes // 60:02}:{minutes % 60:02}")
