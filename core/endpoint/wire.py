"""One kept HTTP connection to the model endpoint that another thread can interrupt at any moment.

httpx needs twice the start-up time and half as much memory again, and gives nothing that a single kept connection without a proxy uses;
proxies and injected transports go through httpx in core/endpoint/wire_httpx.py, behind the same two small interfaces.
"""
from __future__ import annotations

import contextlib
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from core.endpoint.http1 import EndedEarly, HttpError, Incoming, Response, request_bytes

if TYPE_CHECKING:
    import ssl

    from core.endpoint.wire_types import Exchange

CONNECT_TIMEOUT = 10.0
WRITE_TIMEOUT = 30.0
# Routers and providers forget an idle connection without telling us; loopback does not.
IDLE_LIMIT = 55.0
_POLL = 0.02
_FAILURES = (OSError, HttpError, EndedEarly, ValueError)


class WireError(Exception):
    """The connection failed. `kind`: connect, dns, tls, timeout, dropped (the peer closed it) or stale (it closed a kept one while idle)."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Interrupted(Exception):
    """`interrupt` was called from another thread."""


class Origin(NamedTuple):
    """Where requests go; `host` is as written in the URL, lower case."""

    scheme: str
    host: str
    port: int

    @property
    def authority(self) -> str:
        """The Host header: the port only when it is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.scheme == "https" else 80) else f"{host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether the host is this machine."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host name or address certainly means this machine."""
    return host in ("localhost", "::1") or host.endswith(".localhost") or host.startswith("127.") and host.replace(".", "").isdigit()


class DirectWire:
    """A Wire over a connection of its own. `context` is called once, at the first https connection."""

    def __init__(self, origin: Origin, context: Callable[[], ssl.SSLContext], clock: Callable[[], float] = time.monotonic) -> None:
        self._origin = origin
        self._context = context
        self._clock = clock
        self._socket: Any = None
        self._incoming: Incoming | None = None
        self._interrupted = threading.Event()
        self._lock = threading.Lock()
        self._last_use = 0.0

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Exchange:
        self._check()
        kept = self._reusable()
        if not kept:
            self._open()
        sock, incoming = self._socket, self._incoming
        assert incoming is not None
        try:
            request = request_bytes(method, path, {"Host": self._origin.authority, **headers}, body)
            sock.settimeout(WRITE_TIMEOUT)
            response = _response(incoming, _write(sock, request), timeout)
        except BaseException as error:
            self._drop()
            self._check()
            if isinstance(error, _FAILURES):
                raise _wire_error(error, kept) from error
            raise
        return _DirectExchange(self, response)

    def interrupt(self) -> None:
        self._interrupted.set()
        with self._lock:
            shutdown(self._socket)

    def resume(self) -> None:
        if self._interrupted.is_set():
            self._drop()
            self._interrupted.clear()

    def close(self) -> None:
        self._drop()

    def __del__(self) -> None:
        self._drop()

    def _check(self) -> None:
        if self._interrupted.is_set():
            raise Interrupted

    def _reusable(self) -> bool:
        """Whether there is a connection that can carry another request; one that cannot is closed."""
        if self._socket is None:
            return False
        too_old = not self._origin.loopback and self._clock() - self._last_use > IDLE_LIMIT
        if too_old or _readable(self._socket):
            self._drop()
            return False
        return True

    def _open(self) -> None:
        opened = self._connect()
        with self._lock:
            self._socket, self._incoming = opened, Incoming(opened)

    def _connect(self) -> socket.socket:
        """Connect in a thread of its own, because neither name look-up nor handshake can be interrupted."""
        attempt = _Connecting(self._origin, self._context if self._origin.scheme == "https" else None)
        thread = threading.Thread(target=attempt.run, name="connect", daemon=True)
        thread.start()
        try:
            while not attempt.done.wait(_POLL):
                self._check()
            self._check()
        except BaseException:
            attempt.abandon()
            raise
        return attempt.result()

    def _drop(self) -> None:
        with self._lock:
            opened, self._socket, self._incoming = self._socket, None, None
        if opened is not None:
            opened.close()

    def _finished(self, reuse: bool) -> None:
        if not reuse:
            self._drop()
        self._last_use = self._clock()


class _DirectExchange:
    def __init__(self, wire: DirectWire, response: Response) -> None:
        self._wire = wire
        self._response = response
        self.status = response.status

    def header(self, name: str) -> str | None:
        return self._response.headers.get(name.lower())

    def read(self, timeout: float) -> bytes:
        try:
            data = self._response.read(timeout)
        except _FAILURES as error:
            self._wire._check()
            raise _wire_error(error, kept=False) from error
        if not data:
            self._wire._check()
        return data

    def close(self, *, reuse: bool) -> None:
        self._wire._finished(reuse and self._response.fit)


class _Connecting:
    """One attempt to connect; abandoned, it closes what it still opens."""

    def __init__(self, origin: Origin, context: Callable[[], ssl.SSLContext] | None) -> None:
        self._origin = origin
        self._context = context
        self._socket: socket.socket | None = None
        self._error: Exception | None = None
        self._abandoned = False
        self._lock = threading.Lock()
        self.done = threading.Event()

    def run(self) -> None:
        try:
            opened = self._open()
        except Exception as error:  # noqa: BLE001  # raised again in the thread that waits
            self._error = error
        else:
            with self._lock:
                if self._abandoned:
                    opened.close()
                else:
                    self._socket = opened
        self.done.set()

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            if self._socket is not None:
                self._socket.close()

    def result(self) -> socket.socket:
        if self._socket is None:
            assert self._error is not None
            raise _wire_error(self._error, kept=False, connecting=True) from self._error
        return self._socket

    def _open(self) -> socket.socket:
        host = self._origin.host.encode("ascii")  # for a text, Python loads its tables of international names
        plain = socket.create_connection((host, self._origin.port), CONNECT_TIMEOUT)  # type: ignore[arg-type]
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if self._context is None:
                return plain
            return self._context().wrap_socket(plain, server_hostname=self._origin.host)
        except BaseException:
            plain.close()
            raise


def tls_context() -> ssl.SSLContext:
    """A verifying context: SSL_CERT_FILE or SSL_CERT_DIR, else the system's authorities, else certifi's where the system has none."""
    import ssl

    paths = ssl.get_default_verify_paths()
    system = os.name == "nt" or paths.cafile or paths.capath and os.listdir(paths.capath)
    if system or os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR"):
        return ssl.create_default_context()
    try:
        import certifi
    except ImportError:
        return ssl.create_default_context()
    return ssl.create_default_context(cafile=certifi.where())


def _write(sock: Any, request: bytes) -> Exception | None:
    """Send the request. A server that refuses it early closes while we write: that error is returned, the answer may still be there."""
    try:
        sock.sendall(request)
    except ConnectionError as error:
        return error
    return None


def _response(incoming: Incoming, refused: Exception | None, timeout: float) -> Response:
    try:
        return Response(incoming, timeout)
    except _FAILURES as error:
        raise (refused or error) from error


def shutdown(sock: Any) -> None:
    """Wake whoever is blocked on the socket. The plain socket's method: a TLS socket's own would change state under the reader's feet."""

    if sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _readable(sock: Any) -> bool:
    """Whether an idle socket has something to say: that is the peer's goodbye."""
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(sock, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _wire_error(error: BaseException, kept: bool, connecting: bool = False) -> WireError:
    detail = str(error) or type(error).__name__
    rules = (
        ("dns", isinstance(error, socket.gaierror)),
        ("tls", _is_tls(error, "SSLError" if connecting else "SSLCertVerificationError")),
        ("connect", connecting),
        ("timeout", isinstance(error, (TimeoutError, socket.timeout))),
        ("stale", kept and isinstance(error, ConnectionError)))
    if isinstance(error, HttpError):
        detail = f"no valid HTTP: {detail}"
    return WireError(next((kind for kind, holds in rules if holds), "dropped"), detail)


def _is_tls(error: BaseException, name: str) -> bool:
    """Whether it is that error of the ssl module, which is loaded if it can be."""
    loaded = sys.modules.get("ssl")
    return loaded is not None and isinstance(error, getattr(loaded, name))
