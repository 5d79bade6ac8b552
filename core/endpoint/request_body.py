"""The request's bytes: parameters first, then the messages, each encoded once and reused by every later request."""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.endpoint.capabilities import Capabilities, Sent

JSON_REMINDER = '\n\nReply with one JSON object, for example {"thought": "...", "action": "answer", "answer": "..."}.'
_EMPTY = "(empty)"  # several providers refuse an empty message
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RequestBody:
    """Keeps the encoded messages of a conversation. Messages that are the same as last time keep their very bytes."""

    def __init__(self) -> None:
        self._known: list[Mapping[str, Any]] = []  # copies, compared with what comes without any Python code a message
        self._ends: list[int] = []
        self._bytes = bytearray()
        self._estimates: list[float] = []
        self._reminder = False

    def encode(self, messages: Sequence[Mapping[str, Any]], head: bytes, reminder: bool = False) -> bytes:
        """The whole body: `head` is the parameters' object without its closing brace."""
        if reminder != self._reminder:
            self._reminder = reminder
            self._cut(0)
        known = len(self._known)
        if list(messages[:known]) != self._known:
            known = next((place for place, (new, old) in enumerate(zip(messages, self._known, strict=False)) if new != old), len(messages))
            self._cut(known)
        for message in messages[known:]:
            self._append(message)
        return b"".join((head, b',"messages":[', self._bytes, b"]}"))

    def estimated_tokens(self) -> float:
        """A low guess of the tokens of the messages encoded last."""
        return self._estimates[-1] if self._estimates else 0.0

    def _append(self, message: Mapping[str, Any]) -> None:
        role, content = message["role"], message["content"]
        text = content if content.strip() else _EMPTY
        if self._reminder and not self._known:
            text += JSON_REMINDER
        encoded = f'{{"role":{_encode(role)},"content":{_encode(text)}}}'.encode("utf-8", "replace")
        if self._bytes:
            self._bytes += b","
        self._bytes += encoded
        self._known.append({**message})
        self._ends.append(len(self._bytes))
        wide = max(0, len(encoded) - len(text) - 26) / 2
        self._estimates.append(self.estimated_tokens() + max(0.0, len(text) - wide) / 4.5 + wide * 0.5)

    def _cut(self, count: int) -> None:
        del self._known[count:], self._ends[count:], self._estimates[count:]
        del self._bytes[self._ends[-1] if self._ends else 0:]


def head_of(model: str, sent: Sent, temperature: float | None, schema: Mapping[str, Any] | None) -> bytes:
    """The parameters of a request, as JSON without the closing brace."""
    parameters: dict[str, Any] = {"model": model, "stream": sent.stream}
    if sent.stream_options:
        parameters["stream_options"] = {"include_usage": True}
    if sent.format == "json_object":
        parameters["response_format"] = {"type": "json_object"}
    elif sent.format != "none":
        wrapped: dict[str, Any] = {"name": "reply", "schema": {"type": "object"}}
        if schema is not None:
            wrapped = {"name": "reply", "strict": True, "schema": schema}
        parameters["response_format"] = {"type": "json_schema", "json_schema": wrapped}
    if sent.temperature and temperature is not None:
        parameters["temperature"] = temperature
    if sent.max_tokens is not None and sent.token_field is not None:
        parameters[sent.token_field] = sent.max_tokens
    return _encode(parameters).encode("utf-8", "replace")[:-1]


def plan(now: Capabilities, *, wanted_format: str, stream: bool, temperature: float | None, max_tokens: int | None) -> Sent:
    """What to send, given what is wanted and what the endpoint was found to take."""
    allowed = now.formats
    chosen = wanted_format if wanted_format in allowed or wanted_format == "none" else next(
        (name for name in allowed if name != "json_schema" or wanted_format == "json_schema"), "none")
    streaming = stream and now.stream and (now.stream_with_format or chosen == "none")
    limit = None if max_tokens is None or now.token_field is None else min(max_tokens, now.token_cap or max_tokens)
    return Sent(chosen, streaming, now.token_field if limit is not None else None, limit,
                now.temperature and temperature is not None, streaming and now.stream_options)
