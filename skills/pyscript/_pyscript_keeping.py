"""Pickles what Python's own pickle refuses: functions that no name leads to (closures, lambdas in a list) and modules.

Such a function is its byte code with what it has bound, so it comes back under the same version of Python only. The file's name is one that
no script imports by chance: the pickles name it, and the script's own folder stands first on the path.
"""
from __future__ import annotations

import importlib
import io
import marshal
import pickle
import sys
import types
from collections.abc import Collection
from typing import Any

VERSION = f"{sys.implementation.cache_tag}-{sys.hexversion >> 16:x}"


class Keeper(pickle.Pickler):
    """A pickler for the values of one session; `defined` are the names that the session defines again by itself."""

    def __init__(self, file: io.BytesIO, defined: Collection[str]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._defined = defined

    def reducer_override(self, value: Any) -> Any:
        """How to pickle `value`; NotImplemented leaves it to pickle."""
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, types.FunctionType) and not self._is_found(value):
            return _taken_apart(value)
        if isinstance(value, type) and value.__module__ == "__main__" and not self._is_found(value):
            raise pickle.PicklingError(f"the class {value.__qualname__} is not one that the session can define again")
        return NotImplemented

    def _is_found(self, value: Any) -> bool:
        """Whether module and name lead to this very function or class when the session is opened again."""
        path = value.__qualname__.split(".")
        found: Any = sys.modules.get(value.__module__ or "")
        if value.__module__ == "__main__" and path[0] not in self._defined:
            return False
        for name in path:
            found = getattr(found, name, None)
        return found is value


def pickled(value: Any, defined: Collection[str]) -> bytes:
    """`value` as bytes. Raises whatever the pickling of its parts raises."""
    file = io.BytesIO()
    Keeper(file, defined).dump(value)
    return file.getvalue()


def _taken_apart(function: types.FunctionType) -> tuple[Any, ...]:
    home = function.__module__ if vars(sys.modules.get(function.__module__ or "", types)) is function.__globals__ else "__main__"
    if vars(sys.modules[home]) is not function.__globals__:
        raise pickle.PicklingError(f"the names that {function.__qualname__} uses belong to no module")
    cells = tuple(_content(cell) for cell in function.__closure__ or ())
    parts = (marshal.dumps(function.__code__), function.__name__, len(cells), home, VERSION)
    state = (cells, function.__defaults__, function.__kwdefaults__, function.__qualname__, function.__module__, function.__doc__,
             function.__annotations__, vars(function))
    return put_together, parts, state, None, None, filled


def _content(cell: types.CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def put_together(code: bytes, name: str, cells: int, home: str, version: str) -> types.FunctionType:
    """The function without what it has bound, which may lead to the function itself."""
    if version != VERSION:
        raise pickle.UnpicklingError(f"the function {name} was kept by another version of Python")
    module = importlib.import_module(home)
    return types.FunctionType(marshal.loads(code), vars(module), name, None, tuple(types.CellType() for _ in range(cells)))


def filled(function: types.FunctionType, state: tuple[Any, ...]) -> None:
    """Give a function that was put together what it had bound."""
    cells, function.__defaults__, function.__kwdefaults__, function.__qualname__, function.__module__ = state[:5]
    function.__doc__, function.__annotations__ = state[5:7]
    function.__dict__.update(state[7])
    for cell, content in zip(function.__closure__ or (), cells, strict=True):
        if content:
            cell.cell_contents = content[0]
