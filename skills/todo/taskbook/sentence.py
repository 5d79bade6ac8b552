"""Takes a sentence apart: title, deadline or repetition, priority, length, tags. What is none of these stays in the title, as it was said.

Everything found is cut out of the sentence where it stands; words are cut only where they cannot belong to the title: "写重要文件" keeps
its 重要, "交作业，很重要" does not.
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from timephrase import find

from taskbook.contract import TodoError
from taskbook.numerals import CHINESE, ENGLISH, whole_number

_GAP = "\x00"  # stands where something was cut out; a time phrase never reaches across it
_LEAD = re.compile(
    r"(?:请|麻烦)?(?:帮我|给我|替我)?(?:提醒(?:我|一下)?(?:一下)?(?:要|去)?(?!事项)|记得(?:要)?|别忘(?:记)?了?(?:要)?|不要忘(?:记)?了?|记(?:一下|下来|下|一笔)|"
    r"(?:添加|新建|新增|创建|加|建|记|安排)(?:一下)?(?:一)?(?:个|条|项|件)?(?:新)?(?:的)?(?:任务|待办(?:事项)?|事项|事)|待办(?:事项)?(?=[\s:：,，]))[\s:：,，]*|"
    r"(?:please\s+|pls\s+|can you\s+|could you\s+)?(?:remind me(?:\s+to|\s+that(?:\s+i)?)?|remember to|don['’]?t (?:let me )?forget(?:\s+to)?|"
    r"(?:add|create|make|new)(?:\s+an?|\s+the)?(?:\s+new)?\s+(?:task|todo|to-do|reminder)(?:\s+to|\s+for)?|(?:note|memo)(?:\s+to self)?(?=\s*[:,])|"
    r"to-?do(?=\s*[:,]))\b[\s:,]*", re.IGNORECASE)
_OUGHT = re.compile(r"我?(?:要(?![求点素账钱命])|得(?![到分出])|需要|必须|应该|该)(?=[\u3400-\u9fff])")
_EDGE = r"(?:^|(?<=[\s,，。.;；!！(（【\[\x00]))"
_STOP = r"(?=$|[\s,，。.;；:：!！)）】\]\x00])"
_EDGE_EN = r"(?:^|(?<=[,;.(\[，。；（【\x00])|(?<=[,;.，\x00-] ))"
_STOP_EN = r"(?=$|\s*[,;.:!)\]，。：；）】\x00])"
_SUBJECT = r"(?:这(?:个|件事|事)?(?:任务)?|它|此事)?(?:是)?"
_PRIORITIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("low", (rf"{_EDGE}{_SUBJECT}(?:不(?:太|是很|怎么|那么)?(?:急|着急|紧急|重要)|有空再(?:说|做|弄)|不用(?:着)?急)(?:的)?{_STOP}",
             r"(?:优先级(?:是|为)?[:：]?低|低优先级|低优先)(?:的)?(?:任务)?", r"[!！](?:low|低)(?![\w])", r"\bp[34]\b",
             rf"{_EDGE_EN}(?:(?:it|this|that)(?:'s| is)\s+)?(?:not (?:very |so )?(?:urgent|important)|no (?:rush|hurry)){_STOP_EN}",
             r"(?:\bwith\s+)?\blow[- ]priority\b|\bpriority:?\s*low\b")),
    ("high", (rf"{_EDGE}{_SUBJECT}(?:(?:最|很|非常|特别|十分|比较|挺|超级?|极其|相当)(?:重要|紧急|急|要紧)|"
              rf"重要|紧急|加急|急|十万火急)(?:的|了|哦|啊)?{_STOP}",
              r"(?:优先级(?:是|为)?[:：]?(?:最)?高|最?高优先级|高优先)(?:的)?(?:任务)?", r"[!！](?:high|urgent|高|急)(?![\w])|(?<!\S)!{2,3}(?!\S)",
              r"\bp1\b", rf"{_EDGE_EN}(?:(?:and\s+)?(?:it|this|that)(?:'s| is)\s+)?(?:(?:the\s+)?(?:very|really|most|so|super|extremely)\s+)?"
              rf"(?:urgent|important)(?:ly)?{_STOP_EN}", rf"{_EDGE}asap{_STOP}",
              r"(?:\bwith\s+)?\bhigh(?:est)?[- ]priority\b|\bpriority:?\s*high\b")),
    ("medium", (r"(?:优先级(?:是|为)?[:：]?(?:中|普通|一般)|(?:中等?|普通|一般)优先级)(?:的)?(?:任务)?", r"[!！](?:medium|med|中)(?![\w])", r"\bp2\b",
                r"(?:\bwith\s+)?\b(?:medium|normal)[- ]priority\b|\bpriority:?\s*(?:medium|normal)\b")))
_TAG_LIST = re.compile(r"(?:打上|加上|贴上)?标签(?:是|为)?\s*[:：]?\s*(?P<zh>[^\s,，。;；:：]+(?:[、][^\s,，。;；]+)*)|"
                       r"\b(?:tags?:|tagged(?:\s+as)?)\s*(?P<en>[\w-]+(?:\s*(?:,|and)\s*[\w-]+(?=\s*(?:,|and|$)))*)", re.IGNORECASE)
_HASH = re.compile(r"(?<![A-Za-z0-9&])[#＃](?!\d+(?!\w))([^\s#＃,，。.;；!！?？:：、)）\x00]{1,50})")
_N = rf"\d{{1,4}}(?:\.\d{{1,2}})?|[{CHINESE}]{{1,4}}|{'|'.join(ENGLISH)}"
_LENGTH = (rf"(?:(?P<h>半|half\s+an|(?:{_N}))\s*(?:个)?\s*(?P<and>半)?\s*(?:小时|钟头|h(?:ours?|rs?)?\b|h(?=\d))(?P<after>半)?"
           rf"(?:\s*(?:零|and\s+)?(?P<hm>{_N})\s*(?:分钟|分|min(?:ute)?s?\b|m\b|(?<=\d)(?![\w:])))?|"
           rf"(?P<m>{_N})\s*(?:分钟|min(?:ute)?s?\b)|(?P<q>[一两三123])刻钟)")
_LATER = r"(?!\s*(?:后|之后|以后|内|之内|以内|前|之前|以前|later|from now|before|ago|after))"
_SAID_LENGTH = re.compile(
    rf"(?:(?:大概|大约|预计|估计|约|差不多|可能)*(?:需要|要|得|需|用时|耗时|时长|花费|花|用|预计|估计|大概|大约)(?:花|用)?[:：]?\s*|"
    rf"\b(?:it\s+)?(?:takes?|will take|should take|needs?|lasts?|estimated?(?:\s+at)?|est\.?|about|around)(?:\s+about|\s+around)?:?\s+|~\s*){_LENGTH}"
    rf"(?:左右|的时间)?{_LATER}", re.IGNORECASE)
_LONE_LENGTH = re.compile(rf"{_EDGE}(?<!in )(?<!within )(?:for\s+)?{_LENGTH}(?:左右)?{_LATER}{_STOP}", re.IGNORECASE)
_ANY_LENGTH = re.compile(rf"(?<![第前后内过])(?<!in )(?<!within ){_LENGTH}{_LATER}", re.IGNORECASE)
_DANGLING = re.compile(r"(?:(?:截止(?:时间|日期)?|截至|期限|时间|最晚|最迟)(?:到|是|为|在|于)?|在|于)[:：]?\s*$|"
                       r"(?:^|\s)(?:due|at|on|by|for|until|before|from|the|is due)\s*$",
                       re.IGNORECASE)
_TRAILING = re.compile(r"^\s*(?:的时候|之前|以前|前|截止|为止|(?:due|please)\b|[:：])")
_LOOKED_AT = 200  # characters in which a second time is looked for
_MARKS = " \t\n,，。.;；:：、!！~-—\x00"
_PAIRS = ("()", "（）", "[]", "【】")


@dataclass(frozen=True)
class Sentence:
    """What one sentence says. `due` is a point as the task object writes it, `rule` the words of a repetition; at most one of the two is set."""

    title: str
    due: str | None = None
    rule: str | None = None
    assumed: str | None = None
    priority: str | None = None
    minutes: int | None = None
    tags: tuple[str, ...] = ()


def read_sentence(text: str, now: datetime, lang: str, parts: Mapping[str, str] | None = None) -> Sentence:
    """The parts of the sentence. TodoError for a time that is refused, a second time, two priorities, or nothing left for a title."""
    rest = _without_lead(text.strip())
    rest, tags = _take_tags(rest)
    rest, minutes = _take_length(rest)
    rest, priority = _take_priority(rest)
    rest, said = _take_time(rest, now, lang, parts)
    title = _title(rest, timed=said.due is not None or said.rule is not None)
    if not title or _LEAD.fullmatch(title) and re.match(r"提醒|remind|记得|别忘|不要忘", title, re.IGNORECASE):
        raise TodoError("invalid_argument", "quick.no_title", text=text.strip()[:100])
    return replace(said, title=title, priority=priority, minutes=minutes, tags=tags)


def _without_lead(text: str) -> str:
    while (lead := _LEAD.match(text)) and lead.end() < len(text):
        text = text[lead.end():]
    return text


def _take_tags(text: str) -> tuple[str, tuple[str, ...]]:
    tags: list[str] = []

    def listed(found: re.Match[str]) -> str:
        tags.extend(re.split(r"[、,]\s*|\s+and\s+|\s+", found["zh"] or found["en"]))
        return _GAP

    def single(found: re.Match[str]) -> str:
        tags.append(found[1])
        return _GAP

    text = _HASH.sub(single, text)
    text = _TAG_LIST.sub(listed, text)
    return text, tuple(dict.fromkeys(tag.strip("#＃ ") for tag in tags if tag.strip("#＃ ")))


def _take_length(text: str) -> tuple[str, int | None]:
    """A length with its verb, or one that stands alone, is cut out; one inside the title (跑步30分钟) counts and stays."""
    for pattern, cut in ((_SAID_LENGTH, True), (_LONE_LENGTH, True), (_ANY_LENGTH, False)):
        found = pattern.search(text)
        minutes = _minutes(found) if found else None
        if found and minutes:
            return (text[:found.start()] + _GAP + text[found.end():] if cut else text), minutes
    return text, None


def _minutes(found: re.Match[str]) -> int | None:
    if found["q"]:
        return 15 * (whole_number(found["q"]) or 0)
    if found["m"]:
        return round(_amount(found["m"]))
    hours = 0.5 if found["h"].startswith(("半", "half")) else _amount(found["h"])
    return round(60 * (hours + (0.5 if found["and"] or found["after"] else 0)) + (_amount(found["hm"]) if found["hm"] else 0))


def _amount(text: str) -> float:
    return float(text) if text[0].isdigit() and text.isascii() else float(whole_number(text) or 0)


def _take_priority(text: str) -> tuple[str, str | None]:
    said: list[str] = []
    for name, patterns in _PRIORITIES:
        for pattern in patterns:
            text, count = re.subn(pattern, _GAP, text, flags=re.IGNORECASE)
            said += [name] * (count > 0)
    if len(set(said)) > 1:
        raise TodoError("invalid_argument", "quick.two_priorities")
    return text, said[0] if said else None


def _take_time(text: str, now: datetime, lang: str, parts: Mapping[str, str] | None) -> tuple[str, Sentence]:
    """Cuts the one time phrase out. The gaps that others left split the sentence, so that no phrase reaches across one."""
    found = find(text.replace(_GAP, "，"), now, parts)
    if found is None:
        _refuse_two(text.replace(_GAP, "，"), now, parts)
        return text, Sentence("")
    words = text[found.start:found.end].replace(_GAP, "，").strip()
    left, right = _DANGLING.sub(_GAP, text[:found.start]), _TRAILING.sub("", text[found.end:])
    rest = left + _GAP + right
    second = find(rest.replace(_GAP, "，"), now, parts)
    if found.rule is None and (found.reading is None or found.reading.due is None):
        raise TodoError("invalid_argument", "quick.refused", phrase=words, refusal=found.reading.error if found.reading else "")
    if second is not None:
        other = rest[second.start:second.end].replace(_GAP, "，").strip()
        raise TodoError("invalid_argument", "quick.two_times", first=words, second=other)
    if found.rule is not None:
        return rest, Sentence("", rule=words)
    reading = found.reading
    assert reading is not None
    return rest, Sentence("", due=reading.due, assumed=reading.assumed.say(lang) if reading.assumed else None)


def _refuse_two(text: str, now: datetime, parts: Mapping[str, str] | None) -> None:
    """`find` finds nothing where two times compete; then some cut leaves one on either side."""
    first = next((found for end in range(2, min(len(text), _LOOKED_AT)) if (found := find(text[:end], now, parts)) is not None), None)
    if first is None:
        return
    for start in range(first.end, min(len(text), _LOOKED_AT)):
        second = find(text[start:], now, parts)
        if second is not None and second.start == 0:
            other = text[start + second.start:start + second.end].strip(_MARKS)
            raise TodoError("invalid_argument", "quick.two_times", first=text[first.start:first.end].strip(_MARKS), second=other)


def _title(rest: str, *, timed: bool) -> str:
    """What is left, without the marks around the gaps. The person's own commas and words stay."""
    pieces = [piece.strip(_MARKS) for piece in rest.split(_GAP)]
    title = ""
    for piece in filter(None, pieces):
        joint = "" if not title else " " if title[-1].isascii() or piece[0].isascii() else ""
        title += joint + piece
    title = _without_lead(title)
    if timed:
        title = _OUGHT.sub("", title, count=1) if _OUGHT.match(title) else title
        title = _without_lead(title)
        title = re.sub(r"^(?:i (?:have|need|want) to|i must|i should|to)\s+", "", title, flags=re.IGNORECASE)
    return _without_empty_pairs(re.sub(r"\s+", " ", title)).strip(_MARKS)


def _without_empty_pairs(title: str) -> str:
    for pair in _PAIRS:
        title = re.sub(rf"{re.escape(pair[0])}[\s\x00]*{re.escape(pair[1])}", "", title)
        if title.startswith(pair[0]) and title.endswith(pair[1]) and title.count(pair[0]) == 1:
            title = title[1:-1]
    for opening, closing in ("“”", "「」"):
        if len(title) > 2 and title[0] == opening and title[-1] == closing and title.count(opening) == 1:
            return title[1:-1]
    return title


