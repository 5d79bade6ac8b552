"""An endpoint that means ill: bodies of every shape, answers without end, and the key sent back."""
from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from core.config import Settings
from core.endpoint import receive
from core.endpoint.capabilities import Capabilities, Sent, change_for
from core.endpoint.completion import Completion
from core.endpoint.errors import classify, to_error
from core.endpoint.failure import EndpointFailure, Failure
from core.endpoint.patience import Timing
from core.endpoint.receive import Receiver
from core.errors import Cancelled, ModelError, TransientError
from core.llm import ChatClient
from tests.core.talk import ANSWER, MESSAGES, Talk
from tests.fake_endpoint import DONE, FakeReply, as_json, delta, error, event, html, sse

KEY = "0123456789abcdefFEDCBA9876543210"
SENT = Sent("json_object", True, "max_tokens", 100, True, True)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


BODIES: dict[str, FakeReply] = {
    "loc is a number": as_json({"error": {"message": {"loc": 5}}}, 400), "loc is null": as_json({"error": {"message": [{"loc": None}]}}, 400),
    "message nested deep": as_json({"error": {"message": nested(400)}}, 400), "message nested deeper": as_json({"detail": nested(900)}, 422),
    "object nested deep": as_json({"error": {"message": {"x": nested(900)}}}, 400),
    "code nested deep": as_json({"error": {"code": nested(400)}}, 400),
    "list of lists": as_json(nested(400), 400),
    "sizes that are none": error(400, "x", code="exceed_context_size_error", n_prompt_tokens=True, n_ctx=-5),
    "sizes of many digits": error(400, "maximum context length is " + "9" * 5000), "limits of many digits": error(400, "max_tokens " + "9" * 5000),
    "loc in a stream": sse(event({"error": {"message": {"loc": 1}}})), "nested in a stream": sse(event({"error": {"message": nested(700)}})),
    "code that is a raised two": sse(event({"error": {"code": "²", "message": "x"}})),
    "code of many digits": sse(event({"error": {"code": "4" * 5000, "message": "x"}})),
    "finish nested deep": sse(event({"choices": [{"delta": {"content": ANSWER}, "finish_reason": nested(700)}]}))}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_of_a_strange_shape_is_an_error_for_a_person_and_no_crash(talk: Callable[..., Talk], name: str) -> None:
    one = talk(*[BODIES[name]] * 8, max_tokens=100, max_retries=1)
    if name == "finish nested deep":
        assert one.ask().content == ANSWER
        return
    with pytest.raises(ModelError) as caught:
        one.ask()
    assert 10 < len(caught.value.message) < 1000


def test_sizes_that_are_no_sizes_are_not_told(talk: Callable[..., Talk]) -> None:
    with pytest.raises(ModelError, match=r"\(\? of \? tokens"):
        talk(BODIES["sizes that are none"]).ask()


VALUES: list[Any] = [
    None, True, -1, 0, 1.5, 10 ** 30, "", "²", "4" * 5000, "٤٠٠", "\ud800", [], [None], [[]], {}, {"loc": 5}, [{"loc": None}], {"": None},
    nested(400), [{"loc": [nested(300)], "msg": {}}], {"message": {"message": {"code": []}}}, {"x": nested(900)}]
FIELDS = [
    "error", "message", "code", "type", "param", "detail", "details", "metadata", "choices", "delta", "content", "reasoning", "finish_reason",
    "usage", "prompt_tokens", "prompt_tokens_details", "base_resp", "status_code", "object", "text", "failed_generation", "n_ctx", "n_prompt_tokens",
    "raw", "retryDelay", "loc", "msg"]
PLACES: list[Callable[[Any], Any]] = [
    lambda fields: fields, lambda fields: [fields], lambda fields: {"error": fields}, lambda fields: {"error": {"message": fields}},
    lambda fields: {"error": {"message": [fields], "code": "x"}}, lambda fields: {"base_resp": fields}, lambda fields: {"choices": [fields]},
    lambda fields: {"choices": [{"delta": fields}]}, lambda fields: {"choices": [{"message": fields}], "usage": fields},
    lambda fields: {"error": {"metadata": fields, "details": [fields]}}]


class FakeExchange:
    """A response that is already there."""

    def __init__(self, pieces: Iterable[bytes], status: int = 200) -> None:
        self._pieces = iter(pieces)
        self.status = status

    def header(self, name: str) -> str | None:
        return None

    def read(self, timeout: float) -> bytes:
        return next(self._pieces, b"")

    def close(self, *, reuse: bool) -> None: ...


