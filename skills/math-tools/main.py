"""Exact arithmetic on the command line: `python main.py --help`. Answers on stdout, messages of failure on stderr.

With --json one object: {"ok": true, "message": …, "value": …} or {"ok": false, "code": …, "error": …, "message": …}; big numbers are
text there, since many JSON readers round them. Exit: 0 done, 1 cannot be computed, 2 wrong usage.
"""
from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import exact
from exact import MathError, whole
from words import detect_language, say

Answer = tuple[str, dict[str, Any]]
_EXAMPLES = """examples:
  python main.py fibonacci 100          python main.py gcd 12 18 24
  python main.py factorial 20           python main.py lcm 4 6
  python main.py prime 97               python main.py factor 360
  python main.py root 27 --degree 3     python main.py base ff --from 16 --to 10
  python main.py calc "1/3 + 1/6"       python main.py serve"""


def fibonacci(given: argparse.Namespace) -> Answer:
    n = whole(given.n, "n", 0, exact.MAX_FIBONACCI)
    return "fibonacci", {"n": n, "value": str(exact.fibonacci(n))}


def factorial(given: argparse.Namespace) -> Answer:
    n = whole(given.n, "n", 0, exact.MAX_FACTORIAL)
    return "factorial", {"n": n, "value": str(math.factorial(n))}


def prime(given: argparse.Namespace) -> Answer:
    n = whole(given.n, "n", None, exact.MAX_PRIME)
    if exact.is_prime(n):
        return "prime_yes", {"n": str(n), "value": True}
    small = 2 <= n <= 10**12
    return ("prime_divisible", {"n": str(n), "value": False, "factors": _product(n)}) if small else ("prime_no", {"n": str(n), "value": False})


def next_prime(given: argparse.Namespace) -> Answer:
    n = whole(given.n, "n", None, exact.MAX_PRIME)
    return "next_prime", {"n": str(n), "value": str(exact.next_prime(n))}


def nth_prime(given: argparse.Namespace) -> Answer:
    n = whole(given.n, "n", 1, exact.MAX_NTH_PRIME)
    return "nth_prime", {"n": n, "value": str(exact.nth_prime(n))}


def root(given: argparse.Namespace) -> Answer:
    x = exact.rational(given.x, "x")
    degree = whole(given.degree, "degree", 1, exact.MAX_DEGREE)
    places = whole(given.places, "places", 1, exact.MAX_PLACES)
    if x < 0 and degree % 2 == 0:
        raise MathError("domain", "negative_root")
    sign = "-" if x < 0 else ""
    found = exact.exact_root(abs(x), degree)
    value = sign + (str(found) if found is not None else exact.rounded_root(abs(x), degree, places))
    shown = "0" if value == "-0" else value
    return "root_exact" if found is not None else "root_rounded", {"x": given.x.strip(), "degree": degree, "value": shown, "exact": found is not None}


def gcd(given: argparse.Namespace) -> Answer:
    return _of_several("gcd", given, math.gcd)


def lcm(given: argparse.Namespace) -> Answer:
    return _of_several("lcm", given, lambda *numbers: _lcm(numbers))


def factor(given: argparse.Namespace) -> Answer:
    n = whole(given.n, "n", 2, exact.MAX_FACTOR)
    factors = exact.factorize(n)
    return "factor", {"n": str(n), "factors": _product(n), "value": [[str(prime), power] for prime, power in factors]}


def base(given: argparse.Namespace) -> Answer:
    source, target = whole(given.source, "from", 2, 36), whole(given.target, "to", 2, 36)
    value = exact.to_base(exact.from_base(given.number.strip(), source), target)
    return "base", {"number": given.number.strip(), "source": source, "target": target, "value": value}


def calc(given: argparse.Namespace) -> Answer:
    from expression import evaluate
    value = evaluate(given.expression)
    shown: dict[str, Any] = {"expression": given.expression.strip(), "value": str(value)}
    if value.denominator == 1:
        return "calc", shown
    decimal, is_exact = exact.decimal_text(value, 20)
    return "calc_exact" if is_exact else "calc_rounded", {**shown, "decimal": decimal}


def _of_several(key: str, given: argparse.Namespace, work: Callable[..., int]) -> Answer:
    if len(given.numbers) < 2:
        raise MathError("invalid_argument", "too_few")
    numbers = [whole(text, "number", None, None) for text in given.numbers]
    return key, {"numbers": ", ".join(str(number) for number in numbers), "value": str(work(*numbers))}


def _lcm(numbers: tuple[int, ...]) -> int:
    result = 1
    for number in numbers:
        result = math.lcm(result, number)
        if result.bit_length() > 100_000:
            raise MathError("limit", "too_big", limit=100_000)
    return result


def _product(n: int) -> str:
    return " × ".join(f"{prime}^{power}" if power > 1 else str(prime) for prime, power in exact.factorize(n))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise MathError("usage", "usage", detail=message)


