"""stub"""
from __future__ import annotations
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from timephrase.results import Reading
from timephrase.rules import Rule
@dataclass(frozen=True)
class Found:
    start: int
    end: int
    reading: Reading | None
    rule: Rule | None
def find(sentence: str, now: datetime, parts: Mapping[str, str] | None = None) -> Found | None:
    return None
