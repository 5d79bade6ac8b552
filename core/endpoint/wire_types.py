"""The two interfaces between the client and whatever carries its requests; for type checking only, so they cost nothing at start."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Exchange(Protocol):
    """One response under way."""

    status: int

    def header(self, name: str) -> str | None:
        """A response header, any case, or None."""

    def read(self, timeout: float) -> bytes:
        """The next bytes of the body, b"" at its end; WireError or Interrupted."""

    def close(self, *, reuse: bool) -> None:
        """Done with it; `reuse` keeps the connection, which needs the whole body to have been read."""


class Wire(Protocol):
    """Something that carries requests to one origin, one at a time."""

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, timeout: float) -> Exchange:
        """Send one request and wait at most `timeout` seconds for the response's headers; WireError or Interrupted."""

    def interrupt(self) -> None:
        """Make a call that is blocked in another thread raise Interrupted now, and every one after it until `resume`."""

    def resume(self) -> None:
        """Forget an earlier interrupt."""

    def close(self) -> None:
        """Give the connection back."""
