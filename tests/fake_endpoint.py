"""A model endpoint for tests: a real HTTP server in a thread, scripted request by request.

    with FakeEndpoint(['{"action": "answer", "answer": "hi"}', error(429, "slow down", {"Retry-After": "0"}), sse(delta("a"), DONE)]) as endpoint:
        ... endpoint.base_url, endpoint.requests[0].body, endpoint.connections

A script is a list of steps, one a POST: a text (the whole content of a reply, streamed when the request asks for it), a FakeReply, or a
function from the FakeRequest to either. When the script is used up, the last step is repeated if `repeat`, else the answer is a 500.
"""
from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

DONE = b"data: [DONE]\n\n"
RESET = "reset"  # in a list of chunks: end the connection with a TCP reset
HANG = "hang"    # in a list of chunks: say nothing more until the client goes away
CLOSE = "close"  # in a list of chunks: close the connection without ending the body


@dataclass
class FakeRequest:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    connection: int
    body: Any = None


@dataclass
class FakeReply:
    """One response. `chunks` are bytes to send, numbers of seconds to wait, RESET, HANG or CLOSE.

    `framing`: "chunked", "length" (bytes only), or "close" (the end of the connection is the end of the body).
    """

    chunks: Sequence[Union[bytes, float, str]] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    framing: str = "chunked"
    wait: float = 0.0  # seconds before the headers


Step = Union[str, FakeReply, Callable[[FakeRequest], Union[str, FakeReply]]]


def delta(content: Any = None, finish: str | None = None, **more: Any) -> bytes:
    """One event of a stream with a content delta; `more` goes into the delta."""
    part = {**({} if content is None else {"content": content}), **more}
    return event({"choices": [{"index": 0, "delta": part, "finish_reason": finish}]})


def event(value: Any, ascii_only: bool = False) -> bytes:
    """One event with any JSON value as its data."""
    return b"data: " + json.dumps(value, ensure_ascii=ascii_only).encode() + b"\n\n"


def usage_event(prompt: int, completion: int, cached: int = 0) -> bytes:
    """The last chunk of a stream that counts tokens: choices is empty."""
    return event({"choices": [], "usage": usage(prompt, completion, cached)})


def usage(prompt: int, completion: int, cached: int = 0) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": cached}}


def sse(*chunks: Union[bytes, float, str], **options: Any) -> FakeReply:
    """A stream of these chunks as they are."""
    return FakeReply(chunks, **options)


