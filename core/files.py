"""Reading and writing the text files of a workspace: encodings, pages, atomic writes, short diffs."""
from __future__ import annotations

import os
import tempfile
from pathlib import Path

from core.errors import ActionError

_KINDS = ((b"\x89PNG", "PNG image"), (b"\xff\xd8\xff", "JPEG image"), (b"GIF8", "GIF image"), (b"%PDF", "PDF document"),
          (b"PK\x03\x04", "ZIP archive or Office document"), (b"\x1f\x8b", "gzip archive"), (b"\x7fELF", "program"), (b"MZ", "Windows program"),
          (b"SQLite format 3", "SQLite database"), (b"RIFF", "RIFF media"), (b"OggS", "Ogg media"), (b"ID3", "MP3 audio"))
READABLE = 32 * 1024 * 1024
_DIFFED = 200_000


def read_text(path: Path, shown: str) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, GB18030. ActionError for a binary, unreadable or too large one."""
    try:
        size = path.stat().st_size
        if size > READABLE:
            raise ActionError("too_large", f"{shown} has {size} bytes, more than {READABLE}. Read it with a command or a script.")
        raw = path.read_bytes()
    except OSError as error:
        raise ActionError("unreadable", f"{shown}: {error.strerror or error}") from error
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", errors="replace")
    kind = next((name for magic, name in _KINDS if raw.startswith(magic)), "binary file" if b"\0" in raw[:8192] else "")
    if kind:
        raise ActionError("binary", f"{shown} is a {kind} of {size} bytes, not text. Use a command or a script made for it.")
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", errors="replace")


def page(text: str, offset: int | None, limit: int | None, numbers: bool) -> tuple[str, str]:
    """Lines `offset` (from 1) to offset + limit - 1 of a text, with line numbers on request, and a note of what is shown."""
    lines = text.splitlines()
    first = max(offset or 1, 1)
    chosen = lines[first - 1:first - 1 + limit] if limit else lines[first - 1:]
    if lines and not chosen:
        raise ActionError("past_end", f"offset {first} is past the end: there are {len(lines)} lines.")
    note = f"{len(lines)} lines" if len(chosen) == len(lines) else f"lines {first}-{first + len(chosen) - 1} of {len(lines)}"
    if numbers:
        chosen = [f"{number:>5}  {line}" for number, line in enumerate(chosen, first)]
    return "\n".join(chosen), note


def write_text(path: Path, shown: str, content: str, append: bool) -> None:
    """Write or append UTF-8 text; the old file stays whole when anything fails. ActionError with the system's reason."""
    raw = content.encode("utf-8", errors="replace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if append and path.exists():
            _append(path, raw)
        else:
            _replace(path, raw)
    except OSError as error:
        raise ActionError("not_written", f"{shown}: {error.strerror or error}. Nothing was changed.") from error


def _append(path: Path, raw: bytes) -> None:
    """Append all of it or nothing: a full disk leaves the file as long as it was. Unbuffered, since a buffer is written again on closing."""
    size = path.stat().st_size
    with open(path, "ab", buffering=0) as file:
        try:
            rest = memoryview(raw)
            while rest:
                rest = rest[file.write(rest):]
        except OSError:
            os.truncate(path, size)
            raise


def _replace(path: Path, raw: bytes) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(raw)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current


def short_diff(before: str, after: str, limit: int = 20) -> str:
    """The first `limit` lines of a unified diff without its file header; "" when either text is too long to compare quickly."""
    if max(len(before), len(after)) > _DIFFED:
        return ""
    import difflib

    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]
    return "\n".join(lines[:limit] + ([f"… {len(lines) - limit} more"] if len(lines) > limit else []))
