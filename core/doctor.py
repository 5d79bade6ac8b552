"""What works on this machine and what to do about what does not: data, which a surface prints.

A check fails only when the agent cannot run without the thing; what merely closes one door is a warning.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.config import ROOT, Settings, is_loopback, mask
from core.errors import SettingsError
from core.i18n import t

OK, WARN, FAIL = "ok", "warn", "fail"
NEEDED = (3, 10)
DISK_FAIL, DISK_WARN = 50, 500  # MB
ESSENTIAL = frozenset({"httpx", "python-frontmatter", "pyyaml"})
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox", "microsoft-edge", "brave-browser", "epiphany")
_PORTAUDIO = (("apt-get", "sudo apt install libportaudio2"), ("dnf", "sudo dnf install portaudio"), ("pacman", "sudo pacman -S portaudio"),
              ("zypper", "sudo zypper install libportaudio2"), ("brew", "brew install portaudio"))
_ASK_PORTAUDIO = """
try:
    import sounddevice
    print("devices", sum(device["max_input_channels"] > 0 for device in sounddevice.query_devices()))
except ImportError:
    print("package 0")
except OSError:
    print("library 0")
"""


@dataclass(frozen=True)
class Check:
    """One line of the report. `name` is stable and never translated; `cure` is empty when nothing is to be done."""

    name: str
    state: str
    detail: str
    cure: str = ""

    def to_dict(self) -> dict[str, str]:
        """The check as data for --json."""
        return {"name": self.name, "state": self.state, "detail": self.detail, "cure": self.cure}


def examine(settings: Settings | SettingsError, *, online: bool = False, root: Path | None = None) -> list[Check]:
    """Look at everything, in the order in which a person should mend it. Nothing leaves the machine unless `online`.

    `settings` is what load_settings returned or raised.
    """
    sandbox = _Background(_sandbox)  # its first look at a machine takes a second
    checks = [_python(), _environment(root or ROOT), *_packages(root or ROOT)]
    if isinstance(settings, Settings):
        checks += [*_model(settings), *([_endpoint(settings)] if online and settings.api_base_url else []), *_folders(settings)]
    else:
        checks.append(Check("settings", FAIL, settings.message, t("doctor.cure_settings")))
    return [*checks, *_env_file(root or ROOT), *_system(), sandbox.result()]


def exit_code(checks: Iterable[Check]) -> int:
    """0 when the agent can run, 3 when something must be set up first."""
    return 3 if any(check.state == FAIL for check in checks) else 0


# --- Python and its packages ---

def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < NEEDED:
        return Check("python", FAIL, version, t("doctor.cure_python"))
    return Check("python", OK, f"{version} ({sys.executable})")


def _environment(root: Path) -> Check:
    if os.path.realpath(sys.prefix) == os.path.realpath(root / ".venv"):
        return Check("environment", OK, sys.prefix)
    if sys.prefix != sys.base_prefix or os.path.isdir(os.path.join(sys.prefix, "conda-meta")):
        return Check("environment", OK, t("doctor.environment_active", folder=sys.prefix))
    return Check("environment", WARN, t("doctor.environment_none", folder=sys.prefix), t("doctor.cure_bootstrap"))


def _packages(root: Path) -> Iterator[Check]:
    from importlib.metadata import PackageNotFoundError, version

    for name, demands in requirements(root / "requirements.txt"):
        bad = FAIL if name.lower() in ESSENTIAL else WARN
        label = f"package {name}"
        try:
            found = version(name)
        except PackageNotFoundError:
            yield Check(label, bad, t("doctor.package_missing", wanted=demands), t("doctor.cure_bootstrap"))
            continue
        if satisfies(found, demands):
            yield Check(label, OK, found)
        else:
            yield Check(label, bad, t("doctor.package_other", found=found, wanted=demands), t("doctor.cure_bootstrap"))


def requirements(file: Path) -> list[tuple[str, str]]:
    """(name, version demands such as ">=1,<2") for each line of a requirement list of the project; [] when it is not there."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        return []
    lines = (line.split("#")[0].split(";")[0].replace(" ", "").strip() for line in text.splitlines())
    found = (re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?(.*)", line) for line in lines)
    return [(match[1], match[2]) for match in found if match]


def satisfies(version: str, demands: str) -> bool:
    """Whether a version meets demands made of >= and < alone, the only ones that the project's lists use."""
    have = _numbers(version)
    for demand in filter(None, demands.split(",")):
        if demand.startswith(">=") and have < _numbers(demand[2:]):
            return False
        if demand.startswith("<") and have >= _numbers(demand[1:]):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in re.match(r"[0-9.]*", version)[0].split(".") if number]  # type: ignore[index]
    return tuple((numbers + [0] * 6)[:6])


