"""Asks a server on this machine, once and briefly, whether it is one that keeps to a JSON schema."""
from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.address import Address
from core.wire import WireError

if TYPE_CHECKING:
    from core.wire_types import Wire

TIME_LIMIT = 0.05
_OWNERS = frozenset({"llamacpp", "vllm", "organization_owner", "library"})  # llama.cpp, vLLM, LM Studio, Ollama


def keeps_to_schemas(wire: Wire, address: Address, headers: Mapping[str, str]) -> bool | None:
    """Whether the server is llama.cpp, Ollama, vLLM or LM Studio, by the owners in its list of models; None when it did not say in time."""
    path = address.target("" if address.path else "/v1", "/models")
    end = time.monotonic() + TIME_LIMIT
    try:
        exchange = wire.send("GET", path, headers, None, TIME_LIMIT)
    except WireError:
        return None
    body, whole = b"", False
    try:
        while not whole and len(body) < 1 << 20:
            chunk = exchange.read(end - time.monotonic())
            body, whole = body + chunk, not chunk
    except WireError:
        return None
    finally:
        exchange.close(reuse=whole)
    if exchange.status != 200:
        return False
    return "llama.cpp" in (exchange.header("server") or "") or _has_known_owner(body)


def _has_known_owner(body: bytes) -> bool:
    try:
        listed: Any = json.loads(body)
    except (ValueError, RecursionError):
        return False
    models = listed.get("data") if isinstance(listed, dict) else None
    return any(isinstance(model, dict) and model.get("owned_by") in _OWNERS for model in models if model) if isinstance(models, list) else False
