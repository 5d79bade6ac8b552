"""The agent's end of the warm helper: starts it at the first command, passes orders to it, starts it anew if it died."""
from __future__ import annotations

import array
import os
import socket
import subprocess
import threading

from core.errors import SandboxError
from core.sandbox.probe import launcher_command


class Helper:
    """One helper process, shared by all threads. `shared` are the configuration lines that all commands have in common."""

    def __init__(self, shared: bytes) -> None:
        self._shared = shared
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._closed = False

    @property
    def pid(self) -> int:
        """The helper's process number, 0 before the first command."""
        return self._process.pid if self._process else 0

    def start_command(self, order: bytes, streams: tuple[int, int, int], kind: bytes) -> socket.socket:
        """Let the helper start a command with these streams; the socket carries its reports and takes its signals.

        `kind` is b"s", b"f" or b"n" as core/launcher/zygote.py describes them.
        """
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with self._lock:
                self._pass_on(kind, [theirs.fileno(), *streams])
            theirs.close()
            mine.sendall(len(order).to_bytes(8, "little") + order)
        except OSError as error:
            mine.close()
            theirs.close()
            raise SandboxError("sandbox.setup_failed", "helper", reason=str(error)) from error
        return mine

    def close(self) -> None:
        """End the helper and whatever it still runs."""
        with self._lock:
            self._closed = True
            self._drop()

    def _pass_on(self, kind: bytes, descriptors: list[int]) -> None:
        if self._closed:
            raise SandboxError("sandbox.closed", "helper")
        message = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
        channel = self._channel or self._launch()
        try:
            channel.sendmsg([kind], message)
        except OSError:
            self._drop()
            self._launch().sendmsg([kind], message)

    def _launch(self) -> socket.socket:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # No PR_SET_PDEATHSIG and no preexec_fn: the first would fire when the calling thread ends, and the second can
            # hang in a program with threads. The helper ends when this end of the socket closes.
            self._process = subprocess.Popen(
                [*launcher_command(), "--serve", str(theirs.fileno())], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True, cwd="/",
                env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"})
        except OSError:
            mine.close()
            raise
        finally:
            theirs.close()
        mine.sendall(len(self._shared).to_bytes(8, "little") + self._shared)
        self._channel = mine
        return mine

    def _drop(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None:
            try:
                self._process.wait(2.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
