"""Reads a POSIX shell script through tree-sitter-bash and hands every simple command to the tables."""
from __future__ import annotations

import functools
import re
import time
from collections import Counter
from typing import TYPE_CHECKING

from core.guard.builtins import declare, hides_code, rename
from core.guard.posix_flow import arguments_behind, is_folder, output_of, says_nothing, tame, variables_read, without_grammar
from core.guard.posix_words import word_of, words_of
from core.guard.programs import evaluate, secret_name
from core.guard.scope import MAX_DEPTH, Scope, TooMuch
from core.guard.words import Call, Stdin, Word
from core.guard.wrappers import assign

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser

_CONDITIONAL = frozenset(("if_statement", "for_statement", "c_style_for_statement", "while_statement", "case_statement", "function_definition"))
_LEVELS = _CONDITIONAL | {"subshell", "compound_statement", "command_substitution", "process_substitution"}
_SEQUENCES = frozenset(("program", "compound_statement", "do_group", "case_item", "else_clause", "elif_clause", "if_statement", "while_statement"))
_DATA = re.compile(r"\.(db|sqlite3?|mdb|accdb)$", re.I)
_HIDDEN = re.compile(r"'[^']*\w\[[^']*(?:\$\(|`)[^']*'")
_NAMED = re.compile(r"(?<![$\w{])([A-Za-z_]\w*)|\{([A-Za-z_]\w*):?=")
_TIME_LIMIT = 0.03
_PRINTERS = ("echo", "printf", "python", "python3", "node")


@functools.cache
def _language() -> Language:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Language(tree_sitter_bash.language())


def new_parser(language: Language) -> Parser:
    """A parser of its own for every text: one parser must not serve two threads."""
    import tree_sitter

    return tree_sitter.Parser(language)


def parse(parser: Parser, source: bytes) -> Node | None:
    """The syntax tree, or None when reading it takes longer than a hostile text may cost."""
    if len(source) <= 400:
        return parser.parse(source).root_node
    end = time.monotonic() + _TIME_LIMIT
    try:
        return parser.parse(
            lambda offset, point: source[offset : offset + 4096], progress_callback=lambda offset, error: time.monotonic() > end
        ).root_node
    except ValueError:
        parser.reset()
        return None


def walk(text: str, scope: Scope) -> None:
    """Record what the script meets; without the grammar only a plain reading command passes."""
    source = text.encode("utf-8")
    try:
        parser = new_parser(_language())
    except ImportError:
        without_grammar(text, scope)
        return
    root = parse(parser, source)
    whole = Call((Word(""),), 0, len(text))
    if root is None:
        scope.add("parse.limit", whole)
        return
    reader = _Reader(source, len(text) == len(source), text)
    if root.has_error:
        scope.add("parse.error", whole, reader.first_error(root))
    try:
        reader.visit(root, scope, None)
    except (TooMuch, RecursionError):
        scope.add("parse.limit", whole)


