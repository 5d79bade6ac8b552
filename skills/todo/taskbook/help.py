"""What --help prints: the operations, or the parameters of one."""
from __future__ import annotations

from taskbook.operations import FURTHER, OPERATIONS, SPECIFIED, Operation

_USAGE = """main.py OPERATION [values of the required parameters] [--parameter VALUE] [--json '{…}' | --json -]
        [--db PATH] [--now ISO] [--lang en|zh]
main.py serve            answers JSON lines {"id", "command", "args"} until the input ends
main.py watch            shows reminders when they are due, until Ctrl-C
main.py parse_time --batch -   reads JSON lines {"text", "now"}

One JSON object is printed. Exit status: 0 done, 1 not done, 2 wrong usage."""


def help_text(name: str) -> str:
    """For one operation its parameters, else all operations."""
    operation = OPERATIONS.get(name)
    if operation is not None:
        return _one(operation)
    lines = [_USAGE, ""]
    for title, table in (("operations", SPECIFIED), ("further operations", FURTHER)):
        lines += [f"{title}:", *(f"  {one.name:<26} {one.summary}" for one in table.values()), ""]
    return "\n".join(lines).rstrip()


def _one(operation: Operation) -> str:
    lines = [f"main.py {operation.name} {' '.join(f'<{name}>' for name in operation.required)}".rstrip(), "", operation.summary, ""]
    for name, schema in operation.params.items():
        kind = " | ".join(schema["enum"]) if "enum" in schema else schema["type"]
        note = "required" if name in operation.required else f"{schema['default']} if not given" if "default" in schema else ""
        lines.append(f"  --{name:<20} {kind:<24} {note}".rstrip())
    return "\n".join(lines)
