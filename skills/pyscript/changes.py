"""Which files a run created, changed or deleted: two looks at a folder, compared."""
from __future__ import annotations

import os

LIMIT = 20_000      # files that are looked at
SHOWN = 100         # names in each list
SKIPPED = {".git", ".agent", ".home", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
Look = dict[str, tuple[int, int, int]]


def look(root: str, skipped: set[str]) -> Look:
    """Path -> size, time of change and identity of each file below `root`, `skipped` holding real paths to leave out."""
    found: Look = {}
    pending = [root]
    while pending and len(found) < LIMIT:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED and entry.path not in skipped:
                        pending.append(entry.path)
                    continue
                seen = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            found[entry.path] = (seen.st_size, seen.st_mtime_ns, seen.st_ino)
    return found


def compare(before: Look, after: Look, root: str) -> dict[str, object]:
    """{"created", "changed", "deleted"}: names relative to `root`; "more" counts those left out of the lists."""
    lists = {
        "created": sorted(path for path in after if path not in before),
        "changed": sorted(path for path in after if path in before and before[path] != after[path]),
        "deleted": sorted(path for path in before if path not in after),
    }
    shown: dict[str, object] = {kind: [os.path.relpath(path, root).replace(os.sep, "/") for path in paths[:SHOWN]] for kind, paths in lists.items()}
    more = sum(max(0, len(paths) - SHOWN) for paths in lists.values())
    if more:
        shown["more"] = more
    if len(before) >= LIMIT or len(after) >= LIMIT:
        shown["complete"] = False
    return shown
