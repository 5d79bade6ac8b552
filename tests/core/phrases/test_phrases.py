"""Requests are understood in all their wordings, and never forced into a command that they are not."""
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from core.commands import CommandSpec
from core.phrases.match import Match, match, nearest
from core.phrases.numerals import chinese_number, english_number
from core.phrases.tokens import HAS_CJK, tidy, tokenize
from core.phrases.usable import is_usable
from core.skills import SkillRegistry

ROOT = Path(__file__).resolve().parents[3]
TEXT = {"type": "string", "maxLength": 60}
TODO = [
    CommandSpec("todo", "remind", "", ("python", "main.py", "remind", "{text}"), ROOT, {"text": TEXT}, ("text",),
                ("提醒我{text}", "remind me to {text}"), "write"),
    CommandSpec("todo", "add", "", ("python", "main.py", "add", "{title}", "--list", "{list}"), ROOT,
                {"title": TEXT, "list": {"type": "string", "enum": ["work", "home", "工作", "家"]}}, ("title",),
                ("add task {title}", "add {title} to my {list} list", "添加任务{title}", "把{title}加到{list}清单"), "write"),
    CommandSpec("todo", "done", "", ("python", "main.py", "done", "{id}"), ROOT, {"id": {"type": "integer", "minimum": 1}}, ("id",),
                ("task {id} is done", "complete task {id}", "完成任务{id}", "任务{id}做完了"), "write"),
    CommandSpec("todo", "rename", "", ("python", "main.py", "rename", "{old}", "{new}"), ROOT, {"old": TEXT, "new": TEXT}, ("old", "new"),
                ("rename {old} to {new}", "把{old}改名为{new}"), "write"),
    CommandSpec("todo", "delete", "", ("python", "main.py", "delete", "{id}"), ROOT, {"id": {"type": "integer"}}, ("id",),
                ("delete task {id}", "删除任务{id}"), "destructive"),
    CommandSpec("todo", "list", "", ("python", "main.py", "list"), ROOT, {}, (),
        ("list my tasks", "show my tasks", "我有哪些任务", "列出任务"), "read"),
]


@lru_cache(maxsize=1)
def math_commands() -> tuple[CommandSpec, ...]:
    registry = SkillRegistry(ROOT / "skills" / "math-tools")
    registry.scan()
    return tuple(registry.commands())


def understood(request: str, commands: Any = None) -> Match | None:
    return match(request, commands if commands is not None else [*math_commands(), *TODO])


def call(found: Match) -> list[str]:
    """What would run, without the language."""
    return found.spec.build_argv({name: value for name, value in found.values.items() if name != "lang"})


# --- what must be understood ---

VALUES: dict[str, Any] = {"n": "12", "x": "64", "degree": "3", "places": "20", "numbers": "12, 18", "number": "21", "source": "8", "target": "2",
                          "expression": "(1/3 + 1/6) * 7", "a": "9", "b": "4"}
BEFORE = {"zh": ("", "请问", "请", "帮我算一下", "麻烦你告诉我", "你好，能不能帮我计算", "我想知道"),
          "en": ("", "what is ", "please calculate ", "Can you tell me ", "Hi! could you please give me ", "I'd like to know ")}
AFTER = {"zh": ("", "？", "。", "是多少？", "等于多少", "是多少呢", "，谢谢！"), "en": ("", "?", ".", " please", ", thank you!", " =")}


def filled(spec: CommandSpec, phrase: str, values: dict[str, Any]) -> str:
    return re.sub(r"\{(\w+)\}", lambda slot: str(values[slot[1]]), phrase)


def phrases() -> Iterator[tuple[CommandSpec, str]]:
    for spec in math_commands():
        for phrase in spec.say:
            yield spec, phrase


def wordings(phrase: str) -> Iterator[str]:
    language = "zh" if HAS_CJK.search(phrase) else "en"
    question = phrase.startswith(("is ", "check", "whether", "判断", "convert", "把", "write", "how much")) or phrase.endswith(("吗", "?", "=",
        "多少",
        "等于几"))
    for before in BEFORE[language]:
        yield before + phrase if not question else phrase
    for after in AFTER[language]:
        yield phrase + after if not question else phrase
    yield phrase.upper() if "{" not in phrase else phrase
    yield f"  {phrase}  ".replace(" ", "  ")
    yield f"“{phrase}”"


def test_the_shipped_skill_declares_a_hundred_phrases_and_more() -> None:
    assert len(list(phrases())) >= 100


