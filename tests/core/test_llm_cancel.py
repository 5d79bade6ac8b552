"""Connections: interrupted in every phase, dropped while idle, refused, proxied, replaced by a transport, secured."""
from __future__ import annotations

import gc
import random
import socket
import ssl
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.config import Settings
from core.endpoint.patience import Timing
from core.endpoint.wire import Origin
from core.endpoint.wire_httpx import proxy_for
from core.errors import Cancelled, ModelError, SettingsError, TransientError
from core.llm import CallLLMOptions, ChatClient
from tests.core.talk import ANSWER, MESSAGES, Talk
from tests.fake_endpoint import HANG, FakeEndpoint, FakeReply, delta, error, sse, streamed


def cancel_during(client: ChatClient, stream: bool = True, after: float = 0.1) -> float:
    """Seconds between cancel() from another thread and Cancelled."""
    at = [0.0]

    def cancel() -> None:
        at[0] = time.monotonic()
        client.cancel()

    timer = threading.Timer(after, cancel)
    timer.start()
    with pytest.raises(Cancelled):
        client.complete(MESSAGES, CallLLMOptions(), stream=stream)
    timer.join()
    return time.monotonic() - at[0]


PHASES: dict[str, Any] = {
    "headers": FakeReply(wait=20), "first word": sse(HANG), "keep-alives": sse(*[b": keep-alive\n\n", 0.01] * 900, HANG),
    "stream": sse(delta('{"thought": "'), HANG), "fast stream": sse(*[delta("words "), 0.001] * 9000, HANG),
    "whole body": FakeReply([b'{"choices"', HANG], content_type="application/json"), "server that closes": sse(delta("a"), HANG, framing="close"),
    "wait for a retry": error(503, "busy", {"Retry-After": "30"}), "error body": FakeReply([b"oops", HANG], status=500, content_type="text/plain")}


@pytest.mark.parametrize("phase", PHASES)
def test_a_call_is_cancelled_at_once_in_every_phase_and_the_client_lives_on(talk: Callable[..., Talk], phase: str) -> None:
    one = talk(PHASES[phase], ANSWER, ANSWER)
    client = ChatClient(one.client._settings)
    assert cancel_during(client) < 0.1
    assert client.complete(MESSAGES).content == ANSWER
    client.close()


def test_a_call_is_cancelled_while_it_connects() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(address)
        client = ChatClient(Settings(api_base_url=f"http://127.0.0.1:{address[1]}/v1", model_name="m"))
        assert cancel_during(client, after=0.3) < 0.1
        for filler in fillers:
            filler.close()


def test_a_cancel_without_a_call_does_nothing(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER)
    one.client.cancel()
    assert one.ask().content == ANSWER
    one.client.cancel()
    assert one.ask().content == ANSWER


