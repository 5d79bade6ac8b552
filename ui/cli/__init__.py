"""The command line: one-shot, JSON lines and interactive, over the events of core.handlers."""
