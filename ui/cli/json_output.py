"""--json: one event a line on stdout and nothing else there, ending with run.finished whatever happens."""
from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any

from core.events import VERSION, Event, new_id, timestamp
from core.handlers import NullHandler
from ui.cli.confirm import Confirmer, question_of

_DETAILS = ("llm.request", "llm.reply")  # long, and of use only to who asks for debug level 2
# Line ends that JSON leaves as they are, but that readers of lines split at.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_STATUS = {0: "done", 4: "fuse", 5: "denied", 129: "cancelled", 130: "cancelled", 143: "cancelled"}


class JsonOutput:
    """Owns what was stdout. From its making on, whatever else prints, children included, prints to stderr."""

    def __init__(self) -> None:
        self.error: OSError | None = None
        if sys.stdout is None:
            self.error = OSError(errno.EBADF, os.strerror(errno.EBADF))
        self._file = _take_stdout()
        self._number = 0
        self._end: Mapping[str, Any] | None = None
        self._session, self._run = new_id("s"), ""

    def write(self, event: Event) -> None:
        """One event of the kernel. run.finished waits for `finish`, since what went wrong after it must come before it."""
        self._session, self._run = event.session, event.run
        if event.type == "run.finished":
            self._end = event.to_dict()
        else:
            self._line(event.to_dict())

    def fail(self, code: str, message: str, retryable: bool = False) -> None:
        """An error that ended the program outside a run."""
        self._own("error", code=code, message=message, retryable=retryable)

    def finish(self, exit_code: int) -> None:
        """The last line, run.finished: the kernel's own where there is one, with the status that fits the exit code."""
        status = _STATUS.get(exit_code, "failed")
        if self._end is not None:
            self._line({**self._end, "status": status})
        else:
            self._own("run.finished", status=status, steps=0, usage={}, duration_ms=0)

    def _own(self, event_type: str, **fields: Any) -> None:
        self._line({"v": VERSION, "seq": 0, "ts": timestamp(time.time()), "session": self._session, "run": self._run, "type": event_type, **fields})

    def _line(self, record: Mapping[str, Any]) -> None:
        self._number += 1
        text = json.dumps({**record, "seq": self._number}, ensure_ascii=False, default=str).translate(_LINE_ENDS)
        data = (text + "\n").encode("utf-8", "backslashreplace")
        try:
            while data:
                data = data[os.write(self._file, data):]
        except OSError as error:
            self.error = None if isinstance(error, BrokenPipeError) else error  # a reader may go away
            self._file = os.open(os.devnull, os.O_WRONLY)


def _take_stdout() -> int:
    """A private copy of file 1, which becomes a second stderr."""
    if sys.stdout is None:  # closed; whatever is file 1 by now is not ours to write
        sys.stdout = sys.stderr
        return os.open(os.devnull, os.O_WRONLY)
    try:
        sys.stdout.flush()
        private = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # closed
        private = os.open(os.devnull, os.O_WRONLY)
    sys.stdout = sys.stderr
    return private


class JsonHandler(NullHandler):
    """Passes the kernel's events on as they are."""

    def __init__(self, output: JsonOutput, confirmer: Confirmer, debug_level: int = 1) -> None:
        super().__init__(confirmer.auto_approve)
        self.confirmer = confirmer
        self._output = output
        self._details = debug_level >= 2
        self._request: Mapping[str, Any] = {}
        self._verdict: Mapping[str, Any] = {}

    def on_event(self, event: Event) -> None:
        if event.type == "confirm.requested":
            self._request = event.data
        elif event.type == "verdict":
            self._verdict = event.data
        if self._details or event.type not in _DETAILS:
            self._output.write(event)

    def on_confirm(self, action_type: str, detail: str) -> bool:
        request, self._request = self._request, {}
        return self.confirmer.approve(question_of(action_type, detail, request, self._verdict))
