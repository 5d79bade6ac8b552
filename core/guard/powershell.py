"""Reads a PowerShell script through tree-sitter-powershell: commands, members, static .NET calls, assignments, redirections."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from core.guard.posix import new_parser, parse
from core.guard.programs import secret_name
from core.guard.ps_cmdlets import run_cmdlet
from core.guard.ps_values import Values, aliases, kinds, repaired
from core.guard.scope import MAX_DEPTH, MAX_WORDS, Scope, TooMuch
from core.guard.verdict import load_table, words_in
from core.guard.windows import program
from core.guard.words import HOLE, Call, Stdin, Word
from core.guard.wrappers import assign, script_file

if TYPE_CHECKING:
    from tree_sitter import Language, Node

_LEVELS = frozenset(
    ("script_block_expression", "statement_block", "sub_expression", "parenthesized_expression", "array_expression", "hash_literal_expression")
)
_REDIRECT = re.compile(r"^([\d*])?(>>?)(.*)$")
MAX_REPAIR = 8192
_LISTERS = ("get-childitem", "get-item", "select-string", "resolve-path")
_FILTERS = ("where-object", "select-object", "sort-object")


@functools.cache
def _language() -> Language:
    import tree_sitter
    import tree_sitter_powershell

    return tree_sitter.Language(tree_sitter_powershell.language())


def walk(text: str, scope: Scope) -> None:
    """Record what the script meets."""
    whole = Call((Word(""),), 0, len(text))
    try:
        parser = new_parser(_language())
    except ImportError:
        scope.add("parse.missing", whole, text)
        return
    source = text.encode("utf-8")
    root = parse(parser, source)
    if root is not None and len(text) <= MAX_REPAIR and broken(root):
        changed = repaired(text).encode("utf-8")
        again = parse(parser, changed) if changed != source else root
        if again is not None and not broken(again):
            source, root = changed, again
    if root is None:
        scope.add("parse.limit", whole)
        return
    if broken(root):
        scope.add("parse.error", whole, text[:80])
    try:
        _Reader(source, scope, text).visit(root)
    except (TooMuch, RecursionError):
        scope.add("parse.limit", whole)


def broken(root: Node) -> bool:
    """Whether the tree holds an error; a separator that the grammar supplies before a comma is none."""
    if not root.has_error:
        return False
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "ERROR" or node.child_count > 2 * MAX_WORDS:
            return True
        if node.is_missing and (node.parent is None or node.parent.type != "command_argument_sep"):
            return True
        stack.extend(child for child in node.children if child.has_error or child.is_missing)
    return False


class _Reader:
    def __init__(self, source: bytes, scope: Scope, text: str) -> None:
        self.source, self.scope, self.text = source, scope, text
        self.values = Values(source, scope)
        self.level = 0
        self.flow: Stdin | None = None

    def call(self, words: list[Word], node: Node) -> Call:
        """Offsets are those of the text that was given; where a repair moved them the whole text is named."""
        if self.source == self.text.encode("utf-8"):
            start, end = (len(self.source[:place].decode("utf-8", "ignore")) for place in (node.start_byte, node.end_byte))
        else:
            start, end = 0, len(self.text)
        return Call(tuple(words) or (Word(":"),), start, end, self.flow)

    def visit(self, node: Node) -> None:
        kind = node.type
        self.scope.step(node.child_count if kind == "command_elements" else 0)
        levels = kind in _LEVELS
        self.level += levels
        if self.level > MAX_DEPTH * 2:
            raise TooMuch
        handler = getattr(self, "on_" + kind, None)
        if handler is not None:
            handler(node)
        else:
            self.children(node)
        self.level -= levels

    def children(self, node: Node) -> None:
        for child in node.children:
            if child.child_count or child.type in ("variable", "expandable_string_literal"):
                self.visit(child)

    def on_pipeline_chain(self, node: Node) -> None:
        """Stages joined by |: what the next one reads."""
        before = self.flow
        stages = [child for child in node.children if child.is_named]
        for index, stage in enumerate(stages):
            if index == 0:
                self.flow = before if stage.type == "command" and len(stages) == 1 else None
            self.visit(stage)
            if len(stages) > 1:
                self.flow = self.output(stage, self.flow)
        self.flow = before

    def output(self, stage: Node, before: Stdin | None) -> Stdin:
        if stage.type != "command":
            word = self.values.word(stage)
            return Stdin(word.text if word.static else None, remote=self.scope.report.sends)
        name = self.cmdlet(stage)
        inherited = before is not None and before.names and name in _FILTERS
        elements = self.elements(stage)
        names = (
            inherited
            or name in _LISTERS
            and all(self.scope.zones(word) <= {"workspace"} for word in self.values.arguments(elements).positional if word.static)
        )
        return Stdin(remote=self.scope.report.sends, names=names)

    def cmdlet(self, node: Node) -> str:
        named = node.child_by_field_name("command_name")
        name = self.values.word(named).text.lower() if named is not None else ""
        return aliases().get(name, name)

    def elements(self, node: Node) -> list[Node]:
        holder = node.child_by_field_name("command_elements")
        if holder is None:
            return []
        self.scope.step(holder.child_count)
        return [
            child
            for child in holder.children
            if child.is_named
            and child.type not in ("command_argument_sep", "redirection")
            and not (child.type == "generic_token" and _REDIRECT.match(self.values.raw(child)))
        ]

    def on_command(self, node: Node) -> None:
        named = node.child_by_field_name("command_name")
        if named is None:
            self.children(node)
            return
        operator = next((self.values.raw(child) for child in node.children if child.type == "command_invokation_operator"), "")
        word = self.values.word(named)
        elements = self.elements(node)
        arguments = self.values.arguments(elements)
        call = self.call([word, *arguments.words], node)
        self.redirects(node, call)
        for child in node.children:
            if child.type in ("command_elements", "command_name_expr"):
                flow, self.flow = self.flow, None
                self.children(child)
                self.flow = flow
        block = named.type == "command_name_expr" and self.values.raw(named).startswith("{")
        if block:
            return
        if not word.static or word.names and operator or re.search(r"[*?]", word.text) and word.text not in ("?", "%"):
            self.scope.count(call)
            self.scope.add("dynamic.command", call, word.text)
            if not word.static:
                return
        if re.fullmatch(r"\d+\.\.\d+|\d+(\.\d+)?", word.text):
            return
        self.named(operator, word, arguments, call)

    def named(self, operator: str, word: Word, arguments: object, call: Call) -> None:
        """A command whose name is known."""
        from core.guard.ps_values import Arguments

        assert isinstance(arguments, Arguments)
        lowered = word.text.lower().rpartition("\\")[2] if re.match(r"^[\w.]+\\[a-z]+-", word.text, re.I) else word.text.lower()
        name = aliases().get(lowered, lowered)
        if name in self.scope.functions:
            self.scope.count(call)
        elif lowered.endswith(".ps1") or operator == "." and name not in kinds():
            self.scope.count(call)
            script_file(word, call, self.scope)
        elif name in kinds() or "-" in name and re.match(r"^[a-z]+-[a-z]\w+$", name) and not _external(name):
            run_cmdlet(name, arguments, call, self.scope)
        else:
            program(call, self.scope)

    def redirects(self, node: Node, call: Call) -> None:
        holder = node.child_by_field_name("command_elements")
        for child in holder.children if holder is not None else []:
            match = _REDIRECT.match(self.values.raw(child)) if child.type == "generic_token" else None
            if match and not match[3].startswith("&"):
                self.redirect(self.values.token(match[3]), match[2] == ">>", call)

    def redirect(self, word: Word, append: bool, call: Call) -> None:
        if word.text.lower() in ("$null", "null", "nul", ""):
            return
        if not word.static:
            self.scope.add("overwrite.dynamic", call, word.text)
            return
        self.scope.write(call, word)
        if not append and (call.name == ":" or re.search(r"\.(db|sqlite3?|mdb|accdb)$", word.text, re.I)):
            self.scope.add("overwrite.truncate", call, word.text)

    def on_redirection(self, node: Node) -> None:
        target = next((part for part in node.named_children if part.type == "redirected_file_name"), None)
        words = [self.values.word(part) for part in target.named_children if part.type != "command_argument_sep"] if target is not None else []
        statement = node.parent.parent if node.parent is not None and node.parent.type == "redirections" else node.parent
        outer = self.values.raw(statement) if statement is not None else ""
        said = outer[: outer.find(self.values.raw(node))].strip().lower()  # $null > a.txt says nothing
        for word in words[:1]:
            name = ":" if said in ("$null", "''", '""') else self.values.raw(node)
            self.redirect(word, ">>" in self.values.raw(node), self.call([Word(name)], node))
        self.children(node)

    def on_variable(self, node: Node) -> None:
        raw = self.values.raw(node)
        name = raw.lstrip("$@").strip("{}").lower()
        if name == "executioncontext":
            self.scope.add("inline.process", self.call([Word(raw)], node), raw)
        if secret_name(name.removeprefix("env:")) and "$" + name not in self.scope.variables and name.startswith("env:"):
            self.scope.add("secret.env", self.call([Word(raw)], node), name)

    def on_expandable_string_literal(self, node: Node) -> None:
        for name in re.findall(r"\$\{?env:(\w+)", self.values.raw(node), re.I):
            if secret_name(name):
                self.scope.add("secret.env", self.call([Word(name)], node), name)
        self.children(node)

    def on_assignment_expression(self, node: Node) -> None:
        """$name = value, $env:NAME = value, $function:name = …"""
        left = next((child for child in node.children if child.type == "left_assignment_expression"), None)
        value = node.child_by_field_name("value")
        raw = self.values.raw(left).strip() if left is not None else ""
        word = self.values.word(value) if value is not None else Word(HOLE, static=False)
        call = self.call([Word(raw)], node)
        match = re.match(r"^\$\{?(env|function|alias|global|script|local|private|variable|using):", raw, re.I)
        if match and match[1].lower() in ("function", "alias"):
            self.scope.add("dynamic.command", call, raw)
        elif match and match[1].lower() == "env":
            assign(raw.partition(":")[2].strip("}").upper(), word, call, self.scope)
        elif re.match(r"^\$(PSDefaultParameterValues|ExecutionContext|PSModuleAutoLoadingPreference|OFS)\b", raw, re.I):
            self.scope.add("exec.library", call, raw)
        elif re.fullmatch(r"\$\{?[\w:]+\}?", raw):
            name = "$" + raw.lstrip("$").strip("{}").lower()
            certain = word.static and not self.level and name not in self.scope.variables
            self.scope.variables[name] = word if certain else Word(HOLE, static=False)
        for child in node.children:
            if child is not left and child.child_count:
                self.visit(child)
        if left is not None and not re.fullmatch(r"\$[\w:{}]+", raw):
            self.visit(left)

    def on_function_statement(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "function_name":
                self.scope.functions.add(self.values.raw(child).lower())
        self.children(node)

    def on_foreach_statement(self, node: Node) -> None:
        self.children(node)

    def on_invokation_expression(self, node: Node) -> None:
        """object.Method(…) and [Type]::Method(…)."""
        self.children(node)
        self.scope.count()
        call = self.call([Word(self.values.raw(node)[:60])], node)
        member = next((child for child in node.children if child.type == "member_name"), None)
        name_node = member.named_children[0] if member is not None and member.named_children else None
        if member is None or name_node is None or name_node.type not in ("simple_name",):
            self.scope.add("dynamic.command", call, self.values.raw(member) if member else "")
            return
        name = self.values.raw(name_node).lower()
        words = [self.values.word(child) for child in self.argument_nodes(node)]
        first = node.named_children[0]
        if first.type == "type_literal":
            self.static_call(self.values.raw(first).strip("[] ").lower(), name, words, call)
            return
        rule = load_table("powershell")["risky_methods"].get(name)
        if rule and not (
            name in ("create", "start", "open", "stop", "invoke", "load", "format")
            and first.type == "variable"
            and name in ("start", "stop", "format")
            and "watch" in self.values.raw(first).lower()
        ):
            self.scope.add(rule, call, name)

    def argument_nodes(self, node: Node) -> list[Node]:
        return [grand for child in node.children if child.type == "argument_list" for part in child.named_children for grand in part.named_children]

    def static_call(self, type_name: str, name: str, words: list[Word], call: Call) -> None:
        """A static .NET method."""
        scope, table = self.scope, load_table("powershell")
        short = type_name.removeprefix("system.")
        if short in ("io.file", "io.directory") and name in table["file_methods"]:
            self.file_method(table["file_methods"][name], name, words, call)
        elif short == "environment":
            if name in ("setenvironmentvariable", "exit", "failfast"):
                persistent = len(words) > 2
                scope.add("env.persist" if persistent else "env.assign", call, name)
            elif name == "getenvironmentvariable" and words and secret_name(words[0].text):
                scope.add("secret.env", call, words[0].text)
        elif type_name not in words_in(table["safe_types"]) and short not in words_in(table["safe_types"]):
            scope.add("network.session" if "net." in type_name else "inline.process", call, f"{type_name}::{name}")

    def file_method(self, kinds_of: str, name: str, words: list[Word], call: Call) -> None:
        for kind, word in zip(kinds_of, words, strict=False):
            if kind == "d":
                self.scope.delete(call, word) if word.static else self.scope.add("delete.dynamic", call, name)
            elif kind == "w":
                self.scope.write(call, word) if word.static else self.scope.add("overwrite.dynamic", call, name)
            else:
                self.scope.read(call, word)
        if name in ("writealltext", "writeallbytes", "create") and (
            name == "create" or len(words) > 1 and words[1].static and not words[1].text.strip()
        ):
            self.scope.add("overwrite.truncate", call, name)

    def on_member_access(self, node: Node) -> None:
        """A static property of a type that is not on the list, such as a COM or reflection entry."""
        self.children(node)
        first = node.named_children[0] if node.named_children else None
        if first is not None and first.type == "type_literal":
            name = self.values.raw(first).strip("[] ").lower()
            safe = words_in(load_table("powershell")["safe_types"])
            if (
                name not in safe
                and name.removeprefix("system.") not in safe
                and not re.search(r"enum|color|style|option|io\.|kind|security|version|globalization|threading\.thread|runtime", name)
            ):
                self.scope.add("inline.process", self.call([Word(name)], node), name)

    def on_cast_expression(self, node: Node) -> None:
        self.children(node)
        if re.match(
            r"^\[\s*(system\.management\.automation\.)?(scriptblock|wmiclass|wmi|adsi|type|system\.type|wmisearcher)\s*\]",
            self.values.raw(node),
            re.I,
        ):
            self.scope.add("dynamic.script", self.call([Word("cast")], node), self.values.raw(node)[:40])

    def on_using_statement(self, node: Node) -> None:
        self.scope.add("exec.library", self.call([Word("using")], node), self.values.raw(node)[:60])

    def on_class_statement(self, node: Node) -> None:
        self.children(node)


def _external(name: str) -> bool:
    """Programs whose names look like verb-noun."""
    from core.guard.programs import known

    return known(name)
