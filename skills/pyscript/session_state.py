"""A session's variables, kept in a file between two runs.

No process stays behind: in the sandbox none could, for everything a command started ends with it. Values are pickled together,
so that two names of one list stay two names of one list. Imports, functions, classes and what is defined by a call (named tuples, type
variables) are kept as source and run again first; closures as byte code. What can be kept in no way (open files, connections, generators)
is named in `lost`.
"""
from __future__ import annotations

import ast
import os
import pickle
import types
from collections.abc import Iterator
from typing import Any

import _pyscript_keeping as keeping

SIZE_LIMIT = 200_000_000
_ALSO_SINGLY = 5_000_000  # bytes: up to here every value is kept by itself too, so that one that cannot be read takes no other along
_Block = (ast.If, ast.Try, ast.With, ast.For, ast.While)


class DamagedSession(Exception):
    """The file of a session is not one that this program wrote."""


class Session:
    """One session, kept at `path`; `namespace` is the script's own."""

    def __init__(self, path: str, namespace: dict[str, Any]) -> None:
        self._path = path
        self._namespace = namespace
        self._definitions: dict[str, str] = {}
        self._not_restored: dict[str, str] = {}

    def restore(self) -> None:
        """Bring back what the last run kept. Raises DamagedSession; a single value that cannot be brought back is named by save()."""
        try:
            with open(self._path, "rb") as file:
                kept = pickle.load(file)
            self._definitions = dict(kept["definitions"])
        except FileNotFoundError:
            return
        except Exception as error:
            raise DamagedSession(f"{type(error).__name__}: {error}"[:300]) from error
        failed = [name for name, source in self._definitions.items() if not self._run(name, source)]
        try:
            self._namespace.update(pickle.loads(kept["values"]))
        except Exception as error:  # noqa: BLE001 - loading runs code of the values' classes
            self._restore_singly(kept, _reason(error))
        for name in failed:   # a definition may need a value, in a default argument for example
            if self._run(name, self._definitions[name]):
                self._not_restored.pop(name, None)

    def _restore_singly(self, kept: dict[str, Any], reason: str) -> None:
        singly = kept.get("singly", {})
        for name in kept["names"]:
            try:
                self._namespace[name] = pickle.loads(singly[name])
            except Exception as error:  # noqa: BLE001 - as in restore()
                self._not_restored[name] = _reason(error) if name in singly else reason

    def _run(self, name: str, source: str) -> bool:
        try:
            exec(compile(source, f"<session {name}>", "exec", dont_inherit=True), self._namespace)
        except Exception as error:  # noqa: BLE001 - the user's own definitions run here
            self._not_restored[name] = _reason(error)
            return False
        return True

    def learn(self, tree: ast.Module, error: BaseException | None = None) -> None:
        """Take the definitions of a source that has run, with `error` those before the line where it stopped."""
        end = _stopped_at(error, self._namespace) if error else float("inf")
        future = "".join(ast.unparse(node) + "\n" for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
        for node in _statements(tree.body):
            if node.lineno >= end:
                continue
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._imports(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if _is_bound(self._namespace.get(node.name), node):
                    self._define(node.name, future + ast.unparse(node))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name) and _is_definition(target.id, node.value, self._namespace.get(target.id)):
                        self._define(target.id, future + ast.unparse(node))

    def _imports(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            source = ast.unparse(type(node)(**{**vars(node), "names": [alias]}))
            name = alias.asname or (alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name)
            before = self._definitions.get(name, "")
            if alias.name == "*":
                self._define(source, source)
            elif "." in alias.name and not alias.asname and before.startswith("import ") and source not in before.split("\n"):
                self._define(name, f"{before}\n{source}")   # import a.b, then import a.c: both stay
            else:
                self._define(name, source)

    def _define(self, name: str, source: str) -> None:
        self._definitions.pop(name, None)   # the newest stands last: it may build on those before it
        self._definitions[name] = source

    def save(self) -> dict[str, Any]:
        """Write the file; the value names what is kept and, with the reason, what is lost."""
        values: dict[str, Any] = {}
        for name, value in self._namespace.items():
            if name.startswith("__"):
                continue
            if isinstance(value, types.ModuleType):
                self._definitions.setdefault(name, f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else ""))
            elif not (name in self._definitions and (callable(value) or type(value).__module__ == "typing")):
                values[name] = value
        self._definitions = {name: source for name, source in self._definitions.items()
                             if " import *" in name or (name in self._namespace and name not in values)}
        blob, lost = self._pickled(values)
        if len(blob) > SIZE_LIMIT:
            lost = dict.fromkeys(values, f"more than {SIZE_LIMIT} bytes together")
            blob, values = pickle.dumps({}), {}
        names = [name for name in values if name not in lost]
        singly = {name: keeping.pickled(values[name], self._definitions) for name in names} if len(blob) <= _ALSO_SINGLY else {}
        self._write(pickle.dumps({"definitions": self._definitions, "names": names, "values": blob, "singly": singly}))
        lost = {name: reason for name, reason in {**self._not_restored, **lost}.items() if name not in names}
        return {"kept": sorted([*names, *self._definitions]), "lost": lost}

    def _pickled(self, values: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
        """All the values that can be pickled, as one pickle, and the names of the others with the reason."""
        try:
            return keeping.pickled(values, self._definitions), {}
        except Exception:  # noqa: BLE001 - pickling runs code of the values' classes
            pass
        lost: dict[str, str] = {}
        for name, value in values.items():
            try:
                keeping.pickled(value, self._definitions)
            except Exception as error:  # noqa: BLE001 - as above
                lost[name] = f"{type(value).__name__}: {error}"[:200]
        return keeping.pickled({name: value for name, value in values.items() if name not in lost}, self._definitions), lost

    def _write(self, data: bytes) -> None:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        new = f"{self._path}.{os.getpid()}"
        with open(new, "wb") as file:
            file.write(data)
        os.replace(new, self._path)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:200]


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that bind names of the module, also those inside if, try, with and loops."""
    for node in body:
        yield node
        if isinstance(node, _Block):
            parts = [*(getattr(node, field, []) for field in ("body", "orelse", "finalbody")), *(one.body for one in getattr(node, "handlers", []))]
            for part in parts:
                yield from _statements(part)


def _stopped_at(error: BaseException, namespace: dict[str, Any]) -> float:
    """The line of the script's own statement in which `error` came up; 0 when it never started."""
    line, trace = 0, error.__traceback__
    while trace:
        if trace.tb_frame.f_globals is namespace and trace.tb_frame.f_code.co_name == "<module>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _is_bound(value: Any, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether the name is bound to what `node` defines; a bare function tells it by its line, others are taken at their name."""
    if isinstance(value, types.FunctionType) and not node.decorator_list:
        return value.__code__.co_firstlineno == node.lineno
    return callable(value)


def _is_definition(name: str, source: ast.expr, value: Any) -> bool:
    """Whether an assignment defines something that pickle would only name: a lambda, a named tuple, a type variable."""
    if isinstance(source, ast.Lambda):
        return isinstance(value, types.FunctionType)
    if isinstance(value, type):
        return value.__module__ == "__main__" and value.__qualname__ == name and isinstance(source, ast.Call)
    return type(value).__module__ == "typing" and isinstance(source, ast.Call) and getattr(value, "__name__", None) == name
