"""The report of `check`: what a PowerShell script does, construct by construct, without running it.

It says what is written there. It is no permission and no proof: a script may build names and code while it runs, which the report can only point at.
"""
from __future__ import annotations

import base64
import binascii
import re
from typing import Any

import grammar
import tables
import tokenizer
from script import DASHES, Command, Member, Reading, Word
from words import say

MAX_ROWS = 200
MAX_NESTED = 3
_QUIET = ("text", "local")
_FILE_PARAMETERS = ("path", "literalpath", "filepath", "destination", "outfile", "inputobject", "target")
_LOOKS_LIKE_PATH = re.compile(r"^(?:[A-Za-z]:)?[\w .~%$+*?-]*[\\/]|^[~.]{1,2}$|^[\w .+-]*\*?\.[A-Za-z]\w{0,5}$")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{120,}={0,2}")
_TAKES_VALUE = re.compile(r"ex|ep\b|w|ve?\b|ver|o|in|conf|ps|se", re.IGNORECASE)
_SWITCH = re.compile(r"/[A-Za-z?]{1,16}(:|$)")
_SHELLS = ("powershell", "pwsh")


def examine(text: str, level: int = 0) -> dict[str, Any]:
    """The report as data: reader, lines, constructs (line, column, kind, what, text, detail, known), counts, and the lists of what is touched."""
    reading = grammar.read(text) or tokenizer.read(text)
    report = _Report(reading, level)
    report.take_all(text)
    rows = sorted(report.rows, key=lambda row: (row["line"], row["column"]))
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["kind"]] = counts.get(row["kind"], 0) + 1
    return {"reader": reading.reader, "lines": len(text.splitlines()), "counts": counts, "constructs": rows[:MAX_ROWS],
            "constructs_total": len(rows), "permission": False, **{name: sorted(items) for name, items in report.lists.items()}}


def as_text(found: dict[str, Any], name: str, language: str) -> str:
    """The report for a person, without what only shapes text."""
    rows = [row for row in found["constructs"] if row["kind"] not in _QUIET]
    lines = [say("report" if rows else "nothing", language, name=name, lines=found["lines"], count=len(rows))]
    for row in rows:
        detail = f"  ({row['detail']})" if row["detail"] else ""
        lines.append(say("row", language, line=row["line"], kind=say("kind_" + row["kind"], language), what=row["text"], detail=detail))
    if found["constructs_total"] > len(found["constructs"]):
        lines.append(say("shortened", language, limit=MAX_ROWS))
    for title in ("paths", "urls", "registry", "environment", "modules"):
        if found[title]:
            lines.append(say("lists", language, title=say("title_" + title, language), items=", ".join(found[title])))
    return "\n".join(lines)


