"""Where lines come from in the interactive part: prompt_toolkit where it is there, plain lines otherwise."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ui.cli.history import HistoryFile
from ui.cli.lines import SAME_BURST, more_lines, read_line

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

PROMPT = "> "


class Words:
    """What completion offers: commands, skill names, paths of the workspace. Asked anew each time, so a reload shows."""

    def __init__(self, commands: Callable[[], Iterable[str]], skills: Callable[[], Iterable[str]], folder: Callable[[], Path]) -> None:
        self.commands, self.skills, self.folder = commands, skills, folder

    def fitting(self, before: str) -> Iterable[tuple[str, int]]:
        """The words that continue the text before the cursor, each with how many characters it replaces."""
        if before.startswith("/") and " " not in before and before.count("/") == 1:
            return [(word, len(before)) for word in self.commands() if word.startswith(before)]
        word = before[max(before.rfind(" "), before.rfind("\n")) + 1:]
        if not word:
            return []
        names = [(name, len(word)) for name in self.skills() if name.startswith(word)]
        return names + [(path, len(word)) for path in self._paths(word)]

    def _paths(self, word: str) -> list[str]:
        head, _, tail = word.rpartition("/")
        try:
            with os.scandir(os.path.join(self.folder(), os.path.expanduser(head + "/") if head or word.startswith("/") else "")) as entries:
                names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in entries
                               if entry.name.startswith(tail) and (tail.startswith(".") or not entry.name.startswith(".")))
        except OSError:
            return []
        return [word[:len(word) - len(tail)] + name for name in names[:50]]


class PlainKeyboard:
    """Lines from standard input. What was pasted with several lines comes as one message."""

    def __init__(self, write: Callable[[str], None], history: HistoryFile) -> None:
        self._write = write
        self._history = history

    def read(self, text: str = "") -> str:
        """One message. EOFError at the end of input, KeyboardInterrupt on Ctrl-C."""
        self._write(PROMPT)
        line = read_line(sys.stdin)
        if not line:
            raise EOFError
        while more_lines(sys.stdin):
            line += sys.stdin.readline()
        self._history.add(line.rstrip("\n"))
        return line.rstrip("\n")


class ToolkitKeyboard:
    """Lines through prompt_toolkit: history, completion, several lines, $EDITOR. ImportError where it is not installed."""

    def __init__(self, words: Words, history: HistoryFile, stream: Any) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.output import create_output
        from prompt_toolkit.shortcuts import CompleteStyle

        self._history = history
        self._last_key = 0.0
        self._burst = False
        self._session: PromptSession[str] = PromptSession(
            message=PROMPT, multiline=True, prompt_continuation="  ", history=InMemoryHistory(history.load()), key_bindings=self._bindings(),
            completer=_completer(words), complete_while_typing=False, complete_style=CompleteStyle.READLINE_LIKE, enable_history_search=False,
            output=create_output(stdout=stream), tempfile_suffix=".md", reserve_space_for_menu=0)

    def read(self, text: str = "") -> str:
        """One message, which begins with `text`. EOFError on Ctrl-D on an empty line, KeyboardInterrupt on Ctrl-C."""
        self._last_key = 0.0
        keys = self._session.app.key_processor
        keys.before_key_press += self._note_key
        try:
            line = self._session.prompt(default=text)
        finally:
            keys.before_key_press -= self._note_key
        self._history.add(line)
        return line

    def _note_key(self, _: Any) -> None:
        now = time.monotonic()
        self._burst = now - self._last_key < SAME_BURST
        self._last_key = now

    def _bindings(self) -> KeyBindings:
        from prompt_toolkit.key_binding import KeyBindings

        bindings = KeyBindings()
        newline = ("escape", "enter")

        @bindings.add("enter")
        def _(event: KeyPressEvent) -> None:
            self._end_or_newline(event)

        @bindings.add("c-j")
        def _(event: KeyPressEvent) -> None:
            if self._burst:  # a line end inside a burst of keys: pasted, or sent by a program
                self._end_or_newline(event)
            else:
                event.current_buffer.insert_text("\n")

        @bindings.add(*newline)
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @bindings.add("c-o")
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.open_in_editor()

        return bindings

    @staticmethod
    def _end_or_newline(event: KeyPressEvent) -> None:
        """Enter sends, unless more keys are already there: then it is a line end in a paste without brackets."""
        from prompt_toolkit.keys import Keys

        if any(press.data and press.key != Keys.CPRResponse for press in event.app.key_processor.input_queue):
            event.current_buffer.insert_text("\n")
        else:
            event.current_buffer.validate_and_handle()


def _completer(words: Words) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class WordCompleter(Completer):
        """Passes on what Words finds."""

        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
            for word, length in words.fitting(document.text_before_cursor):
                yield Completion(word, start_position=-length)

    return WordCompleter()


def edit(text: str) -> str:
    """A text after the person has changed it in $VISUAL or $EDITOR. OSError where no editor starts."""
    import shlex
    import subprocess
    import tempfile

    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if sys.platform == "win32" else "vi"))
    handle, name = tempfile.mkstemp(suffix=".md")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([*command, name], check=False)
        return Path(name).read_text(encoding="utf-8").strip("\n")
    finally:
        os.unlink(name)
