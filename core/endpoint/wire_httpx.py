"""The two cases in which a request travels through httpx: an injected transport (the embedded model, tests) and a proxy."""
from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from core.endpoint.address import without_password
from core.endpoint.wire import CONNECT_TIMEOUT, WRITE_TIMEOUT, DirectWire, Interrupted, Origin, WireError, shutdown, tls_context
from core.errors import SettingsError

if TYPE_CHECKING:
    import httpx

    from core.endpoint.wire_types import Exchange, Wire

_POOL_TIMEOUT = 10.0
_END = object()
_WAKE = object()


def proxy_for(origin: Origin, setting: str) -> str:
    """The proxy's URL for an origin, "" for none. The setting wins ("none" forbids one); loopback never uses the environment's."""
    if setting:
        return "" if setting.lower() in ("none", "off", "direct") else setting
    if origin.loopback or not _environment_may_name_a_proxy():
        return ""
    import urllib.request

    if urllib.request.proxy_bypass(f"{origin.host}:{origin.port}"):
        return ""
    proxies = urllib.request.getproxies()
    found = proxies.get(origin.scheme) or proxies.get("all") or ""
    return found if not found or "://" in found else f"http://{found}"


def wire_for(origin: Origin, setting: str, transport: httpx.BaseTransport | None) -> Wire:
    """What carries requests to `origin`: the transport given, a proxy, or a connection of our own. SettingsError for a proxy that cannot work."""
    if transport is not None:
        return TransportWire(origin, transport)
    proxy = proxy_for(origin, setting)
    if not proxy:
        return DirectWire(origin, tls_context)
    try:
        return TransportWire(origin, import_httpx().HTTPTransport(proxy=proxy, verify=tls_context(), trust_env=False))
    except ImportError:
        raise SettingsError("llm.proxy_socks", proxy=without_password(proxy)) from None
    except Exception as error:  # noqa: BLE001  # ValueError and httpx's own for a malformed address
        raise SettingsError("llm.proxy_invalid", proxy=without_password(proxy), detail=str(error)) from None


def import_httpx() -> Any:
    """httpx without its command line, whose libraries (click, rich, pygments) would cost 60 ms where they happen to be installed."""
    if "httpx" not in sys.modules and "httpx._main" not in sys.modules:
        sys.modules["httpx._main"] = None  # type: ignore[assignment]
        try:
            import httpx
        finally:
            del sys.modules["httpx._main"]
    import httpx

    return httpx


class TransportWire:
    """A Wire over an httpx transport. The transport runs in a thread of its own, so that waiting for it can be interrupted."""

    def __init__(self, origin: Origin, transport: httpx.BaseTransport) -> None:
        self._origin = origin
        self._transport = transport
        self._interrupted = threading.Event()
        self._current: queue.SimpleQueue[Any] | None = None

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Exchange:
        httpx = import_httpx()
        timeouts = {"connect": CONNECT_TIMEOUT, "write": WRITE_TIMEOUT, "read": timeout, "pool": _POOL_TIMEOUT}
        url = f"{self._origin.scheme}://{self._origin.authority}{path}"
        request = httpx.Request(method, url, headers=dict(headers), content=body, extensions={"timeout": timeouts})
        exchange = _TransportExchange(self._transport, request, self._interrupted)
        self._current = exchange.events
        exchange.start(timeout)
        return exchange

    def interrupt(self) -> None:
        self._interrupted.set()
        if self._current is not None:
            self._current.put(_WAKE)

    def resume(self) -> None:
        self._interrupted.clear()

    def close(self) -> None:
        self._transport.close()


class _TransportExchange:
    def __init__(self, transport: httpx.BaseTransport, request: httpx.Request, interrupted: threading.Event) -> None:
        self._transport = transport
        self._request = request
        self._interrupted = interrupted
        self._abandoned = False
        self._headers: Any = {}
        self._stream: Any = None  # httpcore's, where there is a network
        self.status = 0
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def start(self, timeout: float) -> None:
        threading.Thread(target=self._run, name="transport", daemon=True).start()
        self.status, self._headers, self._stream = self._next(timeout + CONNECT_TIMEOUT)

    def header(self, name: str) -> str | None:
        value: str | None = self._headers.get(name)
        return value

    def read(self, timeout: float) -> bytes:
        item = self._next(timeout)
        if item is _END:
            self.events.put(_END)
            return b""
        assert isinstance(item, bytes)
        return item

    def close(self, *, reuse: bool) -> None:
        self._abandoned = True
        if not reuse and self._stream is not None:
            shutdown(self._stream.get_extra_info("socket"))  # the server shall stop writing now, not at the transport's next read

    def _next(self, timeout: float) -> Any:
        if self._interrupted.is_set():
            raise Interrupted
        try:
            item = self.events.get(timeout=max(timeout, 0.001))
        except queue.Empty:
            self._abandoned = True
            raise WireError("timeout", "no bytes arrived in time") from None
        if self._interrupted.is_set():
            self._abandoned = True
            raise Interrupted
        if isinstance(item, WireError):
            raise item
        return item

    def _run(self) -> None:
        try:
            response = self._transport.handle_request(self._request)
            self.events.put((response.status_code, response.headers, response.extensions.get("network_stream")))
            for chunk in _chunks(response):
                if self._abandoned:
                    break
                self.events.put(chunk)
            response.close()
            self.events.put(_END)
        except Exception as error:  # noqa: BLE001  # a transport may raise anything; the waiting thread is told
            self.events.put(_wire_error(error))


def _chunks(response: httpx.Response) -> Iterator[bytes]:
    stream: Any = response.stream
    for chunk in stream:
        if chunk:
            yield chunk


def _environment_may_name_a_proxy() -> bool:
    import os

    return sys.platform in ("darwin", "win32") or any(name.lower().endswith("_proxy") for name in os.environ)


def _wire_error(error: Exception) -> WireError:
    httpx = import_httpx()
    detail = str(error) or type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        return WireError("timeout", detail)
    if "CERTIFICATE_VERIFY_FAILED" in detail:
        return WireError("tls", detail)
    if isinstance(error, (httpx.ConnectError, httpx.ProxyError)):
        return WireError("connect", detail)
    return WireError("dropped", detail)
