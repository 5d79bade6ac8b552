"""The same container built by bwrap, for systems that let only that program make one; the launcher then confines itself inside."""
from __future__ import annotations

import os
import sys

from core.launcher.config import Config, dump
from core.launcher.mounts import between

FOLDERS = (os.path.dirname(os.path.dirname(os.path.abspath(__file__))),)
SEARCHED = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap")


def find() -> str:
    """The path of bwrap, "" when it is not installed."""
    return next((path for path in SEARCHED if os.access(path, os.X_OK)), "")


def wrap(config: Config, program: str) -> Config:
    """An order of tier none that runs bwrap, which runs the launcher, which runs the command of `config`."""
    launcher = os.path.join(FOLDERS[0], "guard_runner.py")
    inner = [("tier", "inner"), ("network", config.network), ("landlock", config.landlock), ("cwd", config.cwd)]
    inner += [("write", path) for path in config.write] + [("device", path) for path in config.device]
    inner += [("tmp", "/tmp")] + [("fail", name) for name in config.fail]
    outer = Config()
    outer.tier = "none"
    outer.env = config.env
    outer.limit = config.limit
    outer.arg = [program, *_container(config), "--", sys.executable, "-I", "-S", launcher,
                 "inline:" + dump(inner).decode("utf-8", "surrogateescape"), "--", *config.arg]
    return outer


def _container(config: Config) -> list[str]:
    arguments = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"]
    arguments += ["--unshare-net"] if config.network == "off" else []
    binds = dict.fromkeys([*config.read, *FOLDERS], "--ro-bind")
    binds.update(dict.fromkeys(config.write, "--bind"))
    for path in config.protect:
        binds.update({parent: binds.get(parent, "--bind") for parent in between(path, config.write)})
        binds[path] = "--ro-bind"
    arguments += ["--bind", config.tmp, "/tmp"] if config.tmp else ["--tmpfs", "/tmp"]
    for path in sorted(binds, key=lambda path: (path.count("/"), path)):
        arguments += [binds[path], path, path]
    arguments += ["--dev", "/dev", "--proc", "/proc"]
    for path in config.device:
        arguments += ["--dev-bind", path, path]
    for path in config.mask:
        arguments += ["--tmpfs", path, "--remount-ro", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    for line in config.link:
        name, target = line.split("\t", 1)
        if not any(name.startswith(path + "/") for path in binds):
            arguments += ["--symlink", target, name]
    return arguments
