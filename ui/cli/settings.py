"""The settings of one start, and the file that a person edits to change them."""
from __future__ import annotations

from pathlib import Path

from core.config import ROOT, Settings, load_settings
from core.i18n import set_language
from ui.cli.arguments import Arguments


def settings_of(arguments: Arguments) -> Settings:
    """The settings that a command line asks for; the language they name is spoken from now on."""
    env_file = arguments.given.get("env_file")
    settings = load_settings(arguments.settings, env_file=Path(env_file) if env_file else None)
    set_language(settings.language)
    return settings


def env_path() -> Path:
    """Where .env belongs: beside main_cmd.py."""
    return ROOT / ".env"
