"""Files of the workspace: where they may lie, how their bytes become text, which format they are in."""
from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from taskbook.contract import TodoError

MAX_BYTES = 10 * 1024 * 1024
ENDINGS = {"todotxt": ".txt", "taskwarrior": ".json", "ics": ".ics"}
_OF_ENDING = {".txt": "todotxt", ".todo": "todotxt", ".todotxt": "todotxt", ".ics": "ics", ".ical": "ics", ".json": "taskwarrior"}


def inside(workspace: Path, text: str) -> Path:
    """The real path, every link followed; TodoError when it lies outside the workspace or is no path."""
    try:
        root = workspace.resolve()
        path = (root / text.strip()).resolve()
    except (OSError, RuntimeError, ValueError):  # too long, links in a circle, a NUL
        raise TodoError("invalid_argument", "exchange.no_path", path=text[:100]) from None
    if not text.strip() or path == root or not path.is_relative_to(root):
        raise TodoError("invalid_argument", "exchange.outside", path=text[:100])
    return path


def read_text(path: Path, shown: str) -> str:
    """The text of an ordinary file of at most 10 MB. Raises TodoError."""
    try:
        data = _read_bytes(path, shown)
    except FileNotFoundError:
        raise TodoError("not_found", "exchange.no_file", path=shown) from None
    except OSError as error:
        raise TodoError("invalid_argument", "exchange.unreadable", path=shown, reason=error.strerror or str(error)) from None
    if len(data) > MAX_BYTES:
        raise TodoError("invalid_argument", "exchange.too_big", path=shown, limit=MAX_BYTES // 1024 // 1024)
    return decode(data, shown)


def _read_bytes(path: Path, shown: str) -> bytes:
    """At most one byte more than allowed. A pipe or a device is refused before it could block; a link put there since is not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if path.is_dir():
        raise TodoError("invalid_argument", "exchange.no_plain_file", path=shown)
    with open(os.open(path, flags), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise TodoError("invalid_argument", "exchange.no_plain_file", path=shown)
        return file.read(MAX_BYTES + 1)


def decode(data: bytes, shown: str) -> str:
    """UTF-8 with or without its mark, UTF-16, else GB18030. Raises TodoError when it is none of them."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names: tuple[str, ...] = ("utf-16",)
    elif b"\0" in data[:4096]:  # UTF-16 without its mark: the zero bytes of its spaces and line ends tell the order
        names = ("utf-16-le",) if data[1:4096:2].count(0) >= data[0:4096:2].count(0) else ("utf-16-be",)
    else:
        names = ("utf-8-sig", "gb18030")
    for name in names:
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    raise TodoError("invalid_argument", "exchange.encoding", path=shown)


def guess_format(text: str, path: Path) -> str:
    """What the content begins like, else what the ending says. Raises TodoError when neither tells."""
    head = text[:1000].lstrip().lstrip("\ufeff").upper()
    if head.startswith("BEGIN:VCALENDAR"):
        return "ics"
    if head.startswith("{") or head.startswith("[") and head[1:].lstrip()[:1] in ("{", "]"):
        return "taskwarrior"
    found = _OF_ENDING.get(path.suffix.lower())
    if found is None:
        raise TodoError("invalid_argument", "exchange.no_format", path=path.name)
    return found


def write_text(path: Path, workspace: Path, text: str, shown: str) -> None:
    """The whole file or none of it: what stood there stays until the new one is complete. Raises TodoError outside; OSError as it comes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if inside(workspace, str(path)) != path:  # a link was put in the way since
        raise TodoError("invalid_argument", "exchange.outside", path=shown)
    if path.is_dir():
        raise TodoError("invalid_argument", "exchange.no_plain_file", path=shown)
    waiting = path.with_name(f".{path.name[:200]}.{os.getpid()}")
    try:
        waiting.write_bytes(text.encode())
        os.replace(waiting, path)
    finally:
        waiting.unlink(missing_ok=True)
