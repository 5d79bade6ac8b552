"""A session in this process: when a stop counts."""
from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.cli.driver import FakeStream
from ui.cli.arguments import parse
from ui.cli.screen import Screen
from ui.cli.session import Session


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    for name in ("API_BASE_URL", "API_KEY", "MODEL_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AGENT_NO_ENV_FILE", "1")
    return Session(parse(["--workspace", str(tmp_path / "workspace")]), Screen(out=FakeStream(), err=FakeStream(), environ={}))


def test_a_stop_while_nothing_ran_does_not_stop_the_next_run(session: Session) -> None:
    session.kernel.cancel()
    outcome = session.run("what is 20!")
    assert outcome is not None and outcome.status == "done"
    session.close()


def test_a_stop_between_the_start_of_the_thread_and_the_run_is_kept(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    run = session.kernel.run

    def stopped_first(request: str, stream: bool = False) -> str:
        session._stop()
        return run(request, stream=stream)

    monkeypatch.setattr(session.kernel, "run", stopped_first)
    outcome = session.run("what is 20!")
    assert outcome is not None and outcome.status == "cancelled"
    session.close()
