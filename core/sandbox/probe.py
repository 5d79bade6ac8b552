"""Which tier this machine allows: found by the launcher's self-test, remembered until the machine or the launcher changes."""
from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parent.parent / "guard_runner.py"
STRENGTH = ("none", "job", "seatbelt", "landlock", "bwrap", "full")
PROBE_SECONDS = 30


@dataclass(frozen=True)
class Probe:
    """What was found. `missing` names lost features, `refused` says why stronger tiers are out, `lowered_from` is a stronger
    tier that this machine had before ("" when it had none)."""

    tier: str
    missing: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    lowered_from: str = ""


def launcher_command(python: str | None = None) -> list[str]:
    """How the launcher is started; [] where this program has no interpreter of its own."""
    executable = python or sys.executable
    return [executable, "-I", "-S", str(LAUNCHER)] if executable else []


def cache_file() -> Path:
    """Where the finding is kept: in the user's cache folder, which no command can see."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "skills-agent" / "sandbox.json"


def probe(at_most: str = "full", bwrap: str = "", failing: Sequence[str] = (), cache: Path | None = None) -> Probe:
    """The strongest usable tier. A finding for the same machine, boot, user and launcher is taken from `cache`."""
    if sys.platform == "darwin":
        return _elsewhere("seatbelt", ("unverified", "process_tree"), os.access("/usr/bin/sandbox-exec", os.X_OK), at_most)
    if os.name == "nt":
        return _elsewhere("job", ("unverified", "files", "network", "keys_in_proc"), True, at_most)
    if not sys.platform.startswith("linux") or not launcher_command():
        return Probe("none", ("files", "network", "signals", "keys_in_proc", "process_tree"), ("no launcher for this system",))
    if failing:
        return _run(at_most, bwrap, failing)
    path = cache or cache_file()
    before = _load(path).get(at_most + ":" + bwrap, {})
    key = _key()
    if before.get("key") == key:
        return Probe(before["tier"], tuple(before["missing"]), tuple(before["refused"]), before.get("lowered_from", ""))
    found = _run(at_most, bwrap, ())
    earlier = str(before.get("lowered_from") or before.get("tier", "none"))
    if earlier in STRENGTH and STRENGTH.index(earlier) > STRENGTH.index(found.tier):
        found = Probe(found.tier, found.missing, found.refused, earlier)
    _save(path, at_most + ":" + bwrap, key, found)
    return found


def _elsewhere(tier: str, missing: tuple[str, ...], usable: bool, at_most: str) -> Probe:
    if usable and STRENGTH.index(tier) <= STRENGTH.index(at_most):
        return Probe(tier, missing)
    return Probe("none", ("files", "network", "signals", "keys_in_proc", "process_tree"), (f"{tier}: not usable",))


def _run(at_most: str, bwrap: str, failing: Sequence[str]) -> Probe:
    command = [*launcher_command(), "--self-test", "--machine", "--at-most", at_most]
    command += ["--bwrap", bwrap] if bwrap else []
    for step in failing:
        command += ["--fail", step]
    environment = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              env=environment, timeout=PROBE_SECONDS, cwd="/", check=False)
        lines = [line.partition(" ")[::2] for line in done.stdout.splitlines()]
        reason = done.stderr.strip()[-300:]
    except (OSError, subprocess.TimeoutExpired) as error:
        lines, reason = [], str(error)
    tier = next((value for word, value in lines if word == "tier"), "")
    if not tier:
        return Probe("none", ("files", "network", "signals", "keys_in_proc"), (f"self-test: {reason}",))
    return Probe(tier, tuple(value for word, value in lines if word == "missing"),
                 tuple(value for word, value in lines if word == "refused"))


def _key() -> str:
    parts = [platform.release(), str(os.geteuid()), sys.executable]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    except OSError:
        parts.append("no boot id")
    for path in [LAUNCHER, *sorted((LAUNCHER.parent / "launcher").glob("*.py"))]:
        state = path.stat()
        parts.append(f"{path}:{state.st_mtime_ns}:{state.st_size}")
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _load(path: Path) -> dict[str, dict[str, str]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) and all(isinstance(value, dict) for value in data.values()) else {}


def _save(path: Path, name: str, key: str, found: Probe) -> None:
    """Best effort: a cache that cannot be written only costs the self-test again."""
    data: dict[str, object] = dict(_load(path))
    data[name] = {"key": key, "tier": found.tier, "missing": list(found.missing), "refused": list(found.refused),
                  "lowered_from": found.lowered_from}
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(data), encoding="utf-8")
        os.replace(part, path)
    except OSError:
        pass
