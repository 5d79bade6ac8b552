"""Which regular expressions of commands.yaml may be used: those that no text can make slow.

A search holds the interpreter until it ends, so a slow one freezes the program. Every choice that a pattern leaves open (how often a
repeated part is taken, which alternative) multiplies the work, unless the next character settles it. Inside a repeated part every choice
must be settled; outside, the tries that all open choices could take together are bounded.
"""
from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

MAX_PATTERN = 200
MAX_TEXT = 1000
_MAX_TRIES = 10_000_000
_WIDE = "wide"  # stands for every character beyond ASCII
_ALL = frozenset([*map(chr, range(128)), _WIDE])
_CATEGORIES: Mapping[str, Callable[[str], bool]] = {
    "DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": lambda char: char.isalnum() or char == "_"}
_ONE_CHARACTER = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")


class _Refused(Exception):
    """Why a pattern is not used, in English words that follow "pattern"."""


class _Work(NamedTuple):
    """What reading a part costs at most: tries made, and ways in which the part can end."""

    tries: int
    ways: int


def pattern_problem(pattern: Any) -> str:
    """Why the pattern cannot be used, as English words that follow "pattern"; "" when it can."""
    if not isinstance(pattern, str):
        return "must be a text"
    if len(pattern) > MAX_PATTERN:
        return f"must have {MAX_PATTERN} characters or fewer"
    try:
        tree = _tree(pattern)
        starts = 1 if tree and _is_begin(tree[0]) else MAX_TEXT
        work = _sequence(tree, frozenset(), starts, repeated=False)
        _compiled(pattern)
    except _Refused as refused:
        return str(refused)
    except (re.error, RecursionError, OverflowError, ValueError, MemoryError):
        return "is not a regular expression"
    return "" if work.tries <= _MAX_TRIES else "could take too long; begin it with ^ and use fewer repetitions that can end anywhere"


def fits(pattern: str, text: str) -> bool:
    """Whether a pattern without a problem is found in the text; a text longer than MAX_TEXT never fits."""
    return len(text) <= MAX_TEXT and _compiled(pattern).search(text) is not None


@lru_cache(maxsize=512)
def reach(pattern: str) -> frozenset[str]:
    """What a text that fits can hold: of "letter" (a-z), "blank" and "wide" (letters beyond ASCII). All three unless ^…$ bounds it."""
    tree = _tree(pattern)
    if len(tree) < 2 or not _is_begin(tree[0]) or _name(tree[-1]) != "AT" or not str(tree[-1][1]).startswith("AT_END"):
        return frozenset(("letter", "blank", "wide"))
    chars = _taken(tree)
    ascii_letters = any(char.isalpha() for char in chars if char != _WIDE)
    found = {"letter": ascii_letters, "blank": any(char.isspace() for char in chars), "wide": _WIDE in chars and _wide_letters(tree)}
    return frozenset(name for name, holds in found.items() if holds)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern)


def _tree(pattern: str) -> Sequence[Any]:
    """The parsed pattern: pairs of an operation and its argument. Its shape is that of the interpreter's own parser."""
    import importlib
    import sys

    parser = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = parser.parse(pattern)
    if parsed.state.flags & ~re.UNICODE:
        raise _Refused("must not have flags such as (?i)")
    return list(parsed)


def _name(node: Any) -> str:
    return str(node[0])


