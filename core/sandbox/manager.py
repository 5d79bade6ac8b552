"""The sandbox of one session: which tier holds, and commands started in it."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from core.errors import SandboxError
from core.i18n import t
from core.sandbox.explain import Denial, View, explain
from core.sandbox.policy import Orders, base_environment, final_environment, make_folder, make_policy
from core.sandbox.probe import Probe, probe
from core.sandbox.process import Command, PlainCommand, WarmCommand
from core.sandbox.watch import Watch

if TYPE_CHECKING:
    from core.sandbox.helper import Helper

CONFINING = ("full", "bwrap", "landlock", "seatbelt")


class Sandbox:
    """Starts commands that can change only the workspace and the folders in `writable`.

    `readable` and `writable` are added folders (read-only; read and write), `masked` reads as empty, `devices` are device files
    that a command may use, `names` are environment variables to pass on, `secrets` are values that no command's environment may
    hold, `limits` are resource limits (names without RLIMIT_, such as CPU or AS). `at_most` keeps stronger tiers from being tried.
    SandboxError when the workspace is missing or as wide as the home folder. Nothing is started before it is needed.
    """

    def __init__(self, workspace: Path | str, readable: Iterable[Path | str] = (), writable: Iterable[Path | str] = (), *,
                 masked: Iterable[Path | str] = (), devices: Iterable[Path | str] = (), names: Iterable[str] = (),
                 secrets: Iterable[str] = (), limits: Mapping[str, int] | None = None, at_most: str = "full", bwrap: str = "",
                 cache: Path | None = None, failing: Sequence[str] = ()) -> None:
        self.policy = make_policy(workspace, readable, writable, masked=masked, devices=devices, names=names, secrets=secrets, limits=limits)
        self._search = (at_most, bwrap, tuple(failing), cache)
        self._lock = threading.RLock()
        self._probe: Probe | None = None
        self._orders: Orders | None = None
        self._helper: Helper | None = None
        self._temporary = ""
        self._tidy: Callable[[], object] | None = None
        self._running: weakref.WeakSet[Command] = weakref.WeakSet()
        self._closed = False

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def probe(self) -> Probe:
        """What the self-test found; the first look may take a second, later ones are remembered until the machine restarts."""
        with self._lock:
            if self._probe is None:
                at_most, bwrap, failing, cache = self._search
                self._probe = probe(at_most, bwrap, failing, cache)
            return self._probe

    @property
    def tier(self) -> str:
        """full, bwrap, landlock or none; seatbelt on macOS, job on Windows."""
        return self.probe.tier

    @property
    def missing(self) -> list[str]:
        """Names of the features that this tier lacks; the catalogue explains each as sandbox.missing_NAME."""
        return list(self.probe.missing)

    @property
    def confines(self) -> bool:
        """Whether the boundary holds, so that commands may run without a person's yes."""
        return self.tier in CONFINING

    @property
    def helper_pid(self) -> int:
        """The process number of the warm helper, 0 while there is none."""
        return self._helper.pid if self._helper else 0

    def describe(self) -> list[str]:
        """Lines for a person: the tier, what it lacks, and whether it is weaker than before on this machine."""
        lines = [t(f"sandbox.tier_{self.tier}"), *(t(f"sandbox.missing_{name}") for name in self.missing)]
        if self.probe.lowered_from:
            lines.append(t("sandbox.lowered", before=self.probe.lowered_from, now=self.tier))
        return lines

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment of a command: harmless names of ours, the user's list, PATH with this interpreter first, `extra`."""
        return {**base_environment(self.policy, _search_path(), os.environ), **(extra or {})}

    def spawn(self, argv: Sequence[str], cwd: Path | str | None = None, env: Mapping[str, str] | None = None, *,
              network: bool = False, merge: bool = False, stdin: int | None = None) -> Command:
        """Start `argv` (no shell) in `cwd` with `env` (environment() when None) and return it running.

        The network is off unless granted here. `merge` sends stderr into stdout. `stdin` is a descriptor to read, else it reads
        nothing. FileNotFoundError and PermissionError when the program cannot be started, SandboxError when a step of the
        confinement failed: then nothing was started.
        """
        if self._closed:
            raise SandboxError("sandbox.closed", "spawn")
        folder = os.path.realpath(cwd or self.policy.workspace)
        values = dict(self.environment() if env is None else env)
        if sys.platform.startswith("linux"):
            return self._spawn_warm(list(argv), folder, values, network, merge, stdin)
        return self._spawn_plain(list(argv), folder, values, network, merge, stdin)

    def explain(self, exit_code: int, output_tail: str, *, cwd: Path | str | None = None, network: bool = False) -> Denial | None:
        """Why the sandbox stopped a command that failed, None when nothing shows that it did."""
        if not self.confines:
            return None
        view = View(self.policy, self.tier, tuple(self._get_orders().paths("read")),
                             tuple(path for key, path in self._get_orders().closed() if key == "protect"), self._temporary)
        return explain(view, exit_code, output_tail, Path(os.path.realpath(cwd or self.policy.workspace)), network)

    def close(self) -> None:
        """End every command that still runs, the helper, and remove the session's temporary folder."""
        with self._lock:
            self._closed = True
            for command in list(self._running):
                command.kill_tree()
            if self._helper is not None:
                self._helper.close()
            if self._tidy is not None:
                self._tidy()

    def _get_orders(self) -> Orders:
        with self._lock:
            if self._orders is None:
                self._temporary = os.path.realpath(tempfile.mkdtemp(prefix="agent-tmp-"))
                # Also for a program that ends without close().
                self._tidy = weakref.finalize(self, shutil.rmtree, self._temporary, True)
                self._orders = Orders(self.policy, self.tier, self.missing, self._temporary, self._search[2])
            return self._orders

    def _own_values(self) -> dict[str, str]:
        """HOME and TMPDIR as they are inside."""
        if self.tier == "none":
            return {}
        make_folder(self.policy.home)
        return {"HOME": str(self.policy.home), "TMPDIR": "/tmp" if self.tier in ("full", "bwrap") else self._temporary}

    def _spawn_warm(self, argv: list[str], folder: str, values: dict[str, str], network: bool, merge: bool, stdin: int | None) -> Command:
        from core.launcher.config import dump
        orders = self._get_orders()
        closed = orders.closed() if self.tier != "none" else []
        lines = orders.order(argv, folder, final_environment(self.policy, values, self._own_values()), closed)
        if self.tier == "bwrap":
            lines = self._wrap([*orders.shared, ("network", "on" if network else "off"), *lines])
        watch = Watch(closed) if self.tier in ("landlock", "none") else None
        streams = _Streams(merge, stdin)
        try:
            for kind in (b"n",) if network else (b"s", b"f"):
                control = self._start_helper().start_command(dump(lines), streams.theirs, kind)
                command = WarmCommand(argv, control, streams.stdout, streams.stderr, network, watch.restore if watch else list)
                failure = command.started()
                if not failure:
                    self._running.add(command)
                    return command
                control.close()
                if not failure.startswith("stale "):
                    break
            raise _failure(failure)
        except BaseException:
            streams.close()
            raise
        finally:
            streams.hand_over()

    def _wrap(self, lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
        from core.launcher import bubblewrap
        from core.launcher.config import dump, parse
        return bubblewrap.wrap(parse(dump(lines)), self._search[1] or bubblewrap.find()).lines()

    def _start_helper(self) -> Helper:
        from core.launcher.config import dump
        from core.sandbox.helper import Helper
        with self._lock:
            if self._helper is None:
                shared = self._get_orders().shared
                self._helper = Helper(dump([("tier", "none")] if self.tier == "bwrap" else shared))
            return self._helper

    def _spawn_plain(self, argv: list[str], folder: str, values: dict[str, str], network: bool, merge: bool, stdin: int | None) -> Command:
        from core.sandbox.elsewhere import confinement
        environment = final_environment(self.policy, values, self._own_values())
        self._get_orders()
        prefix, options, attach = confinement(self.policy, self.tier, self._temporary, network)
        process = subprocess.Popen([*prefix, *argv], cwd=folder, env=environment, stdin=subprocess.DEVNULL if stdin is None else stdin,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merge else subprocess.PIPE, **options)
        command = PlainCommand(argv, process, network, attach(process))
        self._running.add(command)
        return command


class _Streams:
    """The pipes of one command; `theirs` is (stdin, stdout, stderr) for the command."""

    def __init__(self, merge: bool, stdin: int | None) -> None:
        read, write = os.pipe()
        self.stdout: BinaryIO = os.fdopen(read, "rb")
        self.stderr: BinaryIO | None = None
        error = write
        if not merge:
            read, error = os.pipe()
            self.stderr = os.fdopen(read, "rb")
        source = os.open(os.devnull, os.O_RDONLY) if stdin is None else os.dup(stdin)
        self.theirs = (source, write, error)

    def hand_over(self) -> None:
        """Close the command's ends here, so that its end is seen."""
        for descriptor in set(self.theirs):
            os.close(descriptor)

    def close(self) -> None:
        """Close our ends: the command never ran."""
        self.stdout.close()
        if self.stderr is not None:
            self.stderr.close()


def _failure(report: str) -> Exception:
    """The exception for a step that failed: a missing program is the command's mistake, all else is the sandbox's."""
    step, number, detail = (report + "  ").split(" ", 2)
    errno = int(number) if number.isdigit() else 0
    reason = f"{os.strerror(errno)} {detail}".strip() if errno else detail.strip()
    if step in ("exec", "cwd"):
        return OSError(errno, os.strerror(errno), detail.strip())
    return SandboxError("sandbox.setup_failed", step, reason=reason)


def _search_path() -> str:
    if sys.platform.startswith("linux"):
        from core.launcher.layout import search_path
        return search_path()
    return os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
