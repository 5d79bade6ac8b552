"""The client against a real server on loopback: every way in which an endpoint answers, or refuses to."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.endpoint.reply import Usage
from core.errors import AuthError, ContextOverflow, ModelError, TransientError
from core.llm import Message
from tests.core.talk import ANSWER, MESSAGES, Talk
from tests.fake_endpoint import (
    CLOSE,
    DONE,
    RESET,
    FakeReply,
    as_json,
    delta,
    error,
    event,
    html,
    sse,
    streamed,
    usage_event,
    whole,
)

FORMAT = {"type": "json_object"}
BEGUN = (delta(ANSWER[:30]), 0.03)  # the pause lets it be shown before what follows


def test_a_streamed_reply_is_heard_word_by_word_and_returned_whole(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER)
    reply = one.ask()
    assert (reply.content, reply.finish_reason, reply.cut) == (ANSWER, "stop", False)
    assert reply.usage == Usage(100, len(ANSWER) // 4, 0)
    assert reply.duration > 0
    assert (one.said("thought"), one.said("answer")) == ("é 中文 😀", 'hi\u2028 "you"')


def test_a_whole_reply_is_heard_too(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER)
    reply = one.ask(stream=False)
    assert (reply.content, reply.usage) == (ANSWER, Usage(100, 20, 0))
    assert one.said("answer") == 'hi\u2028 "you"'
    assert one.endpoint.bodies[0]["stream"] is False


def test_the_request_holds_what_is_needed_and_nothing_else(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, model_name="gpt-4o-mini", temperature=0.1)
    messages: Any = [{"role": "system", "content": "s", "name": "x", "tool_calls": []}, {"role": "user", "content": " "}, {"role": "user",
        "content": "\ud83d"}]
    one.ask(messages=messages)
    assert one.endpoint.bodies[0] == {
        "model": "gpt-4o-mini", "stream": True, "stream_options": {"include_usage": True}, "response_format": FORMAT, "temperature": 0.1,
            "max_tokens": 16384,
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "(empty)"}, {"role": "user", "content": "?"}]}
    request = one.endpoint.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-secret-123456"
    assert request.headers["host"] == f"127.0.0.1:{one.endpoint.port}"


def test_without_a_key_no_key_is_sent(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, api_key="")
    one.ask()
    assert "authorization" not in one.endpoint.requests[0].headers


def test_a_conversation_uses_one_connection_and_each_request_extends_the_one_before(talk: Callable[..., Talk]) -> None:
    one = talk(*[ANSWER] * 6)
    messages = list(MESSAGES)
    for turn in range(6):
        one.ask(stream=turn % 2 == 0, messages=messages)
        messages += [{"role": "assistant", "content": ANSWER}, {"role": "user", "content": f"observation {turn} 中"}]
    assert one.endpoint.connections == 1
    bodies = [request.raw[:-2] for request in one.endpoint.requests]
    for earlier, later in zip(bodies[0::2], bodies[2::2], strict=False):
        assert later.startswith(earlier)
    tails = [body[body.index(b'"messages"'):] for body in bodies]
    assert all(later.startswith(earlier) for earlier, later in zip(tails, tails[1:], strict=False))


def test_a_rewritten_history_is_encoded_anew(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER, ANSWER)
    histories: list[list[Message]] = [
        [*MESSAGES, {"role": "user", "content": "a"}], [MESSAGES[0], {"role": "user", "content": "summary"}], [*MESSAGES, {"role": "user",
            "content": "b"}]]
    for history in histories:
        one.ask(messages=history)
    assert [body["messages"] for body in one.endpoint.bodies] == histories


@pytest.mark.parametrize("encode", [
    lambda text: text.replace(b"\n", b"\r\n"), lambda text: text.replace(b"\n", b"\r"), lambda text: text.replace(b"data: ", b"data:"),
    lambda text: b": keep-alive\n\n" * 3 + text, lambda text: text.replace(b"\n\n", b"\n\n: PROCESSING\n\n"), lambda text: b"\xef\xbb\xbf" + text,
    lambda text: text.replace(b'{"choices"', b'{\ndata: "choices"'), lambda text: text.removesuffix(b"\n\n"),
        lambda text: b"event: message\nid: 1\n" + text])
def test_every_framing_of_a_stream_is_understood(talk: Callable[..., Talk], encode: Callable[[bytes], bytes]) -> None:
    stream = encode(b"".join(chunk for chunk in streamed(ANSWER).chunks if isinstance(chunk, bytes)))
    one = talk(sse(stream), sse(*(stream[i:i + 7] for i in range(0, len(stream), 7)), framing="close"))
    assert one.ask().content == ANSWER
    assert one.ask().content == ANSWER


def test_a_stream_cut_into_single_bytes_is_understood(talk: Callable[..., Talk]) -> None:
    stream = b"".join(chunk for chunk in streamed(ANSWER, piece=9).chunks if isinstance(chunk, bytes))
    one = talk(sse(*(stream[i:i + 1] for i in range(len(stream)))))
    assert one.ask().content == ANSWER
    assert one.said("thought") == "é 中文 😀"


@pytest.mark.parametrize("extra", [
    event({"choices": []}), event({"choices": None}), event({"prompt_filter_results": [], "choices": []}), event({"choices": [{"delta": None}]}),
    event({"choices": [{}]}), event({"choices": [{"delta": {"content": None, "role": "assistant"}}]}), event({}), event("text"), event(None),
        event([1]),
    usage_event(7, 3), event({"choices": [{"delta": {"tool_calls": None}}], "error": None})])
def test_odd_chunks_are_harmless_wherever_they_come(talk: Callable[..., Talk], extra: bytes) -> None:
    one = talk(sse(extra, delta(ANSWER[:9]), extra, delta(ANSWER[9:], "stop"), extra, DONE))
    assert one.ask().content == ANSWER


@pytest.mark.parametrize("chunk", [
    event({"choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}]}), delta([{"type": "text", "text": ANSWER[:5]}, ANSWER[5:]],
        "stop"),
    delta([{"type": "thinking", "text": "no"}, {"type": "text", "text": ANSWER}], "stop"), event({"choices": [{"text": ANSWER,
        "finish_reason": "stop"}]})])
def test_content_comes_in_several_forms(talk: Callable[..., Talk], chunk: bytes) -> None:
    assert talk(sse(chunk, DONE)).ask().content == ANSWER


def test_a_character_that_the_server_cut_in_two_is_joined(talk: Callable[..., Talk]) -> None:
    parts = ['{"thought": "a\ud83d', '\ude00b\ude00", "action": "answer", "answer": "\ud83d', '"}']
    one = talk(sse(*[event({"choices": [{"delta": {"content": part}}]}, ascii_only=True) for part in parts], DONE))
    assert one.ask().content == '{"thought": "a😀b\ufffd", "action": "answer", "answer": "\ufffd"}'
    assert one.said("thought") == "a😀b\ufffd"


def test_done_inside_the_content_is_content(talk: Callable[..., Talk]) -> None:
    text = '{"thought": "data: [DONE]", "action": "answer", "answer": "[DONE]"}'
    assert talk(streamed(text, piece=200)).ask().content == text


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_is_shown_apart_and_is_no_content(talk: Callable[..., Talk], name: str) -> None:
    one = talk(sse(delta(None, **{name: '{"action": "run_command"}'}), delta(ANSWER, "stop"), DONE))
    reply = one.ask()
    assert (reply.content, reply.reasoning) == (ANSWER, '{"action": "run_command"}')
    assert one.said("reasoning") == '{"action": "run_command"}'


def test_reasoning_that_comes_under_two_names_is_heard_once(talk: Callable[..., Talk]) -> None:
    one = talk(sse(delta(None, reasoning="a", reasoning_content="a"), delta(ANSWER, "stop"), DONE))
    assert one.ask().reasoning == "a"


def test_a_whole_body_in_place_of_a_stream_is_understood(talk: Callable[..., Talk]) -> None:
    assert talk(whole(ANSWER)).ask().content == ANSWER
    blank_lines = FakeReply([b"\n\n", 0.05, b"\n", json.dumps({"choices": [{"message": {"content": ANSWER}}]}).encode()],
        content_type="application/json")
    assert talk(blank_lines).ask(stream=False).content == ANSWER


def test_a_stream_in_place_of_a_whole_body_is_understood(talk: Callable[..., Talk]) -> None:
    assert talk(streamed(ANSWER)).ask(stream=False).content == ANSWER


def test_cached_tokens_are_found_under_each_providers_name(talk: Callable[..., Talk]) -> None:
    for name in ("prompt_cache_hit_tokens", "cached_tokens"):
        one = talk(as_json({"choices": [{"message": {"content": ANSWER}}], "usage": {"prompt_tokens": 9, "completion_tokens": 2, name: 5}}))
        assert one.ask().usage == Usage(9, 2, 5)


def test_an_invented_observation_is_cut_off(talk: Callable[..., Talk]) -> None:
    one = talk(sse(delta(ANSWER), delta("\n[SYSTEM OBS"), delta("ERVATION]\n"), 30.0, delta("exit code: 0")), ANSWER)
    reply = one.ask()
    assert (reply.content.strip(), reply.cut, reply.usage) == (ANSWER, True, None)
    assert one.ask().content == ANSWER
    assert one.endpoint.connections == 2


def test_a_second_action_is_never_waited_for(talk: Callable[..., Talk]) -> None:
    reply = talk(sse(delta(ANSWER), delta("\n\n{"), 30.0, delta('"action": "run_command", "command": "rm -rf /"}'))).ask()
    assert (reply.content.strip(), reply.cut) == (ANSWER, True)


def test_a_server_that_never_ends_its_stream_is_left_after_the_object(talk: Callable[..., Talk]) -> None:
    assert talk(sse(delta(ANSWER), 30.0)).ask().cut
    reply = talk(sse(delta(ANSWER, "stop"), 30.0)).ask()
    assert (reply.content, reply.cut, reply.finish_reason) == (ANSWER, False, "stop")


def test_a_flood_of_blanks_is_left_and_asked_again(talk: Callable[..., Talk]) -> None:
    flood = sse(*[delta(" \n" * 50)] * 10, 30.0)
    one = talk(flood, ANSWER)
    assert one.ask().content == ANSWER
    assert len(one.endpoint.requests) == 2


def test_endless_repetition_is_left(talk: Callable[..., Talk]) -> None:
    reply = talk(sse(delta('{"thought": "'), *[delta("again and again. ")] * 600, 30.0)).ask()
    assert reply.finish_reason == "runaway"
    assert len(reply.content) < 9000


def test_a_reply_of_half_a_megabyte_arrives(talk: Callable[..., Talk]) -> None:
    text = json.dumps({"thought": "t", "action": "write_file", "path": "p", "content": "".join(f"{number}, " for number in range(75_000))})
    assert len(text) > 500_000
    one = talk(streamed(text, piece=1000))
    assert one.ask().content == text
    assert len(one.said("other")) > 500_000


def test_the_token_limit_is_told(talk: Callable[..., Talk]) -> None:
    reply = talk(streamed('{"thought": "a", "action": "run_command", "command": "rm -r', finish="length")).ask()
    assert (reply.finish_reason, reply.cut) == ("length", False)


@pytest.mark.parametrize("reason", ["content_filter", "sensitive"])
def test_a_filtered_reply_is_an_error(talk: Callable[..., Talk], reason: str) -> None:
    with pytest.raises(ModelError) as caught:
        talk(streamed(ANSWER, finish=reason)).ask()
    assert caught.value.key == "llm.filter"


@pytest.mark.parametrize("broken", [
    sse(*BEGUN), sse(*BEGUN, framing="close"), sse(*BEGUN, RESET), sse(*BEGUN, CLOSE),
    sse(*BEGUN, event({"error": {"message": "upstream", "code": 502}})), sse(*BEGUN, event({"error": "upstream failed"})),
    sse(*BEGUN, b"event: error\n", event({"message": "x"})), sse(*BEGUN, event({"object": "error", "message": "x"})),
    sse(*BEGUN, b'error: {"code": 500, "message": "x"}\n\n'), sse(*BEGUN, b"data: {broken\n\n", DONE),
    sse(*BEGUN, event({"error": {"code": 503, "message": "x"}, "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]})),
    sse(*BEGUN, delta(finish="error"))])
def test_a_stream_that_breaks_is_void_and_asked_again(talk: Callable[..., Talk], broken: FakeReply) -> None:
    one = talk(broken, ANSWER)
    assert one.ask().content == ANSWER
    assert [name for name, _ in one.heard].count("discard") == 1
    after = [name for name, _ in one.heard].index("discard")
    assert "".join(text for name, text in one.heard[after:] if name == "thought") == "é 中文 😀"


def test_a_stream_without_an_end_is_accepted_when_its_object_is_complete(talk: Callable[..., Talk]) -> None:
    one = talk(sse(delta(ANSWER)), sse(delta(ANSWER), framing="close"))
    assert (one.ask().content, one.ask().content) == (ANSWER, ANSWER)
    assert len(one.endpoint.requests) == 2


def test_a_body_that_ends_early_is_asked_again(talk: Callable[..., Talk]) -> None:
    lies = {"Content-Length": "500", "Connection": "close"}
    half = FakeReply([b'{"choices": [{"message": {"con'], content_type="application/json", headers=lies, framing="length")
    one = talk(half, sse(b'{"choices": [{"mess', CLOSE, content_type="application/json"), ANSWER)
    assert one.ask(stream=False).content == ANSWER


def test_503_twice_and_then_an_answer(talk: Callable[..., Talk]) -> None:
    one = talk(error(503, "overloaded"), html(502, "<html><title>Bad Gateway</title></html>"), ANSWER)
    assert one.ask().content == ANSWER
    assert len(one.slept) == 2 == len(one.logged)
    assert "overloaded" in one.logged[0] and "Bad Gateway" in one.logged[1]


def test_waits_grow_between_their_bounds(talk: Callable[..., Talk]) -> None:
    one = talk(*[error(503, "x")] * 4, retry_delay_min=3000, retry_delay_max=6000)
    with pytest.raises(TransientError) as caught:
        one.ask()
    assert caught.value.exit_code == 75
    assert len(one.endpoint.requests) == 4
    assert 3 <= one.slept[0] <= 4 <= one.slept[1] <= 5 <= one.slept[2] <= 6


def test_the_number_of_retries_is_a_setting(talk: Callable[..., Talk]) -> None:
    one = talk(error(503, "x"), ANSWER, max_retries=0)
    with pytest.raises(TransientError):
        one.ask()
    assert len(one.endpoint.requests) == 1


@pytest.mark.parametrize(("headers", "wait"), [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
    ({"Retry-After": "0"}, 0.0)])
def test_429_waits_as_long_as_the_server_says(talk: Callable[..., Talk], headers: dict[str, str], wait: float) -> None:
    one = talk(error(429, "slow down", headers), ANSWER)
    assert one.ask().content == ANSWER
    assert one.slept == [wait]


def test_a_wait_of_more_than_a_minute_is_reported(talk: Callable[..., Talk]) -> None:
    one = talk(error(429, "slow down", {"Retry-After": "3600"}))
    with pytest.raises(TransientError, match="3600 s"):
        one.ask()
    assert (len(one.endpoint.requests), one.slept) == (1, [])


@pytest.mark.parametrize(("answer", "kind"), [
    (error(429, "You exceeded your current quota", code="insufficient_quota"), ModelError), (error(429, "欠费", code="1113"), ModelError),
    (error(402, "Insufficient Balance"), ModelError), (error(401, "bad key"), AuthError), (error(403, "no"), AuthError), (error(404, "no model"),
        ModelError),
    (error(400, "maximum context length is 100 tokens"), ContextOverflow), (error(500, "Context size has been exceeded."), ContextOverflow),
    (error(503, "x", {"x-should-retry": "false"}), ModelError), (error(400, "developer is not one of", code="1214"), ModelError),
    (as_json({}, 308, {"Location": "https://elsewhere/v1"}), ModelError), (html(200, "<html><title>Welcome</title></html>"), ModelError),
    (as_json({"message": "welcome"}), ModelError), (as_json({"error": {"code": "insufficient_quota", "message": "x"}}), ModelError)])
def test_what_asking_again_cannot_help_is_asked_once(talk: Callable[..., Talk], answer: FakeReply, kind: type[ModelError]) -> None:
    one = talk(answer, ANSWER)
    with pytest.raises(ModelError) as caught:
        one.ask()
    assert type(caught.value) is kind
    assert (len(one.endpoint.requests), one.slept) == (1, [])
    assert one.endpoint.base_url in caught.value.message or "model m" in caught.value.message


def test_after_an_overflow_a_shorter_history_is_answered(talk: Callable[..., Talk]) -> None:
    one = talk(error(400, "the request exceeds the available context size", type="exceed_context_size_error", n_prompt_tokens=900, n_ctx=512), ANSWER)
    with pytest.raises(ContextOverflow, match="900 of 512"):
        one.ask(messages=[*MESSAGES, {"role": "user", "content": "long " * 500}])
    assert one.ask().content == ANSWER


def test_the_key_is_in_no_message(talk: Callable[..., Talk]) -> None:
    one = talk(error(401, "Incorrect API key provided: sk-secret-123456"))
    with pytest.raises(AuthError) as caught:
        one.ask()
    assert "API_KEY" in caught.value.message
    assert "secret" not in caught.value.message + repr(caught.value) + "".join(one.logged)


def test_the_key_is_in_nothing_that_the_surface_hears(talk: Callable[..., Talk]) -> None:
    one = talk(sse(*BEGUN, event({"error": {"code": 500, "message": "failed for key sk-secret-123456"}})), ANSWER)
    one.ask()
    assert "failed for key sk-***" in one.said("discard") or "failed for key ***" in one.said("discard")
    assert "secret" not in str(one.heard) + str(one.logged)


@pytest.mark.parametrize("key", ["sk-中文", "sk-a\nHost: evil", "sk a\x00b"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(talk: Callable[..., Talk], key: str) -> None:
    one = talk(ANSWER, api_key=key)
    with pytest.raises(AuthError) as caught:
        one.ask()
    assert "sk" not in caught.value.message + repr(caught.value)
    assert one.endpoint.requests == []
