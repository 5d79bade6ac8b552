"""Evaluates an arithmetic expression exactly. Own grammar, no eval; size, depth and exponent are bounded before the work is done.

    sum     = product { ("+" | "-") product }        power  = atom [ ("^" | "**") signed ]     right to left, binds before the sign
    product = signed { ("*" | "/" | "//" | "%") signed }        atom = number | "(" sum ")"
    signed  = { "+" | "-" } power
"""
from __future__ import annotations

import re
from fractions import Fraction

from exact import MathError

MAX_LENGTH = 1_000
MAX_DEPTH = 50
MAX_BITS = 100_000
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|(\*\*|//|[-+*/%^()]))", re.ASCII)
_SPELLINGS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "（": "(", "）": ")", "＋": "+", "－": "-", "＊": "*", "／": "/"})


def evaluate(text: str) -> Fraction:
    """The exact value. Raises MathError with code invalid_argument, limit or domain."""
    if len(text) > MAX_LENGTH:
        raise MathError("limit", "too_long", name="expression", limit=MAX_LENGTH)
    parser = _Parser(_tokens(text))
    value = parser.sum()
    if parser.peek():
        raise MathError("invalid_argument", "unexpected", text=parser.peek())
    return value


def _tokens(text: str) -> list[str]:
    text = text.translate(_SPELLINGS).strip()
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match:
            raise MathError("invalid_argument", "unexpected", text=text[position:position + 20].strip())
        tokens.append(match[1] or match[2])
        position = match.end()
    return tokens


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _take(self, *wanted: str) -> str:
        token = self.peek()
        if token not in wanted:
            return ""
        self._next += 1
        return token

    def sum(self) -> Fraction:
        value = self._product()
        while operator := self._take("+", "-"):
            right = self._product()
            value = _bounded(value + right if operator == "+" else value - right)
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while operator := self._take("*", "/", "//", "%"):
            value = _bounded(_multiply(value, operator, self._signed()))
        return value

    def _signed(self) -> Fraction:
        negative = False
        while sign := self._take("+", "-"):
            negative ^= sign == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> Fraction:
        base = self._atom()
        if not self._take("^", "**"):
            return base
        self._deeper()
        exponent = self._signed()
        self._depth -= 1
        return _raise(base, exponent)

    def _atom(self) -> Fraction:
        token = self.peek()
        self._next += 1
        if token == "(":
            self._deeper()
            value = self.sum()
            self._depth -= 1
            if not self._take(")"):
                raise MathError("invalid_argument", "unclosed")
            return value
        if not token or not (token[0].isdigit() or token[0] == "."):
            raise MathError("invalid_argument", "unexpected" if token else "ends_early", text=token)
        return Fraction("0" + token)

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise MathError("limit", "too_deep", limit=MAX_DEPTH)


def _multiply(left: Fraction, operator: str, right: Fraction) -> Fraction:
    if operator == "*":
        return left * right
    if right == 0:
        raise MathError("domain", "division_by_zero")
    if operator == "/":
        return left / right
    return Fraction(left // right) if operator == "//" else left % right


def _raise(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise MathError("domain", "fractional_exponent")
    power = exponent.numerator
    if base == 0 and power < 0:
        raise MathError("domain", "division_by_zero")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) != 1 and base != 0 and size * abs(power) > MAX_BITS:
        raise MathError("limit", "too_big", limit=MAX_BITS)
    return base ** (power if abs(base) != 1 else power % 2)


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise MathError("limit", "too_big", limit=MAX_BITS)
    return value