_ONE: tuple[tuple[str, dict[str, Any]], ...] = (("n", {}),)
_SEVERAL: tuple[tuple[str, dict[str, Any]], ...] = (("numbers", {"nargs": "+", "metavar": "number"}),)
COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], Answer], str, tuple[tuple[str, dict[str, Any]], ...]]] = {
    "fibonacci": (fibonacci, f"the n-th Fibonacci number, F(0) = 0; n from 0 to {exact.MAX_FIBONACCI}", _ONE),
    "factorial": (factorial, f"n!; n from 0 to {exact.MAX_FACTORIAL}", _ONE),
    "prime": (prime, "whether n is prime (proven up to 3.3e24)", _ONE),
    "next-prime": (next_prime, "the smallest prime above n", _ONE),
    "nth-prime": (nth_prime, f"the n-th prime, the first is 2; n from 1 to {exact.MAX_NTH_PRIME}", _ONE),
    "root": (root, "a root, exact where it is exact; x may be 27, 0.125 or 1/8", (
        ("x", {}), ("--degree", {"default": "2", "help": f"1 to {exact.MAX_DEGREE}, 2 if not given"}),
        ("--places", {"default": "30", "help": f"digits after the point, 1 to {exact.MAX_PLACES}"}))),
    "gcd": (gcd, "the greatest common divisor of two or more whole numbers", _SEVERAL),
    "lcm": (lcm, "the least common multiple of two or more whole numbers", _SEVERAL),
    "factor": (factor, "the prime factors of n; n from 2 to 10^24", _ONE),
    "base": (base, "a whole number from one base (2 to 36) to another", (
        ("number", {}), ("--from", {"dest": "source", "default": "10"}), ("--to", {"dest": "target", "required": True}))),
    "calc": (calc, "an expression, exact as a fraction: + - * / // %% ^ and brackets", (("expression", {}),)),
}


def build_parser() -> argparse.ArgumentParser:
    """The command line: --json and --lang may stand before or after the command's name."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object")
    common.add_argument("--lang", choices=("en", "zh"), default=argparse.SUPPRESS, help="language of the sentences")
    parser = _Parser(prog="main.py", description="Exact arithmetic.", epilog=_EXAMPLES, parents=[common], allow_abbrev=False,
                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, (_, summary, arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary, parents=[common], allow_abbrev=False)
        for argument, options in arguments:
            command.add_argument(argument, **options)
    commands.add_parser("serve", help="answer JSON lines {id, command, args} until the input ends", parents=[common])
    return parser


def shield_signs(words: list[str]) -> list[str]:
    """A blank before each -3 and -(2+1): argparse takes what begins with a blank for a value, never for an option."""
    return [" " + word if re.match(r"-+[0-9.(]", word) else word for word in words]


def answer(words: list[str], language: str) -> dict[str, Any]:
    """The object for one command given as words; never raises for what a caller may write."""
    try:
        given = build_parser().parse_args(shield_signs(words))
        language = getattr(given, "lang", language)
        key, values = COMMANDS[given.command][0](given)
    except MathError as problem:
        sentence = say(problem.key, language, **problem.values)
        return {"ok": False, "code": problem.code, "error": sentence, "message": sentence}
    return {"ok": True, "message": say(key, language, **values), **values}


def serve(language: str) -> int:
    """Answers {"id", "command", "args"} lines, args being a list of words or an object of values, until the input ends."""
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(_served(line, language), ensure_ascii=False), flush=True)
    return 0


def _served(line: str, language: str) -> dict[str, Any]:
    identity = None
    try:
        request = json.loads(line)
        identity = request.get("id")
        words = [request["command"], *_words(request["command"], request.get("args", []))]
        if request["command"] not in COMMANDS:
            raise KeyError(request["command"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        sentence = say("bad_line", language)
        return {"id": identity, "ok": False, "code": "usage", "error": sentence, "message": sentence}
    return {"id": identity, **answer(words, language)}


def _words(command: str, args: Any) -> list[str]:
    if isinstance(args, list):
        return [str(word) for word in args]
    options: list[str] = []
    plain: list[str] = []
    for name, value in args.items():
        if name == "lang" or any(argument == "--" + name for argument, _ in COMMANDS[command][2]):
            options += ["--" + name, str(value)]
        else:
            plain += [str(one) for one in value] if isinstance(value, list) else [str(value)]
    return [*options, "--", *plain]


def main(words: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    language = detect_language()
    if words and words[0] == "serve" and len(words) == 1:
        return serve(language)
    result = answer(words, language)
    if "--json" in words:
        print(json.dumps(result, ensure_ascii=False))
    else:
        print(result["message"], file=sys.stdout if result["ok"] else sys.stderr)
    return 0 if result["ok"] else 2 if result["code"] in ("usage", "invalid_argument") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
