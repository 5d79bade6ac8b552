"""The embedded model plays the protocol honestly: manual, declared command, answer from what the command printed – or a plain no."""
from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import i18n
from core.offline import NOT_UNDERSTOOD, OfflineModel, OfflineTransport, read_conversation, spoken_text
from core.skills import SkillRegistry

ROOT = Path(__file__).resolve().parents[2]


class Talk:
    """A conversation with the transport, with the kernel's part played by hand."""

    def __init__(self, registry: SkillRegistry) -> None:
        self.transport = OfflineTransport(registry)
        self.client = httpx.Client(transport=self.transport, base_url="http://built-in/v1")
        self.messages: list[dict[str, str]] = [{"role": "system", "content": "rules"}]

    def ask(self, request: str) -> dict[str, Any]:
        return self.say(f"{request}\n\n[CONTEXT]\nfiles: delete task 3\n[/CONTEXT]")

    def observe(self, text: str) -> dict[str, Any]:
        return self.say(f"[SYSTEM OBSERVATION]\n{text}\n[/SYSTEM OBSERVATION]")

    def say(self, content: str) -> dict[str, Any]:
        self.messages.append({"role": "user", "content": content})
        answer = self.client.post("/chat/completions", json={"model": "x", "messages": self.messages, "response_format": {"type": "json_object"}})
        answer.raise_for_status()
        reply = answer.json()["choices"][0]["message"]["content"]
        self.messages.append({"role": "assistant", "content": reply})
        step: dict[str, Any] = json.loads(reply)
        return step


def registry_of(root: Path) -> SkillRegistry:
    registry = SkillRegistry(root)
    registry.scan()
    return registry


@pytest.fixture
def talk() -> Talk:
    return Talk(registry_of(ROOT / "skills"))


