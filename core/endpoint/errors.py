"""What an endpoint's refusal means: one reader for every shape of error body, one classification, one text for the person."""
from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from core.endpoint.failure import Failure
from core.endpoint.patience import LONGEST_WAIT
from core.errors import AuthError, ContextOverflow, ModelError, TransientError
from core.secret import hide_key

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_EXCERPT = 300
_LONGEST_TEXT = 4000  # what is looked at of a text; what is shown is cut later, after the key was hidden in it
_LONGEST_CODE = 100
_DEPTH = 8

_OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "1261", "model_context_window_exceeded"})
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_balance", "arrearage", "1113", "1308", "1310"})
_RETRY_CODES = frozenset({
    "1302", "1303", "1305", "1312", "rate_limit_exceeded", "rate_limit_error", "overloaded_error", "server_error", "internal_error",
    "timeout", "engine_overloaded_error", "api_error", "internal_server_error", "service_unavailable"})
_AUTH_CODES = frozenset({"invalid_api_key", "authentication_error", "invalid_authentication_error", "permission_error"})
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "data_inspection_failed", "1301", "sensitive"})
_VAGUE_CODES = ("error", "invalid_request_error", "BadRequestError")
_GLM_FINAL = frozenset({"1214"})

_OVERFLOW = re.compile(
    r"maximum context length|context_length_exceeded|exceeds the available context size|exceed_context_size_error|token limit|token length too long"
    r"|too many (?:input )?tokens|maximum number of tokens allowed|context size has been exceeded|context window exceeds|range of input length"
    r"|exceeds? the (?:model'?s )?(?:maximum )?context (?:window|length|limit)|(?:input|prompt|messages?|request)\b.{0,40}\btoo long", re.I)
_QUOTA = re.compile(r"billing|credit|balance|arrears|欠费|余额", re.I)
_PER_TIME = re.compile(r"per (?:minute|second|hour)|/min\b|\b[rt]pm\b|rate.?limit", re.I)
_URL = re.compile(r"https?://\S+")
_HTML = re.compile(rb"^\s*(?:<!doctype html|<html|<head|<\?xml)", re.I)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>|<h1[^>]*>(.*?)</h1>", re.I | re.S)


class ErrorBody(NamedTuple):
    """What could be read from an error body; `fields` is the innermost object."""

    text: str
    code: str
    param: str
    fields: dict[str, Any]
    html: bool = False


def read_body(body: bytes | Any) -> ErrorBody:
    """Read {"error": {…}}, {"error": "text"}, {"message"}, {"code", "message"}, {"detail"}, base_resp, lists of these, HTML, text, nothing."""
    if isinstance(body, bytes):
        if _HTML.match(body):
            return ErrorBody(_page_title(body), "", "", {}, html=True)
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            return ErrorBody(body[:_LONGEST_TEXT].decode("utf-8", "replace").strip(), "", "", {})
    else:
        data = body
    return _read_value(data)


def classify(status: int, header: Callable[[str], str | None], body: bytes, now: float) -> Failure:
    """What a response with an error status means. `now` is the wall clock, for a Retry-After that is a date."""
    read = read_body(body)
    if 300 <= status < 400:
        return Failure("redirect", header("location") or read.text, status)
    kind = _kind(status, read, _retry_hint(read) is not None or header("retry-after") is not None)
    if (should := (header("x-should-retry") or "").lower()) in ("true", "false") and kind in ("retry", "quota", "final", "parameter", "html"):
        kind = "retry" if should == "true" else "final" if kind == "retry" else kind
    used, limit = _sizes(read) if kind == "overflow" else (None, None)
    wait = _wait(header, now)
    wait = _retry_hint(read) if wait is None else wait
    return Failure(kind, read.text, status, read.code, read.param, wait, _generation(read), used, limit)


def classify_inner(error: Any, status: int | None = None) -> Failure:
    """What an error object or string inside a 200 body or stream means; a numeric code counts as the status."""
    read = read_body(error)
    number = int(read.code) if re.fullmatch(r"[45]\d\d", read.code, re.ASCII) else status
    kind = _kind(number or 0, read, False)
    used, limit = _sizes(read) if kind == "overflow" else (None, None)
    return Failure(kind, read.text, number, read.code, read.param, _retry_hint(read), _generation(read), used, limit)


def unreadable(status: int, error: Exception) -> Failure:
    """What an answer means that could not be read: its status alone counts."""
    if 200 <= status < 300:
        return Failure("html", f"unreadable, {type(error).__name__}", status)
    return classify(status, lambda name: None, b"", 0.0)


def to_error(failure: Failure, *, url: str, model: str, key: str, attempts: int = 1) -> ModelError:
    """The error that the person sees; the key is blotted out wherever the server repeated it."""
    values = {"url": url, "model": model, "http": failure.status or "-", "detail": told(failure.text, key) or "-", "attempts": attempts}
    later = failure.kind == "retry" or failure.kind == "html" and failure.status in RETRIED
    if failure.kind == "auth":
        return AuthError("llm.unauthorized" if key else "llm.no_key", failure.status, **values)
    if failure.kind == "overflow":
        return ContextOverflow("llm.overflow", failure.status, used=failure.used or "?", limit=failure.limit or "?", **values)
    if later and failure.wait is not None and failure.wait > LONGEST_WAIT:
        return TransientError("llm.wait_too_long", failure.status, seconds=round(failure.wait), **values)
    if later:
        return TransientError("llm.rate_limited" if failure.status == 429 else "llm.unavailable", failure.status, **values)
    word = failure.kind if failure.kind in ("quota", "not_found", "filter", "html", "redirect") else "refused"
    return ModelError(f"llm.{word}", failure.status, **values)


