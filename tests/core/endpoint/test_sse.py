from __future__ import annotations

import pytest

from core.endpoint.sse import EventDecoder, ServerEvent


def decode(*chunks: bytes) -> list[ServerEvent]:
    decoder = EventDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


def data(*chunks: bytes) -> list[str]:
    return [event.data for event in decode(*chunks)]


EVERYTHING = (": keep-alive\n\ndata: {\"a\": \"é\u2028中文😀 [DONE] \"}\r\n\r\nevent: error\rdata:no space\rdata:  two spaces\r\rid: 7\nretry: 5\n"
              "unknown: x\ndata\n\ndata: first\r\ndata: second\n\n: PROCESSING\nerror: {\"code\": 500}\n\ndata: [DONE]\n\n").encode()
EXPECTED = [
    ServerEvent("", '{"a": "é\u2028中文😀 [DONE] "}'), ServerEvent("error", "no space\n two spaces"), ServerEvent("", ""),
    ServerEvent("", "first\nsecond"), ServerEvent("error", '{"code": 500}'), ServerEvent("", "[DONE]")]


def test_all_framings_are_read_at_once() -> None:
    assert decode(EVERYTHING) == EXPECTED


def test_a_stream_cut_at_any_byte_gives_the_same_events() -> None:
    for cut in range(len(EVERYTHING) + 1):
        assert decode(EVERYTHING[:cut], EVERYTHING[cut:]) == EXPECTED, cut


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_stream_in_tiny_chunks_gives_the_same_events(size: int) -> None:
    assert decode(*(EVERYTHING[i:i + size] for i in range(0, len(EVERYTHING), size))) == EXPECTED


def test_a_value_loses_at_most_one_leading_space() -> None:
    assert data(b"data:{}\n\ndata: {}\n\ndata:   {}\n\n") == ["{}", "{}", "  {}"]


def test_line_separators_of_unicode_do_not_end_a_line() -> None:
    assert data("data: a\u2028b\u2029c\x85d\x0be\x0cf\n\n".encode()) == ["a\u2028b\u2029c\x85d\x0be\x0cf"]


def test_the_last_event_needs_no_blank_line() -> None:
    assert data(b"data: a\n\ndata: b") == ["a", "b"]
    assert data(b"data: a\n\ndata: b\n") == ["a", "b"]


def test_a_byte_order_mark_before_the_first_line_is_dropped() -> None:
    assert data(b"\xef\xbb\xbfdata: a\n\n") == ["a"]


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    assert data(b"data: a\xff\xfeb\n\n") == ["a\ufffd\ufffdb"]


def test_comments_alone_are_no_events() -> None:
    assert decode(b": keep-alive\n\n: keep-alive\r\n\r\n\n\n\n") == []


def test_an_event_name_does_not_reach_the_next_event() -> None:
    assert decode(b"event: error\n\ndata: a\n\n") == [ServerEvent("", "a")]


def test_a_very_long_line_in_small_chunks_arrives_whole() -> None:
    line = b"data: " + b"x" * 300_000 + b"\n\n"
    assert [len(text) for text in data(*(line[i:i + 100] for i in range(0, len(line), 100)))] == [300_000]
