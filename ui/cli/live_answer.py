"""Shows an answer while it arrives: whole blocks of Markdown, so that nothing has to be drawn twice."""
from __future__ import annotations

import re

from ui.cli.screen import Screen

_FENCE = re.compile(r" {0,3}(```|~~~)")
_TELLING = 6  # characters of a line that say what it is
_GOES_ON = re.compile(r"\s|[-*+] |\d+[.)] |[|>]")  # a line that may belong to the block before, blank line or not


class LiveAnswer:
    """Prints each block as soon as the next one has begun; the last waits for `finish`, which knows whether the answer stands."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._text = ""
        self._printed = 0

    def feed(self, chunk: str) -> None:
        """More of the answer."""
        self._text += chunk
        if len(self._text) - self._text.rfind("\n") > len(chunk) + 2 * _TELLING:  # inside a line: nothing can have ended
            return
        end = self._printed + whole_blocks(self._text[self._printed:])
        if end > self._printed:
            self._print(self._text[self._printed:end])
            self._printed = end

    def void(self) -> bool:
        """What came so far is no answer; whether some of it was shown."""
        shown = self._printed > 0
        self._text, self._printed = "", 0
        return shown

    def finish(self, answer: str) -> None:
        """The answer as it stands: print what is not on the screen yet."""
        begun = self._printed and answer.startswith(self._text[:self._printed])
        rest = answer[self._printed:] if begun else answer
        if rest.strip() or not begun:
            self._print(rest)
        self._text, self._printed = "", 0

    def _print(self, block: str) -> None:
        self._screen.answer(("\n" if self._printed else "") + block.strip("\n"))


def whole_blocks(text: str) -> int:
    """How many characters at the beginning are whole blocks: up to a blank line, outside a fence, before a line that starts anew."""
    end, position, fence = 0, 0, ""
    blank = False
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
            if not fence:
                position += len(line)
                continue
        if blank and (len(line) >= _TELLING or line.endswith("\n")) and line.strip() and not _GOES_ON.match(line) and (not fence or mark):
            end = position
        blank = not fence and not line.strip()
        position += len(line)
    return end
