"""math-tools as its users meet it: a command line with exact answers, stated limits, JSON on request and agreeing exit codes."""
from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from core.skills import SkillRegistry

FOLDER = Path(__file__).resolve().parents[2] / "skills" / "math-tools"


def run(*words: str, stdin: str | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("AGENT_LANG", "LC_ALL", "LC_MESSAGES", "LANG")}
    return subprocess.run([sys.executable, str(FOLDER / "main.py"), *words], input=stdin if stdin is not None else "", capture_output=True,
                          text=True, encoding="utf-8", env={**clean, "PYTHONUTF8": "1", **environ}, timeout=60)


def serve(*requests: Any) -> list[dict[str, Any]]:
    done = run("serve", stdin="".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in requests))
    assert done.returncode == 0 and done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def values(command: str, arguments: list[list[str]]) -> list[Any]:
    return [row.get("value", row.get("code")) for row in serve(*({"id": 0, "command": command, "args": args} for args in arguments))]


def test_every_command_of_the_manual_prints_what_the_manual_says() -> None:
    rows = [line.split("|")[2:4] for line in (FOLDER / "SKILL.md").read_text(encoding="utf-8").splitlines() if "`python main.py" in line]
    registry = SkillRegistry(FOLDER.parent)
    registry.scan()
    assert len(rows) >= 12
    for command, printed in rows:
        call = registry.match_command(command.strip(" `"), FOLDER)
        assert call is not None, command
        done = subprocess.run(call.argv, capture_output=True, text=True, encoding="utf-8", env={**os.environ, "AGENT_LANG": "en", "PYTHONUTF8": "1"})
        assert done.stdout.strip() == printed.strip(" `")


def test_the_help_names_every_command_and_limit() -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("fibonacci", "factorial", "prime", "root", "gcd", "lcm", "factor", "base", "calc", "serve", "--json", "1000000", "10^24"):
        assert word in done.stdout
    for command in ("fibonacci", "root", "base", "calc", "gcd", "serve"):
        assert run(command, "--help").returncode == 0


def test_fibonacci_numbers_obey_their_rule_up_to_the_hundred_thousandth() -> None:
    found = values("fibonacci", [[str(n)] for n in (0, 1, 2, 10, 100, 100_000)])
    assert found[:5] == ["0", "1", "1", "55", "354224848179261915075"]
    assert len(found[5]) == 20_899
    assert int(found[5][-15:]) == last_digits(100_000, 10**15)


