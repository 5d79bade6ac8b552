"""The model behind the endpoint as the kernel sees it: the client, made at first use, and how closely this model needs guiding."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.config import Settings
from core.skills import SkillRegistry

if TYPE_CHECKING:
    from core.llm import ChatClient


class Model:
    """The configured endpoint, or the embedded model where there is none. `client` given by the caller is used as it is."""

    def __init__(self, settings: Settings, registry: SkillRegistry, client: ChatClient | None, log: Callable[[str, str], None]) -> None:
        self._settings, self._registry, self._log = settings, registry, log
        self._client = client
        self._transport: Any = None
        self.embedded = client is None and not settings.api_base_url

    @property
    def client(self) -> ChatClient:
        """The endpoint's client."""
        if self._client is None:
            from core.llm import ChatClient

            if self.embedded:
                from core.offline import OfflineTransport
                self._transport = OfflineTransport(self._registry)
            self._client = ChatClient(self._settings, transport=self._transport, log=self._log)
        return self._client

    @property
    def understood(self) -> bool:
        """False when the embedded model found no command that fits the last request; True for every other model."""
        return getattr(self._transport, "understood", None) is not False

    @property
    def guided(self) -> bool:
        """Whether it is guided more closely: where the endpoint is a server on this machine, whose models are small as a rule."""
        return bool(self._settings.api_base_url) and self.client.honours_schema()

    def suggestion(self, query: str) -> str:
        """A skill's command that fits the request, for a guided model; else ""."""
        from core.suggestion import suggest

        return suggest(query, self._registry) if self.guided else ""

    def observation_limit(self) -> int:
        """Characters of one observation: as set, and at most about a quarter of the model's window where that is known."""
        known = self._settings.context_window or (self.client.server_window() if self._settings.api_base_url else None)
        return min(self._settings.observation_limit, known or self._settings.observation_limit)

    def cancel(self) -> None:
        """Stop the request under way; any thread may call it."""
        if self._client is not None:
            self._client.cancel()

    def close(self) -> None:
        """Give back the connection."""
        if self._client is not None:
            self._client.close()
