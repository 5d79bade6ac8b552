"""What stops a command before a result, with the exit status that goes with it."""
from __future__ import annotations

FAILED, USAGE, NOT_SET_UP = 1, 2, 3


class Problem(Exception):
    """`code` is stable, for programs; `key` names the sentence in words.py; `status` is the exit status: 1 failed, 2 usage, 3 not set up."""

    def __init__(self, code: str, key: str, status: int = USAGE, **values: object) -> None:
        super().__init__(key)
        self.code = code
        self.key = key
        self.status = status
        self.values = values
