"""What the readers of both languages share: one pass over tokens, the pieces found so far, and how a reading ends."""
from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import NoReturn

from timephrase.moments import Pieces
from timephrase.numerals import Token
from timephrase.results import refuse

_AHEAD = [""] * 5  # so that looking ahead needs no check


class Reader:
    """Tokens and their kinds; `pieces` is what they say, `named` each day that was named, with True for a bare weekday."""

    def __init__(self, text: str, tokens: list[Token], now: datetime, parts: Mapping[str, str] | None) -> None:
        self.text, self.tokens, self.now, self.today = text, tokens, now, now.date()
        self.kinds = [token[0] for token in tokens] + _AHEAD
        self.pieces = Pieces(now, parts)
        self.named: list[tuple[date, bool]] = []
        self.alone = ""  # the words of a span that must stand without a time of day
        self.past = False  # a day or moment that was said as past

    def check_days(self, start: int, end: int) -> None:
        """R12: two days must agree; the date counts before the weekday."""
        if not self.named:
            return
        day, bare = next((each for each in self.named if not each[1]), self.named[0])
        for other, other_bare in self.named:
            if (other.weekday() != day.weekday()) if other_bare else (other != day):
                refuse("contradiction", self.words(start, end), end)
        self.pieces.day, self.pieces.bare = day, bare

    def check_alone(self, end: int) -> None:
        """A span such as 本周内 has no time of day."""
        if self.alone and (self.pieces.part or self.pieces.clock):
            refuse("vague", self.alone, end)

    def words(self, start: int, end: int) -> str:
        """The text of the tokens start..end."""
        tokens = self.tokens[start:end]
        return self.text[tokens[0][2]:tokens[-1][3]] if tokens else ""

    def no(self, code: str, start: int, end: int) -> NoReturn:
        """Ends the reading; the words of the tokens are to blame."""
        refuse(code, self.words(start, end), end)

    def number(self, place: int) -> int:
        """The value of a token whose kind says that it is whole."""
        value = self.tokens[place][1]
        assert isinstance(value, int)
        return value