@pytest.mark.parametrize("spec", math_commands(), ids=lambda spec: spec.name)
def test_every_phrase_is_understood_in_every_wording(spec: CommandSpec) -> None:
    for phrase in spec.say:
        values = {name: VALUES[name] for name in re.findall(r"\{(\w+)\}", phrase)}
        typed = {name: value.split(", ") if name == "numbers" else value for name, value in values.items()}
        for wording in wordings(phrase):
            request = filled(spec, wording, values)
            found = understood(request)
            assert found is not None and found.problem is None, request
            assert call(found) == spec.build_argv(typed) or equivalent(call(found), spec.build_argv(typed)), request


def equivalent(one: list[str], two: list[str]) -> bool:
    """Two calls that compute the same: a cube root is a root of degree 3, base 10 is what is meant without a base."""
    return sorted(one) == sorted(two)


@pytest.mark.parametrize("spec", math_commands(), ids=lambda spec: spec.name)
def test_numbers_may_be_chinese_full_width_or_grouped(spec: CommandSpec) -> None:
    forms = {"12": ("十二", "１２"), "64": ("六十四", "６４"), "3": ("三", "３"), "20": ("二十",
        "２０"), "21": ("二十一",), "8": ("八",), "2": ("二", "２"),
             "12, 18": ("十二和十八", "12、18", "１２，１８", "12 和 18"), "9": ("九",), "4": ("四", "４")}
    for phrase in spec.say:
        names = re.findall(r"\{(\w+)\}", phrase)
        if "expression" in names or spec.params.get("number", {}).get("type") == "string" or not HAS_CJK.search(phrase):
            continue
        for choice in range(2):
            values = {name: forms[VALUES[name]][choice % len(forms[VALUES[name]])] for name in names}
            found = understood(filled(spec, phrase, values))
            plain = {name: VALUES[name].split(", ") if name == "numbers" else VALUES[name] for name in names}
            assert found is not None and sorted(call(found)) == sorted(spec.build_argv(plain)), filled(spec, phrase, values)


@pytest.mark.parametrize(("request_text", "argv"), [
    ("斐波那契数列第100项是多少？", ["fibonacci", "100"]),
    ("請問斐波那契数列的第一百项，是多少呢？", None),
    ("请问斐波那契数列的第一百项，是多少呢？", ["fibonacci", "100"]),
    ("帮我算算第两万个斐波那契数", ["fibonacci", "20000"]),
    ("What's the hundred and first Fibonacci number?", ["fibonacci", "101"]),
    ("the 21st fibonaci number", ["fibonacci", "21"]),
    ("factorial of twenty", ["factorial", "20"]),
    ("the gcd of 12, 18 and 24", ["gcd", "12", "18", "24"]),
    ("12、18 跟 24 的最大公约数", ["gcd", "12", "18", "24"]),
    ("gcd of 1,000 and 500", ["gcd", "1000", "500"]),
    ("-27的立方根", ["root", "-27", "--degree", "3"]),
    ("负二十七的立方根是多少", ["root", "-27", "--degree", "3"]),
    ("三点五加一点五等于多少", ["calc", "--", "3.5 + 1.5"]),
    ("subtract 3 from 10", ["calc", "--", "10 - 3"]),
    ("3除12", ["calc", "--", "12 / 3"]),
    ("5² + 2³ 等于多少", ["calc", "--", "5^2 + 2^3"]),
    ("７×８＝？", ["calc", "--", "7×8"]),
    ("1.5万的平方根", ["root", "15000"]),
])
def test_requests_as_people_write_them(request_text: str, argv: list[str] | None) -> None:
    found = understood(request_text)
    assert (found and call(found)[2:]) == argv


@pytest.mark.parametrize(("request_text", "name", "values"), [
    ("提醒我明天下午三点交报告", "remind", {"text": "明天下午三点交报告"}),
    ("请提醒我买牛奶，谢谢", "remind", {"text": "买牛奶"}),
    ("Please remind me to call Ann O'Neil at 3:30 PM.", "remind", {"text": "call Ann O'Neil at 3:30 PM"}),
    ("could you remind me to not forget the keys?", "remind", {"text": "not forget the keys"}),
    ("add task \"Buy Milk\"", "add", {"title": "Buy Milk"}),
    ("Add Buy Milk to my Work list", "add", {"title": "Buy Milk", "list": "work"}),
    ("把写周报加到工作清单", "add", {"title": "写周报", "list": "工作"}),
    ("完成任务十二", "done", {"id": 12}),
    ("任务 7 做完了", "done", {"id": 7}),
    ("rename old notes to new notes", "rename", {"old": "old notes", "new": "new notes"}),
    ("帮我把周报改名为月报", "rename", {"old": "周报", "new": "月报"}),
    ("show my tasks please", "list", {}),
    ("我有哪些任务？", "list", {}),
])
def test_free_texts_keep_their_letters_and_other_skills_match_alike(request_text: str, name: str, values: dict[str, Any]) -> None:
    found = understood(request_text)
    assert found is not None and (found.spec.name, dict(found.values)) == (name, values)


