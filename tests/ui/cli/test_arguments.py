"""The reader of the command line, and the help that describes it."""
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import UsageError
from core.i18n import set_language, t
from tests.ui.cli.driver import ROOT, run_cli
from ui.cli.arguments import OPTIONS, SUBCOMMANDS, parse


def test_settings_are_told_from_other_options() -> None:
    found = parse(["--model", "m", "--base-url=http://x/v1", "--max-steps", "5", "--json", "-p", "hi"])
    assert found.settings == {"model_name": "m", "api_base_url": "http://x/v1", "max_steps": "5"}
    assert found.has("json") and not found.has("raw")
    assert found.prompt == "hi"


def test_the_value_of_an_option_may_begin_with_a_dash() -> None:
    assert parse(["-p", "--help"]).prompt == "--help"
    assert parse(["-p", "-5 + 3"]).prompt == "-5 + 3"


def test_nothing_after_two_dashes_is_an_option() -> None:
    assert parse(["--", "--json", "-p"]).words == ["--json", "-p"]
    assert parse(["guard", "--json", "--", "ls", "--color"]).words == ["ls", "--color"]


@pytest.mark.parametrize("argv,expected", [
    (["--color"], "always"), (["--color", "never", "x"], "never"), (["--color", "x"], "always"), (["--color=auto"], "auto"),
    (["--no-color"], "never")])
def test_colour_takes_a_word_or_none(argv: list[str], expected: str) -> None:
    assert parse(argv).given["color"] == expected


def test_only_the_first_free_word_is_a_sub_command_and_never_beside_a_prompt() -> None:
    assert parse(["skills", "check"]).subcommand == "skills"
    assert parse(["tell", "skills"]).subcommand == ""
    assert parse(["skills are what?"]).subcommand == ""
    with pytest.raises(UsageError, match="config"):
        parse(["-p", "x", "config"])


def test_a_misspelt_option_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="--max-steps"):
        parse(["--max-step", "3"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_names_every_option_and_no_other(language: str) -> None:
    set_language(language)
    text = t("cli.help")
    in_help = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", text)) - {"-5"}
    of_programs = {"-m"}
    assert in_help - of_programs == {name for option in OPTIONS for name in option.names}
    for command in SUBCOMMANDS:
        assert re.search(rf"^  {command} |{command} ", text, re.MULTILINE), command


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_is_short_begins_with_examples_and_lists_the_exit_codes(language: str) -> None:
    set_language(language)
    lines = t("cli.help").split("\n")
    assert len(lines) < 60
    assert all(len(line) <= 120 for line in lines)
    assert any("python3 main_cmd.py" in line for line in lines[:5])
    codes = t("cli.help")[t("cli.help").rindex("\n\n"):]
    for code in ("0", "1", "2", "3", "4", "5", "75", "130", "143"):
        assert re.search(rf"\b{code}\b", codes) or re.search(rf"(?<!\d){code}(?!\d)", codes), code


def loaded_by(statements: str, names: tuple[str, ...]) -> str:
    """Which of these modules a fresh interpreter has loaded after these statements."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {statements}; print('LOADED', [name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                          env={"AGENT_LANG": "en", "PATH": "", "AGENT_NO_ENV_FILE": "1"})
    return done.stdout.rpartition("LOADED")[2].strip()


def test_help_and_version_load_nothing_heavy_and_set_nothing_up() -> None:
    names = ("argparse", "dataclasses", "asyncio", "httpx", "rich", "prompt_toolkit", "subprocess", "threading", "core.bootstrap", "core.kernel")
    assert loaded_by("import main_cmd; main_cmd.main(['--help']); main_cmd.main(['--version'])", names) == "[]"


def test_listing_skills_loads_no_endpoint_and_no_prompt() -> None:
    names = ("argparse", "asyncio", "httpx", "rich", "prompt_toolkit", "frontmatter", "yaml", "dotenv", "core.llm", "core.kernel")
    assert loaded_by("from ui.cli.app import main; main(['skills'])", names) == "[]"


def test_help_comes_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    assert "用法" in run_cli(tmp_path, "--help", AGENT_LANG="", LANG="zh_CN.UTF-8").stdout.decode()
    assert "用法" in run_cli(tmp_path, "--lang", "zh", "--help").stdout.decode()
    assert "Usage" in run_cli(tmp_path, "help", LANG="zh_CN.UTF-8").stdout.decode()
