"""Serves the embedded model as an httpx transport: POST …/chat/completions (one JSON object, or events when a stream is asked for), GET …/models."""
from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from core.endpoint.wire_httpx import import_httpx
from core.i18n import t
from core.offline import NAME, NOT_UNDERSTOOD, OfflineModel

if TYPE_CHECKING:
    import httpx

    from core.skills import SkillRegistry

_PIECE = 24


@lru_cache(maxsize=1)
def transport_class() -> type[Any]:
    """The class OfflineTransport; httpx is imported by the first call, since the class derives from its transport."""
    library = import_httpx()

    class OfflineTransport(library.BaseTransport):  # type: ignore[misc, name-defined]
        """Answers in process. A request that fitted no command carries the header `x-embedded-model: not-understood`."""

        def __init__(self, registry: SkillRegistry) -> None:
            self._model = OfflineModel(registry)

        @property
        def understood(self) -> bool | None:
            """Whether the last request fitted a command; None before any."""
            return self._model.understood

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            return _answer(self._model, request)

    return OfflineTransport


def _answer(model: OfflineModel, request: httpx.Request) -> httpx.Response:
    import httpx

    path = request.url.path.rstrip("/")
    if request.method == "GET" and path.endswith("/models"):
        return httpx.Response(200, json={"object": "list", "data": [{"id": NAME, "object": "model"}]})
    if request.method != "POST" or not path.endswith("/chat/completions"):
        return _refusal(404, f"no such path: {path}")
    try:
        body = json.loads(request.read())
        messages = [message for message in body["messages"] if isinstance(message, Mapping)]
    except (ValueError, KeyError, TypeError):
        return _refusal(400, "the body must be a JSON object with messages")
    try:
        content = json.dumps(model.reply(messages), ensure_ascii=False)
    except Exception as error:  # noqa: BLE001  # raised on, it would pass for a broken network and be tried again
        return _refusal(400, t("offline.fault", reason=type(error).__name__), {"x-should-retry": "false"})
    headers = {"x-embedded-model": "understood" if model.understood else NOT_UNDERSTOOD}
    if body.get("stream"):
        return httpx.Response(200, headers={**headers, "content-type": "text/event-stream"}, content=_events(content))
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return httpx.Response(200, headers=headers, json={**_frame("chat.completion"), "choices": [choice]})


def _frame(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-built-in", "object": kind, "created": int(time.time()), "model": NAME}


def _events(content: str) -> Iterator[bytes]:
    frame = _frame("chat.completion.chunk")
    pieces = [content[start:start + _PIECE] for start in range(0, len(content), _PIECE)] if len(content) < 4000 else [content]
    for piece in pieces:
        yield _event({**frame, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
    yield _event({**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield b"data: [DONE]\n\n"


def _event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def _refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
    import httpx

    return httpx.Response(status, headers=headers, json={"error": {"message": message, "type": "invalid_request_error"}})
