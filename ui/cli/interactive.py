"""The conversation at a terminal: read a line, do a command or run a request, until the person leaves."""
from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from core.config import create_env_file
from core.errors import AgentError
from core.i18n import t
from ui.cli.commands import COMMANDS, completions, nearest, understand
from ui.cli.confirm import shown_scope
from ui.cli.counts import counted
from ui.cli.foreground import Leave
from ui.cli.help import VERSION
from ui.cli.history import HistoryFile, state_folder
from ui.cli.keyboard import PlainKeyboard, ToolkitKeyboard, Words, edit
from ui.cli.lines import forget_typed_ahead, read_line
from ui.cli.screen import Screen
from ui.cli.session import Session
from ui.cli.settings import env_path

_YES = ("y", "yes", "是", "好")
_NO = ("", "n", "no", "not now", "never", "否", "不", "不用", "不要")


class Interactive:
    """One conversation. `run` returns the exit code."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.screen = session.screen
        self._keyboard = self._make_keyboard()
        self._draft = ""
        self._code: int | None = None
        self._do: dict[str, Callable[[str], None]] = {
            "help": self._help, "skills": self._skills, "status": self._status, "model": self._model, "revoke": self._revoke, "rules": self._rules,
            "reload": self._reload, "clear": self._clear, "edit": self._edit, "save": self._save, "config": self._config,
            "setup": self._setup, "doctor": self._doctor, "exit": self._exit}

    def run(self) -> int:
        """Talk until the person leaves. NotReadyError when --auto-approve has no sandbox to rely on."""
        self.session.check_auto_approve()
        before = self._take_signals()
        try:
            self._banner()
            self._offer_env_file()
            while self._code is None:
                self._turn()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return self._code

    def _turn(self) -> None:
        draft, self._draft = self._draft, ""
        try:
            self._take(self._keyboard.read(draft))
        except EOFError:
            self._code = 0
        except KeyboardInterrupt:
            if self.session.interrupts.again():
                self._code = 130
            else:
                self.screen.note(t("cli.again_leaves"), "dim")
        except AgentError as error:
            self._complain(error.message)

    def _take(self, line: str) -> None:
        meant = understand(line)
        if meant.unknown:
            near = nearest(meant.unknown)
            self._complain(t("cli.unknown_command", command=meant.unknown) + (" " + t("cli.did_you_mean", option=near) if near else ""))
        elif meant.command:
            self._do[meant.command.name](meant.argument)
        elif line.strip():
            self._request(line.strip())

    def _request(self, text: str) -> None:
        outcome = self.session.run(text)
        if outcome is None:
            return
        self.session.exchanges.append((text, outcome.answer))
        if self.session.embedded and not self.session.understood():
            self.screen.note(t("cli.connect_hint"), "yellow")

    # --- the commands ---

    def _help(self, _: str) -> None:
        self._table([("/" + command.name + (f" {command.takes}" if command.takes else ""), ", ".join(command.others), command.words)
                     for command in COMMANDS])
        self.screen.note(t("cli.keys"), "dim")

    def _skills(self, _: str) -> None:
        skills = self.session.registry.skills.values()
        if skills:
            self._table([(skill.name, skill.description.replace("\n", " ")) for skill in skills])
        else:
            self.screen.note(t("cli.no_skills", folder=self.session.settings.skills_dir))

    def _status(self, _: str) -> None:
        from ui.cli.status import rows_of_status

        self._table(rows_of_status(self.session))
        always = self.session.confirmer.always
        for number, scope in enumerate(always, 1):
            self.screen.note(f"{number}  {shown_scope(scope)}", prefix="  ")
        self.screen.note(t("cli.always_list" if always else "cli.always_none"), "dim")

    def _rules(self, argument: str) -> None:
        from ui.cli.memory import Memory, revoke, rows_of, rule_words

        policy = Memory(self.session.settings.workspace).policy
        words = argument.split()
        if words[:1] == ["revoke"] and len(words) == 2:
            for entry in revoke(policy, words[1]):
                self.screen.note(t("cli.rules_gone", rule=rule_words(entry.kind, entry.text, entry.cwd)))
        elif words not in ([], ["list"]):
            self._complain(t("cli.rules_usage"))
        elif policy.entries:
            self._table(rows_of(policy.entries))
        else:
            self.screen.note(t("cli.rules_none", path=policy.path))

    def _model(self, name: str) -> None:
        if name and self.session.embedded:
            self._complain(t("cli.model_needs_endpoint"))
            return
        if name:
            self.session.use_model(name)
        self.screen.note(t("cli.model_is", model=self.session.model, url=self.session.settings.api_base_url or "-"))

    def _revoke(self, which: str) -> None:
        if self.session.confirmer.revoke(which):
            self.screen.note(t("cli.revoked"))
        else:
            self._complain(t("cli.revoke_usage"))

    def _reload(self, _: str) -> None:
        self.session.reload()
        report = self.session.registry.report
        self.screen.note(t("cli.reloaded", loaded=counted("skill_count", report.loaded), failed=report.failed, model=self.session.model))

    def _clear(self, _: str) -> None:
        self.session.kernel.clear_history()
        self.session.exchanges.clear()
        self.screen.note(t("cli.cleared"))

    def _edit(self, _: str) -> None:
        try:
            text = edit("")
        except OSError as error:
            self._complain(t("cli.no_editor", reason=error.strerror or error))
            return
        self._draft = text

    def _save(self, name: str) -> None:
        path = self.session.kernel.workspace / (name or time.strftime("conversation-%Y%m%d-%H%M%S.md"))
        try:
            with open(path, "x", encoding="utf-8") as file:
                file.writelines(f"## {question}\n\n{answer}\n\n" for question, answer in self.session.exchanges)
        except OSError as error:
            self._complain(t("cli.not_saved", path=path, reason=error.strerror or error))
            return
        self.screen.note(t("cli.saved", path=path))

    def _config(self, _: str) -> None:
        from core.config import describe, source_words

        self._table([(name, value or "-", source_words(source)) for name, value, source in describe(self.session.settings)])

    def _setup(self, _: str) -> None:
        self.session.show_providers()
        if not env_path().exists() and self._yes(t("cli.offer_env", path=env_path())):
            self._write_env_file()

    def _doctor(self, _: str) -> None:
        from core.doctor import examine
        from ui.cli.doctor_view import show_checks

        show_checks(examine(self.session.settings), self._side_screen())

    def _exit(self, _: str) -> None:
        self._code = 0

    # --- the start ---

    def _banner(self) -> None:
        model = t("cli.built_in_banner") if self.session.embedded else self.session.model
        parts = (f"skills-agent {VERSION}", model, counted("skill_count", len(self.session.registry.skills)), "/help")
        self.screen.note(f" {self.screen.err.icons.middle} ".join(parts), "bold")

    def _offer_env_file(self) -> None:
        """Ask once in the life of this person's account, never where programs work for themselves."""
        folder = state_folder()
        asked = folder / "asked-for-env" if folder else None
        if not self.session.embedded or env_path().exists() or os.environ.get("CI") or asked is None or asked.exists():
            return
        if self._yes(t("cli.offer_env", path=env_path())):
            self._write_env_file()
        try:
            asked.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            asked.touch()
        except OSError:
            return

    def _write_env_file(self) -> None:
        path = create_env_file()
        self.screen.note(t("cli.env_written", path=path))

    def _yes(self, question: str) -> bool:
        forget_typed_ahead(sys.stdin)
        self.screen.words(f"{question} {t('cli.yes_no')} ")
        try:
            line = read_line(sys.stdin)
        except KeyboardInterrupt:
            line = "\n"
            self.screen.line("")
        self.screen.ended_by_person()
        answer = line.strip()
        if answer.lower() not in (*_YES, *_NO):  # a first request: it waits at the prompt
            self._draft = answer
        return answer.lower() in _YES

    def _make_keyboard(self) -> ToolkitKeyboard | PlainKeyboard:
        folder = state_folder()
        history = HistoryFile(folder / "history" if folder else None)
        if self.screen.err.tty and not self.screen.err.dumb and not self.screen.accessible:
            words = Words(completions, lambda: self.session.registry.skills, lambda: self.session.kernel.workspace)
            try:
                return ToolkitKeyboard(words, history, sys.stderr)
            except ImportError:
                pass
        return PlainKeyboard(self.screen.words, history)

    def _take_signals(self) -> dict[int, Any]:
        def end(number: int, frame: Any) -> None:
            raise Leave(128 + number)

        return {number: signal.signal(number, end) for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None}

    def _table(self, rows: Sequence[tuple[str, ...]]) -> None:
        from ui.cli.subcommands import print_table

        print_table(self._side_screen(), rows)

    def _side_screen(self) -> Screen:
        """The screen for tables: stdout is for answers, so they go where everything else goes."""
        colour = "always" if self.screen.err.colour else "never"
        return Screen(colour=colour, accessible=self.screen.accessible, out=sys.stderr)

    def _complain(self, message: str) -> None:
        self.screen.note(message, "red", prefix=self.screen.err.paint(t("cli.error"), "red", "bold"))