class _Report:
    def __init__(self, reading: Reading, level: int) -> None:
        self.reading = reading
        self.level = level
        self.rows: list[dict[str, Any]] = []
        self.lists: dict[str, set[str]] = {name: set() for name in ("paths", "urls", "registry", "environment", "modules")}

    def take_all(self, text: str) -> None:
        """Everything that was read, each into its row."""
        for line, column, what in self.reading.faults:
            self._row(line, column, "syntax", what, what)
        for command in self.reading.commands:
            self._command(command)
        for member in self.reading.members:
            self._member(member)
        for line, column, name in self.reading.assigned:
            if name.startswith("env:"):
                self._row(line, column, "environment", "set " + name, f"${name} = …")
        for line, column, name in [*self.reading.variables, *self.reading.assigned]:
            if name.startswith("env:"):
                self.lists["environment"].add(name[4:].upper())
                if tables.SECRET_NAME.search(name):
                    self._row(line, column, "secret", "read " + name, "$" + name)
        for line, column, value in self.reading.strings:
            self._string(line, column, value)
        for found in re.finditer(r"^[ \t]*#requires[ \t]+-runasadministrator", text, re.IGNORECASE | re.MULTILINE):
            self._row(text.count("\n", 0, found.start()) + 1, 1, "system", "runs as administrator", found[0].strip())

    def _row(self, line: int, column: int, kind: str, what: str, text: str, detail: str = "", known: bool = True) -> None:
        short = " ".join(text.split())
        self.rows.append({"line": line, "column": column, "kind": kind, "what": what, "text": short[:160] + ("…" if len(short) > 160 else ""),
                          "detail": detail, "known": known})

    # --- commands ---

    def _command(self, command: Command) -> None:
        if not command.words or (command.words[0].kind == "block" and command.invoked):
            return
        text = " ".join(word.text for word in command.words)
        self._touched(command)
        if command.words[0].value is None:
            self._add(command, "execute", "?", f"{command.invoked} {text}".strip(), "the name is made at run time")
            return
        name = _plain_name(command.words[0].value)
        target = tables.ALIASES.get(name, name)
        kind, detail, known = self._judge(command, name, target)
        if target != name:
            detail = ", ".join(part for part in (target, detail) if part)
        self._add(command, kind, target, text, detail, known)
        for word in command.targets:
            if word.value is None or word.value.lower() not in ("$null", "nul", "/dev/null"):
                self._add(command, "write", ">", f"> {word.text}")
        if target.removesuffix(".exe") in _SHELLS or (target == "invoke-expression" and kind != "local"):
            self._nested(command)

    def _add(self, command: Command, kind: str, what: str, text: str, detail: str = "", known: bool = True) -> None:
        self._row(command.line, command.column, kind, what, text, detail, known)

    def _judge(self, command: Command, name: str, target: str) -> tuple[str, str, bool]:
        """Kind, remark, and whether the tables know the command."""
        if name in self.reading.functions:
            return "local", "", True
        if name == "using":
            return ("text" if command.words[1:2] and command.words[1].text.lower() == "namespace" else "module"), "", True
        if target in tables.CMDLETS:
            return *self._judge_cmdlet(command, target, tables.CMDLETS[target]), True
        if name.endswith((".ps1", ".psm1")) or (command.invoked == "." and not name.startswith("-")):
            return "execute", "another script", True
        return self._judge_program(command, name)

    def _judge_program(self, command: Command, name: str) -> tuple[str, str, bool]:
        program = name.replace("\\", "/").rsplit("/", 1)[-1]
        short = program.removesuffix(".exe")
        kind = tables.PROGRAMS.get(program) or tables.PROGRAMS.get(short)
        if short in _SHELLS:
            kind = "encoded" if _encoded(command) else "execute"
        if kind:
            return kind, "program", True
        kind = tables.kind_of_unknown(name)
        return kind, "program" if kind == "process" else "not in the tables; judged by its verb", False

    def _judge_cmdlet(self, command: Command, target: str, kind: str) -> tuple[str, str]:
        values = [word.value or "" for word in command.words[1:]]
        if target == "new-object":
            return self._judge_object(values)
        if target == "invoke-expression":
            return kind, "runs what flows in" if command.piped else ""
        if target in ("invoke-webrequest", "invoke-restmethod") and any(_is(word, "outfile", 1) for word in command.words):
            return "download", ""
        if kind == "module":
            self.lists["modules"].update(value for word, value in zip(command.words[1:], values, strict=True) if value and word.kind != "parameter")
        if kind in ("read", "write", "delete"):
            closer = _closer_kind(values)
            return (closer, kind) if closer else (kind, "")
        return kind, ""

    def _judge_object(self, values: list[str]) -> tuple[str, str]:
        named = [value.lower().removeprefix("system.") for value in values]
        if any(value[1:].startswith("com") and value[:1] in DASHES for value in named):
            return "execute", "COM object"
        if any(value.startswith("net.") for value in named):
            return "network", ""
        return "text", ""

    def _touched(self, command: Command) -> None:
        """Paths, addresses and registry keys among the arguments."""
        name = _plain_name(command.words[0].value or "")
        kind = tables.CMDLETS.get(tables.ALIASES.get(name, name), "")
        expected = kind in ("read", "write", "delete")
        before: Word | None = None
        for word in [*command.words[1:], *command.targets]:
            value = word.value
            named = before is not None and any(_is(before, name) for name in _FILE_PARAMETERS)
            if not kind and _SWITCH.match(word.text):
                continue
            if value is None:
                if named and word.kind != "block":
                    self.lists["paths"].add(word.text)
            elif tables.REGISTRY_PATH.search(value):
                self.lists["registry"].add(value)
            elif tables.URL.search(value):
                self.lists["urls"].add(value)
            elif word.kind != "parameter" and not value.lower().startswith("env:") and (
                    word in command.targets or named or (expected and before is None) or _LOOKS_LIKE_PATH.search(value)):
                self.lists["paths"].add(value)
            before = word

    def _nested(self, command: Command) -> None:
        """The script inside `powershell -Command "…"`, `-EncodedCommand …` or `iex "…"`, which is read as well."""
        encoded = _encoded(command)
        inner = _decoded(encoded) if encoded else " ".join(_inner_words(command))
        if encoded and inner:
            self._add(command, "encoded", "decoded", inner, "what the encoded command says")
        if not inner or self.level >= MAX_NESTED:
            return
        found = examine(inner, self.level + 1)
        for row in found["constructs"]:
            self.rows.append({**row, "line": command.line, "column": command.column, "detail": ", ".join(filter(None, (row["detail"], "inside")))})
        for name, items in self.lists.items():
            items.update(found[name])

    # --- calls and strings ---

    def _member(self, member: Member) -> None:
        kind = tables.kind_of_call(member.owner, member.name)
        text = f"[{member.owner}]::{member.name}" if member.owner else f".{member.name}"
        if kind:
            self._row(member.line, member.column, kind, text, f"{text}({member.arguments})", "call of .NET")
            literal = re.match(r"['\"]([^'\"$]+)['\"]", member.arguments)
            if literal and kind in ("read", "write", "delete", "download") and not tables.URL.search(literal[1]):
                self.lists["paths"].add(literal[1])

    def _string(self, line: int, column: int, value: str) -> None:
        self.lists["urls"].update(match[0] for match in tables.URL.finditer(value))
        if tables.REGISTRY_PATH.search(value):
            self.lists["registry"].add(value)
        if _BASE64.search(value):
            self._row(line, column, "encoded", "base64", value, "a long text that looks encoded")


