"""Judges the prose around the object that decides: is the object the reply, or is it only spoken about?

Where the object stands comes first. On a line of its own, after a colon or after a finished sentence it is announced; at the end of an
unfinished sentence it is a word of that sentence, so it must be a label ("Action {…}") or a bare intent ("I'll run {…}"). What announces
it may still report, doubt, recall or forbid it, and what follows may take it back: the patterns below hold those shapes, not topics.
"""
from __future__ import annotations

import re

from core.reading.mentions import (
    ASKED,
    ASKS,
    CHECKED,
    CONSENT,
    CONTENT_OF,
    CONTINUED,
    DENIES,
    DOUBTS,
    EXAMPLES,
    FORBIDS,
    GERUND,
    HERE,
    INTENT,
    LABEL,
    LEADS_BESIDE,
    LEAVE,
    LOG_LINE,
    MARKED,
    NOISE,
    POINTS,
    PURPOSE,
    RECALLS,
    REPORTS,
    STRAY,
    TAIL_END,
    TAKEN_BACK,
    THIRD,
    WEAK,
)
from core.reading.structure import is_inside_a_sentence, is_no_plan, is_retold, stands_among_others, without_facts

_TAG = re.compile(r"</?[\w:.-]{1,40}(?:\s[^<>]{0,80})?/?>")
_WORD = re.compile(r"\w")
_CLAUSE_END = re.compile(r"[,，;；]\s*|\bso\b|\btherefore\b|所以|因此|于是")
_SENTENCE_END = re.compile(r"(?:(?<!e\.g)(?<!\d)[.!?](?=\s)|[。！？])\s*")
_FULL_STOP = re.compile(r"(?<=[.!?。！？])\s*")
_DECORATION = " \t\r*_`#\u3000"
_OPEN_QUOTES, _CLOSE_QUOTES = tuple("“‘「『《"), tuple("”’」』》")
_UNFINISHED, _FINISHED = tuple("=(（/$+<&%@\"'“‘「『《"), tuple(".!。！…;；?？~～")
_LEADING_OVER = (":", "：", "→", "->", "=>", "—", "–", "-", "]", "】", ")", "）", "|", ",", "，", "、")


def is_prose(text: str) -> bool:
    """Whether words are left when fences, tokens and wrapper tags are taken away."""
    return bool(_WORD.search(NOISE.sub(" ", text)))


def is_mentioned(before: str, after: str, action: str) -> bool:
    """Whether the object between `before` (the text since the last object) and `after` is talked about rather than meant."""
    before, after = before[-400:], after[:1500]
    if MARKED.search(before.rstrip(" \t\r\n`")) or before[-1:] in _OPEN_QUOTES or after[:1] in _CLOSE_QUOTES:
        return True
    return stands_among_others(before, after) or _taken_back(after, action) or _spoken(before, after, action)


def ends_like_a_lost_string(rest: str) -> bool:
    """Whether `rest`, which follows an object, ends in a quote and a brace: then the object was cut short by an unescaped quote."""
    return bool(STRAY.search(rest[-100:]))


def _taken_back(after: str, action: str) -> bool:
    """Whether what follows goes on speaking of the object, asks for leave, or takes it back."""
    end = TAIL_END.search(after)
    tail = NOISE.sub("\n", after[: end.start()] if end else after)
    line = tail.lstrip(" \t").split("\n", 1)[0]
    if ASKED.match(tail) or CONTINUED.match(line) or is_retold(tail):
        return True
    sentences = re.sub(r"([.!?;。！？；])", r"\1\n", tail)
    return bool(TAKEN_BACK.search(sentences)) or (action != "answer" and bool(LEAVE.search(sentences)))


def _spoken(before: str, after: str, action: str) -> bool:
    """Whether the last line of prose before the object speaks of it."""
    bare = _TAG.sub(" ", NOISE.sub(lambda noise: noise.group() if noise.group()[0] == "[" else " ", before))
    beside = bare.rsplit("\n", 1)[-1]
    if LOG_LINE.search(beside) or (is_inside_a_sentence(beside, after) and not PURPOSE.search(_SENTENCE_END.split(beside)[-1])):
        return True
    lines = [line for line in bare.split("\n") if is_prose(line)]
    if not lines or lines[-1].lstrip().startswith("|"):  # a row of a table above the object announces nothing
        return False
    line, own_line = lines[-1].strip(_DECORATION), not is_prose(beside)
    if LOG_LINE.search(line) or (not own_line and line[-1:] in _UNFINISHED):
        return True
    if line[-1:] in _FINISHED and not line.endswith("e.g."):
        return _points_at_it(line, action)
    sentence = _SENTENCE_END.split(line)[-1]
    if not own_line and not _leads_over(sentence, after):
        return True
    return _vetoed(sentence, action)


def _leads_over(sentence: str, after: str) -> bool:
    """Whether the unfinished sentence on the object's own line leads over to it: the object is no word of that sentence."""
    if LABEL.fullmatch(sentence):
        return sentence.endswith(_LEADING_OVER) or not is_prose(after.split("\n", 1)[0])
    if sentence.endswith((":", "：")):  # a label that names something else says what the object is, as in "Log entry: {…}"
        return bool(PURPOSE.search(sentence) or LEADS_BESIDE.search(sentence))
    if sentence.endswith(_LEADING_OVER):
        return True
    return bool(INTENT.fullmatch(sentence)) and not is_prose(after.split("\n", 1)[0])


def _points_at_it(line: str, action: str) -> bool:
    """Whether the finished sentence before the object is about it: forbids it, calls it an example, or asks for leave."""
    sentence = _FULL_STOP.split(line.rstrip(".!?。！？…"))[-1]
    asked = line[-1] in "?？" and action != "answer" and ASKS.search(CHECKED.sub("", sentence) + line[-1])
    return bool(asked or POINTS.search(sentence))


def _vetoed(sentence: str, action: str) -> bool:
    """Whether the sentence that leads over to the object asks about it, reports, doubts, recalls or forbids it."""
    bare = sentence.rstrip(" \t*:：`'\",，")
    if LABEL.fullmatch(bare):
        return False
    if FORBIDS.search(bare) or (action != "answer" and (ASKS.search(CHECKED.sub("", bare)) or CONSENT.search(without_facts(bare)))):
        return True
    clause = _CLAUSE_END.split(bare)[-1].strip() or bare
    if is_no_plan(bare, clause) or any(pattern.search(clause) for pattern in (DENIES, DOUBTS, REPORTS, EXAMPLES)):
        return True
    meant = PURPOSE.search(bare if "内容" in clause else clause)
    if CONTENT_OF.search(clause) and not (meant and not HERE.search(clause)):
        return True
    return bool(not meant and (WEAK.search(clause) or THIRD.search(clause))) or bool(RECALLS.search(clause) and not GERUND.match(clause))
