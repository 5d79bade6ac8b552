"""Notifications of the desktop: notify-send on Linux, osascript on macOS, a toast by Windows PowerShell. Text is never part of a script.

Backslashes of the body are doubled for notify-send, which reads C escapes in it. A program that does not answer is ended after 5 s.
"""
from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

LIMIT = 5.0  # seconds
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

_APPLE = ("on run argv", "display notification (item -1 of argv) with title (item -2 of argv)", "end run")

# Windows PowerShell has the toasts of Windows built in; its own application id is the one that is registered everywhere.
_TOAST = r"""$ErrorActionPreference = 'Stop'
[Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime] | Out-Null
$manager = [Windows.UI.Notifications.ToastNotificationManager]
$form = $manager::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$lines = $form.GetElementsByTagName('text')
$lines.Item(0).AppendChild($form.CreateTextNode($env:TODO_NOTICE_TITLE)) | Out-Null
$lines.Item(1).AppendChild($form.CreateTextNode($env:TODO_NOTICE_MESSAGE)) | Out-Null
$toast = New-Object Windows.UI.Notifications.ToastNotification $form
$manager::CreateToastNotifier('{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\WindowsPowerShell\v1.0\powershell.exe').Show($toast)
"""


@dataclass(frozen=True)
class Delivery:
    """`channel` is the program that was asked, "" without one; `reason` is "", "none", "failed" or "slow"."""

    delivered: bool
    channel: str
    reason: str


def notify(title: str, message: str, *, platform: str = "", environment: Mapping[str, str] | None = None, limit: float = LIMIT) -> Delivery:
    """Show a notification; never raises. `platform` is a value of sys.platform, `environment` what the program gets, PATH included."""
    given = dict(os.environ if environment is None else environment)
    command, more = _command(platform or sys.platform, _clean(title), _clean(message))
    program = shutil.which(command[0], path=given.get("PATH", "")) if command else None
    if program is None:
        return Delivery(False, "", "none")
    try:
        ended = _run([program, *command[1:]], {**given, **more}, limit)
    except OSError:
        return Delivery(False, command[0], "failed")
    reason = "slow" if ended is None else "failed" if ended else ""
    return Delivery(not reason, command[0], reason)


def _clean(text: str) -> str:
    """What can be an argument and an environment value: no NUL, no escapes, no half characters."""
    return _CONTROL.sub(" ", text).encode(errors="replace").decode()


def _command(platform: str, title: str, message: str) -> tuple[list[str], dict[str, str]]:
    """The words of the program, and what it finds in its environment."""
    if platform == "darwin":
        script = [word for line in _APPLE for word in ("-e", line)]
        return ["osascript", *script, "--", title, message], {}
    if platform in ("win32", "cygwin"):
        return ["powershell", "-NoProfile", "-NonInteractive", "-Command", _TOAST], {"TODO_NOTICE_TITLE": title, "TODO_NOTICE_MESSAGE": message}
    return ["notify-send", "--app-name=todo", "--", title, message.replace("\\", "\\\\")], {}


def _run(command: list[str], environment: dict[str, str], limit: float) -> int | None:
    """The exit status; None when it took too long and was ended, with whatever it had started."""
    quiet = subprocess.DEVNULL
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    with subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=environment, start_new_session=True,
                          creationflags=hidden) as process:
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            _end(process)
            return None
        except BaseException:
            _end(process)
            raise


def _end(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)  # its own session: the group holds its children alone
        except ProcessLookupError:
            return
    else:
        process.kill()
