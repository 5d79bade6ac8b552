"""Reads a .env file: whatever its encoding, plain lines by hand, everything else by python-dotenv.

python-dotenv costs 27 ms to import, and nearly every line of nearly every file is NAME=value. Values are taken as they
stand: ${OTHER} is never expanded, since a file could otherwise put a secret of the environment into an address.
"""
from __future__ import annotations

import re
from pathlib import Path

from core.errors import SettingsError

LARGEST = 256 * 1024  # bytes; no .env is longer
_PLAIN = re.compile(r"""[ \t]*(?:export[ \t]+)?(?!export[ \t=])([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*([^\s#'"][^\s#]*)?[ \t]*""")
_EMPTY = re.compile(r"[ \t]*(?:#.*)?", re.DOTALL)
_LINE = re.compile(r"\r\n|\n|\r")


def read_env_file(path: Path) -> dict[str, str]:
    """The values of a file as python-dotenv reads them without interpolation; SettingsError in one clear line otherwise."""
    text = _decode(path, _bytes(path))
    values = _plain_values(text)
    return _dotenv_values(path, text) if values is None else values


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise SettingsError("config.env_not_a_file", path=path)
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise SettingsError("config.env_unreadable", path=path, reason=error.strerror or str(error)) from error
    if len(data) > LARGEST:
        raise SettingsError("config.env_too_long", path=path, limit=LARGEST // 1024)
    return data


def _decode(path: Path, data: bytes) -> str:
    """UTF-8 with or without a mark, UTF-16 with one, GB18030 (and so GBK)."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encodings: tuple[str, ...] = ("utf-16",)
    elif b"\0" in data:
        encodings = ()
    else:
        encodings = ("utf-8-sig", "gb18030")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            start = error.start
    line = data[:start].count(b"\n") + 1 if encodings else data[:data.index(b"\0")].count(b"\n") + 1
    raise SettingsError("config.env_encoding", path=path, line=line)


def _plain_values(text: str) -> dict[str, str] | None:
    """NAME -> value when every line is plain, None when one of them needs a real parser."""
    values: dict[str, str] = {}
    for line in _LINE.split(text):
        if _EMPTY.fullmatch(line):
            continue
        match = _PLAIN.fullmatch(line)
        if match is None:
            return None
        values[match[1]] = match[2] or ""
    return values


def _dotenv_values(path: Path, text: str) -> dict[str, str]:
    try:
        from dotenv.parser import parse_stream
    except ImportError as error:
        raise SettingsError("config.env_needs_dotenv", path=path) from error
    import io

    values: dict[str, str] = {}
    for binding in parse_stream(io.StringIO(text, newline="")):
        if binding.error:
            raise SettingsError("config.env_bad_line", path=path, line=binding.original.line)
        if binding.key is not None and binding.value is not None:
            values[binding.key] = binding.value
    return values
