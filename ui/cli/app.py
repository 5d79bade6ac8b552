"""The command line from its arguments to its exit code."""
from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

from core.errors import AgentError, UsageError
from core.i18n import set_language, t
from ui.cli.arguments import SUBCOMMANDS, Arguments, parse
from ui.cli.foreground import Leave
from ui.cli.json_output import JsonOutput
from ui.cli.screen import Screen
from ui.cli.terminal import prepare_streams


def main(argv: Sequence[str]) -> int:
    """Do what the command line asks; the exit code. Every error has been shown when this returns."""
    prepare_streams()
    return Program(argv).run()


class Program:
    """One start of the command line."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.argv = argv
        self.arguments = Arguments()
        self.screen = Screen()
        self.output: JsonOutput | None = None

    def run(self) -> int:
        """The exit code; with --json the last line is run.finished, whatever happened."""
        try:
            code = self._guarded()
        except Leave as leave:
            code = leave.exit_code
        except KeyboardInterrupt:
            code = 130
        self.screen.quiet()
        if self.output:
            self.output.finish(code)
        return self._written(code)

    def _written(self, code: int) -> int:
        """The exit code, which is no success where stdout could not be written, say on a full disk."""
        error = self.output.error if self.output else self.screen.out.error
        if error is None:
            return code
        self.screen.note(t("cli.not_written", reason=error.strerror or error), "red")
        return code or 1

    def _guarded(self) -> int:
        try:
            self._read_arguments()
            return self._work()
        except AgentError as error:
            return self._refused(error)
        except (KeyboardInterrupt, Leave):
            raise
        except Exception as error:  # noqa: BLE001 – the edge of the program: a defect is told in one line, whole at debug level 2
            return self._crashed(error)

    def _read_arguments(self) -> None:
        try:
            self.arguments = parse(self.argv)
        except UsageError:
            if "--json" in self.argv and not set(SUBCOMMANDS) & set(self.argv):
                self.output = JsonOutput()
            raise
        arguments = self.arguments
        set_language(arguments.given.get("language", ""))
        if arguments.has("json") and not arguments.subcommand:
            self.output = JsonOutput()
        self.screen = Screen(colour=arguments.given.get("color", "auto"), accessible=arguments.has("accessible"), raw=arguments.has("raw"))

    def _work(self) -> int:
        if self.arguments.subcommand:
            from ui.cli.subcommands import run_subcommand

            return run_subcommand(self.arguments, self.screen)
        from ui.cli.request import one_shot_request

        request, silent = one_shot_request(self.arguments)
        if silent:
            self.screen.note(t("cli.stdin_silent"), "yellow")
        if request is None and self.output:
            raise UsageError("cli.json_needs_prompt")
        from ui.cli.session import Session

        session = Session(self.arguments, self.screen, self.output)
        try:
            if request is not None:
                return session.answer(request)
            from ui.cli.interactive import Interactive

            return Interactive(session).run()
        finally:
            session.close()

    def _refused(self, error: AgentError) -> int:
        self.screen.quiet()
        self.screen.note(error.message, "red", prefix=self.screen.err.paint(t("cli.error"), "red", "bold"))
        if isinstance(error, UsageError):
            self.screen.note(t("cli.see_help"), "dim")
        if self.output:
            self.output.fail(error.key, error.message, error.retryable)
        return error.exit_code

    def _crashed(self, error: Exception) -> int:
        starved = is_starved(error)
        message = t("cli.no_memory" if starved else "cli.crashed", kind=type(error).__name__, detail=(str(error) or type(error).__name__)[:300])
        self.screen.quiet()
        if self.arguments.debug_level >= 2:
            import traceback

            traceback.print_exc(file=sys.stderr)
        self.screen.note(message, "red")
        if self.output:
            self.output.fail("no_memory" if starved else "crash", message)
        return 1


def is_starved(error: BaseException) -> bool:
    """Whether the system, not the program, is at fault: it gave no memory or no thread."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "can't start new thread" in str(error))
