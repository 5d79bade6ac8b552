"""Text of a person inside Markdown: nothing in it may become a table cell's end, a line's end, a heading or a tag."""
from __future__ import annotations

import re


def cell(text: str) -> str:
    """`text` as the content of a table cell."""
    plain = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return re.sub(r"^#", r"\\#", plain)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """The lines of a table; cells are escaped already."""
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
