"""Settings: where each value comes from, checked once, with words that help when one is wrong.

Order: flag, environment, --env-file, .env beside main_cmd.py, .env in the user's configuration folder, default. Never a
file of the working directory, of the workspace, or of a folder above the project: such a file may belong to a stranger.
"""
from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import SettingsError
from core.i18n import t

ROOT = Path(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = ("DeepSeek", "OpenAI", "Ollama")  # one of China, one international, one local without a key
_SECRET_NAME = re.compile(r"API_?KEY|SECRET|TOKEN|PASSW|CREDENTIAL|ACCESS_KEY|PRIVATE_KEY", re.IGNORECASE)
_NOT_SECRET = frozenset({"MAX_TOKENS", "MAX_RUN_TOKENS"})
_scrubbed: dict[str, str] = {}
_loaded: Settings | None = None


@dataclass(frozen=True)
class Settings:
    """Every setting, valid. An empty api_base_url means the embedded model; `sources` says where each field came from."""

    api_base_url: str = ""
    api_key: str = field(default="", repr=False)
    model_name: str = ""
    max_steps: int = 30
    max_retries: int = 3
    retry_delay_min: int = 3000  # ms
    retry_delay_max: int = 6000  # ms
    command_timeout: float = 300  # s
    temperature: float | None = 0.1  # None: leave it out of the request
    max_tokens: int | None = None  # None: the table per model
    context_window: int | None = None  # None: the table per model
    response_format: str = "auto"
    proxy: str = ""  # "": what the environment names; "none": no proxy at all
    language: str = ""  # "": what the environment asks for
    observation_limit: int = 8000  # characters shown to the model
    answer_check: bool = True
    max_run_tokens: int = 0  # 0: no limit
    network: bool = False  # whether commands have the network without being asked for
    add_dirs: tuple[str, ...] = ()  # further folders, "DIR" to write or "DIR:ro" to read
    workspace: Path = ROOT / "workspace"
    skills_dir: Path = ROOT / "skills"
    sources: Mapping[str, str] = field(default_factory=dict)  # field -> "flag" | "environment" | path of a file | "default"

    def missing(self) -> tuple[str, ...]:
        """The variables without which the chosen endpoint cannot work; empty also when none is chosen at all."""
        if not self.api_base_url:
            return ("API_BASE_URL",) if self.api_key or self.model_name else ()
        away = not is_loopback(self.api_base_url) and self.api_base_url.startswith("https:")
        return (("API_KEY",) if away and not self.api_key else ()) + (() if self.model_name else ("MODEL_NAME",))


@dataclass(frozen=True)
class _Source:
    """One place with values. A higher `trust` is harder for a stranger to write to; `folder` is where its relative paths start."""

    name: str
    values: Mapping[str, str]
    trust: int
    folder: Path


class _Refused(Exception):
    """A value that its rule does not allow; the argument says what is allowed."""


@dataclass(frozen=True)
class _Rule:
    """How one variable is read. An empty value counts as not given, unless `may_be_empty`."""

    field: str
    variable: str
    read: Callable[[str], Any]
    may_be_empty: bool = False


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise _Refused(t("config.allow_whole", low=low, high=high))
        return number
    return read


def _decimal(low: float, high: float) -> Callable[[str], float]:
    def read(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:
            raise _Refused(t("config.allow_decimal", low=f"{low:g}", high=f"{high:g}"))
        return number
    return read


def _or_none(read: Callable[[str], Any], *words: str) -> Callable[[str], Any]:
    def read_or_none(value: str) -> Any:
        if value.lower() in words:
            return None
        try:
            return read(value)
        except _Refused as refused:
            raise _Refused(t("config.allow_or", allowed=str(refused), word=words[0])) from None
    return read_or_none


def _word(*words: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value.lower() not in words:
            raise _Refused(", ".join(words))
        return value.lower()
    return read


def _switch(value: str) -> bool:
    lowered = value.lower()
    if lowered not in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        raise _Refused("on, off")
    return lowered in ("1", "true", "yes", "on")


def _folders(value: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in value.split(";") if part.strip())
    for part in found:
        if not os.path.isdir(os.path.expanduser(part.removesuffix(":ro"))):
            raise _Refused(t("config.allow_folder", path=part))
    return found


def added_folders(add_dirs: Iterable[str]) -> tuple[list[Path], list[Path]]:
    """The folders of ADD_DIRS that may be written, and those that may be read only ("DIR:ro")."""
    paths = [(Path(os.path.expanduser(text.removesuffix(":ro"))), text.endswith(":ro")) for text in add_dirs]
    return [path for path, fixed in paths if not fixed], [path for path, fixed in paths if fixed]


def _language(value: str) -> str:
    for language in ("zh", "en"):
        if value.lower().replace("_", "-").split("-")[0].split(".")[0] == language:
            return language
    raise _Refused("en, zh")


def _url(*schemes: str) -> Callable[[str], str]:
    host = r"(?:\[[0-9a-f:.%]+\]|[^\s/?#@:\[\]{}$]+)(?::\d{1,5})?"
    pattern = re.compile(rf"(?:{'|'.join(schemes)})://(?:[^\s/?#@]*@)?{host}(?:[/?][^\s#{{}}]*)?", re.IGNORECASE)

    def read(value: str) -> str:
        if value and not pattern.fullmatch(value):
            raise _Refused(t("config.allow_url", schemes=" / ".join(f"{scheme}://" for scheme in schemes)))
        return value
    return read


def _base_url(value: str) -> str:
    url = _url("https", "http")(value)
    if "@" in url.split("://", 1)[-1].split("/")[0]:
        raise _Refused(t("config.allow_no_password"))
    return url.rstrip("/").removesuffix("/chat/completions").rstrip("/")


def _proxy(value: str) -> str:
    if value.lower() in ("none", "off", "direct"):
        return "none"
    try:
        return _url("http", "https", "socks5", "socks5h")(value)
    except _Refused as refused:
        raise _Refused(t("config.allow_or", allowed=str(refused), word="none")) from None


def _key(value: str) -> str:
    if not all("!" <= character <= "~" for character in value) or "..." in value:
        raise _Refused(t("config.allow_key"))
    return value


RULES: tuple[_Rule, ...] = (
    _Rule("api_base_url", "API_BASE_URL", _base_url, may_be_empty=True),
    _Rule("api_key", "API_KEY", _key, may_be_empty=True),
    _Rule("model_name", "MODEL_NAME", str, may_be_empty=True),
    _Rule("max_steps", "MAX_STEPS", _whole(1, 1000)),
    _Rule("max_retries", "MAX_RETRIES", _whole(0, 20)),
    _Rule("retry_delay_min", "RETRY_DELAY_MIN", _whole(0, 600_000)),
    _Rule("retry_delay_max", "RETRY_DELAY_MAX", _whole(0, 600_000)),
    _Rule("command_timeout", "COMMAND_TIMEOUT", _decimal(0.1, 86_400)),
    _Rule("temperature", "TEMPERATURE", _or_none(_decimal(0, 2), "none")),
    _Rule("max_tokens", "MAX_TOKENS", _or_none(_whole(16, 10_000_000), "auto", "none")),
    _Rule("context_window", "CONTEXT_WINDOW", _or_none(_whole(512, 100_000_000), "auto", "none")),
    _Rule("response_format", "RESPONSE_FORMAT", _word("auto", "json_schema", "json_object", "none")),
    _Rule("proxy", "PROXY", _proxy, may_be_empty=True),
    _Rule("language", "AGENT_LANG", _language),
    _Rule("observation_limit", "OBSERVATION_LIMIT", _whole(200, 10_000_000)),
    _Rule("answer_check", "ANSWER_CHECK", _switch),
    _Rule("max_run_tokens", "MAX_RUN_TOKENS", _whole(0, 1_000_000_000)),
    _Rule("network", "NETWORK", _switch),
    _Rule("add_dirs", "ADD_DIRS", _folders),
    _Rule("workspace", "AGENT_WORKSPACE", Path),
    _Rule("skills_dir", "AGENT_SKILLS", Path),
)


def load_settings(flags: Mapping[str, str | None] | None = None, *, environ: Mapping[str, str] | None = None,
                  env_file: Path | None = None, root: Path | None = None) -> Settings:
    """Read every source and return valid settings, or raise SettingsError.

    `flags` maps field names to text, None for a flag that was not given. AGENT_NO_ENV_FILE=1 in the environment leaves
    the two implicit .env files unread (the tests set it); an explicit `env_file` is read all the same.
    """
    root = root or ROOT
    environ = {**_scrubbed, **os.environ} if environ is None else environ
    sources = list(_sources(flags or {}, environ, env_file, root))
    values: dict[str, Any] = {"workspace": root / "workspace", "skills_dir": root / "skills"}
    origin: dict[str, _Source] = {}
    for rule in RULES:
        for source in sources:
            found = source.values.get(rule.variable)
            if found is not None and (rule.may_be_empty or found.strip()):
                values[rule.field] = _read(rule, found.strip(), source)
                origin[rule.field] = source
                break
    _check_delays(values, origin)
    _check_trust(values, origin)
    names = {rule.field: origin[rule.field].name if rule.field in origin else "default" for rule in RULES}
    return Settings(**values, sources=names)


def user_folder(environ: Mapping[str, str]) -> Path | None:
    """Where this person's own .env may lie, or None where the environment names no home."""
    if sys.platform == "win32":
        base = environ.get("APPDATA", "")
    else:
        base = environ.get("XDG_CONFIG_HOME", "")
        if not os.path.isabs(base):
            home = environ.get("HOME", "")
            base = os.path.join(home, ".config") if home else ""
    return Path(base) / "skills-agent" if os.path.isabs(base) else None


def working_folder(instead: Path = ROOT) -> Path:
    """Where this process was started; another folder where that one has been deleted since."""
    try:
        return Path.cwd()
    except OSError:
        return instead


def _sources(flags: Mapping[str, str | None], environ: Mapping[str, str], env_file: Path | None, root: Path) -> Iterable[_Source]:
    from core.env_file import read_env_file

    here = working_folder(root)
    given = {rule.variable: value for rule in RULES if (value := flags.get(rule.field)) is not None}
    yield _Source("flag", given, 3, here)
    yield _Source("environment", environ, 2, here)
    if env_file is not None:
        yield _Source(str(env_file), read_env_file(env_file), 1, (here / env_file).parent)
    if environ.get("AGENT_NO_ENV_FILE", "0") not in ("", "0"):
        return
    for folder in (root, user_folder(environ)):
        if folder is not None and os.path.lexists(folder / ".env"):
            yield _Source(str(folder / ".env"), read_env_file(folder / ".env"), 0, folder)


def _read(rule: _Rule, found: str, source: _Source) -> Any:
    if source.trust < 2 and "${" in found:
        raise SettingsError("config.no_expansion", name=rule.variable, source=source.name)
    try:
        value = rule.read(found)
    except _Refused as refused:
        shown = t("config.hidden", count=len(found)) if rule.field == "api_key" else repr(_mask_password(found[:200]))
        raise SettingsError("config.bad_value", name=rule.variable, found=shown, allowed=str(refused), source=source_words(source.name)) from None
    return source.folder / value.expanduser() if isinstance(value, Path) else value


def _check_delays(values: Mapping[str, Any], origin: Mapping[str, _Source]) -> None:
    low = values.get("retry_delay_min", Settings.retry_delay_min)
    high = values.get("retry_delay_max", Settings.retry_delay_max)
    if low > high:
        raise SettingsError("config.delays", low=low, high=high)


def _check_trust(values: Mapping[str, Any], origin: Mapping[str, _Source]) -> None:
    """A file that a stranger could write must not send a key that was given elsewhere to an address of its own."""
    key, url = origin.get("api_key"), origin.get("api_base_url")
    if key and url and values["api_key"] and values["api_base_url"] and url.trust < key.trust:
        raise SettingsError("config.key_elsewhere", key_from=source_words(key.name), url_from=source_words(url.name), address=values["api_base_url"])


def source_words(source: str) -> str:
    """The name of a source as a person reads it."""
    words = {"flag": "config.source_flag", "environment": "config.source_environment", "default": "config.source_default"}
    return t(words[source]) if source in words else source


def describe(settings: Settings) -> list[tuple[str, str, str]]:
    """One row a variable: name, value with secrets masked, source ("flag", "environment", "default" or a file's path)."""
    return [(rule.variable, _shown(rule.field, getattr(settings, rule.field)), settings.sources.get(rule.field, "default")) for rule in RULES]


def _shown(name: str, value: Any) -> str:
    if name == "api_key":
        return mask(value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none" if name == "temperature" else "auto"
    return f"{value:g}" if isinstance(value, float) else _mask_password(str(value))


def mask(secret: str) -> str:
    """A secret as it may be shown: its first three and last two characters when it is long, none when it is short."""
    if not secret:
        return ""
    return f"{secret[:3]}…{secret[-2:]}" if len(secret) >= 20 else "…"


def _mask_password(text: str) -> str:
    return re.sub(r"(?<=://)[^/?#\s]*@", "…@", text)


def is_loopback(url: str) -> bool:
    """Whether an address is certainly on this machine."""
    from core.endpoint.address import parse_address

    return parse_address(url).origin.loopback


def scrub_environment() -> tuple[str, ...]:
    """Take names that look like keys out of os.environ, so that no child process inherits them; the names removed.

    A surface calls it once, after load_settings and before anything is started. Later calls of load_settings still see
    the values. (The block that the system keeps for this process cannot be cleared: keeping other processes from it is
    the sandbox's work.)
    """
    names = tuple(name for name in os.environ if _SECRET_NAME.search(name) and name not in _NOT_SECRET)
    for name in names:
        _scrubbed[name] = os.environ.pop(name)
    return names


def provider_blocks(root: Path | None = None) -> tuple[str, ...]:
    """Three ready blocks for .env, out of .env.example: of China, international, and local without a key."""
    try:
        text = ((root or ROOT) / ".env.example").read_text(encoding="utf-8")
    except OSError:
        return ()
    blocks = [block for block in text.replace("\r\n", "\n").split("\n\n") if "\n#API_BASE_URL=" in block]
    chosen = [next((block for block in blocks if block.startswith(f"# {name}")), "") for name in EXAMPLES]
    return tuple(block.replace("\n#", "\n").strip() for block in chosen if block)


def create_env_file(root: Path | None = None) -> Path:
    """Write .env from .env.example, readable by its owner only; the caller has asked first. SettingsError when it exists."""
    path = (root or ROOT) / ".env"
    try:
        text = path.with_name(".env.example").read_bytes()
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text)
    except OSError as error:
        raise SettingsError("config.env_not_created", path=path, reason=error.strerror or str(error)) from error
    return path


_NAMES = {"API_BASE_URL": "api_base_url", "API_KEY": "api_key", "MODEL_NAME": "model_name", "DEFAULT_MAX_STEPS": "max_steps",
          "MAX_RETRIES": "max_retries", "RETRY_DELAY_MIN": "retry_delay_min", "RETRY_DELAY_MAX": "retry_delay_max"}


def __getattr__(name: str) -> Any:
    """API_BASE_URL, API_KEY, MODEL_NAME, DEFAULT_MAX_STEPS, MAX_RETRIES, RETRY_DELAY_MIN, RETRY_DELAY_MAX, loaded once, at first use."""
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    global _loaded
    _loaded = _loaded or load_settings()
    return getattr(_loaded, _NAMES[name])
