"""Numbers of things in words: "1 step", "2 steps"."""
from __future__ import annotations

from typing import Any

from core.i18n import t


def counted(name: str, count: int, **values: Any) -> str:
    """The number with the name of the things: cli.NAME, or cli.NAME_one where it is one."""
    return t(f"cli.{name}_one" if count == 1 else f"cli.{name}", count=f"{count:,}", **values)