class _Reader:
    def __init__(self, source: bytes, ascii_only: bool, text: str) -> None:
        self.source, self.ascii_only, self.text = source, ascii_only, text
        self.level = 0
        self.named: Counter[str] | None = None
        self.piped: set[str] = set()
        self.read_by_pipe: set[str] = set()

    def offset(self, place: int) -> int:
        return place if self.ascii_only else len(self.source[:place].decode("utf-8", "ignore"))

    def raw(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def call(self, words: list[Word], node: Node, stdin: Stdin | None = None) -> Call:
        return Call(tuple(words), self.offset(node.start_byte), self.offset(node.end_byte), stdin)

    def first_error(self, node: Node) -> str:
        """The text around the first place that does not parse."""
        while node.type != "ERROR" and not node.is_missing:
            child = next((child for child in node.children if child.has_error or child.is_missing), None)
            if child is None:
                break
            node = child
        return self.raw(node)[:80]

    def visit(self, node: Node, scope: Scope, stdin: Stdin | None) -> Call | None:
        """Judge everything below `node`; the call is returned where the node is one simple command."""
        kind = node.type
        if (
            kind in ("word", "raw_string", "number", "comment", "variable_name", "string_content", "heredoc_start", "heredoc_end")
            or not node.child_count
        ):
            return None
        scope.step(node.child_count if kind == "command" else 0)
        if kind in _LEVELS:
            self.level += 1
            if self.level > MAX_DEPTH:
                raise TooMuch
        if kind == "test_command" and _HIDDEN.search(self.raw(node)):
            scope.add("dynamic.script", self.call([Word("[[")], node), self.raw(node))
        nested = kind in _CONDITIONAL
        scope.nested += nested
        try:
            return self.dispatch(kind, node, scope, stdin)
        finally:
            scope.nested -= nested
            self.level -= kind in _LEVELS

    def dispatch(self, kind: str, node: Node, scope: Scope, stdin: Stdin | None) -> Call | None:
        if kind == "command":
            return self.command(node, node, scope, stdin, [])
        if kind == "redirected_statement":
            return self.redirected(node, scope, stdin)
        if kind == "pipeline":
            self.pipeline([child for child in node.children if child.is_named], scope, stdin)
        elif kind == "list":
            self.chain(node, scope, stdin)
        elif kind in ("subshell", "command_substitution"):
            self.sequence(node, scope.child(), stdin)
        elif kind == "process_substitution":
            self.sequence(node, scope.child(), Stdin() if self.raw(node).startswith(">") else None)
        elif kind == "function_definition":
            self.function(node, scope)
        elif kind in ("variable_assignment", "variable_assignments"):
            self.assignments(node, scope)
        elif kind in ("declaration_command", "unset_command"):
            self.declaration(node, scope)
        elif kind == "for_statement":
            self.loop(node, scope, stdin)
        elif kind == "file_redirect":
            self.redirect(node, self.call([Word("")], node), scope)
        elif kind in _SEQUENCES:
            self.sequence(node, scope, stdin)
        else:
            for child in node.children:
                self.visit(child, scope, stdin)
        return None

    def sequence(self, node: Node, scope: Scope, stdin: Stdin | None) -> None:
        """Statements one after another; a cd that may have failed leaves both directories possible."""
        for child in node.children:
            before = scope.cwds
            self.visit(child, scope, stdin)
            if scope.cwds != before and not (len(scope.cwds) == 1 and scope.cwds[0] and is_folder(scope.cwds[0]) and not scope.nested):
                scope.join(before)

    def chain(self, node: Node, scope: Scope, stdin: Stdin | None) -> None:
        before = scope.cwds
        for child in node.children:
            if not child.is_named and self.raw(child) == "||":
                scope.join(before)
            self.visit(child, scope, stdin)

    def pipeline(self, stages: list[Node], scope: Scope, stdin: Stdin | None) -> None:
        flow = stdin
        before = self.piped
        self.piped = set()
        for stage in stages:
            call = self.visit(stage, scope.child(), flow)
            flow = output_of(call, flow, scope)
            self.piped.update(word.text for word in call.arguments if not word.option) if call else None
        self.read_by_pipe, self.piped = self.piped, before

    def function(self, node: Node, scope: Scope) -> None:
        name_node = node.child_by_field_name("name")
        name = self.raw(name_node) if name_node else ""
        scope.functions.add(name)
        body = node.child_by_field_name("body")
        if body is None:
            return
        if re.search(rf"(^|[|&;{{\s]){re.escape(name)}\s*(\|\s*{re.escape(name)}|&)", self.raw(body)):
            scope.add("system.bomb", self.call([Word(name)], node), name)
        self.visit(body, scope.child(), None)

    def loop(self, node: Node, scope: Scope, stdin: Stdin | None) -> None:
        """for NAME in WORDS: the name stands for any of the words when all are plain."""
        variable = node.child_by_field_name("variable")
        values = [word for child in node.children_by_field_name("value") for word in words_of(child, self.source, scope)]
        if variable is not None:
            plain = bool(values) and all(tame(word) for word in values)
            scope.variables[self.raw(variable)] = Word("*", glob=True) if plain else None
            call = self.call([Word("for")], node)
            assign(self.raw(variable), None, call, scope)
            for word in values:
                if word.static and re.match(r"[/~]|\.\.?/", word.text):
                    scope.read(call, word, contents=False)
        for child in node.children:
            self.visit(child, scope, stdin)

    def assignments(self, node: Node, scope: Scope, *, exported: bool = True, call: Call | None = None) -> None:
        for child in node.children if node.type == "variable_assignments" else [node]:
            self.assignment(child, scope, call or self.call([Word("")], node), exported, keep=call is None)

    def assignment(self, node: Node, scope: Scope, call: Call, exported: bool, *, keep: bool = True) -> None:
        """NAME=VALUE: remembered when it is certain, checked when programs obey it."""
        scope.count()
        name_node, value_node = node.child_by_field_name("name"), node.child_by_field_name("value")
        name = re.split(r"[\[+]", self.raw(name_node))[0] if name_node else ""
        value = (
            word_of(value_node, self.source, scope)
            if value_node is not None and value_node.type != "array"
            else Word("")
            if value_node is None
            else None
        )
        assign(name, value, call, scope, exported=exported)
        if value is not None and hides_code(value, whole=True):
            scope.add("dynamic.script", call, value.text)
        for used in value.names if value else ():
            if secret_name(used):
                scope.add("secret.env", call, used)
        if keep:
            scope.variables[name] = value if value is not None and value.static and self.set_once(name) else None
        for part in (name_node, value_node):
            if part is not None:
                self.visit(part, scope, None)

    def set_once(self, name: str) -> bool:
        """Whether the text names the variable, other than to use it, in this one assignment only."""
        if self.named is None:
            self.named = Counter(match[1] or match[2] for match in _NAMED.finditer(self.text))
        return self.named[name] == 1

    def declaration(self, node: Node, scope: Scope) -> None:
        """export, declare, local, readonly, unset."""
        keyword = self.raw(node.children[0])
        call = self.call([Word(keyword)], node)
        for child in node.named_children:
            if child.type == "variable_assignment":
                self.assignment(child, scope, call, exported=keyword == "export" or "-x" in self.raw(node))
            else:
                self.visit(child, scope, None)
                if child.type in ("string", "raw_string", "concatenation", "ansi_c_string"):
                    declare(words_of(child, self.source, scope), call, scope)
        if re.match(r"(declare|local|typeset)\s+-\w*n", self.raw(node)):
            rename(self.raw(node), call, scope)

    def redirected(self, node: Node, scope: Scope, stdin: Stdin | None) -> Call | None:
        body = node.child_by_field_name("body")
        redirects, extra, after = self.redirects(node)
        stdin = self.input_of(redirects, scope, stdin)
        call: Call | None = None
        piped = self.piped
        if body is not None and body.type == "command":
            call = self.command(body, node, scope, stdin, extra)
        elif body is not None:
            self.visit(body, scope, stdin)
            self.piped = self.read_by_pipe if body.type == "pipeline" else piped
        if extra and (body is None or body.type != "command"):
            self.evaluate_words(extra, node, scope, stdin)
        self.apply(redirects, call or self.call([Word("" if body else ":")], node), scope, bare=body is None and not extra)
        self.piped = piped
        for following in after:
            if following.type == "pipeline":
                self.pipeline([child for child in following.children if child.is_named], scope, output_of(call, stdin, scope))
            else:
                self.visit(following, scope, None)
        return call

    def evaluate_words(self, nodes: list[Node], outer: Node, scope: Scope, stdin: Stdin | None) -> None:
        """Words that the grammar hangs on a redirection, where no command precedes it."""
        words = [word for node in nodes for word in words_of(node, self.source, scope)]
        evaluate(self.call(words, outer, stdin), scope)

    def redirects(self, node: Node) -> tuple[list[Node], list[Node], list[Node]]:
        """(redirections, further arguments, following statements) of a statement, looking into heredocs."""
        redirects: list[Node] = []
        extra: list[Node] = []
        after: list[Node] = []
        body = node.child_by_field_name("body")
        for child in node.named_children:
            if body is not None and child.id == body.id:
                continue
            if child.type in ("file_redirect", "heredoc_redirect", "herestring_redirect"):
                redirects.append(child)
                extra.extend(arguments_behind(child))
            if child.type == "heredoc_redirect":
                for index, part in enumerate(child.children):
                    if part.type in ("file_redirect", "herestring_redirect"):
                        redirects.append(part)
                        extra.extend(arguments_behind(part))
                    elif child.field_name_for_child(index) == "argument":
                        extra.append(part)
                    elif part.is_named and part.type not in ("heredoc_start", "heredoc_body", "heredoc_end", "file_descriptor"):
                        after.append(part)
        return redirects, extra, after

    def input_of(self, redirects: list[Node], scope: Scope, stdin: Stdin | None) -> Stdin | None:
        """The standard input after the redirections."""
        for node in redirects:
            if node.type == "heredoc_redirect":
                body = next((child for child in node.children if child.type == "heredoc_body"), None)
                stdin = Stdin(self.raw(body) if body else "")
            elif node.type == "herestring_redirect" and node.named_children:
                word = word_of(node.named_children[-1], self.source, scope)
                stdin = Stdin(word.text if word.static else None)
            elif node.type == "file_redirect" and any(self.raw(child) == "<" for child in node.children):
                target = node.child_by_field_name("destination")
                stdin = Stdin(path=word_of(target, self.source, scope)) if target is not None else stdin
        return stdin

    def command(self, node: Node, outer: Node, scope: Scope, stdin: Stdin | None, extra: list[Node]) -> Call | None:
        """One simple command with its own assignments and redirections."""
        words: list[Word] = []
        prefixes: list[Node] = []
        redirects: list[Node] = []
        for child in node.children:
            if child.type == "variable_assignment":
                prefixes.append(child)
            elif child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                redirects.append(child)
                extra = [*extra, *arguments_behind(child)]
            elif child.is_named:
                words.extend(words_of(child, self.source, scope))
        for child in extra:
            words.extend(words_of(child, self.source, scope))
        words = words[:1] + [word for word in words[1:] if word.text or word.quoted or not word.names]
        stdin = self.input_of(redirects, scope, stdin)
        call = self.call(words or [Word(":")], outer, stdin)
        for prefix in prefixes:
            if not (words and words[0].text == "read" and self.raw(prefix).startswith("IFS=")):
                self.assignments(prefix, scope, call=call)
        for child in (*node.children, *extra):
            if child.type not in ("variable_assignment", "file_redirect"):
                self.visit(child, scope, Stdin())
        if words:
            variables_read(call, scope)
            evaluate(call, scope)
        self.apply(redirects, call, scope, bare=not words)
        return call

    def apply(self, redirects: list[Node], call: Call, scope: Scope, *, bare: bool) -> None:
        for node in redirects:
            if node.type == "file_redirect":
                self.redirect(node, call, scope, bare=bare)
                continue
            if node.type == "herestring_redirect" and node.named_children:
                for name in word_of(node.named_children[-1], self.source, scope).names:
                    if secret_name(name):
                        scope.add("secret.env", call, name)
            for child in node.children:
                if child.type in ("heredoc_body", "string", "concatenation", "command_substitution", "simple_expansion", "expansion"):
                    self.visit(child, scope, None)

    def redirect(self, node: Node, call: Call, scope: Scope, *, bare: bool = False) -> None:
        """One file redirection."""
        target_node = node.child_by_field_name("destination")
        operator = next((self.raw(child) for child in node.children if not child.is_named), ">")
        if target_node is None:
            return
        self.visit(target_node, scope, None)
        target = word_of(target_node, self.source, scope)
        if operator in (">&", "<&") and re.fullmatch(r"\d+-?|-", target.text):
            return
        if operator.startswith("<"):
            if target.text.startswith(("/dev/tcp/", "/dev/udp/")):
                scope.add("network.session", call, target.text)
            elif target_node.type != "process_substitution":
                scope.read(call, target)
            return
        if target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            scope.add("network.session", call, target.text)
        elif not target.static:
            scope.add("overwrite.dynamic", call, target.text)
        else:
            self.written(target, operator, call, scope, bare)

    def written(self, target: Word, operator: str, call: Call, scope: Scope, bare: bool) -> None:
        scope.write(call, target)
        if ">>" in operator or target.text.startswith("/dev/"):
            return
        itself = any(word.text == target.text and word.text for word in call.arguments) and call.name not in _PRINTERS
        itself = itself or target.text in self.piped
        if bare or says_nothing(call) or _DATA.search(target.text) or itself:
            scope.add("overwrite.truncate", call, target.text)
        if scope.report.sends or call.name in ("curl", "wget", "base64", "xxd", "openssl", "nc") or call.stdin is not None and call.stdin.remote:
            scope.report.downloads.update(place.path for place in scope.places(target))
