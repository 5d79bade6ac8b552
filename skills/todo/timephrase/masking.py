"""Blots out what holds no time of its own: quotes, titles, addresses, and figures such as versions and telephone numbers."""
from __future__ import annotations

import re

# Each repetition is bounded by its closing mark, none is nested.
_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|`[^`]*`|(?<![a-z0-9])'[^']*'(?![a-z])|https?://[^\s，。]+|[\w.+-]{1,64}@[\w.-]+"
                     r"|(?<=[A-Za-z_$¥￥#@.])[0-9][0-9.:/-]*|[0-9][0-9.:/\-–]*[0-9]", re.IGNORECASE)
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"
_TIME_FIGURES = re.compile(rf"[0-9]{{1,4}}|[0-9]{{4}}([-/.])[0-9]{{1,2}}\1[0-9]{{1,2}}|[0-9]{{1,2}}[-/.][0-9]{{1,2}}(?:[-/][0-9]{{4}})?"
                           rf"|{_CLOCK}(?:[-–]{_CLOCK})?"
                           r"|(?:19|20|21)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
_STUCK = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$¥￥#@.")


def masked(sentence: str) -> str:
    """The sentence with everything that holds no time of its own blotted out, place for place."""
    def blot(found: re.Match[str]) -> str:
        said = found.group()
        before = sentence[found.start() - 1:found.start()]
        iso = before in ("T", "t") and sentence[found.start() - 2:found.start() - 1].isdigit()
        if said[0].isdigit() and _TIME_FIGURES.fullmatch(said) and (iso or before not in _STUCK):
            return said
        return "\x00" * len(said)

    return _QUOTED.sub(blot, sentence)