def last_digits(n: int, modulus: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, (a + b) % modulus
    return a


def test_a_number_with_more_digits_than_pythons_default_limit_is_printed_whole() -> None:
    done = run("fibonacci", "100000")
    assert (done.returncode, len(done.stdout.split()[-1])) == (0, 20_899)


def test_primes_agree_with_trial_division_and_known_pseudoprimes_are_seen_through() -> None:
    numbers = [*range(-2, 300), 561, 3215031751, 3825123056546413051, 318665857834031151167461, 2**61 - 1, 999999999989]
    expected = [n > 1 and all(n % d for d in range(2, min(math.isqrt(n), 10**6) + 1)) for n in numbers[:302]]
    found = values("prime", [[str(n)] for n in numbers])
    assert found[:302] == expected
    assert found[302:] == [False, False, False, False, True, True]
    assert values("next-prime", [["0"], ["2"], ["3"], ["13"], ["7919"]]) == ["2", "3", "5", "17", "7927"]
    assert values("nth-prime", [["1"], ["5"], ["6"], ["1000"], ["100000"]]) == ["2", "11", "13", "7919", "1299709"]


def test_factors_multiply_back_and_are_prime() -> None:
    chance = random.Random(3)
    numbers = [2, 360, 10**24, 999999999989 * 999999999961, 7919**5, *(chance.randrange(2, 10**15) for _ in range(8))]
    for number, factors in zip(numbers, values("factor", [[str(n)] for n in numbers]), strict=True):
        assert math.prod(int(prime) ** power for prime, power in factors) == number
        assert len({prime for prime, _ in factors}) == len(factors)
        assert all(values("prime", [[prime] for prime, _ in factors]))


@pytest.mark.parametrize(("words", "value", "exact"), [
    (["144"], "12", True), (["27", "--degree", "3"], "3", True), (["-8", "--degree", "3"], "-2", True), (["1/8", "--degree", "3"], "1/2", True),
    (["0.0625", "--degree=4"], "1/2", True), (["0"], "0", True), (["5", "--degree", "1"], "5", True), ([str(7**300), "--degree", "100"], "343", True),
    (["2", "--places", "5"], "1.41421", False), (["1000001", "--places", "3"], "1000.000", False), (["0.5", "--places", "4"], "0.7071", False),
    (["-2", "--degree", "3", "--places", "6"], "-1.259921", False),
])
def test_a_root_is_exact_where_it_is_exact_and_rounded_otherwise(words: list[str], value: str, exact: bool) -> None:
    found = serve({"id": 1, "command": "root", "args": words})[0]
    assert (found["ok"], found["value"], found["exact"]) == (True, value, exact)


def test_a_rounded_root_has_all_the_places_asked_for() -> None:
    value = json.loads(run("root", "2", "--places", "200", "--json").stdout)["value"]
    digits = int(value.replace(".", ""))
    assert (2 * digits - 1) ** 2 < 4 * 2 * 10**400 < (2 * digits + 1) ** 2


def test_expressions_agree_with_exact_fractions() -> None:
    chance = random.Random(5)

    def make(depth: int) -> tuple[str, Fraction]:
        if depth == 0:
            number = chance.randrange(1, 50)
            return (str(number), Fraction(number)) if chance.random() < 0.7 else (f"{number}.25", Fraction(number) + Fraction(1, 4))
        left, one = make(depth - 1)
        right, two = make(depth - 1)
        operator = chance.choice("+-*/") if two else "+"
        result = {"+": one + two, "-": one - two, "*": one * two, "/": one / (two or 1)}[operator]
        return f"({left} {operator} {right})", result

    made = [make(depth) for depth in (1, 2, 3, 4) for _ in range(15)]
    assert values("calc", [[text] for text, _ in made]) == [str(value) for _, value in made]


@pytest.mark.parametrize(("expression", "value"), [
    ("2+3*4", "14"), ("(2+3)*4", "20"), ("2^3^2", "512"), ("-2^2", "-4"), ("2**-2", "1/4"), ("7//2", "3"), ("-7 % 3", "2"), ("--3", "3"),
    ("3--5", "8"),
    ("3 × 4 ÷ 6", "2"), ("（1＋2）", "3"), (".5+1.25", "7/4"), ("1/3+1/6", "1/2"), ("0.1+0.2", "3/10"), ("(-1)^99999999999", "-1"),
    ("1^9999999999", "1"),
    ("0^0", "1"), ("-3+5", "2"), ("-(2+1)", "-3"),
])
def test_an_expression_follows_the_usual_rules(expression: str, value: str) -> None:
    assert json.loads(run("calc", "--json", "--", expression).stdout)["value"] == value


@pytest.mark.parametrize(("expression", "code"), [
    ("", "invalid_argument"), ("1+", "invalid_argument"), ("(1", "invalid_argument"), ("1)", "invalid_argument"), ("1 2", "invalid_argument"),
    ("__import__('os')", "invalid_argument"), ("x+1", "invalid_argument"), ("1e9", "invalid_argument"), ("1.2.3", "invalid_argument"),
    ("1/0", "domain"), ("1//0", "domain"), ("1%0", "domain"), ("0^-1", "domain"), ("2^0.5", "domain"),
    ("9^9^9", "limit"), ("9^999999999999", "limit"), ("(2^90000)*(2^90000)", "limit"), ("(" * 60 + "1" + ")" * 60, "limit"),
    ("1+" * 600 + "1", "limit"),
    ("2^" * 60 + "1", "limit"),
])
def test_a_bad_or_boundless_expression_ends_with_its_reason(expression: str, code: str) -> None:
    done = run("calc", "--json", "--", expression)
    found = json.loads(done.stdout)
    assert (found["ok"], found["code"]) == (False, code)
    assert found["error"] and done.returncode == (2 if code == "invalid_argument" else 1)


@pytest.mark.parametrize(("words", "status", "text"), [
    (["fibonacci", "-1"], 1, "n must be from 0 to 1000000"), (["fibonacci", "1000001"], 1, "n must be from 0 to 1000000"),
    (["fibonacci", "ten"], 2, "n must be a whole number, not 'ten'"), (["fibonacci", "1.5"], 2, "whole number"),
    (["fibonacci", "9" * 2000], 1, "more than 1000"),
    (["fibonacci", "１"], 2, "whole number"), (["factorial", "20001"], 1, "0 to 20000"), (["prime", "9" * 30], 1, "must be from"),
    (["nth-prime", "0"], 1, "1 to 1000000"), (["factor", "1"], 1, "from 2"), (["root", "-4"], 1, "no real root"),
    (["root", "1/0"], 1, "division by zero"),
    (["root", "4", "--degree", "0"], 1, "degree must be from 1 to 100"), (["gcd", "12"], 2, "at least two"),
    (["base", "129", "--from", "2", "--to", "10"], 2, "base 2"),
    (["base", "5", "--to", "37"], 1, "to must be from 2 to 36"), (["lcm", *(str(10**400 + n) for n in range(90))], 1, "bits"),
    (["nothing"], 2, "invalid choice"), ([], 2, "required"), (["fibonacci"], 2, "required"), (["root", "4", "--deg", "2"], 2, "unrecognized"),
])
def test_a_wrong_call_says_why_on_stderr_and_in_the_exit_code(words: list[str], status: int, text: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (status, "")
    assert text in done.stderr and len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr


def test_bases_turn_back_into_themselves() -> None:
    assert values("base", [["ff", "--from", "16", "--to", "10"], ["0xFF", "--from", "16", "--to", "2"], ["-zz", "--from", "36", "--to", "10"],
                           ["0", "--to", "7"]]) == ["255", "11111111", "usage", "0"]
    assert values("base", [[str(n), "--to", str(base)] for n in (1, 35, 36, 12345) for base in (2, 36)]) == [
        "1", "1", "100011", "z", "100100", "10", "11000000111001", "9ix"]


def test_gcd_and_lcm_take_several_numbers_of_any_sign() -> None:
    assert values("gcd", [["12", "18", "24"], ["-12", "18"], ["0", "5"], ["0", "0"]]) == ["6", "6", "5", "0"]
    assert values("lcm", [["4", "6"], ["-4", "6", "10"], ["0", "5"]]) == ["12", "60", "0"]


def test_sentences_are_chinese_where_the_caller_is() -> None:
    for environ in ({"AGENT_LANG": "zh"}, {"LANG": "zh_CN.UTF-8"}, {"LC_ALL": "zh_TW", "LANG": "en_US"}):
        assert run("fibonacci", "100", **environ).stdout == "斐波那契数列第 100 项是 354224848179261915075\n"
    assert run("fibonacci", "100", AGENT_LANG="en", LANG="zh_CN").stdout.startswith("Fibonacci")
    assert run("--lang", "zh", "root", "-4").stderr == "负数没有偶次实数方根\n"


def test_json_may_be_asked_for_before_or_after_the_command() -> None:
    for words in (("--json", "factorial", "5"), ("factorial", "5", "--json"), ("factorial", "--json", "5")):
        assert json.loads(run(*words).stdout) == {"ok": True, "message": "5! = 120", "n": 5, "value": "120"}
    failed = json.loads(run("factorial", "--json", "x").stdout)
    assert failed["ok"] is False and failed["code"] == "invalid_argument" and failed["error"] == failed["message"]


def test_serve_answers_each_line_with_its_id_whatever_the_line() -> None:
    answers = serve({"id": "a", "command": "gcd", "args": [12, 18]},
        {"id": 2, "command": "root", "args": {"x": -8, "degree": 3}}, "nonsense", "[1]", "",
                    {"id": 3, "command": "serve"}, {"id": 4, "command": "calc", "args": {"expression": "-1+3", "lang": "zh"}},
                    {"id": 5, "command": "gcd", "args": 7},
                    {"id": 6, "command": "gcd", "args": {"numbers": [4, 6]}})
    assert [(one["id"], one["ok"], one.get("value", one.get("code"))) for one in answers] == [
        ("a", True, "6"), (2, True, "-2"), (None, False, "usage"), (None, False, "usage"), (3, False, "usage"), (4, True, "2"), (5, False, "usage"),
        (6, True, "2")]


def test_the_skill_runs_alone_in_another_place(tmp_path: Path) -> None:
    import shutil
    shutil.copytree(FOLDER, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, str(tmp_path / "copy" / "main.py"), "gcd", "12",
        "18"], capture_output=True, text=True, cwd=tmp_path, env=clean)
    assert done.returncode == 0 and "6" in done.stdout
