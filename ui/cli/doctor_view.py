"""What core.doctor finds, as lines for a person or as JSON."""
from __future__ import annotations

from core.config import Settings
from core.doctor import Check, examine, exit_code
from core.errors import SettingsError
from core.i18n import t
from ui.cli.arguments import Arguments
from ui.cli.screen import Screen
from ui.cli.subcommands import print_json, print_table

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


def run_doctor(arguments: Arguments, screen: Screen) -> int:
    """The sub-command: 0 when the agent can run, 3 when something must be set up. Settings that are wrong are a finding too."""
    from ui.cli.settings import settings_of

    settings: Settings | SettingsError
    try:
        settings = settings_of(arguments)
    except SettingsError as error:
        settings = error
    checks = examine(settings, online=arguments.has("online"))
    if arguments.has("json"):
        print_json(screen, {"ok": exit_code(checks) == 0, "checks": [check.to_dict() for check in checks]})
    else:
        show_checks(checks, screen)
    return exit_code(checks)


def show_checks(checks: list[Check], screen: Screen) -> None:
    """One line a check, its cure below it, and how many need something."""
    rows: list[tuple[str, ...]] = []
    for check in checks:
        rows.append((check.state, check.name, check.detail))
        if check.cure:
            rows.append(("", "", "  " + check.cure))
    print_table(screen, rows, colours=_COLOURS)
    screen.out.write(t("cli.doctor_sum", **{state: sum(check.state == state for check in checks) for state in _COLOURS}) + "\n")