def test_an_exception_of_the_listener_leaves_the_client_usable(talk: Callable[..., Talk]) -> None:
    one = talk(streamed(ANSWER, pause=0.001), ANSWER)

    def interrupted(field: str, text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one.client.complete(MESSAGES, on_delta=interrupted)
    assert one.ask().content == ANSWER


def test_a_connection_that_was_dropped_while_idle_is_replaced_silently(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER, max_retries=0)
    one.ask()
    one.endpoint.drop_connections()
    time.sleep(0.05)
    assert one.ask().content == ANSWER
    assert (one.endpoint.connections, len(one.endpoint.requests), one.logged, one.slept) == (2, 2, [], [])


def test_a_connection_that_is_dropped_as_the_request_leaves_is_replaced_silently_once(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER, max_retries=0)
    one.ask()
    original = one.endpoint._answer
    gone: list[int] = []

    def answer(connection: socket.socket, request: Any) -> bool:
        if request.connection == 1:
            gone.append(1)
            return False
        return original(connection, request)

    one.endpoint._answer = answer  # type: ignore[method-assign]
    assert one.ask().content == ANSWER
    assert (gone, one.endpoint.connections, one.logged) == ([1], 2, [])


def test_a_server_that_closes_each_connection_is_served(talk: Callable[..., Talk]) -> None:
    reply = streamed(ANSWER)
    reply.framing = "close"
    one = talk(reply, reply, reply)
    assert [one.ask().content for _ in range(3)] == [ANSWER] * 3
    assert (one.endpoint.connections, one.logged) == (3, [])


def test_a_server_that_is_not_there_is_tried_and_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    slept: list[float] = []
    client = ChatClient(Settings(api_base_url=f"http://127.0.0.1:{port}/v1", model_name="m", max_retries=2), sleep=slept.append)
    with pytest.raises(TransientError, match=f"127.0.0.1:{port}") as caught:
        client.complete(MESSAGES)
    assert (caught.value.key, len(slept), caught.value.exit_code) == ("llm.connect", 2, 75)


def test_a_server_that_speaks_no_http_is_an_error_not_a_crash() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def greet() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
                    connection.recv(100_000)

        threading.Thread(target=greet, daemon=True).start()
        settings = Settings(api_base_url=f"http://127.0.0.1:{listener.getsockname()[1]}/v1", model_name="m", max_retries=1)
        client = ChatClient(settings, sleep=lambda seconds: None)
        with pytest.raises(TransientError):
            client.complete(MESSAGES)


def test_keep_alives_do_not_extend_the_wait_for_the_first_word(talk: Callable[..., Talk]) -> None:
    one = talk(sse(*[b": keep-alive\n\n", 0.02] * 500))
    client = ChatClient(Settings(api_base_url=one.endpoint.base_url, model_name="m", max_retries=0), timing=Timing(5, 0.2))
    with pytest.raises(TransientError) as caught:
        client.complete(MESSAGES)
    assert caught.value.key == "llm.timeout"


def test_keep_alives_before_the_content_are_waited_through(talk: Callable[..., Talk]) -> None:
    one = talk(sse(*[b": keep-alive\n\n", 0.05] * 8, *streamed(ANSWER).chunks))
    client = ChatClient(Settings(api_base_url=one.endpoint.base_url, model_name="m", max_retries=0), timing=Timing(0.3, 5))
    assert client.complete(MESSAGES).content == ANSWER


def test_silence_ends_a_call(talk: Callable[..., Talk]) -> None:
    one = talk(sse(delta('{"thought": "'), HANG), ANSWER)
    client = ChatClient(Settings(api_base_url=one.endpoint.base_url, model_name="m", max_retries=1), timing=Timing(0.1, 5),
    sleep=lambda seconds: None)
    assert client.complete(MESSAGES).content == ANSWER


def test_an_injected_transport_takes_the_place_of_the_network() -> None:
    seen: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        stream = b"".join(chunk for chunk in streamed(ANSWER).chunks if isinstance(chunk, bytes))
        return httpx.Response(503, json={"error": "x"}) if len(seen) == 1 else httpx.Response(200, content=stream)

    client = ChatClient(Settings(), transport=httpx.MockTransport(handle), sleep=lambda seconds: None)
    heard: list[str] = []
    assert client.complete(MESSAGES, on_delta=lambda field, text: heard.append(text)).content == ANSWER
    assert seen[1].url.path == "/v1/chat/completions"
    assert "é 中文" in "".join(heard)


@pytest.mark.parametrize("raised", [httpx.ConnectError("no"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut"), RuntimeError("odd")])
def test_whatever_a_transport_raises_is_a_failed_try(raised: Exception) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise raised

    client = ChatClient(Settings(max_retries=1), transport=httpx.MockTransport(handle), sleep=lambda seconds: None)
    with pytest.raises(TransientError):
        client.complete(MESSAGES)


def test_a_transport_that_hangs_is_cancelled_too() -> None:
    release = threading.Event()

    def handle(request: httpx.Request) -> httpx.Response:
        release.wait(10)
        return httpx.Response(200, json={"choices": [{"message": {"content": ANSWER}}]})

    client = ChatClient(Settings(), transport=httpx.MockTransport(handle))
    assert cancel_during(client) < 0.1
    release.set()
    assert client.complete(MESSAGES, stream=False).content == ANSWER


def test_loopback_ignores_the_proxies_of_the_environment(talk: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    assert talk(ANSWER).ask().content == ANSWER


def test_the_environments_proxy_is_used_for_other_hosts_unless_excepted(monkeypatch: pytest.MonkeyPatch) -> None:
    away = Origin("https", "api.example.com", 443)
    assert proxy_for(away, "") == ""
    monkeypatch.setenv("https_proxy", "127.0.0.1:7890")
    assert proxy_for(away, "") == "http://127.0.0.1:7890"
    assert proxy_for(away, "http://other:1") == "http://other:1"
    assert proxy_for(away, "none") == ""
    monkeypatch.setenv("no_proxy", "example.com")
    assert proxy_for(away, "") == ""


def test_an_explicit_proxy_is_used() -> None:
    with FakeEndpoint([ANSWER, ANSWER]) as proxy:
        settings = Settings(api_base_url="http://model.invalid/v1", model_name="m", proxy=f"http://user:pass@127.0.0.1:{proxy.port}")
        client = ChatClient(settings)
        assert client.complete(MESSAGES).content == ANSWER
        assert client.complete(MESSAGES).content == ANSWER
        client.close()
        assert proxy.requests[0].path == "http://model.invalid/v1/chat/completions"
        assert proxy.connections == 1


def test_a_proxy_that_is_not_there_is_named_as_the_cause() -> None:
    client = ChatClient(Settings(api_base_url="http://model.invalid/v1", model_name="m", proxy="http://127.0.0.1:9", max_retries=0))
    with pytest.raises(TransientError, match="PROXY"):
        client.complete(MESSAGES)


@pytest.mark.parametrize(("proxy", "words"), [
    ("socks5://u:secret@127.0.0.1:9", "httpx\\[socks\\]"), ("socks5h://127.0.0.1:9", "PROXY"), ("socks4://127.0.0.1:9", "socks5"),
    ("nonsense", "PROXY")])
def test_a_proxy_that_cannot_work_is_explained_in_one_line(proxy: str, words: str) -> None:
    client = ChatClient(Settings(api_base_url="https://api.example.com/v1", model_name="m", proxy=proxy))
    with pytest.raises(SettingsError, match=words) as caught:
        client.complete(MESSAGES)
    assert "secret" not in caught.value.message
    assert "\n" not in caught.value.message


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(certificate, key) of localhost, signed by itself."""
    folder = tmp_path_factory.mktemp("tls")
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "key.pem", "-out", folder / "cert.pem",
                           "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("the openssl command, which makes the certificate, is not here")
    return folder / "cert.pem", folder / "key.pem"


def test_https_is_verified(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with FakeEndpoint([ANSWER, ANSWER, sse(delta('{"thought": "'), HANG), ANSWER], tls=context) as endpoint:
        settings = Settings(api_base_url=endpoint.base_url, model_name="m")
        with pytest.raises(ModelError, match="SSL_CERT_FILE") as caught:
            ChatClient(settings).complete(MESSAGES)
        assert caught.value.key == "llm.tls"
        assert endpoint.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        client = ChatClient(settings)
        assert [client.complete(MESSAGES).content for _ in range(2)] == [ANSWER, ANSWER]
        assert endpoint.connections == 2
        assert cancel_during(client) < 0.1
        assert client.complete(MESSAGES).content == ANSWER
        client.close()


def test_a_client_that_is_thrown_away_closes_its_connection(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER)
    client = ChatClient(one.client._settings)
    client.complete(MESSAGES)
    with warnings.catch_warnings(record=True) as left_open:
        warnings.simplefilter("always", ResourceWarning)
        del client
        gc.collect()
    assert left_open == []


def test_a_request_over_http_needs_no_library_for_it_and_no_tls_context() -> None:
    with FakeEndpoint([ANSWER]) as endpoint:
        program = (f"import sys\nfrom core.config import Settings\nfrom core.llm import ChatClient\n"
                   f"ChatClient(Settings(api_base_url={endpoint.base_url!r}, model_name='m')).complete([{{'role': 'user', 'content': 'x'}}])\n"
                   "print([name for name in ('httpx', 'h11', 'certifi', 'asyncio', 'rich', 'ssl', 'urllib.request', 'http.client',"
                   " 'email', 'encodings.idna') if name in sys.modules])")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
        assert done.stdout.strip() == "[]"


class FakeExchange:
    """A response that is already there, in pieces."""

    status = 200

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def header(self, name: str) -> str | None:
        return None

    def read(self, timeout: float) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""

    def close(self, *, reuse: bool) -> None: ...


def test_damaged_responses_are_refused_or_read_and_never_crash() -> None:
    from core.endpoint.errors import to_error
    from core.endpoint.failure import EndpointFailure
    from core.endpoint.receive import Receiver

    chance = random.Random(7)
    good = b"".join(chunk for chunk in streamed(ANSWER).chunks if isinstance(chunk, bytes))
    for _ in range(1500):
        damaged = bytearray(good)
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(damaged))
            damaged[place:place + chance.choice([0, 1, 30])] = bytes(chance.choice(b'{}[]",:\\\r\n da0\xff') for _ in range(chance.randint(0, 4)))
        size = chance.randint(1, 60)
        exchange = FakeExchange([bytes(damaged[start:start + size]) for start in range(0, len(damaged), size)])
        try:
            assert isinstance(Receiver(exchange, lambda field, text: None).run(), str)
        except EndpointFailure as failed:
            assert to_error(failed.failure, url="http://h", model="m", key="").message
