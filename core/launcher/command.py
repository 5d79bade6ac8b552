"""The last steps of a confined process: its limits, its rights, and then the command takes its place."""
from __future__ import annotations

import os
import resource

from core.launcher import landlock, seccomp
from core.launcher.config import Config
from core.launcher.system import PR_SET_NO_NEW_PRIVS, SetupError, close_on_exec_from, drop_capabilities, prctl, signals, step

# Python ignores these two; a command expects to be ended by them.
RESTORED = (signals.SIGPIPE, signals.SIGXFSZ, signals.SIGINT, signals.SIGTERM, signals.SIGCHLD)


def ready(config: Config, rules: int) -> None:
    """Confine this process as `config.tier` says, before its command is known. SetupError when a step fails."""
    os.setsid()
    for number in RESTORED:
        signals.signal(number, signals.SIG_DFL)
    signals.pthread_sigmask(signals.SIG_SETMASK, ())
    _limits(config)
    if config.tier != "none":
        confine(config, rules)


def become(config: Config, stdio: tuple[int, int, int]) -> None:
    """Run the command in this process, which is ready; never returns. SetupError when that cannot be done."""
    _streams(stdio)
    _enter_folder(config.cwd)
    close_on_exec_from("descriptors", 3)
    run(config.arg, config.environment())


def make_rules(config: Config) -> int:
    """The Landlock rules of the order, made early because they are the same for every command; -1 for none."""
    if config.landlock == "off" or config.tier == "none":
        return -1
    step("landlock", config.fail)
    return landlock.rules(config, config.tier in ("full", "inner"))


def confine(config: Config, rules: int) -> None:
    """Give up capabilities, new privileges, files and system calls, in the order in which each is still possible."""
    step("capabilities", config.fail)
    drop_capabilities("capabilities")
    prctl("privileges", PR_SET_NO_NEW_PRIVS, 1)
    if rules >= 0:
        landlock.restrict(rules)
    step("seccomp", config.fail)
    seccomp.install(config.tier in ("full", "inner"), config.network == "on")


def _limits(config: Config) -> None:
    for line in config.limit:
        name, _, text = line.partition("\t")
        kind = getattr(resource, f"RLIMIT_{name}")
        value = int(text)
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(kind, (value, value))


def _streams(stdio: tuple[int, int, int]) -> None:
    # Moved out of the way first, so that no target is overwritten while it is still a source.
    copies = [os.dup(stream) if stream < 3 else stream for stream in stdio]
    for target, source in enumerate(copies):
        os.dup2(source, target)


def _enter_folder(path: str) -> None:
    try:
        os.chdir(path)
    except OSError as error:
        raise SetupError("cwd", error.errno or 0, path) from error


def run(argv: list[str], environment: dict[str, str]) -> None:
    """Become the program; SetupError `exec` when it cannot be found or started."""
    names = [argv[0]]
    if "/" not in argv[0]:
        names = [f"{folder}/{argv[0]}" for folder in environment.get("PATH", "/usr/bin:/bin").split(":") if folder.startswith("/")]
    errno = 2
    for name in names:
        try:
            os.execve(name, argv, environment)
        except OSError as error:
            if error.errno not in (2, 20):
                errno = error.errno or 0
    raise SetupError("exec", errno, argv[0])
