"""The words that the interactive prompt understands itself, as a table: `/word` always, bare words when they are the whole line."""
from __future__ import annotations

from typing import NamedTuple

from core.i18n import t


class Command(NamedTuple):
    """One command: its name, other spellings, which of all these also work without a slash, whether arguments may follow."""

    name: str
    others: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    takes: str = ""

    @property
    def words(self) -> str:
        """What it does, in the person's language."""
        return t(f"cli.command_{self.name}")


COMMANDS: tuple[Command, ...] = (
    Command("help", ("帮助", "?"), ("help", "帮助")),
    Command("skills", ("技能",), ("skills", "技能")),
    Command("status", ("状态",), ("status", "状态")),
    Command("model", ("模型",), ("model", "模型"), takes="[NAME]"),
    Command("revoke", ("撤回",), takes="N | all"),
    Command("rules", ("规则",), ("rules", "规则"), takes="[revoke N | all]"),
    Command("reload", ("重载",), ("reload", "重载")),
    Command("clear", ("清空",), ("clear", "清空")),
    Command("edit", ("编辑",)),
    Command("save", ("保存",), takes="[FILE]"),
    Command("config", ("设置",)),
    Command("setup", ("连接",)),
    Command("doctor", ("诊断",)),
    Command("exit", ("quit", "q", "退出"), ("exit", "quit", "退出")),
)
_BY_SLASH = {word: command for command in COMMANDS for word in (command.name, *command.others)}
_BY_WORD = {word: command for command in COMMANDS for word in command.bare}


class Line(NamedTuple):
    """What a line is: a command with its argument, an unknown /word, or neither, which is a request."""

    command: Command | None = None
    argument: str = ""
    unknown: str = ""


def understand(line: str) -> Line:
    """Tell commands from requests. A request that begins with a path (`/etc/hosts …`) is a request."""
    text = line.strip()
    bare = _BY_WORD.get(text.lower())
    if bare:
        return Line(bare)
    if not text.startswith("/") or "\n" in text:
        return Line()
    word, _, argument = text[1:].partition(" ")
    command = _BY_SLASH.get(word.lower())
    if command is None:
        return Line() if "/" in word else Line(unknown="/" + word)
    if argument.strip() and not command.takes:
        return Line(unknown=text)
    return Line(command, argument.strip())


def completions() -> list[str]:
    """Every /word, for completion."""
    return sorted("/" + word for word in _BY_SLASH if word != "?")


def nearest(word: str) -> str:
    """The known /word that is most like this one, or ""."""
    import difflib

    close = difflib.get_close_matches(word.split()[0].lower(), completions(), 1)
    return close[0] if close else ""
