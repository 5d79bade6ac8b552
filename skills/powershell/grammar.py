"""Reads a PowerShell script with the grammar of tree-sitter, where that is installed."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from script import Command, Member, Reading, Word, bare_value, quoted_value


def read(text: str) -> Reading | None:
    """What the script holds; None when the grammar is not installed or cannot make sense of every line."""
    try:
        import tree_sitter
        import tree_sitter_powershell
        language = tree_sitter.Language(tree_sitter_powershell.language())
        tree = tree_sitter.Parser(language).parse(text.encode("utf-8"))
    except (ImportError, ValueError, TypeError, AttributeError):
        return None
    return None if tree.root_node.has_error else _Reader(text.encode("utf-8")).read(tree.root_node)


class _Reader:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.found = Reading("grammar")

    def read(self, root: Any) -> Reading:
        for node in _all(root):
            take = getattr(self, "_take_" + node.type, None)
            if take:
                take(node)
        return self.found

    def _text(self, node: Any) -> str:
        return self.source[node.start_byte:node.end_byte].decode("utf-8", "replace")

    def _place(self, node: Any) -> tuple[int, int]:
        before = self.source[self.source.rfind(b"\n", 0, node.start_byte) + 1:node.start_byte]
        return node.start_point[0] + 1, len(before.decode("utf-8", "replace")) + 1

    def _take_command(self, node: Any) -> None:
        chain = node.parent
        first = chain.named_children[0] if chain is not None and chain.type == "pipeline_chain" else node
        command = Command(*self._place(node), piped=first.start_byte != node.start_byte)
        for child in node.named_children:
            if child.type == "command_invokation_operator":
                command.invoked = self._text(child)
            elif child.type == "command_elements":
                for element in child.named_children:
                    self._element(element, command)
            elif child.type != "comment":
                command.words += self._words(child)
        self.found.commands.append(command)

    def _element(self, node: Any, command: Command) -> None:
        if node.type == "redirection":
            command.targets += [word for one in _all(node) if one.type == "redirected_file_name"
                                for part in one.named_children if part.type != "command_argument_sep" for word in self._words(part)]
        elif node.type not in ("command_argument_sep", "comment"):
            command.words += self._words(node)

    def _words(self, node: Any) -> list[Word]:
        """An argument as words: one, or each element of a list."""
        while node.named_child_count == 1 and node.type not in ("string_literal", "script_block_expression", "parenthesized_expression", "variable"):
            child = node.named_children[0]
            if not _same(child, node):
                break
            node = child
        if node.type == "array_literal_expression":
            return [word for child in node.named_children for word in self._words(child)]
        text = self._text(node)
        if node.type == "string_literal" or text[:1] in "'\"" and text[-1:] == text[:1] and text.count(text[0]) == 2:
            return [Word(text, quoted_value(text), "string")]
        if node.type == "command_parameter":
            return [Word(text, bare_value(text), "parameter")]
        if node.type == "script_block_expression":
            return [Word(text, None, "block")]
        return [Word(text, value := bare_value(text), "bare" if value is not None else "expression")]

    def _take_invokation_expression(self, node: Any) -> None:
        parts = {child.type: child for child in node.named_children}
        owner = self._text(parts["type_literal"]).strip("[] ").lower() if "type_literal" in parts else ""
        name = self._text(parts["member_name"]).strip("'\"").lower() if "member_name" in parts else ""
        arguments = self._text(parts["argument_list"])[1:-1].strip() if "argument_list" in parts else ""
        self.found.members.append(Member(*self._place(node), owner, name, arguments))

    def _take_member_access(self, node: Any) -> None:
        parts = {child.type: child for child in node.named_children}
        if "type_literal" in parts and "member_name" in parts:
            owner = self._text(parts["type_literal"]).strip("[] ").lower()
            self.found.members.append(Member(*self._place(node), owner, self._text(parts["member_name"]).lower(), ""))

    def _take_type_literal(self, node: Any) -> None:
        self.found.types.append((*self._place(node), self._text(node).strip("[] ").lower()))

    def _take_variable(self, node: Any) -> None:
        name = self._text(node).lstrip("$@").strip("{}").lower()
        above = node.parent
        while above is not None and above.type != "left_assignment_expression" and _same(above, node):
            above = above.parent
        is_target = above is not None and above.type == "left_assignment_expression"
        (self.found.assigned if is_target else self.found.variables).append((*self._place(node), name))

    def _take_string_literal(self, node: Any) -> None:
        text = self._text(node)
        value = quoted_value(text)
        self.found.strings.append((*self._place(node), text if value is None else value))

    def _take_function_statement(self, node: Any) -> None:
        for child in node.named_children:
            if child.type == "function_name":
                self.found.functions.add(self._text(child).lower().split(":")[-1])


def _same(one: Any, other: Any) -> bool:
    """Whether two nodes cover the same text."""
    return bool((one.start_byte, one.end_byte) == (other.start_byte, other.end_byte))


def _all(root: Any) -> Iterator[Any]:
    """Every named node, in the order of the text."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.named_children))
