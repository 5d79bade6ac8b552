"""The agent's loop: ask the model, parse its reply, act, observe – until it answers or a limit stops it."""
from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core import context, prompt, protocol
from core.actions import Actions
from core.config import ROOT, Settings, added_folders, load_settings
from core.errors import AgentError, Cancelled, ContextOverflow, ProtocolError, SettingsError
from core.events import Emitter
from core.execute import Executor, Result, needs_network
from core.handlers import KernelEventHandler, NullHandler, deliver
from core.i18n import t
from core.limits import CostLimit, DenialLimit, Done, Limit, RefusalLimit, RepeatLimit, RunState, StepLimit, Stop, action_key
from core.model import Model
from core.skills import SkillRegistry
from core.visible import neutralise
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.endpoint.reply import Reply
    from core.guard import Verdict
    from core.llm import CallLLMOptions, ChatClient, Message
    from core.review import Review
    from core.sandbox import Sandbox


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `status` is done, failed, fuse, denied or cancelled; `answer` is what the person is told."""

    status: str
    answer: str
    steps: int
    exit_code: int
    usage: dict[str, int]
    duration: float


class AgentKernel:
    """One session with one model: `run` takes a request to its answer, `history` is what was said, `outcome` how the last run ended.

    `cancel` may be called from any thread at any moment; the history stays valid and the session usable.
    """

    def __init__(self, registry: SkillRegistry, handler: KernelEventHandler | None = None, *, settings: Settings | None = None,
                 client: ChatClient | None = None, clock: Callable[[], float] = time.time) -> None:
        self.registry = registry
        self.handler = handler or NullHandler()
        self.settings = settings or load_settings()
        self.max_steps = self.settings.max_steps
        self.outcome: Outcome | None = None
        self.history: list[Message] = []
        self._clock = clock
        self._requested = 0
        self._asking = 0.0  # seconds that the person took to answer; no part of an action's duration
        self._cancelled = threading.Event()
        self._emitter = Emitter(lambda event: deliver(self.handler, event), clock, self.settings.api_key)
        self._model = Model(self.settings, registry, client, lambda level, message: self._emitter.emit("log", level=level, message=message))
        writable, readable = added_folders(self.settings.add_dirs)
        self._workspace = Workspace(self.settings.workspace, registry.roots, added=writable, readable=readable)
        registry.writable_roots = [self._workspace.root, *self._workspace.added]
        self._sandbox: Sandbox | None = None
        self._review: Review | None = None
        self._executor = Executor(registry, self._workspace, self.settings, sandbox=lambda: self.sandbox, confirm=self._confirm,
                                  by_person=lambda: not getattr(self.handler, "auto_approve", False), emit=self._emitter.emit,
                                  cancelled=self._cancelled)
        self._actions = Actions(registry, self._workspace, self.settings, self._executor)

    @property
    def workspace(self) -> Path:
        """The folder that the agent may write."""
        return self._workspace.root

    def run(self, user_query: str, stream: bool = False) -> str:
        """Take one request to its end and return what the person is told; `outcome` says how it ended. Raises no AgentError."""
        started = time.monotonic()
        state = RunState(user_query)
        try:
            self._begin(user_query)
            state.known = "\n".join(message["content"] for message in self.history)
            stop = self._loop(state, stream)
        except Cancelled as error:
            stop = Stop("cancelled", error.message, error.exit_code)
        except AgentError as error:
            self._emitter.emit("error", code=error.key, message=error.message, retryable=error.retryable)
            stop = Stop("failed", error.message, error.exit_code)
        except BaseException as error:  # Ctrl-C in an embedding program, or a defect: leave a valid history, then let it through
            stopped = isinstance(error, KeyboardInterrupt)
            ending = Stop("cancelled", Cancelled().message, 130) if stopped else Stop("failed", t("kernel.broken"), 1)
            self._end(state, ending, time.monotonic() - started)
            raise
        self._end(state, stop, time.monotonic() - started)
        return stop.message

    def ready(self) -> None:
        """Forget a cancellation that came while nothing ran; a surface calls it before it lets the person stop the next run."""
        self._cancelled.clear()

    def cancel(self) -> None:
        """Stop the run in progress, or the one about to begin, as soon as possible, whatever it is doing."""
        self._cancelled.set()
        self._model.cancel()

    def clear_history(self) -> None:
        """Forget the conversation; settings and skills stay."""
        self.history.clear()
        self._requested = 0
        self._workspace.skill_folder = None

    def close(self) -> None:
        """Give back the connection and end the sandbox."""
        self._model.close()
        if self._sandbox is not None:
            self._sandbox.close()

    def _loop(self, state: RunState, stream: bool) -> Stop:
        self._actions.guided = self._model.guided
        limits: list[Limit] = [StepLimit(self.max_steps), RefusalLimit(), RepeatLimit(2 if self._actions.guided else 3), DenialLimit(),
                               CostLimit(self.settings.max_run_tokens)]
        while True:
            for limit in limits:
                if stop := limit.before(state):
                    if stop.status == "failed":
                        self._emitter.emit("error", code="limit", message=stop.message, retryable=False)
                    return stop
            state.steps += 1
            stop = self._step(state, limits, stream)
            if stop is not None:
                return stop

    def _step(self, state: RunState, limits: list[Limit], stream: bool) -> Stop | None:
        """Ask, parse, act, observe. Returns how the run ends when the model answered."""
        reply = self._ask(state, stream)
        step = self._parse(reply, state)
        if step is None or self._challenged(step, state):
            return None
        if step.action == "answer":
            answer: str = step.arguments["answer"]
            return Stop("denied", answer, 5) if state.denied else Stop("done", answer, 0)
        result = self._act(step, state)
        self._observe(result, [remark for limit in limits if (remark := limit.remark(state))])
        if self._cancelled.is_set():
            raise Cancelled()
        return None

    def _ask(self, state: RunState, stream: bool) -> Reply:
        self._emitter.emit("llm.started", step=state.steps)
        self._emitter.emit("llm.request", messages=self.history[self._requested:])
        self._requested = len(self.history)
        options = self._options(state)
        try:
            reply = self._complete(options, stream)
        except ContextOverflow:
            if not context.shrink(self.history):
                raise
            self._emitter.emit("log", level="warning", message=t("kernel.shrunk"))
            reply = self._complete(options, stream)
        usage = reply.usage
        if usage is not None:
            state.tokens += (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
        self._emitter.emit("llm.reply", content=reply.content, reasoning=reply.reasoning, finish=reply.finish_reason)
        self._emitter.emit("llm.finished", duration_ms=round(reply.duration * 1000), usage=None if usage is None else
                           {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens})
        return reply

    def _complete(self, options: CallLLMOptions, stream: bool) -> Reply:
        return self._model.client.complete(self.history, options, on_delta=self._delta if stream else None, stream=stream, cancelled=self._cancelled)

    def _delta(self, field: str, text: str) -> None:
        if field == "discard":
            self._emitter.emit("llm.discarded", reason=text)
        else:
            self._emitter.emit("llm.delta", field=field, text=text)

    def _options(self, state: RunState) -> CallLLMOptions:
        """The call's options: the reply's schema, and a higher temperature after a repeated or refused reply."""
        from core.llm import CallLLMOptions

        again = max(state.repeats - 1, state.refusals)
        base = self.settings.temperature
        warmer = None if not again or base is None else min(base + 0.3 * again, 1.0)
        return CallLLMOptions(temperature=warmer, schema=protocol.reply_schema(tuple(sorted(self.registry.skills)), barred=state.barred))

    def _parse(self, reply: Reply, state: RunState) -> protocol.Step | None:
        """The step that the reply asks for, or None when it was refused and the model has been told why."""
        try:
            step = protocol.parse(reply.content, reply.finish_reason)
        except ProtocolError as error:
            state.refusals += 1
            state.last_refusal = error.kind
            self._emitter.emit("refused", kind=error.kind, detail=error.correction)
            self._say("assistant", reply.content[:500].strip() or "(empty reply)")
            self._observe(Result(False, error.correction, error.kind), [])
            return None
        state.refusals = 0
        if step.thought:
            self._emitter.emit("thought", text=neutralise(step.thought))
        self._say("assistant", step.source)
        return step

    def _challenged(self, step: protocol.Step, state: RunState) -> bool:
        """Whether the step is questioned instead of taken; the model has been told why."""
        if self._model.embedded or not self.settings.answer_check:
            return False
        if self._review is None:
            from core.review import Review
            self._review = Review(guided=self._actions.guided, exists=self._workspace.exists)
        challenge = self._review.challenge(step.action, step.arguments, state)
        if challenge:
            self._emitter.emit("refused", kind="challenged", detail=challenge)
            self._observe(Result(False, challenge, challenge), [])
            held = frozenset({"answer"} & {step.action})
            state.barred = state.barred | held if len(state.barred) < 3 else held  # two actions at least are left to choose from
        return bool(challenge)

    def _act(self, step: protocol.Step, state: RunState) -> Result:
        action_id, started, self._asking = f"a{state.steps}", time.monotonic(), 0.0
        detail = neutralise(self._actions.detail(step.action, step.arguments))
        self._emitter.emit("action.started", id=action_id, action=step.action, detail=detail, step=state.steps)
        result = self._actions.do(step.action, step.arguments, action_id)
        self._emitter.emit("action.finished", id=action_id, action=step.action, ok=result.ok, exit_code=result.exit_code,
                           duration_ms=round((time.monotonic() - started - self._asking) * 1000), content=result.content,
                           truncated=result.truncated, diff=result.diff)
        state.denied = state.denied or result.denied
        key = action_key(step.action, step.arguments, result.signature)
        state.add(Done(step.action, detail, result.ok, result.content, key, result.denied, result.blocked))
        state.barred = state.barred - {"answer"} | {step.action} if state.repeats > 1 else frozenset()
        return result

    def _observe(self, result: Result, remarks: list[str]) -> None:
        self._say("user", prompt.observation("\n\n".join([result.content, *remarks])))

    def _confirm(self, action_id: str, action: str, detail: str, verdict: Verdict, cwd: str = "") -> bool:
        self._emitter.emit("confirm.requested", id=action_id, action=action, detail=neutralise(detail),
                           reason=verdict.reason, rule=verdict.rule, effect=verdict.effect, network=needs_network(verdict), cwd=cwd, expires=None)
        asked = time.monotonic()
        approved = bool(self.handler.on_confirm(action, detail)) and not self._cancelled.is_set()
        self._asking = time.monotonic() - asked
        self._emitter.emit("confirm.answered", id=action_id, approved=approved)
        return approved

    def _begin(self, query: str) -> None:
        self._review = None
        try:
            self.workspace.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError("kernel.no_workspace", path=str(self.workspace), reason=error.strerror or str(error)) from error
        if (held := self._workspace.holding([ROOT, *self.registry.roots])) is not None:
            raise SettingsError("kernel.workspace_holds", path=str(self.workspace), held=str(held))
        system = self._emitter.hide(prompt.system_prompt(self.registry.get_prompt_snippet(), self._workspace))
        if not self.history:
            self._say("system", system)
        elif self.history[0]["content"] != system:
            self.history[0] = {"role": "system", "content": system}
            self._emitter.emit("log", level="info", message=t("kernel.prompt_changed"))
        self._emitter.run = "r_" + os.urandom(6).hex()
        self._emitter.emit("run.started", query=query, model=self.settings.model_name, cwd=str(self.workspace),
                           skills=sorted(self.registry.skills))
        self._say("user", prompt.user_message(query, self._workspace, self._clock(), self._model.suggestion(query)))
        self._actions.observation_limit = self._executor.observation_limit = self._model.observation_limit()

    def _end(self, state: RunState, stop: Stop, duration: float) -> None:
        """Close the run: the history ends with an assistant message whatever happened, so that the next request is valid."""
        self._cancelled.clear()
        if self.history and self.history[-1]["role"] == "user":
            self._say("assistant", prompt.closing(stop.message))
        usage = {"tokens": state.tokens}
        self.outcome = Outcome(stop.status, stop.message, state.steps, stop.exit_code, usage, duration)
        if stop.status in ("done", "denied", "fuse"):
            self._emitter.emit("answer", text=stop.message)
        self._emitter.emit("run.finished", status=stop.status, steps=state.steps, usage=usage, duration_ms=round(duration * 1000))

    def _say(self, role: str, content: str) -> None:
        self.history.append({"role": role, "content": self._emitter.hide(content)})

    @property
    def understood(self) -> bool:
        """False when the embedded model found no command that fits the last request; True for every other model."""
        return self._model.understood

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox of this session's commands, made at first use; it needs the workspace to exist."""
        if self._sandbox is None:
            from core.sandbox import Sandbox

            writable, readable = added_folders(self.settings.add_dirs)
            self.workspace.mkdir(parents=True, exist_ok=True)
            self._sandbox = Sandbox(self.workspace, [*self.registry.roots, *readable], writable, secrets=[self.settings.api_key])
        return self._sandbox