def _closer_kind(values: list[str]) -> str:
    """What kind of place a file cmdlet is used on, when it is no ordinary file."""
    if any(tables.REGISTRY_PATH.search(value) for value in values):
        return "registry"
    if any(value.lower().startswith("env:") for value in values):
        return "environment"
    return "secret" if any(tables.SECRET_PATH.search(value) for value in values) else ""


def _plain_name(value: str) -> str:
    """Lower case, without the module in front."""
    qualified = re.fullmatch(r"[\w.]+\\([A-Za-z]+-\w+)", value)
    return (qualified[1] if qualified else value).lower()


def _is(word: Word, parameter: str, least: int = 2) -> bool:
    """Whether a word is this parameter, possibly shortened."""
    name = word.text[1:].rstrip(":").lower()
    return word.kind == "parameter" and len(name) >= least and parameter.startswith(name)


def _encoded(command: Command) -> str:
    """The value of -EncodedCommand in any of its spellings, "" for none."""
    for before, word in zip(command.words, command.words[1:], strict=False):
        name = before.text[1:].rstrip(":").lower()
        if before.text[:1] in DASHES + "/" and name and ("encodedcommand".startswith(name) or name == "ec") and word.value:
            return word.value
    return ""


def _inner_words(command: Command) -> list[str]:
    """The words that are the inner script: no parameters, and not the value of -ExecutionPolicy and the like."""
    found: list[str] = []
    before = ""
    for word in command.words[1:]:
        if word.value and word.value[:1] not in DASHES and not _TAKES_VALUE.match(before[1:]):
            found.append(word.value)
        before = word.text if word.kind == "parameter" else ""
    return found


def _decoded(encoded: str) -> str:
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-16-le")
    except (binascii.Error, ValueError):
        return ""
