from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.endpoint.reply_stream import BLANK_LIMIT, TAIL_BLANK_LIMIT, ReplyReader

ANSWER = '{"thought": "a", "action": "answer", "answer": "b"}'


def shown(*pieces: str) -> dict[str, str]:
    """What each field showed, pieces joined."""
    reader = ReplyReader()
    result: dict[str, str] = {}
    for piece in pieces:
        if reader.stop is None:
            for field, text in reader.feed(piece):
                result[field] = result.get(field, "") + text
    return result


def read(text: str, size: int = 5) -> ReplyReader:
    reader = ReplyReader()
    for start in range(0, len(text), size):
        if reader.stop is None:
            reader.feed(text[start:start + size])
    return reader


REPLIES = {
    "escapes": r'{"thought": "q\"\\\/\b\f\n\r\t \u4e2d\u00e9", "action": "answer", "answer": "\ud83d\ude00 \u2028 end"}',
    "raw": '{"thought": "中文 😀\u2028 tab\t line\n", "action": "answer", "answer": "# Title\n```py\nx = {1: \\"}\\"}\n```"}',
    "fenced": '```json\n{"thought": "x", "action": "answer", "answer": "y"}\n```\n',
    "thinking": '<think>first {"thought": "no"} then</think>\n{"thought": "yes", "action": "answer", "answer": "z"}',
    "nested": '{"thought": "t", "action": "run_command", "extra": {"answer": "inner", "list": ["a", {"thought": "deep"}]}, "answer": "outer"}',
    "braces": '{"thought": "} ] { [ , : \\\\", "action": "answer", "answer": "{\\"thought\\": \\"fake\\"}"}',
    "keys": '{ "\\u0074hought" : "k" , "action" : "answer" , "ANSWER" : "v" }',
}


@pytest.mark.parametrize("name", REPLIES)
def test_every_split_of_a_reply_shows_the_decoded_words(name: str) -> None:
    text = REPLIES[name]
    start = text.rindex('{"thought": "yes"') if name == "thinking" else text.index("{")
    value = json.JSONDecoder(strict=False).raw_decode(text, start)[0]
    expected = (value["thought"], value.get("answer", value.get("ANSWER", "")))
    for cut in range(len(text) + 1):
        fields = shown(text[:cut], text[cut:])
        assert (fields.get("thought", ""), fields.get("answer", "")) == expected, cut
    fields = shown(*text)
    assert (fields["thought"], fields["answer"]) == expected


def test_words_arrive_while_the_string_is_still_open() -> None:
    assert shown('{"thought": "half a sen') == {"thought": "half a sen"}


def test_an_unfinished_escape_is_held_back() -> None:
    reader = ReplyReader()
    assert reader.feed('{"thought": "a\\') == [("thought", "a")]
    assert reader.feed("u4e2") == []
    assert reader.feed("d") == [("thought", "中")]
    assert reader.feed("\\ud83d") == []
    assert reader.feed("\\ude00") == [("thought", "😀")]


@pytest.mark.parametrize(("written", "read_as"), [
    (r"\ud83d!", "\ufffd!"), (r"\ude00!", "\ufffd!"), (r"\ud83d\n", "\ufffd\n"), (r"\ud83d\u0041", "\ufffdA"), (r"\uZZZZ", "uZZZZ"), (r"\d", "d")])
def test_broken_escapes_never_break_the_display(written: str, read_as: str) -> None:
    assert shown(*f'{{"thought": "{written}"}}') == {"thought": read_as}


def test_other_strings_are_told_apart() -> None:
    assert shown('{"action": "write_file", "path": "a", "content": "12345"}') == {"other": "write_filea12345"}


def test_prose_is_held_until_an_object_starts() -> None:
    assert shown("Sure, here {name} and {{x}} and {1, 2}: ") == {}
    assert shown(*("Sure {name}: " + ANSWER))["thought"] == "a"


def test_text_that_is_no_object_shows_nothing_and_never_stops() -> None:
    reader = read("The set {1, 2, 3} has three members. " + " ".join(str(number) for number in range(300)))
    assert (reader.stop, reader.complete) == (None, False)


@pytest.mark.parametrize("before", ["", "\n", "```json\n", "```\n", "<think>because {a: b}</think>\n", "◁think▷x◁/think▷", "\ufeff"])
@pytest.mark.parametrize("after", [
    "\n[SYSTEM OBSERVATION]\nexit code: 0", "\n```\nNow I wait", '\n\n{"thought": "next", "action": "answer"', "User: ok"])
@pytest.mark.parametrize("size", [1, 6, 500])
def test_a_clean_object_with_an_action_ends_the_reading_at_the_next_word(before: str, after: str, size: int) -> None:
    reader = read(before + ANSWER + after, size)
    assert reader.stop == "complete"
    kept = (before + ANSWER + after)[:reader.end]
    assert kept.startswith(before + ANSWER)
    assert kept[len(before + ANSWER):].strip() in ("", "```")


