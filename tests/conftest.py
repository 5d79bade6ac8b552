"""What every test gets: no settings of the person who runs it, English words, nothing written outside its own folder."""
from __future__ import annotations

import os
import re
import signal

import pytest

from core import i18n

# A suite that was started in the background inherits an ignored SIGINT, and so would every program whose Ctrl-C it tests.
signal.signal(signal.SIGINT, signal.default_int_handler)

_SETTINGS = re.compile(
    r"^(API_|MODEL_NAME$|MAX_|RETRY_|COMMAND_TIMEOUT$|TEMPERATURE$|CONTEXT_WINDOW$|RESPONSE_FORMAT$|PROXY$|AGENT_|OBSERVATION_LIMIT$"
    r"|ANSWER_CHECK$|ACCESSIBLE$|NO_COLOR$|FORCE_COLOR$|CLICOLOR|(?:https?|all|no)_proxy$)", re.IGNORECASE)


def pytest_configure(config: pytest.Config) -> None:
    """Before the first import of a test: child processes inherit this environment too."""
    for name in [name for name in os.environ if _SETTINGS.match(name)]:
        del os.environ[name]
    os.environ["AGENT_NO_ENV_FILE"] = "1"
    os.environ["AGENT_NO_BOOTSTRAP"] = "1"
    os.environ["AGENT_LANG"] = "en"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # child processes start far faster from compiled files


@pytest.fixture(autouse=True)
def english() -> None:
    """A test that switched the language leaves no trace."""
    i18n.set_language("")
