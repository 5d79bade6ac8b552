"""A skill that means harm, or is broken beyond what anybody writes: it is named, and the other skills go on as if it were not there."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.errors import SkillError
from core.offline import OfflineModel, OfflineTransport
from core.skills import SkillRegistry
from core.suggestion import suggest

SOUP = """
commands:
  - name: cook
    description: Cooks.
    argv: [python, main.py, cook, "{n}"]
    params: {n: {type: integer}}
    required: [n]
    say: ["cook {n} soups"]
    effect: read
"""


def put(root: Path, name: str = "soup", commands: str = SOUP) -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Cooks.\n---\nBody.\n")
    (folder / "main.py").write_text("print(1)\n")
    (folder / "commands.yaml").write_text(commands, encoding="utf-8")
    return folder


def scanned(root: Path) -> SkillRegistry:
    registry = SkillRegistry(root)
    registry.check()
    return registry


def rows(registry: SkillRegistry) -> list[tuple[str, str]]:
    return [(Path(row["path"]).name, row["code"]) for row in registry.report.rows if row["message"] and row["fix"]]


# --- where the agent may write, nothing is declared ---

def test_a_skill_in_a_folder_that_the_agent_may_write_has_no_declared_command(tmp_path: Path) -> None:
    folder = put(tmp_path / "work" / "skills")
    registry = scanned(tmp_path / "work" / "skills")
    assert registry.match_command("python main.py cook 3", folder) is not None
    registry.writable_roots = [tmp_path / "other", tmp_path / "work"]
    assert registry.match_command("python main.py cook 3", folder) is None
    registry.writable_roots = [folder]
    assert registry.match_command("python main.py cook 3", folder) is None
    registry.writable_roots = [tmp_path / "wor"]
    assert registry.match_command("python main.py cook 3", folder) is not None


def test_links_do_not_hide_that_a_skill_can_be_rewritten(tmp_path: Path) -> None:
    folder = put(tmp_path / "work", "soup")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "soup").symlink_to(folder)
    registry = scanned(tmp_path / "skills")
    call = "python skills/soup/main.py cook 3"
    assert registry.match_command(call, tmp_path) is not None
    (tmp_path / "alias").symlink_to(tmp_path / "work")
    for root in (tmp_path / "work", tmp_path / "alias", tmp_path / "skills"):
        registry.writable_roots = [root]
        assert registry.match_command(call, tmp_path) is None


def test_a_script_in_a_writable_folder_inside_the_skill_is_not_declared(tmp_path: Path) -> None:
    folder = put(tmp_path, commands=SOUP.replace("main.py", "data/main.py"))
    (folder / "data").mkdir()
    (folder / "data" / "main.py").write_text("print(1)\n")
    registry = scanned(tmp_path)
    assert registry.match_command("python data/main.py cook 3", folder) is not None
    registry.writable_roots = [folder / "data"]
    assert registry.match_command("python data/main.py cook 3", folder) is None


# --- links and pipes ---

def test_a_manual_that_is_a_link_out_of_its_folder_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The password is 1234.\n")
    put(tmp_path / "skills")
    (tmp_path / "skills" / "evil").mkdir()
    (tmp_path / "skills" / "evil" / "SKILL.md").symlink_to(secret)
    registry = scanned(tmp_path / "skills")
    assert list(registry.skills) == ["soup"] and rows(registry) == [("SKILL.md", "file_outside")]
    assert (registry.report.found, registry.report.loaded, registry.report.failed) == (2, 1, 1)


def test_a_manual_that_becomes_a_link_after_the_scan_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("The password is 1234.\n")
    folder = put(tmp_path / "skills")
    registry = scanned(tmp_path / "skills")
    (folder / "SKILL.md").unlink()
    (folder / "SKILL.md").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(SkillError):
        registry.manual("soup")


def test_commands_that_are_a_link_out_of_the_folder_are_not_read(tmp_path: Path) -> None:
    folder = put(tmp_path / "skills")
    (folder / "commands.yaml").rename(tmp_path / "commands.yaml")
    (folder / "commands.yaml").symlink_to(tmp_path / "commands.yaml")
    registry = scanned(tmp_path / "skills")
    assert registry.commands() == [] and rows(registry) == [("commands.yaml", "file_outside")]


def test_links_inside_the_folder_and_a_linked_folder_are_fine(tmp_path: Path) -> None:
    folder = put(tmp_path / "elsewhere")
    (folder / "SKILL.md").rename(folder / "README.md")
    (folder / "SKILL.md").symlink_to("README.md")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "soup").symlink_to(folder)
    registry = scanned(tmp_path / "skills")
    assert rows(registry) == [] and [spec.name for spec in registry.commands()] == ["cook"]
    assert registry.manual("soup").startswith("Body.")


def test_a_manual_that_becomes_a_pipe_hangs_nobody(tmp_path: Path) -> None:
    folder = put(tmp_path)
    registry = scanned(tmp_path)
    (folder / "SKILL.md").unlink()
    os.mkfifo(folder / "SKILL.md")
    with pytest.raises(SkillError):
        registry.manual("soup")
    assert rows(scanned(tmp_path)) == [("SKILL.md", "file_not_regular")]


# --- broken declarations ---

def command(fields: str) -> str:
    return ("commands:\n  - name: bad\n    argv: [python, main.py, \"{x}\"]\n    required: [x]\n    effect: read\n"
            + "".join(f"    {line}\n" for line in fields.split("\n")) + SOUP.replace("\ncommands:\n", "").replace("cook", "boil"))


@pytest.mark.parametrize("fields", [
    "description: !!bool foo\nparams: {x: {}}", 'description: !!int ""\nparams: {x: {}}', 'description: !!float ""\nparams: {x: {}}',
    "description: !!timestamp foo\nparams: {x: {}}", "description: d\nparams: {x: {pattern: \"" + "(" * 5000 + "\"}}",
    'description: d\nparams: {x: {pattern: "x{99999999999}"}}', 'description: d\nparams: {x: {pattern: "(a+)+$"}}',
    "description: d\nparams: {x: {pattern: 5}}", "description: d\nparams: {x: {type: [1]}}",
    "description: d\nparams: {x: {enum: [!!bool y0, 2031-05-06]}}",
    "description: d\nparams: {x: {type: integer, minimum: 0x" + "f" * 6000 + "}}", "description: d\nparams: {x: {}}\nsay: [\"{x}\"]",
    "description: d\nparams: {x: {}}\nsay: 5", "description: d\nparams: {x: {}}\nsay: [!!bool z]",
    "description: d\nparams: {x: {maximum: .nan, type: number}}",
])
def test_a_broken_command_is_a_row_and_its_neighbours_work(tmp_path: Path, fields: str) -> None:
    put(tmp_path, "bad", command(fields))
    put(tmp_path)
    registry = scanned(tmp_path)
    assert [(spec.skill, spec.name) for spec in registry.commands()] == [("bad", "boil"), ("soup", "cook")]
    assert {name for name, _ in rows(registry)} == {"commands.yaml"}
    assert suggest("cook 3 soups", registry).endswith("main.py cook 3")
    reply = OfflineModel(registry).reply([{"role": "user", "content": "cook 3 soups"}])
    assert (reply["action"], reply["skill"]) == ("view_skill", "soup")


def test_a_declaration_with_very_many_words_is_refused(tmp_path: Path) -> None:
    put(tmp_path, commands=SOUP.replace("main.py, cook", "main.py" + ", x" * 3000))
    assert rows(scanned(tmp_path)) == [("commands.yaml", "command_long")]


def test_many_optional_parameters_do_not_make_the_match_endless(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(60)]
    words = ", ".join(f'"{{{name}}}"' for name in names)
    folder = put(tmp_path, commands="commands:\n  - name: many\n    description: d\n    effect: read\n"
                 f"    argv: [python, main.py, {words}]\n    params: {{{', '.join(f'{name}: {{}}' for name in names)}}}\n")
    registry = scanned(tmp_path)
    assert registry.match_command("python main.py " + "w " * 61, folder) is None
    call = registry.match_command("python main.py " + "w " * 23, folder)
    assert call is not None and len(call.values) == 23


# --- the embedded model ---

class FakeBroken:
    """A registry whose commands cannot be listed."""

    def commands(self) -> Any:
        raise KeyError("foo")


def test_a_fault_inside_the_embedded_model_is_no_network_fault() -> None:
    client = httpx.Client(transport=OfflineTransport(FakeBroken()), base_url="http://built-in/v1")  # type: ignore[arg-type]
    answer = client.post("/chat/completions", json={"messages": [{"role": "user", "content": "cook 3 soups"}]})
    assert (answer.status_code, answer.headers["x-should-retry"]) == (400, "false")
    assert "KeyError" in answer.json()["error"]["message"] and "skills check" in answer.json()["error"]["message"]


def test_the_steps_of_one_request_match_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import core.phrases.match as phrase_match

    folder = put(tmp_path)
    model = OfflineModel(scanned(tmp_path))
    asked: list[str] = []
    real = phrase_match.match

    def counted(request: str, commands: Any) -> Any:
        asked.append(request)
        return real(request, commands)

    monkeypatch.setattr(phrase_match, "match", counted)
    talk = [{"role": "user", "content": "cook 3 soups"}]
    first = model.reply(talk)
    talk += [{"role": "assistant", "content": json.dumps(first)}, {"role": "user", "content": "[SYSTEM OBSERVATION]\nBody.\n[/SYSTEM OBSERVATION]"}]
    assert model.reply(talk)["command"] == "python main.py cook 3"
    assert asked == ["cook 3 soups"]
    (folder / "commands.yaml").write_text(SOUP.replace("cook {n} soups", "make {n} soups and more"))
    assert model.reply(talk)["action"] == "answer"
