"""What may stand on the command line, as data, and its reader.

Written by hand because argparse alone costs as long as the interpreter's own start, and `--help` is to cost three starts in
all. Parses on Python 3.8, like everything that runs before the bootstrap.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.errors import UsageError

SUBCOMMANDS = ("config", "doctor", "skills", "setup", "guard", "rules", "help")


class Option(NamedTuple):
    """One option: its spellings, the field it fills, the name of its value ("" for a switch), the words it allows."""

    names: tuple[str, ...]
    field: str
    value: str = ""
    choices: tuple[str, ...] = ()
    setting: bool = False  # the field belongs to core.config.Settings
    fixed: str = ""  # what a switch writes, where "1" is not meant
    alone: str = ""  # the value meant when none follows
    joined: str = ""  # may be given several times; the values are put together with this between them


OPTIONS: tuple[Option, ...] = (
    Option(("-p", "--prompt", "--once"), "prompt", "TEXT"),
    Option(("--auto-approve",), "auto_approve"),
    Option(("--unconfined",), "unconfined"),
    Option(("--add-dir",), "add_dirs", "DIR[:ro]", setting=True, joined=";"),
    Option(("--network",), "network", setting=True, fixed="on"),
    Option(("--debug-level",), "debug_level", "N", ("0", "1", "2")),
    Option(("--json",), "json"),
    Option(("--max-steps",), "max_steps", "N", setting=True),
    Option(("--model",), "model_name", "NAME", setting=True),
    Option(("--base-url",), "api_base_url", "URL", setting=True),
    Option(("--workspace",), "workspace", "DIR", setting=True),
    Option(("--skills",), "skills_dir", "DIR", setting=True),
    Option(("--env-file",), "env_file", "FILE"),
    Option(("--lang",), "language", "LANG", ("en", "zh"), setting=True),
    Option(("--color",), "color", "WHEN", ("auto", "always", "never"), alone="always"),
    Option(("--no-color",), "color", fixed="never"),
    Option(("--accessible",), "accessible"),
    Option(("--raw",), "raw"),
    Option(("--online",), "online"),
    Option(("--shell",), "shell", "NAME", ("posix", "powershell", "cmd")),
    Option(("--no-bootstrap",), "no_bootstrap"),
    Option(("-h", "--help"), "help"),
    Option(("--version",), "version"),
)
_BY_NAME: dict[str, Option] = {name: option for option in OPTIONS for name in option.names}


class Arguments:
    """A command line that was understood. `given` maps fields to text; `words` are the free words, after a sub-command if there is one."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}
        self.words: list[str] = []
        self.subcommand = ""

    def has(self, field: str) -> bool:
        """Whether a switch was set."""
        return self.given.get(field, "") == "1"

    @property
    def prompt(self) -> str | None:
        """The request, from -p or from the free words; None when neither is there."""
        if "prompt" in self.given:
            return self.given["prompt"]
        return " ".join(self.words) if self.words and not self.subcommand else None

    @property
    def debug_level(self) -> int:
        """How much is shown: 0, 1 or 2."""
        return int(self.given.get("debug_level", "1"))

    @property
    def settings(self) -> dict[str, str]:
        """The flags that are settings, by field."""
        return {option.field: self.given[option.field] for option in OPTIONS if option.setting and option.field in self.given}


def parse(argv: Sequence[str]) -> Arguments:
    """Read the words after the program's name, or raise UsageError."""
    found = Arguments()
    rest = list(argv)
    free: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            free += rest
            break
        if word == "-" or not word.startswith("-"):
            if not free and word in SUBCOMMANDS and "prompt" not in found.given:
                found.subcommand = word
            free.append(word)
        else:
            _take_option(word, rest, found)
    found.words = free[1:] if found.subcommand else free
    _check(found)
    return found


def _take_option(word: str, rest: list[str], found: Arguments) -> None:
    name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
    option = _BY_NAME.get(name)
    if option is None:
        raise UsageError("cli.unknown_option", option=name, nearest=_nearest(name))
    if not option.value:
        if sign:
            raise UsageError("cli.takes_no_value", option=name)
        found.given[option.field] = option.fixed or "1"
        return
    if not sign:
        if option.alone and (not rest or rest[0] not in option.choices):
            value = option.alone
        elif rest:
            value = rest.pop(0)
        else:
            raise UsageError("cli.needs_value", option=name, value=option.value)
    if option.choices and value not in option.choices:
        raise UsageError("cli.bad_choice", option=name, found=value, allowed=", ".join(option.choices))
    if option.joined and option.joined in value:
        raise UsageError("cli.once_each", option=name, sign=option.joined)
    before = found.given.get(option.field)
    found.given[option.field] = f"{before}{option.joined}{value}" if option.joined and before else value


def _check(found: Arguments) -> None:
    if "prompt" in found.given and found.words and not found.subcommand and found.words != ["-"]:
        raise UsageError("cli.two_prompts", word=found.words[0])
    if found.has("online") and found.subcommand != "doctor":
        raise UsageError("cli.only_with", option="--online", command="doctor")
    if "shell" in found.given and found.subcommand != "guard":
        raise UsageError("cli.only_with", option="--shell", command="guard")
    if found.has("unconfined") and not found.has("auto_approve"):
        raise UsageError("cli.only_beside", option="--unconfined", other="--auto-approve")


def _nearest(name: str) -> str:
    import difflib

    from core.i18n import t

    close = difflib.get_close_matches(name, list(_BY_NAME), 1)
    return t("cli.did_you_mean", option=close[0]) if close else ""
