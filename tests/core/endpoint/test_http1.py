"""core/endpoint/http1.py and the connection that uses it, against servers on real sockets that say whatever they like."""
from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.config import Settings
from core.endpoint import http1
from core.endpoint.http1 import EndedEarly, HttpError, Incoming, Response, request_bytes
from core.endpoint.patience import Timing
from core.endpoint.reply import Reply
from core.endpoint.wire import DirectWire, Interrupted, Origin, WireError, tls_context
from core.errors import ModelError
from core.llm import ChatClient
from tests.core.talk import ANSWER, MESSAGES
from tests.fake_endpoint import DONE, delta

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
DROP = b"drop"  # in place of an answer: close the connection


class Server:
    """Answers each request with the next bytes of its script, in the pieces given, and keeps the connection while `keep`."""

    def __init__(self) -> None:
        self.script: queue.SimpleQueue[Sequence[bytes]] = queue.SimpleQueue()
        self.keep = False
        self.received: list[bytes] = []
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def answers(self, *pieces: bytes) -> None:
        self.script.put(pieces)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, contextlib.suppress(OSError):
            while data := connection.recv(1 << 20):
                self.received.append(data)
                pieces = self.script.get()
                if pieces == (DROP,):
                    return
                for number, piece in enumerate(pieces):
                    if number:
                        time.sleep(0.001)
                    connection.sendall(piece)
                if not self.keep:
                    return


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(shared: Server) -> Server:
    shared.keep, shared.connections, shared.received = False, 0, []
    return shared


@pytest.fixture
def wire(server: Server) -> Iterator[DirectWire]:
    wire = DirectWire(Origin("http", "127.0.0.1", server.port), tls_context)
    yield wire
    wire.close()


def ask(wire: DirectWire, timeout: float = 2.0, body: bytes | None = b"{}", *, keep: bool = False) -> tuple[int, bytes]:
    """Status and whole body of one exchange, which leaves the connection open where it shall `keep` it."""
    exchange = wire.send("POST", "/v1/x", {"Accept": "*/*"}, body, timeout)
    parts = []
    try:
        while part := exchange.read(timeout):
            parts.append(part)
    finally:
        exchange.close(reuse=keep)
    return exchange.status, b"".join(parts)


def interrupt_soon(wire: DirectWire, at: list[float]) -> threading.Timer:
    def interrupt() -> None:
        at.append(time.monotonic())
        wire.interrupt()

    timer = threading.Timer(0.05, interrupt)
    timer.start()
    return timer


def refusal(server: Server, wire: DirectWire, *pieces: bytes) -> tuple[str, str]:
    server.answers(*pieces)
    with pytest.raises(WireError) as caught:
        ask(wire)
    return caught.value.kind, caught.value.detail


@pytest.mark.parametrize("answer", [
    b"HTTP/1.1 100 Continue\r\n\r\n" + CHUNKED + b"3;name=\"a;b\"\r\nabc\r\n2 \r\nde\r\n0\r\nX-Sum: 5\r\n\r\n",
    OK + b"Content-Length: 5\r\nX: a\r\n folded\r\n\r\nabcde", b"HTTP/1.0 200\r\n\r\nabcde", b"HTTP/1.1 200 OK\nContent-Length: 5, 5\n\nabcde"])
def test_a_response_cut_at_any_byte_reads_the_same(server: Server, wire: DirectWire, answer: bytes) -> None:
    for cut in range(len(answer)):
        server.answers(answer[:cut], answer[cut:])
        assert ask(wire) == (200, b"abcde")
    server.answers(*[answer[place:place + 1] for place in range(len(answer))])
    assert ask(wire) == (200, b"abcde")


def test_a_request_goes_out_whole_and_in_order(server: Server, wire: DirectWire) -> None:
    server.keep = True
    for body in (b"x" * 500, None):
        server.answers(OK + b"Content-Length: 0\r\n\r\n")
        assert ask(wire, body=body, keep=True) == (200, b"")
    host = f"Host: 127.0.0.1:{server.port}\r\nAccept: */*\r\n".encode()
    assert server.received == [b"POST /v1/x HTTP/1.1\r\n" + host + b"Content-Length: 500\r\n\r\n" + b"x" * 500,
                               b"POST /v1/x HTTP/1.1\r\n" + host + b"\r\n"]
    assert server.connections == 1


@pytest.mark.parametrize(("target", "headers"), [
    ("/a\r\nX: y", {}), ("/a b", {}), ("/ü", {}), ("/", {"A": "b\r\nX: y"}), ("/", {"A": "b\nX"}), ("/", {"A\r\nX": "b"}), ("/", {"A": "\0"}),
    ("/", {"A": "é"}), ("/\x7f", {})])
def test_no_address_and_no_header_can_begin_another(target: str, headers: dict[str, str]) -> None:
    with pytest.raises(HttpError):
        request_bytes("GET", target, headers, None)


