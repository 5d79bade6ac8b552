"""HTTP/1.1 as one kept connection needs it: a request sent at once, a response read under limits of time and size.

The standard library's client takes a third of a step's time: it parses a response's headers as it would an e-mail, sends a request in two parts
and is loaded with both. Written by RFC 9112. What a server may do wrong ends in one of three errors and in nothing else: HttpError for bytes that
are no HTTP, EndedEarly for a response that stops in its middle, and the socket's OSError, TimeoutError among them.
"""
from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

MAX_LINE = 65536
MAX_HEADERS = 100
STEP_BYTES = 1 << 20
READ_SIZE = 65536

_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_UNTIL_CLOSE = -1
_CHUNKED = -2
_MAX_DIGITS = 15
_NEXT_SIZE, _IN_CHUNK, _CHUNK_END, _TRAILERS = range(4)


class HttpError(Exception):
    """What the server sent is no HTTP, or more of it than any response needs; or what should be sent is none."""


class EndedEarly(Exception):
    """The server closed the connection in the middle of a response."""


def request_bytes(method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """A whole request. HttpError for a target or header that would end its line and begin another, or is not ASCII."""
    text = f"{method} {target}" + "".join([name + value for name, value in headers.items()])
    if not text.isascii() or not text.isprintable() or " " in target:
        raise HttpError("a request's address and headers must be plain text")
    lines = [f"{method} {target} HTTP/1.1", *[f"{name}: {value}" for name, value in headers.items()]]
    if body is None:
        return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
    return ("\r\n".join(lines) + f"\r\nContent-Length: {len(body)}\r\n\r\n").encode("ascii") + body


class Incoming:
    """The bytes that a connection brings. A step (a response's head, one piece of its body) has the seconds and STEP_BYTES that `begin`
    allows it in all, where a socket's own time-out begins anew with every byte."""

    def __init__(self, sock: Any) -> None:
        self._socket = sock
        self._end = 0.0
        self._budget = 0
        self.held = bytearray()  # received and not yet taken

    def begin(self, seconds: float) -> None:
        """Begin the next step."""
        self._end = time.monotonic() + max(seconds, 0.001)
        self._budget = STEP_BYTES

    def line(self) -> bytes:
        """The next line without its end."""
        known = 0
        while (end := self.held.find(10, known)) < 0 and len(self.held) <= MAX_LINE:
            known = len(self.held)
            data = self._receive()
            if not data:
                raise EndedEarly("the response ended early")
            self.held += data
        if not 0 <= end <= MAX_LINE:
            raise HttpError(f"a line of more than {MAX_LINE} bytes")
        line = bytes(self.held[:end])
        del self.held[:end + 1]
        return line.removesuffix(b"\r")

    def head(self) -> list[bytes]:
        """The lines of a head, without the blank one that ends it. A first line that is no status is returned alone, and at once."""
        end = self.held.find(b"\r\n\r\n")
        if 0 <= end < MAX_LINE and self.held.count(b"\n", 0, end) == self.held.count(b"\r\n", 0, end):  # all there, and ended as it should be
            lines = bytes(self.held[:end]).split(b"\r\n")
            del self.held[:end + 4]
        else:
            lines = [self.line()]
            while lines[0].startswith(b"HTTP/") and len(lines) <= MAX_HEADERS + 1 and (line := self.line()):
                lines.append(line)
        if len(lines) > MAX_HEADERS + 1:
            raise HttpError(f"more than {MAX_HEADERS} headers")
        return lines

    def some(self, most: int) -> bytes:
        """The next bytes, `most` at most; b"" once the server has closed the connection."""
        if not self.held:
            data = self._receive()
            if len(data) <= most:
                return data
            self.held += data
        data = bytes(self.held[:most])
        del self.held[:most]
        return data

    def anything(self) -> bool:
        """Wait for a first byte; False when the server closed the connection instead."""
        if not self.held:
            self.held += self._receive()
        return bool(self.held)

    def _receive(self) -> bytes:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        if self._budget <= 0:
            raise HttpError(f"more than {STEP_BYTES} bytes that say nothing")
        self._socket.settimeout(left)
        data: bytes = self._socket.recv(READ_SIZE)
        self._budget -= len(data)
        return data


class Response:
    """A response whose head has come. `headers` have lower-case names, repeated ones joined by commas; `ended` says that the body has been
    read to its end, `keeps` that the connection may carry another request then."""

    def __init__(self, incoming: Incoming, seconds: float) -> None:
        """Read the head. ConnectionError when the connection was closed in place of any answer."""
        incoming.begin(seconds)
        if not incoming.anything():
            raise ConnectionResetError("the connection was closed without an answer")
        self._incoming = incoming
        self.status, version = 100, 1
        while 100 <= self.status < 200:  # an interim response: the real one follows
            first, *rest = incoming.head()
            self.status, version = _status_of(first)
            self.headers = _headers(rest)
            if self.status == 101:
                raise HttpError("a change of protocol that nobody asked for")
        self._left = _length(self.status, self.headers)
        self.keeps = self._left != _UNTIL_CLOSE and _is_kept(version, self.headers)
        self.ended = self._left == 0
        self._part = _NEXT_SIZE
        self._trailers = 0
        self._failure: HttpError | EndedEarly | None = None
        self._chunked = self._left == _CHUNKED

    @property
    def fit(self) -> bool:
        """Whether the connection may carry the next request: the body is read, and nothing follows that was not asked for."""
        return self.ended and self.keeps and not self._incoming.held

    def read(self, seconds: float) -> bytes:
        """The next bytes of the body as soon as there are any, b"" at its end."""
        if self.ended:
            return b""
        self._incoming.begin(seconds)
        if self._chunked:
            return self._whole_chunks()
        data = self._incoming.some(self._left if self._left > 0 else READ_SIZE)
        if self._left > 0:
            if not data:
                raise EndedEarly("the body ended early")
            self._left -= len(data)
        self.ended = self._left == 0 or not data
        return data

    def _whole_chunks(self) -> bytes:
        """What has come of the body, at least one byte unless it ends. What is wrong behind good bytes is told when they have been taken."""
        if self._failure is not None:
            raise self._failure
        pieces: list[bytes] = []
        try:
            while not self.ended and (not pieces or self._at_hand()):
                if data := self._next_part():
                    pieces.append(data)
        except (HttpError, EndedEarly) as error:
            if not pieces:
                raise
            self._failure = error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _at_hand(self) -> bool:
        held = self._incoming.held
        return bool(held) if self._part == _IN_CHUNK else 10 in held

    def _next_part(self) -> bytes:
        """One part of a chunked body: the bytes of a chunk, or b"" for what stands between them."""
        if self._part == _IN_CHUNK:
            return self._chunk()
        line = self._incoming.line()
        if self._part == _NEXT_SIZE:
            self._left = _chunk_size(line)
            self._part = _IN_CHUNK if self._left else _TRAILERS
        elif self._part == _CHUNK_END:
            if line:
                raise HttpError("a chunk that is longer than it says")
            self._part = _NEXT_SIZE
        else:
            self._trailers += 1
            self.ended = not line
            if self._trailers > MAX_HEADERS:
                raise HttpError(f"more than {MAX_HEADERS} trailers")
        return b""

    def _chunk(self) -> bytes:
        data = self._incoming.some(self._left)
        if not data:
            raise EndedEarly("the body ended early")
        self._left -= len(data)
        if not self._left:
            self._part = _CHUNK_END
        return data


def _status_of(line: bytes) -> tuple[int, int]:
    """(status, minor version) of a status line."""
    version, _, rest = line.partition(b" ")
    code = rest[:3]
    if len(version) != 8 or version[:7] != b"HTTP/1." or not version[7:].isdigit() or len(code) != 3 or not code.isdigit() or rest[3:4].strip():
        raise HttpError(f"{line[:60]!r} in place of a status")
    if code < b"100":
        raise HttpError(f"a status of {int(code)}")
    return int(code), int(version[7:])


def _headers(lines: list[bytes]) -> dict[str, str]:
    headers: dict[str, str] = {}
    name = ""
    for line in lines:
        text = line.decode("latin-1")
        if "\r" in text or "\0" in text:
            raise HttpError("a header with a control character")
        if name and text[0] in " \t":  # folded, as old servers do
            headers[name] = f"{headers[name]} {text.strip()}"
            continue
        name, colon, value = text.partition(":")
        if not colon or not name or not _TOKEN.issuperset(name):
            raise HttpError(f"{line[:60]!r} in place of a header")
        name, value = name.lower(), value.strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _length(status: int, headers: Mapping[str, str]) -> int:
    """The bytes of the body, _CHUNKED, or _UNTIL_CLOSE."""
    coding, length = headers.get("transfer-encoding", "identity").lower(), headers.get("content-length")
    if status in (204, 304):
        return 0
    if coding == "chunked":
        return _CHUNKED
    if coding != "identity":
        raise HttpError(f"the transfer coding {coding[:60]!r}")
    if length is None:
        return _UNTIL_CLOSE
    numbers = {number.strip() for number in length.split(",")}
    number = numbers.pop()
    if numbers or not (number.isascii() and number.isdigit() and len(number) <= _MAX_DIGITS):
        raise HttpError(f"a length of {length[:60]!r}")
    return int(number)


def _is_kept(version: int, headers: Mapping[str, str]) -> bool:
    if "connection" not in headers:
        both = "transfer-encoding" in headers and "content-length" in headers  # somebody on the way may read the other one
        return version >= 1 and not both
    said = [word.strip() for word in headers["connection"].lower().split(",")]
    return "close" not in said and (version >= 1 or "keep-alive" in said)


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip(b" \t")
    if not digits.isalnum() or len(digits) > _MAX_DIGITS or digits[1:2] in b"xX" and digits[1:]:
        raise HttpError(f"{line[:60]!r} in place of a chunk's size")
    try:
        return int(digits, 16)
    except ValueError:
        raise HttpError(f"{line[:60]!r} in place of a chunk's size") from None
