"""Reads a socket under a limit for a whole step, where a socket's own timeout begins anew with every byte."""
from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import http.client

STEP_BYTES = 1 << 20


class TooMuch(OSError):
    """More bytes than the headers of a response, or one piece of its body, can have."""


class TimedReader(io.RawIOBase):
    """What a response reads from. Each step (the headers, one piece of the body) has `allow`ed seconds and STEP_BYTES in all."""

    def __init__(self, sock: Any, seconds: float) -> None:
        super().__init__()
        self._socket = sock
        self._raw = sock.makefile("rb", buffering=0)  # keeps the socket open after http.client has let go of it
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Begin the next step."""
        self._end = time.monotonic() + max(seconds, 0.001)
        self._bytes = STEP_BYTES

    def response(self, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        """The headers of the next response, whose body is then read from here too."""
        import http.client

        def made(sock: Any, *given: Any, **named: Any) -> http.client.HTTPResponse:
            return http.client.HTTPResponse(self, *given, **named)  # type: ignore[arg-type]

        connection.response_class = made  # type: ignore[assignment]
        return connection.getresponse()

    def makefile(self, mode: str) -> io.BufferedReader:
        """For http.client, which takes this for a socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        if self._bytes <= 0:
            raise TooMuch(f"more than {STEP_BYTES} bytes and still no end of the headers")
        self._socket.settimeout(left)
        count: int | None = self._raw.readinto(buffer)
        self._bytes -= count or 0
        return count

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()