@pytest.mark.parametrize("answer", [
    b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/2 200 OK\r\n\r\n", b"HTTP/1.1 20 OK\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/1.1 0x1 OK\r\n\r\n",
    b"HTTP/1.1 099 OK\r\n\r\n", b"HTTP/1.1 101 Switching Protocols\r\n\r\n", b"\r\n\r\n", b"\0" * 70_000, b"{}\n",
    OK + b"no colon\r\n\r\n", OK + b"A : b\r\n\r\n", OK + b": b\r\n\r\n", OK + b" folded: x\r\n\r\n", OK + b"A: b\rX: y\r\n\r\n",
    OK + b"A: \0\r\n\r\n",
    OK + b"A: " + b"x" * 70_000 + b"\r\n\r\n", OK + b"A: b\r\n" * 101 + b"\r\n", OK + b"A: b\n" * 101 + b"\n",
    OK + b"Content-Length: -1\r\n\r\n", OK + b"Content-Length: 1, 2\r\n\r\nab", OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    OK + b"Content-Length: 1_0\r\n\r\n", OK + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", OK + "Content-Length: ²\r\n\r\n".encode("latin-1"),
    OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", OK + b"Transfer-Encoding: chunked, chunked\r\n\r\n",
    *[CHUNKED + start for start in (b"x\r\n", b"\r\n", b"-3\r\nabc\r\n", b"0x3\r\nabc\r\n", b"+3\r\nabc\r\n", b"1_0\r\n", b"3\r\nabcd\r\n0\r\n\r\n",
                                    b"f" * 16 + b"\r\n", b"3;" + b"x" * 70_000, b"0\r\n" + b"A: b\r\n" * 102)]])
def test_what_is_no_http_is_refused_in_words(server: Server, wire: DirectWire, answer: bytes) -> None:
    kind, detail = refusal(server, wire, answer)
    assert (kind, detail[:15]) == ("dropped", "no valid HTTP: ")
    assert len(detail) < 200


@pytest.mark.parametrize("answer", [
    OK, OK + b"A: b", OK + b"Content-Length: 5\r\n\r\nabcd", CHUNKED, CHUNKED + b"5", CHUNKED + b"5\r\nab", CHUNKED + b"5\r\nabcde",
    CHUNKED + b"5\r\nabcde\r\n", CHUNKED + b"0\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTT"])
def test_a_response_that_ends_too_early_is_no_response(server: Server, wire: DirectWire, answer: bytes) -> None:
    kind, detail = refusal(server, wire, answer)
    assert (kind, detail[-5:]) == ("dropped", "early")


def test_no_answer_at_all_is_told_apart_from_a_connection_that_had_gone_stale(server: Server, wire: DirectWire) -> None:
    assert refusal(server, wire, DROP)[0] == "dropped"
    server.keep = True
    server.answers(OK + b"Content-Length: 1\r\n\r\na")
    assert ask(wire, keep=True) == (200, b"a")
    assert refusal(server, wire, DROP)[0] == "stale"


@pytest.mark.parametrize(("answer", "connections"), [
    (OK + b"Content-Length: 1\r\n\r\na", 1), (CHUNKED + b"1\r\na\r\n0\r\n\r\n", 1), (OK + b"Content-Length: 1\r\nConnection: keep-alive\r\n\r\na", 1),
    (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\na", 1), (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", 2),
    (OK + b"Content-Length: 1\r\nConnection: x, Close\r\n\r\na", 2), (OK + b"Content-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n", 2),
    (OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 2)])
def test_a_connection_is_kept_only_where_the_next_answer_must_be_the_next(server: Server, wire: DirectWire, answer: bytes, connections: int) -> None:
    server.keep = True
    for _ in range(2):
        server.answers(answer)
        assert ask(wire, keep=True) == (200, b"a")
    assert server.connections == connections


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_an_answer_that_has_no_body_is_not_waited_for(server: Server, wire: DirectWire, status: bytes) -> None:
    server.keep = True
    server.answers(b"HTTP/1.1 " + status + b"\r\nContent-Length: 5\r\n\r\n")
    assert ask(wire) == (int(status[:3]), b"")


def test_a_connection_that_was_dropped_while_idle_is_opened_again(server: Server, wire: DirectWire) -> None:
    for _ in range(3):
        server.answers(OK + b"Content-Length: 1\r\n\r\na")
        assert ask(wire, keep=True) == (200, b"a")
        time.sleep(0.02)
    assert server.connections == 3


def test_good_bytes_come_before_the_complaint_about_what_follows(server: Server, wire: DirectWire) -> None:
    server.answers(CHUNKED + b"3\r\nabc\r\nnonsense\r\n")
    exchange = wire.send("GET", "/", {}, None, 2.0)
    assert exchange.read(2.0) == b"abc"
    for _ in range(2):
        with pytest.raises(WireError, match="nonsense"):
            exchange.read(2.0)
    exchange.close(reuse=True)


