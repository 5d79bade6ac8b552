"""The corpora: what is dangerous asks or is denied, everyday work runs."""

from __future__ import annotations

from collections import Counter

import pytest

from core.guard import judge
from tests.core.guard.guard_cases import WORKSPACE, Case, given, table


def wrong(cases: list[Case]) -> list[tuple[str, str, str]]:
    found = []
    for case in cases:
        verdict = judge(case.command, shell=case.shell, workspace=WORKSPACE)
        if (verdict.decision == "allow") == case.dangerous or verdict.rule == "internal.error":
            found.append((case.kind, case.command, f"{verdict.decision} {verdict.rule}"))
    return found


def test_the_given_cases_are_all_judged_right() -> None:
    cases = list(given())
    assert len(cases) == 141
    assert wrong(cases) == []


@pytest.mark.parametrize("shell", ["posix", "powershell", "cmd"])
def test_the_further_cases_are_all_judged_right(shell: str) -> None:
    assert wrong([case for case in table() if case.shell == shell]) == []


def test_the_further_cases_cover_every_kind_that_was_given() -> None:
    kinds = Counter((case.shell, case.kind) for case in table())
    assert sum(kinds.values()) >= 400
    assert min(kinds[case.shell, case.kind] for case in given()) >= 20


def test_quoting_a_dangerous_text_for_a_program_that_only_shows_it_is_no_danger() -> None:
    for case in given():
        if case.shell == "posix" and case.dangerous and "'" not in case.command and "\n" not in case.command:
            for command in (f"echo '{case.command}'", f"grep -rn '{case.command}' src", f"git commit -m '{case.command}'"):
                assert judge(command, workspace=WORKSPACE).decision == "allow", command


def test_the_same_question_is_asked_in_the_persons_language() -> None:
    from core import i18n

    verdict = judge("rm -rf src", workspace=WORKSPACE)
    i18n.set_language("en")
    english = verdict.reason
    i18n.set_language("zh")
    assert english != verdict.reason
    assert "src" in english
    assert "工作区" in verdict.reason
