"""Asks a weather service over HTTP for one JSON object, and never waits longer than it is allowed to, not even for a name server.

Proxies come from the environment, as urllib reads them. A redirect to another host, an answer that is too long or no JSON object is
an answer that cannot be used: it counts as unreachable, so that callers know one kind of failure.
"""
from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

from taskbook.contract import TodoError

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

GEOCODING = ("TODO_GEOCODING_URL", "https://geocoding-api.open-meteo.com/v1/search")
FORECAST = ("TODO_FORECAST_URL", "https://api.open-meteo.com/v1/forecast")
CONNECT_SECONDS = 5.0  # for a connection, and for each wait for bytes
TOTAL_SECONDS = 10.0  # for everything that one operation asks, the second try included
PAUSE_SECONDS = 0.2
MAX_BYTES = 1_000_000
_TRIES = 2


class Unreachable(Exception):
    """The service gave no usable answer; the text says why, for diagnostics."""


class Patience:
    """The time that one operation may still wait for the network."""

    def __init__(self, seconds: float = TOTAL_SECONDS) -> None:
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left, 0 when they are used up."""
        return max(0.0, self._until - time.monotonic())


def ask(service: tuple[str, str], params: Mapping[str, object], patience: Patience) -> dict[str, Any]:
    """The JSON object that a service (GEOCODING or FORECAST) answers. Raises Unreachable; TodoError for a setting that is no web address."""
    from urllib.parse import urlencode, urlsplit

    variable, usual = service
    base = os.environ.get(variable, "").strip() or usual
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise TodoError("invalid_argument", "weather.address", name=variable, value=base[:200])
    url = f"{base}{'&' if parts.query else '?'}{urlencode(params)}"
    reason = "no time left"
    for attempt in range(_TRIES):
        if not patience.left:
            break
        if attempt:
            time.sleep(min(PAUSE_SECONDS, patience.left))
        answer = _bounded(url, patience)
        if isinstance(answer, dict):
            return answer
        reason = answer
    raise Unreachable(reason)


def _bounded(url: str, patience: Patience) -> dict[str, Any] | str:
    """One try. It runs in a thread of its own because looking a host up cannot be given a time-out; the thread ends with the process."""
    box: list[dict[str, Any] | str] = []

    def work() -> None:
        try:
            box.append(_fetch(url, patience))
        except Exception as error:  # noqa: BLE001  # whatever goes wrong out there is one thing here: no answer
            box.append(f"{type(error).__name__}: {error}"[:200])

    thread = threading.Thread(target=work, daemon=True, name="weather")
    thread.start()
    thread.join(patience.left)
    return box[0] if box else "timed out"


def _fetch(url: str, patience: Patience) -> dict[str, Any]:
    from urllib.error import HTTPError
    from urllib.request import Request

    request = Request(url, headers={"Accept": "application/json", "User-Agent": "skills-agent-todo"})
    try:
        with _opener().open(request, timeout=max(0.1, min(CONNECT_SECONDS, patience.left))) as response:
            body = _read(response, patience)
    except HTTPError as error:
        with error:
            raise Unreachable(f"HTTP {error.code}") from None
    answer = json.loads(body)
    if not isinstance(answer, dict):
        raise Unreachable("no JSON object")
    return answer


def _read(response: IO[bytes], patience: Patience) -> bytes:
    """The whole body, unless it is too long or drips in too slowly."""
    read = getattr(response, "read1", response.read)
    chunks: list[bytes] = []
    size = 0
    while chunk := read(65536):
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            raise Unreachable("the answer is too long")
        if not patience.left:
            raise Unreachable("timed out")
    return b"".join(chunks)


def _opener() -> OpenerDirector:
    """Only http and https, and redirects only within the host that was asked: neither files nor other machines are reached by an answer."""
    from urllib import request as web
    from urllib.parse import urlsplit

    class SameHost(web.HTTPRedirectHandler):
        def redirect_request(self, req: web.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> web.Request | None:
            before, after = urlsplit(req.full_url), urlsplit(newurl)
            if (before.scheme, before.netloc) != (after.scheme, after.netloc):
                return None  # the answer then stands as what it is: HTTP 3xx, no use
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    opener = web.OpenerDirector()
    for handler in (web.ProxyHandler(), web.HTTPHandler(), web.HTTPSHandler(), web.HTTPDefaultErrorHandler(), web.HTTPErrorProcessor(), SameHost()):
        opener.add_handler(handler)
    return opener