def test_a_clear_wish_with_a_value_outside_the_limits_carries_the_problem() -> None:
    found = understood("斐波那契数列第99999999项是多少")
    assert found is not None and found.problem is not None
    assert found.problem.observation == "math-tools fibonacci: n must be 1000000 or less."


def test_the_phrase_with_more_words_wins_and_a_tie_of_two_commands_is_no_match() -> None:
    short = CommandSpec("a", "one", "", ("python", "a.py", "{x}"), ROOT, {"x": TEXT}, ("x",), ("note {x}",), "write")
    longer = CommandSpec("b", "two", "", ("python", "b.py", "{x}"), ROOT, {"x": TEXT}, ("x",), ("note for later {x}",), "write")
    found = match("note for later bread", [short, longer])
    assert found is not None and found.spec is longer
    twin = CommandSpec("c", "three", "", ("python", "c.py", "{x}"), ROOT, {"x": TEXT}, ("x",), ("note {x}",), "write")
    assert match("note bread", [short, twin]) is None


def test_a_free_text_never_takes_a_request_from_a_phrase_without_one() -> None:
    greedy = CommandSpec("a", "take", "", ("python", "a.py", "{x}"), ROOT, {"x": {"type": "string", "pattern": ".*"}}, ("x",),
                         ("what is the {x} fibonacci number", "calculate the gcd of {x}", "the {x}"), "read")
    for request in ("what is the 10th fibonacci number", "calculate the gcd of 12 and 18", "the 10th fibonacci number"):
        found = match(request, [greedy, *math_commands()])
        assert found is not None and found.spec.skill == "math-tools"


@pytest.mark.parametrize(("phrase", "effect", "usable"), [
    ("{x}", "read", False), ("{x}?", "read", False), ("the {x}", "read", False), ("的{x}", "read", False), ("please {x}", "read", False),
    ("帮我{x}", "read", False), ("what is {x}", "read", False), ("tell me {x}", "read", False), ("k {x}", "read", True), ("k {x}", "write", False),
    ("go {x}", "write", True), ("查{x}", "write", True), ("go " * 80 + "{x}", "read", False), ("{n}", "read", False), ("{n} k", "destructive", True),
    ("{sum}", "read", True), ("{sum}", "write", False), ("{one}", "read", False), ("{any}", "read", False),
])
def test_a_phrase_needs_words_of_its_own_and_more_of_them_the_more_it_takes(phrase: str, effect: str, usable: bool) -> None:
    params: dict[str, dict[str, Any]] = {
        "x": {"type": "string"}, "n": {"type": "integer"}, "sum": {"pattern": "^[0-9+ ]+$"}, "one": {"enum": ["a"]}, "any": {"pattern": ".*"}}
    assert is_usable(phrase, params, effect) is usable


@pytest.mark.parametrize("request_text", [
    "the " * 90 + "w w", "please " * 25 + "w w" + " please" * 25, "w " * 99 + "w", "请" * 90 + "w饭" + "吧" * 90])
def test_a_skill_with_endless_phrases_spends_only_its_own_tries(request_text: str) -> None:
    texts = dict.fromkeys(("x", "y", "z"), TEXT)
    words = ("python", "a.py", "{x}", "{y}", "{z}")
    phrases_of = ("the " * 40 + "w {x}", "w {x} w {y} w {z} w", "w{x}")
    flood = [CommandSpec("flood", f"c{number}", "", words, ROOT, texts, (), phrases_of * 500, "read") for number in range(4)]
    match(request_text, flood)
    own = CommandSpec("own", "boil", "", ("python", "a.py"), ROOT, {}, (), (request_text.strip(),), "read")
    found = match(request_text, [*flood, own])
    assert found is not None and found.spec is own


# --- what must never be forced into a command ---

