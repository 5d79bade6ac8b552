"""The only caller of /chat/completions: one kept connection, one request at a time, interruptible from any thread."""
from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

from core.endpoint.capabilities import MAX_CHANGES, Capabilities, Change, Sent, change_for, completion_too_long
from core.endpoint.failure import UNREADABLE, EndpointFailure, Failure
from core.endpoint.model_limits import MODEL_MAX_TOKENS, max_tokens_of
from core.endpoint.patience import LOCAL_READ_TIMEOUT, Patience, Timing
from core.endpoint.request_body import RequestBody, head_of, plan
from core.errors import AuthError, Cancelled, ModelError, NotReadyError, TransientError
from core.i18n import t

if TYPE_CHECKING:
    import httpx

    from core.config import Settings
    from core.endpoint.address import Address
    from core.endpoint.call import Call
    from core.endpoint.probe import ServerFacts
    from core.endpoint.receive import Receiver
    from core.endpoint.reply import Reply, Usage
    from core.endpoint.wire_types import Exchange, Wire

__all__ = ["MODEL_MAX_TOKENS", "CallLLMOptions", "ChatClient", "Message", "call_llm", "call_llm_sync", "forget_endpoints", "max_tokens_of"]

OnDelta = Callable[[str, str], None]
Log = Callable[[str, str], None]

EMBEDDED = "http://embedded.invalid/v1"
_SHORT_PROMPT = 1000  # tokens below which our estimate says nothing about a silent cut
_UNTRIED = Capabilities()
_memory: dict[tuple[str, str], Capabilities] = {}
_servers: dict[tuple[str, str], ServerFacts] = {}


class Message(TypedDict):
    """One message; nothing but role and content ever reaches an endpoint."""

    role: str
    content: str


@dataclass(frozen=True)
class CallLLMOptions:
    """What one call wants. None leaves the choice to the settings; `schema` is sent where the server is known to keep to it."""

    json_mode: bool = True
    max_tokens: int | None = None
    temperature: float | None = None
    schema: Mapping[str, Any] | None = None


