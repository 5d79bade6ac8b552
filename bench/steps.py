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
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from _common import ROOT, agent, environment, median, scripted_server, stats, table

LENGTHS = (50, 200)
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 9


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


def measure() -> dict[tuple[str, int], list[Conversation]]:
    """RUNS conversations of the floor and of the agent of each length, in turns, so that a busy minute of the machine counts for all."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as servers:
        bases = {steps: servers.enter_context(scripted_server(steps)) for steps in LENGTHS}
        judged = Path(folder) / "judged.json"
        runs: dict[tuple[str, int], list[Conversation]] = {(name, steps): [] for steps in LENGTHS for name in ("floor", "agent")}
        for _ in range(RUNS):
            for (name, steps), found in runs.items():
                base, work = bases[steps], Path(folder) / f"work{steps}"
                floor = [sys.executable, str(ROOT / "bench" / "floor_agent.py"), base, str(work)]
                ours = [sys.executable, str(ROOT / "bench" / "timed_agent.py"), str(judged), *agent("-p", "go")[2:]]
                found.append(conversation(floor if name == "floor" else ours, environment(base, work), base, judged))
        return runs


def best(runs: list[Conversation], *, guarded: bool) -> float:
    """What a step costs: the median of all steps, each as it was in its quietest run, since other programs can only add to it."""
    return median(min(same) for same in zip(*(run.steps if guarded else run.unguarded for run in runs), strict=True))


def main() -> None:
    found, rows = measure(), []
    costs = {key: best(runs, guarded=False) for key, runs in found.items()}
    for (name, steps), runs in found.items():
        whole, sent = best(runs, guarded=True), runs[-1].sizes
        rows.append((name, steps, costs[name, steps], costs[name, steps] / costs["floor", steps], whole, whole / costs["floor", steps],
                     runs[-1].connections, sent[0], sent[-1], (sent[-1] - sent[0]) / max(len(sent) - 1, 1) / 4,
                     f"{100 * median(runs[-1].shared):.1f} %"))
    table(f"Steps, the median of all, each as in the best of {RUNS} runs", (
        "who", "steps", "ms a step", "x floor (target <= 2)", "ms with the guard", "x floor", "connections", "first bytes", "last bytes",
        "tokens a step (bytes / 4)", "repeated"), rows)
    growth = {name: costs[name, LENGTHS[1]] / costs[name, LENGTHS[0]] for name in ("agent", "floor")}
    print(f"\nGrowth, {LENGTHS[1]} steps against {LENGTHS[0]}: agent x {growth['agent']:.2f} (target <= 1.15), floor x {growth['floor']:.2f}.")


if __name__ == "__main__":
    main()
