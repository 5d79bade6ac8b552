"""The test-suite: `python3 -m tests` runs everything, `python3 -m tests ARGUMENTS` passes them on to pytest."""
