"""Markdown for a terminal, by rich, which is imported only when a text has something to render."""
from __future__ import annotations

import re

from ui.cli.terminal import Stream, drawn

_MARKUP = re.compile(r"^ {0,3}(#{1,6} |[-*+] |\d+[.)] |>|```|~~~|\|)|\*\*|__|`|\]\(|^\s*\|.*\||^[-*_]{3,}\s*$", re.MULTILINE)


def render(text: str, stream: Stream, columns: int) -> str:
    """The text with its Markdown drawn for this stream, or as it is: without markup, without rich, or where signs are missing."""
    if not _MARKUP.search(text) or not _draws_boxes(stream):
        return text
    try:
        from rich.console import Console
        from rich.markdown import Markdown
    except ImportError:
        return text
    console = Console(force_terminal=True, no_color=not stream.colour, color_system="standard" if stream.colour else None, width=columns,
                      highlight=False, legacy_windows=False, soft_wrap=False)
    with console.capture() as capture:
        console.print(Markdown(text, hyperlinks=False, code_theme="ansi_dark"))
    text_drawn = "\n".join(line.rstrip() for line in drawn(capture.get()).strip("\n").split("\n"))
    return text_drawn if "```" in text or "~~~" in text else re.sub(r"\n{3,}", "\n\n", text_drawn)  # blank lines of code are its own


def _draws_boxes(stream: Stream) -> bool:
    return str(getattr(stream.stream, "encoding", "") or "").lower().replace("-", "").startswith("utf")
