"""What an endpoint was found to take and to refuse, and the one change that answers each refusal."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.endpoint.failure import Failure

MAX_CHANGES = 4
# From the strictest to the loosest. "loose_schema" is a json_schema that asks for any object.
FORMATS = ("json_schema", "json_object", "loose_schema", "none")

# Kept as text: compiling them costs a third of this module's import, and most runs need none.
_REFUSAL = (r"unsupported|not support|n't support|invalid|not allowed|not permitted|unknown|unrecognized|unexpected|only|deprecat|extra|must"
            r"|exclusive|range|too large|cannot|forbidden|不支持|无效")
_FORMAT = r"response_format|json_object|json_schema|structured.?output|json.?mode|guided_json|grammar"
_NO_WORD = r"(?:contain|include|have|mention)s?\b.{0,30}\bword\b.{0,10}json|messages' must contain.{0,20}json"


class Capabilities(NamedTuple):
    """What to send to one model of one endpoint. `formats` are the response formats not refused so far, in FORMATS' order."""

    formats: tuple[str, ...] = FORMATS
    stream: bool = True
    stream_with_format: bool = True
    token_field: str | None = "max_tokens"
    token_cap: int | None = None
    temperature: bool = True
    stream_options: bool = True
    json_reminder: bool = False
    path_prefix: str = ""


class Sent(NamedTuple):
    """The parts of a request that an endpoint may refuse, as they were sent."""

    format: str
    stream: bool
    token_field: str | None = None
    max_tokens: int | None = None
    temperature: bool = False
    stream_options: bool = False


class Change(NamedTuple):
    """One change after a refusal; `what` is the word for the log."""

    what: str
    after: Capabilities


def change_for(failure: Failure, sent: Sent, now: Capabilities) -> Change | None:
    """The one change that answers a 400 or 422, or None when nothing that we sent explains it."""
    text = f"{failure.param} {_start(failure)} {failure.code}"
    if _found(_NO_WORD, text) and not now.json_reminder:
        return Change("json_reminder", now._replace(json_reminder=True))
    for part in _order(failure):
        change = _PARTS[part](text, sent, now)
        if change is not None:
            return change
    return None


def completion_too_long(failure: Failure, sent: Sent, now: Capabilities) -> Change | None:
    """An overflow that only our own token limit caused (the messages alone fit) is answered by not sending the limit."""
    found = re.search(r"\((\d{1,9}) in the messages|(?:has|have|with) (\d{1,9}) (?:input|prompt) tokens", _start(failure))
    if found is None or sent.max_tokens is None or failure.limit is None or int(found[1] or found[2]) > 0.9 * failure.limit:
        return None
    return Change("max_tokens", now._replace(token_field=None))


def _start(failure: Failure) -> str:
    """The beginning of a refusal, on one line: what is wrong stands there, and numbers further on mean other things."""
    return " ".join(failure.text.split())[:300]


def _order(failure: Failure) -> list[str]:
    """The parts to look at; the parameter that the error names comes first."""
    named = [part for part, words in _NAMES.items() if failure.param and any(word in failure.param for word in words)]
    return named + [part for part in _PARTS if part not in named]


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.I) is not None


def _stream_options(text: str, sent: Sent, now: Capabilities) -> Change | None:
    if sent.stream_options and re.search(r"stream_options|include_usage", text):
        return Change("stream_options", now._replace(stream_options=False))
    return None


def _temperature(text: str, sent: Sent, now: Capabilities) -> Change | None:
    if sent.temperature and "temperature" in text.lower() and _found(_REFUSAL, text):
        return Change("temperature", now._replace(temperature=False))
    return None


def _tokens(text: str, sent: Sent, now: Capabilities) -> Change | None:
    if sent.max_tokens is None or not re.search(r"max_tokens|max_completion_tokens|max_output_tokens", text):
        return None
    use_other = "max_completion_tokens" in text and _found(r"max_completion_tokens.{0,3} instead|unsupported|not support", text)
    if sent.token_field == "max_tokens" and use_other:
        return Change("max_completion_tokens", now._replace(token_field="max_completion_tokens"))
    smaller = [int(number) for number in re.findall(r"(?<!\d)\d{1,9}(?!\d)", text) if 16 < int(number) < sent.max_tokens]
    if smaller:
        return Change("max_tokens", now._replace(token_cap=max(smaller)))
    if sent.token_field == "max_completion_tokens":
        return Change("max_tokens", now._replace(token_field="max_tokens" if _found(_REFUSAL, text) else None))
    return Change("max_tokens", now._replace(token_field=None))


def _stream_format(text: str, sent: Sent, now: Capabilities) -> Change | None:
    if not sent.stream or not _found(r"\bstream(?:ing)?\b", text):
        return None
    if sent.format != "none" and _found(_FORMAT, text):
        return Change("stream", now._replace(stream_with_format=False))
    if _found(_REFUSAL, text) and not _found(_FORMAT, text):
        return Change("stream", now._replace(stream=False))
    return None


def _format(text: str, sent: Sent, now: Capabilities) -> Change | None:
    if sent.format == "none" or not _found(_FORMAT, text):
        return None
    left = tuple(name for name in now.formats if name != sent.format)
    if sent.format == "json_object" and "json_schema" not in text:
        left = ("none",)  # only a text that offers a schema makes the loose one worth a try
    elif sent.format == "json_object":
        left = tuple(name for name in left if name in ("loose_schema", "none"))
    elif sent.format == "json_schema" and _found(r"structured.?output", text):
        left = ("none",)
    return Change(next(iter(left), "none"), now._replace(formats=left or ("none",)))


_PARTS = {"stream_options": _stream_options, "stream": _stream_format, "tokens": _tokens, "temperature": _temperature, "format": _format}
_NAMES = {"stream_options": ("stream_options",), "tokens": ("max_tokens", "max_completion_tokens"), "temperature": ("temperature",),
          "format": ("response_format",), "stream": ("stream",)}
