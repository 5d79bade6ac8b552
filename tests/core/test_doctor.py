"""The doctor: what fails, what only warns, and that each trouble comes with its cure."""
from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from core import doctor
from core.config import ROOT, Settings, load_settings
from core.doctor import Check, examine, exit_code, requirements, satisfies
from core.errors import SettingsError
from core.i18n import set_language

FAKE_SOUNDDEVICE = """
import importlib.abc, importlib.util, sys
class Fake(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "sounddevice" else None
    def exec_module(self, module):
        exec(SOURCE, module.__dict__)
sys.meta_path.insert(0, Fake())
"""
SECRET = "sk-abcdefghijklmnopqrstuvwxyz0123"


@pytest.fixture
def status_server() -> Iterator[str]:
    """A server that answers /STATUS/models with that status and keeps what it was asked."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _, status, tail = self.path.split("/", 2)
            self.send_response(int(status) if tail == "models" and self.headers.get("Authorization") == f"Bearer {SECRET}" else 418)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Stay silent."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def settings(tmp_path: Path, **values: object) -> Settings:
    (tmp_path / "skills").mkdir(exist_ok=True)
    return Settings(workspace=tmp_path / "workspace", skills_dir=tmp_path / "skills", **values)  # type: ignore[arg-type]


def by_name(checks: list[Check]) -> dict[str, Check]:
    named = {check.name: check for check in checks}
    assert len(named) == len(checks), "two checks of one name"
    return named


def test_a_machine_with_everything_needed_passes_though_it_lacks_comforts(tmp_path: Path) -> None:
    checks = examine(settings(tmp_path))
    assert exit_code(checks) == 0
    named = by_name(checks)
    assert {"python", "environment", "package httpx", "model", "workspace", "disk", "skills", "encoding", "git", "browser", "page", "window",
            "microphone"} <= set(named)
    assert "endpoint" not in named
    assert named["model"].state == "warn"
    assert json.loads(json.dumps([check.to_dict() for check in checks]))[0]["state"] in ("ok", "warn", "fail")


def test_whatever_is_not_fine_comes_with_a_cure_in_both_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for language in ("en", "zh"):
        set_language(language)
        checks = examine(settings(tmp_path, api_key=SECRET))
        assert [check for check in checks if check.state != "ok" and not check.cure] == []
        named = by_name(checks)
        assert [named[name].state for name in ("bash", "git", "browser")] == ["warn"] * 3
        assert (named["model"].state, "API_BASE_URL" in named["model"].detail) == ("fail", True)


def test_wrong_settings_are_a_finding_with_their_own_words() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(environ={"MAX_STEPS": "many"})
    checks = examine(caught.value)
    assert by_name(checks)["settings"].detail == caught.value.message
    assert exit_code(checks) == 3


def test_missing_and_outdated_packages_fail_only_where_nothing_runs_without_them(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("httpx>=99,<100\nno-such-package>=1,<2  # comfort\nPyYAML>=1,<99\n")
    named = by_name(examine(settings(tmp_path), root=tmp_path))
    assert [named[f"package {name}"].state for name in ("httpx", "no-such-package", "PyYAML")] == ["fail", "warn", "ok"]
    assert ">=99" in named["package httpx"].detail


@pytest.mark.parametrize(("version", "demands", "fits"), [
    ("1.10", ">=1.9,<2", True), ("2.0", ">=1.9,<2", False),
    ("1.8.9", ">=1.9,<2", False), ("2.0rc1", "<2", False), ("1", ">=1.0.0", True), ("3", "", True),
])
def test_versions_are_compared_by_number(version: str, demands: str, fits: bool) -> None:
    assert satisfies(version, demands) is fits


def test_the_lists_of_the_project_hold_only_demands_that_the_doctor_understands() -> None:
    for file in ROOT.glob("requirements*.txt"):
        for name, demands in requirements(file):
            assert name
            assert all(demand.startswith((">=", "<")) and not demand.startswith("<=") for demand in demands.split(","))


@pytest.mark.parametrize(("status", "state"), [(200, "ok"), (404, "ok"), (401, "fail"), (403, "fail"), (503, "warn")])
def test_the_endpoint_is_asked_only_online_and_with_the_key(tmp_path: Path, status_server: str, status: int, state: str) -> None:
    chosen = settings(tmp_path, api_base_url=f"{status_server}/{status}", api_key=SECRET, model_name="m")
    checks = examine(chosen, online=True)
    check = by_name(checks)["endpoint"]
    assert (check.state, str(status) in check.detail) == (state, True)
    assert SECRET not in str(checks)
    assert "endpoint" not in by_name(examine(chosen))


def test_a_silent_endpoint_fails_without_telling_the_key(tmp_path: Path) -> None:
    checks = examine(settings(tmp_path, api_base_url="http://127.0.0.1:9/v1", api_key=SECRET, model_name="m"), online=True)
    check = by_name(checks)["endpoint"]
    assert (check.state, "PROXY" in check.cure) == ("fail", True)
    assert SECRET not in str(checks)
    assert exit_code(checks) == 3


def test_a_key_that_travels_unencrypted_is_a_warning(tmp_path: Path) -> None:
    named = by_name(examine(settings(tmp_path, api_base_url="http://192.168.1.2/v1", api_key=SECRET, model_name="m")))
    assert named["key in the clear"].state == "warn"


def test_a_workspace_or_skills_folder_that_cannot_serve_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    chosen = Settings(workspace=tmp_path / "file" / "x", skills_dir=tmp_path / "nowhere")
    named = by_name(examine(chosen))
    assert (named["workspace"].state, named["skills"].state) == ("fail", "fail")
    assert "--workspace" in named["workspace"].cure


def test_a_disk_that_runs_full_warns_and_then_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, state in (("DISK_WARN", "warn"), ("DISK_FAIL", "fail")):
        monkeypatch.setattr(doctor, limit, 10**12)
        assert by_name(examine(settings(tmp_path)))["disk"].state == state


@pytest.mark.skipif(os.name == "nt", reason="permission bits of POSIX")
def test_an_env_file_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("")
    for mode, state in ((0o644, "warn"), (0o600, "ok")):
        file.chmod(mode)
        assert by_name(examine(settings(tmp_path), root=tmp_path))["env file"].state == state


@pytest.mark.parametrize(("module", "words"), [
    ("raise OSError('PortAudio library not found')", "PortAudio is missing"), ("raise ImportError", "not installed"),
    ("query_devices = lambda: []", "no microphone"), ("query_devices = lambda: [{'max_input_channels': 2}]; print('noise')", "1 found"),
])
def test_the_microphone_is_judged_by_what_its_library_says(monkeypatch: pytest.MonkeyPatch, module: str, words: str) -> None:
    monkeypatch.setattr(doctor, "_ASK_PORTAUDIO", FAKE_SOUNDDEVICE.replace("SOURCE", repr(module)) + doctor._ASK_PORTAUDIO)
    assert words in doctor._microphone().detail
