"""One sentence becomes a task: what is cut out, what stays in the title, what is refused, and what the answer echoes."""
from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taskbook.contract import TodoError
from taskbook.numerals import whole_number
from taskbook.sentence import Sentence, read_sentence

from .conftest import Call

NOW = datetime(2026, 10, 14, 8, 30)

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("明天下午3点前交作业，这个最重要", "交作业", {"due": "2026-10-15T15:00:00", "priority": "high"}),
    ("提醒我明天下午3点交作业", "交作业", {"due": "2026-10-15T15:00:00"}),
    ("记一下买牛奶", "买牛奶", {}),
    ("帮我记一下明天交电费", "交电费", {"due": "2026-10-15"}),
    ("加个任务：打电话给妈妈", "打电话给妈妈", {}),
    ("待办：写周报", "写周报", {}),
    ("记得后天去银行", "去银行", {"due": "2026-10-16"}),
    ("别忘了带身份证", "带身份证", {}),
    ("明天记得交作业", "交作业", {"due": "2026-10-15"}),
    ("明天下午3点提醒我开会", "开会", {"due": "2026-10-15T15:00:00"}),
    ("今晚8点跟张三吃饭", "跟张三吃饭", {"due": "2026-10-14T20:00:00"}),
    ("下周五之前提交季度报告，很紧急", "提交季度报告", {"due": "2026-10-23", "priority": "high"}),
    ("周五前写完论文，大概要两小时", "写完论文", {"due": "2026-10-16", "minutes": 120}),
    ("写报告，预计30分钟", "写报告", {"minutes": 30}),
    ("写报告大概要两个半小时", "写报告", {"minutes": 150}),
    ("跑步30分钟", "跑步30分钟", {"minutes": 30}),
    ("交作业 #工作 #学习", "交作业", {"tags": ("工作", "学习")}),
    ("整理桌面，不急", "整理桌面", {"priority": "low"}),
    ("整理照片，有空再做", "整理照片", {"priority": "low"}),
    ("写一份重要文件", "写一份重要文件", {}),
    ("高优先级：交房租", "交房租", {"priority": "high"}),
    ("交房租，高优先级", "交房租", {"priority": "high"}),
    ("交房租 !high", "交房租", {"priority": "high"}),
    ("交房租！高", "交房租", {"priority": "high"}),
    ("读书 !low", "读书", {"priority": "low"}),
    ("这个月底前还信用卡", "还信用卡", {"due": "2026-10-31"}),
    ("10月20日去体检", "去体检", {"due": "2026-10-20"}),
    ("20号交房租", "交房租", {"due": "2026-10-20"}),
    ("每周五下午5点写周报", "写周报", {"rule": "每周五下午5点"}),
    ("每天早上7点跑步", "跑步", {"rule": "每天早上7点"}),
    ("每月最后一天对账", "对账", {"rule": "每月最后一天"}),
    ("每个工作日9点站会", "站会", {"rule": "每个工作日9点"}),
    ("买牛奶、面包和鸡蛋", "买牛奶、面包和鸡蛋", {}),
    ("明天6点起床", "起床", {"due": "2026-10-15T18:00:00"}),
    ("3点开会", "开会", {"due": "2026-10-14T15:00:00"}),
    ("10分钟后关火", "关火", {"due": "2026-10-14T08:40:00"}),
    ("半小时后给李四回电话", "给李四回电话", {"due": "2026-10-14T09:00:00"}),
    ("三天后交报告", "交报告", {"due": "2026-10-17"}),
    ("明天要交作业", "交作业", {"due": "2026-10-15"}),
    ("明天我要交作业", "交作业", {"due": "2026-10-15"}),
    ("我得后天去取快递", "去取快递", {"due": "2026-10-16"}),
    ("紧急：修复线上故障", "修复线上故障", {"priority": "high"}),
    ("修复线上故障（紧急）", "修复线上故障", {"priority": "high"}),
    ("【紧急】修复线上故障", "修复线上故障", {"priority": "high"}),
    ("学习C#", "学习C#", {}),
    ("回复 issue #12", "回复 issue #12", {}),
    ("买3号电池", "买3号电池", {}),
    ("给3号楼送水", "给3号楼送水", {}),
    ("打印第2章", "打印第2章", {}),
    ("复习第三章，标签：学习、考试", "复习第三章", {"tags": ("学习", "考试")}),
    ("写周报，截止周五下午5点", "写周报", {"due": "2026-10-16T17:00:00"}),
    ("交材料，截止时间是10月20日", "交材料", {"due": "2026-10-20"}),
    ("最晚周四交稿", "交稿", {"due": "2026-10-15"}),
    ("在周四前交稿", "交稿", {"due": "2026-10-15"}),
    ("下午开会，大约1小时30分钟", "开会", {"due": "2026-10-14T15:00:00", "minutes": 90}),
    ("明早8点半出发去机场，预计40分钟", "出发去机场", {"due": "2026-10-15T08:30:00", "minutes": 40}),
    ("把作业交了，明天之前", "把作业交了", {"due": "2026-10-15"}),
    ("给妈妈打电话，今晚", "给妈妈打电话", {"due": "2026-10-14T20:00:00"}),
    ("remind me to call Bob tomorrow at 3pm", "call Bob", {"due": "2026-10-15T15:00:00"}),
    ("Remind me tomorrow at 3pm to submit homework, urgent", "submit homework", {"due": "2026-10-15T15:00:00", "priority": "high"}),
    ("add a task: buy milk", "buy milk", {}),
    ("don't forget to pay rent", "pay rent", {}),
    ("buy milk", "buy milk", {}),
    ("call mom tonight", "call mom", {"due": "2026-10-14T20:00:00"}),
    ("submit the report by Friday, high priority", "submit the report", {"due": "2026-10-16", "priority": "high"}),
    ("finish slides before next Monday, takes 2 hours", "finish slides", {"due": "2026-10-19", "minutes": 120}),
    ("write the essay, 1h30", "write the essay", {"minutes": 90}),
    ("read a book for 30 minutes", "read a book", {"minutes": 30}),
    ("clean the desk, low priority, #home", "clean the desk", {"priority": "low", "tags": ("home",)}),
    ("#work review the budget by Oct 20", "review the budget", {"due": "2026-10-20", "tags": ("work",)}),
    ("pay rent on the 20th", "pay rent", {"due": "2026-10-20"}),
    ("every Friday at 5pm write the report", "write the report", {"rule": "every Friday at 5pm"}),
    ("every day at 7am go for a run", "go for a run", {"rule": "every day at 7am"}),
    ("in two hours turn off the oven", "turn off the oven", {"due": "2026-10-14T10:30:00"}),
    ("tomorrow submit homework", "submit homework", {"due": "2026-10-15"}),
    ("tomorrow at 3pm meeting with Ann", "meeting with Ann", {"due": "2026-10-15T15:00:00"}),
    ("meet Ann at 3pm tomorrow, this is important", "meet Ann", {"due": "2026-10-15T15:00:00", "priority": "high"}),
    ("urgent: call the bank", "call the bank", {"priority": "high"}),
    ("call the bank, urgent", "call the bank", {"priority": "high"}),
    ("write an urgent letter", "write an urgent letter", {}),
    ("mark emails as important", "mark emails as important", {}),
    ("learn C#", "learn C#", {}),
    ("check section 3.2", "check section 3.2", {}),
    ("buy 3 apples", "buy 3 apples", {}),
    ("buy milk and bread", "buy milk and bread", {}),
    ("email Bob and Ann about the plan", "email Bob and Ann about the plan", {}),
    ("fix issue #12 tomorrow", "fix issue #12", {"due": "2026-10-15"}),
    ("book flight for Oct 15", "book flight", {"due": "2026-10-15"}),
    ("water the plants every other day", "water the plants", {"rule": "every other day"}),
    ("renew passport by the end of the month", "renew passport", {"due": "2026-10-31"}),
    ("todo: water plants", "water plants", {}),
    ("note to self: bring umbrella tomorrow", "bring umbrella", {"due": "2026-10-15"}),
    ("add a task to call mom tomorrow", "call mom", {"due": "2026-10-15"}),
    ("I need to submit homework tomorrow", "submit homework", {"due": "2026-10-15"}),
    ("do laundry, tags: work, home", "do laundry", {"tags": ("work", "home")}),
    ("dentist on Friday at 10:30, 45 min", "dentist", {"due": "2026-10-16T10:30:00", "minutes": 45}),
    ("给王老师发邮件，非常重要，预计半小时，#学校", "给王老师发邮件", {"priority": "high", "minutes": 30, "tags": ("学校",)}),
    ("十分钟后提醒我关火", "关火", {"due": "2026-10-14T08:40:00"}),
    ("大后天上午10点面试", "面试", {"due": "2026-10-17T10:00:00"}),
    ("明天中午12点前把合同寄出去", "把合同寄出去", {"due": "2026-10-15T12:00:00"}),
    ("请帮我记一下周日给花浇水", "给花浇水", {"due": "2026-10-18"}),
    ("新建任务：整理发票，低优先级", "整理发票", {"priority": "low"}),
    ("下个月1号交物业费，这件事很急", "交物业费", {"due": "2026-11-01", "priority": "high"}),
    ("每周一三五晚上8点健身，大约1小时", "健身", {"rule": "每周一三五晚上8点", "minutes": 60}),
    ("每两周周五下午3点对账", "对账", {"rule": "每两周周五下午3点"}),
    ("国庆节前订机票", "订机票", {"due": "2027-10-01"}),
    ("今天下班前回复客户", "回复客户", {"due": "2026-10-14T18:00:00"}),
    ("看书一刻钟", "看书一刻钟", {"minutes": 15}),
    ("打电话给房东，3刻钟", "打电话给房东", {"minutes": 45}),
    ("待办事项：写周报，优先级中", "写周报", {"priority": "medium"}),
    ("send the invoice before Friday 5pm, p1", "send the invoice", {"due": "2026-10-16T17:00:00", "priority": "high"}),
    ("read chapter 4, about 45 minutes, low priority", "read chapter 4", {"priority": "low", "minutes": 45}),
    ("plan the party, no rush", "plan the party", {"priority": "low"}),
    ("please remind me to water plants in 3 days", "water plants", {"due": "2026-10-17"}),
    ("add task pay bills on the 1st, tagged home", "pay bills", {"due": "2026-11-01", "tags": ("home",)}),
    ("meeting with Li at 2:30pm tomorrow, one hour", "meeting with Li", {"due": "2026-10-15T14:30:00", "minutes": 60}),
    ("call the plumber tomorrow morning", "call the plumber", {"due": "2026-10-15T08:00:00"}),
    ("every month on the 1st pay rent", "pay rent", {"rule": "every month on the 1st"}),
    ("take a break in 20 minutes", "take a break", {"due": "2026-10-14T08:50:00"}),
    ("visit Ann next Wednesday, 2h", "visit Ann", {"due": "2026-10-21", "minutes": 120}),
    ("write code review !urgent #work", "write code review", {"priority": "high", "tags": ("work",)}),
]


