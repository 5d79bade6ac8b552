"""--help and --version, which answer before anything is set up. Parses on Python 3.8."""
from __future__ import annotations

import sys

from core.i18n import set_language, t
from ui.cli.arguments import Arguments

VERSION = "0.1.0"


def show(arguments: Arguments) -> int:
    """Print the help or the version; 0."""
    set_language(arguments.given.get("language", ""))
    stream = sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    stream.write((f"skills-agent {VERSION}" if arguments.has("version") else t("cli.help")) + "\n")
    return 0
