"""Receives one response: a stream of events or one body, whichever came, with its time limits and the decision to leave early."""
from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.endpoint.completion import MAX_REPLY, Completion
from core.endpoint.failure import EndpointFailure, Failure
from core.endpoint.patience import Timing
from core.endpoint.reply_stream import Delta, ReplyReader
from core.endpoint.sse import EventDecoder, ServerEvent
from core.endpoint.wire import WireError

if TYPE_CHECKING:
    from core.endpoint.wire_types import Exchange

GRACE = 0.5
_DRAIN = 0.05
MAX_EVENT = 16 << 20  # bytes of one event or whole body; the longest reply that is taken needs less
_MAX_ERROR = 64 << 10
_MAX_BLANKS = 1 << 20
_EVENT_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":", b"error:")
_LONGEST_START = 6
_BOM = b"\xef\xbb\xbf"


class Receiver:
    """Reads one response to its end. `shown` tells whether anything was passed to `show`; `whole` whether the connection can be kept."""

    def __init__(self, exchange: Exchange, show: Callable[[str, str], None], *, json_mode: bool = True, timing: Timing | None = None) -> None:
        self._exchange = exchange
        self._show = show
        self._timing = timing or Timing()
        self._started = time.monotonic()
        self._settled_at: float | None = None
        self._finished_at: float | None = None
        self._newest = self._started  # when the latest content came
        self._characters = 0
        self._reader = ReplyReader() if json_mode else None
        self.completion = Completion()
        self.whole = False
        self.cut = False

    def run(self) -> str:
        """Receive; the content of the reply. EndpointFailure, WireError or Interrupted when there is none to be had."""
        first = self._first_bytes()
        if first.startswith(_EVENT_STARTS):
            return self._run_stream(first)
        self._run_body(first)
        return self.completion.content

    def rest_of_body(self) -> bytes:
        """What is still to come of an error's body, as far as it is worth waiting for."""
        parts, size, end = [], 0, time.monotonic() + self._timing.error_body
        try:
            while size < _MAX_ERROR and (chunk := self._exchange.read(end - time.monotonic())):
                parts.append(chunk)
                size += len(chunk)
                if time.monotonic() > end:
                    break
            else:
                self.whole = size < _MAX_ERROR
        except WireError:
            pass  # the status is known, and it says more than the end of the text
        return b"".join(parts)[:_MAX_ERROR]

    def _first_bytes(self) -> bytes:
        """Enough of the body to tell a stream of events from anything else; blank lines before it are keep-alives."""
        first, size = b"", 0
        while not first or len(first) < _LONGEST_START and first[:1] not in b"{[<:":
            chunk = self._read()
            if not chunk:
                self.whole = True
                break
            size += len(chunk)
            if size > _MAX_BLANKS and not first:
                raise self._too_long("blanks")
            first = (first + chunk).removeprefix(_BOM).lstrip()
        return first

    def _run_body(self, first: bytes) -> None:
        body = first if self.whole else self._rest([first])
        if not body.strip():
            return
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            raise self._no_completion(body, "retry") from None
        chunk = data[0] if isinstance(data, list) and data else data
        if not isinstance(chunk, dict):
            raise self._no_completion(body, "html")
        self._display(*self.completion.take(chunk))
        if not chunk.get("choices"):
            raise self._no_completion(body, "html")

    def _no_completion(self, body: bytes, kind: str) -> EndpointFailure:
        """The failure for a body that is something else; a web page will not get better by asking again."""
        from core.endpoint.errors import read_body

        read = read_body(body)
        return EndpointFailure(Failure("html" if read.html else kind, read.text, self._exchange.status))

    def _too_long(self, what: str) -> EndpointFailure:
        return EndpointFailure(Failure("html", f"{what} without end", self._exchange.status))

    def _run_stream(self, chunk: bytes) -> str:
        decoder = EventDecoder()
        while chunk and not self._enough():
            self._take(decoder.feed(chunk))
            if decoder.pending > MAX_EVENT:
                return self._left_endless()
            if self._enough():
                break
            chunk = self._next()
        if not chunk:
            self.whole = True
            self._take(decoder.close())
        elif self.completion.done:
            self.whole = self._drained()
        return self._outcome()

    def _left_endless(self) -> str:
        """An event that does not end: what came before it is a reply that ran away."""
        if not self.completion.content:
            raise self._too_long("an event")
        self.completion.finish_reason = "runaway"
        return self._outcome()

    def _enough(self) -> bool:
        stopped = self._reader is not None and self._reader.stop is not None
        return stopped or self.completion.done or self.cut or self.completion.characters > MAX_REPLY

    def _take(self, events: list[ServerEvent]) -> None:
        contents, reasonings = [], []
        for event in events:
            content, reasoning = self.completion.take_event(event)
            if content:
                contents.append(content)
            if reasoning:
                reasonings.append(reasoning)
            if self.completion.done:
                break
        if contents or reasonings:
            self._display("".join(contents), "".join(reasonings))

    def _display(self, content: str, reasoning: str) -> None:
        if reasoning:
            self._show("reasoning", reasoning)
        if not content:
            return
        deltas: list[Delta] = [("answer", content)] if self._reader is None else self._reader.feed(content)
        for field, text in deltas:
            self._show(field, text)
        if self._settled_at is None and self._reader is not None and self._reader.settled:
            self._settled_at = time.monotonic()

    def _next(self) -> bytes:
        """The next bytes of a stream; a finished or settled reply is not waited for."""
        now = time.monotonic()
        if self.completion.finished:
            self._finished_at = self._finished_at or now
            limit = self._finished_at + GRACE - now
        elif self._settled_at is not None and self._reader is not None and self._reader.settled:
            limit = self._settled_at + GRACE - now
        else:
            return self._read()
        try:
            if limit > 0:
                return self._exchange.read(limit)
        except WireError:
            pass
        self.cut = True
        return b"\n"

    def _read(self) -> bytes:
        """The next bytes, within both time limits. What brings no content does not prolong the wait for it."""
        now = time.monotonic()
        if self._characters != self.completion.characters:
            self._characters, self._newest = self.completion.characters, now
        patience = self._timing.next_content if self._characters else self._timing.first_content
        left = self._newest + patience - now
        if left <= 0:
            raise WireError("timeout", f"no content within {patience:g} s")
        return self._exchange.read(min(self._timing.silence, left))

    def _rest(self, parts: list[bytes]) -> bytes:
        size = 0
        while chunk := self._read():
            parts.append(chunk)
            size += len(chunk)
            if size > MAX_EVENT:
                raise self._too_long("a body")
        self.whole = True
        return b"".join(parts)

    def _drained(self) -> bool:
        """Whether the body ends right after [DONE]; only then is the connection fit for the next request."""
        try:
            for _ in range(4):
                if not self._exchange.read(_DRAIN):
                    return True
        except WireError:
            pass
        return False

    def _outcome(self) -> str:
        content, reader, completion = self.completion.content, self._reader, self.completion
        if reader is not None and reader.stop is not None:
            self.cut = reader.stop == "complete" or reader.complete
            if not self.cut:
                completion.finish_reason = "runaway"
            return content[:reader.end]
        if completion.characters > MAX_REPLY:
            completion.finish_reason = "runaway"
        elif not completion.finished and not self.cut and not (reader is not None and reader.complete) and content:
            raise EndpointFailure(Failure("retry", "the stream ended in the middle of the reply", self._exchange.status))
        if completion.finished:
            self.cut = False
        return content
