"""What the client learns about an endpoint: refused parameters, empty replies, paths, schemas, small windows."""
from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import ModelError, NotReadyError, SettingsError, TransientError
from core.llm import CallLLMOptions, ChatClient, call_llm, call_llm_sync, max_tokens_of
from tests.core.talk import ANSWER, MESSAGES, Talk
from tests.fake_endpoint import DONE, HANG, FakeEndpoint, FakeReply, FakeRequest, as_json, delta, error, sse, streamed, whole

FORMAT = {"type": "json_object"}
SCHEMA = {"type": "object", "properties": {"action": {"const": "answer"}}}
STRICT = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}}
LOOSE = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}
OFFER = "'response_format.type' must be 'json_schema' or 'text'"
REASONS = [error(400, "response_format is not supported"), error(422, "json mode is not supported"),
as_json({"error": "response_format: unknown"}, 400)]


@pytest.mark.parametrize("refusal", REASONS)
def test_a_refused_response_format_is_not_sent_again(talk: Callable[..., Talk], refusal: FakeReply) -> None:
    one = talk(refusal, ANSWER, ANSWER)
    assert (one.ask().content, one.ask().content) == (ANSWER, ANSWER)
    assert one.formats() == [FORMAT, None, None]
    assert len(one.logged) == 1 and "none" in one.logged[0]
    assert one.slept == []


def test_what_one_client_learned_the_next_one_knows(talk: Callable[..., Talk]) -> None:
    one = talk(REASONS[0], ANSWER, ANSWER, ANSWER)
    one.ask()
    second = Talk(api_base_url=one.endpoint.base_url + "/")
    second.ask()
    other_model = Talk(api_base_url=one.endpoint.base_url, model_name="other")
    other_model.ask()
    assert one.formats() == [FORMAT, None, None, FORMAT]
    for started in (second, other_model):
        started.client.close()
        started.endpoint.close()


def test_a_schema_is_offered_in_place_of_json_mode(talk: Callable[..., Talk]) -> None:
    one = talk(as_json({"error": OFFER}, 400), ANSWER, as_json({"error": OFFER}, 400), ANSWER)
    one.ask()
    one.ask()
    assert one.formats() == [FORMAT, LOOSE, LOOSE, None]


def test_json_mode_is_kept_where_it_does_not_go_with_streaming(talk: Callable[..., Talk]) -> None:
    one = talk(error(400, "`response_format` does not support streaming"), ANSWER, ANSWER)
    one.ask()
    one.ask()
    assert [(body["stream"], body["response_format"]) for body in one.endpoint.bodies] == [(True, FORMAT), (False, FORMAT), (False, FORMAT)]
    assert one.said("answer").count("hi") == 2


def test_refused_parameters_are_changed_one_by_one(talk: Callable[..., Talk]) -> None:
    one = talk(
        error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", code="unsupported_parameter", param="max_tokens"),
        error(400, "invalid temperature: only 1 is allowed"), error(422, "stream_options: Extra inputs are not permitted"), ANSWER, max_tokens=500)
    assert one.ask().content == ANSWER
    seen = [tuple(name in body for name in ("max_tokens", "max_completion_tokens", "temperature", "stream_options")) for body in one.endpoint.bodies]
    assert seen == [(True, False, True, True), (False, True, True, True), (False, True, False, True), (False, True, False, False)]


def test_no_more_than_four_changes_are_made_for_one_request(talk: Callable[..., Talk]) -> None:
    one = talk(*[error(400, "max_tokens out of range, use less")] * 2, error(400, "temperature invalid"), error(400, "stream_options unknown"),
               error(400, "response_format unknown"), error(400, "streaming not supported"), ANSWER, max_tokens=500)
    with pytest.raises(ModelError):
        one.ask()
    assert len(one.endpoint.requests) <= 5


def test_a_missing_word_json_is_added_to_the_prompt(talk: Callable[..., Talk]) -> None:
    one = talk(error(400, "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."), ANSWER)
    one.ask(messages=[{"role": "system", "content": "be brief"}, {"role": "user", "content": "x"}])
    assert "JSON" in one.endpoint.bodies[1]["messages"][0]["content"]
    assert one.endpoint.bodies[1]["messages"][0]["content"].startswith("be brief")


def test_text_that_broke_json_mode_is_handed_to_the_parser(talk: Callable[..., Talk]) -> None:
    one = talk(error(400, "Failed to generate JSON", code="json_validate_failed", failed_generation=f"Sure: {ANSWER}"))
    assert one.ask().content == f"Sure: {ANSWER}"
    assert len(one.endpoint.requests) == 1


def test_blank_content_is_asked_for_again_and_then_without_json_mode(talk: Callable[..., Talk]) -> None:
    one = talk(streamed("   \n "), sse(DONE), ANSWER, ANSWER)
    assert one.ask().content == ANSWER
    assert one.ask().content == ANSWER
    assert one.formats() == [FORMAT, FORMAT, None, FORMAT]


