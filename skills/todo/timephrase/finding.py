"""Finds the one time phrase inside a sentence. What only looks like a time (三点水, 五一路, 5.1声道, 《明天会更好》, "May I") is passed over."""
from __future__ import annotations

from timephrase.frozen import Frozen
from timephrase.results import Reading, Refusal
from timephrase.rules import Rule

TYPE_CHECKING = False  # `typing` alone would double the time that importing this package takes
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

LONGEST = 400  # characters; longer texts are no sentence that a person says


class Found(Frozen):
    """sentence[start:end] is the time phrase with its fillers. `reading` is its due point, or the refusal to ask about; `rule` a recurrence."""

    __slots__ = ("start", "end", "reading", "rule")
    start: int
    end: int
    reading: Reading | None
    rule: Rule | None

    def __init__(self, start: int, end: int, reading: Reading | None, rule: Rule | None) -> None:
        self._fill(start, end, reading, rule)


class Candidate:
    """A phrase that a language's scan found, by places in the sentence. `past`: it names a day gone by; `lacks`: "clock" or "day"."""

    __slots__ = ("found", "lacks", "past")

    def __init__(self, found: Found, past: bool = False, lacks: str = "") -> None:
        self.found, self.past, self.lacks = found, past, lacks


def find(sentence: str, now: datetime, parts: Mapping[str, str] | None = None) -> Found | None:
    """The one time phrase of the sentence; None when there is none, or two that compete. Never raises for any text.

    A phrase that is one but cannot be read (下个月32号, 过几天) is returned with `reading.error`.
    """
    if not sentence or len(sentence) > LONGEST:
        return None
    from timephrase.masking import masked

    text, now = masked(sentence), now.replace(tzinfo=None)
    candidates: list[Candidate] = []
    if not text.isascii():
        from timephrase.chinese_finding import scan

        candidates += scan(text, now, parts)
    if text.isascii() or any(char.isascii() and char.isalpha() for char in text):
        from timephrase.english_finding import scan as scan_english

        candidates += scan_english(text, now, parts)
    chosen = _joined(_apart(candidates), text, now, parts)
    return _one(chosen, text)


def _apart(candidates: list[Candidate]) -> list[Candidate]:
    """Without those that a longer one covers, in order."""
    kept: list[Candidate] = []
    for each in sorted(candidates, key=lambda one: one.found.start - one.found.end):
        if all(each.found.end <= other.found.start or each.found.start >= other.found.end for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda one: one.found.start)


def _joined(candidates: list[Candidate], text: str, now: datetime, parts: Mapping[str, str] | None) -> list[Candidate]:
    """A day and a time of day with a comma between are one phrase; two times with 到, 或, to, or between are a range."""
    from timephrase.reading import parse

    joined: list[Candidate] = []
    for each in candidates:
        last = joined[-1] if joined else None
        between = text[last.found.end:each.found.start].strip().lower() if last else None
        if last and between in ("", ",", "，") and (last.lacks, each.lacks) in (("clock", "day"), ("day", "clock")):
            said = [text[one.found.start:one.found.end] for one in (last, each)]
            reading = parse(" ".join(said if last.lacks == "clock" else said[::-1]), now, parts)
            joined[-1:] = [Candidate(Found(last.found.start, each.found.end, reading, None))]
        elif last and last.found.rule is None and each.found.rule is None and (
                between in _JOINTS or (between == "" and text[each.found.start] in "到至")):
            joined[-1:] = [Candidate(_ranged(text, last.found.start, each.found.end))]
        else:
            joined.append(each)
    return joined


_JOINTS = frozenset({"到", "至", "-", "–", "~", "～", "或", "或者", "还是", "、", "to", "or", "until", "till", "through", "and", "和", "跟", "与"})


def _ranged(text: str, start: int, end: int) -> Found:
    said = text[start:end]
    return Found(start, end, Reading(None, None, Refusal("range", said, said)), None)


def _one(candidates: list[Candidate], text: str) -> Found | None:
    """The candidate that is left; a day gone by gives way to any other."""
    ahead = [each for each in candidates if not each.past] or candidates
    if not ahead:
        return None
    first = ahead[0].found
    same = all(each.found.reading == first.reading and each.found.rule == first.rule and first.reading and first.reading.due for each in ahead[1:])
    return first if same else None
