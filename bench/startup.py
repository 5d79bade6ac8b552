"""How long until something happens: bare interpreter, --help, first request sent, with peak memory. Ratios within one run.

    python bench/startup.py [RUNS]
"""
from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _common import ROOT, agent, environment, median, scripted_server, stats, table

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 15


def whole(argv: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Seconds from start to end, and peak memory in MiB.

    The peak is the process's own VmHWM, looked at while it runs: wait4 would count the pages that the child shared with this process before it
    became the command.
    """
    started = time.perf_counter()
    process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, high_water(process.pid))
        time.sleep(0.002)
    return time.perf_counter() - started, peak


def high_water(pid: int) -> float:
    """The peak memory of a running process in MiB, 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next((int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM")), 0.0)
    except OSError:
        return 0.0


def first_request(argv: list[str], env: dict[str, str], base: str) -> tuple[float, float, int]:
    """Seconds from start to the arrival of the first request, peak memory in MiB, bytes of the request."""
    started = time.time()
    _, memory = whole(argv, env)
    rows = stats(base)["rows"]
    return rows[0][0] - started, memory, rows[0][1]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, scripted_server(1) as base:
        env = environment(base, Path(folder))
        floor = [sys.executable, str(ROOT / "bench" / "floor_agent.py"), base, folder]
        bare, shown, lowest, ours = [], [], [], []
        for _ in range(RUNS):
            bare.append(whole([sys.executable, "-c", "pass"], env))
            shown.append(whole(agent("--help"), env))
            lowest.append(first_request(floor, env, base))
            ours.append(first_request(agent("-p", "hello"), env, base))
        pass_ms, floor_ms = (1000 * median(row[0] for row in rows) for rows in (bare, lowest))
        help_ms, ours_ms = (1000 * median(row[0] for row in rows) for rows in (shown, ours))
        table(f"Start, median of {RUNS}", ("what", "ms", "ratio", "target", "peak MiB"), [
            ("python -c pass", pass_ms, 1.0, "", median(row[1] for row in bare)),
            ("--help", help_ms, help_ms / pass_ms, "<= 3 x pass", median(row[1] for row in shown)),
            ("floor: first request", floor_ms, 1.0, "", median(row[1] for row in lowest)),
            ("agent: first request", ours_ms, ours_ms / floor_ms, "<= 2.5 x floor", median(row[1] for row in ours))])
        print(f"\nFirst request: {ours[0][2]} bytes.")


if __name__ == "__main__":
    main()