@pytest.mark.parametrize(("blank", "word"), [
    (whole(None), "nothing"), (whole(""), "nothing"), (sse(delta(None, "stop"), DONE), "nothing"), (FakeReply([], framing="length"), "nothing"),
    (sse(), "nothing"),
    (whole("", reasoning_content=ANSWER), "reasoning"), (whole(None, "length", reasoning=ANSWER), "limit")])
def test_blank_content_three_times_is_a_clear_failure(talk: Callable[..., Talk], blank: FakeReply, word: str) -> None:
    one = talk(blank, blank, blank, ANSWER)
    with pytest.raises(ModelError, match=word):
        one.ask()
    assert len(one.endpoint.requests) == 3


def test_a_path_without_v1_is_found_once_and_remembered(talk: Callable[..., Talk]) -> None:
    one = talk(error(404, "page not found"), ANSWER, ANSWER, path="")
    one.ask()
    one.ask()
    assert [request.path for request in one.endpoint.requests] == ["/chat/completions", "/v1/chat/completions", "/v1/chat/completions"]


def test_a_model_that_nobody_knows_is_reported_with_its_name(talk: Callable[..., Talk]) -> None:
    one = talk(error(404, "page not found"), error(404, "model m not found"), error(404, "page not found"), error(404, "x"), path="")
    for _ in range(2):
        with pytest.raises(ModelError, match="MODEL_NAME"):
            one.ask()
    assert [request.path for request in one.endpoint.requests] == ["/chat/completions", "/v1/chat/completions"] * 2


@pytest.mark.parametrize(("path", "requested"), [
    ("/v1/", "/v1/chat/completions"), ("/v1/chat/completions", "/v1/chat/completions"), ("/api/paas/v4", "/api/paas/v4/chat/completions"),
    ("/v1beta/openai//", "/v1beta/openai/chat/completions"), (" /v1 ".strip() + "  ", "/v1/chat/completions"),
    ("/v1/chat/completions/?api-version=2", "/v1/chat/completions?api-version=2"), ("/v1?a=b", "/v1/chat/completions?a=b")])
def test_the_path_is_kept_as_given(talk: Callable[..., Talk], path: str, requested: str) -> None:
    one = talk(ANSWER, path=path)
    one.ask()
    assert one.endpoint.requests[0].path == requested


@pytest.mark.parametrize("url", ["ftp://x/v1", "api.example.com/v1", "http://", "http://[::1", "http://a b/v1", "http://h:99999/v1", "http://user:secret@h:x/v1"])
def test_a_url_that_cannot_work_is_named_without_its_password(talk: Callable[..., Talk], url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        talk(api_base_url=url).ask()
    assert "API_BASE_URL" in caught.value.message
    assert "secret" not in caught.value.message


def test_without_an_endpoint_there_is_nothing_to_call(talk: Callable[..., Talk]) -> None:
    with pytest.raises(NotReadyError):
        talk(api_base_url="").ask()


LISTS = {"llama.cpp": "llamacpp", "vLLM": "vllm", "Ollama": "library", "LM Studio": "organization_owner"}


@pytest.mark.parametrize("server", LISTS)
def test_a_server_that_keeps_to_schemas_gets_one(talk: Callable[..., Talk], server: str) -> None:
    one = talk(ANSWER, ANSWER, models={"object": "list", "data": [{"id": "m", "owned_by": LISTS[server]}]})
    assert one.client.honours_schema()
    one.ask(schema=SCHEMA)
    one.ask(schema=SCHEMA)
    assert one.formats() == [STRICT, STRICT]
    assert [request.path for request in one.endpoint.gets] == ["/v1/models"]
    assert one.endpoint.connections == 1


@pytest.mark.parametrize("models", [None, {"data": [{"id": "m", "owned_by": "openai"}]}, {"data": None}, [], "text", {"data": [None, 3]}])
def test_any_other_server_gets_json_mode(talk: Callable[..., Talk], models: Any) -> None:
    one = talk(ANSWER, ANSWER, models=models)
    one.ask(schema=SCHEMA)
    one.ask(schema=SCHEMA)
    assert one.formats() == [FORMAT, FORMAT]
    assert not one.client.honours_schema()
    assert len(one.endpoint.gets) == 1


def test_a_local_servers_window_is_known(talk: Callable[..., Talk]) -> None:
    one = talk(models={"data": [{"id": "other", "max_model_len": 1}, {"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx": 4096}}]})
    two = talk(models={"data": [{"id": "any", "owned_by": "vllm", "max_model_len": 32768}]})
    assert (one.client.server_window(), two.client.server_window(), talk().client.server_window()) == (4096, 32768, None)


def test_a_server_that_does_not_say_what_it_is_delays_nothing(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER, ANSWER, models=FakeReply([HANG]))
    assert [one.ask(schema=SCHEMA).content for _ in range(3)] == [ANSWER] * 3
    assert (one.formats(), len(one.endpoint.gets)) == ([FORMAT] * 3, 2)


