"""The verdict, the policy table, what a skill declares, and the modules that may be missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.guard import DECISIONS, EFFECTS, judge, judge_declared, preview
from core.guard.reasons import REASONS
from core.guard.verdict import load_table, rules
from core.i18n import LANGUAGES, text_in
from tests.core.guard.guard_cases import WORKSPACE

ROOT = Path(__file__).resolve().parents[3]


def test_every_rule_has_a_known_effect_a_decision_a_reason_and_says_what_would_be_allowed() -> None:
    assert set(rules()) == set(REASONS)
    for name, rule in rules().items():
        assert rule.effect in EFFECTS, name
        assert rule.decision in DECISIONS, name
        assert bool(rule.allowed) == (rule.decision != "allow"), name
        for language in LANGUAGES:
            assert text_in(language, REASONS[name], command="c", resource="r")


def test_the_tables_name_only_rules_that_exist() -> None:
    named = {rule for spec in load_table("subcommands").values() for rule in [*spec.get("rules", {}), *spec.get("veto", {}).values()]}
    named |= {rule for table in ("programs", "windows", "powershell") for rule in load_table(table)["danger"]}
    named |= set(load_table("git")["subs"]) | {rule for flags in load_table("git")["flags"].values() for rule in flags.values()}
    assert named - set(rules()) == set()


def test_a_verdict_is_plain_data_and_names_the_offending_command() -> None:
    verdict = judge("ls; rm -rf ~/data && pwd", workspace=WORKSPACE)
    assert verdict.command == "rm -rf ~/data"
    assert (verdict.rule, verdict.effect, verdict.decision) == ("delete.outside", "destructive", "ask")
    data = json.loads(json.dumps(verdict.to_dict()))
    assert data["span"] == [4, 17]
    assert data["rules"] == ["delete.outside"]
    assert data["allowed"]


def test_offsets_are_characters_not_bytes() -> None:
    verdict = judge("echo 你好; rm -rf /var/www", workspace=WORKSPACE)
    assert verdict.command == "rm -rf /var/www"


def test_control_characters_are_escaped_in_the_reason() -> None:
    assert "\u202e" not in judge("ls \u202e", workspace=WORKSPACE).reason


def test_the_worst_rule_speaks_and_all_are_named() -> None:
    verdict = judge("git push; sudo ls; rm a", workspace=WORKSPACE)
    assert set(verdict.rules) == {"git.push", "privilege.root", "delete.workspace"}


def test_network_that_is_allowed_is_marked() -> None:
    assert judge("pip install requests", workspace=WORKSPACE).network
    assert not judge("ls", workspace=WORKSPACE).network


def test_inside_the_sandbox_what_it_holds_runs_and_what_it_does_not_hold_asks() -> None:
    for command in ("frobnicate --all", "make", "python x.py"):
        assert judge(command, workspace=WORKSPACE, sandboxed=True).decision == "allow", command
    for command in ("rm -rf src", "cat .env", "curl https://example.com", "$x -rf src", "git push", "echo x > ../core/a.py"):
        assert judge(command, workspace=WORKSPACE, sandboxed=True).decision == "ask", command
    assert judge("frobnicate --all", workspace=WORKSPACE).rule == "unknown.program"


@pytest.mark.parametrize(
    ("effect", "decision"), [("read", "allow"), ("write", "allow"), ("network", "ask"), ("destructive", "ask"), ("nonsense", "ask")]
)
def test_what_a_skill_declares_raises_a_verdict(effect: str, decision: str) -> None:
    assert judge_declared(effect, judge("ls", workspace=WORKSPACE)).decision == decision


@pytest.mark.parametrize("effect", ["read", "write", "network"])
def test_what_a_skill_declares_never_lowers_a_verdict(effect: str) -> None:
    assert judge_declared(effect, judge("rm -rf /", workspace=WORKSPACE)).decision == "deny"
    assert judge_declared(effect, judge("rm -rf src", workspace=WORKSPACE)).rule == "delete.workspace"


def test_a_preview_shows_each_command_as_it_was_understood() -> None:
    shown = preview("cd src && bash -c 'ls; r\"\"m x'", workspace=WORKSPACE)
    assert [entry["words"] for entry in shown["commands"]] == [["cd", "src"], ["bash", "-c", 'ls; r""m x'], ["ls"], ["rm", "x"]]
    assert shown["verdict"]["decision"] == "ask"
    assert [row["rule"] for row in shown["findings"]] == ["delete.workspace"]


def test_an_unknown_shell_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="posix"):
        judge("ls", shell="tcsh", workspace=WORKSPACE)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_the_guard_imports_no_grammar() -> None:
    assert run("import sys, core.guard; print([name for name in sys.modules if name.startswith(('tree_sitter', 'yaml'))])") == "[]"


def test_without_the_grammars_only_a_plain_reading_command_runs() -> None:
    code = (
        "import sys; sys.modules['tree_sitter'] = None\nfrom core.guard import judge\n"
        "lines = [('posix', 'ls -la src'), ('posix', 'ls; pwd'), ('posix', 'make'), ('posix', 'cat .env'), ('powershell', 'ls'), ('cmd', 'dir')]\n"
        "for shell, line in lines:\n"
        f"    print(judge(line, shell=shell, workspace={WORKSPACE!r}).decision, end=' ')"
    )
    assert run(code) == "allow ask ask ask ask allow"


def test_an_error_inside_the_guard_ends_in_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.guard import shells

    def broken(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(shells, "walk_script", broken)
    verdict = judge("ls", workspace=WORKSPACE)
    assert (verdict.decision, verdict.rule) == ("ask", "internal.error")
