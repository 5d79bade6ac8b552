"""Values, parameters and known weak spots of the grammar for PowerShell."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.guard.scope import Scope
from core.guard.verdict import load_table, words_in
from core.guard.words import HOLE, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_WRAPPERS = frozenset(
    (
        "array_literal_expression",
        "unary_expression",
        "string_literal",
        "logical_expression",
        "bitwise_expression",
        "comparison_expression",
        "additive_expression",
        "multiplicative_expression",
        "format_expression",
        "range_expression",
        "pipeline",
        "pipeline_chain",
        "argument_expression",
        "logical_argument_expression",
        "bitwise_argument_expression",
        "comparison_argument_expression",
        "additive_argument_expression",
        "multiplicative_argument_expression",
        "format_argument_expression",
        "range_argument_expression",
        "parenthesized_expression",
        "command_name_expr",
        "path_command_name",
        "statement_list",
        "redirected_file_name",
    )
)
_TOKENS = frozenset(("generic_token", "command_name", "simple_name", "function_name", "command_parameter"))
_STRINGS = frozenset(("verbatim_string_characters", "verbatim_here_string_characters", "expandable_string_literal", "expandable_here_string_literal"))
_NUMBERS = frozenset(("integer_literal", "decimal_integer_literal", "real_literal", "hexadecimal_integer_literal", "expression_with_unary_operator"))
_HOMES = ("home", "env:userprofile", "env:home", "env:homepath")
_FOLDERS = {
    "env:temp": "/tmp",
    "env:tmp": "/tmp",
    "env:appdata": "~/AppData/Roaming",
    "env:localappdata": "~/AppData/Local",
    "env:windir": "C:/Windows",
    "env:systemroot": "C:/Windows",
    "env:programfiles": "C:/Program Files",
    "env:programdata": "C:/ProgramData",
    "env:systemdrive": "C:",
    "pshome": "C:/Windows/System32/WindowsPowerShell",
    "profile": "~/Documents/PowerShell/profile.ps1",
}
_EDITS = (
    (re.compile(r"(?<![\w\"'`(=,])(\$(?:env:)?\w+[\\/][^\s;|&(){}\"',]*)"), r'"\1"'),
    (re.compile(r"(?<=\s)(--?[A-Za-z][\w-]*=[^\s;|&(){}\"',]*)(?=\s|$|[;|)])"), r'"\1"'),
    (re.compile(r"(?<=\s)--(?=\s)"), r'"--"'),
    (re.compile(r"(?:(?<=^)|(?<=[;{|(]))(\s*)ForEach-Object\b", re.I), r"\1%"),
    (re.compile(r"(?<=\s)(\d+\.\d+(?:\.\d+)*|[\w.]+@[\w.]+)(?=\s|$)"), r'"\1"'),
    (re.compile(r"(?<=\s)([\w.*\\/-]+(?:\s*,\s*[\w.*\\/-]+)+)(?=\s|$|[;|)])"), r'"\1"'),
)


@functools.cache
def aliases() -> dict[str, str]:
    """Alias -> cmdlet."""
    return dict(pair.split("=") for pair in words_in(load_table("powershell")["aliases"]))


@functools.cache
def kinds() -> dict[str, str]:
    """Cmdlet -> kind, or the rule of a dangerous one."""
    table = load_table("powershell")
    return {name: kind for group in ("kinds", "danger") for kind, names in table[group].items() for name in words_in(names)}


@functools.cache
def switches() -> tuple[str, ...]:
    """Parameters without a value."""
    return tuple(words_in(load_table("powershell")["switches"]))


def repaired(text: str) -> str:
    """The text with spellings that the grammar cannot read put in quotes; quoted parts stay as they are."""
    pieces = re.split(r"('(?:[^']|'')*'|\"(?:[^\"`]|`.)*\")", text)
    for index in range(0, len(pieces), 2):
        for pattern, replacement in _EDITS:
            pieces[index] = pattern.sub(replacement, pieces[index])
    return "".join(pieces)


@dataclass
class Arguments:
    """A command's arguments after PowerShell's own binding rules: parameters (lower case) with values, and positional words."""

    named: dict[str, list[Word]] = field(default_factory=dict)
    positional: list[Word] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)

    def find(self, *names: str) -> list[Word]:
        """Values of parameters that the given prefixes of `names` mean."""
        return [word for key, values in self.named.items() for name in names if key and name.startswith(key) for word in values]

    def has(self, name: str, least: int = 1) -> bool:
        """Whether the switch was given, by any prefix of at least `least` letters."""
        return any(len(key) >= least and name.startswith(key) for key in self.named)


class Values:
    """Reads values out of nodes of one source text."""

    def __init__(self, source: bytes, scope: Scope) -> None:
        self.source, self.scope = source, scope

    def raw(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def word(self, node: Node) -> Word:
        """The value of an expression or token as far as it is known."""
        kind, raw = node.type, self.raw(node)
        if kind in _TOKENS:
            return self.token(raw)
        if kind in _STRINGS:
            body = raw[1:-1] if "here" not in kind else "\n".join(raw.split("\n")[1:-1])
            return self.expand(body) if kind.startswith("expandable") else Word(body.replace("''", "'"), quoted=True)
        if kind == "variable":
            return self.variable(raw)
        if kind in _NUMBERS and re.fullmatch(r"-?[\w.]+", raw):
            return Word(raw)
        return self.compound(node)

    def compound(self, node: Node) -> Word:
        """The value of an expression with parts."""
        children = node.named_children
        if node.type == "additive_expression" and len(children) == 2:
            return self.added(node)
        if node.type in _WRAPPERS and len(children) == 1:
            return self.word(children[0])
        if node.type == "array_literal_expression":
            words = [self.word(child) for child in children]
            return Word(",".join(word.text for word in words), all(word.static for word in words), any(word.glob for word in words), True)
        return Word(HOLE, static=False)

    def added(self, node: Node) -> Word:
        left, right = (self.word(child) for child in node.named_children)
        return Word(left.text + right.text, False, names=("+",))

    def token(self, raw: str) -> Word:
        """A bare word: backticks and inner quotes removed."""
        text = re.sub(r"`(.)", r"\1", raw, flags=re.S)
        names = tuple(name.lower() for name in re.findall(r"\$(?:env:)?(\w+)", raw))
        static = not re.search(r"[$()]", raw.replace("`$", "")) or raw.lower().endswith("$null")
        text = re.sub(r"(['\"])(.*?)\1", r"\2", text) if re.search(r"['\"]", text) else text
        if not static:
            text = re.sub(r"\$(env:\w+|\w+)", lambda match: self.variable("$" + match[1]).text, text)
            static = HOLE not in text and "(" not in text
        return Word(text, static, bool(re.search(r"[*?\[]", text)), False, names)

    def expand(self, body: str) -> Word:
        """A double-quoted string with the variables that are known."""
        names: list[str] = []

        def value(match: re.Match[str]) -> str:
            names.append(match[1].lower().removeprefix("env:").strip("{}"))
            return self.variable("$" + match[1]).text

        text = re.sub(r"(?<!`)\$(\{[^}]+\}|env:\w+|\w+(?::\w+)?|[?_$^])", value, body)
        text = re.sub(r"`(.)", lambda match: {"n": "\n", "t": "\t", "0": HOLE, "r": "\r"}.get(match[1], match[1]), text, flags=re.S).replace(
            '""', '"'
        )
        static = HOLE not in text and not re.search(r"(?<!`)\$\(", body)
        return Word(text if static else re.sub(r"\$\(.*\)", HOLE, text, flags=re.S), static, False, True, tuple(names))

    def variable(self, raw: str) -> Word:
        """A variable's value: assigned in this script, well known, or a hole."""
        name = raw.lstrip("$@").strip("{}").lower()
        shown = (name.removeprefix("env:"),)
        known = self.scope.variables.get("$" + name)
        if known is not None:
            return Word(known.text, known.static, known.glob, False, ("=" + name,))
        if name in _HOMES:
            return Word(self.scope.roots.home or "C:/Users/user", names=shown)
        if name in _FOLDERS:
            return Word(_FOLDERS[name].replace("~", self.scope.roots.home), names=shown)
        if name == "pwd" and len(self.scope.cwds) == 1 and self.scope.cwds[0]:
            return Word(self.scope.cwds[0], names=shown)
        if name in ("null", "true", "false"):
            return Word(name)
        return Word(HOLE, static=False, names=shown)

    def arguments(self, elements: list[Node]) -> Arguments:
        """Bind parameters: -Name value, -Name:value, switches, and an en dash for a dash."""
        result = Arguments()
        waiting = ""
        for node in elements:
            raw = self.raw(node)
            word = self.word(node)
            parameter = (
                node.type == "command_parameter" or node.type == "generic_token" and re.match(r"^[-\u2013\u2014\u2015][A-Za-z]", raw) is not None
            )
            glued = node.prev_sibling is not None and node.prev_sibling.type == "command_argument_sep" and self.raw(node.prev_sibling).strip() == ":"
            missing = node.prev_sibling is not None and any(child.is_missing for child in node.prev_sibling.children)
            if missing and result.words and raw.startswith(","):
                previous = result.words.pop()
                word = Word(previous.text + word.text, previous.static and word.static, previous.glob or word.glob)
                for values in [*result.named.values(), result.positional]:
                    if values and values[-1] is previous:
                        values[-1] = word
                result.words.append(word)
                continue
            result.words.append(Word(re.sub(r"^[\u2013\u2014\u2015]", "-", word.text), word.static, word.glob, word.quoted, word.names))
            if parameter:
                key, _, value = re.sub(r"`(.)", r"\1", raw).lstrip("-\u2013\u2014\u2015").lower().partition(":")
                waiting = "" if any(switch.startswith(key) for switch in switches()) and key not in ("f", "n", "p", "fi", "na") else key
                result.named.setdefault(key, [])
                if value:
                    result.named[key].append(self.token(raw.partition(":")[2]))
                    waiting = ""
            elif waiting or glued and result.named:
                result.named[waiting or list(result.named)[-1]].append(word)
                waiting = ""
            else:
                result.positional.append(word)
        return result
