from __future__ import annotations

import json
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest

from core.endpoint.errors import classify, classify_inner, hide_key, read_body, to_error, told
from core.endpoint.failure import Failure
from core.errors import AuthError, ContextOverflow, ModelError, TransientError

NOW = 1_800_000_000.0
BILLING = "You exceeded your current quota, please check your plan and billing details."
RATE = ("Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000. Please try again in 6s. You can increase "
        "your rate limit by adding a payment method at https://example.com/account/billing.")


def headers(values: dict[str, str] | None = None) -> Callable[[str], str | None]:
    return (values or {}).get


def failure(status: int, body: Any, **values: str) -> Failure:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return classify(status, headers({name.replace("_", "-"): value for name, value in values.items()}), raw, NOW)


@pytest.mark.parametrize(("body", "text"), [
    ({"error": {"message": "a", "type": "t"}}, "a"), ({"error": "a"}, "a"), ({"message": "a"}, "a"), ({"code": 1, "message": "a"}, "a"),
    ({"detail": "a"}, "a"), ({"detail": [{"loc": ["body", "stream_options"], "msg": "extra"}]}, "body.stream_options: extra"),
    ([{"error": {"message": "a", "code": 400}}], "a"), ({"base_resp": {"status_code": 1004, "status_msg": "a"}}, "a"), ({"msg": "a"}, "a"),
    ({"error": {"message": "Provider returned error", "metadata": {"raw": "upstream said a"}}}, "Provider returned error: upstream said a"),
    ({"object": "error", "message": "a"}, "a"), (None, ""), ([], ""), ({}, ""), (7, "7"), ({"error": {"message": {"x": 1}}}, '{"x": 1}')])
def test_every_shape_of_error_body_gives_its_text(body: Any, text: str) -> None:
    assert read_body(json.dumps(body).encode()).text == text


@pytest.mark.parametrize(("body", "text", "html"), [
    (b"<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head>", "502 Bad Gateway", True), (b"<html><h1>Oops</h1>", "Oops", True),
    (b"  <html></html>", "HTML", True), (b"upstream connect error", "upstream connect error", False), (b"", "", False), (b"\xff\xfe", "��", False),
    (b"[" * 100_000, "[" * 4000, False)])
def test_bodies_that_are_no_json_are_read_too(body: bytes, text: str, html: bool) -> None:
    read = read_body(body)
    assert (read.text, read.html) == (text, html)


