"""`python3 -m tests`: sets up once, then runs every test, offline and without a key. Arguments go to pytest."""
from __future__ import annotations

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from core import bootstrap


def main() -> int:
    """Run pytest over the project; its exit status."""
    bootstrap.ensure(sys.argv[1:], requirements=("requirements.txt", "requirements-dev.txt"), entry=__file__)
    os.chdir(ROOT)
    import pytest

    arguments = [argument for argument in sys.argv[1:] if argument != "--no-bootstrap"]
    if not arguments and (os.cpu_count() or 1) > 1:  # everything: in two halves at once, since much of it waits for processes
        arguments = ["-n", "2", "--dist", "worksteal"]
    return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
