"""Runs the command line as a person or a program does: as a process with pipes, or at a terminal of its own."""
from __future__ import annotations

import atexit
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fake_endpoint import FakeEndpoint

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = [sys.executable, str(ROOT / "main_cmd.py")]
# What the self-test of the sandbox finds is the same for all tests, so they share it.
CACHE = tempfile.mkdtemp(prefix="cli-tests-")
atexit.register(shutil.rmtree, CACHE, True)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")


def environment(folder: Path, endpoint: FakeEndpoint | None = None, **more: str) -> dict[str, str]:
    """The environment of a person whose home, workspace and state lie in a folder of the test. Scripted answers are not challenged."""
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    kept = ("PATH", "SYSTEMROOT", "TMPDIR", "AGENT_NO_ENV_FILE", "AGENT_NO_BOOTSTRAP")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    environ |= {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "XDG_CACHE_HOME": CACHE, "AGENT_WORKSPACE": str(workspace),
                "AGENT_LANG": "en", "LANG": "C.UTF-8", "TERM": "xterm", "RETRY_DELAY_MIN": "0", "RETRY_DELAY_MAX": "1", "ANSWER_CHECK": "off"}
    if endpoint is not None:
        environ |= {"API_BASE_URL": endpoint.base_url, "MODEL_NAME": "fake-model"}
    return environ | more


def without_sandbox(folder: Path) -> dict[str, str]:
    """Settings of the environment under which the program believes that its self-test found no tier on this machine."""
    from core.sandbox import probe

    found = {"key": probe._key(), "tier": "none", "missing": ["files", "network"], "refused": []}
    path = folder / "cache" / "skills-agent" / "sandbox.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"full:": found}), encoding="utf-8")
    return {"XDG_CACHE_HOME": str(folder / "cache")}


def running(words: str) -> bool:
    """Whether a process with this command line is there, in whatever namespace, waiting a little for its end."""
    for _ in range(100):
        found = subprocess.run(["ps", "-eo", "args="], capture_output=True, text=True, check=True).stdout
        if words not in [line.strip() for line in found.splitlines()]:
            return False
        time.sleep(0.05)
    return True


def run_cli(folder: Path, *arguments: str, endpoint: FakeEndpoint | None = None, stdin: bytes | None = None,
            **more: str) -> subprocess.CompletedProcess[bytes]:
    """One run to its end. Without `stdin` there is none (/dev/null)."""
    source = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, timeout=60, env=environment(folder, endpoint, **more), cwd=folder,
                          **source)  # type: ignore[call-overload,no-any-return]


class FakeStream(io.StringIO):
    """A text stream that says what it is."""

    def __init__(self, tty: bool = False, encoding: str = "utf-8") -> None:
        super().__init__()
        self._tty, self._encoding = tty, encoding

    def isatty(self) -> bool:
        return self._tty

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


class FakeTerminal:
    """A pseudo terminal with the program at its other end. `screen` is what was written so far, without escape sequences."""

    def __init__(self, folder: Path, *arguments: str, endpoint: FakeEndpoint | None = None, program: Path | None = None, **more: str) -> None:
        import pty

        environ = environment(folder, endpoint, **more)
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(PROGRAM[0], [PROGRAM[0], str(program or PROGRAM[1]), *arguments], environ)
        import fcntl
        import struct
        import termios

        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.raw = ""
        self._seen = 0
        self._prompts = 0

    @property
    def screen(self) -> str:
        return _ESCAPES.sub("", self.raw).replace("\r\n", "\n")

    def type(self, keys: str) -> None:
        """Send keys as a keyboard does."""
        os.write(self._master, keys.encode())

    def signal(self, number: int) -> None:
        """Send a real signal to the program."""
        os.kill(self.pid, number)

    def wait_for(self, text: str, seconds: float = 20) -> str:
        """Read until this text appears after what an earlier wait has seen; the screen up to here."""
        end = time.monotonic() + seconds
        while True:
            position = self.screen.find(text, self._seen)
            if position >= 0:
                self._seen = position + len(text)
                return self.screen
            assert self._read(end), f"{text!r} did not appear after position {self._seen} of:\n{self.screen}"

    def wait_prompt(self, seconds: float = 20) -> None:
        """Read until the prompt is ready for the next line, which prompt_toolkit tells by asking for bracketed pastes."""
        end = time.monotonic() + seconds
        self._prompts += 1
        while self.raw.count("\x1b[?2004h") < self._prompts:
            assert self._read(end), f"no prompt number {self._prompts} in:\n{self.screen}"

    def wait_end(self, seconds: float = 20) -> int:
        """Read until the program has ended; its exit code."""
        end = time.monotonic() + seconds
        while self._read(end):
            pass
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """End the program if it is still there."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        os.close(self._master)

    def __enter__(self) -> FakeTerminal:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _read(self, end: float) -> bool:
        import select

        ready, _, _ = select.select([self._master], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        self.raw += data.decode("utf-8", "replace")
        if "\x1b[6n" in data.decode("utf-8", "replace"):  # where is the cursor? a real terminal answers
            os.write(self._master, b"\x1b[1;1R")
        return bool(data)
