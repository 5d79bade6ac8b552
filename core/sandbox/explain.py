"""Tells a denial of the sandbox from an ordinary failure: the exit code, the words of the error, and what the policy allows."""
from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from core.sandbox.policy import Policy

READ_ONLY = r"Read-only file system|EROFS|\[Errno 30\]"
REFUSED = r"Permission denied|Operation not permitted|EACCES|EPERM|\[Errno 1\]|\[Errno 13\]"
BUSY = r"Device or resource busy|EBUSY|\[Errno 16\]|could not (?:write|lock) config file"
ABSENT = r"No such file or directory|ENOENT|\[Errno 2\]|cannot find|does not exist"
REFUSED_CONNECTION = r"[Cc]onnection refused|ECONNREFUSED|Couldn't connect to server"
OFFLINE = (r"Network is unreachable|ENETUNREACH|Could not resolve host|Temporary failure in name resolution|Name or service not known|"
           r"getaddrinfo|EAI_AGAIN|Failed to establish a new connection|nodename nor servname|" + REFUSED_CONNECTION)
ERROR_LINE = re.compile(rf"(?P<write>{READ_ONLY})|(?P<busy>{BUSY})|(?P<refused>{REFUSED})|(?P<absent>{ABSENT})|(?P<net>{OFFLINE})")
QUOTED = re.compile(r"""['"‘“`]([^'"’”`]+)['"’”`]""")
BARE = re.compile(r"(?<![\w.])((?:~|\.{1,2})?/[^\s:;,'\"()]+)")
WORD = re.compile(r"[^\s:'\"]+")
GRANT = "network access, when the user grants it for this one command"
SIGNALS = {31: "system-call", 25: "file-size", 24: "processor-time"}
LIMITS = {"system-call": "a system call that no command may make", "file-size": "the size of one file is limited",
          "processor-time": "the processor time of a command is limited"}


@dataclass(frozen=True)
class Denial:
    """One thing that the sandbox did not allow. `rule` is a stable word: write-outside, read-outside, protected, network,
    metadata, system-call, file-size, processor-time, set-up. `path` is absolute, "" where there is none."""

    rule: str
    path: str
    line: str
    allowed: str
    blocked_by: str = "sandbox"

    @property
    def observation(self) -> str:
        """What the model is told."""
        what = f" ({self.path})" if self.path else ""
        return (f"blocked_by: {self.blocked_by}\nrule: {self.rule}{what}\nseen: {self.line}\nwould be allowed: {self.allowed}\n"
                "The same command will be blocked again; do not repeat it unchanged.")


@dataclass(frozen=True)
class View:
    """What the explanation knows: the policy, the tier, the real readable paths, the closed ones, and the temporary folder."""

    policy: Policy
    tier: str
    readable: tuple[str, ...]
    protected: tuple[str, ...]
    temporary: str


def explain(view: View, exit_code: int, output: str, cwd: Path, network: bool) -> Denial | None:
    """The last denial that the output of a failed command shows, None when it can have failed for a reason of its own."""
    if exit_code == 0:
        return None
    if exit_code == 125 and "guard_runner: not started" in output:
        return Denial("set-up", "", _last(output), "nothing until the sandbox can be set up again")
    number = -exit_code if exit_code < 0 else exit_code - 128
    if number in SIGNALS:
        rule = SIGNALS[number]
        return Denial(rule, "", f"ended by signal {number}", LIMITS[rule])
    for line in reversed(output[-16000:].splitlines()):
        match = ERROR_LINE.search(line)
        denial = _judge(view, match.lastgroup or "", line, cwd, network) if match else None
        if denial:
            return denial
    return None


def _last(output: str) -> str:
    return output.strip().splitlines()[-1][:300]


def _judge(view: View, kind: str, line: str, cwd: Path, network: bool) -> Denial | None:
    line = line.strip()[:300]
    if kind == "net":
        if network or (re.search(REFUSED_CONNECTION, line) and not _host_listens(line)):
            return None
        return Denial("network", "", line, GRANT)
    for path in _paths(line, cwd, view):
        denial = _judge_path(view, kind, path, line)
        if denial:
            return denial
    if kind == "refused" and not network and re.search(r"socket|connect|bind|Network", line):
        return Denial("network", "", line, GRANT)
    return None


def _host_listens(line: str) -> bool:
    """Whether a refused port is served on this machine: only then was it the command's own loopback that refused."""
    ports = {f"{int(port):04X}" for port in re.findall(r"(?:port |:)(\d{1,5})\b", line) if int(port) < 65536}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            rows = [row.split() for row in Path(table).read_text(encoding="ascii").splitlines()[1:]]
        except OSError:
            continue
        if any(row[3] == "0A" and row[1].rpartition(":")[2] in ports for row in rows):
            return True
    return False


def _judge_path(view: View, kind: str, path: str, line: str) -> Denial | None:
    roots = [str(root) for root in view.policy.roots]
    where = ", ".join(roots)
    closed = any(_below(path, item) or item.startswith(path + "/") for item in view.protected)
    if closed and kind in ("write", "busy", "refused"):
        return Denial("protected", path, line, f"reading it; changes elsewhere in {where}")
    if any(_below(path, root) for root in [*roots, view.temporary, "/dev"]):
        return None
    visible = any(_below(path, root) for root in view.readable)
    if _ordinary(kind, path, visible):
        return None
    if kind in ("write", "busy") or (visible and kind == "refused"):
        return Denial("write-outside", path, line, f"writing in {where}")
    return Denial("read-outside", path, line, f"reading the system, the skills and {where}")


def _ordinary(kind: str, path: str, visible: bool) -> bool:
    """Whether the same would have failed without the sandbox."""
    if kind == "absent":
        return visible or not os.path.lexists(path)
    if visible:
        return False
    if kind == "refused" and os.path.exists(path) and not os.access(path, os.R_OK):
        return True
    return not os.path.lexists(path) and not os.path.isdir(os.path.dirname(path))


def _below(path: str, folder: str) -> bool:
    return bool(folder) and (path == folder or path.startswith(folder.rstrip("/") + "/"))


def _paths(line: str, cwd: Path, view: View) -> list[str]:
    """Absolute forms of what looks like a path in an error line, the likeliest first."""
    words = QUOTED.findall(line) + BARE.findall(line)
    if not words:
        words = [word for word in WORD.findall(line) if "/" in word or (cwd / word).exists()]
    found = []
    for word in words:
        text = str(view.policy.home) + word[1:] if word.startswith("~") else word
        if "\0" not in text and len(text) < 4096:
            found.append(os.path.normpath(os.path.join(cwd, text)))
    return list(dict.fromkeys(found))