def read(text: str) -> Sentence:
    return read_sentence(text, NOW, "en" if text.isascii() else "zh")


def test_there_are_a_hundred_sentences_in_both_languages() -> None:
    assert len({text for text, _, _ in CASES}) == len(CASES) >= 100
    assert 40 < sum(text.isascii() for text, _, _ in CASES) < 60


@pytest.mark.parametrize(("text", "title", "said"), CASES)
def test_a_sentence_is_taken_apart_and_nothing_else_is_lost(text: str, title: str, said: dict[str, Any]) -> None:
    found = read(text)
    assert found.title == title
    assert {name: value for name, value in vars(found).items() if value and name not in ("title", "assumed")} == said


@pytest.mark.parametrize(("text", "key"), [
    ("改天去看牙", "quick.refused"), ("明天3点到5点开会", "quick.refused"), ("2月30日交作业", "quick.refused"), ("中秋节买月饼", "quick.refused"),
    ("meet Bob tomorrow or on Friday", "quick.refused"), ("sometime call Bob", "quick.refused"), ("明天和后天都要开会", "quick.refused"),
    ("明天交作业，后天买牛奶", "quick.two_times"), ("call Bob tomorrow, pay rent on Friday", "quick.two_times"),
    ("明天交作业后天买牛奶", "quick.two_times"),
    ("明天", "quick.no_title"), ("提醒我", "quick.no_title"), ("remind me tomorrow", "quick.no_title"),
    ("#工作", "quick.no_title"), ("！！！", "quick.no_title"),
    ("交作业，很急，不重要", "quick.two_priorities"), ("交作业，高优先级，不急", "quick.two_priorities"),
])
def test_what_is_not_clear_is_refused_with_a_sentence_that_says_what_to_do(text: str, key: str) -> None:
    with pytest.raises(TodoError) as caught:
        read(text)
    assert (caught.value.code, caught.value.key) == ("invalid_argument", key)
    assert len(caught.value.say("zh")) > 10 and len(caught.value.say("en")) > 10


