"""A scripted model endpoint in a process of its own, for the benchmarks.

    python bench/scripted_server.py [STEPS]     prints its port, then serves

Every conversation gets STEPS - 1 times `write_file`, then an answer; where a conversation stands is read from its length. Replies
stream or not, as asked. GET /stats returns, and resets, one row a request: arrival time, bytes, connection number.
"""
from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 and __name__ == "__main__" else 50
ROWS: list[tuple[float, int, int]] = []
BODIES: list[bytes] = []
CONNECTIONS = [0]


def reply(turn: int) -> str:
    """What the model says at its n-th turn."""
    if turn >= STEPS:
        return json.dumps({"thought": "All is done.", "action": "answer", "answer": "finished"})
    return json.dumps({"thought": "Write the next file.", "action": "write_file", "path": f"out/{turn}.txt", "content": f"line {turn}\n" * 4})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        CONNECTIONS[0] += 1
        self.number = CONNECTIONS[0]

    def do_GET(self) -> None:
        if not self.path.endswith("/stats"):
            self.send_error(404)
            return
        self._send(json.dumps({"rows": ROWS, "shared": shared()}).encode(), "application/json")
        ROWS.clear()
        BODIES.clear()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        ROWS.append((time.time(), len(body), self.number))
        BODIES.append(body)
        request = json.loads(body)
        text = reply(sum(message["role"] == "assistant" for message in request["messages"]) + 1)
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4}
        if not request.get("stream"):
            choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            self._send(json.dumps({"choices": [choice], "usage": usage}).encode(), "application/json")
            return
        events: list[dict[str, Any]] = [{"choices": [{"delta": {"content": text[at:at + 24]}}]} for at in range(0, len(text), 24)]
        events += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
        lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self._send(lines.encode(), "text/event-stream")

    def _send(self, raw: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *arguments: Any) -> None:
        pass


def shared() -> list[float]:
    """For each request but the first, the share of its messages' bytes that repeats the request before, from the start of the messages."""
    shares = []
    for before, after in zip(BODIES, BODIES[1:], strict=False):
        earlier, later = (body[body.index(b'"messages"'):] for body in (before, after))
        same = next((place for place, (a, b) in enumerate(zip(earlier, later, strict=False)) if a != b), min(len(earlier), len(later)))
        shares.append(same / len(later))
    return shares


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
