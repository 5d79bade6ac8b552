"""The sub-command `guard`: what the guard says to a command, and how it reads it, without running it."""
from __future__ import annotations

import os
import shlex
from typing import Any

from core.errors import UsageError
from core.i18n import t
from ui.cli.arguments import Arguments
from ui.cli.screen import Screen
from ui.cli.terminal import visible

_COLOURS = {"allow": "green", "ask": "yellow", "deny": "red"}


def run_guard(arguments: Arguments, screen: Screen) -> int:
    """Print the verdict; 0 whatever it is. Several words are one command line, quoted where they need it."""
    from core.config import added_folders
    from core.guard import preview
    from core.sandbox.manager import CONFINING
    from core.sandbox.probe import probe
    from ui.cli.settings import settings_of
    from ui.cli.subcommands import print_json

    if not arguments.words:
        raise UsageError("cli.guard_usage")
    text = arguments.words[0] if len(arguments.words) == 1 else shlex.join(arguments.words)
    shell = arguments.given.get("shell") or ("powershell" if os.name == "nt" else "posix")
    settings = settings_of(arguments)
    tier = probe().tier
    seen = preview(text, shell=shell, workspace=settings.workspace, skill_roots=[settings.skills_dir], sandboxed=tier in CONFINING,
                   writable=added_folders(settings.add_dirs)[0])
    verdict = seen["verdict"]
    # What the guard allows is asked all the same where it needs the network, or where no sandbox holds what it does.
    asked = verdict["decision"] == "ask" or verdict["decision"] == "allow" and (
        verdict["network"] or (verdict["effect"] != "read" and tier not in CONFINING))
    found = {**verdict, "asked": asked, "text": text, "shell": shell, "tier": tier, "commands": seen["commands"], "findings": seen["findings"]}
    if arguments.has("json"):
        print_json(screen, found)
    else:
        _show(found, screen, tier in CONFINING)
    return 0


def _show(found: dict[str, Any], screen: Screen, confined: bool) -> None:
    write = screen.out.write
    decision = found["decision"]
    for line in found["text"].split("\n"):
        write(f"    {visible(line, exact=True)}\n")
    words = _decision_words("ask" if found["asked"] else decision)
    write(f"{screen.out.paint(decision, _COLOURS[decision], 'bold')}: {words} {visible(found['reason'])}\n")
    write("  " + t("cli.confirm_effect", effect=found["effect"], rules=", ".join(found["rules"]) or found["rule"]) + "\n")
    if found["network"] and decision == "allow":
        write("  " + t("cli.guard_network") + "\n")
    if found["allowed"] and decision != "allow":
        write("  " + t("cli.guard_instead", allowed=found["allowed"]) + "\n")
    write("  " + t("cli.guard_sandbox", tier=found["tier"]) + (" " + t("cli.guard_bare") if not confined else "") + "\n")
    if found["findings"]:
        write(t("cli.guard_findings") + "\n")
        for row in found["findings"]:
            write(f"  {screen.out.paint(row['decision'], _COLOURS[row['decision']])} {row['rule']} ({row['effect']}): {visible(row['reason'])}\n")
    write(t("cli.guard_commands", shell=found["shell"]) + "\n")
    for call in found["commands"]:
        start, end = call["span"]
        words = " ".join(f"[{visible(str(word), exact=True)}]" for word in call["words"])
        write(f"  {start}-{end}  {words}" + (f"  ({call['shell']})" if call["shell"] != found["shell"] else "") + "\n")


def _decision_words(decision: str) -> str:
    return {"allow": t("cli.guard_allow"), "ask": t("cli.guard_ask"), "deny": t("cli.guard_deny")}[decision]
