"""Finds the strongest tier by running a command that tries to break out of each, never by trusting version numbers."""
from __future__ import annotations

import _socket
import os
import shutil
import sys

from core.launcher import bubblewrap, layout
from core.launcher.config import Config, dump, parse
from core.launcher.supervise import supervise

TIERS = ("full", "bwrap", "landlock")
# Exit status: 32 and the sum of what went wrong; another one means that the canary itself did not run.
CANARY = """
import os, sys, _socket
outside, secret, inside, port = sys.argv[1:]
result = 0
try:
    open(outside, "w").close(); result |= 1
except OSError: pass
try:
    _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM).connect(("127.0.0.1", int(port))); result |= 2
except OSError: pass
try:
    if open(secret).read(): result |= 4
except OSError: pass
try:
    with open(inside, "w") as file: file.write("x")
except OSError: result |= 8
os._exit(32 + result)
"""
RAN = 32
MEANING = {1: "wrote outside", 2: "reached the network", 4: "read a closed file", 8: "could not write in the workspace"}
LOST = {
    "full": (),
    "bwrap": ("cold_start", "graceful_stop"),
    "landlock": ("metadata", "protected_paths", "masked_files", "private_tmp", "private_proc", "process_names", "loopback",
                 "unix_server"),
    "none": ("files", "network", "signals", "keys_in_proc"),
}


def choose(failing: list[str], bwrap: str, at_most: str = "full") -> tuple[str, list[str], list[str]]:
    """(tier, lost features, why each stronger tier was refused). Tiers above `at_most` are not tried."""
    refused: list[str] = []
    for tier in TIERS[TIERS.index(at_most):] if at_most in TIERS else ():
        if tier == "bwrap" and not bwrap:
            refused.append("bwrap: not installed")
            continue
        lost, problem = attempt(tier, failing, bwrap)
        if not problem:
            return tier, [*LOST[tier], *lost], refused
        refused.append(f"{tier}: {problem}")
    return "none", list(LOST["none"]), refused


def attempt(tier: str, failing: list[str], bwrap: str) -> tuple[list[str], str]:
    """(features that had to be given up, "") or ([], what failed): a private /proc and Landlock can be missed in a container."""
    lost: list[str] = []
    options: list[tuple[str, str]] = []
    while True:
        problem = _try(tier, [*options, *(("fail", name) for name in failing)], bwrap)
        step = problem.partition(":")[0]
        if tier == "full" and step == "proc" and "private_proc" not in lost:
            lost.append("private_proc")
            options.append(("proc", "bind"))
        elif tier != "landlock" and step == "landlock" and "landlock" not in lost:
            lost.append("landlock")
            options.append(("landlock", "off"))
        else:
            return ([], problem) if problem else (lost, "")


def _try(tier: str, options: list[tuple[str, str]], bwrap: str) -> str:
    """Run the canaries once in a throw-away workspace; "" when all is well, else the step or what got through."""
    base = _folder()
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        config = _order(tier, base, listener.getsockname()[1], options)
        told = _run(bubblewrap.wrap(config, bwrap) if tier == "bwrap" else config)
    except OSError as error:
        return f"launcher: {error}"
    finally:
        listener.close()
        shutil.rmtree(base, ignore_errors=True)
    return _verdict(told)


def _verdict(told: str) -> str:
    word, _, rest = told.partition(" ")
    if word != "exited":
        step, _, detail = rest.partition(" ")
        number, _, detail = detail.partition(" ")
        return f"{step}: {os.strerror(int(number or 0))} {detail}".strip()
    status = int(rest)
    code = os.waitstatus_to_exitcode(status)
    if code == RAN:
        return ""
    leaks = [text for bit, text in MEANING.items() if RAN < code < 2 * RAN and code & bit]
    return f"canary: {', '.join(leaks) or f'ended with {code}'}"


def _folder() -> str:
    for number in range(100):
        path = os.path.realpath(f"{os.environ.get('TMPDIR', '/tmp')}/guard-self-test-{os.getpid()}-{number}")
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        for name in ("work", "tmp", "outside"):
            os.mkdir(f"{path}/{name}")
        return path
    raise OSError(17, "no free name for a temporary folder")


def _order(tier: str, base: str, port: int, options: list[tuple[str, str]]) -> Config:
    secret = f"{base}/work/.env" if tier != "landlock" else f"{base}/outside/secret"
    with open(secret, "w", encoding="ascii") as file:
        file.write("secret")
    arguments = (sys.executable, "-I", "-S", "-c", CANARY, f"{base}/outside/file", secret, f"{base}/work/file", str(port))
    shown = "/tmp" if tier != "landlock" else f"{base}/tmp"
    lines = [("tier", "full" if tier == "bwrap" else tier), *layout.system(tier), *layout.interpreter(),
             ("write", f"{base}/work"), *layout.closed_inside(f"{base}/work"), ("tmp", f"{base}/tmp"), ("cwd", f"{base}/work"),
             *layout.environment(shown, f"{base}/work", f"{base}/work"), *options, *(("arg", text) for text in arguments)]
    return parse(dump(lines))


def _run(config: Config) -> str:
    """What the supervisor says last. It runs in a child, because a supervisor leaves its namespaces for good."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        null = os.open("/dev/null", os.O_RDWR)
        try:
            supervise(config, (null, null, null), -1, lambda text: _say(write, text))
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as file:
        told = file.read().decode("utf-8", "replace").splitlines()
    os.waitpid(child, 0)
    return told[-1] if told else "failed launcher 0 the supervisor ended"


def _say(descriptor: int, text: str) -> None:
    os.write(descriptor, text.replace("\n", " ").encode("utf-8", "surrogateescape") + b"\n")
