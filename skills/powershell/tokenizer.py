"""Reads a PowerShell script without any library: statements, commands, calls, blocks in blocks. It is lenient and never raises."""
from __future__ import annotations

import re

from script import DASHES, Command, Member, Reading, Word, bare_value, quoted_value

MAX_DEPTH = 60
_SKIPPED_WORDS = frozenset((
    "if", "elseif", "else", "while", "for", "foreach", "switch", "until", "do", "try", "catch", "finally", "trap", "return", "throw", "exit", "break",
    "continue", "param", "begin", "process", "end", "dynamicparam", "clean", "in", "parallel", "sequence", "inlinescript", "default", "hidden",
    "static"))
_BLANK = re.compile(r"(?:[ \t\r\f\v\u00a0]|`\r?\n|<#.*?(?:#>|\Z))+", re.DOTALL)
_SPACE = re.compile(r"(?:\s|;|`\r?\n|<#.*?(?:#>|\Z)|#[^\n]*)+", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_VARIABLE = re.compile(r"[$@](?:\{([^}]*)\}|(?:(\w+):)?(\w+)|[$?^])")
_HERE = re.compile(r"@(['\"])[ \t]*\r?\n(.*?)\r?\n\1@", re.DOTALL)
_SINGLE = re.compile(r"['\u2018\u2019](?:[^'\u2018\u2019]|'')*['\u2018\u2019]")
_DOUBLE = "\"\u201c\u201d"
_ASSIGN = re.compile(r"\s*(?:[-+*/%]|\?\?)?=(?!=)")
_REDIRECT = re.compile(r"(?:[1-6*]?>>?|<)(?:&[12])?")
_CLOSERS = {"(": ")", "{": "}", "[": "]"}


class Tokenizer:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.found = Reading("tokenizer")

    def read(self) -> Reading:
        """All of the script; a bracket too many is noted and passed over."""
        while self.at < len(self.text):
            self._statements("")
            if self.at < len(self.text):
                self._fault(self.text[self.at])
                self.at += 1
        return self.found

    # --- places ---

    def _place(self, at: int) -> tuple[int, int]:
        return self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)

    def _fault(self, what: str) -> None:
        self.found.faults.append((*self._place(min(self.at, len(self.text) - 1)), what))

    def _peek(self) -> str:
        return self.text[self.at:self.at + 1]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    # --- statements ---

    def _statements(self, closer: str, style: str = "") -> None:
        """Up to the closing bracket, which is left for the caller. `style`: hash, class or switch, where a bare word is no command."""
        piped = False
        while self.at < len(self.text):
            self._match(_SPACE)
            char = self._peek()
            if not char or char in ")}]":
                return
            if char == "|" or self.text.startswith("&&", self.at):
                piped = char == "|" and not self.text.startswith("||", self.at)
                self.at += 1 if piped else 2
                continue
            start = self.at
            self._statement(style, piped)
            piped = False
            if self.at == start:
                self.at += 1

    def _statement(self, style: str, piped: bool) -> None:
        char, rest = self._peek(), self.text[self.at:self.at + 3]
        if char in "&." and re.match(r"[&.](\s|['\"$({\u201c]|\.?[\\/])", rest) and not re.match(r"\.\.?[\\/]", rest):
            self._command(piped, char)
        elif char in "$@([{'\"+,!=<>?:0123456789" + _DOUBLE + DASHES and not re.match(r"\?(\s|\{)", rest):
            self._expression()
        else:
            word = _NAME.match(self.text, self.at)
            name = word[0].lower() if word else ""
            if word and not re.match(r"[\\/.:]\w", self.text[word.end():word.end() + 2]) and self._keyword(name, word, style):
                return
            self._command(piped, "")

    def _keyword(self, name: str, word: re.Match[str], style: str) -> bool:
        """Whether the word is no command, in which case it has been passed."""
        after = self.text[word.end():word.end() + 200]
        if style == "hash" and re.match(r"\s*=", after):
            self.at = word.end() + re.match(r"\s*=", after).end()  # type: ignore[union-attr]
        elif style == "class" or (style == "switch" and re.match(r"\s*\{", after)):
            self.at = word.end()
        elif name in ("function", "filter", "workflow", "configuration"):
            self.at = word.end()
            self._match(_BLANK)
            named = self._match(re.compile(r"[^\s({]+"))
            self.found.functions.add((named[0] if named else "").lower().split(":")[-1])
        elif name in ("class", "enum"):
            head = re.compile(r"[^{\n]*\s*").match(self.text, word.end())
            self.at = head.end() if head else word.end()
            if self._peek() == "{":
                self._bracket("class")
        elif name == "using" and re.match(r"\s+namespace\b", after, re.IGNORECASE):
            self.at = word.end() + len(after.split("\n")[0])
        elif name == "switch":
            self.at = word.end()
            self._switch()
        elif name in _SKIPPED_WORDS and not (name == "foreach" and re.match(r"\s*[-{]", after)) and not (name == "process" and after[:1] == "."):
            self.at = word.end()
        else:
            return False
        return True

    def _switch(self) -> None:
        while self.at < len(self.text):
            self._match(_SPACE)
            if self._peek() == "(":
                self._bracket("")
            elif self._peek() == "{":
                self._bracket("switch")
                return
            elif not self._match(re.compile(r"[-\w.$\\/:]+")):
                return

    # --- brackets, strings ---

    def _bracket(self, style: str) -> None:
        """From an opening bracket to behind its closing one, reading what is inside."""
        closer = _CLOSERS[self._peek()]
        self.at += 1
        if self.depth >= MAX_DEPTH:
            self._fault("nested too deep")
            self.at = len(self.text)
            return
        self.depth += 1
        self._statements(closer, style)
        self.depth -= 1
        if self._peek() == closer:
            self.at += 1
        else:
            self._fault(f"{closer} is missing")

    def _string(self) -> str:
        """A quoted string or here-string; $(…) in it is read as statements."""
        start = self.at
        here = self._match(_HERE)
        single = None if here else self._match(_SINGLE)
        if here and here[1] == '"':
            self._inside(here.start(2), here.end(2))
        elif not here and not single:
            self._double()
        text = self.text[start:self.at]
        value = quoted_value(text)
        self.found.strings.append((*self._place(start), text if value is None else value))
        return text

    def _double(self) -> None:
        self.at += 1
        while self.at < len(self.text):
            char = self._peek()
            if char == "`":
                self.at += 2
            elif char in _DOUBLE:
                self.at += 1
                if self._peek() not in _DOUBLE or not self._peek():
                    return
                self.at += 1
            else:
                self._part()
        self._fault("a string is not closed")

    def _inside(self, start: int, end: int) -> None:
        back, self.at = self.at, start
        while self.at < end:
            self.at += 1 if self._peek() == "`" else 0
            self._part()
        self.at = max(back, self.at)

    def _part(self) -> None:
        """One character, variable or $(…) of an expandable string."""
        if self.text.startswith("$(", self.at):
            self.at += 1
            self._bracket("")
        elif not (self._peek() == "$" and self._variable()):
            self.at += 1

    def _variable(self) -> bool:
        start = self.at
        found = self._match(_VARIABLE)
        if found:
            name = found[1] or (f"{found[2]}:{found[3]}" if found[2] else found[3] or "")
            rows = self.found.assigned if _ASSIGN.match(self.text, self.at) else self.found.variables
            rows.append((*self._place(start), name.lower()))
        return bool(found)

    # --- expressions ---

    def _expression(self) -> None:
        """Up to the end of the line, a pipe, a closing bracket, or an assignment, after which a statement begins."""
        owner = ""
        while self.at < len(self.text):
            self._match(_BLANK)
            char, two = self._peek(), self.text[self.at:self.at + 2]
            if not char or char in "\n;|)}]" or two == "&&":
                return
            if char == "#":
                self._match(re.compile(r"[^\n]*"))
                return
            if char == "=" and two != "==":
                self.at += 1
                return
            if re.match(r"in\s", self.text[self.at:self.at + 3], re.IGNORECASE):
                self.at += 2
                return
            owner = self._primary(char, two, owner)

    def _primary(self, char: str, two: str, owner: str) -> str:
        """One piece of an expression; the value is the type's name when it was one."""
        if _HERE.match(self.text, self.at) or char in "'\u2018\u2019" + _DOUBLE:
            self._string()
        elif two in ("@{", "@(", "$("):
            self.at += 1
            self._bracket("hash" if two == "@{" else "")
        elif char in "({":
            self._bracket("")
        elif char == "[":
            return self._type()
        elif char in "$@" and self._variable():
            pass
        elif two == "::" or (char in ".?" and re.match(r"\??\.[\w$'\"]", self.text[self.at:self.at + 3])):
            self._member(owner)
        elif not self._match(re.compile(rf"[{DASHES}]\w+|\w+")):
            self.at += 1
        return ""

    def _type(self) -> str:
        """A type literal gives its name; an attribute or an index is read for what is inside."""
        start = self.at
        found = re.compile(r"\[\s*([\w.+,`\[\] ]*?)\s*\]+(?=[^\]])|\[\s*([\w.+,`\[\] ]*?)\s*\]+\Z").match(self.text, self.at)
        name = (found[1] or found[2] or "") if found else ""
        if found and re.match(r"[A-Za-z_]", name):
            self.at = found.end()
            self.found.types.append((*self._place(start), name.lower()))
            return name.lower()
        attribute = self._match(re.compile(r"\[\s*[A-Za-z_][\w.]*(?=\()"))
        if attribute:
            self._bracket("hash")
            if not self._match(re.compile(r"\s*\]")):
                self._fault("] is missing")
        else:
            self._bracket("")
        return ""

    def _member(self, owner: str) -> None:
        start = self.at
        self._match(re.compile(r"::|\??\."))
        name = self._match(re.compile(r"\w+|'[^']*'|\"[^\"]*\"|\$\w+"))
        text = name[0].strip("'\"") if name else ""
        if self._peek() == "(":
            begin = self.at
            self._bracket("")
            self.found.members.append(Member(*self._place(start), owner, text.lower(), self.text[begin + 1:self.at - 1].strip()))
        elif owner:
            self.found.members.append(Member(*self._place(start), owner, text.lower(), ""))

    # --- commands ---

    def _command(self, piped: bool, invoked: str) -> None:
        start = self.at
        command = Command(*self._place(start), invoked=invoked, piped=piped)
        self.at += len(invoked)
        self.found.commands.append(command)
        while self.at < len(self.text):
            self._match(_BLANK)
            char = self._peek()
            if not char or char in "\n;|)}" or char == "&" or (char == "#" and command.words):
                break
            if char == ",":
                self.at += 1
                self._match(re.compile(r"\s+"))
            elif self.text.startswith("--%", self.at) and command.words:
                rest = self._match(re.compile(r"--%([^\n|]*)"))
                command.words.append(Word(rest[0], rest[1].strip(), "string") if rest else Word("", ""))
            elif not self._redirection(command):
                command.words.append(self._word())
        if not command.words:
            self.found.commands.remove(command)

    def _redirection(self, command: Command) -> bool:
        found = self._match(_REDIRECT)
        if found and "&" not in found[0]:
            self._match(_BLANK)
            if self._peek() not in ("", "\n", ";", "|", ")", "}"):
                command.targets.append(self._word())
        return bool(found)

    def _word(self) -> Word:
        """One argument, with the members and brackets that hang on it."""
        start = self.at
        kind = ""
        while self.at < len(self.text):
            char, two = self._peek(), self.text[self.at:self.at + 2]
            here = _HERE.match(self.text, self.at)
            if char.isspace() or (char in ";|)},&" and char) or (char == "`" and self.text[self.at + 1:self.at + 2] in "\r\n"):
                break
            if here or char in "'\u2018\u2019" + _DOUBLE:
                self._string()
                kind = kind or "string"
                continue
            if char in "({" or two in ("@(", "@{", "$("):
                if kind == "bare" and char == "(" and self.text[self.at - 1] not in ".:":
                    break
                self.at += two[0] in "@$"
                self._bracket("hash" if two == "@{" else "")
                kind = kind or ("block" if char == "{" else "expression")
            elif char == "[" and not kind:
                self._type()
                kind = "expression"
            elif char in "$@" and self._variable():
                kind = kind or "expression"
            elif kind in ("expression", "block") and (two == "::" or (char == "." and re.match(r"\.\w", two))):
                self._member("")
            elif kind == "parameter" and char == ":":
                self.at += 1
                break
            else:
                kind = kind or ("parameter" if char in DASHES and re.match(r".[A-Za-z?]", two) else "bare")
                self.at += 2 if char == "`" else 1
        if self.at == start:
            self.at += 1
        text = self.text[start:self.at]
        whole = kind == "string" and (_SINGLE.fullmatch(text) or _HERE.fullmatch(text) or text[-1] in _DOUBLE and text[0] in _DOUBLE)
        value = quoted_value(text) if whole else None if kind in ("expression", "block") else bare_value(text)
        return Word(text, value, kind or "bare")


def read(text: str) -> Reading:
    """What the script holds, found by this tokenizer."""
    return Tokenizer(text).read()
