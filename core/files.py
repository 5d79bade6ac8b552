"""Reading and writing the text files of a workspace: encodings, pages, atomic writes, short diffs."""
from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from core.errors import ActionError

_KINDS = ((b"\x89PNG", "PNG image"), (b"\xff\xd8\xff", "JPEG image"), (b"GIF8", "GIF image"), (b"%PDF", "PDF document"),
          (b"PK\x03\x04", "ZIP archive or Office document"), (b"\x1f\x8b", "gzip archive"), (b"\x7fELF", "program"), (b"MZ", "Windows program"),
          (b"SQLite format 3", "SQLite database"), (b"RIFF", "RIFF media"), (b"OggS", "Ogg media"), (b"ID3", "MP3 audio"))
READABLE = 32 * 1024 * 1024
_DIFFED = 200_000
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK


def open_inside(root: Path, path: Path) -> BinaryIO:
    """A file below `root` opened for reading. Both are real paths; a component that became a link since then, a pipe or a device
    raises OSError: what was checked is what is opened."""
    folder = _open_folder(root, path, create=False)
    try:
        handle = os.open(path.name, os.O_RDONLY | _NO_LINK | _NO_WAIT, dir_fd=folder) if folder is not None else os.open(path, os.O_RDONLY)
    finally:
        _close(folder)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file")
    return os.fdopen(handle, "rb")


def create_inside(root: Path, path: Path) -> BinaryIO:
    """A new file below `root`, opened for writing without a buffer; folders are made. OSError when the name exists or leads elsewhere."""
    folder = _open_folder(root, path, create=True)
    try:
        return os.fdopen(_create(folder, path.name if folder is not None else str(path)), "wb", buffering=0)
    finally:
        _close(folder)


def _create(folder: int | None, name: str) -> int:
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | getattr(os, "O_BINARY", 0), 0o666, dir_fd=folder)


def read_text(root: Path, path: Path, shown: str) -> str:
    """The text of a file below `root`: UTF-8, UTF-16 with its mark, GB18030. ActionError for a binary, unreadable or too large one."""
    try:
        with open_inside(root, path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > READABLE:
                raise ActionError("too_large", f"{shown} has {size} bytes, more than {READABLE}. Read it with a command or a script.")
            raw = file.read()
    except OSError as error:
        raise ActionError("unreadable", f"{shown}: {error.strerror or error}") from error
    _refuse_binary(raw, size, shown)
    return raw.decode(_encoding(raw), errors="replace").removeprefix("\ufeff")


def _refuse_binary(raw: bytes, size: int, shown: str) -> None:
    """ActionError for the beginning of a file that is no text; UTF-16 with its mark is text."""
    kind = "" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else next((name for magic, name in _KINDS if raw.startswith(magic)),
                                                                  "binary file" if b"\0" in raw[:8192] else "")
    if kind:
        raise ActionError("binary", f"{shown} is a {kind} of {size} bytes, not text. Use a command or a script made for it.")


def _encoding(raw: bytes) -> str:
    """The encoding of a text: UTF-16 by its mark, else UTF-8, else GB18030 where it fits."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16-le" if raw[:1] == b"\xff" else "utf-16-be"
    for encoding in ("utf-8", "gb18030"):
        try:
            raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "utf-8"


def page(text: str, offset: int | None, limit: int | None, numbers: bool) -> tuple[str, str]:
    """Lines `offset` (from 1) to offset + limit - 1 of a text, with line numbers on request, and a note of what is shown."""
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
    first = max(offset or 1, 1)
    chosen = lines[first - 1:first - 1 + limit] if limit and limit > 0 else lines[first - 1:]
    if lines and not chosen:
        raise ActionError("past_end", f"offset {first} is past the end: there are {len(lines)} lines.")
    note = f"{len(lines)} lines" if len(chosen) == len(lines) else f"lines {first}-{first + len(chosen) - 1} of {len(lines)}"
    if numbers:
        chosen = [f"{number:>5}  {line}" for number, line in enumerate(chosen, first)]
    return "\n".join(chosen), note


def write_text(root: Path, path: Path, shown: str, content: str, append: bool) -> int:
    """Write or append UTF-8 text below `root`; the bytes that the file has then. The old file stays whole when anything fails, and no
    link that appears meanwhile is followed. ActionError with the system's reason, or when the file there is no text."""
    raw = content.encode("utf-8", errors="replace")
    try:
        if os.path.lexists(path) and (append or not os.path.islink(path)):
            with open_inside(root, path) as file:  # a database or a picture is not replaced by a text, which a weak model tries
                before = file.read(-1 if append else 8192)
                _refuse_binary(before, os.fstat(file.fileno()).st_size, shown)
            if append:
                raw = before + content.encode(_encoding(before), errors="replace")
        _replace(root, path, raw)
    except OSError as error:
        raise ActionError("not_written", f"{shown}: {error.strerror or error}. Nothing was changed.") from error
    return len(raw)


def _replace(root: Path, path: Path, raw: bytes) -> None:
    """Write a new file beside the old one, then take its name: a reader sees the old text or the new one."""
    beside = f".{path.name[:40]}.{os.urandom(6).hex()}"
    folder = _open_folder(root, path, create=True)
    name, temporary = (path.name, beside) if folder is not None else (str(path), str(path.with_name(beside)))
    try:
        file = _create(folder, temporary)
        try:
            _fill(file, raw, _mode_before(folder, name))
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
    finally:
        _close(folder)


def _fill(file: int, raw: bytes, mode: int | None) -> None:
    """Write all of it, with the rights that the file had before, and close."""
    try:
        rest = memoryview(raw)
        while rest:
            rest = rest[os.write(file, rest):]
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(file, mode & 0o777)
    finally:
        os.close(file)


def _mode_before(folder: int | None, name: str) -> int | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return None


def _open_folder(root: Path, path: Path, *, create: bool) -> int | None:
    """A descriptor of the folder that holds `path`, walked from `root` without following a link; None where the system cannot."""
    if os.open not in os.supports_dir_fd:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        return None
    base, text = os.path.join(root, ""), str(path)
    below = text[len(base):].split(os.sep)
    if not text.startswith(base) or ".." in below:
        raise OSError(errno.EACCES, "outside the folder")
    folder = os.open(root, _FOLDER)
    try:
        for part in below[:-1]:
            inner = _open_inner(folder, part, create)
            os.close(folder)
            folder = inner
    except BaseException:
        os.close(folder)
        raise
    return folder


def _open_inner(folder: int, name: str, create: bool) -> int:
    """A folder in `folder`, made where it is not there and may be made."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def _close(folder: int | None) -> None:
    if folder is not None:
        os.close(folder)


def short_diff(before: str, after: str, limit: int = 20) -> str:
    """The first `limit` lines of a unified diff without its file header; "" when either text is too long to compare quickly."""
    if max(len(before), len(after)) > _DIFFED:
        return ""
    if not before or before == after:  # the usual cases, and the library takes 3 ms to load
        lines = [f"+{line}" for line in after.splitlines()] if not before else []
        lines = [f"@@ -0,0 +1{f',{len(lines)}' if len(lines) > 1 else ''} @@", *lines] if lines else []
    else:
        import difflib

        lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]
    return "\n".join(lines[:limit] + ([f"… {len(lines) - limit} more"] if len(lines) > limit else []))
