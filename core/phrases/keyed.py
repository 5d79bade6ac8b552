"""Whether a pattern has words of its own, so that a phrase may consist of nothing but the slot that it narrows."""
from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from core.phrases.tokens import HAS_CJK

_WEIGHT = {True: 2, False: 1}  # a Chinese character says as much as two letters


@lru_cache(maxsize=512)
def demands_words(pattern: str) -> bool:
    """Whether every text in which the pattern is found holds certain words at certain places: two letters, or one Chinese character.

    The pattern must begin with ^. What stands in a part that may be missing, or in a look-around, does not count.
    """
    parser = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = list(parser.parse(pattern))
    return bool(nodes) and str(nodes[0][1]).startswith("AT_BEGINNING") and _weight(nodes) > 1


def _weight(nodes: Iterable[Any]) -> int:
    """The least that the words of the nodes weigh, whichever way the pattern is read."""
    return sum(_node_weight(str(name), argument) for name, argument in nodes)


def _node_weight(name: str, argument: Any) -> int:
    if name == "LITERAL":
        return _character_weight(argument)
    if name == "IN":  # one of a few characters says as much as its weakest; a range or a negation says nothing
        return min((_character_weight(value) if str(kind) == "LITERAL" else 0 for kind, value in argument), default=0)
    if name == "SUBPATTERN":
        return _weight(argument[3])
    if name == "BRANCH":
        return min(_weight(one) for one in argument[1])
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        return int(argument[0]) * _weight(argument[2])
    return 0


def _character_weight(code: int) -> int:
    return _WEIGHT[bool(HAS_CJK.match(chr(code)))] if chr(code).isalpha() else 0
