"""Names and descriptions of skills made safe for one line of a prompt, and the search for the name that was meant."""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_TAG = re.compile(r"[\[［【]\s*/?\s*(?=(?:system\s+observation|context)\b)", re.IGNORECASE)
_MARKUP = str.maketrans({"<": "＜", ">": "＞", "&": "＆"})
_FOLD = re.compile(r"[\s_-]+")
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def one_line(text: str, width: int) -> str:
    """The text as one harmless line: no control, bidi or zero-width characters, no markup, no tag of the kernel, at most `width` characters.

    A longer text is cut at the end of a word and closed with "…".
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(" " if char.isspace() else "" if unicodedata.category(char) in _UNSEEN else char for char in text)
    text = _TAG.sub("(", " ".join(text.split()).translate(_MARKUP))
    if len(text) <= width:
        return text
    cut = text[:width - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > width // 2 else cut).rstrip(" ,;:，；：、") + "…"


def clean_name(name: str) -> str:
    """A name as one short line; "" when nothing of it can be seen."""
    return one_line(name, 64).strip("`'\" ")


def valid_name(name: str) -> bool:
    """Whether the open format accepts the name: 1-64 letters, digits and single inner hyphens, lower case."""
    plain = name.replace("-", "")
    return len(name) <= 64 and plain.isalnum() and name == unicodedata.normalize("NFKC", name).lower() \
        and not name.startswith("-") and not name.endswith("-") and "--" not in name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().strip()


def _joined(name: str) -> str:
    return _FOLD.sub("-", _folded(name)).strip("-")


class Nearest:
    """Finds which of some names was meant."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)

    def same(self, name: str) -> str | None:
        """The name that differs only by case or width, else only by `_`, blank and `-`; None without one."""
        for fold in (_folded, _joined):
            wanted = fold(name)
            for candidate in self._names:
                if fold(candidate) == wanted:
                    return candidate
        return None

    def like(self, name: str, count: int) -> list[str]:
        """The `count` names that look most like it, best first; ties in alphabetical order."""
        from difflib import SequenceMatcher
        wanted = _joined(name)[:100]
        scored = [(-SequenceMatcher(None, wanted, _joined(one)).ratio() - (wanted != "" and wanted in _joined(one)), one) for one in self._names]
        return [one for _, one in sorted(scored)[:count]]
