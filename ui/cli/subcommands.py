"""config, doctor, skills, setup, guard, rules: what needs no model. Each prints to stdout, with --json one object."""
from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import UsageError
from core.i18n import t
from ui.cli.arguments import Arguments
from ui.cli.counts import counted
from ui.cli.screen import Screen
from ui.cli.terminal import visible, width


def run_subcommand(arguments: Arguments, screen: Screen) -> int:
    """Do the sub-command of these arguments; the exit code."""
    commands: dict[str, Callable[[Arguments, Screen], int]] = {
        "config": _config, "doctor": _doctor, "skills": _skills, "setup": _setup, "guard": _guard, "rules": _rules}
    return commands[arguments.subcommand](arguments, screen)


def print_json(screen: Screen, value: Any) -> None:
    """One object on stdout."""
    screen.out.write(json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n")


def print_table(screen: Screen, rows: Sequence[tuple[str, ...]], colours: Mapping[str, str] | None = None) -> None:
    """Rows with their columns under each other, the last one as long as it is; `colours` by the word in the first column."""
    widths = [max((width(row[column]) for row in rows), default=0) for column in range(len(rows[0]) - 1 if rows else 0)]
    for row in rows:
        cells = [cell + " " * (size - width(cell)) for cell, size in zip(row, widths, strict=False)]
        text = visible("  ".join([*cells, row[-1]])).rstrip()
        colour = (colours or {}).get(row[0])
        screen.out.write((screen.out.paint(row[0], colour) + text[len(row[0]):] if colour else text) + "\n")


def _no_words(arguments: Arguments) -> None:
    if arguments.words:
        raise UsageError("cli.extra_word", word=arguments.words[0], command=arguments.subcommand)


def _config(arguments: Arguments, screen: Screen) -> int:
    from core.config import describe, source_words
    from ui.cli.settings import settings_of

    _no_words(arguments)
    rows = describe(settings_of(arguments))
    if arguments.has("json"):
        print_json(screen, [{"name": name, "value": value, "source": source} for name, value, source in rows])
    else:
        print_table(screen, [(name, value or "-", source_words(source)) for name, value, source in rows])
    return 0


def _doctor(arguments: Arguments, screen: Screen) -> int:
    from ui.cli.doctor_view import run_doctor

    _no_words(arguments)
    return run_doctor(arguments, screen)


def _skills(arguments: Arguments, screen: Screen) -> int:
    what, words = (arguments.words[0], arguments.words[1:]) if arguments.words else ("list", [])
    if what == "check" and len(words) <= 1:
        return _skills_check(arguments, screen, words)
    if what == "list" and not words:
        return _skills_list(arguments, screen)
    if what == "show" and len(words) == 1:
        return _skills_show(arguments, screen, words[0])
    raise UsageError("cli.skills_usage")


def _registry(arguments: Arguments) -> Any:
    from core.skills import SkillRegistry
    from ui.cli.settings import settings_of

    registry = SkillRegistry(settings_of(arguments).skills_dir)
    registry.scan()
    return registry


def _skills_list(arguments: Arguments, screen: Screen) -> int:
    registry = _registry(arguments)
    skills = list(registry.skills.values())
    if arguments.has("json"):
        print_json(screen, [{"name": skill.name, "description": skill.description, "path": str(skill.path)} for skill in skills])
    elif skills:
        print_table(screen, [(skill.name, skill.description.replace("\n", " ")) for skill in skills])
    else:
        screen.note(t("cli.no_skills", folder=registry.roots[0]))
    if registry.report.failed:
        screen.note(counted("skills_failed", registry.report.failed, folder=registry.roots[0]), "yellow")
    return 0


def _skills_show(arguments: Arguments, screen: Screen, name: str) -> int:
    registry = _registry(arguments)
    skill = registry.get(name)
    commands = [{"name": command.name, "description": command.description, "effect": command.effect, "say": list(command.say)}
                for command in skill.commands]
    if arguments.has("json"):
        print_json(screen, {"name": skill.name, "description": skill.description, "path": str(skill.path), "manual": registry.manual(name),
                            "commands": commands})
        return 0
    screen.out.write(visible(registry.manual(name)) + "\n")
    if commands:
        screen.out.write("\n")
        print_table(screen, [(command["name"], command["effect"], command["description"]) for command in commands])
    return 0


def _skills_check(arguments: Arguments, screen: Screen, words: list[str]) -> int:
    from core.skills import SkillRegistry
    from ui.cli.settings import settings_of

    folder = Path(words[0]) if words else settings_of(arguments).skills_dir
    if not folder.is_dir():
        raise UsageError("cli.no_folder", path=folder)
    report = SkillRegistry(folder).check()
    if arguments.has("json"):
        print_json(screen, report.to_dict())
    else:
        for row in report.rows:
            colour = {"error": "red", "warning": "yellow"}.get(row["severity"], "dim")
            screen.out.write(f"{visible(row['path'])}:{row['line']}: {screen.out.paint(row['code'], colour)}: {visible(row['message'])}\n"
                             f"    {visible(row['fix'])}\n")
        screen.out.write(t("cli.check_sum", found=report.found, loaded=report.loaded, shadowed=report.shadowed, failed=report.failed,
                           excluded=report.excluded) + "\n")
    return 1 if report.failed or any(row["severity"] == "error" for row in report.rows) else 0


def _setup(arguments: Arguments, screen: Screen) -> int:
    from core.bootstrap import PARTS, install_part

    if len(arguments.words) != 1 or arguments.words[0] not in PARTS:
        raise UsageError("cli.setup_usage", parts=", ".join(PARTS))
    code = install_part(arguments.words[0])
    if arguments.has("json"):
        print_json(screen, {"ok": code == 0, "part": arguments.words[0]})
    return code


def _guard(arguments: Arguments, screen: Screen) -> int:
    from ui.cli.guard_view import run_guard

    return run_guard(arguments, screen)


def _rules(arguments: Arguments, screen: Screen) -> int:
    from ui.cli.memory import run_rules

    return run_rules(arguments, screen)
