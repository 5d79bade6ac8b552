"""core/suggestion.py: a local model is told the skill command that its user's request names."""
from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from core.skills import SkillRegistry
from core.suggestion import suggest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def registry() -> SkillRegistry:
    found = SkillRegistry(ROOT / "skills")
    found.scan()
    return found


@pytest.mark.parametrize("query, result", [("What is the 100th Fibonacci number?", "354224848179261915075"),
                                           ("斐波那契数列第100项是多少？", "354224848179261915075"), ("gcd of 12 and 18", "6"),
                                           ("What is 25 factorial, exactly?", "15511210043330985984000000")])
def test_the_suggested_command_runs_from_any_folder(registry: SkillRegistry, tmp_path: Path, query: str, result: str) -> None:
    command = suggest(query, registry).removeprefix("a skill's command that fits: ")
    argv = [sys.executable, *shlex.split(command)[1:]]
    assert result in subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True).stdout


def test_the_suggested_command_counts_as_declared_from_the_workspace(registry: SkillRegistry, tmp_path: Path) -> None:
    assert registry.match_command(suggest("gcd of 12 and 18", registry).removeprefix("a skill's command that fits: "), tmp_path) is not None


@pytest.mark.parametrize("query", ["Which day has the highest temperature?", "你好", "", "What is the release code in files/readme.md?"])
def test_nothing_is_suggested_for_a_request_that_no_skill_covers(registry: SkillRegistry, query: str) -> None:
    assert suggest(query, registry) == ""


def test_a_destructive_command_is_never_suggested(tmp_path: Path) -> None:
    skill = tmp_path / "wipe"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: wipe\ndescription: Wipes\n---\n")
    (skill / "main.py").write_text("")
    text = "commands:\n  - name: wipe\n    description: Wipes\n    argv: [python, main.py, wipe]\n"
    text += "    say: [wipe everything]\n    effect: EFFECT\n"
    for effect, expected in (("destructive", False), ("write", True)):
        (skill / "commands.yaml").write_text(text.replace("EFFECT", effect))
        registry = SkillRegistry(tmp_path)
        registry.scan()
        assert bool(suggest("wipe everything", registry)) is expected


def test_a_request_that_only_uses_a_commands_name_is_told_the_skill(registry: SkillRegistry) -> None:
    assert suggest("I need the factorial of every number from 3 to 5, in a table", registry) == "a skill that fits: math-tools; view it first"
    assert suggest("What is a factorial?", registry) == ""