@given(st.text(max_size=60) | st.lists(st.sampled_from([
    "明天", "下午3点", "前", "交作业", "，", " ", "很急", "不急", "30分钟", "大概要", "两小时", "#a", "标签：", "每周五", "by", "Friday", "urgent",
    ",", "buy milk", "1h30", "for", "提醒我", "!high", "（", "）", "“", "”", "\x00", "#", "记"]), max_size=9).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read_sentence(text, NOW, "zh")
    except TodoError as error:
        assert error.say("zh") and error.say("en")
    else:
        assert found.title.strip() == found.title != "" and "\x00" not in found.title and not (found.due and found.rule)


@given(st.sampled_from([
    "写重要文件", "看30集电视剧", "买3号电池", "fix the urgent care bill", "学C#", "读《明朝那些事》", "a+b, c", "回复#12"]))
def test_a_title_without_anything_to_cut_stays_as_it_is(title: str) -> None:
    assert read(title).title == title


@pytest.mark.parametrize(("text", "number"), [
    ("0", 0), ("12", 12), ("十", 10), ("十二", 12), ("二十", 20), ("九十九", 99), ("两", 2), ("一百", 100), ("一百零五", 105), ("三百二十", 320),
    ("twelve", 12), ("half", None), ("", None), ("百", None), ("十百", None), ("二三", None), ("x", None), ("1" * 12, None),
])
def test_small_numbers_in_words(text: str, number: int | None) -> None:
    assert whole_number(text) == number


# --- the operation ---

def test_the_answer_echoes_what_was_understood(call: Call) -> None:
    answer = call("quick_add", text="明天下午3点前交作业，这个最重要，大概要两小时 #学校")
    assert answer["message"] == "已创建任务 #1「交作业」，截止 明天 15:00，高优先级，预计 120 分钟，标签 学校"
    assert answer["task"]["due_date"] == "2026-10-15T15:00:00" and "assumed" not in answer
    answer = call("quick_add", text="wake up tomorrow at 6", lang="en")
    assert answer["assumed"] and answer["assumed"] in answer["message"]
    assert answer["message"].startswith("Added #2 \"wake up\", due ")
    assert "没有截止时间，中优先级" in call("quick_add", text="买牛奶")["message"]


def test_a_past_deadline_and_a_twin_are_told(call: Call) -> None:
    assert call("quick_add", text="今天早上7点跑步")["warning"]
    call("quick_add", text="买牛奶")
    assert "买牛奶" in call("quick_add", text="买牛奶")["message"] and call("task_stats")["stats"]["total"] == 3


def test_a_repetition_becomes_a_recurring_task(call: Call) -> None:
    answer = call("quick_add", text="每周五下午5点写周报，高优先级")
    assert answer["message"] == "已创建任务 #1「写周报」，每周五 17:00 重复，截止 后天 17:00，高优先级"
    assert call("list_recurring")["count"] == 1


def test_a_batch_is_one_change_with_its_own_deadlines(call: Call) -> None:
    answer = call("quick_add", text="记三件事：明天下午3点交作业、买牛奶和每周五写周报")
    assert [task["title"] for task in answer["tasks"]] == ["交作业", "买牛奶", "写周报"] and answer["count"] == 3
    assert [task["due_date"] for task in answer["tasks"]] == ["2026-10-15T15:00:00", None, "2026-10-16"]
    assert answer["text"].count("\n") == 3
    assert call("undo")["ok"] and call("list_tasks")["count"] == 0


@pytest.mark.parametrize(("text", "titles"), [
    ("记三件事：买牛奶、交电费和写周报", ["买牛奶", "交电费", "写周报"]),
    ("记下面几件事：买牛奶和面包", ["买牛奶", "面包"]),
    ("添加两个任务：买牛奶和面包、写周报", ["买牛奶和面包", "写周报"]),
    ("帮我记一下这几件事：1. 买牛奶；2. 写周报", ["买牛奶", "写周报"]),
    ("add tasks: milk, bread, and eggs", ["milk", "bread", "eggs"]),
    ("add three tasks: milk, bread and eggs", ["milk", "bread", "eggs"]),
    ("please add the following tasks: call Ann and Bob, buy milk", ["call Ann and Bob", "buy milk"]),
])
def test_a_list_is_divided_as_people_mean_it(call: Call, text: str, titles: list[str]) -> None:
    assert [task["title"] for task in call("quick_add", text=text)["tasks"]] == titles


@pytest.mark.parametrize(("text", "words"), [
    ("记三件事：买牛奶、写周报", "说的是 3 件，读出来是 2 件"), ("记两件事：买牛奶、改天去看牙", "第 2 项"), ("记三件事：", "没有任务"),
    ("记几件事：明天、买牛奶", "第 1 项"),
])
def test_a_bad_list_adds_nothing(call: Call, text: str, words: str) -> None:
    answer = call("quick_add", text=text)
    assert answer["code"] == "invalid_argument" and words in answer["error"]
    assert call("task_stats")["stats"]["total"] == 0


def test_a_part_is_added_to_the_named_task(call: Call) -> None:
    call("quick_add", text="搬家")
    answer = call("quick_add", text="给搬家加个子任务：明天打包书，大概要2小时")
    assert (answer["task"]["parent_id"], answer["task"]["title"], answer["task"]["estimated_minutes"]) == (1, "打包书", 120)
    assert call("quick_add", text="add a subtask to 搬家: rent a van", lang="en")["task"]["parent_id"] == 1
    assert call("quick_add", text="给旅行加个子任务：订票")["code"] == "not_found"


def test_remind_me_again_snoozes_the_named_the_reminded_or_the_last_task(call: Call) -> None:
    call("quick_add", text="买牛奶")
    call("quick_add", text="今天9点开会")
    assert "开会" in call("quick_add", text="10分钟后再提醒我")["message"]
    assert "买牛奶" in call("quick_add", text="明天早上再提醒我买牛奶")["message"]
    assert call("reminders", now="2026-10-14T08:45:00")["ok"]
    call("show", which="买牛奶", now="2026-10-14T08:46:00")
    assert "开会" in call("quick_add", text="snooze for 10 minutes", lang="en", now="2026-10-14T08:47:00")["message"]
