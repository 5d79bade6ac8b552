"""The two entrances: a phrase to a due point, a phrase to a rule. Each picks the language by the characters of the phrase."""
from __future__ import annotations

from timephrase.results import Reading, Refusal, Refused
from timephrase.rules import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from timephrase.chinese import ChineseReader
    from timephrase.english import EnglishReader

EDGE = " ,，。.;；:：!！?？、…~\"'“”‘’「」『』《》()（）[]【】-"  # R12: punctuation at either end is ignored
LONGEST = 100  # characters; no phrase that names one due point needs more


def is_english(text: str) -> bool:
    """Whether the English reader takes the phrase: plain ASCII with a letter. Bare figures read alike in both."""
    return text.isascii() and any(char.isalpha() for char in text)


def parse(text: str, now: datetime, parts: Mapping[str, str] | None = None) -> Reading:
    """The due point that the phrase names, or why it names none. Never raises for any text.

    `now`: naive local time. `parts` overrides the default times (R8): dawn, morning, forenoon, noon, afternoon, dusk, evening, night, offwork
    -> "HH:MM".
    """
    if len(text) > LONGEST:
        return Reading(None, None, Refusal("too_long", text, text[:20] + "…"))
    try:
        return read(text, now.replace(tzinfo=None), parts)
    except Refused as problem:
        return Reading(None, None, Refusal(problem.code, text, problem.words or text.strip(EDGE) or text))


def read(text: str, now: datetime, parts: Mapping[str, str] | None) -> Reading:
    """As `parse`, but Refused is raised."""
    from timephrase.moments import reading

    if is_english(text):
        from timephrase.english import EnglishReader as English
        from timephrase.english_words import english_tokens

        reader: EnglishReader | ChineseReader = English(text, english_tokens(text), now, parts)
    else:
        from timephrase.chinese import ChineseReader as Chinese
        from timephrase.chinese_words import compact, tokens_of

        plain = compact(text)[0].strip(EDGE)
        reader = Chinese(plain, tokens_of(plain), now, parts)
    if not reader.tokens:
        raise Refused("empty")
    reader.phrase(0)
    return reading(reader.pieces)


def parse_rule(text: str, now: datetime, parts: Mapping[str, str] | None = None) -> Rule | Refusal:
    """The recurrence that the phrase names, or why it names none. Never raises for any text; `now` gives 每周 its weekday."""
    if len(text) > LONGEST:
        return Refusal("too_long", text, text[:20] + "…")
    try:
        if is_english(text):
            from timephrase.english_rules import read_rule as read_english

            return read_english(text, now.replace(tzinfo=None), parts)
        from timephrase.chinese_rules import read_rule

        return read_rule(text, now.replace(tzinfo=None), parts)
    except Refused as problem:
        return Refusal(problem.code, text, problem.words or text.strip(EDGE) or text)