def test_a_step_has_its_time_in_all_and_a_socket_that_trickles_no_more(server: Server, wire: DirectWire) -> None:
    for start in (OK, CHUNKED + b"0\r\n", CHUNKED + b"3;"):
        server.answers(start, *[b"A"] * 2000)
        started = time.monotonic()
        with pytest.raises(WireError, match="timeout"):
            ask(wire, 0.1)
        assert 0.09 < time.monotonic() - started < 0.5


def test_a_redirect_is_not_followed(server: Server, wire: DirectWire) -> None:
    server.answers(b"HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")
    exchange = wire.send("POST", "/", {}, b"{}", 2.0)
    assert (exchange.status, exchange.header("LOCATION"), exchange.read(2.0), server.connections) == (307, "http://127.0.0.1:9/", b"", 1)
    exchange.close(reuse=False)


def test_an_interrupt_ends_the_wait_for_each_part_at_once(server: Server, wire: DirectWire) -> None:
    server.keep = True
    for start in (b"HTTP/1.1 2", CHUNKED, CHUNKED + b"5\r\na", OK + b"Content-Length: 5\r\n\r\n"):
        server.answers(start)
        at: list[float] = []
        timer = interrupt_soon(wire, at)
        with pytest.raises(Interrupted):
            ask(wire, 20.0)
        assert time.monotonic() - at[0] < 0.1
        timer.join()
        wire.resume()


class Pieces:
    """A socket whose bytes come in the pieces given; then it is closed."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    def settimeout(self, seconds: float) -> None: ...

    def recv(self, size: int) -> bytes:
        piece = self._pieces.pop(0) if self._pieces else b""
        if len(piece) > size:
            self._pieces.insert(0, piece[size:])
        return piece[:size]


def outcome(pieces: Sequence[bytes]) -> tuple[Any, ...]:
    """What reading a response comes to: (status, headers, body, whether the connection could go on) or (error).

    Not `fit`: whether something follows that was not asked for is known only of what has arrived.
    """
    try:
        response = Response(Incoming(Pieces(pieces)), 5.0)
        parts = []
        while part := response.read(5.0):
            parts.append(part)
        return response.status, response.headers, b"".join(parts), response.ended and response.keeps
    except (HttpError, EndedEarly, ConnectionError) as error:
        return type(error), str(error)


FRAGMENTS = st.sampled_from([
    b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 500 \n", b"HTTP/1.1 100 Continue\r\n\r\n", b"Content-Length: 7\r\n", b"Transfer-Encoding: chunked\r\n",
    b"\r\n", b"Connection: close\r\n", b"X: " + b"y" * 100 + b"\r\n", b" folded\r\n", b"\n", b"\r", b"0\r\n\r\n", b"5\r\nhello\r\n", b"3;a=b\r\n",
    b"abc\r\n", b":", b"data: {}\n\n", delta(ANSWER), DONE, b'{"choices": []}', b'{"error": "x"}', b"\xff\xfe", b"\0"])
HOSTILE = st.one_of(st.lists(st.one_of(FRAGMENTS, st.binary(max_size=12)), max_size=12).map(b"".join),
                    st.lists(st.one_of(FRAGMENTS, st.binary(max_size=12)), max_size=8).map(lambda parts: b"HTTP/1.1 200 OK\r\n" + b"".join(parts)))


@settings(max_examples=400)
@given(HOSTILE, st.lists(st.integers(0, 200), max_size=6))
@example(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\ndata: {}\n\nHTTP/1.1 200 OK\r\n", [])
def test_any_bytes_are_a_response_or_an_error_and_the_same_in_any_pieces(sent: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(sent)]
    pieces = [sent[start:end] for start, end in zip(places, places[1:], strict=False)]
    assert outcome(pieces) == outcome([sent]) == outcome([sent[place:place + 1] for place in range(len(sent))])


@settings(max_examples=150, deadline=None)
@given(HOSTILE)
def test_a_hostile_server_gets_an_error_for_a_person_or_a_reply_and_nothing_else(shared: Server, sent: bytes) -> None:
    shared.keep = False
    for _ in range(8):
        shared.answers(sent)
    client = ChatClient(Settings(api_base_url=f"http://127.0.0.1:{shared.port}/v1", model_name="m", max_retries=1), sleep=lambda seconds: None,
                        timing=Timing(1.0, 1.0, 1.0, 1.0))
    try:
        assert isinstance(client.complete(MESSAGES), Reply)
    except ModelError as error:
        assert 10 < len(error.message) < 1000
    finally:
        client.close()
        while not shared.script.empty():
            shared.script.get()


def test_a_flood_that_says_nothing_is_left_early() -> None:
    class Flood(Pieces):
        count = 0

        def recv(self, size: int) -> bytes:
            Flood.count += 1
            return b"HTTP/1.1 100 Continue\r\n\r\n" * 2000

    with pytest.raises(HttpError, match="say nothing"):
        Response(Incoming(Flood([])), 5.0)
    assert Flood.count * 50_000 < 2 * http1.STEP_BYTES
