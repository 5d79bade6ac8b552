"""A session's variables, kept in a file between two runs.

No process stays behind: in the sandbox none could, for everything a command started ends with it. Values are pickled together,
so that two names of one list stay two names of one list. Imports, functions, classes and lambdas are kept as source and run again
first. What can be kept in neither way (open files, connections, generators, closures) is named in `lost`.
"""
from __future__ import annotations

import ast
import os
import pickle
import types
from typing import Any

SIZE_LIMIT = 200_000_000


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
            self._not_restored.update(dict.fromkeys(kept["names"], f"{type(error).__name__}: {error}"[:200]))
        for name in failed:   # a definition may need a value, in a default argument for example
            if self._run(name, self._definitions[name]):
                self._not_restored.pop(name, None)

    def _run(self, name: str, source: str) -> bool:
        try:
            exec(compile(source, f"<session {name}>", "exec", dont_inherit=True), self._namespace)
        except Exception as error:  # noqa: BLE001 - the user's own definitions run here
            self._not_restored[name] = f"{type(error).__name__}: {error}"[:200]
            return False
        return True

    def learn(self, tree: ast.Module) -> None:
        """Take the definitions of a source that has run."""
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    single = type(node)(**{**vars(node), "names": [alias]})
                    self._define((alias.asname or alias.name.partition(".")[0]) if alias.name != "*" else ast.unparse(single), single)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._define(node.name, node)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._define(target.id, node)

    def _define(self, name: str, node: ast.AST) -> None:
        self._definitions.pop(name, None)   # the newest stands last: it may build on those before it
        self._definitions[name] = ast.unparse(node)

    def save(self) -> dict[str, Any]:
        """Write the file; the value names what is kept and, with the reason, what is lost."""
        values: dict[str, Any] = {}
        for name, value in self._namespace.items():
            if name.startswith("__"):
                continue
            if isinstance(value, types.ModuleType):
                self._definitions.setdefault(name, f"import {value.__name__}" + (f" as {name}" if name != value.__name__ else ""))
            elif not (name in self._definitions and callable(value)):
                values[name] = value
        self._definitions = {name: source for name, source in self._definitions.items()
                             if " import *" in name or (name in self._namespace and name not in values)}
        blob, lost = _pickled(values)
        if len(blob) > SIZE_LIMIT:
            lost = dict.fromkeys(values, f"more than {SIZE_LIMIT} bytes together")
            blob, values = pickle.dumps({}), {}
        names = [name for name in values if name not in lost]
        self._write(pickle.dumps({"definitions": self._definitions, "names": names, "values": blob}))
        lost = {name: reason for name, reason in {**self._not_restored, **lost}.items() if name not in names}
        return {"kept": sorted([*names, *self._definitions]), "lost": lost}

    def _write(self, data: bytes) -> None:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        new = f"{self._path}.{os.getpid()}"
        with open(new, "wb") as file:
            file.write(data)
        os.replace(new, self._path)


def _pickled(values: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """All the values that can be pickled, as one pickle, and the names of the others with the reason."""
    try:
        return pickle.dumps(values, pickle.HIGHEST_PROTOCOL), {}
    except Exception:  # noqa: BLE001 - pickling runs code of the values' classes
        pass
    lost: dict[str, str] = {}
    for name, value in values.items():
        try:
            pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 - as above
            lost[name] = f"{type(value).__name__}: {error}"[:200]
    return pickle.dumps({name: value for name, value in values.items() if name not in lost}, pickle.HIGHEST_PROTOCOL), lost
