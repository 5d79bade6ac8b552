"""A scripted model endpoint in a process of its own, for the benchmarks.

    python bench/scripted_server.py [STEPS]     prints its port, then serves

Every conversation gets STEPS - 1 times `write_file`, then an answer; where a conversation stands is read from its length. Replies
stream or not, as asked. GET /stats returns, and resets, one row a request: arrival time, bytes, connection number, time of the answer.
The first is taken when the request's last byte is read, the last before the answer's first byte is written, so that what lies between
an answer and the next arrival is the client's own time.
"""
from __future__ import annotations

import json
import sys
import time
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 and __name__ == "__main__" else 50
ROWS: list[tuple[float, int, int, float]] = []
BODIES: list[bytes] = []
CONNECTIONS = [0]


def reply(turn: int) -> str:
    """What the model says at its n-th turn."""
    if turn >= STEPS:
        return json.dumps({"thought": "All is done.", "action": "answer", "answer": "finished"})
    return json.dumps({"thought": "Write the next file.", "action": "write_file", "path": f"out/{turn}.txt", "content": f"line {turn}\n" * 4})


class Handler(StreamRequestHandler):
    """Reads requests without a library, which would take as long as the client that is measured."""

    disable_nagle_algorithm = True

    def handle(self) -> None:
        CONNECTIONS[0] += 1
        number = CONNECTIONS[0]
        while line := self.rfile.readline():
            length = 0
            while (header := self.rfile.readline().strip()):
                if header[:15].lower() == b"content-length:":
                    length = int(header[15:])
            body, method, path = self.rfile.read(length), *line.split()[:2]
            arrived = time.time()
            status, raw, kind = self._answer(method, path, body)
            head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(raw))
            if method == b"POST":
                ROWS.append((arrived, len(body), number, time.time()))
            self.wfile.write(head + raw)

    def _answer(self, method: bytes, path: bytes, body: bytes) -> tuple[bytes, bytes, bytes]:
        """Status, body and content type."""
        if method == b"POST":
            BODIES.append(body)
            return completion(json.loads(body), len(body))
        if not path.endswith(b"/stats"):
            return b"404 Not Found", b"", b"text/plain"
        told = json.dumps({"rows": ROWS, "shared": shared()}).encode()
        ROWS.clear()
        BODIES.clear()
        return b"200 OK", told, b"application/json"


def completion(request: dict[str, Any], size: int) -> tuple[bytes, bytes, bytes]:
    """The answer to a request of `size` bytes: status, body, content type."""
    text = reply(sum(message["role"] == "assistant" for message in request["messages"]) + 1)
    usage = {"prompt_tokens": size // 4, "completion_tokens": len(text) // 4}
    if not request.get("stream"):
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return b"200 OK", json.dumps({"choices": [choice], "usage": usage}).encode(), b"application/json"
    events: list[dict[str, Any]] = [{"choices": [{"delta": {"content": text[at:at + 24]}}]} for at in range(0, len(text), 24)]
    events += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
    lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return b"200 OK", lines.encode(), b"text/event-stream"


def shared() -> list[float]:
    """For each request but the first, the share of its messages' bytes that repeats the request before, from the start of the messages."""
    shares = []
    for before, after in zip(BODIES, BODIES[1:], strict=False):
        earlier, later = (body[body.index(b'"messages"'):] for body in (before, after))
        same = next((place for place, (a, b) in enumerate(zip(earlier, later, strict=False)) if a != b), min(len(earlier), len(later)))
        shares.append(same / len(later))
    return shares


class Server(ThreadingTCPServer):
    """Ends at once, whatever its connections do."""

    allow_reuse_address = daemon_threads = True


def main() -> None:
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
