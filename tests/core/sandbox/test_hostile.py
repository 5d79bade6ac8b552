"""Requirements S1, S2 and S5: what commands cannot do and what they still can, in each tier, as this user and as an ordinary one."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from core.launcher import bubblewrap
from tests.core.sandbox.hostile import HOSTILE, PROVABLE, WORKING

# What tier landlock cannot stop or allow, by the name under which the sandbox itself reports it.
LOST = {
    "chmod outside": "metadata", "touch -d outside": "metadata", "reading .env in the workspace": "masked_files",
    "/proc/AGENT/cmdline": "private_proc", "a server on 127.0.0.1": "loopback",
}
Attempts = Callable[[str, str], dict[str, Any]]


@pytest.mark.parametrize("tier", ["full", "landlock"])
@pytest.mark.parametrize("who", ["me", "ordinary"])
@pytest.mark.parametrize("name", [*HOSTILE, *WORKING])
def test_an_attempt_is_stopped_and_ordinary_work_goes_on(attempts: Attempts, who: str, tier: str, name: str) -> None:
    found = attempts(who, tier)
    if "skip" in found:
        pytest.skip(found["skip"])
    good, output = found["checks"][name]
    if tier == "landlock" and name in LOST:
        assert LOST[name] in found["missing"], "a lost feature is named"
        assert not good, "it works after all: take it out of the list"
        pytest.skip(f"tier landlock lacks {LOST[name]}")
    assert good, output


@pytest.mark.parametrize("name", [*HOSTILE, *WORKING])
def test_the_same_holds_in_a_tree_that_bwrap_built(attempts: Attempts, name: str) -> None:
    """TEST_BWRAP may name a bwrap that is not installed."""
    if not os.environ.get("TEST_BWRAP") and not bubblewrap.find():
        pytest.skip("bwrap is not installed")
    found = attempts("me", "bwrap")
    if "skip" in found:
        pytest.skip(found["skip"])
    good, output = found["checks"][name]
    assert good, output


@pytest.mark.parametrize("name", PROVABLE)
def test_the_same_attempt_succeeds_without_a_sandbox(control: dict[str, Any], name: str) -> None:
    stopped, output = control["checks"][name]
    assert not stopped, f"this attempt proves nothing: {output}"


def test_there_are_as_many_checks_as_the_specification_asks_for() -> None:
    assert len(HOSTILE) >= 33
    assert len(WORKING) == 8
