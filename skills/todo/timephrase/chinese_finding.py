"""Scans a Chinese sentence for time phrases, and knows by their neighbours the words that only look like one."""
from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from timephrase import moments
from timephrase.chinese import ChineseReader
from timephrase.chinese_rules import prefix
from timephrase.chinese_words import compact, tokens_of
from timephrase.finding import Candidate, Found
from timephrase.numerals import NUMERALS, Token
from timephrase.results import Reading, Refusal, Refused
from timephrase.rules import Rule

_STARTS = frozenset({"day", "short", "wd", "badwd", "week", "weekend", "rel", "month", "monthpart", "relyear", "year", "yearend", "quarterend",
                     "holiday", "num", "digits", "date", "clock", "less", "pass", "half", "part", "no"})
_MEASURES = frozenset("次个天篇遍回本片群圈些种项份件位名围页块元倍杯章人米岁")
_SURNAMES = frozenset("张王李刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛"
                      "叶阎余潘杜戴夏钟汪田姜范石姚谭廖邹熊金陆郝孔白崔康毛邱秦建")
# A bare H点 before or after one of these counts points, not hours: 三点建议, 第三点, 一点点.
_POINTS_BEFORE = frozenset("第有这那几早晚快慢多少差大好各共提说讲列强远近高低轻重小再写")
_POINTS_AFTER = frozenset("水建意要原说内问式理注共启想点儿声钱心名困可经好感体收思疑不优缺区得结看也都没")
_NUMBERED = re.compile("[楼线店院门车桌房选位球电令机台床公文出站字柜仓井码库班生馆厅教产病队员信地种]|会议室")
_NOUN_AFTER = {
    "holiday": re.compile("[路街村树帽卡歌档目]|广场|大道|大桥|中学|小学|公园|老人|快乐|晚会|假期|联欢"),
    "lunar": re.compile("月饼|上河|粽|晚会|联欢|档|快乐|假|路|街|联"), "part": re.compile("[好茶饭餐场安]|自习"), "weekend": re.compile("愉快|快乐"),
    "yearend": re.compile("奖"), "monthpart": re.compile("旬|考|饼"), "mark": re.compile("[游报记常历志元程]")}
_MEALS = frozenset("饭餐会宴安点间霜")
_SOLAR = re.compile("[小大]雪|雨水|白露|小满|寒露|[小大][寒暑]|霜降|谷雨|芒种|夏至|处暑|[春秋]分|惊蛰|过年|[新小]年|立[春夏秋冬]|元宵")  # names, too
_ASKED = re.compile("过(?:几天|些天|些日子|一?阵子?|一?段时间|一?会儿?)|改[天日]|[待等]会儿?|稍后")  # no date, but asked for as one
_LATER = frozenset({"晚点", "晚些", "晚一点"})
_UP_DOWN = re.compile("(?:(?<=[网线楼桌路身手地以加带关穿戴放写留记定剩余私之])[上下]|(?<=一)下)(?=[上下]?(?:周|星期|礼拜|个|月))")
_HABITS = re.compile("工作日志|每年级|天天(?!早|晚|上午|下午|[0-9])|每日[一新优经]|每一?[次人个位种件篇](?!月|周|星期|礼拜|工作)"
                     "|每周[一二三四五六日天]?[一二两三四五六七八九十0-9]{0,3}[次遍回个]|隔周刊|逢")
_ERRORS = frozenset({"impossible", "contradiction", "past_point", "out_of_range"})
_RULE_ERRORS = frozenset({"impossible", "contradiction", "lunar", "unclear"})


