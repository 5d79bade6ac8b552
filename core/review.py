"""Looks at a step before it is taken, and questions what nothing supports.

Weak models like to answer with a number or a claim that no observation contains, or right after an action failed. Each kind of question is put at
most once in a run, the one about replacing a file once for each path, so a model that stands by its step loses one step and nothing else; a model
that looks before it answers never meets it.
All but one of the questions are for `guided` runs, those with a server on this machine, whose models are small as a rule.
"""
from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from core.limits import SILENT, RunState

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_DOING = re.compile(
    r"\b(write|create|make|change|set|edit|replace|delete|remove|rename|move|copy|run|execute|install|save|append|add|count|sum|list|read|find|"
    r"compute|calculate|convert|sort|fix)\b|写|创建|新建|生成|修改|改成|改为|删除|重命名|移动|复制|运行|执行|安装|保存|追加|添加|统计|求和|列出|读|查找|计算|转换|排序",
    re.IGNORECASE)
_COMPUTING = re.compile(
    r"\b(total|sum|average|mean|median|count|how many|most|least|fewest|highest|lowest|largest|smallest|longest|shortest|maximum|minimum|max|min|"
    r"sorted?|difference)\b|总|合计|求和|平均|多少|几个|几行|最多|最少|最高|最低|最大|最小|最长|最短|排序|统计|相差", re.IGNORECASE)
_CHANGING = re.compile(r"\b(write|create|make|change|set|edit|replace|delete|remove|rename|move|copy|put|store|save|append|add|insert|update|fix)\b|"
                       r"写|创建|新建|生成|修改|改成|改为|改|删除|重命名|移动|复制|保存|追加|添加|更新|替换", re.IGNORECASE)
_PATHLIKE = re.compile(r"[\w\-\u4e00-\u9fff]+/|[\w\-\u4e00-\u9fff]+\.[A-Za-z]\w{0,4}\b")
_ADMITS = re.compile(r"\b(fail\w*|error|could not|couldn't|cannot|can't|unable|did not|didn't|not found|no such|unfinished|wrong)\b|"
                     r"失败|错误|出错|无法|不能|没有|未能|找不到|不存在", re.IGNORECASE)
_MANY_LINES = 12


class Review:
    """One run's review. `exists` tells whether a path of the workspace is there already."""

    def __init__(self, *, guided: bool = False, exists: Callable[[str], bool] = lambda path: True) -> None:
        self._guided = guided
        self._exists = exists
        self._put: set[str] = set()

    def challenge(self, action: str, arguments: Mapping[str, Any], state: RunState) -> str:
        """What to tell the model instead of taking the step, or "" when it may be taken."""
        if action == "answer":
            answer = unicodedata.normalize("NFKC", arguments["answer"])
            questions = _GUIDED if self._guided else _ALWAYS
            return next((text for question in questions if (text := self._once(question.__name__, question(answer, state)))), "")
        if action == "write_file" and self._guided and not arguments.get("append"):
            same = posixpath.normpath(arguments["path"].replace("\\", "/"))
            overwritten = self._once(f"overwritten {same}", self._overwritten(arguments["path"], state))
            return overwritten or self._once("drift", self._drift(arguments["path"], state.query))
        return ""

    def _overwritten(self, path: str, state: RunState) -> str:
        """The user's file replaced though the request asks for no change: asked once for each path."""
        ours = {done.detail.rpartition(" (")[0] for done in state.done if done.action == "write_file" and done.ok}
        if _CHANGING.search(state.query) or path in ours or not self._exists(path):
            return ""
        return (f"Not written: {path} is the user's file, and the task does not ask to change it. "
                "Write your script or result to a new file, such as script.py.")

    def _once(self, kind: str, text: str) -> str:
        if not text or kind in self._put:
            return ""
        self._put.add(kind)
        return text

    def _drift(self, path: str, query: str) -> str:
        """A new file in a folder that the request does not name, though it names the file (status.txt, not files/status.txt)."""
        folder, _, name = path.replace("\\", "/").rpartition("/")
        if not folder or folder in query or self._exists(path):
            return ""
        named = re.findall(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", query, re.ASCII)
        if not named:
            return ""
        return f"Not written yet: the task says {name}, and your path is {path}. Write it again with \"path\": \"{name}\"."


def _early(answer: str, state: RunState) -> str:
    if state.done or not (_DOING.search(state.query) or _PATHLIKE.search(state.query)):
        return ""
    return ("Your answer was held back: you have done nothing yet, so nothing supports it. Do the work with an action first "
            "(view_skill, read_file, write_file or run_command), then answer from the observation.")


def _failed(answer: str, state: RunState) -> str:
    return "" if _ADMITS.search(answer) else _gave_up(answer, state)


def _gave_up(answer: str, state: RunState) -> str:
    if not state.done or state.done[-1].ok or state.done[-1].denied:
        return ""
    return (f"Your answer was held back: your last action ({state.done[-1].action}) failed, so it is not done. Fix it and try again in another way; "
            "if it cannot be done, answer that plainly.")


def _unchanged(answer: str, state: RunState) -> str:
    """A request to change something, and nothing but looking was done."""
    if not _CHANGING.search(state.query) or any(done.ok and done.action in ("write_file", "run_command") for done in state.done):
        return ""
    return ("Your answer was held back: the task asks for a change, and you have changed nothing yet. Change it now with write_file "
            "(the whole new text of the file) or run_command, then answer.")


def _unchecked(answer: str, state: RunState) -> str:
    """A change made by a command that printed nothing, taken for granted."""
    last = state.done[-1] if state.done else None
    if last is None or last.action != "run_command" or SILENT not in last.content or not _CHANGING.search(state.query):
        return ""
    if " is changed." in last.content:
        return ""
    return ("Your answer was held back: your last command printed nothing, so nobody knows what it did. Look first, for example with read_file; "
            "answer when you see the change, and repair it when you do not.")


def _computed(answer: str, state: RunState) -> str:
    """A figure over many lines of data that no command has computed."""
    if not _COMPUTING.search(state.query) or any(done.action == "run_command" and done.ok for done in state.done):
        return ""
    if not any(done.action == "read_file" and done.content.count("\n") > _MANY_LINES for done in state.done):
        return ""
    return ("Your answer was held back: you cannot compute that by looking at so many lines. Write a Python script that reads the file and prints "
            "the result, run it, and answer with what it printed.")


def _number(answer: str, state: RunState) -> str:
    known = "\n".join([state.query, state.known, *(done.content for done in state.done)])
    written, values = _digits(known), None
    for number in _NUMBER.findall(answer):
        plain = _digits(number).rstrip(".")
        if len(plain) < 2 or re.search(rf"(?<![\d.]){re.escape(plain)}(?!\d)", written):
            continue
        values = values if values is not None else [float(value) for value in _NUMBER.findall(written)[:2000] if len(value) < 300]
        if not _is_rounded(plain, values):
            return (f"Your answer was held back: the number {number} stands in no observation. Do not guess or count in your head: get it with an "
                    "action (a skill, or a short Python script that prints it), then answer with exactly what it printed.")
    return ""


def _is_rounded(number: str, values: list[float]) -> bool:
    """Whether a number is one of `values` rounded to as many places, as such or as a percentage."""
    if len(number) > 300:
        return False
    value, margin = float(number), 0.5 * 10.0 ** -len(number.partition(".")[2])
    return "." in number and any(abs(seen - value) <= margin or abs(100 * seen - value) <= margin for seen in values)


def _digits(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace(",", "")


_ALWAYS = (_failed,)
_GUIDED = (_early, _failed, _number, _gave_up, _unchanged, _unchecked, _computed)
