"""The order that the launcher obeys, as lines of text: one "key value" a line, "#" starts a comment.

    tier full|landlock|none|inner   how to confine          network on|off       may the command reach the network
    read PATH · write PATH          what it sees, may change  protect PATH         read-only although below a `write`
    mask PATH                       looks empty             link PATH TARGET     a symbolic link to make (TAB between)
    tmp PATH                        the folder shown as /tmp  device PATH          a device file that it may use
    proc private|bind               its own /proc or ours   limit NAME NUMBER    a resource limit (TAB between)
    cwd PATH · env NAME=VALUE · arg TEXT                    the command itself
    fail STEP                       a step that must fail (for tests)
    same PATH DEVICE:INODE          what a granted folder must still be when the command starts (TAB between)
    landlock on|off                 off where the kernel has none   liveness FD  a pipe whose end means "stop"

`tier inner` is landlock inside a container that another program (bwrap) has built. A newline in a value is written %0A, a
percent sign %25. Paths are absolute and free of symbolic links.
"""
from __future__ import annotations

LISTS = ("read", "write", "same", "protect", "mask", "link", "device", "limit", "env", "arg", "fail")
WORDS = {"tier": ("full", "landlock", "none", "inner"), "network": ("on", "off"), "proc": ("private", "bind"),
         "landlock": ("on", "off")}


class ConfigError(ValueError):
    """A line of the configuration that is not understood; the text names it."""


class Config:
    """One order. Lists keep the order of the lines."""

    __slots__ = ("tier", "network", "proc", "tmp", "cwd", "landlock", "liveness", *LISTS)

    def __init__(self) -> None:
        self.tier = "full"
        self.network = "off"
        self.proc = "private"
        self.tmp = ""
        self.cwd = "/"
        self.landlock = "on"
        self.liveness = -1
        self.read: list[str] = []
        self.write: list[str] = []
        self.same: list[str] = []
        self.protect: list[str] = []
        self.mask: list[str] = []
        self.link: list[str] = []
        self.device: list[str] = []
        self.limit: list[str] = []
        self.env: list[str] = []
        self.arg: list[str] = []
        self.fail: list[str] = []

    def set(self, key: str, value: str) -> None:
        """Take one line; ConfigError when the key or the value is not known."""
        if key in LISTS:
            getattr(self, key).append(value)
        elif key == "liveness" and value.isdigit():
            self.liveness = int(value)
        elif key in ("tmp", "cwd") or value in WORDS.get(key, ()):
            setattr(self, key, value)
        else:
            raise ConfigError(f"the line {key!r} {value!r} is not understood")

    def extend(self, data: bytes) -> None:
        """Take more lines, as bytes; ConfigError names the first bad one."""
        for line in data.decode("utf-8", "surrogateescape").split("\n"):
            if not line or line.startswith("#"):
                continue
            key, _, value = line.partition(" ")
            self.set(key, value.replace("%0A", "\n").replace("%25", "%") if "%" in value else value)

    def lines(self) -> list[tuple[str, str]]:
        """The lines that give this order again."""
        lines = [(key, str(getattr(self, key))) for key in ("tier", "network", "proc", "landlock", "tmp", "cwd")]
        lines += [("liveness", str(self.liveness))] if self.liveness >= 0 else []
        return lines + [(key, value) for key in LISTS for value in getattr(self, key)]

    def environment(self) -> dict[str, str]:
        """The `env` lines as a mapping."""
        return dict(line.split("=", 1) for line in self.env if "=" in line)


def escape(value: str) -> str:
    """One value as it stands in a line."""
    return value.replace("%", "%25").replace("\n", "%0A") if "%" in value or "\n" in value else value


def parse(data: bytes) -> Config:
    """The order that these lines give; ConfigError names the first bad one."""
    config = Config()
    config.extend(data)
    return config


def dump(lines: list[tuple[str, str]]) -> bytes:
    """The bytes for these (key, value) lines; parse() reads them."""
    return "".join([f"{key} {escape(value)}\n" for key, value in lines]).encode("utf-8", "surrogateescape")