def _is_begin(node: Any) -> bool:
    return _name(node) == "AT" and str(node[1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING")


def _sequence(nodes: Sequence[Any], following: Set[str], ways: int, *, repeated: bool) -> _Work:
    """The work of reading the nodes from `ways` places, when one of `following` may come after them."""
    after: list[Set[str]] = []
    for node in reversed(nodes):
        after.append(following)
        following = _starts([node], following)
    tries = 0
    for node, then in zip(nodes, reversed(after), strict=True):
        step = _one(node, then, ways, repeated)
        tries, ways = min(tries + step.tries, 10 * _MAX_TRIES), min(step.ways, 10 * _MAX_TRIES)
    return _Work(tries, ways)


def _one(node: Any, then: Set[str], ways: int, repeated: bool) -> _Work:
    name, argument = _name(node), node[1]
    if name in _ONE_CHARACTER or name == "AT":
        return _Work(ways, ways)
    if name == "SUBPATTERN":
        if argument[1] or argument[2]:
            raise _Refused("must not have flags such as (?i:…)")
        return _sequence(list(argument[3]), then, ways, repeated=repeated)
    if name in _REPEATS:
        return _repeat(argument, then, ways, repeated)
    if name == "BRANCH":
        return _branch([list(one) for one in argument[1]], then, ways, repeated)
    if name in ("ASSERT", "ASSERT_NOT") and not repeated:
        return _Work(_sequence(list(argument[1]), frozenset(), ways, repeated=False).tries + ways, ways)
    raise _Refused("must not have back-references, conditions, or look-arounds inside a repetition")


def _repeat(argument: Any, then: Set[str], ways: int, repeated: bool) -> _Work:
    low, high, body = int(argument[0]), min(int(argument[1]), MAX_TEXT), list(argument[2])
    begin = _starts(body, frozenset())
    settled = low >= high or not begin & then
    if repeated and not settled:
        raise _Refused("must not repeat a part whose own repetition can end in several ways, as (a+)+ does")
    if high <= 1:
        inner = _sequence(body, then, ways, repeated=repeated)
        return _Work(inner.tries + ways, inner.ways + (0 if settled and not _has_choice(body) else ways))
    if _can_be_empty(body) and _has_choice(body):
        raise _Refused("must not repeat a part that may be empty")
    once = _sequence(body, begin | then, 1, repeated=True)
    return _Work(ways * high * max(once.tries, 1), ways if settled else ways * (high - low + 1))


def _branch(alternatives: Sequence[Sequence[Any]], then: Set[str], ways: int, repeated: bool) -> _Work:
    seen: Set[str] = frozenset()
    for one in alternatives:
        begin = _starts(one, then)
        if repeated and seen & begin:
            raise _Refused("must not repeat alternatives that begin alike, as (a|ab)+ does")
        seen = seen | begin
    done = [_sequence(one, then, ways, repeated=repeated) for one in alternatives]
    return _Work(sum(one.tries for one in done), sum(one.ways for one in done))


def _starts(nodes: Iterable[Any], following: Set[str]) -> Set[str]:
    """The characters that can come first in the nodes, or in what follows where the nodes may be empty."""
    for node in reversed(list(nodes)):
        name, argument = _name(node), node[1]
        if name in _ONE_CHARACTER:
            following = _characters(node)
        elif name == "SUBPATTERN":
            following = _starts(argument[3], following)
        elif name == "BRANCH":
            following = frozenset().union(*(_starts(one, following) for one in argument[1]))
        elif name in _REPEATS:
            following = _starts(argument[2], following) | (following if int(argument[0]) == 0 else frozenset())
    return following


def _can_be_empty(nodes: Iterable[Any]) -> bool:
    end = frozenset(["end"])
    return "end" in _starts(nodes, end)


def _has_choice(nodes: Iterable[Any]) -> bool:
    """Whether the nodes hold a repetition or an alternative."""
    return any(_name(node) in (*_REPEATS, "BRANCH") or _name(node) == "SUBPATTERN" and _has_choice(node[1][3]) for node in nodes)


def _characters(node: Any) -> Set[str]:
    """What one node of a single character takes; all that lies beyond ASCII counts as one character."""
    name, argument = _name(node), node[1]
    if name == "ANY":
        return _ALL - {"\n"}
    if name == "LITERAL":
        return frozenset([chr(argument) if argument < 128 else _WIDE])
    if name == "NOT_LITERAL":
        return _ALL - ({chr(argument)} if argument < 128 else frozenset())
    found: Set[str] = frozenset()
    negated = any(_name(part) == "NEGATE" for part in argument)
    for part in argument:
        kind, value = _name(part), part[1]
        if kind == "RANGE":
            found |= {chr(code) for code in range(value[0], min(value[1], 127) + 1)} | ({_WIDE} if value[1] > 127 else frozenset())
        elif kind == "CATEGORY":
            found |= _category(str(value))
        elif kind == "LITERAL":
            found |= _characters(part)
    return (_ALL - found) | {_WIDE} if negated else found


def _category(name: str) -> Set[str]:
    word = name.removeprefix("CATEGORY_").removeprefix("UNI_")
    test = _CATEGORIES[word.removeprefix("NOT_")]
    return frozenset(char for char in _ALL if char == _WIDE or test(char) != word.startswith("NOT_"))


def _leaves(nodes: Iterable[Any]) -> Iterable[Any]:
    """Every node that takes a character of the text."""
    for node in nodes:
        name, argument = _name(node), node[1]
        if name in _ONE_CHARACTER:
            yield node
        elif name == "SUBPATTERN":
            yield from _leaves(argument[3])
        elif name == "BRANCH":
            for one in argument[1]:
                yield from _leaves(one)
        elif name in _REPEATS:
            yield from _leaves(argument[2])


def _taken(nodes: Iterable[Any]) -> Set[str]:
    return frozenset().union(*(_characters(leaf) for leaf in _leaves(nodes)))


def _wide_letters(nodes: Iterable[Any]) -> bool:
    """Whether a letter beyond ASCII can be taken: by a range, a class, a negation, or itself; digits and blanks are no letters."""
    for leaf in _leaves(nodes):
        parts = leaf[1] if _name(leaf) == "IN" else [leaf]
        for part in parts:
            kind, value = _name(part), part[1]
            if kind in ("ANY", "NOT_LITERAL", "NEGATE") or kind == "RANGE" and value[1] > 127:
                return True
            if kind == "LITERAL" and value > 127 and chr(value).isalpha():
                return True
            if kind == "CATEGORY" and not str(value).endswith(("CATEGORY_DIGIT", "CATEGORY_SPACE")):
                return True
    return False
