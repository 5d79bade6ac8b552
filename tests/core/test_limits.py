"""core/limits.py: what stops a run, and what only reminds."""
from __future__ import annotations

from core.limits import CostLimit, DenialLimit, Done, RefusalLimit, RepeatLimit, RunState, StepLimit, Stop, action_key, summary


def state_with(*keys: int) -> RunState:
    state = RunState("do it")
    for key in keys:
        state.add(Done("run_command", "ls", True, "exit code: 0", key))
    return state


def stopped(stop: Stop | None) -> tuple[str, int]:
    assert stop is not None
    return stop.status, stop.exit_code


def test_the_step_fuse_stops_and_tells_what_was_done() -> None:
    state = state_with(1)
    state.steps = 30
    stop = StepLimit(30).before(state)
    assert stopped(stop) == ("fuse", 4) and stop is not None and "run_command ls" in stop.message and "30" in stop.message
    state.steps = 29
    assert StepLimit(30).before(state) is None and "1 steps" in StepLimit(30).remark(state)


def test_three_refusals_in_a_row_stop_with_the_reason() -> None:
    state = RunState("do it", refusals=3, last_refusal="no_object")
    stop = RefusalLimit().before(state)
    assert stopped(stop) == ("failed", 1) and stop is not None and "no_object" in stop.message
    assert RefusalLimit().before(RunState("do it", refusals=2)) is None


def test_a_repeated_action_is_reminded_at_three_and_stopped_at_five() -> None:
    limit = RepeatLimit()
    assert limit.remark(state_with(1, 1)) == ""
    assert "3 times" in limit.remark(state_with(1, 2, 1, 2, 1))
    assert limit.before(state_with(1, 1, 1, 1)) is None
    assert stopped(limit.before(state_with(1, 1, 1, 1, 1))) == ("failed", 1)


def test_the_same_action_with_another_result_is_no_repeat() -> None:
    keys = [action_key("run_command", {"command": "date"}, str(second)) for second in range(9)]
    assert RepeatLimit().before(state_with(*keys)) is None


def test_a_key_depends_on_action_arguments_and_result_only() -> None:
    assert action_key("a", {"x": 1, "y": 2}, "r") == action_key("a", {"y": 2, "x": 1}, "r")
    assert len({action_key("a", {"x": 1}, "r"), action_key("b", {"x": 1}, "r"), action_key("a", {"x": 2}, "r"), action_key("a", {"x": 1}, "s")}) == 4


def test_the_cost_limit_is_off_at_zero_and_stops_above_its_figure() -> None:
    assert CostLimit(0).before(RunState("q", tokens=10**9)) is None
    assert stopped(CostLimit(100).before(RunState("q", tokens=100))) == ("fuse", 4)


def test_a_summary_of_nothing_is_a_dash_and_marks_failures() -> None:
    assert summary(RunState("q")).strip() == "–"
    state = RunState("q")
    state.add(Done("run_command", "false\nmore", False, "exit code: 1", 1))
    assert summary(state) == "  ! run_command false"


def test_three_denials_in_a_row_by_one_rule_stop_with_advice() -> None:
    state = RunState("q")
    for number, rule in enumerate(["network", "", "network", "network", "network"]):
        assert DenialLimit().before(state) is None
        state.add(Done("run_command", "python net.py", False, "blocked", number, blocked=rule))
    stop = DenialLimit().before(state)
    assert stopped(stop) == ("failed", 1) and stop is not None and "network" in stop.message
