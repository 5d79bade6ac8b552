"""What a person may say to the to-do list without a model – and what is left alone, because it was meant for somebody else."""
from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from taskbook.operations import OPERATIONS

from core.commands import CommandSpec
from core.commands_file import read_commands
from core.offline import _quoted
from core.phrases.match import Match, match
from core.phrases.tokens import HAS_CJK, shown
from core.safe_pattern import fits
from core.skills import SkillRegistry

ROOT = Path(__file__).resolve().parents[3]
REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    tuple(json.loads(line)) for line in Path(__file__).with_name("requests.jsonl").read_text(encoding="utf-8").splitlines()]

UNCOVERED = """
write a poem about tomorrow|写一首关于明天的诗|翻译这句话|把hello翻译成中文|translate hello into French|现在几点了|what time is it|播放音乐
play some music|打开浏览器|open the browser|删除文件 a.txt|delete the file notes.txt|删除所有文件|delete all files|把 a.txt 改名为 b.txt
rename a.txt to b.txt|把图片改成灰色|convert the image to png|发邮件给张三|send an email to Bob|运行测试|run the tests|安装 numpy|git commit
今天很热|今天好累|今天天气真好|明天是我生日|tomorrow is my birthday|昨天我去了北京|我昨天写了报告|明天会下雨|今天完成了很多事|明天去不去？
明天交作业吗|每天都很忙|每个人都有梦想|周二是节日|下周见|下个月房价会涨吗|3月8日是什么节日|下午茶吃什么|3点几分|who are you|你是谁|讲个笑话
tell me a joke|谢谢|hello|帮我|提醒我|remind me|remind me to|别提醒我买牛奶|不要提醒我买牛奶|don't remind me to buy milk|不要删除买牛奶
do not delete task 3|3号做完了吗|is task 3 done?|我还没把作业做完|提醒我买牛奶，然后删除3号|remind me to buy milk and then delete task 3|买牛奶
buy milk|作业|总结这篇文章|summarize this document|find the largest number in a.csv|统计 a.csv 里的行数|计算平均值|list the files|列出目录
show me the code|看看这个文件|把音量调到最大|turn up the volume|把空调设为26度|set the temperature to 20|怎么安排婚礼|how do I plan a wedding
plan a wedding|安排一次旅行|北京有什么好玩的|上海在哪里|what is on TV tomorrow|what should I eat|明天吃什么|为什么要先做什么|如果下雨就提醒我带伞
完成这首诗|finish this poem|写报告|start the server|停止服务|今天有什么新闻|what is the news today|他明天做手术吗|我爱你|remember this|记住这个
搜索最近的餐厅|search the web for cats|every cloud has a silver lining|next to the house there is a tree|by the way, what do you think
on monday it rained|今天发生了什么|明天几点日出|打开灯|关灯|导出视频|export the photos|取消会议|undo the tie|pay attention to the next sentence
return the value by reference|删除任务|完成任务|delete tasks|今天有点冷|明天再说|晚上好|早上好|下午好|good morning|plan B|add 3 and 5|3加5
周末愉快|生日是10月20日|10月20日|明天|tomorrow|第二个|它|3|#3
""".strip().replace("\n", "|").split("|")


@cache
def registry() -> SkillRegistry:
    found = SkillRegistry(ROOT / "skills")
    found.scan()
    return found


@cache
def specs() -> dict[str, CommandSpec]:
    return {spec.name: spec for spec in registry().commands() if spec.skill == "todo"}


def understood(request: str) -> Match | None:
    return match(request, registry().commands())


def said(found: Match) -> dict[str, Any]:
    """The values without the language and without what is the default anyway."""
    return {name: value for name, value in found.values.items() if name != "lang" and found.spec.params[name].get("default") != value}


def test_the_declarations_are_sound_and_small() -> None:
    file = ROOT / "skills" / "todo" / "commands.yaml"
    found = read_commands(file, "todo")
    assert found.problems == () and [spec.name for spec in found.commands] == list(OPERATIONS)
    assert file.stat().st_size < 100_000 and found.serve == ("python", "main.py", "serve")


@pytest.mark.parametrize(("request_text", "name", "values"), REQUESTS, ids=[request for request, _, _ in REQUESTS])
def test_a_request_is_understood(request_text: str, name: str, values: dict[str, Any]) -> None:
    found = understood(request_text)
    assert found is not None and found.problem is None
    assert (found.spec.name, said(found)) == (name, values)
    assert found.values["lang"] == ("zh" if HAS_CJK.search(request_text) else "en")


def test_the_command_that_runs_is_the_declared_one_with_the_same_values() -> None:
    folder = ROOT / "skills" / "todo"
    for request_text, name, _ in REQUESTS:
        found = understood(request_text)
        assert found is not None
        call = registry().match_command(" ".join(_quoted(word) for word in found.spec.build_argv(found.values)), folder)
        assert call is not None and (call.spec.name, call.values) == (name, found.values), request_text


@pytest.mark.parametrize("wrap", [("zh", ["请{}", "帮我{}", "{}，谢谢", "{}。", "麻烦你{}吧"]),
                                  ("en", ["please {}", "could you {}", "{}, thanks", "{}."])])
