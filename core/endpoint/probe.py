"""Asks a server on this machine, once and briefly, what it is: some keep to a JSON schema and tell how long a prompt may be."""
from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from core.endpoint.address import Address
from core.endpoint.failure import UNREADABLE
from core.endpoint.wire import Interrupted, WireError

if TYPE_CHECKING:
    from core.endpoint.wire_types import Wire

TIME_LIMIT = 0.05
SMALLEST_WINDOW = 256  # no request of the agent fits a smaller one: the server does not mean what it says
_OWNERS = frozenset({"llamacpp", "vllm", "organization_owner", "library"})  # llama.cpp, vLLM, LM Studio, Ollama


class ServerFacts(NamedTuple):
    """`keeps_schemas`: it is llama.cpp, Ollama, vLLM or LM Studio. `window`: tokens that prompt and reply share, None where it is not told."""

    keeps_schemas: bool = False
    window: int | None = None


def ask(wire: Wire, address: Address, headers: Mapping[str, str], model: str) -> ServerFacts | None:
    """What the server's list of models tells; None when it did not answer within TIME_LIMIT."""
    path = address.target("" if address.path else "/v1", "/models")
    end = time.monotonic() + TIME_LIMIT
    try:
        exchange = wire.send("GET", path, headers, None, TIME_LIMIT)
    except (WireError, Interrupted):
        return None
    body, whole = b"", False
    try:
        while not whole and len(body) < 1 << 20:
            chunk = exchange.read(end - time.monotonic())
            body, whole = body + chunk, not chunk
    except (WireError, Interrupted):
        return None
    finally:
        exchange.close(reuse=whole)
    try:
        return _facts(body, model) if exchange.status == 200 else ServerFacts()
    except UNREADABLE:  # a list of any shape may come, and none is worth more than doing without
        return ServerFacts()


def _facts(body: bytes, model: str) -> ServerFacts:
    listed: Any = json.loads(body)
    data = listed.get("data") if isinstance(listed, dict) else None
    models = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
    keeps = any(isinstance(owner := entry.get("owned_by"), str) and owner in _OWNERS for entry in models)
    mine = next((entry for entry in models if entry.get("id") == model), models[0] if len(models) == 1 else {})
    meta = mine.get("meta")
    window = meta.get("n_ctx") if isinstance(meta, dict) else mine.get("max_model_len")
    told = isinstance(window, int) and not isinstance(window, bool) and window >= SMALLEST_WINDOW
    return ServerFacts(keeps, window if told else None)
