"""The embedded model: a phrase matcher that speaks the model's protocol, so that the agent is useful with no key and no network.

It never reasons and never guesses: it finds the declared command whose phrase the request is, asks the kernel to open that manual and
to run that command, and answers with what the command printed. `OfflineTransport` (an httpx transport) is made when it is first asked for.
"""
from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.i18n import language, text_in

if TYPE_CHECKING:
    import httpx

    from core.commands import CommandSpec
    from core.phrases.match import Match
    from core.phrases.match import match as match
    from core.phrases.match import nearest as nearest
    from core.skills import SkillRegistry

    class OfflineTransport(httpx.BaseTransport):
        """The embedded model as an httpx transport. `understood`: whether the last request fitted a command; None before any."""

        understood: bool | None

        def __init__(self, registry: SkillRegistry) -> None: ...

NAME = "built-in"
NOT_UNDERSTOOD = "not-understood"
_OBSERVATION = "[SYSTEM OBSERVATION]"
_RESULT = re.compile(r"exit code: (-?\d+) \([^\n]*\)\n(?:cwd: [^\n]*\n?)?", re.ASCII)
_KEY = re.compile(r'\s*[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*')
_PLAIN = re.compile(r"[\w@+=:,./-]+", re.ASCII)


def __getattr__(name: str) -> Any:
    """OfflineTransport, match and nearest, each imported when it is first asked for."""
    if name == "OfflineTransport":
        from core.offline_transport import transport_class
        return transport_class()
    if name in ("match", "nearest"):
        from core.phrases import match as phrase_match
        return getattr(phrase_match, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass(frozen=True)
class Conversation:
    """What matters of the messages: the last request, the actions taken since, the last observation, whether it is the first request."""

    request: str
    actions: tuple[Mapping[str, Any], ...]
    observation: str
    first: bool


class OfflineModel:
    """Plays the model's part. `understood` says whether the last request fitted a command; None before any."""

    def __init__(self, registry: SkillRegistry) -> None:
        self._registry = registry
        self.understood: bool | None = None
        self._matched: tuple[str, list[CommandSpec], Match | None] = ("", [], None)

    def reply(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The next step as the protocol's flat object."""
        told = read_conversation(messages)
        last = told.actions[-1] if told.actions else {}
        if last.get("action") == "answer":
            return dict(last)
        found = self._match(told.request)
        self.understood = found is not None
        spoken = found.language if found and found.language else _language(told.request)
        if found is None:
            return _step(text_in(spoken, "offline.thought_unknown"), "answer", answer=self._not_understood(told.request, spoken))
        if found.problem is not None:
            return _step(text_in(spoken, "offline.thought_limit", command=found.spec.name), "answer", answer=_complaint(found, spoken))
        return self._next(told, found, last, spoken)

    def _match(self, request: str) -> Match | None:
        """What the request asks for. The steps of one request ask once, unless a skill changes in between."""
        from core.phrases.match import match as find

        commands = self._registry.commands()
        if self._matched[:2] != (request, commands):
            self._matched = (request, commands, find(request, commands))
        return self._matched[2]

    def _next(self, told: Conversation, found: Match, last: Mapping[str, Any], spoken: str) -> dict[str, Any]:
        spec = found.spec
        if not last:
            return _step(self._thought(told, found, spoken), "view_skill", skill=spec.skill)
        if last.get("action") == "view_skill":
            if told.observation.startswith("error:"):
                reason = text_in(spoken, "offline.no_manual", reason=told.observation)
                return _step(text_in(spoken, "offline.thought_failed"), "answer", answer=reason)
            command = " ".join(_quoted(word) for word in spec.build_argv(found.values))
            return _step(text_in(spoken, "offline.thought_run", command=spec.name), "run_command", command=command)
        return self._answer(told.observation, spoken)

    def _answer(self, observation: str, spoken: str) -> dict[str, Any]:
        result = _RESULT.match(observation)
        output = observation[result.end():].strip() if result else observation.strip()
        said = spoken_text(output) if result else ""
        if said:
            return _step(text_in(spoken, "offline.thought_said"), "answer", answer=said)
        if result and result[1] == "0":
            return _step(text_in(spoken, "offline.thought_done"), "answer", answer=output or text_in(spoken, "offline.silent"))
        key = "offline.command_failed" if result else "offline.not_run"
        reason = output or text_in(spoken, "offline.silent")
        return _step(text_in(spoken, "offline.thought_failed"), "answer", answer=text_in(spoken, key, reason=reason))

    def _thought(self, told: Conversation, found: Match, spoken: str) -> str:
        plan = text_in(spoken, "offline.thought_view", skill=found.spec.skill, command=found.spec.name)
        return f"{text_in(spoken, 'offline.about')} {plan}" if told.first else plan

    def _not_understood(self, request: str, spoken: str) -> str:
        from core.phrases.match import nearest as find_nearest

        phrases = find_nearest(request, self._registry.commands())
        listed = "\n".join(f"- {phrase}" for phrase in phrases) or text_in(spoken, "offline.no_phrases")
        return text_in(spoken, "offline.not_understood", phrases=listed)


def read_conversation(messages: Sequence[Mapping[str, Any]]) -> Conversation:
    """The last request (what the person typed, without the block of facts after it) and what happened since."""
    texts = [(str(message.get("role", "")), str(message.get("content") or "")) for message in messages]
    asked = [index for index, (role, text) in enumerate(texts) if role == "user" and not text.startswith(_OBSERVATION)]
    if not asked:
        return Conversation("", (), "", True)
    start = asked[-1]
    actions = tuple(step for role, text in texts[start:] if role == "assistant" and (step := _read_step(text)))
    observations = [text for role, text in texts[start:] if role == "user" and text.startswith(_OBSERVATION)]
    observation = re.sub(r"\n?\[/SYSTEM OBSERVATION\]\s*\Z", "", observations[-1][len(_OBSERVATION):]).strip("\n") if observations else ""
    return Conversation(texts[start][1].split("\n\n[CONTEXT", 1)[0].strip(), actions, observation, start == asked[0])


def spoken_text(output: str) -> str:
    """What a command that prints one JSON object says to the person: its `text`, else its `message`, and its `warning`; "" for other output.

    A sentence that says why something was not done is an answer as well; so is a question (delete it?). What was cut out of the middle of
    a long object is gone: then the keys before the cut count.
    """
    found: dict[str, Any] = {}
    decoder, place = json.JSONDecoder(), 0
    with contextlib.suppress(ValueError, RecursionError):
        while output.startswith("{") and (key := _KEY.match(output, place)):
            found[json.loads(key[1])], place = decoder.raw_decode(output, key.end())
    said = [found[key] for key in ("text", "message") if isinstance(found.get(key), str) and found[key].strip()][:1]
    warning = found.get("warning")
    if said and isinstance(warning, str) and warning and warning not in said[0]:
        said.append(warning)
    return "\n".join(said).strip()


def _read_step(text: str) -> dict[str, Any]:
    try:
        step = json.loads(text)
    except ValueError:
        return {}
    return step if isinstance(step, dict) else {}


def _step(thought: str, action: str, **arguments: str) -> dict[str, Any]:
    return {"thought": thought, "action": action, **arguments}


def _complaint(found: Match, spoken: str) -> str:
    problem = found.problem
    assert problem is not None
    values = {name: value.say(spoken) if hasattr(value, "say") else value for name, value in problem.values.items()}
    return text_in(spoken, "offline.command_failed", reason=text_in(spoken, problem.key, **values))


def _language(request: str) -> str:
    from core.phrases.tokens import language_of

    return language_of(request) or language()


def _quoted(word: str) -> str:
    """A word as every POSIX shell, and the matcher of declared commands, reads it back."""
    if _PLAIN.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