@pytest.mark.parametrize(("status", "error", "kind"), [
    (401, {"message": "Incorrect API key"}, "auth"), (403, {"message": "forbidden"}, "auth"), (402, {"message": "Insufficient Balance"}, "quota"),
    (429, {"message": BILLING, "code": "insufficient_quota"}, "quota"), (429, {"message": BILLING}, "quota"), (429, {"message": RATE}, "retry"),
    (429, {"message": "insufficient quota"}, "retry"), (429, {"message": "slow down"}, "retry"), (429, {"code": "1113", "message": "欠费"}, "quota"),
    (429, {"code": "1308", "message": "limit resets at 18:00"}, "quota"), (429, {"code": 1310, "message": "week"}, "quota"),
    (429, {"code": "1302", "message": "concurrency"}, "retry"), (400, {"code": "1261", "message": "Prompt"}, "overflow"),
    (400, {"code": "1301", "message": "unsafe"}, "filter"), (400, {"code": "1214", "message": "messages 参数非法"}, "final"),
    (400, {"code": "1305", "message": "busy"}, "retry"), (429, {"message": "service tier capacity exceeded for this model"}, "retry"),
    (429, {"message": BILLING, "code": 429, "details": [{"retryDelay": "34s"}]}, "retry"),
    (403, {"code": 30001, "message": "your account balance is insufficient"}, "quota"),
    (400, {"message": "This model's maximum context length is 8192 tokens", "code": "context_length_exceeded"}, "overflow"),
    (400, {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"}, "overflow"),
    (500, {"message": "Context size has been exceeded."}, "overflow"), (403, {"message": "Input is too long: exceeds the context window"},
    "overflow"),
    (400, {"message": "Invalid request: Your request exceeded model token limit: 8192"}, "overflow"),
    (400, {"message": "Input token length too long"}, "overflow"),
    (400, {"message": "input token count exceeds the maximum number of tokens allowed (1048576)"}, "overflow"),
    (400, {"message": "Range of input length should be [1, 30720]"}, "overflow"), (413, {"message": "prompt is too long: 250000 tokens"}, "overflow"),
    (429, {"message": "Request too large: token limit per minute"}, "retry"), (413, {"message": "Entity Too Large"}, "final"),
    (400, {"message": "The request was rejected", "type": "content_filter"}, "filter"), (400, {"message": "bad", "code": "data_inspection_failed"},
    "filter"),
    (400, {"message": "temperature"}, "parameter"), (422, {"message": "x"}, "parameter"), (404, {"message": "no such model"}, "not_found"),
    (405, {"message": "x"}, "final"), (501, {"message": "x"}, "retry"), (503, {"message": "x"}, "retry"), (529, {"message": "x"}, "retry"),
    (400, {"message": "Failed to generate JSON", "code": "json_validate_failed", "failed_generation": "{..."}, "malformed"),
    *((status, {"message": "x"}, "retry") for status in (408, 409, 425, 500, 502, 504))])
def test_a_status_and_its_body_tell_what_to_do(status: int, error: dict[str, Any], kind: str) -> None:
    assert failure(status, {"error": error}).kind == kind
    assert failure(status, error).kind == kind


def test_a_web_page_is_retried_only_with_a_status_that_passes() -> None:
    page = b"<html><title>Bad Gateway</title></html>"
    assert (failure(502, page).kind, failure(400, page).kind, failure(404, page).kind) == ("retry", "html", "not_found")
    assert failure(502, page).text == "Bad Gateway"


def test_the_servers_own_word_on_retrying_wins() -> None:
    assert failure(503, {}, x_should_retry="false").kind == "final"
    assert failure(400, {}, x_should_retry="true").kind == "retry"
    assert failure(401, {}, x_should_retry="true").kind == "auth"


@pytest.mark.parametrize(("values", "wait"), [
    ({"retry_after": "7"}, 7.0), ({"retry_after": "0.5"}, 0.5), ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
    ({"retry_after": "soon"}, None),
    ({"retry_after": formatdate(NOW + 30, usegmt=True)}, 30.0), ({"retry_after": formatdate(NOW - 30, usegmt=True)}, 0.0), ({}, None),
    ({"retry_after": "-5"}, None), ({"retry_after": "nan"}, None)])
def test_the_wait_is_read_from_seconds_milliseconds_or_a_date(values: dict[str, str], wait: float | None) -> None:
    assert failure(429, {}, **values).wait == wait


def test_googles_retry_delay_in_the_body_is_a_wait() -> None:
    assert failure(429, {"error": {"message": "x", "details": [{"@type": "y"}, {"retryDelay": "34s"}]}}).wait == 34.0


@pytest.mark.parametrize(("error", "sizes"), [
    ({"message": "x", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}, (5000, 4096)),
    ({"message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."}, (9001, 8192)),
    ({"message": "maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion)."},
    (5000, 4096)),
    ({"message": "too many tokens"}, (None, None))])
def test_an_overflow_tells_how_much_was_too_much(error: dict[str, Any], sizes: tuple[int | None, int | None]) -> None:
    found = failure(400, {"error": error})
    assert (found.kind, found.used, found.limit) == ("overflow", *sizes)


@pytest.mark.parametrize(("error", "kind"), [
    ({"code": 429, "message": "x"}, "retry"), ({"code": 502, "message": "x"}, "retry"), ({"code": 402, "message": "x"}, "quota"), ("overloaded",
    "retry"),
    ({"code": 400, "message": "temperature is invalid"}, "parameter"), ({"message": "Internal"}, "retry"), ({"code": "insufficient_quota"}, "quota"),
    ({"object": "error", "message": "maximum context length is 10", "code": 400}, "overflow"), ({"code": 401, "message": "x"}, "auth"),
    ({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, "quota")])
def test_an_error_inside_a_200_is_classified_by_its_code(error: Any, kind: str) -> None:
    assert classify_inner(error).kind == kind


@pytest.mark.parametrize(("given", "kind", "exit_code"), [
    (Failure("auth", status=401), AuthError, 3), (Failure("overflow", status=400), ContextOverflow, 1),
    (Failure("retry", status=503), TransientError, 75),
    (Failure("retry", status=429), TransientError, 75), (Failure("retry", status=429, wait=3600), TransientError, 75),
    (Failure("quota", status=429), ModelError, 1),
    (Failure("not_found", status=404), ModelError, 1), (Failure("parameter", status=400), ModelError, 1), (Failure("filter"), ModelError, 1),
    (Failure("html", status=200), ModelError, 1), (Failure("redirect", "https://x", 308), ModelError, 1),
    (Failure("final", status=405), ModelError, 1)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_failure_becomes_an_error_with_words_for_a_person(given: Failure, kind: type[ModelError], exit_code: int, language: str) -> None:
    from core import i18n

    i18n.set_language(language)
    error = to_error(given, url="http://h/v1", model="m-1", key="k")
    assert type(error) is kind
    assert error.exit_code == exit_code
    assert "http://h/v1" in error.message or "m-1" in error.message
    assert "{" not in error.message


def test_an_error_never_repeats_the_key() -> None:
    key = "sk-proj-abcdef123456"
    said = f"Incorrect API key provided: {key}. Bearer {key} sk-other-987654321"
    error = to_error(failure(401, {"error": {"message": said}}), url="u", model="m", key=key)
    assert "abcdef" not in error.message + repr(error) + str(error.args)
    assert "987654321" not in error.message
    assert hide_key("plain text with tokens", "") == hide_key("plain text with tokens", "k") == "plain text with tokens"


def test_a_long_error_is_shortened() -> None:
    assert len(told(failure(400, {"error": {"message": "x " * 5000}}).text, "")) < 320
