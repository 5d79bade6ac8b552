"""Reads the agent's events from standard input and writes what a build log should show."""
from __future__ import annotations

import json
import sys

for line in sys.stdin:
    event = json.loads(line)
    if event["type"] == "action.finished":
        sys.stdout.write(f"{'ok  ' if event['ok'] else 'FAIL'} {event['action']} ({event['duration_ms']} ms)\n")
    elif event["type"] in ("answer", "error"):
        sys.stdout.write(event.get("text", event.get("message", "")) + "\n")
    elif event["type"] == "run.finished":
        sys.stdout.write(f"status: {event['status']}, steps: {event['steps']}, tokens: {event['usage'].get('tokens', 0)}\n")
