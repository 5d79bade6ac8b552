from __future__ import annotations

import pytest

from core.endpoint.capabilities import Capabilities, Sent, change_for, completion_too_long
from core.endpoint.failure import Failure

SENT = Sent("json_object", True, "max_tokens", 8000, True, True)
FRESH = Capabilities()


def after(text: str, sent: Sent = SENT, now: Capabilities = FRESH, param: str = "") -> Capabilities | None:
    change = change_for(Failure("parameter", text, 400, param=param), sent, now)
    return None if change is None else change.after


@pytest.mark.parametrize("text", [
    "response_format is not supported", "This response_format type is unavailable now", "json_object unsupported",
    "Thinking models do not support structured output",
    "json mode is not enabled for this model"])
def test_a_refused_json_mode_is_left_out(text: str) -> None:
    assert after(text) == FRESH._replace(formats=("none",))


def test_an_offered_schema_is_tried_loosely_and_then_left_out() -> None:
    text = "'response_format.type' must be 'json_schema' or 'text'"
    first = after(text)
    assert first is not None and first.formats == ("loose_schema", "none")
    second = after(text, SENT._replace(format="loose_schema"), first)
    assert second is not None and second.formats == ("none",)


def test_a_refused_schema_falls_back_to_json_mode() -> None:
    changed = after("response_format json_schema is not supported", SENT._replace(format="json_schema"))
    assert changed is not None and changed.formats[0] == "json_object"


@pytest.mark.parametrize("text", ["`response_format` does not support streaming", "stream and response_format are mutually exclusive",
    "json mode with stream: not supported"])
def test_json_mode_is_kept_and_streaming_given_up_where_both_do_not_go(text: str) -> None:
    assert after(text) == FRESH._replace(stream_with_format=False)


@pytest.mark.parametrize(("text", "param"), [
    ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"),
    ("max_tokens unsupported, use max_completion_tokens", "")])
def test_the_name_of_the_token_limit_is_swapped(text: str, param: str) -> None:
    assert after(text, param=param) == FRESH._replace(token_field="max_completion_tokens")


def test_the_name_of_the_token_limit_is_swapped_back_too() -> None:
    now = FRESH._replace(token_field="max_completion_tokens")
    assert after("Unknown parameter: max_completion_tokens", SENT._replace(token_field="max_completion_tokens"), now) == FRESH


@pytest.mark.parametrize(("text", "cap"), [
    ("Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", 4096),
    ("max_tokens is too large: 8000. This model supports at most 2048 completion tokens, whereas you provided 8000.", 2048)])
def test_a_limit_that_is_too_large_is_lowered(text: str, cap: int) -> None:
    assert after(text) == FRESH._replace(token_cap=cap)


@pytest.mark.parametrize("text", [
    "invalid temperature: only 1 is allowed for this model",
    "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported."])
def test_a_refused_temperature_is_left_out(text: str) -> None:
    assert after(text) == FRESH._replace(temperature=False)


@pytest.mark.parametrize("text", ["Unknown parameter: 'stream_options'", "body.stream_options: Extra inputs are not permitted",
    "include_usage is not allowed"])
def test_refused_stream_options_are_left_out(text: str) -> None:
    assert after(text) == FRESH._replace(stream_options=False)


@pytest.mark.parametrize("text", [
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    "the prompt must contain the word \"json\""])
def test_a_prompt_without_the_word_json_gets_a_reminder(text: str) -> None:
    assert after(text) == FRESH._replace(json_reminder=True)


def test_the_parameter_that_the_error_names_comes_first() -> None:
    text = "Unsupported value with stream_options, max_tokens"
    assert after(text + " temperature", param="temperature") == FRESH._replace(temperature=False)


def test_what_was_not_sent_is_not_blamed() -> None:
    sent = Sent("none", False)
    for text in ("response_format unsupported", "max_tokens unsupported", "temperature invalid", "stream_options unknown", "streaming not supported"):
        assert after(text, sent) is None


@pytest.mark.parametrize("text", ["model not available", "messages: role developer unknown", ""])
def test_anything_else_changes_nothing(text: str) -> None:
    assert after(text) is None


def test_streaming_alone_can_be_refused() -> None:
    assert after("streaming is not supported for this model", SENT._replace(format="none")) == FRESH._replace(stream=False)


def test_an_overflow_by_our_own_limit_drops_the_limit() -> None:
    text = "maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion)."
    change = completion_too_long(Failure("overflow", text, 400, used=9000, limit=8192), SENT, FRESH)
    assert change is not None and change.after.token_field is None


def test_an_overflow_by_the_messages_is_no_matter_of_parameters() -> None:
    text = "maximum context length is 8192 tokens. However, you requested 16100 tokens (8100 in the messages, 8000 in the completion)."
    assert completion_too_long(Failure("overflow", text, 400, used=16100, limit=8192), SENT, FRESH) is None
    assert completion_too_long(Failure("overflow", "maximum context length is 8192", 400, limit=8192), SENT, FRESH) is None
