"""A weather service on loopback: it answers what a test puts into it and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Stub:
    """`geocoding` and `forecast` are the answers: an object, bytes as they are, or an HTTP status. `asked` are (path, parameters).

    `script` comes first, one entry a request: an HTTP status, or the target of a redirect. `delay`: seconds before an answer, at most until
    the stub ends; `drip`: seconds between its bytes.
    """

    def __init__(self) -> None:
        self.geocoding: Any = {"results": []}
        self.forecast: Any = forecast_of("2026-10-13")
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.base = ""
        self.script: list[int | str] = []
        self.delay = self.drip = 0.0
        self.over = threading.Event()

    def answer(self, path: str) -> tuple[int, bytes]:
        """The status and the body for a path."""
        step = self.script.pop(0) if self.script else 200
        if step != 200:
            return (302, step.encode()) if isinstance(step, str) else (step, b"{}")
        content = self.geocoding if path == "/search" else self.forecast
        if isinstance(content, int):
            return content, b"{}"
        return 200, content if isinstance(content, bytes) else json.dumps(content).encode()


def forecast_of(first: str, days: int = 17, **columns: float | None) -> dict[str, Any]:
    """A forecast from `first` on; columns (weather_code, high, low, rain, wind) are the same for every day."""
    day = date.fromisoformat(first)
    values = {"weather_code": 0, "high": 20.0, "low": 10.0, "rain": 5.0, "wind": 8.0, **columns}
    names = {"weather_code": "weather_code", "high": "temperature_2m_max", "low": "temperature_2m_min", "rain": "precipitation_probability_max",
             "wind": "wind_speed_10m_max"}  # fmt: skip
    return {
        "daily": {
            "time": [(day + timedelta(days=n)).isoformat() for n in range(days)],
            **{names[key]: [value] * days for key, value in values.items()},
        }
    }


@contextmanager
def weather_service() -> Iterator[Stub]:
    """A running stub."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            stub.asked.append((parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}))
            status, body = stub.answer(parts.path)
            stub.over.wait(stub.delay)
            with suppress(OSError):  # whoever asked may have lost patience
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", body.decode())
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.send(body)

        def send(self, body: bytes) -> None:
            for start in range(0, len(body), 1 if stub.drip else max(1, len(body))):
                self.wfile.write(body[start:start + 1] if stub.drip else body)
                if stub.over.wait(stub.drip) and stub.drip:
                    return

        def log_message(self, format: str, *args: Any) -> None:
            """Tests are silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    stub.base = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield stub
    finally:
        stub.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
