"""core/context.py: an overflowing conversation loses its oldest observations first."""
from __future__ import annotations

from core.context import shrink


def conversation(observations: int) -> list[dict[str, str]]:
    history = [{"role": "system", "content": "s"}, {"role": "user", "content": "task"}]
    for number in range(observations):
        history += [{"role": "assistant", "content": "{}"},
                    {"role": "user", "content": f"[SYSTEM OBSERVATION]\nresult {number}\n[/SYSTEM OBSERVATION]"}]
    return history


def test_the_older_half_is_emptied_and_roles_and_the_task_stay() -> None:
    history = conversation(6)
    roles = [message["role"] for message in history]
    assert shrink(history)  # type: ignore[arg-type]
    kept = [message["content"] for message in history if "result" in message["content"]]
    assert [message["role"] for message in history] == roles and history[1]["content"] == "task"
    assert len(kept) == 3 and "result 5" in kept[-1]


def test_shrinking_ends_when_only_the_last_two_are_left() -> None:
    history = conversation(6)
    rounds = 0
    while shrink(history):  # type: ignore[arg-type]
        rounds += 1
    assert rounds < 10 and sum("result" in message["content"] for message in history) == 2
