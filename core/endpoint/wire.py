"""One kept HTTP connection to the model endpoint, on the standard library, that another thread can interrupt at any moment.

httpx needs twice the start-up time and half as much memory again as http.client and gives nothing that a single kept connection
without a proxy uses; proxies and injected transports go through httpx in core/endpoint/wire_httpx.py, behind the same two small interfaces.
"""
from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import http.client
    import ssl

    from core.endpoint.timed import TimedReader
    from core.endpoint.wire_types import Exchange

CONNECT_TIMEOUT = 10.0
WRITE_TIMEOUT = 30.0
READ_SIZE = 65536
# Routers and providers forget an idle connection without telling us; loopback does not.
IDLE_LIMIT = 55.0
_POLL = 0.02


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
    """A Wire over http.client. `context` is called once, at the first https connection."""

    def __init__(self, origin: Origin, context: Callable[[], ssl.SSLContext], clock: Callable[[], float] = time.monotonic) -> None:
        self._origin = origin
        self._context = context
        self._clock = clock
        self._connection: http.client.HTTPConnection | None = None
        self._socket: socket.socket | None = None  # http.client forgets it when the server announces that it closes
        self._interrupted = threading.Event()
        self._lock = threading.Lock()
        self._last_use = 0.0

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Exchange:
        import http.client

        self._check()
        connection, kept = self._reusable(), True
        if connection is None:
            connection, kept = self._open(), False
        try:
            self._settimeout(WRITE_TIMEOUT)
            refused = _write(connection, method, path, body, {"Host": self._origin.authority, **headers})
            response, reader = _response(connection, refused, timeout)
        except BaseException as error:
            self._drop()
            self._check()
            if isinstance(error, (OSError, http.client.HTTPException)):
                raise _wire_error(error, kept) from error
            raise
        return _DirectExchange(self, connection, response, reader)

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

    def _reusable(self) -> http.client.HTTPConnection | None:
        connection = self._connection
        if connection is None:
            return None
        too_old = not self._origin.loopback and self._clock() - self._last_use > IDLE_LIMIT
        if connection.sock is None or too_old or _readable(connection.sock):
            self._drop()
            return None
        return connection

    def _open(self) -> http.client.HTTPConnection:
        import http.client

        connection = http.client.HTTPConnection(self._origin.host, self._origin.port)
        connection.sock = opened = self._connect()
        connection.auto_open = 0  # a lost connection is ours to reopen, interruptibly
        with self._lock:
            self._connection, self._socket = connection, opened
        return connection

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

    def _settimeout(self, seconds: float) -> None:
        if self._socket is not None:
            self._socket.settimeout(max(seconds, 0.001))

    def _drop(self) -> None:
        with self._lock:
            connection, self._connection, self._socket = self._connection, None, None
        if connection is not None:
            connection.close()

    def _finished(self, connection: http.client.HTTPConnection, reuse: bool) -> None:
        if not reuse or connection.sock is None:
            self._drop()
        self._last_use = self._clock()


class _DirectExchange:
    def __init__(self, wire: DirectWire, connection: http.client.HTTPConnection, response: http.client.HTTPResponse, reader: TimedReader) -> None:
        self._wire = wire
        self._reader = reader
        self._connection = connection
        self._response = response
        self.status = response.status

    def header(self, name: str) -> str | None:
        return self._response.getheader(name)

    def read(self, timeout: float) -> bytes:
        import http.client

        try:
            self._reader.allow(timeout)
            data = self._response.read1(READ_SIZE)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._wire._check()
            raise _wire_error(error, kept=False) from error
        if not data:
            self._wire._check()
            if self._response.length:  # read1 does not tell a body that ended early
                raise WireError("dropped", "the body ended early")
        return data

    def close(self, *, reuse: bool) -> None:
        whole = self._response.isclosed() or self._response.length == 0
        self._response.close()
        self._wire._finished(self._connection, reuse and whole)


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
        plain = socket.create_connection((self._origin.host, self._origin.port), CONNECT_TIMEOUT)
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


def _write(connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Exception | None:
    """Send the request. A server that refuses it early closes while we write: that error is returned, the answer may still be there."""
    try:
        connection.request(method, path, body, headers)
    except ConnectionError as error:
        return error
    return None


def _response(connection: http.client.HTTPConnection, refused: Exception | None,
              timeout: float) -> tuple[http.client.HTTPResponse, TimedReader]:
    import http.client

    from core.endpoint.timed import TimedReader

    reader = TimedReader(connection.sock, timeout)
    try:
        return reader.response(connection), reader
    except (OSError, http.client.HTTPException) as error:
        raise (refused or error) from error
    except ValueError as error:
        raise http.client.HTTPException(str(error)) from error


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
    import http.client
    import ssl

    detail = str(error) or type(error).__name__
    gone = isinstance(error, (ConnectionError, http.client.RemoteDisconnected))
    rules = (
        ("dns", isinstance(error, socket.gaierror)),
        ("tls", isinstance(error, ssl.SSLCertVerificationError) or connecting and isinstance(error, ssl.SSLError)),
        ("connect", connecting),
        ("timeout", isinstance(error, (TimeoutError, socket.timeout))),
        ("stale", kept and gone))
    if isinstance(error, http.client.HTTPException) and not isinstance(error, http.client.IncompleteRead) and not gone:
        detail = f"no valid HTTP: {detail}"
    return WireError(next((kind for kind, holds in rules if holds), "dropped"), detail)
