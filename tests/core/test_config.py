"""Settings: order, trust, validation, masking; and the reader of .env with python-dotenv as its referee."""
from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import example, given
from hypothesis import strategies as st

from core import config
from core.config import Settings, describe, load_settings, mask, provider_blocks, scrub_environment
from core.env_file import _plain_values, read_env_file
from core.errors import SettingsError

SECRET = "sk-abcdefghijklmnopqrstuvwxyz0123"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose person has an own configuration folder."""
    folder = tmp_path / "home" / ".config" / "skills-agent"
    folder.mkdir(parents=True)
    return {"HOME": str(tmp_path / "home"), "APPDATA": str(tmp_path / "home" / ".config")}


def project(tmp_path: Path, text: str = "") -> Path:
    root = tmp_path / "project"
    root.mkdir()
    if text:
        (root / ".env").write_text(text)
    return root


def refused(**arguments: object) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load_settings(**arguments)  # type: ignore[arg-type]
    assert caught.value.exit_code == 3
    assert "\n" not in caught.value.message
    return caught.value


def test_with_nothing_set_every_value_is_the_documented_default(tmp_path: Path) -> None:
    settings = load_settings(environ={}, root=tmp_path)
    assert (settings.api_base_url, settings.api_key, settings.max_steps) == ("", "", 30)
    assert (settings.retry_delay_min, settings.retry_delay_max) == (3000, 6000)
    assert (settings.command_timeout, settings.temperature, settings.max_tokens, settings.answer_check) == (300, 0.1, None, True)
    assert settings.workspace == tmp_path / "workspace"
    assert settings.skills_dir == tmp_path / "skills"
    assert set(settings.sources.values()) == {"default"}
    assert settings.missing() == ()


def test_flag_beats_environment_beats_env_file_beats_project_beats_user(tmp_path: Path, home: dict[str, str]) -> None:
    root = project(tmp_path, "MAX_STEPS=4\nMODEL_NAME=four\nMAX_RETRIES=4\nTEMPERATURE=0.4\n")
    user = tmp_path / "home" / ".config" / "skills-agent" / ".env"
    user.write_text("MAX_STEPS=5\nMODEL_NAME=five\nMAX_RETRIES=5\nTEMPERATURE=0.5\nOBSERVATION_LIMIT=500\n")
    explicit = tmp_path / "explicit.env"
    explicit.write_text("MAX_STEPS=3\nMODEL_NAME=three\nMAX_RETRIES=3\n")
    environ = {**home, "MAX_STEPS": "2", "MODEL_NAME": "two"}
    settings = load_settings({"max_steps": "1", "model_name": None}, environ=environ, env_file=explicit, root=root)
    names = ("max_steps", "model_name", "max_retries", "temperature", "observation_limit", "proxy")
    assert [getattr(settings, name) for name in names] == [1, "two", 3, 0.4, 500, ""]
    sources = [settings.sources[name] for name in names]
    assert sources == ["flag", "environment", str(explicit), str(root / ".env"), str(user), "default"]


def test_no_env_file_of_working_directory_workspace_or_parent_is_read(tmp_path: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path)
    for folder in (tmp_path, root / "workspace", tmp_path / "elsewhere", tmp_path / "home"):
        folder.mkdir(exist_ok=True)
        (folder / ".env").write_text("MODEL_NAME=stranger\n")
    for folder in (tmp_path, root / "workspace", tmp_path / "elsewhere"):
        monkeypatch.chdir(folder)
        assert load_settings(environ=home, root=root).model_name == ""


def test_the_implicit_files_stay_unread_when_the_environment_says_so(tmp_path: Path) -> None:
    root = project(tmp_path, "MODEL_NAME=x\n")
    assert load_settings(environ={"AGENT_NO_ENV_FILE": "1"}, root=root).model_name == ""
    assert load_settings(environ={"AGENT_NO_ENV_FILE": "0"}, root=root).model_name == "x"
    assert load_settings(environ={"AGENT_NO_ENV_FILE": "1"}, env_file=root / ".env", root=root).model_name == "x"


def test_an_empty_variable_switches_text_off_and_leaves_numbers_alone(tmp_path: Path) -> None:
    root = project(tmp_path, "API_BASE_URL=http://127.0.0.1:1/v1\nMAX_STEPS=7\n")
    settings = load_settings(environ={"API_BASE_URL": "", "MAX_STEPS": " "}, root=root)
    assert (settings.api_base_url, settings.max_steps) == ("", 7)


@pytest.mark.parametrize(("variable", "found", "allowed"), [
    ("MAX_STEPS", "many", "1 to 1000"), ("MAX_STEPS", "0", "1 to 1000"), ("MAX_STEPS", "3.5", "whole number"), ("MAX_RETRIES", "-1", "0 to 20"),
    ("TEMPERATURE", "nan", "0 to 2, or none"), ("COMMAND_TIMEOUT", "inf", "0.1 to 86400"), ("MAX_TOKENS", "1", "or auto"),
    ("RESPONSE_FORMAT", "yaml", "json_schema"), ("AGENT_LANG", "fr", "en, zh"), ("ANSWER_CHECK", "maybe", "on, off"),
    ("API_BASE_URL", "api.example.com/v1", "https://"), ("API_BASE_URL", "file:///etc/passwd", "https://"),
    ("API_BASE_URL", "https://a b", "without spaces"),
    ("PROXY", "127.0.0.1:7890", "socks5://"),
])
def test_a_wrong_value_is_named_with_its_source_and_what_is_allowed(tmp_path: Path, variable: str, found: str, allowed: str) -> None:
    root = project(tmp_path, f"{variable}={found}\n" if " " not in found else f"{variable}='{found}'\n")
    message = refused(environ={}, root=root).message
    assert variable in message
    assert found in message
    assert allowed in message
    assert str(root / ".env") in message


@pytest.mark.parametrize(("variable", "found", "field", "value"), [
    ("TEMPERATURE", "none", "temperature", None), ("MAX_TOKENS", "auto", "max_tokens", None), ("MAX_TOKENS", "4096", "max_tokens", 4096),
    ("ANSWER_CHECK", "OFF", "answer_check", False), ("AGENT_LANG", "zh_CN.UTF-8", "language", "zh"), ("AGENT_LANG", "en-GB", "language", "en"),
    ("API_BASE_URL", "https://x.example/v1/chat/completions/", "api_base_url", "https://x.example/v1"),
    ("API_BASE_URL", "http://[::1]:8080/v1/", "api_base_url", "http://[::1]:8080/v1"),
    ("RESPONSE_FORMAT", "JSON_Object", "response_format", "json_object"), ("MODEL_NAME", " qwen ", "model_name", "qwen"),
    ("PROXY", "Direct", "proxy", "none"), ("PROXY", "socks5://127.0.0.1:1080", "proxy", "socks5://127.0.0.1:1080"),
])
def test_a_right_value_is_read_in_every_customary_form(variable: str, found: str, field: str, value: object) -> None:
    assert getattr(load_settings(environ={variable: found}), field) == value


def test_delays_that_cross_are_refused_with_both_figures() -> None:
    message = refused(environ={"RETRY_DELAY_MIN": "7000"}).message
    assert "RETRY_DELAY_MIN is 7000" in message
    assert "RETRY_DELAY_MAX is 6000" in message


def test_relative_folders_start_where_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path, "AGENT_WORKSPACE=out\n")
    monkeypatch.chdir(tmp_path)
    settings = load_settings({"skills_dir": "mine"}, environ={}, root=root)
    assert settings.workspace == root / "out"
    assert settings.skills_dir == tmp_path / "mine"
    assert load_settings(environ={"AGENT_WORKSPACE": "/abs"}, root=root).workspace == Path("/abs")


@pytest.mark.parametrize("key_place", ["flag", "environment", "env_file"])
def test_a_key_is_never_sent_to_an_address_from_a_less_trusted_place(tmp_path: Path, key_place: str) -> None:
    root = project(tmp_path, "API_BASE_URL=https://stranger.example/v1\n")
    explicit = tmp_path / "explicit.env"
    explicit.write_text(f"API_KEY={SECRET}\n" if key_place == "env_file" else "")
    flags = {"api_key": SECRET} if key_place == "flag" else {}
    environ = {"API_KEY": SECRET} if key_place == "environment" else {}
    message = refused(flags=flags, environ=environ, env_file=explicit, root=root).message
    assert SECRET not in message
    assert "https://stranger.example/v1" in message
    assert "set API_BASE_URL where API_KEY is set" in message


def test_key_and_address_from_one_place_or_an_address_from_a_better_one_are_fine(tmp_path: Path) -> None:
    root = project(tmp_path, f"API_KEY={SECRET}\nAPI_BASE_URL=https://mine.example/v1\n")
    assert load_settings(environ={}, root=root).api_key == SECRET
    assert load_settings({"api_base_url": "https://other.example/v1"}, environ={}, root=root).api_base_url == "https://other.example/v1"
    assert load_settings(environ={"API_KEY": SECRET, "API_BASE_URL": "https://e.example"}, root=root).sources["api_key"] == "environment"
    assert load_settings(environ={"API_KEY": ""}, root=root).api_key == ""


def test_a_file_cannot_put_a_secret_of_the_environment_into_an_address(tmp_path: Path) -> None:
    root = project(tmp_path, f"API_KEY={SECRET}\nAPI_BASE_URL=https://stranger.example/${{OTHER_SECRET}}/v1\n")
    message = refused(environ={"OTHER_SECRET": "hunter2"}, root=root).message
    assert "hunter2" not in message
    assert "not expanded" in message


@pytest.mark.parametrize("key", ["sk-...", "密钥", "two words", "line\nbreak"])
def test_what_cannot_be_a_key_is_refused_without_being_shown(key: str) -> None:
    message = refused(environ={"API_KEY": key}).message
    assert key not in message
    assert f"{len(key)} characters" in message


def test_no_shown_form_of_the_settings_holds_a_secret(tmp_path: Path) -> None:
    environ = {"API_KEY": SECRET, "API_BASE_URL": "https://x.example", "PROXY": "http://me:hunter2@127.0.0.1:1"}
    settings = load_settings(environ=environ)
    rows = {name: (value, source) for name, value, source in describe(settings)}
    assert rows["API_KEY"] == ("sk-…23", "environment")
    assert rows["PROXY"] == ("http://…@127.0.0.1:1", "environment")
    assert rows["MAX_STEPS"] == ("30", "default")
    assert SECRET not in repr(settings) + str(rows)
    assert "hunter2" not in str(rows)
    assert "hunter2" not in refused(environ={**environ, "PROXY": "ftp://me:hunter2@h"}).message
    assert set(rows) == {rule.variable for rule in config.RULES}


def test_a_mask_shows_at_most_five_characters_of_a_long_secret_and_none_of_a_short_one() -> None:
    assert mask("") == ""
    assert mask("short-secret") == "…"
    assert mask("a" * 40) == "aaa…aa"


@pytest.mark.parametrize(("environ", "missing"), [
    ({}, ()),
    ({"API_KEY": SECRET}, ("API_BASE_URL",)), ({"API_BASE_URL": "https://x.example", "MODEL_NAME": "m"}, ("API_KEY",)),
    ({"API_BASE_URL": "http://127.0.0.1:1", "MODEL_NAME": "m"}, ()), ({"API_BASE_URL": "http://192.168.0.9:1", "MODEL_NAME": "m"}, ()),
    ({"API_BASE_URL": "https://x.example", "API_KEY": SECRET}, ("MODEL_NAME",)),
])
def test_what_is_missing_for_the_chosen_endpoint_is_named(environ: dict[str, str], missing: tuple[str, ...]) -> None:
    assert load_settings(environ=environ).missing() == missing


@pytest.mark.parametrize(("url", "here"), [
    ("http://127.0.0.1:1/v1", True), ("http://localhost", True), ("http://[::1]:9", True), ("http://127.1.2.3", True),
    ("http://127.0.0.1.evil.example", False), ("http://localhost.evil.example", False), ("https://x.example", False),
])
def test_only_this_machine_counts_as_loopback(url: str, here: bool) -> None:
    assert config.is_loopback(url) is here


def test_scrubbed_keys_leave_the_environment_of_children_and_stay_known_to_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_scrubbed", {})
    for name in ("API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN", "MAX_TOKENS"):
        monkeypatch.setenv(name, SECRET if name != "MAX_TOKENS" else "4096")
    assert {"API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN"} <= set(scrub_environment())
    seen = subprocess.run([sys.executable, "-c", "import os; print(sorted(os.environ.items()))"], capture_output=True, text=True, check=True).stdout
    assert SECRET not in seen
    assert "'MAX_TOKENS', '4096'" in seen
    assert load_settings().api_key == SECRET


def test_the_names_that_other_programs_import_are_served_lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "_loaded", Settings(api_base_url="http://127.0.0.1:1", max_steps=9))
    assert (config.API_BASE_URL, config.DEFAULT_MAX_STEPS, config.RETRY_DELAY_MIN) == ("http://127.0.0.1:1", 9, 3000)
    with pytest.raises(AttributeError):
        _ = config.NO_SUCH_NAME


def test_every_variable_stands_in_the_example_and_each_block_of_it_is_valid(tmp_path: Path) -> None:
    text = (config.ROOT / ".env.example").read_text(encoding="utf-8")
    assert [rule.variable for rule in config.RULES if f"\n#{rule.variable}=" not in text] == []
    assert load_settings(environ={}, env_file=config.ROOT / ".env.example", root=tmp_path).sources["max_steps"] == "default"
    blocks = [block.replace("\n#", "\n") for block in text.split("\n\n") if "\n#API_BASE_URL=" in block]
    assert len(blocks) == 9
    for block in blocks:
        file = tmp_path / "block.env"
        file.write_text(block.replace("sk-ant-...", SECRET).replace("sk-...", SECRET).replace("=...", f"={SECRET}"))
        assert load_settings(environ={}, env_file=file, root=tmp_path).missing() == ()


def test_the_defaults_in_the_example_are_the_real_ones(tmp_path: Path) -> None:
    text = (config.ROOT / ".env.example").read_text(encoding="utf-8").split("Everything else")[1]
    file = tmp_path / ".env"
    file.write_text("\n".join(line[1:] for line in text.splitlines() if line.startswith("#") and not line.startswith("# ")))
    with_file = load_settings(environ={}, root=tmp_path)
    file.unlink()
    defaults = [row[:2] for row in describe(load_settings(environ={}, root=tmp_path))]
    assert [row[:2] for row in describe(with_file)] == defaults


def test_the_three_blocks_are_ready_to_paste() -> None:
    china, international, local = provider_blocks()
    assert "API_BASE_URL=https://api.deepseek.com" in china
    assert "API_BASE_URL=https://api.openai.com" in international
    assert "API_KEY" not in local
    assert "#API" not in china + international + local


def test_the_env_file_is_written_once_and_for_its_owner_only(tmp_path: Path) -> None:
    (tmp_path / ".env.example").write_text("#MAX_STEPS=1\n")
    path = config.create_env_file(tmp_path)
    assert path.read_text() == "#MAX_STEPS=1\n"
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(SettingsError):
        config.create_env_file(tmp_path)


# --- the reader of .env ---

@pytest.mark.parametrize("data", [
    b"\xef\xbb\xbfMODEL_NAME=m\n# x", b"MODEL_NAME=m\r\nMAX_STEPS=3\r\n", "# 模型\nMODEL_NAME=m".encode("gbk"), "MODEL_NAME=m\n".encode("utf-16"),
    "\ufeffMODEL_NAME=m\n".encode("utf-16-be"),
    b"  export MODEL_NAME = m   # words\n", b"MODEL_NAME='m'\n", b'MODEL_NAME="m"', b"OTHER=1\rMODEL_NAME=m",
])
def test_a_file_of_any_customary_form_loads(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".env").write_bytes(data)
    assert load_settings(environ={}, root=tmp_path).model_name == "m"


@pytest.mark.parametrize(("data", "words"), [
    (b"A=1\nMODEL_NAME=\xff\xff\n", "line 2: neither UTF-8 nor GBK"),
    ("MODEL_NAME=m\n".encode("utf-16-le"), "line 1: neither"),
    (b"A='1\nB=2\n", "line 1: not of the form"),
    (b"A=1\nAPI KEY=2\n", "line 2: not of the form"), (b"A=1\n" * 100_000, "longer than 256 KB"),
])
def test_a_file_that_cannot_be_read_gives_one_line_with_its_place(tmp_path: Path, data: bytes, words: str) -> None:
    (tmp_path / ".env").write_bytes(data)
    message = refused(environ={}, root=tmp_path).message
    assert words in message
    assert str(tmp_path / ".env") in message


def test_a_missing_explicit_file_or_a_folder_of_that_name_is_said(tmp_path: Path) -> None:
    assert "is not a file" in refused(environ={}, env_file=tmp_path / "none.env").message
    (tmp_path / ".env").mkdir()
    assert "is not a file" in refused(environ={}, root=tmp_path).message


PIECES = st.sampled_from([
    "A", "KEY", "export ", "export", "=", " = ", "'", '"', "#", " # note", "${A}", "\\", "\\n", "\n", "\r\n", "\r", "\t", " ", "\u3000", "\x0c",
    "\u2028", "\x85", "\xa0", "值", "v1", "https://x/y?z=1", "a b", ";", "", "-", ".",
])


@given(st.lists(PIECES, max_size=14).map("".join))
@example("export = 5")
@example("A= # note")
@example("A=b#c")
def test_plain_files_are_read_as_python_dotenv_reads_them(text: str) -> None:
    mine = _plain_values(text)
    if mine is not None:
        theirs = dotenv_values(stream=io.StringIO(text, newline=""), interpolate=False)
        assert mine == theirs


@pytest.mark.parametrize("text", ["A=1\nB=two # note\n\n#c\nexport C=3\n", "A='x y'\nB=\"l\\n2\"\nC=a b\nD\nE=${A}\n"])
def test_a_whole_file_is_read_as_python_dotenv_reads_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.env"
    file.write_text(text)
    theirs = {name: value for name, value in dotenv_values(file, interpolate=False).items() if value is not None}
    assert read_env_file(file) == theirs


def test_a_plain_file_costs_no_import_of_python_dotenv(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# note\nMODEL_NAME=m\n")
    code = ("import sys; from pathlib import Path; from core import config; "
            "print(config.load_settings(environ={}, root=Path(sys.argv[1])).model_name, 'dotenv' in sys.modules)")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, cwd=config.ROOT, check=True)
    assert done.stdout.split() == ["m", "False"]
