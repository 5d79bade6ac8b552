"""--help and --version, which answer before anything is set up. Parses on Python 3.8."""
from __future__ import annotations

import os
import sys

from core.i18n import set_language, t
from ui.cli.arguments import Arguments

VERSION = "0.1.0"


def show(arguments: Arguments) -> int:
    """Print the help or the version; 0, or 1 when it could not be written."""
    set_language(arguments.given.get("language", ""))
    stream = sys.stdout
    if stream is None:  # closed
        return 1
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    try:
        stream.write((f"skills-agent {VERSION}" if arguments.has("version") else t("cli.help")) + "\n")
        stream.flush()
    except OSError:  # nobody reads, or the disk is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return 0
