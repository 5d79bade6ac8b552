"""What a step costs beside the model: the kernel's time, its growth over a long conversation, bytes, connections, repeated share.

    python bench/steps.py [RUNS]

The model is bench/scripted_server.py in a process of its own; the floor is bench/floor_agent.py. The time of a step is what passes between
an answer of the server and the next request: client, parser, action, history and screen, without the server's own time. The target leaves
out the guard's judgement too, which bench/timed_agent.py takes the time of.
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from _common import ROOT, agent, environment, median, scripted_server, stats, table

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 7


class Conversation(NamedTuple):
    """Milliseconds of each step, the same without the guard, bytes of each request, number of connections, share of each request that
    repeats the one before."""

    steps: list[float]
    unguarded: list[float]
    sizes: list[int]
    connections: int
    shared: list[float]


def conversation(argv: list[str], env: dict[str, str], base: str, judged: Path) -> Conversation:
    """Run one; `judged` is where the agent leaves the guard's times."""
    judged.write_text("[]", encoding="utf-8")
    subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    found = stats(base)
    rows = found["rows"]
    steps = [1000 * (later[0] - earlier[3]) for earlier, later in zip(rows, rows[1:], strict=False)]
    guard = json.loads(judged.read_text(encoding="utf-8")) or [0.0] * len(steps)
    unguarded = [step - spent for step, spent in zip(steps, guard, strict=True)]
    return Conversation(steps, unguarded, [row[1] for row in rows], len({row[2] for row in rows}), found["shared"])


def measure(steps: int) -> dict[str, list[Conversation]]:
    """RUNS conversations of the floor and of the agent, in turns."""
    with tempfile.TemporaryDirectory() as folder, scripted_server(steps) as base:
        work, judged = Path(folder) / "work", Path(folder) / "judged.json"
        env = environment(base, work)
        commands = {"floor": [sys.executable, str(ROOT / "bench" / "floor_agent.py"), base, str(work)],
                    "agent": [sys.executable, str(ROOT / "bench" / "timed_agent.py"), str(judged), *agent("-p", "go")[2:]]}
        runs: dict[str, list[Conversation]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, argv in commands.items():
                runs[name].append(conversation(argv, env, base, judged))
        return runs


def main() -> None:
    rows, costs = [], {}
    for steps in (50, 200):
        for name, runs in measure(steps).items():
            cost = costs[name, steps] = median(median(run.unguarded) for run in runs)
            whole, sent = median(median(run.steps) for run in runs), runs[-1].sizes
            floor = costs["floor", steps]
            rows.append((name, steps, cost, cost / floor, whole, whole / floor, runs[-1].connections, sent[0], sent[-1],
                         (sent[-1] - sent[0]) / max(len(sent) - 1, 1) / 4, f"{100 * median(runs[-1].shared):.1f} %"))
    table(f"Steps, median of {RUNS} runs", ("who", "steps", "ms a step", "x floor (target <= 2)", "ms with the guard", "x floor", "connections",
                                           "first bytes", "last bytes", "tokens a step (bytes / 4)", "repeated"), rows)
    print(f"\nGrowth, 200 steps against 50: agent x {costs['agent', 200] / costs['agent', 50]:.2f} (target <= 1.15), "
          f"floor x {costs['floor', 200] / costs['floor', 50]:.2f}.")


if __name__ == "__main__":
    main()
