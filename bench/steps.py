"""What a step costs beside the model: the kernel's time, its growth over a long conversation, bytes, connections, repeated share.

    python bench/steps.py [RUNS]

The model is bench/scripted_server.py in a process of its own; the floor is bench/floor_agent.py. The time of a step is the time between
two requests as the server sees them, so it holds everything: client, parser, action, history.
"""
from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from _common import ROOT, agent, environment, median, scripted_server, stats, table

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 5


def conversation(argv: list[str], env: dict[str, str], base: str) -> tuple[list[float], list[int], int, list[float]]:
    """Milliseconds between requests, bytes of each, number of connections, share of each request that repeats the one before."""
    subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    found = stats(base)
    times = [row[0] for row in found["rows"]]
    gaps = [1000 * (later - earlier) for earlier, later in zip(times, times[1:], strict=False)]
    return gaps, [row[1] for row in found["rows"]], len({row[2] for row in found["rows"]}), found["shared"]


def main() -> None:
    rows, costs = [], {}
    for steps in (50, 200):
        with tempfile.TemporaryDirectory() as folder, scripted_server(steps) as base:
            env = environment(base, Path(folder))
            commands = {"floor": [sys.executable, str(ROOT / "bench" / "floor_agent.py"), base, folder], "agent": agent("-p", "go")}
            runs: dict[str, list[tuple[list[float], list[int], int, list[float]]]] = {name: [] for name in commands}
            for _ in range(RUNS):
                for name, argv in commands.items():
                    runs[name].append(conversation(argv, env, base))
            for name, found in runs.items():
                costs[name, steps] = median(gap for run in found for gap in run[0])
                sent = found[-1][1]
                rows.append((name, steps, costs[name, steps], costs[name, steps] / costs["floor", steps], found[-1][2], sent[0], sent[-1],
                             (sent[-1] - sent[0]) / max(len(sent) - 1, 1) / 4, f"{100 * median(found[-1][3]):.1f} %"))
    table(f"Steps, {RUNS} runs", ("who", "steps", "ms a step", "x floor", "connections", "first bytes", "last bytes", "tokens a step (bytes / 4)",
                                   "repeated"), rows)
    print(f"\nGrowth, 200 steps against 50: agent x {costs['agent', 200] / costs['agent', 50]:.2f} (target <= 1.15), "
          f"floor x {costs['floor', 200] / costs['floor', 50]:.2f}.")


if __name__ == "__main__":
    main()
