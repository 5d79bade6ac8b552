"""What a piece of Python code does, from its syntax tree: calls that delete, write, start processes, talk to the network or hide what they do."""

from __future__ import annotations

import ast
import itertools
import re

from core.guard.network import is_local
from core.guard.programs import secret_name
from core.guard.scope import Scope
from core.guard.verdict import load_table
from core.guard.words import Call, Word

MAX_CODE = 16384
MAX_NODES = 4000
_SENSITIVE = ("os", "shutil", "subprocess", "socket", "builtins", "sys", "pathlib", "importlib", "ctypes", "pty")
_HIDDEN = (
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "__dict__",
    "__class__",
    "__mro__",
    "__bases__",
    "__getattribute__",
    "__code__",
    "__loader__",
    "__reduce__",
)
_SAVERS = re.compile(
    r"^(to_(csv|excel|json|parquet|pickle|html|sql|feather|hdf|markdown|latex|xml)|savefig|save|savez|imsave|imwrite|savetxt|write_(image|html|json)|export)$"
)


def analyse(code: str, call: Call, scope: Scope, *, lenient: bool = False) -> None:
    """Record what the code meets. `lenient` is for script files: only deletions, secrets and hidden code that are plain to see count."""
    try:
        nodes = list(itertools.islice(ast.walk(ast.parse(code)), MAX_NODES + 1)) if len(code) <= MAX_CODE else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        nodes = []
    if not nodes or len(nodes) > MAX_NODES:
        if not lenient:
            scope.add("inline.code", call, "python")
        return
    _Reader(call, scope, lenient).visit_all(nodes)


