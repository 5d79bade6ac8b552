"""What a script touches, read from its syntax tree without running it.

A list of the calls and imports that are written down, each with its line. It is no proof: a script can build a name at run time, and what an
imported module does is not looked into.
"""
from __future__ import annotations

import ast
import builtins
import sys
from typing import Any

KINDS = ("files", "network", "processes", "eval")
MODULES = {   # a call of anything in these modules counts as this kind
    "files": ("shutil", "tempfile", "pathlib", "glob", "fileinput", "zipfile", "tarfile", "sqlite3", "shelve", "dbm"),
    "network": ("socket", "ssl", "urllib.request", "urllib3", "http.client", "http.server", "socketserver", "ftplib", "smtplib", "poplib", "imaplib",
                "telnetlib", "xmlrpc", "requests", "httpx", "aiohttp", "websockets", "paramiko", "webbrowser"),
    "processes": ("subprocess", "multiprocessing", "pty", "signal", "concurrent.futures.ProcessPoolExecutor"),
    "eval": ("ctypes", "cffi", "importlib", "imp", "runpy", "code", "codeop", "marshal", "pickle", "dill", "cloudpickle"),
}
_OS_FILES = ("remove", "unlink", "rename", "renames", "replace", "rmdir", "removedirs", "mkdir", "makedirs", "open", "truncate", "chmod", "chown",
             "link", "symlink", "utime", "listdir", "scandir", "walk", "mkfifo", "mknod")
_OS_PROCESSES = ("system", "popen", "fork", "forkpty", "kill", "killpg", "_exit", "abort", "posix_spawn", "posix_spawnp", "startfile")
CALLS = {
    **{f"os.{name}": "files" for name in _OS_FILES}, **{f"os.{name}": "processes" for name in _OS_PROCESSES},
    **dict.fromkeys(("open", "io.open", "codecs.open"), "files"),
    **dict.fromkeys(("eval", "exec", "compile", "__import__", "globals", "sys.settrace"), "eval"),
    **dict.fromkeys(("asyncio.open_connection", "asyncio.start_server", "asyncio.open_unix_connection"), "network"),
    **dict.fromkeys(("asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell"), "processes"),
}
METHODS = dict.fromkeys(("write_text", "write_bytes", "read_text", "read_bytes", "unlink", "rmdir", "touch", "to_csv", "to_excel", "to_parquet",
                         "savefig", "iterdir", "rglob", "symlink_to", "hardlink_to"), "files")


class _Reader(ast.NodeVisitor):
    """Follows names through `import … as …` and `from … import …` and notes every call that is known."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.imports: list[dict[str, Any]] = []
        self.found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self.names[alias.asname or top] = alias.name if alias.asname else top
            self._imported(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            self.names[alias.asname or alias.name] = f"{module}.{alias.name}"
        self._imported(module, node.lineno)

    def _imported(self, module: str, line: int) -> None:
        top = module.partition(".")[0]
        origin = "local" if not top else "standard" if top in sys.stdlib_module_names else "other"
        if not any(one["name"] == module for one in self.imports):
            self.imports.append({"line": line, "name": module, "origin": origin})

    def visit_Call(self, node: ast.Call) -> None:
        name = self.resolve(node.func)
        kind = kind_of(name) if name else METHODS.get(node.func.attr) if isinstance(node.func, ast.Attribute) else None
        if not kind and isinstance(node.func, ast.Attribute):
            kind = METHODS.get(node.func.attr)
        if kind:
            self.found[kind].append({"line": node.lineno, "call": name or f"….{node.func.attr}", **_detail(node)})  # type: ignore[attr-defined]
        self.generic_visit(node)

    def resolve(self, node: ast.expr) -> str:
        """The dotted name that an expression stands for, "" when it is not a plain name."""
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return f"{base}.{node.attr}" if base else ""
        if isinstance(node, ast.Name):
            return self.names.get(node.id) or (node.id if hasattr(builtins, node.id) else "")
        return ""


def kind_of(name: str) -> str | None:
    """The kind of a call by its full dotted name, None when it is not known to touch anything."""
    name = name.removeprefix("builtins.")
    if name in CALLS:
        return CALLS[name]
    if name.startswith(("os.exec", "os.spawn")):
        return "processes"
    return next((kind for kind, modules in MODULES.items() if any(name == one or name.startswith(one + ".") for one in modules)), None)


def _detail(node: ast.Call) -> dict[str, Any]:
    """What is written as the first argument, and the mode of an open()."""
    shown: dict[str, Any] = {}
    if node.args:
        shown["argument"] = ast.unparse(node.args[0])[:100]
    mode = node.args[1] if len(node.args) > 1 else next((word.value for word in node.keywords if word.arg == "mode"), None)
    if isinstance(node.func, ast.Name) and node.func.id == "open":
        shown["mode"] = mode.value if isinstance(mode, ast.Constant) else "r" if mode is None else "?"
    return shown


def survey(source: str, filename: str) -> dict[str, Any]:
    """{"imports": […], "files": […], "network": […], "processes": […], "eval": […]}, each entry with its line. Raises SyntaxError, ValueError."""
    reader = _Reader()
    reader.visit(ast.parse(source, filename))
    return {"imports": reader.imports, **{kind: sorted(entries, key=lambda one: int(one["line"])) for kind, entries in reader.found.items()}}
