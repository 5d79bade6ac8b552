"""Opens the files of a skill: regular files inside the skill's own folder, nothing that a link fetches from elsewhere."""
from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from core.i18n import t

MAX_BYTES = 8 * 1024 * 1024


class BadSkillFile(OSError):
    """A file that is not read. `code` names the texts skills.CODE and skills.CODE_fix."""

    def __init__(self, code: str) -> None:
        super().__init__(errno.EPERM, t(f"skills.{code}").rstrip(".。"))
        self.code = code


def open_own(path: Path) -> BinaryIO:
    """The file, opened for reading. The skill's folder may be a link, the file may be one to another file of the same folder.

    Raises BadSkillFile when it leads out of the folder or is no regular file (a pipe would hang the reader), OSError otherwise.
    """
    try:
        resolved = path.resolve(strict=True)
        inside = resolved.is_relative_to(path.parent.resolve(strict=True))
    except RuntimeError as error:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
    if not inside:
        raise BadSkillFile("file_outside")
    if not stat.S_ISREG(resolved.stat().st_mode):  # opening a device may already do something
        raise BadSkillFile("file_not_regular")
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(resolved, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # what was opened counts, not what lay there before
        os.close(descriptor)
        raise BadSkillFile("file_not_regular")
    return os.fdopen(descriptor, "rb")


def read_own(path: Path) -> bytes:
    """At most MAX_BYTES of the file. Raises as `open_own` does."""
    with open_own(path) as file:
        return file.read(MAX_BYTES)