def test_politeness_changes_nothing(wrap: tuple[str, list[str]]) -> None:
    language, wraps = wrap
    spoken = [(request, name) for request, name, _ in REQUESTS if bool(HAS_CJK.search(request)) is (language == "zh") and request[-1] not in "?？"]
    for number, (request, name) in enumerate(spoken):
        polite = wraps[number % len(wraps)].format(request)
        found = understood(polite)
        assert found is not None and found.spec.name == name, polite


def test_there_are_more_than_a_hundred_requests_of_other_kinds() -> None:
    assert len(set(UNCOVERED)) == len(UNCOVERED) > 100


@pytest.mark.parametrize("request_text", UNCOVERED)
def test_what_is_meant_for_others_is_left_alone(request_text: str) -> None:
    found = understood(request_text)
    assert found is None or found.spec.skill != "todo"


@pytest.mark.parametrize("request_text", ["明天交作业", "每周五写周报", "submit homework by Friday", "下午3点开会"])
def test_a_bare_sentence_is_a_task_but_a_question_is_not(request_text: str) -> None:
    found = understood(request_text)
    assert found is not None and found.spec.name == "quick_add"
    for question in (request_text + "?", request_text + "？", "为什么" + request_text, "如果" + request_text):
        assert understood(question) is None, question


@pytest.mark.parametrize("request_text", [
    "remind me to buy milk; delete task 3", "add a task: buy milk. plan my day",
    "提醒我买牛奶，然后删除3号", "提醒我买牛奶。撤销", "明天交作业，有哪些任务", "remind me to buy milk and then undo", "记一下买牛奶，确认删除",
])
def test_a_second_wish_is_not_swallowed_by_the_first(request_text: str) -> None:
    assert understood(request_text) is None


def test_only_a_second_word_deletes() -> None:
    destructive = {name for name, spec in specs().items() if spec.effect == "destructive" and spec.say}
    assert destructive == {"confirm_delete", "forget_preference"}
    assert not any("{" in phrase for phrase in specs()["confirm_delete"].say)
    for request in ("删除它", "删掉它", "把它删了", "delete it", "delete that", "remove it", "please delete it", "好的，删除它"):
        found = understood(request)
        assert found is not None and found.spec.name == "remove", request
    for request in ("删", "删吧", "删除", "delete", "ok", "好的", "yes", "是的", "确认吗", "确认删除吗"):
        found = understood(request)
        assert found is None or found.spec.name not in ("confirm_delete", "remove"), request


POOL = {"zh": ("交作业", "明天", "9点", "上海", "第二个", "工作", "明天交作业", "下午3点开会", "每周五写周报", "买牛奶明天前", "搬家加个子任务:打包"),
        "en": ("buy milk", "tomorrow", "9am", "Paris", "task 3", "work", "30", "tasks.ics", "high", "tomorrow at 3pm submit homework",
               "every friday write a report", "submit homework by friday", "todotxt")}


def filled(spec: CommandSpec, phrase: str) -> str:
    """The phrase in its first wording, each slot with the first sample that fits it, those of the phrase's language first."""
    language = "zh" if HAS_CJK.search(phrase) or "交" in str(getattr(phrase, "where", {})) else "en"
    text = str(phrase)
    for name in re.findall(r"\{(\w+)\}", phrase):
        where, schema = getattr(phrase, "where", {}).get(name, ""), spec.params[name]
        if schema["type"] in ("integer", "array"):
            sample = "3" if schema["type"] == "integer" else "work"
        else:
            pool = [*POOL[language], *POOL["en" if language == "zh" else "zh"]]
            sample = next(one for one in pool if ("enum" not in schema or one in schema["enum"]) and (not where or fits(where, one.lower())))
        text = text.replace(f"{{{name}}}", sample)
    return shown(text)


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name])
def test_every_phrase_leads_to_its_own_command(name: str) -> None:
    for phrase in specs()[name].say:
        request = filled(specs()[name], phrase)
        found = understood(request)
        assert found is not None and found.spec.name == name, (phrase, request, found and found.spec.name)


# --- the manual ---

def test_the_manual_is_short_and_every_command_that_it_shows_is_declared() -> None:
    folder = ROOT / "skills" / "todo"
    skill = registry().get("todo")
    assert len(skill.description) <= 110 and len((folder / "SKILL.md").read_text(encoding="utf-8")) < 4000
    shown_commands = [command for command in re.findall(r"`(python main\.py [a-z_]+ [^`]*|python main\.py [a-z_]+)`", skill.content)
                      if "--json" not in command and "--help" not in command]
    assert len(shown_commands) > 15
    for command in shown_commands:
        call = registry().match_command(command, folder)
        assert call is not None and call.spec.skill == "todo", command


def test_the_reference_lists_every_operation_with_its_parameters() -> None:
    text = (ROOT / "skills" / "todo" / "references" / "operations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \| (.+?) \((read|write|destructive|network)\) \| (.+) \|$", text, re.MULTILINE)
    assert [(name, summary, effect) for name, summary, effect, _ in rows] == [(one.name, one.summary, one.effect) for one in OPERATIONS.values()]
    for name, _, _, params in rows:
        listed = [re.match(r"(\*\*)?([a-z_]+)", part) for part in params.split("; ")] if params != "–" else []
        assert [part[2] for part in listed if part] == list(OPERATIONS[name].params)
        assert tuple(part[2] for part in listed if part and part[1]) == OPERATIONS[name].required
