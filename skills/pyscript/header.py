"""Inline script metadata (PEP 723): which packages and which Python a script asks for.

Only names with versions are taken from it, never addresses, paths or options: what is installed comes from the package index that the user
configured, as ready-made wheels, so that installing runs no code of the package.
"""
from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass

from problem import Problem

_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")
_LIST = re.compile(r"(?ms)^dependencies\s*=\s*(\[.*?^\s*\]|\[.*?\])")
_PYTHON = re.compile(r"""(?m)^requires-python\s*=\s*(["'])(.*?)\1""")
_REQUIREMENT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*(?:\[[A-Za-z0-9._, -]*\])?\s*"   # name[extras]
                          r"(?:\(?[<>=!~][^;@/\\:]*\)?)?\s*(?:;[^@\\]*)?", re.ASCII)                      # versions; condition
_CLAUSE = re.compile(r"\s*(~=|==|!=|<=|>=|<|>)\s*(\d+(?:\.\d+)*)(\.\*)?\s*", re.ASCII)


@dataclass(frozen=True)
class Header:
    """`dependencies` as written, sorted; `python` is the version condition, "" for any."""

    dependencies: tuple[str, ...] = ()
    python: str = ""


def read(source: str) -> Header:
    """The script's block; an empty Header when it has none. Problem `bad_header` when it cannot be understood."""
    blocks = [match for match in _BLOCK.finditer(source.replace("\r\n", "\n") + "\n") if match["type"] == "script"]
    if not blocks:
        return Header()
    if len(blocks) > 1:
        raise Problem("bad_header", "header_twice")
    text = "".join(line[2:] if line.startswith("# ") else line[1:] for line in blocks[0]["content"].splitlines(keepends=True))
    dependencies, python = _toml(text)
    for one in dependencies:
        if not _REQUIREMENT.fullmatch(one.strip()):
            raise Problem("bad_header", "header_dependency", text=one[:100])
    return Header(tuple(sorted({one.strip() for one in dependencies})), python)


def _toml(text: str) -> tuple[list[str], str]:
    if sys.version_info >= (3, 11):
        import tomllib
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise Problem("bad_header", "header_syntax", detail=str(error)) from error
        dependencies, python = table.get("dependencies", []), table.get("requires-python", "")
    else:   # a list of strings reads the same in TOML and in Python
        found, version = _LIST.search(text), _PYTHON.search(text)
        try:
            dependencies = ast.literal_eval(found[1]) if found else []
        except (ValueError, SyntaxError) as error:
            raise Problem("bad_header", "header_syntax", detail=str(error)) from error
        python = version[2] if version else ""
    if not isinstance(dependencies, list) or not all(isinstance(one, str) for one in dependencies) or not isinstance(python, str):
        raise Problem("bad_header", "header_syntax", detail="dependencies must be a list of strings, requires-python a string")
    return dependencies, python


def fits_python(condition: str, version: tuple[int, ...] = sys.version_info[:3]) -> bool:
    """Whether this Python meets a condition such as ">=3.10,<4". Problem `bad_header` when the condition is not one."""
    for clause in filter(None, (part.strip() for part in condition.split(","))):
        match = _CLAUSE.fullmatch(clause)
        if not match:
            raise Problem("bad_header", "header_syntax", detail=f"requires-python = {condition!r}")
        if not _meets(match[1], [int(part) for part in match[2].split(".")], bool(match[3]), version):
            return False
    return True


def _meets(operator: str, wanted: list[int], prefix: bool, version: tuple[int, ...]) -> bool:
    width = len(wanted) if prefix else max(len(wanted), 3)
    have, want = list(version[:width]), wanted + [0] * (width - len(wanted))
    return {"==": have == want, "!=": have != want, ">=": have >= want, "<=": have <= want, ">": have > want, "<": have < want,
            "~=": have >= want and have[:len(wanted) - 1] == wanted[:-1]}[operator]
