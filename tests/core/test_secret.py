"""The key is hidden however it is spelt, and ordinary words are left alone."""
from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from core.endpoint.errors import told
from core.secret import IN_EVENTS, IN_REPLIES, KeyFilter, hide_in_event, hide_in_reply, hide_key

KEY = "0123456789abcdefFEDCBA9876543210"
ODD = "sk/+abcDEF=12345"


@pytest.mark.parametrize("spelling", [
    KEY, KEY[:16] + "\n" + KEY[16:], " ".join(KEY), KEY[:9] + "\\n\\t" + KEY[9:], "".join(f"\\u00{ord(one):02x}" for one in KEY),
    "".join(f"%{ord(one):02X}" for one in KEY), KEY[:4] + "%0A" + KEY[4:]])
@pytest.mark.parametrize("hide", [hide_key, hide_in_reply, hide_in_event])
def test_the_key_is_hidden_in_every_spelling(hide: Callable[[str, str], str], spelling: str) -> None:
    hidden = hide(f"before {spelling} after", KEY)
    assert hidden in ("before *** after", f"before {IN_REPLIES} after", f"before {IN_EVENTS} after")


@pytest.mark.parametrize("spelling", [quote(ODD), quote(ODD, safe=""), quote(ODD, safe="").lower().replace("def", "DEF"), json.dumps(ODD),
                                      ODD.replace("/", "\\/")])
def test_a_key_with_odd_characters_is_hidden_as_urls_and_json_write_it(spelling: str) -> None:
    assert "12345" not in hide_key(spelling, ODD)
    assert "12345" not in hide_in_reply(spelling, ODD)


def test_the_beginning_of_a_key_that_a_cut_left_is_hidden() -> None:
    assert hide_key("x" * 50 + KEY[:31], KEY) == "x" * 50 + "***"
    assert hide_key("a word that ends as keys begin: 0123", KEY) == "a word that ends as keys begin: 0123"


def test_words_are_cut_only_after_the_key_was_hidden_in_them() -> None:
    for padding in range(260, 310):
        shown = told("x" * padding + KEY, KEY)
        assert KEY[:8] not in shown
        assert len(shown) <= 301


def test_a_placeholder_in_place_of_a_key_is_an_ordinary_word_of_a_reply() -> None:
    for key in ("lm-studio", "not-needed", "ollama", "local", "", "sk-no-key-required"):
        assert hide_in_reply(f"cd {key}", key) == f"cd {key}"
        assert KeyFilter(key).feed("thought", f"cd {key}") == [("thought", f"cd {key}")]


def test_text_without_the_key_is_unchanged() -> None:
    text = "0123456789 %41 \\u0041 \\n 50% of 012345678 9abcdef."
    assert hide_in_reply(text, KEY) == text


def shown(pieces: list[tuple[str, str]], key: str = KEY) -> dict[str, str]:
    """What is heard of each field."""
    one, heard = KeyFilter(key), {"thought": "", "answer": "", "reasoning": ""}
    for field, text in [out for piece in pieces for out in one.feed(*piece)] + one.flush():
        heard[field] += text
    return heard


@pytest.mark.parametrize("size", [1, 3, 7, 31, 32, 100])
@pytest.mark.parametrize("spelling", [KEY, "\n".join(KEY), KEY[:20] + " \t" + KEY[20:]])
def test_the_key_is_not_heard_however_a_stream_cuts_it(spelling: str, size: int) -> None:
    text = f"012 your key {spelling}, twice {spelling}. 01234"
    heard = shown([("thought", text[start:start + size]) for start in range(0, len(text), size)])
    assert heard["thought"] == f"012 your key {IN_REPLIES}, twice {IN_REPLIES}. 01234"


@pytest.mark.parametrize("size", [1, 5, 50])
def test_a_quoted_key_is_not_heard_either(size: int) -> None:
    text = f"key={quote(ODD)}&more"
    heard = shown([("answer", text[start:start + size]) for start in range(0, len(text), size)], ODD)
    assert heard["answer"] == f"key={IN_REPLIES}&more"


def test_a_key_that_is_cut_by_another_field_is_not_heard() -> None:
    for size in (3, 7, 12, 20):
        pieces = []
        for start in range(0, len(KEY), size):
            pieces += [("reasoning", KEY[start:start + size]), ("thought", "x")]
        heard = shown(pieces)
        assert KEY[:8] not in heard["reasoning"]
        assert KEY[-8:] not in heard["reasoning"]
        assert set(heard["thought"]) == {"x"}


def test_text_is_held_back_only_while_it_may_be_the_key() -> None:
    one = KeyFilter(KEY)
    assert one.feed("thought", "abc") == [("thought", "abc")]
    assert one.feed("thought", "abc 01") == [("thought", "abc ")]
    assert one.feed("thought", "x") == [("thought", "01x")]
    assert one.feed("thought", "012") == []
    assert one.feed("answer", "hi") == [("thought", "012"), ("answer", "hi")]


def test_blanks_without_end_are_not_held_for_ever() -> None:
    one = KeyFilter(KEY)
    held = one.feed("thought", "0")
    for _ in range(100):
        held += one.feed("thought", " " * 100)
    assert len("".join(text for _, text in held)) > 5000