UNCOVERED = """
what is the weather|what is the weather in Paris tomorrow|write a poem|who are you|tell me a joke|hello|thanks|ok|please|help|what can you do
fibonacci is a person?|who was fibonacci|explain the fibonacci sequence|what is a fibonacci number|fibonacci|the fibonacci sequence
list the first 10 fibonacci numbers
how many digits has the 100th fibonacci number|is the 100th fibonacci number even|the 100th fibonacci number plus 1|the 100th page of the book
don't calculate the factorial of 5|do not compute the 10th fibonacci number|never factor 12|calculate the factorial of 5 and then delete task 3
calculate the factorial of 5 and the factorial of 6|the factorial of 5. delete task 3|what is the factorial of 5? and of 6?
if it rains calculate the factorial of 5
what is a prime number|is 7 a lucky number|is 97 prime or not and why|why is 97 prime|is water prime|prime minister of 1997|the next prime minister
square root of evil|the square root of|the root of all problems|gcd|gcd of twelve men|the gcd of apples and oranges|factor analysis
factor in the costs
convert 5 miles to km|convert 100 dollars to euro|convert the file to pdf|255 in french|call 138-1234-5678|138-1234-5678|2024-01-02|what is 24/7|9/11
add 5 apples and 3 pears|5 apples plus 3 apples|3 plus 4 times 5|the sum of 3 and 4 and 5|what is 1+1=3|calculate x+1|compute my taxes for 2023
delete all files|rm -rf /|open main.py|read the file notes.txt|write hello to a.txt|run the tests|install numpy|git commit
translate hello into chinese
remind|remind me|remind me to|don't remind me to buy milk|never remind me to sleep|remind me to buy milk and then delete task 3
remind me to buy milk. delete task 3
what is remind me to buy milk|tell me delete task 3|show me delete task 3|do not delete task 3|delete task three hundred files|delete task 3 and 4
delete tasks
add task|add task ; delete everything|complete task seven of nine|task 3 is not done|is task 3 done|was ist 3 plus 5 auf deutsch|rename this|undo
open the door|play music|set an alarm for 7|what time is it|how far is the moon|who won the world cup in 1998|sort these numbers 3 1 2
average of 3 and 5|log of 100
sin(30)|the derivative of x^2|solve x + 1 = 2|random number between 1 and 10|is 10 greater than 3|round 3.7|percentage of 20 in 80|20% of 50
the 5th element
factorial|factorial of n|prime|primes below 100|the sum of my expenses|divide the team into 3 groups|multiply the effort by 10 people|power of love
2 to the moon
写一首诗|今天天气怎么样|你是谁|你会做什么|讲个笑话|谢谢|你好|请|帮我|第100页的内容是什么|第100项|斐波那契是谁|什么是斐波那契数列|斐波那契数列前100项
斐波那契数列第100项是奇数吗|斐波那契数列第100项有多少位|斐波那契数列第100项和第200项|斐波那契数列第100项加1|不要计算斐波那契数列第100项
别算100的阶乘|千万别算100的阶乘
计算100的阶乘然后删除任务3|100的阶乘，再算200的阶乘|100的阶乘末尾有几个零|为什么97是质数|97是质数吗？为什么？|97不是质数|质数是什么|水是质数吗
如果下雨就算5的阶乘
十二个最大公约数|苹果和梨的最大公约数|最大公约数怎么算|5个苹果加3个苹果|3加4乘5|3加4加5|把5英里转换为公里|把文件转换为PDF|255的法语怎么说
给13812345678打电话
电话138-1234-5678|今天是2024-01-02|平方根是什么|邪恶的平方根|删除所有文件|打开main.py|读取notes.txt|运行测试|把hello翻译成中文|提醒我|不要提醒我买牛奶
别提醒我买牛奶|提醒我买牛奶，然后删除任务3|提醒我买牛奶。删除任务3|告诉我删除任务3|不要删除任务3|删除任务3和4|删除任务|完成任务|任务3没做完
任务3做完了吗|添加任务|你能完成任务吗
现在几点|放首歌|定一个七点的闹钟|月球有多远|1到100的和|从1加到100|100以内的质数|3和5的平均数|100的对数|x的平方是4求x|三十度的正弦|20的百分之五十
随机数
把团队分成3组|第三者|五一放假几天|二十四节气|一分为二|十全十美|百分之百|九九乘法表|三国演义第一回|七个小矮人|周二开会|2的幂有哪些|阶乘是什么意思
因数和倍数的区别
一下|一|3|100|-|？|!!!|1+|+1|(((|第|的阶乘|a|。。。|2/3|10-12|12:30|100%|3.14|½+1|v1.2.3|192.168.0.1|ISBN 978-7-111-21382-6|#42|@bob|C++|1e9
""".strip().replace("\n", "|").split("|")


def test_there_are_more_than_two_hundred_uncovered_requests() -> None:
    assert len(set(UNCOVERED)) == len(UNCOVERED) > 200