# --- the model ---

def _model(settings: Settings) -> Iterator[Check]:
    if not settings.api_base_url and not settings.missing():
        yield Check("model", WARN, t("doctor.model_embedded"), t("doctor.cure_model"))
        return
    missing = settings.missing()
    if missing:
        yield Check("model", FAIL, t("doctor.model_missing", names=", ".join(missing)), t("doctor.cure_missing", names=", ".join(missing)))
        return
    key = mask(settings.api_key) or t("doctor.no_key")
    yield Check("model", OK, t("doctor.model_named", model=settings.model_name, url=settings.api_base_url, secret=key))
    if settings.api_key and settings.api_base_url.lower().startswith("http:") and not is_loopback(settings.api_base_url):
        yield Check("key in the clear", WARN, t("doctor.clear_text", url=settings.api_base_url), t("doctor.cure_clear_text"))


def _endpoint(settings: Settings) -> Check:
    """Ask for the list of models, which costs nothing. The key goes only into the header, never into a message."""
    import httpx

    from core.endpoint.address import parse_address
    from core.endpoint.wire import tls_context
    from core.endpoint.wire_httpx import proxy_for

    url = settings.api_base_url.split("?")[0].rstrip("/") + "/models"
    headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    proxy = proxy_for(parse_address(url).origin, settings.proxy)
    try:
        with httpx.Client(timeout=10, trust_env=False, proxy=proxy or None, verify=tls_context()) as client:
            status = client.get(url, headers=headers).status_code
    except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError) as error:
        reason = str(error).replace(settings.api_key, "…") if settings.api_key else str(error)
        return Check("endpoint", FAIL, t("doctor.endpoint_silent", url=url, reason=reason or type(error).__name__), t("doctor.cure_endpoint"))
    if status in (401, 403):
        return Check("endpoint", FAIL, t("doctor.endpoint_status", url=url, status=status), t("doctor.cure_key"))
    if status >= 500:
        return Check("endpoint", WARN, t("doctor.endpoint_status", url=url, status=status), t("doctor.cure_later"))
    return Check("endpoint", OK, t("doctor.endpoint_status", url=url, status=status))


# --- folders ---

def _folders(settings: Settings) -> Iterator[Check]:
    folder = settings.workspace
    there = next((parent for parent in (folder, *folder.parents) if parent.exists()), Path(folder.anchor or "."))
    yield Check("workspace", OK, str(folder)) if _writable(there) else Check(
        "workspace", FAIL, t("doctor.not_writable", folder=there), t("doctor.cure_workspace"))
    free = shutil.disk_usage(there).free // 1_000_000
    detail = t("doctor.free", size=free, folder=there)
    state = FAIL if free < DISK_FAIL else WARN if free < DISK_WARN else OK
    yield Check("disk", state, detail, "" if state == OK else t("doctor.cure_disk", size=DISK_WARN))
    if settings.skills_dir.is_dir():
        yield Check("skills", OK, str(settings.skills_dir))
    else:
        yield Check("skills", FAIL, t("doctor.no_folder", folder=settings.skills_dir), t("doctor.cure_skills"))


def _writable(folder: Path) -> bool:
    """Tries it: the permission bits say nothing about a read-only disk or the administrator."""
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _env_file(root: Path) -> Iterator[Check]:
    path = root / ".env"
    if os.name == "nt" or not path.is_file():
        return
    if path.stat().st_mode & 0o077:
        yield Check("env file", WARN, t("doctor.env_open", path=path), f"chmod 600 {path}")
    else:
        yield Check("env file", OK, str(path))


