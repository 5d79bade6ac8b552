"""The command line of core/guard_runner.py."""
from __future__ import annotations

import os
import sys

from core.launcher.config import Config

HELP = """usage: python -I -S core/guard_runner.py CONFIG -- COMMAND [ARGUMENT…]
       python -I -S core/guard_runner.py --self-test [--machine] [--at-most TIER] [--fail STEP]… [--bwrap PATH]
       python -I -S core/guard_runner.py --help

Runs COMMAND so that it can change nothing outside the folders that CONFIG grants.

CONFIG     workspace:DIR[:on]   the usual grants for this workspace; ":on" also grants the network
           FILE, fd:N           lines "key value" as core/launcher/config.py describes them
           inline:TEXT          the lines themselves
--self-test   run commands that try to break out, and print the strongest tier that stopped them all
--machine     the same as lines "tier X", "missing X", "refused X", for a program
--at-most T   do not try a tier above T (full, bwrap, landlock, none)
--fail STEP   let a step fail (userns, mounts, proc, capabilities, landlock, seccomp): what would happen without it
--serve FD    obey orders from a socket (used by the agent)

Exit status: the command's; 128 + N when signal N ended it; 125 when it could not be confined (it was not started then).
"""


def main(arguments: list[str]) -> int:
    """Do what the command line says; the value is the exit status."""
    if not arguments or arguments[0] in ("--help", "-h"):
        sys.stdout.write(HELP)
        return 0 if arguments else 2
    if not sys.platform.startswith("linux"):
        return _complain("this launcher confines on Linux only", 3)
    if arguments[0] == "--self-test":
        return _self_test(arguments[1:])
    if arguments[0] == "--serve" and len(arguments) == 2:
        from core.launcher.zygote import serve
        serve(int(arguments[1]))
        return 0
    if len(arguments) < 3 or arguments[1] != "--":
        return _complain("expected CONFIG -- COMMAND; see --help", 2)
    return _cold(arguments[0], arguments[2:])


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"guard_runner: {text}\n")
    return status


def _self_test(options: list[str]) -> int:
    from core.launcher import bubblewrap, selftest
    pairs = [(name, options[number + 1]) for number, name in enumerate(options[:-1])]
    failing = [value for name, value in pairs if name == "--fail"]
    given = dict(pairs)
    tier, missing, refused = selftest.choose(failing, given.get("--bwrap") or bubblewrap.find(), given.get("--at-most", "full"))
    if "--machine" in options:
        for word, values in (("tier", [tier]), ("missing", missing), ("refused", refused)):
            for value in values:
                sys.stdout.write(f"{word} {value}\n")
        return 0
    sys.stdout.write(f"tier: {tier}\nmissing: {', '.join(missing) or 'nothing'}\n")
    for reason in refused:
        sys.stdout.write(f"not usable here – {reason}\n")
    return 0 if tier != "none" else 1


def _cold(source: str, command: list[str]) -> int:
    """Confine and run one command in the foreground."""
    from core.launcher.config import ConfigError
    from core.launcher.system import SetupError
    try:
        config = _config(source)
        config.arg = command
        if config.tier == "inner":
            from core.launcher.command import confine, make_rules, run
            os.chdir(config.cwd)
            confine(config, make_rules(config))
            run(command, dict(os.environ))
        config.env = config.env or [f"{key}={value}" for key, value in os.environ.items()]
        return _foreground(config)
    except (ConfigError, SetupError, OSError) as error:
        return _complain(f"not started: {error}", 125)


def _foreground(config: Config) -> int:
    """Run the command on this program's own streams; a signal for this program ends the command and all it started."""
    from core.launcher.supervise import supervise
    from core.launcher.system import signals
    started: list[int] = []
    interrupted: list[int] = []

    def stop(number: int, frame: object) -> None:
        interrupted.append(number)
        for process in started:
            os.kill(process, signals.SIGKILL)

    def notify(text: str) -> None:
        word, _, rest = text.partition(" ")
        if word == "started":
            started.append(int(rest))
        elif word == "failed":
            step, number, detail = (rest + "  ").split(" ", 2)
            _complain(f"not started: {step}: {os.strerror(int(number))} {detail}".rstrip(), 125)

    for number in (signals.SIGINT, signals.SIGTERM, signals.SIGHUP):
        signals.signal(number, stop)
    status = supervise(config, (0, 1, 2), config.liveness, notify)
    if status < 0:
        return 125
    code = 128 + interrupted[0] if interrupted else os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _config(source: str) -> Config:
    from core.launcher.config import dump, parse
    kind, _, rest = source.partition(":")
    if kind == "workspace":
        from core.launcher.layout import for_workspace
        folder, _, network = rest.partition(":")
        return parse(dump(for_workspace(folder, network == "on")))
    if kind == "inline":
        return parse(rest.encode("utf-8", "surrogateescape"))
    with open(int(rest) if kind == "fd" else source, "rb") as file:
        return parse(file.read())
