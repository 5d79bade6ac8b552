"""A denial is told from an ordinary failure by exit code, words and policy together (S10)."""
from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from core.sandbox import Sandbox
from core.sandbox.elsewhere import seatbelt_profile
from core.sandbox.policy import make_policy
from tests.core.sandbox.hostile import run

Make = Callable[..., Sandbox]


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("x")
    return tmp_path


# script, rule, whether the path is the outside file's
DENIED = [
    ("touch /usr/new", "write-outside", "/usr/new"),
    ("echo x > /etc/passwd", "write-outside", "/etc/passwd"),
    ("python3 -c \"open('/usr/lib/x', 'w')\"", "write-outside", "/usr/lib/x"),
    ("cat OUTSIDE/file", "read-outside", "OUTSIDE/file"),
    ("python3 -c \"open('OUTSIDE/file')\"", "read-outside", "OUTSIDE/file"),
    ("ls OUTSIDE", "read-outside", "OUTSIDE"),
    ("touch .agent/policy.yaml", "protected", "WORK/.agent/policy.yaml"),
    ("curl -sS http://example.com || wget http://example.com || python3 -c \"import socket; socket.getaddrinfo('example.com', 80)\"", "network", ""),
    ("python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80))\"", "network", ""),
    ("trap '' XFSZ; ulimit -f 1; exec 3>big; kill -XFSZ $BASHPID; kill -KILL $BASHPID", None, ""),
    ("cat missing-file", None, ""),
    ("cat OUTSIDE/never-there", None, ""),
    ("echo 'tests failed: Permission denied for user bob'; exit 1", None, ""),
    ("exit 3", None, ""),
    ("python3 -c \"import socket; socket.create_connection(('127.0.0.1', 9))\"", None, ""),
    ("touch file; chmod 000 file; mkdir d; touch d; false", None, ""),
]


@pytest.mark.parametrize(("script", "rule", "path"), DENIED)
def test_a_denial_names_its_rule_and_path_and_a_failure_is_left_alone(make: Make, scene: Path, script: str, rule: str | None, path: str) -> None:
    sandbox = make("full")
    status, output = run(sandbox, script.replace("OUTSIDE", str(scene / "outside")))
    assert status != 0
    denial = sandbox.explain(status, output)
    assert (denial.rule if denial else None) == rule, output
    if denial:
        assert denial.path == path.replace("OUTSIDE", str(scene / "outside")).replace("WORK", str(scene / "work"))
        assert denial.blocked_by == "sandbox"
        assert "would be allowed" in denial.observation


def test_with_the_network_granted_a_network_error_is_the_networks(make: Make) -> None:
    sandbox = make("full")
    text = "curl: (6) Could not resolve host: example.com"
    assert sandbox.explain(6, text, network=True) is None
    found = sandbox.explain(6, text)
    assert found is not None
    assert found.rule == "network"


def test_a_service_of_the_host_that_is_out_of_reach_is_told_from_one_that_does_not_run(make: Make) -> None:
    sandbox = make("full")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        text = f"connection to server at 127.0.0.1, port {port} failed: Connection refused"
        assert sandbox.explain(2, text) is not None
    assert sandbox.explain(2, text) is None


def test_a_limit_that_ended_a_command_is_named(make: Make) -> None:
    sandbox = make("full", limits={"FSIZE": 100000, "CPU": 1})
    status, output = run(sandbox, "exec head -c 200000 /dev/zero > big")
    found = sandbox.explain(status, output)
    assert found is not None
    assert found.rule == "file-size"
    status, output = run(sandbox, "exec python3 -c 'while True: pass'")
    found = sandbox.explain(status, output)
    assert found is not None or status == -9
    assert sandbox.explain(0, "Permission denied: /etc/shadow") is None


def test_the_landlock_tier_is_explained_too(make: Make, scene: Path) -> None:
    sandbox = make("landlock")
    for script, rule in (("touch /usr/new", "write-outside"), (f"cat {scene}/outside/file", "read-outside")):
        status, output = run(sandbox, script)
        found = sandbox.explain(status, output)
        assert found is not None, output
        assert found.rule == rule


def test_the_seatbelt_profile_names_every_grant_and_closes_the_agents_folder(tmp_path: Path) -> None:
    (tmp_path / 'quoted "name"').mkdir()
    policy = make_policy(tmp_path / 'quoted "name"', readable=["/opt/skills"])
    offline, online = seatbelt_profile(policy, "/tmp/own", False), seatbelt_profile(policy, "/tmp/own", True)
    assert offline.startswith("(version 1)\n(deny default)")
    assert '(allow file-read* (subpath "/opt/skills"))' in offline
    assert 'quoted \\"name\\"' in offline
    assert offline.index("allow file-write* (subpath") < offline.index("deny file-write* (subpath"), "the last rule that fits decides"
    assert ".agent" in offline
    assert "network" not in offline
    assert "(allow network*)" in online
    assert offline.count("(") - offline.count(")") in (0, offline.count("\\(") - offline.count("\\)"))


def test_a_person_who_may_not_read_a_file_anyway_hears_nothing_of_the_sandbox(make: Make, scene: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    (scene / "outside" / "file").chmod(0)
    assert make("landlock").explain(1, f"cat: {scene}/outside/file: Permission denied") is None
