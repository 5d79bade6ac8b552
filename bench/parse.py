"""What parsing a reply costs, beside json.loads, a plain three-level parser and json_repair, and what each would do wrongly.

    python bench/parse.py

Medians of milliseconds within one run, and their ratio to json.loads. Refusals are the point of a parser that runs commands, so the
second table counts what each one takes from the replies kept in tests/fixtures: wrong deeds, deeds that should have been refused, and
deeds that were missed.
"""
from __future__ import annotations

import importlib
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench._common import median, table  # noqa: E402
from core.protocol import ProtocolError, parse  # noqa: E402

Parser = Callable[[str], Any]
REPLIES = ROOT / "tests" / "fixtures" / "replies_dev.jsonl"


def ours(reply: str) -> Any:
    """The step as a dict, None when refused."""
    try:
        return parse(reply).to_dict()
    except ProtocolError:
        return None


def three_levels(reply: str) -> Any:
    """What most agents do: the whole text, then a fenced block, then the text between the outermost braces."""
    candidates = [reply.strip()]
    candidates += re.findall(r"```(?:json)?\s*(.*?)```", reply, re.DOTALL)[:1]
    candidates += [match.group() for match in [re.search(r"\{.*\}", reply, re.DOTALL)] if match]
    for candidate in candidates:
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def repairer() -> Parser | None:
    """json_repair, where it is installed."""
    try:
        loads = importlib.import_module("json_repair").loads
    except ImportError:
        return None

    def repaired(reply: str) -> Any:
        try:
            return loads(reply)
        except (ValueError, RecursionError):
            return None

    return repaired


def clean(size: int) -> str:
    """A clean reply of about `size` characters: a file with quotes, line breaks and braces."""
    line = 'print("item {number}", {"key": [1, 2]})  # 第一行\n'
    reply = {"thought": "写文件", "action": "write_file", "path": "workspace/a.py", "content": ""}
    reply["content"] = line * max(1, (size - 90) // (len(line) + 5))
    return json.dumps(reply, ensure_ascii=False)


def milliseconds(call: Parser, reply: str) -> float:
    """The median time of one call, of enough calls to fill about 0.3 s."""
    call(reply)
    samples: list[float] = []
    until = time.perf_counter() + 0.3
    while time.perf_counter() < until or len(samples) < 5:
        start = time.perf_counter()
        call(reply)
        samples.append((time.perf_counter() - start) * 1000)
    return median(samples)


def speed(parsers: dict[str, Parser]) -> None:
    """The first table."""
    replies = {f"clean {size / 1000:g} KB": clean(size) for size in (200, 2_000, 20_000, 200_000)}
    rows = []
    for name, reply in replies.items():
        floor = milliseconds(json.loads, reply)
        figures = [(milliseconds(parser, reply)) for parser in parsers.values()]
        rows.append([name, f"{floor:.4f}", *(f"{figure:.4f} ({figure / floor:.1f}x)" for figure in figures)])
    corpus = [json.loads(line)["reply"] for line in REPLIES.read_text("utf-8").splitlines()]
    whole = [milliseconds(lambda _, each=parser: [each(reply) for reply in corpus], "") / len(corpus) for parser in parsers.values()]
    rows.append([f"given replies ({len(corpus)}), each", "–", *(f"{figure:.4f}" for figure in whole)])
    hostile = {"200,000 open braces": "{" * 200_000, "200 KB of backslashes": '{"a": "' + "\\" * 200_000, "200 KB of quotes": "{" + '"' * 200_000}
    rows += [[name, "–", f"{milliseconds(ours, reply):.4f}", *["–"] * (len(parsers) - 1)] for name, reply in hostile.items()]
    table("Milliseconds (times json.loads)", ["reply", "json.loads", *parsers], rows)


def safety(parsers: dict[str, Parser]) -> None:
    """The second table."""
    cases = [json.loads(line) for line in REPLIES.read_text("utf-8").splitlines()]
    rows = []
    for name, parser in parsers.items():
        wrong = taken = missed = 0
        for case in cases:
            got = parser(case["reply"])
            acts = isinstance(got, dict) and isinstance(got.get("action"), str)
            right = [case["expect"], *case.get("also_ok", [])]
            if acts and got not in right and {"thought": "", **got} not in right:
                wrong += case["expect"] is not None
                taken += case["expect"] is None
            missed += not acts and None not in right
        rows.append([name, wrong + taken, taken, wrong, missed])
    table(f"{len(cases)} replies", ["parser", "unsafe", "of these: should have been refused", "another deed", "missed"], rows)


def main() -> None:
    parsers: dict[str, Parser] = {"ours": ours, "three levels": three_levels}
    if repaired := repairer():
        parsers["json_repair"] = repaired
    else:
        print("json_repair is not installed here: `pip install json-repair` adds its column.")
    speed(parsers)
    safety(parsers)


if __name__ == "__main__":
    main()
