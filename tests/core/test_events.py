"""core/events.py and core/handlers.py: the envelope, and how it reaches a handler."""
from __future__ import annotations

import inspect
import json
import re

import pytest

from core.events import Emitter, Event, timestamp
from core.handlers import KernelEventHandler, NullHandler, Recorder, deliver


def test_the_envelope_is_flat_json_with_the_fixed_fields_first() -> None:
    got: list[Event] = []
    emitter = Emitter(got.append, clock=lambda: 1_790_000_000.5)
    emitter.run = "r_1"
    emitter.emit("thought", text="hm")
    emitter.emit("answer", text="42")
    first, second = (json.loads(json.dumps(event.to_dict())) for event in got)
    assert list(first) == ["v", "seq", "ts", "session", "run", "type", "text"]
    assert (first["v"], first["seq"], second["seq"], first["type"], first["run"]) == (1, 1, 2, "thought", "r_1")
    assert first["session"] == second["session"] and re.fullmatch(r"s_[0-9a-f]{12}", first["session"])


def test_a_timestamp_is_utc_with_milliseconds() -> None:
    assert timestamp(0.25) == "1970-01-01T00:00:00.250Z"


def test_every_event_reaches_on_event_and_then_the_method_of_its_type() -> None:
    calls: list[str] = []

    class Spy(NullHandler):
        def on_event(self, event: Event) -> None:
            calls.append(f"event {event.type}")

        def on_command_line(self, line: str) -> None:
            calls.append(f"line {line}")

        def on_llm_start(self) -> None:
            calls.append("start")

        def on_thinking(self) -> None:
            calls.append("thinking")

    emitter = Emitter(lambda event: deliver(Spy(), event))
    emitter.emit("command.output", id="a1", line="x", stream="output")
    emitter.emit("llm.started", step=1)
    emitter.emit("something.new", field=1)
    assert calls == ["event command.output", "line x", "event llm.started", "thinking", "start", "event something.new"]


def test_the_null_handler_implements_the_protocol_and_keeps_answers_and_errors() -> None:
    wanted = {name for name, _ in inspect.getmembers(KernelEventHandler, inspect.isfunction) if name.startswith("on_")}
    assert len(wanted) == 13 and wanted <= set(dir(NullHandler))
    handler = NullHandler()
    emitter = Emitter(lambda event: deliver(handler, event))
    emitter.emit("answer", text="42")
    emitter.emit("error", code="x", message="broken", retryable=False)
    assert (handler.answers, handler.errors, handler.on_confirm("run_command", "ls")) == (["42"], ["broken"], True)
    assert NullHandler(auto_approve=False).on_confirm("run_command", "ls") is False


def test_a_recorder_keeps_everything_in_order() -> None:
    recorder = Recorder()
    emitter = Emitter(lambda event: deliver(recorder, event))
    emitter.emit("thought", text="a")
    emitter.emit("answer", text="b")
    assert recorder.types() == ["thought", "answer"] and recorder.answers == ["b"]


KEY = "sk-0123456789/abcdefFEDCBA"


@pytest.mark.parametrize("spelling", [
    KEY, KEY.replace("/", "%2F"), KEY.replace("/", "\\/"), KEY[:9] + "\n" + KEY[9:], "".join(f"\\u00{ord(one):02x}" for one in KEY)])
def test_no_text_of_an_event_holds_the_key_in_any_spelling(spelling: str) -> None:
    got: list[Event] = []
    Emitter(got.append, secret=KEY).emit("command.output", id="a1", line=f"export KEY={spelling} end", stream="output")
    assert got[0].data == {"id": "a1", "line": "export KEY=[hidden] end", "stream": "output"}


def test_the_beginning_of_the_key_at_the_end_of_a_cut_text_is_hidden() -> None:
    assert Emitter(lambda event: None, secret=KEY).hide("the key is " + KEY[:12]) == "the key is [hidden]"


@pytest.mark.parametrize("secret", ["", "x", "local"])
def test_a_word_that_is_too_short_for_a_key_stays(secret: str) -> None:
    assert Emitter(lambda event: None, secret=secret).hide("a local x") == "a local x"
