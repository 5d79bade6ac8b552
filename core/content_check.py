"""Looks at the text that is about to be written: would it break the file?

Weak models write a Python statement into a .json file, or a script that no Python can read. The first is held back, since it destroys data that was
fine; the second is written and remarked on, since the next run would fail anyway.
"""
from __future__ import annotations

import json
import re
from pathlib import Path

_LONGEST = 200_000
_PAIR = re.compile(r"""["']?([\w-]+)["']?\s*[:=]\s*["']?([^"',}\n]+?)["']?\s*(?:[,}\n]|$)""")


def refusal(path: Path, shown: str, before: str, after: str) -> str:
    """Why the new text must not replace the old, or "": a file that holds valid JSON would hold none."""
    if path.suffix.lower() != ".json" or not before.strip():
        return ""
    problem = _json_problem(after)
    if not problem or _json_problem(before):
        return ""
    meant = _as_meant(before, after)
    if meant:
        return f"your content is not JSON ({problem}), so nothing was changed. With your change and the rest kept, {shown} would be:\n{meant}"
    return (f"your content is not JSON ({problem}), so nothing was changed. The file says now:\n{before.strip()[:1000]}\n"
            f"Change it with a command such as: sed -i 's/OLD/NEW/' {shown} - or send write_file again with this whole text and your change in it.")


def _as_meant(before: str, after: str) -> str:
    """The old object with the `key: value` pairs of a text that is no JSON, as JSON; "" when they do not fit it."""
    old = json.loads(before)
    if not isinstance(old, dict):
        return ""
    changes: dict[str, object] = {}
    for key, value in _PAIR.findall(after[:2000]):
        if isinstance(old.get(key), str):
            changes[key] = value
        elif key in old and not _json_problem(value):
            changes[key] = json.loads(value)
    return json.dumps({**old, **changes}, ensure_ascii=False, indent=2)[:4000] if changes else ""


def loss(path: Path, shown: str, before: str, after: str) -> str:
    """What a new text of a JSON object would lose, or ""."""
    if path.suffix.lower() != ".json":
        return ""
    try:
        old, new = json.loads(before), json.loads(after)
    except (ValueError, RecursionError):
        return ""
    gone = [key for key in old if key not in new] if isinstance(old, dict) and isinstance(new, dict) else []
    if not gone:
        return ""
    names = ", ".join(json.dumps(key) for key in gone[:5])
    whole = json.dumps({**old, **new}, ensure_ascii=False, indent=2)
    return f"your new text lacks {names}, so nothing was changed. With your change and the rest kept, {shown} would be:\n{whole[:4000]}"


def remark(path: Path, after: str) -> str:
    """What the model should know about the text just written, or ""."""
    if path.suffix.lower() == ".py" and len(after) < _LONGEST:
        return _python_problem(after)
    if path.suffix.lower() == ".json" and (problem := _json_problem(after)):
        return f"Note: this is not valid JSON ({problem})."
    return ""


def _json_problem(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def _python_problem(text: str) -> str:
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        line = f": {error.text.strip()[:100]}" if error.text else ""
        return f"Note: Python cannot read this script: line {error.lineno}: {error.msg}{line}. Write it again, corrected."
    except (ValueError, RecursionError, MemoryError):
        return ""
    return ""
