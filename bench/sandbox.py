"""What the sandbox costs: a bare subprocess, bwrap, the launcher by hand and the warm helper, in one interleaved run.

    python bench/sandbox.py [--runs 100] [--gap 0.05] [--bwrap PATH]

Wall time is from the start to the seen end of /bin/true. Processor time is what all its processes used, where the system tells
(the warm helper's share is read from /proc, with its supervisors). `--gap` is the pause between commands in seconds: an agent asks
its model between two commands, and the helper prepares the next one meanwhile; `--gap 0` shows the worst case.
"""
from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.launcher import bubblewrap  # noqa: E402  # after the path to it
from core.launcher.config import dump  # noqa: E402  # the same
from core.sandbox import Sandbox  # noqa: E402  # the same
from core.sandbox.probe import launcher_command  # noqa: E402  # the same

TRUE = ["/bin/true"]


def bare(argv: list[str]) -> Callable[[], None]:
    def once() -> None:
        subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return once


def warm(sandbox: Sandbox) -> Callable[[], None]:
    def once() -> None:
        command = sandbox.spawn(TRUE)
        assert command.stderr is not None
        with command.stdout, command.stderr:
            command.stdout.read()
            command.stderr.read()
        assert command.wait() == 0
    return once


def cold(sandbox: Sandbox, folder: Path) -> Callable[[], None]:
    orders = sandbox._get_orders()
    config = folder / f"{sandbox.tier}.conf"
    lines = [*orders.shared, *orders.order([], str(sandbox.policy.workspace), sandbox.environment(), orders.closed())]
    config.write_bytes(dump(lines))
    return bare([*launcher_command(), str(config), "--", *TRUE])


def bwrap(program: str, workspace: Path) -> Callable[[], None]:
    options = ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(workspace), str(workspace)]
    return bare([program, *options, *TRUE])


def measure(cases: dict[str, Callable[[], None]], runs: int, gap: float) -> dict[str, tuple[list[float], list[float]]]:
    results: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in cases}
    for once in cases.values():
        once()
    for _ in range(runs):
        for name, once in cases.items():
            time.sleep(gap)
            before, start = _children(), time.perf_counter()
            once()
            results[name][0].append((time.perf_counter() - start) * 1000)
            results[name][1].append((_children() - before) * 1000)
    return results


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tree_seconds(process: int) -> float:
    """User and system time of a process and its ended children, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(int(value) for value in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--gap", type=float, default=0.05)
    parser.add_argument("--bwrap", default=bubblewrap.find())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "work").mkdir()
        boxes = [Sandbox(folder / "work", at_most=tier) for tier in ("full", "landlock", "none")]
        cases = {"bare subprocess": bare(TRUE), "python -I -S -c pass": bare([sys.executable, "-I", "-S", "-c", "pass"])}
        if options.bwrap:
            cases["bwrap --unshare-all"] = bwrap(options.bwrap, folder / "work")
        cases.update({f"cold {box.tier}": cold(box, folder) for box in boxes})
        cases.update({f"warm {box.tier}": warm(box) for box in boxes})
        helper_before = {box.tier: _tree_seconds(box.helper_pid) if box.helper_pid else 0.0 for box in boxes}
        results = measure(cases, options.runs, options.gap)
        for box in boxes:
            spent = (_tree_seconds(box.helper_pid) - helper_before[box.tier]) * 1000 / (options.runs + 1)
            results[f"warm {box.tier}"] = (results[f"warm {box.tier}"][0], [spent])
        show(results, options.runs, options.gap)
        for box in boxes:
            box.close()


def show(results: dict[str, tuple[list[float], list[float]]], runs: int, gap: float) -> None:
    base = statistics.median(results["bare subprocess"][0])
    print(f"{runs} runs each, interleaved, {gap * 1000:.0f} ms apart, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"{'case':24}{'wall median':>12}{'wall min':>10}{'wall p90':>10}{'added':>8}{'processor':>11}   (ms)")
    for name, (walls, processor) in results.items():
        walls = sorted(walls)
        print(f"{name:24}{statistics.median(walls):12.1f}{walls[0]:10.1f}{walls[int(len(walls) * 0.9)]:10.1f}"
              f"{statistics.median(walls) - base:8.1f}{statistics.median(processor):11.1f}")


if __name__ == "__main__":
    main()