class ChatClient:
    """Talks to the endpoint of `settings`, or to `transport` in its place. One conversation and one thread at a time; only `cancel`
    may come from another thread. `log(level, message)` hears of retries and of what an endpoint was found to refuse; `sleep`
    replaces the interruptible wait between tries."""

    def __init__(self, settings: Settings, *, transport: httpx.BaseTransport | None = None, log: Log | None = None,
                 sleep: Callable[[float], None] | None = None, timing: Timing | None = None) -> None:
        self._settings = settings
        self._transport = transport
        self._log = log or (lambda level, message: None)
        self._sleep = sleep
        self._timing = timing
        self._address: Address | None = None
        self._memory_key = ("", settings.model_name)
        self._wire: Wire | None = None
        self._cancelled = threading.Event()
        self._body = RequestBody()
        self._head: tuple[Sent | None, float | None, Mapping[str, Any] | None, bytes] = (None, None, None, b"")
        self._memory = _memory if transport is None else {}
        self._probes = 0
        self._warned = False

    def complete(self, messages: Sequence[Message], options: CallLLMOptions | None = None, *, on_delta: OnDelta | None = None,
                 stream: bool = True, cancelled: threading.Event | None = None) -> Reply:
        """One reply to `messages`, which only ever grow between calls (what stays the same keeps its bytes on the wire).

        `on_delta(field, text)` hears thought, answer, other and reasoning as they arrive, and discard when what it heard is void.
        `cancelled` is the caller's own sign that it wants to stop: set before `cancel` is called, it also counts if that came before the call.
        Raises ModelError and its kinds, SettingsError for a URL or proxy that cannot work, Cancelled.
        """
        from core.endpoint.call import Call
        from core.endpoint.wire import Interrupted, WireError

        settings = self._settings
        patience = Patience(settings.max_retries, settings.retry_delay_min / 1000, settings.retry_delay_max / 1000)
        call = Call(options or CallLLMOptions(), on_delta, stream, patience, settings.api_key)
        self._begin()
        if cancelled is not None and cancelled.is_set():
            raise Cancelled
        while True:
            try:
                return self._attempt(call, messages)
            except EndpointFailure as error:
                failure = error.failure
            except WireError as error:
                failure = Failure(error.kind, error.detail)
            except Interrupted:
                raise Cancelled from None
            if failure.kind == "malformed" and (failure.generation or "").strip():
                return self._reply(call, failure.generation or "")
            self._recover(call, failure)
            call.discard(self._reason(failure))

    def cancel(self) -> None:
        """Make `complete` raise Cancelled within 100 ms, whatever it waits for. Any thread may call it; without a call under way it does nothing."""
        self._cancelled.set()
        if self._wire is not None:
            self._wire.interrupt()

    def honours_schema(self) -> bool:
        """Whether a schema given in the options is sent: RESPONSE_FORMAT asks for it, or the server on this machine is known to keep to it."""
        if "json_schema" not in self._capabilities().formats:
            return False
        if self._settings.response_format != "auto":
            return self._settings.response_format == "json_schema"
        facts = self._facts()
        return facts is not None and facts.keeps_schemas

    def server_window(self) -> int | None:
        """How many tokens the server on this machine says that prompt and reply may share; None where it does not tell, or is elsewhere."""
        facts = self._facts()
        return None if facts is None else facts.window

    def close(self) -> None:
        """Give the connection back; the next `complete` opens another."""
        if self._wire is not None and self._transport is None:
            self._wire.close()
            self._wire = None

    def _begin(self) -> None:
        self._cancelled.clear()
        wire = self._connected()
        wire.resume()

    def _where(self) -> Address:
        if self._address is None:
            from core.endpoint.address import parse_address

            url = self._settings.api_base_url
            if not url and self._transport is None:
                raise NotReadyError("llm.no_endpoint")
            self._address = parse_address(url or EMBEDDED)
            self._memory_key = (self._address.base, self._settings.model_name)
        return self._address

    def _connected(self) -> Wire:
        if self._wire is None:
            self._wire = self._make_wire()
        return self._wire

    def _make_wire(self) -> Wire:
        from core.endpoint.wire import DirectWire, tls_context

        origin, proxy = self._where().origin, self._settings.proxy
        if self._transport is None and origin.loopback and not proxy:
            return DirectWire(origin, tls_context)
        from core.endpoint.wire_httpx import wire_for

        return wire_for(origin, proxy, self._transport)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Accept-Encoding": "identity",
                   "User-Agent": "skills-agent"}
        key = self._settings.api_key.strip()
        if key and not (key.isascii() and key.isprintable()):
            raise AuthError("llm.bad_key")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def _capabilities(self) -> Capabilities:
        self._where()
        return self._memory.get(self._memory_key) or _UNTRIED

    def _remember(self, capabilities: Capabilities) -> None:
        self._where()
        self._memory[self._memory_key] = capabilities

    def _facts(self) -> ServerFacts | None:
        address = self._where()
        if self._transport is not None or not address.origin.loopback:
            return None
        key = self._memory_key
        if key not in _servers and self._probes < 2:
            from core.endpoint.probe import ask

            self._probes += 1
            facts = ask(self._connected(), address, self._headers(), self._settings.model_name)
            if facts is not None:
                _servers[key] = facts
        return _servers.get(key)

    def _plan(self, call: Call) -> Sent:
        options, settings = call.options, self._settings
        wanted = settings.response_format
        if not options.json_mode or call.no_format:
            wanted = "none"
        elif options.schema is not None and wanted in ("auto", "json_schema") and self.honours_schema():
            wanted = "json_schema"
        elif wanted in ("auto", "json_schema"):
            wanted = "json_object"
        limit = options.max_tokens or settings.max_tokens or max_tokens_of(settings.model_name)
        return plan(self._capabilities(), wanted_format=wanted, stream=call.stream, temperature=self._temperature(options), max_tokens=limit)

    def _temperature(self, options: CallLLMOptions) -> float | None:
        return self._settings.temperature if options.temperature is None else options.temperature

    def _encode(self, call: Call, messages: Sequence[Message]) -> bytes:
        temperature, schema = self._temperature(call.options), call.options.schema
        sent, heat, known, head = self._head
        if (sent, heat) != (call.sent, temperature) or known is not schema:
            head = head_of(self._settings.model_name, call.sent, temperature, schema)
            self._head = (call.sent, temperature, schema, head)
        return self._body.encode(messages, head, self._capabilities().json_reminder)

    def _attempt(self, call: Call, messages: Sequence[Message]) -> Reply:
        self._check()
        call.attempts += 1
        call.sent = self._plan(call)
        body = self._encode(call, messages)
        local = self._where().origin.loopback
        timing = self._timing or (Timing(LOCAL_READ_TIMEOUT, next_content=LOCAL_READ_TIMEOUT) if local else Timing())
        target = self._where().target(self._capabilities().path_prefix)
        self._check()
        exchange = self._connected().send("POST", target, self._headers(), body, timing.silence)
        from core.endpoint.receive import Receiver  # loaded while the endpoint thinks
        receiver = Receiver(exchange, call.show, json_mode=call.options.json_mode, timing=timing)
        try:
            content = self._receive(call, exchange, receiver)
        finally:
            exchange.close(reuse=receiver.whole)
        completion = receiver.completion
        if not content.strip():
            raise EndpointFailure(Failure("blank", completion.finish_reason or "", generation=completion.reasoning))
        call.end()
        self._look_for_a_silent_cut(completion.usage)
        return self._reply(call, content, receiver)

    def _reply(self, call: Call, content: str, receiver: Receiver | None = None) -> Reply:
        from core.endpoint.reply import Reply
        from core.secret import hide_in_reply

        duration, key = time.monotonic() - call.started, self._settings.api_key
        content = hide_in_reply(content, key)
        if receiver is None:
            return Reply(content, duration=duration)
        completion = receiver.completion
        reasoning, finish = (hide_in_reply(text, key) for text in (completion.reasoning, completion.finish_reason or ""))
        return Reply(content, reasoning, finish or None, completion.usage, duration, receiver.cut)

    def _receive(self, call: Call, exchange: Exchange, receiver: Receiver) -> str:
        try:
            if 200 <= exchange.status < 300:
                return receiver.run()
            from core.endpoint.errors import classify

            failure = classify(exchange.status, exchange.header, receiver.rest_of_body(), time.time())
        except UNREADABLE as error:  # as broad as the values that an endpoint may put into any field; no one of them may end the program
            if error is call.listener_error:
                raise
            from core.endpoint.errors import unreadable

            failure = unreadable(exchange.status, error)
        raise EndpointFailure(failure)

    def _check(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled

    def _recover(self, call: Call, failure: Failure) -> None:
        """Prepare the next attempt, or raise what the person shall read."""
        match failure.kind:
            case "stale" if not call.reopened:
                call.reopened = True
            case "blank" | "malformed":
                self._after_blank(call, failure)
            case "parameter":
                self._change(call, failure, change_for(failure, call.sent, self._capabilities()))
            case "overflow":
                self._change(call, failure, completion_too_long(failure, call.sent, self._capabilities()))
            case "not_found" if not call.tried_v1 and not self._where().path and not self._capabilities().path_prefix:
                call.tried_v1 = True
                self._remember(self._capabilities()._replace(path_prefix="/v1"))
            case "retry" | "stale" | "dropped" | "timeout" | "connect" | "dns":
                self._wait(call, failure)
            case _:
                raise self._error(call, failure)

    def _after_blank(self, call: Call, failure: Failure) -> None:
        """Ask again unchanged, then without a response format, then give up."""
        call.blanks += 1
        if call.blanks == 2 and call.sent.format != "none":
            call.no_format = True
        elif call.blanks > 1:
            reason = "blank_length" if failure.text == "length" else "blank_reasoning" if failure.generation else "blank"
            raise ModelError(f"llm.{reason}", 200, model=self._settings.model_name)

    def _change(self, call: Call, failure: Failure, change: Change | None) -> None:
        if change is None or call.changes >= MAX_CHANGES:
            raise self._error(call, failure)
        call.changes += 1
        self._remember(change.after)
        self._log("info", t("llm.changed", change=change.what, detail=self._reason(failure)))

    def _wait(self, call: Call, failure: Failure) -> None:
        seconds = call.patience.next_wait(failure)
        if seconds is None:
            raise self._error(call, failure)
        self._log("warning", t("llm.retrying", seconds=f"{seconds:.1f}", attempt=call.patience.used, most=self._settings.max_retries,
                               detail=self._reason(failure)))
        if self._sleep is not None:
            self._sleep(seconds)
        elif self._cancelled.wait(seconds):
            raise Cancelled

    def _reason(self, failure: Failure) -> str:
        """What went wrong, in the endpoint's words, without the key."""
        from core.endpoint.errors import told

        return told(failure.text, self._settings.api_key) or str(failure.status or failure.kind)

    def _error(self, call: Call, failure: Failure) -> ModelError:
        from core.endpoint.errors import to_error

        url = self._where().base
        if call.tried_v1 and failure.kind == "not_found":
            self._remember(self._capabilities()._replace(path_prefix=""))
        values: dict[str, Any] = {"url": url, "detail": self._reason(failure), "attempts": call.attempts}
        if failure.kind == "tls":
            return ModelError("llm.tls", **values)
        if failure.kind in ("stale", "dropped", "timeout", "connect", "dns"):
            kind = "proxy" if self._settings.proxy and failure.kind == "connect" else failure.kind.replace("stale", "dropped")
            return TransientError(f"llm.{kind}", **values)
        return to_error(failure, url=url, model=self._settings.model_name, key=self._settings.api_key, attempts=call.attempts)

    def _look_for_a_silent_cut(self, usage: Usage | None) -> None:
        """A server with a small window (Ollama's 4096) drops the head of the prompt and says nothing; its own count gives it away."""
        expected = self._body.estimated_tokens()
        counted = usage.prompt_tokens if usage is not None else None
        if not self._warned and counted and expected > _SHORT_PROMPT and counted < expected / 2:
            self._warned = True
            self._log("warning", t("llm.prompt_cut", counted=counted, expected=round(expected)))


def forget_endpoints() -> None:
    """Forget what endpoints were found to refuse or to be; they may have been updated or replaced."""
    _memory.clear()
    _servers.clear()


def __getattr__(name: str) -> Any:
    """Reply and Usage, which nothing needs before the first reply has come."""
    if name in ("Reply", "Usage"):
        import core.endpoint.reply

        return getattr(core.endpoint.reply, name)
    raise AttributeError(name)


_clients = threading.local()


def call_llm_sync(messages: Sequence[Message], on_chunk: Callable[[str], None] | None = None, options: CallLLMOptions | None = None,
                  model: str | None = None) -> str:
    """The reply's text, by the settings of the environment; `on_chunk` hears the words of thought and answer (all words without JSON mode)."""
    from core.config import load_settings

    settings = load_settings()
    if model:
        settings = replace(settings, model_name=model)
    client: ChatClient | None = getattr(_clients, "client", None)
    if client is None or client._settings != settings:
        if client is not None:
            client.close()
        client = _clients.client = ChatClient(settings)
    heard = None if on_chunk is None else lambda name, text: on_chunk(text) if name in ("thought", "answer") else None
    return client.complete(messages, options or CallLLMOptions(), on_delta=heard, stream=on_chunk is not None).content


async def call_llm(messages: Sequence[Message], on_chunk: Callable[[str], None] | None = None, options: CallLLMOptions | None = None,
                   model: str | None = None) -> str:
    """`call_llm_sync` in a thread."""
    import asyncio

    return await asyncio.to_thread(call_llm_sync, messages, on_chunk, options, model)
