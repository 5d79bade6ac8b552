"""Reading lines from a terminal so that a signal is never waited out and nothing typed too early is taken for an answer."""
from __future__ import annotations

import sys
from typing import Any

_LOOK = 0.2  # s; a signal that comes between the last look and the read is noticed after so long at most
SAME_BURST = 0.01  # s between two keys that no hand typed


def read_line(keyboard: Any) -> str:
    """One line with its end, or "" at the end of input. What a signal handler raises comes out at once."""
    descriptor = _descriptor(keyboard)
    if descriptor is not None and sys.platform != "win32":
        import select

        while not select.select([descriptor], [], [], _LOOK)[0]:
            pass
    line: str = keyboard.readline()
    return line


def forget_typed_ahead(keyboard: Any) -> None:
    """Drop what was typed or pasted before now."""
    descriptor = _descriptor(keyboard)
    if descriptor is None:
        return
    try:
        if sys.platform == "win32":
            import msvcrt

            while msvcrt.kbhit():
                msvcrt.getwch()
        else:
            import termios

            termios.tcflush(descriptor, termios.TCIFLUSH)
    except (ImportError, OSError):  # no terminal, or none that can be asked
        return


def more_lines(keyboard: Any) -> bool:
    """Whether another line has come together with the one just read, as in a paste."""
    descriptor = _descriptor(keyboard)
    if descriptor is None or sys.platform == "win32":
        return False
    import array
    import fcntl
    import select
    import termios

    if not select.select([descriptor], [], [], SAME_BURST)[0]:
        return False
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0] > 0


def _descriptor(keyboard: Any) -> int | None:
    try:
        number: int = keyboard.fileno()
    except (OSError, ValueError, AttributeError):
        return None
    return number