def streamed(content: str, piece: int = 4, finish: str = "stop", pause: float = 0.0) -> FakeReply:
    """A well-behaved stream of `content` in pieces of that many characters, with usage and [DONE]."""
    parts: list[Union[bytes, float, str]] = []
    for start in range(0, len(content), piece):
        parts += [delta(content[start:start + piece])] + ([pause] if pause else [])
    return FakeReply([*parts, delta(finish=finish), usage_event(100, max(1, len(content) // 4)), DONE])


def whole(content: Any, finish: str = "stop", **message: Any) -> FakeReply:
    """A reply that is not a stream."""
    return as_json({"choices": [{"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}],
                    "usage": usage(100, 20)})


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> FakeReply:
    """Any JSON body."""
    return FakeReply([json.dumps(value, ensure_ascii=False).encode()], status, headers or {}, "application/json", "length")


def error(status: int, message: Any, headers: dict[str, str] | None = None, **fields: Any) -> FakeReply:
    """An error of the usual form; a message that is no text is the whole body."""
    value = {"error": {"message": message, **fields}} if isinstance(message, str) else message
    return as_json(value, status, headers)


def html(status: int, text: str) -> FakeReply:
    """A page, as proxies and gateways send it."""
    return FakeReply([text.encode()], status, {}, "text/html", "length")


class FakeEndpoint:
    """`requests` are the POSTs, `gets` the GETs, `connections` how many were opened. `tls` makes it https://localhost.
    `models` is what GET …/models answers (JSON or a FakeReply), None a 404."""

    def __init__(self, script: Iterable[Step] = (), *, models: Any = None, repeat: bool = False, path: str = "/v1",
                 tls: ssl.SSLContext | None = None) -> None:
        self.script = list(script)
        self.models = models
        self.repeat = repeat
        self.requests: list[FakeRequest] = []
        self.gets: list[FakeRequest] = []
        self.connections = 0
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self._tls = tls
        self.base_url = f"http://127.0.0.1:{self.port}{path}" if tls is None else f"https://localhost:{self.port}{path}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> FakeEndpoint:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def bodies(self) -> list[Any]:
        """The parsed bodies of the POSTs."""
        return [request.body for request in self.requests]

    def close(self) -> None:
        """Stop listening and drop every connection."""
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop_connections()

    def drop_connections(self) -> None:
        """Close the connections that are open now, as a server does with idle ones."""
        with self._lock:
            opened, self._open = self._open, []
        for connection in opened:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self.connections += 1
                number = self.connections
                self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            opened = connection if self._tls is None else self._tls.wrap_socket(connection, server_side=True)
        except OSError:
            connection.close()
            return
        with opened as connection, connection.makefile("rb") as stream:
            try:
                while (request := _read_request(stream, number)) is not None:
                    if not self._answer(connection, request):
                        return
            except OSError:
                pass

    def _answer(self, connection: socket.socket, request: FakeRequest) -> bool:
        reply = self._reply_to(request)
        if reply.wait and self._closing.wait(reply.wait):
            return False
        head = f"HTTP/1.1 {reply.status} Fake\r\n"
        lines = {"Content-Type": reply.content_type, **reply.headers}
        if reply.framing == "length":
            lines.setdefault("Content-Length", str(sum(len(chunk) for chunk in reply.chunks if isinstance(chunk, bytes))))
        elif reply.framing == "chunked":
            lines["Transfer-Encoding"] = "chunked"
        else:
            lines["Connection"] = "close"
        connection.sendall((head + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n").encode())
        for chunk in reply.chunks:
            if not self._send(connection, chunk, reply.framing == "chunked"):
                return False
        if reply.framing == "chunked":
            connection.sendall(b"0\r\n\r\n")
        return reply.framing != "close" and reply.headers.get("Connection", "").lower() != "close"

    def _send(self, connection: socket.socket, chunk: Union[bytes, float, str], chunked: bool) -> bool:
        if isinstance(chunk, bytes):
            if chunk:
                connection.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk) if chunked else chunk)
            return True
        if isinstance(chunk, (int, float)):
            return not self._closing.wait(chunk)
        if chunk == RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        elif chunk == HANG:
            connection.settimeout(30)
            while not self._closing.is_set() and connection.recv(4096):
                time.sleep(0.01)
        return False

    def _reply_to(self, request: FakeRequest) -> FakeReply:
        if request.method == "GET":
            self.gets.append(request)
            if isinstance(self.models, FakeReply):
                return self.models
            return error(404, "no such page") if self.models is None else as_json(self.models)
        try:
            request.body = json.loads(request.raw)
        except ValueError:
            return error(400, "the body is no JSON")
        with self._lock:
            position = len(self.requests)
            self.requests.append(request)
        if position >= len(self.script) and not (self.repeat and self.script):
            return error(500, f"the script has no step {position + 1}", {"x-should-retry": "false"})
        step = self.script[min(position, len(self.script) - 1)]
        answer = step(request) if callable(step) else step
        if isinstance(answer, str):
            return streamed(answer) if request.body.get("stream") else whole(answer)
        return answer


def _read_request(stream: Any, number: int) -> FakeRequest | None:
    line = stream.readline().decode("latin-1").split()
    if len(line) < 2:
        return None
    headers: dict[str, str] = {}
    while (header := stream.readline().decode("latin-1").strip()):
        name, _, value = header.partition(":")
        headers[name.strip().lower()] = value.strip()
    raw = stream.read(int(headers.get("content-length", 0)))
    return FakeRequest(line[0], line[1], headers, raw, number)
