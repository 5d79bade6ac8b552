#!/usr/bin/env python3
"""The agent on the command line. Sets itself up on the first start; `python3 main_cmd.py --help` says the rest."""
from __future__ import annotations

import sys


def main(argv: list[str]) -> int:
    """Answer --help and --version at once; set up, then do everything else."""
    from core.errors import UsageError
    from ui.cli.arguments import parse

    try:
        arguments = parse(argv)
        if arguments.has("help") or arguments.has("version") or arguments.subcommand == "help":
            from ui.cli.help import show

            return show(arguments)
    except UsageError:
        pass  # told properly below, in the right language and form
    from core.bootstrap import ensure

    ensure(argv, entry=__file__)
    from ui.cli.app import main as run

    return run(argv)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
