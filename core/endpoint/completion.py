"""Puts one reply together from the chunks of a stream, or from one whole body."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.endpoint.failure import EndpointFailure, Failure
from core.endpoint.reply import Usage
from core.endpoint.sse import ServerEvent

MAX_REPLY = 4_000_000
_LONGEST_REASON = 1000
_REASONING = ("reasoning_content", "reasoning", "thinking")
_FILTERED = ("content_filter", "sensitive")
_read = json.JSONDecoder().raw_decode  # json.loads looks at the kind of its argument and at blanks first, at every word of a stream


class Completion:
    """What has arrived of one reply. Reasoning is kept apart from content and never read for an action."""

    def __init__(self) -> None:
        self.finish_reason: str | None = None
        self.usage: Usage | None = None
        self.done = False
        self.characters = 0
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._half = ""  # the first half of a character that a server cut in two

    @property
    def content(self) -> str:
        return "".join(self._content)

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning)

    @property
    def finished(self) -> bool:
        """Whether the endpoint said that the reply is whole."""
        return self.done or self.finish_reason is not None

    def take_event(self, event: ServerEvent) -> tuple[str, str]:
        """Add one event; the (content, reasoning) that it brought. EndpointFailure when it is an error."""
        name, data = event
        if data[:1] != "{" and data.strip() == "[DONE]":
            self.done = True
            return "", ""
        try:
            chunk, end = _read(data)
            if end != len(data):
                chunk = json.loads(data)
        except (ValueError, RecursionError):
            chunk = _read_damaged(name, data)
        if name == "error":
            raise _error(chunk)
        return self.take(chunk) if isinstance(chunk, dict) else ("", "")

    def take(self, chunk: dict[str, Any]) -> tuple[str, str]:
        """Add one chunk or whole body (`delta` or `message`); the (content, reasoning) that it brought."""
        choices = chunk.get("choices")
        if not choices or chunk.get("error"):
            _raise_error(chunk)
        usage = chunk.get("usage")
        if usage:
            self.usage = read_usage(usage)
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return "", ""
        if choice.get("error"):
            raise _error(choice["error"])
        finish = choice.get("finish_reason")
        if finish:
            self._finish(finish if isinstance(finish, str) else "unknown")
        part = choice.get("delta") or choice.get("message")
        if not isinstance(part, dict):
            text = choice.get("text")
            return self._add(text if isinstance(text, str) else "", "")
        content = part.get("content")
        if content is not None and not isinstance(content, str):
            content = join_parts(content)
        return self._add(content or "", _reasoning(part) if len(part) > 1 or not content else "")

    def _add(self, content: str, reasoning: str) -> tuple[str, str]:
        if content and (self._half or not content.isascii()):
            content = self._without_halves(content)
        if content:
            self._content.append(content)
            self.characters += len(content)
        if reasoning:
            reasoning = _valid(reasoning)
            self._reasoning.append(reasoning)
            self.characters += len(reasoning)
        return content, reasoning

    def _without_halves(self, text: str) -> str:
        """Surrogate pairs joined, also over two chunks; nothing that could not be written or sent later."""
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1] < "\udc00" else ""
        return _valid(text[:-1] if self._half else text)

    def _finish(self, reason: str) -> None:
        self.finish_reason = reason[:_LONGEST_REASON]
        if reason in _FILTERED:
            raise EndpointFailure(Failure("filter", reason, 200, reason))
        if reason == "error":
            raise EndpointFailure(Failure("retry", "the endpoint gave up in the middle of the reply", 200))


def _read_damaged(name: str, data: str) -> Any:
    """The data of an event that does not begin as JSON; EndpointFailure when it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        if name == "error":
            raise _error(data) from None
        raise EndpointFailure(Failure("retry", "a damaged event in the stream")) from None


def read_usage(usage: Any) -> Usage | None:
    """The token counts in the forms of the known providers, or None."""
    if not isinstance(usage, Mapping):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    for name in ("prompt_cache_hit_tokens", "cached_tokens"):
        cached = usage.get(name) if cached is None else cached
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def join_parts(content: Any) -> str:
    """The text of a content that is a list of parts; reasoning parts are left out."""
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text") and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "".join(texts)


def _valid(text: str) -> str:
    """`text` with surrogate pairs joined and lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _raise_error(chunk: dict[str, Any]) -> None:
    """An error in place of choices: an object or a text, `object: error`, or a provider's base_resp with a code other than 0."""
    error = chunk.get("error")
    status = chunk.get("base_resp")
    if error:
        raise _error({"error": error} if isinstance(error, str) else error)
    if chunk.get("object") == "error" or isinstance(status, dict) and status.get("status_code"):
        raise _error(chunk)
    if "choices" not in chunk and chunk.get("code") and (chunk.get("message") or chunk.get("msg")):
        raise _error(chunk)


def _error(error: Any) -> EndpointFailure:
    from core.endpoint.errors import classify_inner

    return EndpointFailure(classify_inner(error))


def _reasoning(part: dict[str, Any]) -> str:
    for name in _REASONING:
        value = part.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
