"""Confines itself, then becomes a command: python -I -S core/guard_runner.py CONFIG -- COMMAND…

A command-line program of the standard library only, started by the agent and usable by hand. The work is done by
core/launcher; this file only finds it, because `-I -S` keeps the project off the import path.
"""
from __future__ import annotations

import os
import sys

# Appended, not put first: no folder of the project may stand in for a module of the standard library.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main() -> int:
    """The exit status of the command, 128 + signal when a signal ended it, 125 when it could not be confined."""
    from core.launcher import cli
    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Taking the interpreter apart would cost milliseconds and change nothing.
    os._exit(status)
