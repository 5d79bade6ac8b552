"""Reads a cmd.exe line with its own tokenizer: carets stripped, quotes joined, split on & | && || and parentheses."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from core.guard.cmd_builtins import BUILTINS
from core.guard.programs import secret_name
from core.guard.scope import MAX_DEPTH, Scope, TooMuch
from core.guard.windows import program
from core.guard.words import HOLE, Call, Stdin, Word
from core.guard.wrappers import script_file

_VARIABLE = re.compile(r"%(~[a-zA-Z$:]*)?([^%\s:&|<>]+)(:[^%]*)?%|%%?~?[a-zA-Z0-9*](?![\w])|!([^!\s&|<>]+)!")
MAX_TOKENS = 800
MAX_LINE = 8191  # what cmd.exe accepts
_TAME = ("date", "time", "random", "errorlevel", "cd", "number_of_processors", "computername", "username")
_HOMES = {"userprofile": "", "homepath": "", "appdata": "/AppData/Roaming", "localappdata": "/AppData/Local"}
_SYSTEM = {
    "systemroot": "C:/Windows",
    "windir": "C:/Windows",
    "systemdrive": "C:",
    "programfiles": "C:/Program Files",
    "programdata": "C:/ProgramData",
    "comspec": "cmd",
    "temp": "C:/Temp",
    "tmp": "C:/Temp",
}
_QUIET = frozenset(
    [
        "cls",
        "color",
        "title",
        "pause",
        "timeout",
        "choice",
        "exit",
        "goto",
        "setlocal",
        "endlocal",
        "shift",
        "verify",
        "break",
        "chcp",
        "mode",
        "ver",
        "vol",
        "prompt",
        "help",
    ]
)


@dataclass
class _Token:
    """A word, an operator, or a redirection with its target."""

    text: str
    kind: str
    start: int
    end: int
    static: bool = True
    quoted: bool = False
    names: list[str] = field(default_factory=list)


def walk(text: str, scope: Scope) -> None:
    """Record what the line, or the lines of a batch file, meet."""
    try:
        if max(map(len, text.split("\n"))) > MAX_LINE:
            raise TooMuch
        tokens = _tokens(text, scope)
        _Line(tokens, scope).run()
    except (TooMuch, RecursionError):
        scope.add("parse.limit", Call((Word(""),), 0, len(text)))


def _tokens(text: str, scope: Scope) -> list[_Token]:
    tokens: list[_Token] = []
    index = 0
    while index < len(text):
        if len(tokens) > MAX_TOKENS:
            raise TooMuch
        char = text[index]
        if char in " \t,;=" and not (char == "=" and tokens):
            index += 1
        elif char in "\r\n":
            tokens.append(_Token("&", "operator", index, index + 1))
            index += 1
        elif char in "&|":
            double = text[index : index + 2] == char * 2
            tokens.append(_Token(char * (2 if double else 1), "operator", index, index + 1 + double))
            index += 1 + double
        elif char in "()":
            tokens.append(_Token(char, "operator", index, index + 1))
            index += 1
        elif char in "<>" or char.isdigit() and text[index + 1 : index + 2] in ("<", ">") and (not index or text[index - 1] in " \t&|("):
            index = _redirection(text, index, tokens)
        else:
            index = _word(text, index, tokens, scope)
    return tokens


def _redirection(text: str, index: int, tokens: list[_Token]) -> int:
    match = re.compile(r"\d?(>>|>|<)(&\d)?").match(text, index)
    assert match is not None
    kind = "dup" if match[2] else "append" if match[1] == ">>" else "input" if match[1] == "<" else "output"
    tokens.append(_Token(match[0], kind, index, match.end()))
    return match.end()


def _word(text: str, start: int, tokens: list[_Token], scope: Scope) -> int:
    """One word: ^ escapes outside quotes, quotes join, variables are holes unless they are known."""
    out: list[str] = []
    token = _Token("", "word", start, start)
    index, quoted = start, False
    while index < len(text):
        char = text[index]
        if char == "^" and not quoted:
            index += 1
            if index < len(text) and text[index] not in "\r\n":
                out.append(text[index])
            index += 1
            continue
        if char == '"':
            quoted = not quoted
            token.quoted = True
            index += 1
            continue
        if not quoted and char in " \t\r\n&|()<>;," or char in "\r\n":
            break
        match = _VARIABLE.match(text, index) if char in "%!" else None
        if match:
            out.append(_value(match, token, scope))
            index = match.end()
            continue
        out.append(char)
        index += 1
    token.text, token.end = "".join(out), index
    token.static = HOLE not in token.text
    tokens.append(token)
    return max(index, start + 1)


def _value(match: re.Match[str], token: _Token, scope: Scope) -> str:
    name = (match[2] or match[4] or "").lower()
    token.names.append(name or match[0])
    if match[3]:
        return HOLE
    known = scope.variables.get("%" + name)
    if known is not None and known.static:
        return known.text
    if name in _HOMES:
        return "C:/Users/user" + _HOMES[name]
    if name in _TAME:
        return "." if name == "cd" else "1"
    return _SYSTEM.get(name, HOLE)


class _Line:
    def __init__(self, tokens: list[_Token], scope: Scope) -> None:
        self.tokens, self.scope = tokens, scope
        self.closed = False

    def run(self) -> None:
        group: list[_Token] = []
        piped: Stdin | None = None
        depth = 0
        for token in [*self.tokens, _Token("&", "operator", 0, 0)]:
            if token.kind == "operator":
                depth += {"(": 1, ")": -1}.get(token.text, 0)
                if depth > MAX_DEPTH:
                    raise TooMuch
                before = self.scope.cwds
                self.command(group, piped)
                if token.text not in ("&&",) and self.scope.cwds != before:
                    self.scope.join(before)
                self.closed = token.text == ")"
                piped = Stdin(remote=self.scope.report.sends) if token.text == "|" else None
                group = []
            else:
                group.append(token)

    def command(self, tokens: list[_Token], piped: Stdin | None) -> None:
        """One simple command with its redirections."""
        words: list[Word] = []
        redirects: list[tuple[str, Word]] = []
        waiting = ""
        for token in tokens:
            if token.kind in ("output", "append", "input"):
                waiting = token.kind
            elif token.kind == "word":
                word = Word(token.text, token.static, bool(re.search(r"[*?]", token.text)), token.quoted, tuple(token.names))
                if waiting:
                    redirects.append((waiting, word))
                    waiting = ""
                else:
                    words.append(word)
        if not tokens:
            return
        if words and words[0].text.startswith("@"):
            words[0] = Word(words[0].text.lstrip("@"), words[0].static, names=words[0].names)
            words = [word for word in words if word.text]
        call = Call(tuple(words) or (Word(":"),), tokens[0].start, tokens[-1].end, piped)
        for kind, word in redirects:
            self.redirect(kind, word, call, bare=not words and not self.closed)
        if words:
            self.simple(call, _raw(tokens))

    def redirect(self, kind: str, word: Word, call: Call, *, bare: bool) -> None:
        if kind == "input":
            self.scope.read(call, word)
        elif not word.static:
            self.scope.add("overwrite.dynamic", call, word.text)
        elif word.text.lower() != "nul":
            self.scope.write(call, word)
            quiet = call.name.lower() in ("rem", "type", "echo.", "cd.", "break", "cls.") and (
                call.name.lower() != "type" or [w.text.lower() for w in call.arguments] == ["nul"]
            )
            if kind == "output" and (bare or quiet or re.search(r"\.(db|sqlite3?|mdb|accdb)$", word.text, re.I)):
                self.scope.add("overwrite.truncate", call, word.text)

    def simple(self, call: Call, raw: str) -> None:
        """A command without redirections; built-ins first."""
        scope = self.scope
        first = call.words[0]
        for word in call.words:
            for name in word.names:
                if secret_name(name):
                    scope.add("secret.env", call, name)
        if first.text[:1] == ":" or first.text.lower() == "rem":
            return
        if first.names:
            scope.add("dynamic.command", call, first.text)
        if not first.static:
            scope.count(call)
            return
        name = first.text.lower()
        glued = re.match(r"^(cd|chdir|md|mkdir|rd|rmdir|del|erase|dir|type|copy|move|ren|echo|set|cls|exit|pushd|popd)([.\\:].*)$", name)
        if glued and not re.search(r"\.(exe|bat|cmd|com)$", name):
            name = glued[1]
            call = Call((Word(name), *([Word(first.text[len(name) :])] if name != "echo" else []), *call.arguments), call.start, call.end, call.stdin)
        switch = re.match(r"^([^/\\:]+)(/.*)$", first.text)
        if switch and not glued:
            name = switch[1].lower()
            call = Call((Word(switch[1], names=first.names), Word(switch[2]), *call.arguments), call.start, call.end, call.stdin)
        if re.fullmatch(r"[a-z]:", name):
            scope.move(Word(name + "/"))
            return
        builtin = BUILTINS.get(name)
        if name in _QUIET:
            scope.count(call)
        elif builtin is not None:
            scope.count(call)
            builtin(call, scope, raw)
        elif name in ("if", "for", "else", "call", "start", "do"):
            self.compound(name, call)
        elif re.search(r"\.(bat|cmd)$", name):
            scope.count(call)
            script_file(first, call, scope)
        else:
            program(call, scope)

    def compound(self, name: str, call: Call) -> None:
        """Words that come before another command."""
        words = list(call.arguments)
        scope = self.scope
        if name == "for":
            scope.add("dynamic.command", call, "for")
            place = next((i for i, word in enumerate(words) if word.text.lower() == "do"), None)
            words = words[place + 1 :] if place is not None else []
        elif name == "if":
            words = _condition(words)
        elif name == "start":
            scope.add("unknown.program", call, "start")
            words = [word for index, word in enumerate(words) if not (word.text.startswith("/") or index == 0 and (word.quoted or not word.text))]
        elif name == "call" and words and words[0].text.startswith(":"):
            return
        if words:
            scope.count(call)
            self.simple(call.inner(tuple(words)), " ".join(word.text for word in words))


def _raw(tokens: list[_Token]) -> str:
    return " ".join(token.text for token in tokens if token.kind == "word")


def _condition(words: list[Word]) -> list[Word]:
    """The command after an if condition."""
    index = 0
    while index < len(words) and words[index].text.lower() in ("/i", "not"):
        index += 1
    if index >= len(words):
        return []
    head = words[index].text.lower()
    if head in ("exist", "defined", "errorlevel", "cmdextversion"):
        return words[index + 2 :]
    if "==" in head:
        return words[index + (2 if head.endswith("==") and not words[index].quoted else 1) :]
    if index + 1 < len(words) and words[index + 1].text.startswith("=="):
        return words[index + (2 if len(words[index + 1].text) > 2 else 3) :]
    return (
        words[index + 3 :]
        if index + 1 < len(words) and words[index + 1].text.lower() in ("equ", "neq", "lss", "leq", "gtr", "geq")
        else words[index + 1 :]
    )