def test_without_a_schema_nobody_is_asked_what_it_is(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, models={"data": [{"owned_by": "llamacpp"}]})
    one.ask()
    assert (one.formats(), one.endpoint.gets) == ([FORMAT], [])


@pytest.mark.parametrize(("setting", "sent"), [("json_schema", STRICT), ("json_object", FORMAT), ("none", None)])
def test_the_setting_decides_about_the_format(talk: Callable[..., Talk], setting: str, sent: Any) -> None:
    one = talk(ANSWER, response_format=setting)
    assert one.client.honours_schema() is (setting == "json_schema")
    one.ask(schema=SCHEMA)
    assert (one.formats(), one.endpoint.gets) == ([sent], [])


def test_a_refused_schema_becomes_json_mode_for_good(talk: Callable[..., Talk]) -> None:
    one = talk(error(400, "json_schema: unsupported keyword anyOf"), ANSWER, ANSWER, response_format="json_schema")
    one.ask(schema=SCHEMA)
    one.ask(schema=SCHEMA)
    assert one.formats() == [STRICT, FORMAT, FORMAT]
    assert not one.client.honours_schema()


def test_free_text_is_asked_for_without_json_mode_and_heard_as_it_is(talk: Callable[..., Talk]) -> None:
    one = talk(streamed('plain {"action": "answer"} text'))
    assert one.ask(json_mode=False).content == 'plain {"action": "answer"} text'
    assert one.formats() == [None]
    assert one.said("answer") == 'plain {"action": "answer"} text'


def test_a_prompt_that_the_server_cut_is_noticed_once(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER)
    long: Any = [*MESSAGES, {"role": "user", "content": "a long story of many words " * 800}]
    one.ask(messages=long)
    one.ask(messages=long)
    assert len([message for message in one.logged if "num_ctx" in message]) == 1


def test_a_prompt_that_was_counted_fully_is_not_suspected(talk: Callable[..., Talk]) -> None:
    def counted(request: FakeRequest) -> FakeReply:
        reply = {"choices": [{"message": {"content": ANSWER}}], "usage": {"prompt_tokens": len(request.raw) // 6, "completion_tokens": 1}}
        return as_json(reply)

    one = talk(counted, counted)
    one.ask(messages=[*MESSAGES, {"role": "user", "content": "a long story of many words " * 800}])
    one.ask(messages=[*MESSAGES, {"role": "user", "content": "一个很长的故事" * 800}])
    assert one.logged == []


@pytest.mark.parametrize(("model", "limit"), [
    ("claude-sonnet-4-5-20250929", 64000), ("gpt-4o-2024-08-06", 16384), ("gpt-4-0613", 4096), ("gpt-4.1-mini", 32768), ("glm-4.7", None),
    ("deepseek-chat", 8192), ("openai/gpt-4o", 16384),
    ("GPT-4o", 16384), ("local", None), ("", None)])
def test_the_longest_prefix_of_the_models_name_gives_its_limit(model: str, limit: int | None) -> None:
    assert max_tokens_of(model) == limit


def test_temperature_and_limit_of_a_call_come_before_the_settings(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER, temperature=None, max_tokens=100)
    one.ask()
    one.ask(temperature=0.7, max_tokens=50)
    assert [(body.get("temperature"), body["max_tokens"]) for body in one.endpoint.bodies] == [(None, 100), (0.7, 50)]


def test_the_plain_functions_use_the_settings_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeEndpoint([ANSWER] * 3) as endpoint:
        for name, value in (("API_BASE_URL", endpoint.base_url), ("MODEL_NAME", "m"), ("API_KEY", "k")):
            monkeypatch.setenv(name, value)
        heard: list[str] = []
        assert call_llm_sync(MESSAGES, heard.append) == ANSWER
        assert call_llm_sync(MESSAGES, options=CallLLMOptions(json_mode=False), model="other") == ANSWER
        assert asyncio.run(call_llm(MESSAGES)) == ANSWER
        assert "".join(heard) == 'é 中文 😀hi\u2028 "you"'
        assert [(body["model"], body["stream"], "response_format" in body) for body in endpoint.bodies] == [("m", True, True),
        ("other", False, False), ("m", False, True)]


def test_a_client_that_was_closed_opens_another_connection(talk: Callable[..., Talk]) -> None:
    one = talk(ANSWER, ANSWER)
    one.ask()
    one.client.close()
    assert one.ask().content == ANSWER
    assert one.endpoint.connections == 2
    assert isinstance(one.client, ChatClient)


def test_a_call_that_met_silence_is_tried_only_once_more(talk: Callable[..., Talk]) -> None:
    from core.endpoint.patience import Timing

    one = talk(*[FakeReply([HANG])] * 4)
    client = ChatClient(one.client._settings, timing=Timing(0.05, 5), sleep=lambda seconds: None)
    with pytest.raises(TransientError):
        client.complete(MESSAGES)
    assert len(one.endpoint.requests) == 2
    client.close()
