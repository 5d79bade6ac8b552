"""The event envelope that every surface shares: the command line's --json, the page's stream, the test recorder.

    {"v": 1, "seq": 7, "ts": "2026-…Z", "session": "s_…", "run": "r_…", "type": "…", …fields}

`seq` rises by one within a session. Readers ignore types and fields that they do not know.

    run.started      query, model, cwd, skills         llm.started      step
    llm.request      messages (new since the last)     llm.delta        field (thought | answer | other | reasoning), text
    llm.reply        content, reasoning, finish        llm.finished     usage, duration_ms
    llm.discarded    reason (a partial text is void)   thought          text
    action.started   id, action, detail, step          command.output   id, line, stream
    action.finished  id, action, ok, exit_code, duration_ms, content, truncated, diff
    refused          kind, detail (a reply that held no action that may be taken)
    verdict          id, decision, effect, rule, reason
    confirm.requested  id, action, detail, reason, rule, effect, network, cwd, expires      confirm.answered  id, approved
    answer           text                              error            code, message, retryable
    log              level, message                    run.finished     status, steps, usage, duration_ms
"""
from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from core.secret import SHORTEST, hide_in_event

VERSION = 1


class Event(NamedTuple):
    """One thing that happened. `data` holds the fields of its type; `time` is seconds since the epoch."""

    type: str
    data: Mapping[str, Any]
    seq: int
    time: float
    session: str
    run: str

    def to_dict(self) -> dict[str, Any]:
        """The flat envelope, ready for JSON."""
        return {"v": VERSION, "seq": self.seq, "ts": timestamp(self.time), "session": self.session, "run": self.run,
                "type": self.type, **self.data}


def timestamp(seconds: float) -> str:
    """UTC, ISO 8601 with milliseconds and a Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"


def new_id(prefix: str) -> str:
    """A short identifier that does not repeat in practice: prefix, underscore, 12 hexadecimal digits."""
    return f"{prefix}_{os.urandom(6).hex()}"


class Emitter:
    """Numbers the events of one session and passes each to `deliver`; `secret` never leaves in a text of an event."""

    def __init__(self, deliver: Callable[[Event], None], clock: Callable[[], float] = time.time, secret: str = "") -> None:
        self.session = new_id("s")
        self.run = ""
        self._deliver = deliver
        self._clock = clock
        self._secret = secret if len(secret.strip()) >= SHORTEST else ""
        self._numbers = itertools.count(1)

    def emit(self, event_type: str, **data: Any) -> None:
        """Send one event now."""
        if self._secret:
            data = {name: self.hide(value) if isinstance(value, str) else value for name, value in data.items()}
        self._deliver(Event(event_type, data, next(self._numbers), self._clock(), self.session, self.run))

    def hide(self, text: str) -> str:
        """The text without the secret, however it is spelt there."""
        return hide_in_event(text, self._secret) if self._secret else text
