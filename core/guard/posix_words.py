"""The value of a shell word as far as it is known before the command runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.guard.paths import expand_home
from core.guard.scope import MAX_WORDS, Scope
from core.guard.verdict import load_table
from core.guard.words import HOLE, Word

if TYPE_CHECKING:
    from tree_sitter import Node

_OPEN, _CLOSE, _COMMA, _SPLIT = "\x01", "\x02", "\x03", "\x04"
_MARKS = str.maketrans({_OPEN: "{", _CLOSE: "}", _COMMA: ",", _SPLIT: " "})
_BRACES = str.maketrans({"{": _OPEN, "}": _CLOSE, ",": _COMMA})
_ESCAPES = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ANSI = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))", re.S)
_TAME_GIT = re.compile(r"git (rev-parse (--short(=\d+)? |--abbrev-ref )*(HEAD|@)|describe( --[\w-]+)*|branch --show-current)$")
MAX_RESULTS = 64


class _Pieces:
    """A word while it is put together."""

    def __init__(self) -> None:
        self.text = ""
        self.static = True
        self.glob = False
        self.quoted = False
        self.names: list[str] = []

    def add(self, text: str, static: bool = True, glob: bool = False) -> None:
        self.text += text
        self.static = self.static and static
        self.glob = self.glob or glob


def words_of(node: Node, source: bytes, scope: Scope) -> list[Word]:
    """The words that one word node expands to: braces and unquoted variables may give several."""
    pieces = _Pieces()
    pieces.quoted = node.type in ("string", "raw_string", "ansi_c_string", "translated_string")
    _collect(node, source, scope, pieces, quoted=False)
    texts = _expand_braces(pieces.text)
    result = []
    for text in texts:
        for part in text.split(_SPLIT):
            if part or len(texts) == 1 and _SPLIT not in text:
                value = _tilde(part.translate(_MARKS), pieces.quoted)
                result.append(Word(value, pieces.static, pieces.glob, pieces.quoted, tuple(pieces.names)))
    return result or [Word("", pieces.static, False, pieces.quoted, tuple(pieces.names))]


def word_of(node: Node, source: bytes, scope: Scope) -> Word:
    """The one word that a redirection target or an assigned value is; several make it unknown."""
    words = words_of(node, source, scope)
    return words[0] if len(words) == 1 else Word(HOLE, static=False, names=words[0].names)


def _tilde(text: str, quoted: bool) -> str:
    if quoted:
        return text
    assigned = re.match(r"^[\w-]+=(?=~)", text)
    start = assigned.end() if assigned else 0
    return text[:start] + expand_home(text[start:])


def _collect(node: Node, source: bytes, scope: Scope, pieces: _Pieces, quoted: bool) -> None:
    kind = node.type
    if node.child_count > MAX_WORDS:
        pieces.add(HOLE, static=False)
        return
    raw = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    if (
        kind in ("word", "number", "variable_name", "extglob_pattern", "regex", "test_operator", "special_variable_name", "file_descriptor")
        and not node.named_child_count
    ):
        _plain(raw, pieces)
    elif kind == "raw_string":
        pieces.add(raw[1:-1])
    elif kind == "ansi_c_string":
        pieces.add(_ANSI.sub(_ansi, raw[2:-1]))
    elif kind in ("string", "translated_string"):
        _string(node, source, scope, pieces)
    elif kind in ("concatenation", "command_name", "number", "word", "array"):
        for child in node.children:
            _collect(child, source, scope, pieces, quoted)
    elif kind in ("simple_expansion", "expansion"):
        _variable(node, source, scope, pieces, quoted)
    elif kind == "command_substitution":
        _substitution(raw, scope, pieces)
    elif kind in ("arithmetic_expansion", "brace_expression"):
        pieces.add("*", glob=True)
    elif not node.is_named:
        _plain(raw, pieces)
    else:
        pieces.add(HOLE, static=False)


def _plain(raw: str, pieces: _Pieces) -> None:
    out = []
    index = 0
    while index < len(raw):
        char = raw[index]
        index += 1
        if char == "\\" and index < len(raw):
            if raw[index] != "\n":
                out.append(raw[index])
            index += 1
            continue
        if char in "*?[":
            pieces.glob = True
        out.append(char.translate(_BRACES))
    pieces.add("".join(out))


def _ansi(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(min(int(code, 16), 0x10FFFF))
    if match[4]:
        return chr(int(match[4], 8) & 0xFF)
    if match[5]:
        return chr(ord(match[5].upper()) & 0x1F)
    return _ESCAPES.get(match[6], match[6])


def _string(node: Node, source: bytes, scope: Scope, pieces: _Pieces) -> None:
    if node.type == "translated_string":
        for child in node.named_children:
            _collect(child, source, scope, pieces, quoted=True)
        return
    place = node.start_byte + 1
    for child in node.named_children:
        if child.type == "string_content":
            continue
        pieces.add(_unquote(source[place : child.start_byte]))
        _collect(child, source, scope, pieces, quoted=True)
        place = child.end_byte
    pieces.add(_unquote(source[place : node.end_byte - 1]))


def _unquote(raw: bytes) -> str:
    return re.sub(r'\\([$`"\\\n])', lambda match: "" if match[1] == "\n" else match[1], raw.decode("utf-8", "replace"))


def _variable(node: Node, source: bytes, scope: Scope, pieces: _Pieces, quoted: bool) -> None:
    children = node.named_children
    name = source[children[0].start_byte : children[0].end_byte].decode("utf-8", "replace") if children else ""
    if children and children[0].type in ("variable_name", "special_variable_name"):
        pieces.names.append(name)
    if name in ("?", "#", "$", "!", "LINENO", "RANDOM", "SECONDS", "EPOCHSECONDS", "UID", "EUID", "PPID", "BASHPID"):
        pieces.add("*", glob=True)
        return
    value = lookup(name, scope)
    operators = [source[child.start_byte : child.end_byte] for child in node.children if not child.is_named][1:]
    plain = node.type == "simple_expansion" or all(operator in (b"}", b"") for operator in operators) and len(children) == 1
    if (
        value is not None
        and value.text == "*"
        and value.static
        and all(operator in (b"}", b"%", b"%%", b"#", b"##", b"^", b"^^", b",", b",,") for operator in operators)
    ):
        pieces.add("*", glob=True)
    elif value is None or not plain:
        pieces.add(HOLE, static=False)
    else:
        text = value.text if quoted else re.sub(r"[ \t\n]+", _SPLIT, value.text)
        pieces.add(text, value.static, value.glob or not quoted and bool(re.search(r"[*?\[]", value.text)))
        pieces.names.extend(value.names)


def lookup(name: str, scope: Scope) -> Word | None:
    """The value of a variable as far as the script says, or None."""
    if name in scope.variables:
        return scope.variables[name]
    if name == "HOME" and scope.roots.home:
        return Word(scope.roots.home)
    if name == "PWD" and len(scope.cwds) == 1 and scope.cwds[0]:
        return Word(scope.cwds[0])
    return Word(scope.roots.temp) if name in ("TMPDIR", "TMP", "TEMP") else None


def _substitution(raw: str, scope: Scope, pieces: _Pieces) -> None:
    """$(…) whose output is known to be one harmless word is taken as a pattern; any other is not known."""
    text = raw[2:-1].strip() if raw.startswith("$(") else raw[1:-1].strip()
    program = text.split(" ", 1)[0]
    if re.search(r"[|;&<>`$()\n\\]", text) or program not in load_table("programs")["tame_output"].split():
        pieces.add(HOLE, static=False)
    elif program == "pwd" and len(scope.cwds) == 1 and scope.cwds[0]:
        pieces.add(scope.cwds[0])
    elif program == "mktemp":
        pieces.add(scope.roots.temp + "/tmp.*" if text in ("mktemp", "mktemp -d") else HOLE, text in ("mktemp", "mktemp -d"), True)
    elif (
        program == "git"
        and not _TAME_GIT.match(text)
        or program == "date"
        and re.search(r"%[Dxc]|/", text)
        or program == "pwd"
        or program in ("date", "id", "expr")
        and "'" in text
    ):
        pieces.add(HOLE, static=False)
    else:
        pieces.add("*", glob=True)


def _expand_braces(text: str) -> list[str]:
    """{a,b} expanded; more than MAX_RESULTS results are left to be not known."""
    results = [text]
    for _ in range(8):
        grown = [more for item in results for more in _expand_one(item)]
        if grown == results:
            return results
        results = grown
        if len(results) > MAX_RESULTS:
            return [HOLE]
    return results


def _expand_one(text: str) -> list[str]:
    match = re.search(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}", text)
    if match is None:
        return [text]
    if _COMMA not in match[1]:
        return [text[: match.start()] + "{" + match[1] + "}" + text[match.end() :]]
    return [text[: match.start()] + part + text[match.end() :] for part in match[1].split(_COMMA)]
