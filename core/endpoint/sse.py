"""Server-sent events from bytes, however the network cut them."""
from __future__ import annotations

from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"
_LINE_COST = 64  # what a line takes in memory beside its text


class ServerEvent(NamedTuple):
    """One event; `name` is "" for the default kind, `data` its lines joined by newlines."""

    name: str
    data: str


class EventDecoder:
    """Turns chunks of bytes into events.

    Lines end at \\n, \\r\\n or \\r and nowhere else (U+2028 is data); each is decoded as UTF-8 only when it is whole. A value loses at
    most one leading space. Comments, `id`, `retry` and unknown fields are ignored. A field `error` (llama.cpp) counts as an event `error`.
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._after_cr = False
        self._started = False  # the first chunk has come: only it may begin with a mark of its byte order
        self._name = ""
        self._data: list[str] = []
        self._lines_cost = 0
        self._partial_cost = 0

    @property
    def pending(self) -> int:
        """About how many bytes of memory the event takes that is not yet complete."""
        return self._lines_cost + self._partial_cost

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that this chunk completes."""
        if chunk[-2:] == b"\n\n" and b"\r" not in chunk and not (self._partial or self._data or self._name or self._after_cr):
            return self._whole_events(chunk)
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == 10:
                chunk = chunk[1:]
        if b"\r" in chunk:
            self._after_cr = chunk[-1] == 13
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in chunk:
            if chunk:
                self._partial.append(chunk)
                self._partial_cost += len(chunk) + 8
            return []
        lines = (b"".join(self._partial) + chunk).split(b"\n")
        rest = lines.pop()
        self._partial = [rest] if rest else []
        self._partial_cost = len(rest)
        return self._take(lines)

    def close(self) -> list[ServerEvent]:
        """The last event, when the stream ended without its blank line."""
        rest = b"".join(self._partial)
        self._partial = []
        return self._take([rest, b""] if rest else [b""])

    def _whole_events(self, chunk: bytes) -> list[ServerEvent]:
        """The events of a chunk that neither begins nor ends within one, as most chunks: the common kind is read without looking at lines."""
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix(_BOM)
        events = []
        for text in chunk.decode("utf-8", "replace").split("\n\n"):
            if text[:6] == "data: " and "\n" not in text:
                events.append(ServerEvent("", text[6:]))
            elif text:
                events += self._take([*text.encode().split(b"\n"), b""])
        return events

    def _take(self, lines: list[bytes]) -> list[ServerEvent]:
        if not self._started:
            self._started = True
            lines[0] = lines[0].removeprefix(_BOM)
        events = []
        for line in lines:
            if not line:
                if self._data:
                    events.append(ServerEvent(self._name, "\n".join(self._data)))
                    self._data = []
                    self._lines_cost = 0
                self._name = ""
            elif line[:6] == b"data: ":
                self._add(line[6:].decode("utf-8", "replace"))
            else:
                self._field(line)
        return events

    def _field(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._add(text)
        elif field == b"event":
            self._name = text
        elif field == b"error":
            self._name = "error"
            self._add(text)

    def _add(self, text: str) -> None:
        self._data.append(text)
        self._lines_cost += len(text) + _LINE_COST