@pytest.mark.parametrize("text", [
    "I will answer. " + ANSWER + " Then I see",                       # the parser wants to see whether the model weighs two actions
    '{"thought": "only"}\n' + ANSWER + " more",                       # a thought of its own before the action
    '{"note": "no action"} more',
    ANSWER + '", "more": "', ANSWER + "}", ANSWER + ', {"action": ',    # leftovers of an object whose quotes were not escaped
    ANSWER + "\n</think>\n" + ANSWER, ANSWER + "◁/think▷ more",        # it was only thinking
    '{"thought": "she said "stop" now", "action": "answer", "answer": "x"} more',
    "{'thought': 'a } b', 'action': 'answer', \"action\": \"answer\"} more",
    '{thought: "a", "action": "answer"} more', '{"thought": "a", /* } */ "action": "answer"} more', '[{"action": "answer"}] more',
    '{"thought": "a", "action": "answer", "answer": "b"'])
def test_anything_unusual_is_read_to_its_end(text: str) -> None:
    for size in (1, 4, 1000):
        assert read(text, size).stop is None, size


def test_trailing_blanks_end_the_reading() -> None:
    assert read(ANSWER + " " * (TAIL_BLANK_LIMIT - 1), 1).stop is None
    reader = read(ANSWER + "\n" * TAIL_BLANK_LIMIT, 7)
    assert (reader.stop, reader.end) == ("complete", len(ANSWER))


@pytest.mark.parametrize("before", ["", "{", '{"thought": "a",', '{"thought": "a"', "Hello", '{"thought": "a", "x": [1,'])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_endless_blanks_are_noticed_anywhere_outside_strings(before: str, size: int) -> None:
    assert read(before + " \n" * (BLANK_LIMIT // 2 - 2), size).stop is None
    reader = read(before + " \n" * BLANK_LIMIT, size)
    assert (reader.stop, reader.end) == ("blanks", len(before))


def test_blanks_inside_a_string_are_content() -> None:
    assert read('{"action": "write_file", "content": "' + " " * 1500 + '"}').stop is None


@pytest.mark.parametrize("block", ["a", "ab\\n", "the same sentence again and again. ", "中文"])
def test_a_string_that_only_repeats_itself_is_stopped(block: str) -> None:
    reader = read('{"thought": "' + block * (9000 // len(block)))
    assert reader.stop == "runaway"
    assert reader.end < 9000


def test_reasoning_or_prose_that_only_repeats_itself_is_stopped() -> None:
    assert read("Wait, let me think. " * 600).stop == "runaway"
    assert read("<think>" + "Wait, let me think. " * 600).stop == "runaway"


def test_long_content_that_differs_is_not_stopped() -> None:
    lines = "\\n".join(f"row {number}: 0, 0, 0, 0, 0, 0, 0, 0" for number in range(2000))
    reader = read('{"action": "write_file", "path": "a", "content": "' + lines + '"}', 64)
    assert (reader.stop, reader.complete, reader.settled) == (None, True, True)


def test_settled_means_clean_and_closed() -> None:
    assert read(ANSWER).settled
    assert not read("Well: " + ANSWER).settled
    assert read("Well: " + ANSWER).complete
    assert not read(ANSWER[:-1]).complete


KEYS = st.sampled_from(["thought", "action", "Answer", " final_answer", "path", "", "中 文", 'a"b', "back\\slash"])
VALUES = st.one_of(st.text(max_size=60), st.integers(), st.floats(), st.booleans(), st.none(), st.just("".join(map(str, range(1400)))),
                   st.lists(st.text(max_size=5), max_size=2), st.dictionaries(st.just("action"), st.text(max_size=5), max_size=1))


@given(st.lists(st.tuples(KEYS, VALUES), max_size=6), st.sampled_from(["", " ", "\n\t", " " * BLANK_LIMIT]), st.booleans(), st.data())
def test_a_reply_that_comes_at_once_reads_like_one_that_comes_in_pieces(pairs: list[tuple[str, object]], blank: str, plain: bool,
                                                                        data: st.DataObject) -> None:
    written = [f"{json.dumps(key, ensure_ascii=plain)}:{blank}{json.dumps(value, ensure_ascii=plain)}" for key, value in pairs]
    text = "{" + blank + ",".join(written) + "}" + data.draw(st.sampled_from(["", blank, "}", "```"]))
    whole = ReplyReader()
    shown_at_once: dict[str, str] = {}
    for field, words in whole.feed(text):
        shown_at_once[field] = shown_at_once.get(field, "") + words
    assert shown_at_once == shown(*text)
    one = read(text, 1)
    for _ in range(2):
        assert (whole.complete, whole.settled, whole.stop, whole.end) == (one.complete, one.settled, one.stop, one.end)
        if whole.stop is None:
            whole.feed("and so on {")
            one.feed("and so on {")