class _Reader:
    def __init__(self, call: Call, scope: Scope, lenient: bool) -> None:
        self.call, self.scope, self.lenient = call, scope, lenient
        self.names: dict[str, str] = {}
        self.table = load_table("python")

    def visit_all(self, nodes: list[ast.AST]) -> None:
        for node in nodes:
            self.bind(node)
        handled: set[int] = set()
        for node in nodes:
            if isinstance(node, ast.Call):
                self.visit_call(node, handled)
        for node in nodes:
            if isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in handled:
                self.visit_name(node)
            elif isinstance(node, ast.Subscript):
                self.visit_subscript(node)

    def add(self, rule: str, resource: str) -> None:
        """A finding; in a script file only what is certain counts."""
        if not self.lenient or rule.startswith(("delete.outside", "delete.root", "secret.", "write.")):
            self.scope.add(rule, self.call, resource)

    def bind(self, node: ast.AST) -> None:
        """Imports and plain assignments of modules and functions to other names."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.names[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*" and (node.module or "").split(".")[0] in _SENSITIVE:
                    self.add("inline.process", f"from {node.module} import *")
                self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = self.dotted(node.value)
            if value and value.split(".")[0] in (*_SENSITIVE, "eval", "exec", "open", "__import__", "getattr", "compile"):
                self.names[node.targets[0].id] = value

    def dotted(self, node: ast.AST) -> str:
        """The full name that an expression means, or ""."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return f"{base}.{node.attr}" if base else ""
        if isinstance(node, ast.Call):
            name = self.dotted(node.func)
            if name in ("__import__", "importlib.import_module") and node.args:
                return literal(node.args[0]) or ""
            if name in ("Path", "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"):
                return "pathlib.Path()"
        return ""

    def visit_call(self, node: ast.Call, handled: set[int]) -> None:
        name = self.dotted(node.func)
        arguments = [literal(argument) for argument in node.args]
        if name in ("__import__", "importlib.import_module"):
            if not arguments or arguments[0] is None:
                self.add("inline.process", name)
        elif name in ("open", "io.open", "codecs.open", "builtins.open") or name == "pathlib.Path().open":
            self.visit_open(node, name, arguments)
        elif name in self.table["paths"]:
            self.paths(self.table["paths"][name], name, arguments)
            handled.add(id(node.func))
        elif name in ("getattr", "setattr", "vars", "delattr") and node.args and self.dotted(node.args[0]).split(".")[0] in _SENSITIVE:
            self.add("inline.process", name)
        elif name.startswith(tuple(self.table["network"])) and arguments and arguments[0] is not None and is_local(arguments[0]):
            handled.update(id(part) for part in ast.walk(node.func))
            self.add("network.local", arguments[0])
        elif isinstance(node.func, ast.Attribute):
            self.visit_method(node, node.func, arguments)
        if name in ("os.getenv", "os.environ.get", "os.environ.pop") and arguments and secret_name(arguments[0] or ""):
            self.add("secret.env", arguments[0] or "")

    def visit_open(self, node: ast.Call, name: str, arguments: list[str | None]) -> None:
        method = name.endswith("().open")
        receiver = node.func.value if method and isinstance(node.func, ast.Attribute) else None
        path = (
            literal(receiver.args[0]) if isinstance(receiver, ast.Call) and receiver.args else None if method else arguments[0] if arguments else None
        )
        mode_at = 0 if method else 1
        modes = [literal(keyword.value) for keyword in node.keywords if keyword.arg == "mode"] or arguments[mode_at : mode_at + 1] or ["r"]
        mode = modes[0]
        if mode is not None and not set(mode) & set("wax+"):
            if path is not None:
                self.read(path)
        elif path is None:
            self.add("inline.write", name)
        else:
            self.write(path)

    def visit_method(self, node: ast.Call, function: ast.Attribute, arguments: list[str | None]) -> None:
        """A method of an object whose class is not known."""
        attribute = function.attr
        target = literal(function.value.args[0]) if isinstance(function.value, ast.Call) and function.value.args else None
        on_path = self.dotted(function.value) == "pathlib.Path()"
        if attribute in ("unlink", "rmdir", "rmtree", "removedirs") or on_path and attribute in ("rename", "replace"):
            self.remove(target) if target is not None else self.add("inline.delete", attribute)
        elif attribute in ("write_text", "write_bytes", "touch", "mkdir", "symlink_to", "hardlink_to", "chmod"):
            self.write(target) if on_path and target is not None else self.add("inline.write", attribute)
        elif attribute in ("read_text", "read_bytes") and target is not None:
            self.read(target)
        elif _SAVERS.match(attribute) and arguments and arguments[0] is not None:
            self.write(arguments[0])
        elif attribute in ("execute", "executescript", "executemany") and arguments and arguments[0] is not None:
            from core.guard.services import risky_sql

            if risky_sql(arguments[0], local=True):
                self.add("database.change", arguments[0])

    def paths(self, kinds: str, name: str, arguments: list[str | None]) -> None:
        """A function whose arguments are paths: r read, w written, d deleted."""
        for kind, path in zip(kinds, [*arguments, *[None] * len(kinds)], strict=False):
            if path is None:
                self.add({"d": "inline.delete", "w": "inline.write"}.get(kind, "read.only"), name)
            elif kind == "d":
                self.remove(path)
            elif kind == "w":
                self.write(path)
            else:
                self.read(path)

    def visit_name(self, node: ast.Attribute | ast.Name) -> None:
        """Any mention of a dangerous function, called or passed on."""
        if isinstance(node, ast.Attribute) and node.attr in _HIDDEN:
            self.add("inline.process", node.attr)
            return
        name = self.dotted(node)
        for rule in ("inline.process", "inline.delete", "privilege.root", "inline.network"):
            if any(name == entry or entry.endswith(".") and name.startswith(entry) for entry in self.table[rule]):
                self.add(rule, name)
                return
        if (
            isinstance(node, ast.Attribute)
            and name.startswith(("os.", "shutil."))
            and name.count(".") == 1
            and name not in self.table["free"]
            and name not in self.table["paths"]
        ):
            self.add("inline.process", name)
        elif name in self.table["paths"] and isinstance(node, ast.Attribute):
            self.add(
                "inline.delete" if "d" in self.table["paths"][name] else "inline.write" if "w" in self.table["paths"][name] else "read.only", name
            )

    def visit_subscript(self, node: ast.Subscript) -> None:
        key = literal(node.slice)
        name = self.dotted(node.value)
        if name == "os.environ" and key is not None and secret_name(key):
            self.add("secret.env", key)
        elif name in ("globals()", "__builtins__") or name == "sys.modules":
            self.add("inline.process", name)

    def read(self, path: str) -> None:
        self.scope.read(self.call, Word(path))

    def write(self, path: str) -> None:
        self.scope.write(self.call, Word(path))

    def remove(self, path: str) -> None:
        if not self.lenient or self.scope.zones(Word(path)) - {"workspace", "temp"}:
            self.scope.delete(self.call, Word(path))


def literal(node: ast.AST) -> str | None:
    """The text of a constant, of constants joined by +, or of Path("…") and expanduser; None when it is not known."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else node.value.decode("latin-1") if isinstance(node.value, bytes) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
        left, right = literal(node.left), literal(node.right)
        if left is None or right is None:
            return None
        return left + ("/" if isinstance(node.op, ast.Div) else "") + right
    if isinstance(node, ast.Call) and node.args and isinstance(node.func, (ast.Name, ast.Attribute)):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        if name in ("Path", "expanduser", "abspath", "realpath", "normpath", "PurePath"):
            return literal(node.args[0])
    return None