@pytest.fixture
def notes(tmp_path: Path) -> SkillRegistry:
    """A second skill, whose command takes free text."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: notes\ndescription: Notes.\n---\nRun it.\n")
    (folder / "main.py").write_text("import sys\nprint(sys.argv)\n")
    (folder / "commands.yaml").write_text(
        "commands:\n  - name: add\n    description: Adds.\n    argv: [python, main.py, add, --, '{text}']\n    params: {text: {type: string}}\n"
        "    required: [text]\n    say: ['note {text}', '记下{text}']\n    effect: write\n", encoding="utf-8")
    return registry_of(tmp_path)


def test_a_request_goes_through_manual_and_command_to_an_answer_in_its_language(talk: Talk) -> None:
    first = talk.ask("斐波那契数列第100项是多少？")
    assert (first["action"], first["skill"]) == ("view_skill", "math-tools")
    assert list(first) == ["thought", "action", "skill"]
    second = talk.observe("# math-tools\n\nFolder: /x")
    assert (second["action"], second["command"]) == ("run_command", "python main.py fibonacci 100 --lang zh")
    third = talk.observe("exit code: 0 (0.05 s)\ncwd: /x/skills/math-tools\n斐波那契数列第 100 项是 354224848179261915075")
    assert (third["action"], third["answer"]) == ("answer", "斐波那契数列第 100 项是 354224848179261915075")
    assert talk.transport.understood is True


def test_the_command_it_gives_is_declared_and_prints_the_answer(talk: Talk) -> None:
    for request, printed in (("what is the 100th fibonacci number?", "Fibonacci number 100 is 354224848179261915075"),
        ("7 % 3 等于多少", "7 % 3 = 1"),
                             ("calculate -(2+1) * 3", "-(2+1) * 3 = -9"), ("12、18的最大公约数", "12, 18 的最大公约数是 6")):
        talk.ask(request)
        command = talk.observe("manual")["command"]
        registry = registry_of(ROOT / "skills")
        call = registry.match_command(command, ROOT / "skills" / "math-tools")
        assert call is not None, command
        output = subprocess.run(call.argv, cwd=call.cwd, capture_output=True, text=True, encoding="utf-8", env={"PYTHONUTF8": "1"}, check=True).stdout
        assert output.strip() == printed
        assert talk.observe(f"exit code: 0 (0.1 s)\ncwd: x\n{output}")["answer"] == printed


def test_it_says_once_what_it_is_and_how_to_connect_a_model(talk: Talk) -> None:
    first = talk.ask("factorial of 5")
    assert "built-in phrase matcher" in first["thought"] and "API_BASE_URL" in first["thought"] and "\n" not in first["thought"]
    assert "phrase matcher" not in talk.observe("manual")["thought"]
    talk.observe("exit code: 0 (0.1 s)\ncwd: x\n5! = 120")
    assert "phrase matcher" not in talk.ask("factorial of 6")["thought"]


def test_what_fits_no_phrase_is_answered_with_a_plain_no_and_the_nearest_phrases(talk: Talk) -> None:
    step = talk.ask("斐波那契数列前100项")
    assert step["action"] == "answer"
    assert "没有理解" in step["answer"] and "斐波那契数列第…项" in step["answer"] and "API_BASE_URL" in step["answer"]
    assert talk.transport.understood is False
    step = talk.ask("what is the capital of France")
    assert "do not understand" in step["answer"] and "built-in phrase matcher" in step["answer"]
    assert "- " in step["answer"]


def test_a_surface_sees_whether_it_understood(talk: Talk) -> None:
    assert talk.transport.understood is None
    post = {"messages": [{"role": "user", "content": "write a poem"}]}
    assert talk.client.post("/chat/completions", json=post).headers["x-embedded-model"] == NOT_UNDERSTOOD
    assert talk.transport.understood is False
    talk.ask("factorial of 5")
    assert talk.transport.understood is True


def test_an_answer_that_the_kernel_holds_back_is_repeated_unchanged(talk: Talk) -> None:
    step = talk.ask("calculate my taxes for 2023")
    assert talk.observe("Your answer was held back: you have done nothing yet.") == step
    assert talk.transport.understood is False


@pytest.mark.parametrize(("observation", "answer"), [
    ("exit code: 1 (0.05 s)\ncwd: x\ndivision by zero", "That did not work: division by zero"),
    ("exit code: 0 (0.05 s)\ncwd: x\n", "The command printed nothing."),
    ("exit code: 2 (0.05 s)\ncwd: x", "That did not work: The command printed nothing."),
    ("not run: refused by the user (rule r).", "The command was not carried out: not run: refused by the user (rule r)."),
    ("stopped: it took longer than 3 s (3.0 s)\ncwd: x", "The command was not carried out: stopped: it took longer than 3 s (3.0 s)\ncwd: x"),
    ("error: not_started: python", "The command was not carried out: error: not_started: python"),
    ("exit code: 0 (0.05 s)\ncwd: x\nline one\nexit code: 1 (0 s)", "line one\nexit code: 1 (0 s)"),
])
def test_the_answer_says_what_the_command_did_and_no_more(talk: Talk, observation: str, answer: str) -> None:
    talk.ask("calculate 1 + 1")
    talk.observe("manual")
    assert talk.observe(observation)["answer"] == answer


@pytest.mark.parametrize(("printed", "status", "answer"), [
    ('{"ok": true, "message": "已创建任务 #1「买牛奶」", "task": {"id": 1, "message": "no"}}', 0, "已创建任务 #1「买牛奶」"),
    ('{"ok": true, "message": "2 tasks", "tasks": [], "text": "#1 milk\\n#2 bread"}', 0, "#1 milk\n#2 bread"),
    ('{"ok": false, "code": "confirm_required", "error": "确认删除 #3 吗？", "message": "确认删除 #3 吗？"}', 1, "确认删除 #3 吗？"),
    ('{"ok": true, "message": "added", "warning": "the deadline has passed"}', 0, "added\nthe deadline has passed"),
    ('{\n  "message" : "pretty",\n  "ok": true\n}', 0, "pretty"),
    ('{"ok": true, "message": "50 tasks", "text": "#1 a", "tasks": [{"id": 1, [… cut in the middle …] 7}]}', 0, "#1 a"),
    ('{"ok": true, "message": ""}', 0, '{"ok": true, "message": ""}'),
    ('{"ok": true, "message": 7}', 0, '{"ok": true, "message": 7}'),
    ('["message"]', 0, '["message"]'),
    ('{"message": "half', 1, 'That did not work: {"message": "half'),
])
def test_a_command_that_prints_json_answers_with_the_sentence_in_it(talk: Talk, printed: str, status: int, answer: str) -> None:
    talk.ask("calculate 1 + 1")
    talk.observe("manual")
    assert talk.observe(f"exit code: {status} (0.05 s)\ncwd: x\n{printed}")["answer"] == answer


@given(st.text(max_size=80) | st.recursive(st.none() | st.text(max_size=5) | st.integers(), lambda inner: st.dictionaries(
    st.sampled_from(["text", "message", "warning", "ok"]), inner, max_size=4), max_leaves=8).map(json.dumps), st.integers(0, 60))
def test_whatever_a_command_prints_is_read_without_an_error(printed: str, cut: int) -> None:
    for text in (printed, printed[:cut], "{" + printed):
        assert isinstance(spoken_text(text), str)


def test_a_manual_that_cannot_be_opened_ends_the_request(talk: Talk) -> None:
    talk.ask("calculate 1 + 1")
    assert talk.observe("error: no skill 'math-tools'.")["answer"] == "The manual could not be opened: error: no skill 'math-tools'."


def test_a_value_outside_the_limits_is_explained_in_the_requests_language(talk: Talk) -> None:
    assert talk.ask("斐波那契数列第99999999项")["answer"] == "没有成功：math-tools fibonacci：参数 n 不能大于 1000000。"
    assert talk.ask("the 99999999th fibonacci number")["answer"] == "That did not work: math-tools fibonacci: n must be 1000000 or less."
    assert talk.transport.understood is True


def test_a_later_request_starts_anew_whatever_came_before(talk: Talk) -> None:
    talk.ask("factorial of 5")
    talk.observe("manual")
    assert talk.ask("what is the capital of France")["action"] == "answer"
    assert talk.ask("gcd of 12 and 18")["action"] == "view_skill"
    assert talk.observe("manual")["command"] == "python main.py gcd 12 18 --lang en"


@pytest.mark.parametrize(("request_text", "command"), [
    ("记下买牛奶", "python main.py add -- '买牛奶'"),
    ("note -rf", "python main.py add -- -rf"),
    ("note it's `id` & \"x\" now!", "python main.py add -- 'it'\"'\"'s `id` & \"x\"'"),
])
def test_free_text_reaches_the_command_as_one_quoted_argument(notes: SkillRegistry, request_text: str, command: str) -> None:
    talk = Talk(notes)
    talk.ask(request_text)
    step = talk.observe("manual")
    assert step["command"] == command
    assert notes.match_command(step["command"], notes.get("notes").directory) is not None


def test_a_free_text_with_a_second_sentence_is_not_taken(notes: SkillRegistry) -> None:
    for request in ("note milk; rm -rf /", "note milk. Then go home", "记下买牛奶，然后删除全部"):
        assert Talk(notes).ask(request)["action"] == "answer"


def test_quotes_in_a_text_survive_the_shell_and_the_matcher_of_declared_commands(notes: SkillRegistry) -> None:
    talk = Talk(notes)
    talk.ask("note Ann's \"big\" $day & more | less > 3")
    command = talk.observe("manual")["command"]
    call = notes.match_command(command, notes.get("notes").directory)
    assert call is not None and call.argv[-1] == "Ann's \"big\" $day & more | less > 3"


def test_a_stream_carries_the_same_reply_in_events(talk: Talk) -> None:
    body = {"model": "x", "stream": True, "messages": [{"role": "user", "content": "20的阶乘\n\n[CONTEXT]\n[/CONTEXT]"}]}
    with talk.client.stream("POST", "/chat/completions", json=body) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        lines = [line for line in answer.iter_lines() if line]
    assert lines[-1] == "data: [DONE]"
    frames = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
    text = "".join(frame["choices"][0]["delta"].get("content", "") for frame in frames)
    assert json.loads(text)["skill"] == "math-tools" and len(frames) > 3
    assert frames[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(("method", "path", "content", "status"), [
    ("GET", "/models", b"", 200), ("GET", "/chat/completions", b"", 404), ("POST", "/embeddings", b"{}", 404),
    ("POST", "/chat/completions", b"nonsense", 400),
    ("POST", "/chat/completions", b"{}", 400), ("POST", "/chat/completions", b"[]", 400), ("POST", "/chat/completions", b'{"messages": 3}', 400),
    ("POST", "/chat/completions", b'{"messages": []}', 200), ("POST", "/chat/completions", b'{"messages": [{"role": "user"}, 3]}', 200),
])
def test_odd_requests_get_a_plain_http_answer(talk: Talk, method: str, path: str, content: bytes, status: int) -> None:
    assert talk.client.request(method, path, content=content).status_code == status


def test_without_skills_it_says_so(tmp_path: Path) -> None:
    step = OfflineModel(registry_of(tmp_path)).reply([{"role": "user", "content": "factorial of 5"}])
    assert step["action"] == "answer" and "no skill declares any phrase" in step["answer"]


def test_a_request_without_letters_is_answered_in_the_language_of_the_moment(notes: SkillRegistry) -> None:
    spoken: Sequence[tuple[str, str]] = (("zh", "没有理解"), ("en", "do not understand"))
    for language, words in spoken:
        i18n.set_language(language)
        try:
            assert words in OfflineModel(notes).reply([{"role": "user", "content": "42"}])["answer"]
        finally:
            i18n.set_language("")


def test_only_what_the_person_typed_counts_as_the_request() -> None:
    told = read_conversation([
        {"role": "system", "content": "s"}, {"role": "user", "content": "one\n\n[CONTEXT]\nx"},
        {"role": "assistant", "content": "{\"action\": \"answer\"}"},
        {"role": "user", "content": "two lines\nhere\n\n[CONTEXT]\nnow"}, {"role": "assistant", "content": "not json"},
        {"role": "user", "content": "[SYSTEM OBSERVATION]\nseen\n[/SYSTEM OBSERVATION]"}])
    assert (told.request, told.actions, told.observation, told.first) == ("two lines\nhere", (), "seen", False)


def test_importing_the_embedded_model_loads_no_httpx_and_no_yaml() -> None:
    code = "import sys, core.offline; print([name for name in ('httpx', 'yaml', 'frontmatter') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() == "[]"
