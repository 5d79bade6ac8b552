"""What the person asks for in one shot: the words of the command line, standard input, or both."""
from __future__ import annotations

import os
import sys
import threading

from core.errors import UsageError
from core.visible import neutralise
from ui.cli.arguments import Arguments
from ui.cli.terminal import is_terminal

WAIT = 2.0  # s for the first byte of a pipe that may never speak
LIMIT = 4_000_000  # bytes


def one_shot_request(arguments: Arguments) -> tuple[str | None, bool]:
    """The request, or None when there is none and a person sits at the keyboard; and whether stdin stayed silent and was left.

    With a prompt, piped text is added to it as context. A pipe that neither speaks nor closes is left after two seconds,
    so that a caller that forgot to close it does not hang us; the word `-` waits for it.
    """
    prompt = arguments.prompt
    insist = arguments.words == ["-"]
    if insist:
        prompt = arguments.given.get("prompt")
    if is_terminal(sys.stdin):
        if insist:
            raise UsageError("cli.dash_needs_pipe")
        return _checked(prompt), False
    piped, silent = _read_pipe(None if insist or prompt is None else WAIT)
    if piped.strip():
        return (f"{_checked(prompt)}\n\n[STDIN]\n{neutralise(piped.rstrip())}\n[/STDIN]" if prompt is not None else piped.strip()), False
    if prompt is None:
        raise UsageError("cli.nothing_to_do")
    return _checked(prompt), silent


def _checked(prompt: str | None) -> str | None:
    if prompt is not None and not prompt.strip():
        raise UsageError("cli.empty_prompt")
    return prompt


def _read_pipe(wait: float | None) -> tuple[str, bool]:
    """All of stdin as text, or "" and True when it stayed silent for `wait` seconds."""
    if sys.stdin is None:
        return "", False
    chunks: list[bytes] = []
    spoke, ended = threading.Event(), threading.Event()

    def read() -> None:
        try:
            while sum(map(len, chunks)) <= LIMIT and (chunk := os.read(0, 65536)):
                chunks.append(chunk)
                spoke.set()
        except OSError:
            chunks.append(b"")
        spoke.set()
        ended.set()

    threading.Thread(target=read, name="stdin", daemon=True).start()
    if not spoke.wait(wait):
        return "", True
    ended.wait()
    data = b"".join(chunks)
    if len(data) > LIMIT:
        raise UsageError("cli.stdin_too_long", limit=LIMIT // 1_000_000)
    return decode(data), False


def decode(data: bytes) -> str:
    """Text out of bytes of an unknown origin: UTF-8, then what the system speaks, then with marks for what cannot be read."""
    import locale

    for encoding in ("utf-8-sig", locale.getpreferredencoding(False)):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("utf-8", "replace")
