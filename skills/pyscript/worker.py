"""The child: runs the user's Python as `__main__` and writes down how it went. Standard library only; runs in any environment.

Called as `python worker.py JOB` by main.py. JOB is a JSON file: source, filename, arguments, path (folder for imports), roots
(folders whose files are the user's), echo, deadline (seconds since the epoch), result, stack, figures, session. The user's code may
break anything in this process, so what the report needs is taken before it runs.
"""
from __future__ import annotations

import ast
import contextlib
import faulthandler
import json
import linecache
import os
import sys
import time
import traceback
import types
import warnings
from typing import Any

import session_state

_dumps, _open, _write, _replace = json.dumps, os.open, os.write, os.replace
_extract, _describe = traceback.extract_tb, traceback.format_exception_only
_FRAMES = 8
_VALUE_LIMIT = 2000
_real_path, _join = os.path.realpath, os.path.join


def main() -> int:
    """Run the job; the value is the exit status of the script."""
    with open(sys.argv[1], encoding="utf-8") as file:
        job: dict[str, Any] = json.load(file)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    _watchdog(job)
    module = _main_module(job)
    report: dict[str, Any] = {"exception": None, "value": None, "figures": [], "session": None}
    state = session_state.Session(job["session"], module.__dict__) if job["session"] else None
    status = 0
    try:
        if state:
            state.restore()
        tree = ast.parse(job["source"], job["filename"])
        report["value"] = _run(tree, job, module.__dict__, state)
    except session_state.DamagedSession as error:
        report["damaged"], state, status = str(error), None, 1   # nothing has run, and the file stays as it is
    except SystemExit as stop:
        status = _exit_status(stop)
    except BaseException as error:  # noqa: BLE001 - whatever the script raises is its result
        _make_room()
        report["exception"] = describe(error, job)
        report["memory"] = isinstance(error, MemoryError)
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
    report["status"] = status
    _finish(report, job, state)
    return status


def _watchdog(job: dict[str, Any]) -> None:
    """Where the script is when its time is up, or when it crashes, goes into the file `stack`."""
    stack = open(job["stack"], "w")
    faulthandler.enable(stack)
    faulthandler.dump_traceback_later(max(0.01, job["deadline"] - time.time()), file=stack)
    job["stack_file"] = stack


def _main_module(job: dict[str, Any]) -> types.ModuleType:
    """A fresh `__main__`, as if Python had been called with the script itself."""
    sys.modules["_pyscript_worker"] = sys.modules["__main__"]   # keeps these functions' module alive
    sys.modules.pop("session_state", None)   # the user may have a module of that name
    module = types.ModuleType("__main__")
    is_file = not job["filename"].startswith("<")
    if is_file:
        module.__file__ = job["filename"]
    sys.modules["__main__"] = module
    sys.path[0] = job["path"]
    sys.argv = [job["filename"] if is_file else "-", *job["arguments"]]
    lines = job["source"].splitlines(True)
    linecache.cache[job["filename"]] = (len(job["source"]), None, lines, job["filename"])
    warnings.filterwarnings("ignore", message=".*non-interactive.*cannot be shown")
    return module


def _run(tree: ast.Module, job: dict[str, Any], namespace: dict[str, Any], state: session_state.Session | None) -> str | None:
    """Run it all; the session learns what was defined, also before an error."""
    try:
        value = _execute(tree, job, namespace)
    except BaseException as error:
        if state:
            state.learn(tree, error)
        raise
    if state:
        state.learn(tree)
    return value


def _execute(tree: ast.Module, job: dict[str, Any], namespace: dict[str, Any]) -> str | None:
    """Run it all. With `echo`, a last line that is an expression gives its value, as in an interactive Python."""
    last = tree.body[-1] if tree.body else None
    if not job["echo"] or not isinstance(last, ast.Expr):
        exec(compile(tree, job["filename"], "exec", dont_inherit=True), namespace)
        return None
    body = ast.Module(body=tree.body[:-1], type_ignores=[])
    exec(compile(body, job["filename"], "exec", dont_inherit=True), namespace)
    value = eval(compile(ast.Expression(last.value), job["filename"], "eval", dont_inherit=True), namespace)
    if value is None:
        return None
    namespace["_"] = value
    shown = repr(value)
    return shown if len(shown) <= _VALUE_LIMIT else f"{shown[:_VALUE_LIMIT]}…"