class _Scan:
    """One pass over a sentence."""

    def __init__(self, sentence: str, now: datetime, parts: Mapping[str, str] | None) -> None:
        self.sentence, self.now, self.parts = sentence, now, parts
        plain, self.kept = compact(sentence)
        self.text = _UP_DOWN.sub("\x00", plain)
        self.tokens = tokens_of(self.text)
        self.kinds = [token[0] for token in self.tokens] + [""] * 4
        self.candidates: list[Candidate] = []

    def run(self) -> list[Candidate]:
        """Every candidate, in order."""
        place = 0
        while place < len(self.tokens):
            end = self._at(place) if self.kinds[place] in _STARTS else 0
            place = max(end, place + 1)
        return self.candidates

    def said(self, place: int) -> str:
        """The text of a token."""
        return self.text[self.tokens[place][2]:self.tokens[place][3]] if 0 <= place < len(self.tokens) else ""

    def _at(self, place: int) -> int:
        """Tries the token; the index after its phrase, 0 when there is none."""
        kind = self.kinds[place]
        if kind == "no" and self.tokens[place][1] == "recurring":
            return self._recurring(place)
        if not self._may_start(place):
            return 0
        if kind == "no" or (kind == "num" and self.kinds[place + 1] == "no"):
            return self._refused(place)
        return self._phrase(place, self.tokens)

    # --- phrases ---

    def _phrase(self, place: int, tokens: list[Token]) -> int:
        reader = ChineseReader(self.text, tokens, self.now, self.parts)
        try:
            end = reader.phrase(place, whole=False)
            if end == place:
                return 0
            if self._loose_part(place, end):
                return self._phrase(place, tokens[:end - 1])
            reading = moments.reading(reader.pieces)
        except Refused as problem:
            return self._problem(place, problem, reader)
        if not self._plausible(place, end, reader):
            return 0
        from_number = place > 1 and self.said(place - 1) in ("到", "至", "-", "~", "或", "、") and self.kinds[place - 2] == "num"
        if from_number or self._more_weekdays(end):  # 3到5点: the number before is the other end
            start, end = (place - 2, end) if from_number else (place, end + 1)
            self._add(start, end, self._error("range", start, end))
            return end
        lacks = "" if reader.pieces.moment else "clock" if not (reader.pieces.clock or reader.pieces.part) else "" if reader.named else "day"
        self._add(place, end, reading, reader.past, lacks)
        return end

    def _more_weekdays(self, end: int) -> bool:
        """周三四: two weekdays. 周三四个人 and 周五一起 are one."""
        said = self.said(end)
        return (self.kinds[end - 1] == "wd" and self.kinds[end] in ("num", "digits") and said != "" and set(said) <= set("二三四五六")
                and self._next(end + 1) not in _MEASURES)

    def _loose_part(self, place: int, end: int) -> bool:
        """周五晚饭: the 晚 belongs to what follows."""
        return end - place > 1 and self.kinds[end - 1] == "part" and self.said(end - 1) in "早晚夜" and self._next(end) in _MEALS

    def _problem(self, place: int, problem: Refused, reader: ChineseReader) -> int:
        """A phrase that cannot be read is a candidate where it is surely one."""
        end = max(problem.end, place + 1)
        kind, sure = self.kinds[place], problem.code in _ERRORS
        if kind == "badwd":
            sure = self.said(place)[-1] in "七八九" and self._prev(place) not in NUMERALS and self._next(end) not in _MEASURES
        elif kind == "num" and self.kinds[place + 1] == "mark":
            sure = self.kinds[end] in ("before", "part", "clock") and self.said(place + 1) == "日"
        elif kind == "digits" and self.kinds[place + 1] == "oclock":
            sure = False
        elif problem.code == "vague":
            sure = bool(reader.alone) or kind in ("part", "day", "wd") or self._asks(place, end, reader)
        elif problem.code == "range":
            sure = self.kinds[end - 1] == "oclock" or self.kinds[end] in ("after", "within")
        elif problem.code == "lunar":
            sure = self.kinds[place] in ("monthpart", "num")
        if not sure or (problem.code != "vague" and not self._plausible(place, end, reader)):
            return 0
        end += self.kinds[end] in ("after", "within", "before")
        self._add(place, end, self._error(problem.code, place, end))
        return end

    def _asks(self, place: int, end: int, reader: ChineseReader) -> bool:
        """三五天后; 这周, 明年 at the head of a clause, where they say when and not which."""
        if self.kinds[place] in ("digits", "half", "pass", "num") and self.kinds[end] in ("after", "within"):
            return True
        head = self._prev(place) in ("", "?", ",", "，", "。", "；", "\x00") or self.kinds[place - 1] == "fill"
        noun = re.match("的|[报刊会]|工作|总结|计划|度", self.text[self._end(end):])
        return self.kinds[place] in ("rel", "relyear") and not reader.past and head and not noun

    def _refused(self, place: int) -> int:
        """Words that are no date but stand for one: 过几天, 几天后, 十来分钟后, 春节, 3个工作日后."""
        at = place + (self.kinds[place] == "num")
        code, end = str(self.tokens[at][1]), at + 1
        said = self.said(at)
        if code == "workdays" or (code == "vague" and said in "几数来多余若干"):
            end += self.kinds[end] in ("unit", "week", "year", "month")
            sure = end > at + (code != "workdays") and self.kinds[end] in ("after", "within") and (code != "workdays" or at > place)
            end += 1
        elif code == "vague":
            sure = bool(_ASKED.fullmatch(said)) or (said in _LATER and self._prev(place) in ("", ",", "，"))
        else:
            sure = at == place and code in ("lunar", "holiday") and self._lunar(place, said)
            end += self.kinds[end] in ("num", "digits") and said in ("初", "正月", "腊月", "冬月", "农历", "阴历")
            end += self.kinds[end] in ("before", "after", "within")
        if not sure:
            return 0
        self._add(place, end, self._error(code, place, end))
        return end

    def _lunar(self, place: int, said: str) -> bool:
        followed = self.kinds[place + 1] in ("before", "within", "after")
        if said == "初":
            return self.kinds[place + 1] == "num" and self.kinds[place + 2] in ("before", "within")
        return (followed or not _SOLAR.fullmatch(said)) and not _NOUN_AFTER["lunar"].match(self.text[self._end(place + 1):])

    def _recurring(self, place: int) -> int:
        start = self.tokens[place][2]
        rest = self.text[start:]
        if _HABITS.match(rest) or self._prev(place) == "个":
            return 0
        try:
            rule, length = prefix(rest, self.now, self.parts)
        except Refused as problem:
            known = problem.code in _RULE_ERRORS or (problem.code == "vague" and rest.startswith(("每月", "每年", "每个月")))
            if not known and not re.match("每隔[两二三四五六0-9]", rest):
                return 0
            end = place + 2
            self._add(place, end, self._error(problem.code, place, end))
            return end
        end = next(index for index in range(place, len(self.tokens) + 1) if index == len(self.tokens) or self.tokens[index][2] >= start + length)
        self._add(place, end, rule)
        return end

    # --- neighbours ---

    def _may_start(self, place: int) -> bool:
        kind, said, before = self.kinds[place], self.said(place), self._prev(place)
        if before == "第" and kind in ("num", "digits", "half"):
            return False
        if kind == "day" and said == "明":
            return self.said(place + 1)[:1] in ("早", "晚", "晨") and before not in tuple("说证聪声文发表透光小清黎阐注简申")
        if kind == "day" and self.kinds[place - 1:place] == ["unit"] and said in ("后天", "前天"):
            return False
        if kind in ("pass", "no") and said.startswith("过"):
            return before not in tuple("超不经通路错难")
        if kind == "part" and len(said) == 1:
            return self.kinds[place + 1] in ("num", "clock") and before not in tuple("很太最不多越")
        return kind not in ("half", "month", "year", "less") or before not in tuple("一两三四五六七八九十前每上下这")

    def _plausible(self, place: int, end: int, reader: ChineseReader) -> bool:
        """Whether the neighbours let the tokens be a time."""
        kind, last, before = self.kinds[place], self.kinds[end - 1], self._prev(place)
        rest, nouns = self.text[self._end(end):], _NOUN_AFTER.get(last)
        if kind == "wd" and (before in NUMERALS or before == "几") and self.kinds[place - 1] != "date":
            return False  # 一周三次
        fooled = (last == "wd" and self._next(end) in _MEASURES
                  or nouns is not None and nouns.match(rest) is not None and (last != "mark" or self.said(end - 1) == "日")
                  or kind == "holiday" and before in _SURNAMES and self.said(place) == "国庆"
                  or reader.past and (rest.startswith("的") or last == "before")
                  or kind == "part" and reader.pieces.part == "offwork" and last == "part")
        return not fooled and self._plausible_number(place, end, reader)

    def _plausible_number(self, place: int, end: int, reader: ChineseReader) -> bool:
        kind, after = self.kinds[place], self.kinds[place + 1]
        if kind == "date":
            return self._plausible_date(place, end)
        if kind == "num" and after == "mark" and end <= place + 3 and not (reader.pieces.clock or reader.pieces.part):
            return self.said(place + 1) == "日" or self.kinds[end - 1] == "before" or not _NUMBERED.match(self.text[self._end(end):])
        if kind == "num" and after == "oclock":
            return self._plausible_hour(place, end)
        if kind in ("num", "half") and reader.pieces.moment is None and after in ("unit", "week", "year"):
            return self._prev(place) not in tuple("前每第近")
        return True

    def _plausible_hour(self, place: int, end: int) -> bool:
        """三点 is an hour unless a neighbour counts points; 一点 alone is a bit."""
        before = self._prev(place)
        if end == place + 2:
            if self.said(place + 1) == "时":
                return self.said(place).isascii()
            return self.said(place) not in ("一", "1") and before not in _POINTS_BEFORE and self._next(end) not in _POINTS_AFTER
        return self.kinds[end - 1] != "before" or before not in _POINTS_BEFORE

    def _plausible_date(self, place: int, end: int) -> bool:
        """A date without a year looks like a fraction, a score or a version: it needs a neighbour that says when."""
        value = self.tokens[place][1]
        assert isinstance(value, tuple)
        if value[0]:
            return True
        if end > place + 1 or (place and self.kinds[place - 1] in ("fill", "to")):
            return True
        if value[3] == "." or self._next(end) in _MEASURES or self._next(end) in "%％点声":
            return False
        start, stop = self.tokens[place][2], self._end(end)
        first, last = (self.kept[start], self.kept[stop - 1] + 1) if self.kept else (start, stop)
        return first == 0 or (last == len(self.sentence) and self.sentence[first - 1] in " ,，;；")

    def _prev(self, place: int) -> str:
        start = self.tokens[place][2]
        return self.text[start - 1] if start else ""

    def _end(self, end: int) -> int:
        return self.tokens[end - 1][3]

    def _next(self, end: int) -> str:
        return self.text[self._end(end):self._end(end) + 1] or " "

    # --- results ---

    def _error(self, code: str, place: int, end: int) -> Reading:
        said = self.text[self.tokens[place][2]:self._end(min(end, len(self.tokens)))]
        return Reading(None, None, Refusal(code, said, said))

    def _add(self, place: int, end: int, result: Reading | Rule, past: bool = False, lacks: str = "") -> None:
        """Notes a candidate with the fillers around it."""
        while place and self.kinds[place - 1] in ("fill", "to") and self.said(place - 1) not in ("的", "吧", "左右"):
            place -= 1
        end = min(end, len(self.tokens))
        while end < len(self.tokens) and (self.said(end) in ("左右", "吧", "的") or self.kinds[end] == "until"
                                          or (isinstance(result, Rule) and self.kinds[end] == "before")):
            end += 1
        start, stop = self.tokens[place][2], self._end(end)
        if self.kept:
            start, stop = self.kept[start], self.kept[stop - 1] + 1
        rule = result if isinstance(result, Rule) else None
        self.candidates.append(Candidate(Found(start, stop, result if isinstance(result, Reading) else None, rule), past, lacks))


def scan(sentence: str, now: datetime, parts: Mapping[str, str] | None) -> list[Candidate]:
    """The time phrases of a Chinese sentence, in order."""
    return _Scan(sentence, now, parts).run()
