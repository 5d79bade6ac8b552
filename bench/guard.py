"""How long the guard takes: `python -m bench.guard`. Prints a table; asserts nothing."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests" / "fixtures"
WORKSPACE = "/home/dev/proj/workspace"
HOSTILE = ("(", "$(", "{", "a|", "a;", "<<E\n", "a=(", ">", "x=1;", "\\", "a/../", "${", "[[ ", "`", "rm x ", '"', "if ", "$x ", "python -c 'a,")


def commands() -> list[tuple[str, str]]:
    """(shell, command) of every case."""
    found = []
    for line in (FIXTURES / "guard_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.append((row["shell"], row["command"]))
    for file in sorted((FIXTURES / "guard_cases").glob("*.txt")):
        shell = file.stem.split("_")[0]
        lines = file.read_text(encoding="utf-8").splitlines()
        found += [(shell, line.replace("⏎", "\n")) for line in lines if line and not line.startswith("## ")]
    return found


def measured(shell: str, command: str) -> float:
    """Milliseconds of one judgement."""
    from core.guard import judge

    start = time.perf_counter()
    judge(command, shell=shell, workspace=WORKSPACE)
    return (time.perf_counter() - start) * 1000


def started(code: str) -> float:
    """Milliseconds of processor time that a fresh interpreter needs for `code`, the best of five."""
    probe = f"import time; t = time.process_time(); {code}; print((time.process_time() - t) * 1000)"
    runs = [subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def main() -> None:
    cases = commands()
    for shell in ("posix", "powershell", "cmd"):
        measured(shell, "ls")
    print(f"{'':34}{'median':>9}{'p99':>9}{'max':>9}  ms")
    for shell in ("posix", "powershell", "cmd"):
        times = sorted(measured(shell, command) for name, command in cases if name == shell)
        print(f"{shell + f' ({len(times)} commands)':34}{statistics.median(times):9.3f}{times[int(len(times) * 0.99)]:9.3f}{times[-1]:9.3f}")
        worst = sorted(measured(shell, (piece * 65536)[:65536]) for piece in HOSTILE)
        print(f"{'  64 KiB of hostile text':34}{statistics.median(worst):9.1f}{'':9}{worst[-1]:9.1f}")
    for label, code in (
        ("import core.guard", "import core.guard"),
        ("first verdict, posix", f"from core.guard import judge; judge('ls', workspace={WORKSPACE!r})"),
        ("first verdict, powershell", f"from core.guard import judge; judge('ls', shell='powershell', workspace={WORKSPACE!r})"),
    ):
        print(f"{label:34}{started(code):9.1f}")


if __name__ == "__main__":
    main()
