"""Dressing a dangerous line up never makes it look safer, and no text breaks the guard."""

from __future__ import annotations

import os
import random
import re
import shlex
from collections.abc import Iterator

import pytest

from core.guard import DECISIONS, EFFECTS, judge
from tests.core.guard.guard_cases import WORKSPACE, Case, given, table

MUTATIONS = int(os.environ.get("GUARD_MUTATIONS", "1500"))  # the full measure is 10000
_NO_PROGRAM = re.compile(r"(if|for|while|until|case|function|time|coproc|export|alias|select|then)\b|\w+ ?\(\)|\w+=|\W")
_LETTERS = "abcrm -/~$(){}[]<>|&;'\"\\`!*?#=%^@:,.\n\t\0\r\x1b\u202e\u00e9\u4e2d\ud800"


def posix_dangers() -> list[str]:
    return [case.command for case in [*given(), *table()] if case.shell == "posix" and case.dangerous and "\n" not in case.command]


def wrapped(command: str) -> Iterator[str]:
    end = " " if command.rstrip().endswith(("&", ";")) else "; "
    yield f"true; {command}"
    yield f"bash -c {shlex.quote(command)}"
    yield f"( {command})"
    yield f"{{ {command}{end}}}"
    yield f"$({command})"
    yield f"if true; then {command}{end}fi"
    if not _NO_PROGRAM.match(command):
        yield f"env {command}"
        yield f"command {command}"


def split_names(command: str) -> Iterator[str]:
    name = re.match(r"[a-z]\w+", command)
    if name and not _NO_PROGRAM.match(command):
        rest = command[name.end() :]
        yield f"{name[0][0]}''{name[0][1:]}{rest}"
        yield f"{name[0][0]}\\{name[0][1:]}{rest}"
        yield f'"{name[0]}"{rest}'


def test_no_wrapping_lowers_a_verdict() -> None:
    lowered = []
    for command in posix_dangers():
        plain = DECISIONS.index(judge(command, workspace=WORKSPACE).decision)
        for variant in [*wrapped(command), *split_names(command)]:
            verdict = judge(variant, workspace=WORKSPACE)
            if DECISIONS.index(verdict.decision) < plain:
                lowered.append((variant, verdict.decision, verdict.rule))
    assert lowered == []


def mutated(random_numbers: random.Random, cases: list[Case]) -> tuple[str, str]:
    case = random_numbers.choice(cases)
    text = list(case.command)
    for _ in range(random_numbers.randint(1, 6)):
        place = random_numbers.randint(0, len(text))
        match random_numbers.randint(0, 4):
            case 0:
                text.insert(place, random_numbers.choice(_LETTERS))
            case 1:
                del text[place : place + 1]
            case 2:
                text[place : place + 1] = random_numbers.choice(_LETTERS)
            case 3:
                text[place:place] = text[place : random_numbers.randint(place, len(text))]
            case _:
                text += list(random_numbers.choice(cases).command[:30])
    return "".join(text), case.shell


@pytest.mark.timeout(600)
def test_mutated_lines_always_get_a_verdict_and_never_an_exception() -> None:
    random_numbers = random.Random(20)
    cases = [*given(), *table()]
    for _ in range(MUTATIONS):
        text, shell = mutated(random_numbers, cases)
        verdict = judge(text, shell=shell, workspace=WORKSPACE)
        assert verdict.decision in DECISIONS
        assert verdict.effect in EFFECTS
        assert verdict.rule != "internal.error", (shell, text, verdict.resource)
        assert text[verdict.span[0] : verdict.span[1]] == verdict.command
        assert verdict.to_dict()["reason"]


@pytest.mark.parametrize("shell", ["posix", "powershell", "cmd"])
@pytest.mark.parametrize(
    "piece", ["(", "$(", "{", "a|", "a;", "<<E\n", "a=(", ">", "x=1;", "\\", "a/../", "${", "[[ ", "`", "é", "rm x ", '"', "if "]
)
def test_sixty_four_kilobytes_of_anything_get_a_verdict(shell: str, piece: str) -> None:
    text = (piece * 65536).encode()[:65536].decode("utf-8", "ignore")
    assert judge(text, shell=shell, workspace=WORKSPACE).rule != "internal.error"


def test_what_is_longer_than_the_limit_asks() -> None:
    assert judge("echo " + "a" * 70000, workspace=WORKSPACE).rule == "parse.limit"


def test_two_hundred_and_one_commands_ask() -> None:
    assert judge(";".join(["ls"] * 100), workspace=WORKSPACE).decision == "allow"
    assert judge(";".join(["ls"] * 201), workspace=WORKSPACE).rule == "parse.limit"


def test_nesting_deeper_than_eight_asks() -> None:
    assert judge("( " * 7 + "ls" + " )" * 7, workspace=WORKSPACE).decision == "allow"
    assert judge("( " * 9 + "ls" + " )" * 9, workspace=WORKSPACE).rule == "parse.limit"


@pytest.mark.parametrize("text", ["ls\x00", "ls \u202e x", "ls\r", "echo \x1b[2J", "ls\u00a0-l", "echo \u2028rm"])
def test_invisible_characters_ask(text: str) -> None:
    assert judge(text, workspace=WORKSPACE).rule == "parse.control"
