"""Text of a person inside Markdown: nothing in it may become a table cell's end, a line's end, a heading, a link or a tag."""
from __future__ import annotations

import re


def cell(text: str) -> str:
    """`text` as the content of a table cell: it reads as it was written, and neither links, pictures nor emphasis come of it."""
    plain = re.sub(r"&(?=#?\w+;)", "&amp;", " ".join(text.split())).replace("<", "&lt;")
    return re.sub(r"^#", r"\\#", re.sub(r"([\\|`*\[])", r"\\\1", plain))


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """The lines of a table; cells are escaped already."""
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
