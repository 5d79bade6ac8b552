"""One client and one scripted endpoint, for the tests of the client."""
from __future__ import annotations

from typing import Any

from core.config import Settings
from core.llm import CallLLMOptions, ChatClient, Message
from tests.fake_endpoint import FakeEndpoint

ANSWER = '{"thought": "é 中文 😀", "action": "answer", "answer": "hi\\u2028 \\"you\\""}'
MESSAGES: list[Message] = [{"role": "system", "content": "Reply in JSON."}, {"role": "user", "content": "hello"}]


class Talk:
    """One client, one scripted endpoint, and everything that was heard."""

    def __init__(self, *script: Any, path: str = "/v1", models: Any = None, **settings: Any) -> None:
        self.endpoint = FakeEndpoint(script, path=path, models=models)
        values = {"api_base_url": self.endpoint.base_url, "api_key": "sk-secret-123456", "model_name": "m", "retry_delay_min": 1,
            "retry_delay_max": 2}
        self.logged: list[str] = []
        self.slept: list[float] = []
        self.heard: list[tuple[str, str]] = []
        self.client = ChatClient(Settings(**{**values, **settings}), log=lambda level, message: self.logged.append(message), sleep=self.slept.append)

    def ask(self, stream: bool = True, messages: list[Message] | None = None, **options: Any) -> Any:
        return self.client.complete(messages or MESSAGES, CallLLMOptions(**options), stream=stream, on_delta=lambda *heard: self.heard.append(heard))

    def said(self, field: str) -> str:
        return "".join(text for name, text in self.heard if name == field)

    def formats(self) -> list[Any]:
        return [body.get("response_format") for body in self.endpoint.bodies]
