"""The floor: the least a Python agent of this protocol can cost. Standard library, one kept connection, an append-only body.

    python bench/floor_agent.py BASE_URL WORKSPACE

It understands write_file and answer, checks nothing, and shows nothing: what it needs is what Python and HTTP need.
"""
from __future__ import annotations

import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

SYSTEM = "Reply with one JSON object. " * 60


def main() -> None:
    url, workspace = urlsplit(sys.argv[1]), sys.argv[2]
    connection = http.client.HTTPConnection(url.hostname or "", url.port)
    body = b'{"model":"m","stream":true,"messages":[' + json.dumps({"role": "system", "content": SYSTEM}).encode()
    body += b"," + json.dumps({"role": "user", "content": "go"}).encode()
    started, times = time.perf_counter(), []
    while True:
        connection.request("POST", url.path + "/chat/completions", body + b"]}", {"Content-Type": "application/json"})
        text = answer(connection.getresponse())
        reply = json.loads(text)
        if reply["action"] == "answer":
            break
        path = os.path.join(workspace, reply["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(reply["content"])
        observation = f"[SYSTEM OBSERVATION]\nwrote {reply['path']}\n[/SYSTEM OBSERVATION]"
        for message in ({"role": "assistant", "content": text}, {"role": "user", "content": observation}):
            body += b"," + json.dumps(message).encode()
        times.append(time.perf_counter() - started)
        started = time.perf_counter()
    print(reply["answer"])


def answer(response: http.client.HTTPResponse) -> str:
    parts = []
    for line in response.read().splitlines():
        if line.startswith(b"data: {"):
            event = json.loads(line[6:])
            if event["choices"]:
                parts.append(event["choices"][0]["delta"].get("content") or "")
    return "".join(parts)


if __name__ == "__main__":
    main()