def _exit_status(stop: SystemExit) -> int:
    """What `sys.exit(…)` means: nothing is 0, a number is itself, a text goes to stderr and is 1."""
    if stop.code is None or isinstance(stop.code, int):
        return int(stop.code or 0) & 0xFF
    with contextlib.suppress(ValueError, OSError, AttributeError):
        print(stop.code, file=sys.stderr)
    return 1


def _make_room() -> None:
    """The report needs some stack and some memory, which the script may have used up."""
    sys.setrecursionlimit(max(1000, sys.getrecursionlimit()))
    try:
        import resource
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    except (ImportError, ValueError, OSError):
        pass


def describe(error: BaseException, job: dict[str, Any]) -> dict[str, Any]:
    """Type and message, and the user's own lines only: the innermost as file, line, source, and all of them as `frames`."""
    frames = [{"file": entry.filename, "line": entry.lineno, "function": entry.name, "source": (entry.line or "")[:300]}
              for entry in _extract(error.__traceback__) if _is_own(entry.filename, job)]
    described = "".join(_describe(type(error), error)).strip().splitlines()
    text = "\n".join(described[next((index for index, line in enumerate(described) if not line.startswith("  ")), 0):])
    name, _, message = text.partition(": ")
    shown: dict[str, Any] = {"type": name if "\n" not in name else type(error).__name__, "message": message[:4000]}
    if isinstance(error, SyntaxError) and error.lineno is not None and not (frames and not _is_own(error.filename or "", job)):
        shown.update(message=error.msg, file=error.filename, line=error.lineno, column=error.offset, source=(error.text or "").rstrip("\n")[:300])
        return {**shown, "frames": _few(frames)}
    place = frames[-1] if frames else {"file": None, "line": None, "source": ""}
    return {**shown, "file": place["file"], "line": place["line"], "source": place["source"], "frames": _few(frames)}


def _few(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A recursion of a thousand frames is told by its two ends."""
    return frames if len(frames) <= _FRAMES else [*frames[:2], {"left_out": len(frames) - _FRAMES}, *frames[2 - _FRAMES:]]


def _is_own(filename: str, job: dict[str, Any]) -> bool:
    if filename == job["filename"]:
        return True
    if filename.startswith("<") or "site-packages" in filename or filename == __file__:
        return False
    real = _real_path(filename)
    return any(real.startswith(_join(root, "")) for root in job["roots"]) and not any(real.startswith(_join(root, "")) for root in job["foreign"])


def _finish(report: dict[str, Any], job: dict[str, Any], state: session_state.Session | None) -> None:
    """Save figures and the session, then write the report. None of it may fail the script."""
    for key, work in (("figures", lambda: _save_figures(job["figures"])), ("session", lambda: state.save() if state else None)):
        try:
            report[key] = work()
        except BaseException as error:  # noqa: BLE001 - the user's objects run code here; the report must be written
            report[key + "_error"] = f"{type(error).__name__}: {error}"[:500]
    text = _dumps(report, ensure_ascii=True, default=str)
    file = _open(job["result"] + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    data = text.encode()
    while data:
        data = data[_write(file, data):]
    _replace(job["result"] + ".new", job["result"])


def _save_figures(prefix: str) -> list[str]:
    """Save what matplotlib still has open; [] when the script did not use it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    saved: list[str] = []
    for number in pyplot.get_fignums() if pyplot else ():
        os.makedirs(os.path.dirname(prefix), exist_ok=True)
        path = f"{prefix}-{number}.png"
        pyplot.figure(number).savefig(path)  # type: ignore[union-attr]
        saved.append(path)
    return saved


if __name__ == "__main__":
    sys.exit(main())
