"""A person runs their day by phrases alone: whole dialogues through the kernel, with the embedded model, the sandbox and a real file."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.config import Settings
from core.handlers import NullHandler
from core.kernel import AgentKernel
from core.sandbox import Sandbox
from core.skills import SkillRegistry

ROOT = Path(__file__).resolve().parents[3]
NOW = "2026-10-14T08:30:00"  # a Wednesday
Say = Callable[[str], str]


class Asked(NullHandler):
    """Says yes to whatever the kernel asks about, and remembers what that was."""

    def __init__(self) -> None:
        super().__init__(auto_approve=True)
        self.asked: list[str] = []

    def on_confirm(self, action_type: str, detail: str) -> bool:
        self.asked.append(detail)
        return True


class FrozenKernel(AgentKernel):
    """The kernel as it is, but its commands see the test's clock."""

    @property
    def sandbox(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = Sandbox(self.workspace, self.registry.roots, names=["TODO_NOW"])
        return self._sandbox


class Person:
    """Talks to one kernel; `say` gives the answer that the person reads."""

    def __init__(self, workspace: Path) -> None:
        workspace.mkdir()
        registry = SkillRegistry(ROOT / "skills")
        registry.scan()
        self.workspace = workspace
        self.handler = Asked()
        self.kernel = FrozenKernel(registry, self.handler, settings=Settings(workspace=workspace, skills_dir=ROOT / "skills"))

    def say(self, request: str) -> str:
        answer = self.kernel.run(request)
        assert self.kernel.outcome is not None and self.kernel.outcome.status == "done", (request, answer)
        return answer


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    for name in ("TODO_DB", "AGENT_SESSION", "AGENT_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TODO_NOW", NOW)
    someone = Person(tmp_path / "work")
    yield someone
    someone.kernel.close()


def test_record_order_plan_export(person: Person) -> None:
    assert person.say("明天下午3点前交作业，这个最重要") == "已创建任务 #1「交作业」，截止 明天 15:00，高优先级"
    assert "已创建 3 个任务" in person.say("记三件事：买牛奶、交电费和写周报")
    order = person.say("先做什么")
    assert order.index("交作业") < order.index("买牛奶") and "高优先级 +40" in order
    plan = person.say("安排一下今天，从9点到12点")
    assert re.search(r"09:00–09:30\s+#1 交作业", plan)
    exported = person.say("导出明天的清单")
    file = next((person.workspace / "exports").iterdir())
    assert "1" in exported and "交作业" in file.read_text(encoding="utf-8") and "2026-10-15" in file.name
    assert person.handler.asked == []


def test_record_order_plan_export_in_english(person: Person) -> None:
    assert person.say("Remind me to submit homework tomorrow at 3pm, this is important").startswith("Added #1 \"submit homework\", due ")
    assert "Added 2 tasks" in person.say("add tasks: buy milk and pay the bill")
    order = person.say("What should I do first?")
    assert order.index("submit homework") < order.index("buy milk")
    assert "09:00" in person.say("plan my day from 9am to 12pm")
    assert person.say("export the checklist for tomorrow")
    assert "submit homework" in next((person.workspace / "exports").iterdir()).read_text(encoding="utf-8")


def test_change_by_pointing(person: Person) -> None:
    person.say("提醒我周五写报告")
    person.say("记一下买牛奶")
    assert person.say("把它改成高优先级") == "已更新任务 #2「买牛奶」：优先级 高"
    assert "#1 写报告" in person.say("有哪些任务")
    assert person.say("把第一个推迟到下周一") == "已更新任务 #1「写报告」：截止 周一"
    assert person.say("看看第一个") == "#1 写报告（中，截止 周一）"
    assert person.say("它大概要两小时") == "已更新任务 #1「写报告」：预计 120 分钟"
    assert "买牛奶" in person.say("买牛奶做完了")
    assert "已经完成了" in person.say("把买牛奶推迟到周五")


def test_change_by_pointing_in_english(person: Person) -> None:
    person.say("add a task: write the report by Friday")
    person.say("add a task: buy milk")
    assert "#2 \"buy milk\"" in person.say("make it high priority")
    person.say("what's on my list")
    assert "#1 \"write the report\"" in person.say("move the first one to next Monday")
    assert "#1" in person.say("it takes 2 hours")
    assert "buy milk" in person.say("done with buy milk")


def test_safe_delete(person: Person) -> None:
    person.say("记三件事：买牛奶、写周报、写月报")
    asked = person.say("删除买牛奶")
    assert asked.startswith("确认删除 #1「买牛奶」吗？") and person.handler.asked == []
    assert "没有删除" in person.say("算了")
    assert "没有等待确认的删除" in person.say("确认删除")
    assert "有 2 个任务符合「写」" in person.say("删除写")
    assert person.say("删掉第二个").startswith("确认删除 #3「写月报」吗？")
    person.handler.asked.clear()
    assert "写月报" in person.say("确认删除")
    assert len(person.handler.asked) == 1 and "confirm_delete" in person.handler.asked[0]
    assert "写月报" not in person.say("有哪些任务")


def test_safe_delete_in_english(person: Person) -> None:
    person.say("add a task: buy milk")
    assert person.say("delete buy milk").startswith("Delete #1 \"buy milk\"?")
    assert "stays" in person.say("never mind")
    person.say("delete it")
    assert "buy milk" in person.say("yes, delete it")
    assert "No task is called" in person.say("done with buy milk")


def test_recurring_and_undo(person: Person) -> None:
    assert person.say("每周五下午5点写周报") == "已创建任务 #1「写周报」，每周五 17:00 重复，截止 后天 17:00，中优先级"
    assert "10月23日 17:00" in person.say("写周报做完了")
    assert "撤销" in person.say("撤销")
    listed = person.say("哪些任务是重复的")
    assert "#1 写周报" in listed and "#2" not in listed
    assert "10月23日 17:00" in person.say("跳过这次周报")
    assert "写周报" in person.say("写周报不再重复") and "没有" in person.say("重复的任务")


def test_recurring_and_undo_in_english(person: Person) -> None:
    assert "every Friday 17:00" in person.say("every Friday at 5pm write the report")
    assert "23" in person.say("done with write the report")
    person.say("undo")
    listed = person.say("recurring tasks")
    assert "#1 write the report" in listed and "#2" not in listed
    assert "23" in person.say("skip write the report this time")


def test_what_cannot_be_done_is_told_in_the_persons_language_without_an_exit_code(person: Person) -> None:
    for request, words in (("提醒我2月30日交作业", "不存在"), ("完成99号", "#99"), ("remind me to call Bob on Feb 30", "Feb 30"),
                           ("done with 99", "#99")):
        answer = person.say(request)
        assert words in answer and "exit" not in answer and "{" not in answer
    assert re.search(r"\b0\b", person.say("任务统计"))
