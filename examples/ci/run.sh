#!/usr/bin/env bash
# One task without a terminal: events to workspace/events.jsonl, a report to stdout, the agent's exit code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python3 main_cmd.py --json -p "${1:?give the task as one argument}" </dev/null | tee workspace/events.jsonl | python3 examples/ci/report.py
