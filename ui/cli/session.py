"""One session: settings, skills, kernel and handler, put together once and kept over reloads."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from core.config import Settings, added_folders, provider_blocks, scrub_environment
from core.errors import NotReadyError
from core.i18n import t
from core.kernel import AgentKernel, Outcome
from core.late_files import LateFiles
from core.skills import SkillRegistry
from ui.cli.arguments import Arguments
from ui.cli.confirm import Confirmer
from ui.cli.counts import counted
from ui.cli.foreground import Foreground, Interrupts
from ui.cli.memory import Memory
from ui.cli.screen import Screen
from ui.cli.settings import env_path, settings_of
from ui.cli.terminal import visible

if TYPE_CHECKING:
    from core.handlers import KernelEventHandler
    from ui.cli.json_output import JsonOutput

NOT_READY = 3
LATE_SHOWN = 20  # paths at the end of a session


class Session:
    """What the command line works with. `answer` takes one request to its exit code."""

    def __init__(self, arguments: Arguments, screen: Screen, output: JsonOutput | None = None) -> None:
        self.arguments = arguments
        self.screen = screen
        self.settings = settings_of(arguments)
        scrub_environment()
        self.confirmer = Confirmer(screen, arguments.has("auto_approve"), memory=Memory(self.settings.workspace))
        self.confirmer.networked = self.settings.network
        self.handler = self._make_handler(output)
        self.registry = SkillRegistry(self.settings.skills_dir)
        self.registry.scan()
        self.kernel = AgentKernel(self.registry, self.handler, settings=self.settings)
        self.interrupts = Interrupts()
        self.requests = 0
        self.steps = 0
        self.tokens = 0
        self.exchanges: list[tuple[str, str]] = []  # request and answer
        self._late: LateFiles | None = None
        self._warn_of_skills()

    @property
    def embedded(self) -> bool:
        """Whether the built-in phrase matcher answers, because no endpoint is configured."""
        return not self.settings.api_base_url

    @property
    def model(self) -> str:
        """The name of the model as a person reads it."""
        return t("cli.built_in") if self.embedded else self.settings.model_name

    def answer(self, request: str) -> int:
        """Run one request. The answer and all that happens is shown by the handler."""
        outcome = self.run(request)
        if outcome is None:
            return 1
        if self.embedded and not self.understood():
            self.show_providers()
            return NOT_READY
        return outcome.exit_code

    def run(self, request: str) -> Outcome | None:
        """Run one request in a thread while this one keeps the keyboard and the signals."""
        missing = self.settings.missing()
        if missing:
            self.show_providers()
            raise NotReadyError("cli.missing", names=", ".join(missing))
        self.check_auto_approve()
        if self._late is None:
            self._late = LateFiles([self.settings.workspace, *added_folders(self.settings.add_dirs)[0]])
        foreground = Foreground(self._stop, self.interrupts)
        self.confirmer.ask_by = foreground.ask
        self.kernel.ready()  # from here on a Ctrl-C is kept for this run, even one that comes before it has begun
        foreground.run(lambda: self.kernel.run(request, stream=True))
        outcome = self.kernel.outcome
        if outcome is not None:
            self.requests += 1
            self.steps += outcome.steps
            self.tokens += outcome.usage.get("tokens", 0)
        return outcome

    def check_auto_approve(self) -> None:
        """--auto-approve leaves the commands to the sandbox alone, so it is refused where none holds. Looks only where it was given."""
        if self.confirmer.auto_approve and not self.arguments.has("unconfined") and not self.kernel.sandbox.confines:
            raise NotReadyError("cli.auto_refused", reason="; ".join(self.kernel.sandbox.describe()))

    def _stop(self) -> None:
        self.screen.interrupted(t("cli.stopping"))
        self.kernel.cancel()

    def understood(self) -> bool:
        """Whether the embedded model found a skill for the last request."""
        return self.kernel.understood

    def show_providers(self) -> None:
        """What is missing, which file to edit, three blocks that can be copied into it."""
        self.screen.note(t("cli.not_set_up", path=env_path()), "yellow")
        for block in provider_blocks():
            self.screen.note("\n" + block)

    def reload(self) -> None:
        """Read skills and settings again; handler, conversation and permissions stay. SettingsError leaves all as it was."""
        settings = settings_of(self.arguments)
        scrub_environment()
        self.registry = SkillRegistry(settings.skills_dir)
        self.registry.scan()
        self._rebuild(settings)

    def use_model(self, name: str) -> None:
        """Talk to another model of the same endpoint from now on; the conversation goes on."""
        self.arguments.given["model_name"] = name
        self._rebuild(dataclasses.replace(self.settings, model_name=name))

    def _rebuild(self, settings: Settings) -> None:
        history = self.kernel.history
        self.kernel.close()
        self.confirmer.memory, self.confirmer.networked = Memory(settings.workspace), settings.network
        self.settings = settings
        self.kernel = AgentKernel(self.registry, self.handler, settings=settings)
        self.kernel.history.extend(history)

    def close(self) -> None:
        """Give back the connection, end the sandbox, and name the files that will run outside it."""
        self.kernel.close()
        changed = self._late.changed() if self._late else []
        if changed:
            self.screen.note(t("cli.late_files"), "yellow")
            for path in changed[:LATE_SHOWN]:
                self.screen.line("    " + visible(path, exact=True))
            if len(changed) > LATE_SHOWN:
                self.screen.note(t("cli.late_more", count=len(changed) - LATE_SHOWN), prefix="    ")

    def _make_handler(self, output: JsonOutput | None) -> KernelEventHandler:
        if output is not None:
            from ui.cli.json_output import JsonHandler

            return JsonHandler(output, self.confirmer, self.arguments.debug_level)
        from ui.cli.handler import CliHandler

        return CliHandler(self.arguments.debug_level, screen=self.screen, confirmer=self.confirmer)

    def _warn_of_skills(self) -> None:
        failed = self.registry.report.failed
        if failed and self.arguments.debug_level:
            self.screen.note(counted("skills_failed", failed, folder=self.settings.skills_dir), "yellow")
