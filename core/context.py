"""Keeps a conversation within the model's window."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.llm import Message

_OBSERVATION = "[SYSTEM OBSERVATION]\n"
_DROPPED = "(dropped: the conversation had grown too long)"


def shrink(history: list[Message]) -> bool:
    """Empty the older half of the observations, never the last two; False when there is nothing left to drop."""
    places = [place for place, message in enumerate(history)
              if message["role"] == "user" and message["content"].startswith(_OBSERVATION) and _DROPPED not in message["content"]]
    chosen = places[:max(len(places) // 2, 1)] if len(places) > 2 else []
    for place in chosen:
        history[place] = {"role": "user", "content": f"{_OBSERVATION}{_DROPPED}\n[/SYSTEM OBSERVATION]"}
    return bool(chosen)