# --- the sandbox ---

class _Background:
    """A check that is made while others are."""

    def __init__(self, look: Callable[[], Check]) -> None:
        self._look = look
        self._found: Check | None = None
        self._thread = threading.Thread(target=self._run, name="check", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._found = self._look()

    def result(self) -> Check:
        self._thread.join()
        return self._found or self._look()


def _sandbox() -> Check:
    """Which tier holds, what it lacks, why no stronger one does, and what would bring one."""
    from core.sandbox.manager import CONFINING
    from core.sandbox.probe import probe

    found = probe()
    lines = [t(f"sandbox.tier_{found.tier}"), *(t(f"sandbox.missing_{name}") for name in found.missing)]
    if found.lowered_from:
        lines.append(t("sandbox.lowered", before=found.lowered_from, now=found.tier))
    if found.tier == "full":
        return Check("sandbox", WARN if found.lowered_from else OK, "; ".join(lines))
    if found.refused:
        lines.append(t("doctor.sandbox_refused", reasons=", ".join(found.refused)))
    cure = t("doctor.cure_sandbox_linux") if sys.platform.startswith("linux") else t("doctor.cure_sandbox")
    return Check("sandbox", WARN, "; ".join(lines), cure if found.tier in CONFINING else f"{cure} {t('doctor.sandbox_none')}")


# --- the system ---

def _system() -> list[Check]:
    return [_encoding(), _program("bash", "doctor.cure_bash") if os.name != "nt" else _program("powershell", "doctor.cure_bash"),
            _program("git", "doctor.cure_git"), _browser(), _module("page", ("fastapi", "uvicorn"), all, "web"),
            _module("window", ("PySide6", "PyQt6", "PyQt5"), any, "gui"), _microphone()]


def _encoding() -> Check:
    import codecs
    import locale

    name = getattr(sys.stdout, "encoding", None) or locale.getpreferredencoding(False)
    try:
        unicode = codecs.lookup(name).name in ("utf-8", "utf-8-sig", "gb18030", "utf-16")
    except LookupError:
        unicode = False
    return Check("encoding", OK, name) if unicode else Check("encoding", WARN, t("doctor.encoding", name=name), t("doctor.cure_encoding"))


def _program(name: str, cure: str) -> Check:
    path = shutil.which(name)
    return Check(name, OK, path) if path else Check(name, WARN, t("doctor.not_found"), t(cure))


def _browser() -> Check:
    if sys.platform in ("win32", "darwin"):
        return Check("browser", OK, t("doctor.browser_of_system"))
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    return Check("browser", OK, path) if path else Check("browser", WARN, t("doctor.not_found"), t("doctor.cure_browser"))


def _module(name: str, modules: Sequence[str], quantity: Callable[[Iterable[bool]], bool], part: str) -> Check:
    from importlib.util import find_spec

    found = [module for module in modules if find_spec(module) is not None]
    if quantity(module in found for module in modules):
        return Check(name, OK, ", ".join(found))
    return Check(name, WARN, t("doctor.not_installed", names=" / ".join(modules)), f"python3 main_cmd.py setup {part}")


def _microphone() -> Check:
    """In a process of its own, since audio libraries write to the terminal, or hang, while they are loaded."""
    try:
        done = subprocess.run([sys.executable, "-I", "-c", _ASK_PORTAUDIO], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=20, check=False)
        answer, count = done.stdout.splitlines()[-1].split()  # the last line: the library may have spoken before
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError):
        answer, count = "library", "0"
    if answer == "package":
        return Check("microphone", WARN, t("doctor.not_installed", names="sounddevice"), t("doctor.cure_bootstrap"))
    if answer != "devices":
        cure = next((command for program, command in _PORTAUDIO if shutil.which(program)), "PortAudio")
        return Check("microphone", WARN, t("doctor.no_portaudio"), cure)
    if count == "0":
        return Check("microphone", WARN, t("doctor.no_microphone"), t("doctor.cure_microphone"))
    return Check("microphone", OK, t("doctor.microphones", count=count))
