"""Every error of the kernel, in one tree.

    AgentError                  1   anything that the program itself raises
    ├── UsageError              2   the person's command or option is wrong
    ├── NotReadyError           3   something must be set up first
    │   └── SettingsError       3   a value in .env, the environment or a flag is wrong
    ├── SkillError              1   a skill folder or its commands.yaml is wrong
    ├── ModelError              1   the endpoint refused or answered nonsense, and asking again will not help
    │   ├── AuthError           3   401, 403: the key, or the right to use the model
    │   ├── ContextOverflow     1   the request is longer than the model's window
    │   └── TransientError     75   rate limit, overload, network: trying later helps
    ├── ProtocolError           1   a reply that holds no action that may be taken; the model is asked again
    ├── ActionError             1   an action that cannot be done; the model is told why
    └── Cancelled             130   the person stopped it

A person reads `message` (in their language, from the catalogue); a model reads `observation` (English, or None where the
error is not the model's to solve); a shell reads `exit_code`; a caller that could try again reads `retryable`.
"""
from __future__ import annotations

from typing import Any

from core.i18n import t


class AgentError(Exception):
    """The root. `key` names the text in the catalogue, `values` fill its placeholders."""

    exit_code = 1
    retryable = False

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key = key
        self.values = values

    @property
    def message(self) -> str:
        """What a person reads: what went wrong, on which input, what to do next."""
        return t(self.key, **self.values)

    @property
    def observation(self) -> str | None:
        """What the model reads, or None when the model cannot help."""
        return None

    def __str__(self) -> str:
        return self.message


class UsageError(AgentError):
    """The command line was wrong."""

    exit_code = 2


class NotReadyError(AgentError):
    """The agent lacks something that a person must set up."""

    exit_code = 3


class SettingsError(NotReadyError):
    """A setting is invalid; the message names the variable, what was found and what is allowed."""


class SkillError(AgentError):
    """A skill cannot be used. `detail` is the English sentence for the model, empty where the model cannot help."""

    def __init__(self, key: str, detail: str = "", **values: Any) -> None:
        super().__init__(key, **values)
        self.detail = detail

    @property
    def observation(self) -> str | None:
        return self.detail or None


class ModelError(AgentError):
    """The endpoint failed for good. `status` is the HTTP status, None when there was none."""

    def __init__(self, key: str, status: int | None = None, **values: Any) -> None:
        super().__init__(key, **values)
        self.status = status


class AuthError(ModelError):
    """The endpoint does not accept the key."""

    exit_code = 3


class ContextOverflow(ModelError):
    """The conversation does not fit the model's window; a shorter history may."""


class TransientError(ModelError):
    """The endpoint could not answer now; the retries are used up."""

    exit_code = 75
    retryable = True


class ProtocolError(AgentError):
    """A reply was refused. `kind` is a stable word (cut_off, no_object, two_actions, …), `position` a character offset or None.

    `correction` is what the model is told: English, precise, with one short example.
    """

    def __init__(self, kind: str, correction: str, position: int | None = None) -> None:
        super().__init__("protocol.refused", kind=kind, detail=correction)
        self.kind = kind
        self.correction = correction
        self.position = position

    @property
    def message(self) -> str:
        return t("protocol.refused", kind=t(f"protocol.{self.kind}"), detail=self.correction)

    @property
    def observation(self) -> str:
        return self.correction


class ActionError(AgentError):
    """An action that was not done. `code` is a stable word (outside_workspace, not_found, …), `detail` English for the model."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__("kernel.action_failed", code=code, detail=detail)
        self.code = code
        self.detail = detail

    @property
    def observation(self) -> str:
        return f"{self.code}: {self.detail}"


class Cancelled(AgentError):
    """The person stopped the run."""

    exit_code = 130

    def __init__(self) -> None:
        super().__init__("kernel.cancelled")