@pytest.mark.parametrize("place", PLACES)
def test_no_value_in_any_field_of_an_answer_is_a_surprise_to_its_reader(place: Callable[[Any], Any]) -> None:
    refused = 0
    for field in FIELDS:
        for value in VALUES:
            body = json.dumps(place({field: value})).encode()
            for status, start in ((200, b""), (200, b"data: "), (200, b"event: error\ndata: "), (422, b"")):
                failure = failure_of(FakeExchange([start + body], status))
                if failure is not None:
                    refused += 1
                    assert change_for(failure, SENT, Capabilities()) is None or failure.text
                    assert to_error(failure, url="http://h", model="m", key=KEY).message
    assert refused > 1000


def failure_of(exchange: FakeExchange) -> Failure | None:
    """What the readers make of an answer, without the net that the client has under them."""
    receiver = Receiver(exchange, lambda field, text: None)
    if exchange.status == 422:
        return classify(422, exchange.header, receiver.rest_of_body(), 0.0)
    try:
        receiver.run()
    except EndpointFailure as refused:
        return refused.failure
    return None


def test_a_value_that_no_reader_expects_is_an_error_for_a_person(talk: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> Any:
        raise AttributeError("x")

    monkeypatch.setattr(Completion, "take_event", broken)
    with pytest.raises(ModelError, match="AttributeError"):
        talk(ANSWER).ask()


def test_an_error_of_the_listener_stays_the_listeners_own(talk: Callable[..., Talk]) -> None:
    def heard(field: str, text: str) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        talk(ANSWER).client.complete(MESSAGES, on_delta=heard)


@pytest.mark.parametrize("models", [{"data": [{"owned_by": [1]}]}, {"data": [{"owned_by": {}, "meta": 3}]}, {"data": [{"id": nested(300)}]},
                                    *[{"data": [{"id": "m", "meta": {"n_ctx": size}}]} for size in (1, 255, -5, True, "4096", 4096.5, None, [4096])]])
def test_a_list_of_models_of_a_strange_shape_tells_nothing(talk: Callable[..., Talk], models: Any) -> None:
    one = talk(ANSWER, models=models)
    assert (one.client.honours_schema(), one.client.server_window()) == (False, None)
    assert one.ask().content == ANSWER


def flood(*start: bytes, again: bytes) -> Iterator[bytes]:
    yield from start
    while True:
        yield again


@pytest.mark.parametrize("again", [b"x" * 50_000, b"data: x\n" * 5000, b"data:\n" * 5000, b"error: x\n" * 5000])
def test_an_event_without_end_is_left(again: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receive, "MAX_EVENT", 1 << 20)
    with pytest.raises(EndpointFailure) as caught:
        Receiver(FakeExchange(flood(b"data: ", again=again)), lambda field, text: None).run()
    assert (caught.value.failure.kind, "without end" in caught.value.failure.text) == ("html", True)
    receiver = Receiver(FakeExchange(flood(delta('{"thought": "a'), again=again)), lambda field, text: None)
    assert receiver.run() == '{"thought": "a'
    assert receiver.completion.finish_reason == "runaway"


@pytest.mark.parametrize("again", [b'{"choices": ' + b" " * 50_000, b"\n" * 50_000])
def test_a_body_without_end_is_left(again: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receive, "MAX_EVENT", 1 << 20)
    with pytest.raises(EndpointFailure, match="html"):
        Receiver(FakeExchange(flood(again=again)), lambda field, text: None).run()


def test_comments_are_no_event_however_many_come() -> None:
    pieces = [b": ping\n" * 1000 + b": ping\n\n"] * 400 + [delta(ANSWER, "stop"), DONE]
    assert Receiver(FakeExchange(pieces), lambda field, text: None).run() == ANSWER


def test_the_body_of_an_error_is_read_only_as_far_as_it_matters() -> None:
    receiver = Receiver(FakeExchange(flood(again=b"x" * 10_000), 500), lambda field, text: None)
    assert len(receiver.rest_of_body()) == 64 << 10
    assert not receiver.whole


def test_keep_alives_do_not_replace_content(talk: Callable[..., Talk]) -> None:
    pings: list[bytes | float | str] = [b": ping\n\n", 0.01] * 3000
    one = talk(sse(delta('{"thought": "a'), *pings), sse(delta('{"thought": "a'), *pings))
    client = ChatClient(one.client._settings, timing=Timing(5, 5, 0.1), sleep=lambda seconds: None)
    with pytest.raises(TransientError) as caught:
        client.complete(MESSAGES)
    assert caught.value.key == "llm.timeout"
    assert len(one.endpoint.requests) == 2
    client.close()


@pytest.mark.parametrize(("last", "finish"), [(delta('{"thought": "a', "length"), "length"), (delta(ANSWER), None)])
def test_keep_alives_after_the_end_of_a_reply_are_not_waited_for(last: bytes, finish: str | None) -> None:
    def pings() -> Iterator[bytes]:
        yield last
        for _ in range(300):
            time.sleep(0.01)
            yield b": ping\n\n"
        raise AssertionError("still listened to")

    receiver = Receiver(FakeExchange(pings()), lambda field, text: None)
    assert receiver.run()
    assert receiver.completion.finish_reason == finish


def test_the_body_of_an_error_that_trickles_is_not_waited_for(talk: Callable[..., Talk]) -> None:
    trickle: list[bytes | float | str] = [b"x", 0.01] * 3000
    one = talk(FakeReply([b"slow", *trickle], 401, content_type="text/plain"))
    client = ChatClient(one.client._settings, timing=Timing(5, 5, 5, 0.1))
    with pytest.raises(ModelError, match="slow"):
        client.complete(MESSAGES)
    client.close()


def serve(*sent: bytes, pause: float = 0.0) -> tuple[socket.socket, str]:
    """A server that answers every request with the first bytes given and then the last ones again and again; (listener, base URL)."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.recv(65536)
            connection.sendall(b"".join(sent[:-1]))
            while not stop.wait(pause):
                connection.sendall(sent[-1])

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return stop.set()
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.mark.parametrize(("sent", "pause"), [
    ((b"HTTP/1.1 100 Continue\r\n\r\n" * 100,), 0.0), ((b"HTTP/1.1 100 Continue\r\n\r\n",), 0.01), ((b"HTTP/1.1 200 OK\r\n", b"X"), 0.01),
    ((b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"), 0.01), ((HEAD + b"data: ", b"x"), 0.01)])
def test_an_answer_that_never_comes_to_its_point_is_left(sent: tuple[bytes, ...], pause: float) -> None:
    listener, url = serve(*sent, pause=pause)
    client = ChatClient(Settings(api_base_url=url, model_name="m", max_retries=0), timing=Timing(0.2, 0.5, 0.5))
    with pytest.raises(TransientError):
        client.complete(MESSAGES)
    client.close()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


ECHOES: dict[str, Any] = {
    "error": error(401, "Incorrect key " + KEY), "where the text is cut": error(401, "x" * (300 - 31) + KEY),
    "where a long text is cut": FakeReply([b"q" * (4000 - 31) + KEY.encode()], 500, {}, "text/plain"),
    "page": html(200, "<html><title>" + "z" * (200 - 31) + KEY + "</title>"), "text": FakeReply([b"q" * 169 + KEY.encode()], 200, {}, "text/plain"),
    "redirect": FakeReply([], 302, {"Location": "http://127.0.0.2:9/?" + KEY}, "text/plain", "length"),
    "broken": error(401, KEY[:16] + "\n" + KEY[16:]),
    "code": sse(event({"error": {"message": f"Bearer {KEY} bad", "code": KEY}})), "param": error(422, "m", param=KEY, type=KEY),
    "answer": json.dumps({"thought": KEY, "action": "answer", "answer": KEY}), "cut answer": sse(delta('{"thought": "' + KEY[:-1], "length"), DONE),
    "escaped": '{"thought": "' + "".join(f"\\u00{ord(one):02x}" for one in KEY) + '", "action": "answer", "answer": "a"}',
    "generation": error(400, "x", code="json_validate_failed", failed_generation=json.dumps({"thought": KEY, "action": "answer", "answer": KEY})),
    "reasoning": sse(delta(None, reasoning=KEY[:9]), delta(None, reasoning=KEY[9:]), delta(ANSWER, KEY), DONE)}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("where", ECHOES)
def test_a_key_that_is_sent_back_is_neither_heard_nor_returned_nor_told(talk: Callable[..., Talk], where: str, stream: bool) -> None:
    one = talk(*[ECHOES[where]] * 4, api_key=KEY, max_retries=1)
    try:
        reply = one.ask(stream=stream)
        thought = json.loads(reply.content)["thought"] if reply.content.endswith("}") else ""
        told = [reply.content, thought, reply.reasoning, reply.finish_reason or ""]
    except ModelError as raised:
        told = [raised.message, repr(raised), str(raised.values)]
    heard = [one.said(field) for field in ("thought", "answer", "reasoning", "other", "discard")]
    for text in [*told, *heard, *one.logged]:
        assert KEY[:9] not in text
        assert KEY[-9:] not in text


def test_a_stop_that_came_in_the_instant_before_the_call_counts(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER)
    stop = threading.Event()
    stop.set()
    one.client.cancel()
    with pytest.raises(Cancelled):
        one.client.complete(MESSAGES, cancelled=stop)
    assert one.endpoint.requests == []
    stop.clear()
    assert one.client.complete(MESSAGES, cancelled=stop).content == ANSWER
