"""What commands may do, as the agent decides it, and the order for the launcher that follows from it."""
from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import SandboxError

# Nothing else of the agent's environment reaches a command: keys, tokens and proxies with passwords live there.
PASSED_ON = re.compile(r"LANG|LANGUAGE|LC_\w+|TERM|TZ|VIRTUAL_ENV|PYTHONIOENCODING|USER|LOGNAME|COLUMNS|LINES")
NEVER = re.compile(r"LD_\w+|DYLD_\w+|BASH_ENV|ENV|PYTHONSTARTUP|PYTHONHOME|GIT_(?!PAGER|TERMINAL_PROMPT|AUTHOR_|COMMITTER_)\w+|NODE_OPTIONS|"
                   r"BASH_FUNC_.*|PERL5OPT|RUBYOPT|\w*(?:API_KEY|_TOKEN|_SECRET|PASSWORD)")
QUIET = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
AGENT_FOLDER, HOME_FOLDER = ".agent", ".home"


@dataclass(frozen=True)
class Policy:
    """The grants of one session. All paths are real and absolute; `limits` are RLIMIT names without the prefix,
    `given` the names under which the user knows the folders."""

    workspace: Path
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    masked: tuple[Path, ...] = ()
    devices: tuple[Path, ...] = ()
    names: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    limits: Mapping[str, int] = field(default_factory=dict)
    given: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        """The folder that commands see as ~."""
        return self.workspace / HOME_FOLDER

    @property
    def roots(self) -> tuple[Path, ...]:
        """Every folder that commands may change."""
        return (self.workspace, *self.writable)


def make_policy(workspace: Path | str, readable: Iterable[Path | str] = (), writable: Iterable[Path | str] = (), *,
                masked: Iterable[Path | str] = (), devices: Iterable[Path | str] = (), names: Iterable[str] = (),
                secrets: Iterable[str] = (), limits: Mapping[str, int] | None = None) -> Policy:
    """Check the paths and resolve them ("~" too); SandboxError for a missing workspace or one that is home, "/" or above home."""
    root = _real(workspace)
    if not root.is_dir():
        raise SandboxError("sandbox.workspace_missing", "workspace", path=str(workspace))
    readable, writable = list(readable), list(writable)
    given = tuple(os.path.abspath(os.path.expanduser(path)) for path in (workspace, *readable, *writable))
    home = _real("~")
    for path in (root, *map(_real, writable)):
        if path == home or path in home.parents or len(path.parts) < 2:
            raise SandboxError("sandbox.workspace_too_wide", "workspace", path=str(path))
    for folder in (AGENT_FOLDER, HOME_FOLDER):
        make_folder(root / folder)
    return Policy(root, tuple(map(_real, readable)), tuple(map(_real, writable)), tuple(map(_real, masked)),
                  tuple(map(_real, devices)), tuple(names), tuple(secret for secret in secrets if len(secret) >= 6), dict(limits or {}), given)


def make_folder(path: Path) -> None:
    """Make a private folder unless something stands there: a file or link in its place is the launcher's to refuse."""
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)


def _real(path: Path | str) -> Path:
    return Path(os.path.realpath(os.path.expanduser(path)))


def base_environment(policy: Policy, search_path: str, source: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: the harmless names of `source`, the names that the user lists, and our own values."""
    values = {key: value for key, value in source.items() if PASSED_ON.fullmatch(key) or key in policy.names}
    return {"LANG": "C.UTF-8", **values, **QUIET, "PATH": search_path, "AGENT_WORKSPACE": str(policy.workspace)}


def final_environment(policy: Policy, values: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """`values` without the names that change what programs run and without any value that holds a secret, then `own`."""
    kept = {key: value for key, value in values.items()
            if (not NEVER.fullmatch(key) or key in policy.names) and not any(secret in value for secret in policy.secrets)}
    if own and "PATH" in kept:
        # A program that one command leaves in a writable folder must not stand in for a system program in the next.
        kept["PATH"] = os.pathsep.join(folder for folder in kept["PATH"].split(os.pathsep) if not _inside(folder, policy.roots))
    return {**kept, **own}


def _inside(folder: str, roots: Iterable[Path]) -> bool:
    real = os.path.realpath(folder)
    return not os.path.isabs(folder) or any(real == str(root) or real.startswith(f"{root}/") for root in roots)


class Orders:
    """Makes the launcher's lines for one tier. What cannot change within a session is worked out once."""

    def __init__(self, policy: Policy, tier: str, missing: Iterable[str], temporary: str, failing: Iterable[str] = ()) -> None:
        from core.launcher import layout
        self._policy = policy
        self._tier = tier
        self._fixed = [("tier", "full" if tier == "bwrap" else tier)]
        self._fixed += [("fail", step) for step in failing]
        self._fixed += [("proc", "bind")] if "private_proc" in missing and tier == "full" else []
        self._fixed += [("landlock", "off")] if "landlock" in missing else []
        self._fixed += [("tmp", temporary), *layout.limits(tier)]
        self._fixed += [("limit", f"{name}\t{value}") for name, value in policy.limits.items()]
        if tier != "none":
            self._fixed += layout.system(tier) + layout.interpreter()
            self._fixed += layout.grant("read", map(str, policy.readable)) + layout.grant("write", map(str, policy.roots))
            self._fixed += [line for name in policy.given for line in layout.hops(name)]
            self._fixed += [("device", str(path)) for path in policy.devices]
            self._fixed += [("mask", str(path)) for path in policy.masked]

    def closed(self) -> list[tuple[str, str]]:
        """The `protect` and `mask` lines as the folders look now."""
        from core.launcher import layout
        agent = self._policy.workspace / AGENT_FOLDER
        make_folder(agent)
        lines = [("protect", str(agent))]
        for folder in self._policy.roots:
            lines += layout.closed_inside(str(folder))
        for folder in self._policy.readable:
            lines += [line for line in layout.closed_inside(str(folder), make=False) if line[0] == "mask"]
        return lines

    @property
    def shared(self) -> list[tuple[str, str]]:
        """The lines that all commands have in common."""
        return list(self._fixed)

    def order(self, argv: Iterable[str], cwd: str, environment: Mapping[str, str], closed: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The further lines that start one command."""
        lines = [] if self._tier == "none" else list(closed)
        if self._tier == "full":
            # The helper prepares a command's tree before the command comes: it must still show the same folders.
            for root in self._policy.roots:
                state = os.stat(root)
                lines.append(("same", f"{root}\t{state.st_dev}:{state.st_ino}"))
        lines += [("cwd", cwd), *(("env", f"{key}={value}") for key, value in environment.items())]
        return lines + [("arg", text) for text in argv]

    def paths(self, key: str) -> list[str]:
        """The fixed paths of one kind: read, write, device."""
        return [path for name, path in self._fixed if name == key]