def told(text: str, key: str) -> str:
    """An endpoint's words as a person reads them: on one line, short, and without the key, which is hidden before the text is cut."""
    flat = " ".join(hide_key(text, key).split())
    return flat if len(flat) <= _EXCERPT else flat[:_EXCERPT] + "…"


def _kind(status: int, read: ErrorBody, told_to_wait: bool) -> str:
    """The first rule that holds decides; a provider's own code is trusted before the status, the status before words."""
    code = read.code.lower()
    rules = (
        ("overflow", code in _OVERFLOW_CODES or status in (0, 400, 403, 413, 422, 500) and _OVERFLOW.search(read.text)),
        ("filter", code in _FILTER_CODES),
        ("quota", code in _QUOTA_CODES or status == 402),
        ("final", code in _GLM_FINAL),
        ("retry", code in _RETRY_CODES),
        ("quota", status in (0, 429, 403) and not told_to_wait and _means_no_money(read.text)),
        ("auth", status in (401, 403) or code in _AUTH_CODES),
        ("not_found", status == 404),
        ("retry", status in RETRIED or status > 500 or status == 0),
        ("malformed", _generation(read) is not None),
        ("html", read.html),
        ("parameter", status in (400, 415, 422)))
    return next((kind for kind, holds in rules if holds), "final")


def _means_no_money(text: str) -> bool:
    # Rate-limit texts point to a billing page, so addresses do not count; "insufficient quota" alone is said for limits per minute too.
    words = _URL.sub("", text)
    return bool(_QUOTA.search(words)) and not _PER_TIME.search(words)


def _read_value(data: Any) -> ErrorBody:
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return ErrorBody(_flat(data) if data else "", "", "", {})
    inner = data.get("error", data.get("base_resp"))
    if isinstance(inner, str):
        return ErrorBody(inner[:_LONGEST_TEXT], _word(data.get("code")), _word(data.get("param")), data)
    fields: dict[str, Any] = {**data, **inner} if isinstance(inner, dict) else data
    text = next((fields[name] for name in ("message", "msg", "status_msg", "detail", "error_msg") if fields.get(name)), "")
    codes = [_word(fields.get(name)) for name in ("code", "type", "status_code")]
    code = next((code for code in codes if code and code not in _VAGUE_CODES), "")
    words = _flat(text)
    metadata = fields.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        words = f"{words}: {metadata['raw']}"
    return ErrorBody(words[:_LONGEST_TEXT], code, _word(fields.get("param")), fields)


def _word(value: Any) -> str:
    """A code or a name: a text or a whole number."""
    simple = isinstance(value, (str, int)) and not isinstance(value, bool)
    return str(value or "")[:_LONGEST_CODE] if simple else ""


def _flat(text: Any, depth: int = 0) -> str:
    """A message is text, or a validator's list of {"loc", "msg"}; what is nested deeper than any of these is left out."""
    if depth > _DEPTH:
        return "…"
    if isinstance(text, list):
        return "; ".join(_flat(item, depth + 1) for item in text)
    if not isinstance(text, dict):
        return str(text)
    loc = text.get("loc")
    place = ".".join(_flat(part, depth + 1) for part in loc) if isinstance(loc, list) else ""
    inner = text.get("message") or text.get("msg")
    if place:
        return f"{place}: {_flat(text.get('msg', ''), depth + 1)}"
    return _flat(inner, depth + 1) if inner else _as_json(text)


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "…"


def _generation(read: ErrorBody) -> str | None:
    value = read.fields.get("failed_generation")
    return value if isinstance(value, str) else "" if read.code == "json_validate_failed" else None


def _sizes(read: ErrorBody) -> tuple[int | None, int | None]:
    """(tokens used, tokens allowed), as far as the error tells."""
    used, limit = _positive(read.fields.get("n_prompt_tokens")), _positive(read.fields.get("n_ctx"))
    if used and limit:
        return used, limit
    allowed = re.search(r"(?:maximum context length (?:is|of)|context size|token limit:?|limit of|n_ctx)\D{0,12}(\d{3,9})(?!\d)", read.text, re.I)
    asked = re.search(r"(?:requested|resulted in|has|contains?|request)\D{0,12}(\d{3,9})(?!\d)", read.text, re.I)
    return int(asked[1]) if asked else None, int(allowed[1]) if allowed else None


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _wait(header: Callable[[str], str | None], now: float) -> float | None:
    """Seconds to wait by retry-after-ms or Retry-After (seconds or a date)."""
    if (milliseconds := _number(header("retry-after-ms"))) is not None:
        return milliseconds / 1000
    value = header("retry-after")
    if value is None:
        return None
    if (seconds := _number(value)) is not None:
        return seconds
    from email.utils import parsedate_to_datetime
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None


def _retry_hint(read: ErrorBody) -> float | None:
    """A delay inside the body: Google's details[].retryDelay "34s"."""
    details = read.fields.get("details")
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (seconds := _number(delay.removesuffix("s"))) is not None:
            return seconds
    return None


def _page_title(body: bytes) -> str:
    found = _TITLE.search(body[:20000].decode("utf-8", "replace"))
    return " ".join((found[1] or found[2] or "").split()) if found else "HTML"