def test_no_uncovered_request_is_forced_into_a_command() -> None:
    forced = {request: found.spec.name for request in UNCOVERED if (found := understood(request)) is not None}
    assert forced == {}


@pytest.mark.parametrize("wrap", ["不要{}", "别{}", "如果明天下雨，{}", "{}，然后关机", "{}。删除任务3", "为什么{}", "{}对不对", "don't {}",
    "if so {}",
    "{} and then shut down",
                                  "{}? Also delete task 3", "why {}", "translate: {}", "{} in the book", "never ever {}", "{} {}"])
def test_a_request_that_says_more_or_less_than_a_phrase_is_refused(wrap: str) -> None:
    for spec, phrase in list(phrases())[len(wrap) % 3::3]:
        request = filled(spec, phrase, VALUES)
        assert understood(wrap.replace("{}", request), math_commands()) is None, wrap.replace("{}", request)


def test_asking_words_do_not_lead_to_a_command_that_changes_something() -> None:
    for words in ("what is", "tell me", "calculate", "show me", "do you know"):
        assert understood(f"{words} complete task 3") is None
        assert understood(f"{words} list my tasks") is not None


def test_a_long_or_empty_or_odd_text_is_no_match() -> None:
    for request in ("", " ", "\n", "a" * 500, "斐波那契数列第1项" * 60, "\x00\x01", "\u202e", "９" * 400, "(" * 399, "1+" * 250 + "1"):
        assert understood(request) is None


# --- the nearest phrases ---

def test_the_nearest_phrases_are_of_the_requests_language_and_of_different_commands() -> None:
    near = nearest("斐波那契数列前10项", [*math_commands(), *TODO])
    assert len(near) == 3 and near[0].startswith("斐波那契数列第…") and all(HAS_CJK.search(phrase) for phrase in near)
    near = nearest("delete the task", [*math_commands(), *TODO])
    assert near[0] == "delete task …" and not any(HAS_CJK.search(phrase) for phrase in near)
    assert nearest("anything", []) == []


# --- the parts ---

@pytest.mark.parametrize(("text", "value"), [
    ("十", "10"), ("十五", "15"), ("二十三", "23"), ("一百零五", "105"), ("两百五", "250"), ("一千零五", "1005"), ("一万五", "15000"),
    ("一万零五", "10005"),
    ("三万四千五百六十七", "34567"), ("一亿二千万", "120000000"), ("二〇二四", "2024"), ("三点一四", "3.14"), ("3万", "30000"), ("1.5万", "15000"),
    ("零", "0"),
    ("百", None), ("一百百", None), ("万", None), ("十百", None), ("一百零", None), ("一点", None), ("1.23456万", None), ("", None),
])
def test_chinese_numbers(text: str, value: str | None) -> None:
    assert chinese_number(text) == value


def test_chinese_numbers_up_to_ten_thousand_read_back() -> None:
    digits, units = "零一二三四五六七八九", ["", "十", "百", "千"]
    for number in range(1, 10_000, 7):
        text = "".join(digits[int(digit)] + units[3 - place] if digit != "0" else "零" for place, digit in enumerate(f"{number:04d}"))
        text = re.sub("零+", "零", text).strip("零")
        assert chinese_number(text) == str(number), text


@pytest.mark.parametrize(("text", "found"), [
    ("twenty-one", (1, 21, False)), ("two hundred and five", (4, 205, False)), ("hundredth", (1, 100, True)),
    ("one hundred thousand", (3, 100_000, False)),
    ("one million two hundred thousand three", (6, 1_200_003, False)), ("twenty first", (2, 21, True)), ("hundred and fun", (1, 100, False)),
    ("two three", (1, 2, False)),
    ("zero", (1, 0, False)), ("fortieth", (1, 40, True)), ("apple", None), ("sixty hundred", (1, 60, False)), ("twenty-zero", None),
])
def test_english_numbers(text: str, found: tuple[int, int, bool] | None) -> None:
    assert english_number(text.split()) == found


def test_tokens_point_at_their_place_in_the_text() -> None:
    text = tidy("第 １００th  Prime－5，“三万”")
    tokens = tokenize(text)
    assert [(token.kind, token.value or token.text) for token in tokens] == [
        ("han", "第"), ("number", "100"), ("word", "th"), ("word", "prime"), ("mark", "-"), ("number", "5"), ("mark", ","), ("mark", "“"),
        ("number", "30000"), ("mark", "”")]
    assert [text[token.start:token.end] for token in tokens][:4] == ["第", "100", "th", "Prime"]
