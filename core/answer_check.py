"""Challenges an answer that nothing supports, before a person sees it.

Weak models like to answer with a number or a claim that no observation contains, or right after an action failed. Each kind of
challenge is made at most once in a run, so a model that stands by its answer loses one step and nothing else; a model
that looks before it answers never meets it.
"""
from __future__ import annotations

import re
import unicodedata

from core.limits import RunState

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_DOING = re.compile(
    r"\b(write|create|make|change|set|edit|replace|delete|remove|rename|move|copy|run|execute|install|save|append|add|count|sum|list|read|find|"
    r"compute|calculate|convert|sort|fix)\b|写|创建|新建|生成|修改|改成|改为|删除|重命名|移动|复制|运行|执行|安装|保存|追加|添加|统计|求和|列出|读|查找|计算|转换|排序",
    re.IGNORECASE)
_PATHLIKE = re.compile(r"[\w\-\u4e00-\u9fff]+/|[\w\-\u4e00-\u9fff]+\.[A-Za-z]\w{0,4}\b")
_ADMITS = re.compile(r"\b(fail\w*|error|could not|couldn't|cannot|can't|unable|did not|didn't|not found|no such|unfinished|wrong)\b|"
                     r"失败|错误|出错|无法|不能|没有|未能|找不到|不存在", re.IGNORECASE)


class AnswerCheck:
    """One run's check of answers; `challenge` returns what to tell the model, or "" when the answer may go out."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    def challenge(self, answer: str, state: RunState) -> str:
        """The first challenge that applies and was not made before in this run."""
        for kind, text in (("early", self._early(state)), ("failed", self._failed(answer, state)), ("number", self._number(answer, state))):
            if text and kind not in self._made:
                self._made.add(kind)
                return text
        return ""

    def _early(self, state: RunState) -> str:
        if state.done or not (_DOING.search(state.query) or _PATHLIKE.search(state.query)):
            return ""
        return ("Your answer was held back: you have done nothing yet, so nothing supports it. Do the work with an action first "
                "(view_skill, read_file, write_file or run_command), then answer from the observation.")

    def _failed(self, answer: str, state: RunState) -> str:
        if not state.done or state.done[-1].ok or state.done[-1].denied or _ADMITS.search(answer):
            return ""
        last = state.done[-1]
        return (f"Your answer was held back: your last action ({last.action}) failed, so it is not done. Fix it and try again in another way; "
                "if it cannot be done, answer that plainly.")

    def _number(self, answer: str, state: RunState) -> str:
        known = _digits(state.query + "\n" + "\n".join(done.content for done in state.done))
        numbers = _NUMBER.findall(unicodedata.normalize("NFKC", answer))
        unknown = [number for number in numbers if len(_digits(number)) > 1 and not _supported(number, known)]
        if not unknown:
            return ""
        return (f"Your answer was held back: the number {unknown[0]} stands in no observation. Do not guess or count in your head: get it with an "
                "action (a skill, or a short Python script that prints it), then answer with exactly what it printed.")


def _digits(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace(",", "")


def _supported(number: str, known: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(_digits(number).rstrip('.'))}(?!\d)", known) is not None
