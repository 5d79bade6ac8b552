"""The words around a request that carry no wish of their own, in English and Chinese.

POLITE words may stand around any request. ASKING words ask for a result, so they are taken off only for commands that change nothing.
SOFT words may be missing or added inside a request. CONNECTORS begin a second wish: a free text that holds one is refused.
"""
from __future__ import annotations


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.strip().replace("\n", "|").split("|"))


POLITE_BEFORE = _list("""
please|pls|kindly|hi|hello|hey|hi there|ok|okay|well|so|now|just|can you|could you|would you|will you|can you help me|could you help me
would you mind|help me|help me to|let's|i want you to|i would like you to|i'd like you to|i need you to|i want to|i'd like to
i would like to|good morning|excuse me|请|请问|请你|请您|麻烦|麻烦你|麻烦您|麻烦帮我|劳驾|帮我|帮忙|帮|给我|替我|为我|你好|您好|嗨|喂|嗯|那
那么|好|好的|能不能|能否|可否|可不可以|可以|能|你能|你能不能|你可以|你能否|您能|您可以|我想|我想要|我要|我需要|现在|马上|想请你|小助手
早上好|一下
""")
POLITE_AFTER = _list("""
please|pls|thanks|thank you|thank you very much|thx|for me|now|right now|ok|okay|will you|would you|could you|can you|谢谢|谢谢你|谢谢您
多谢|谢了|好吗|好么|可以吗|行吗|好不好|行不行|可以不|吧|呢|啊|呀|哦|哈|嘛|一下|麻烦了|麻烦你了|拜托|拜托了
""")
ASKING_BEFORE = _list("""
tell me|give me|show me|find|find me|find out|calculate|calc|compute|evaluate|work out|get|get me|determine|print|what is|what's|whats
what are|what would be|what will be|what does|i want to know|i would like to know|i'd like to know|i need to know|i want|i need|do you know
you know|i wonder|let me know|how much is|can i have|may i know|could you tell me|can you tell me|the value of|the result of|to know|告诉我
我想知道|想知道|想问|我想问|想问一下|问|问一下|知道|知不知道|你知道|你知不知道|算|算算|算出|算一算|计算|计算出|计算一下|求|求出|求一下|查
查查|查询|看|看看|看一下|给出|说|说出|说说|输出|显示|打印|得出|算一下|查一下
""")
ASKING_AFTER = _list("""
equal|equals|=|is what|is|是多少|等于多少|是几|等于几|等于|是什么|是啥|为多少|为几|多少|是多少吗|等于多少吗|是什么吗|的值|的结果|的答案|结果
有多大|是多大|多大|是哪个|是哪个数|是什么数|是哪一个|算出来|算出来是多少|值|得多少|得几|到底是多少|究竟是多少
""")
SOFT = frozenset(("the", "a", "an", "of", "的", "一下", "出", "它", ",", ":", "\"", "'", "“", "”", "‘", "’", "「", "」", "`"))
EDGE_MARKS = frozenset(",.!?;:~…。！？；：、，～\"'“”‘’「」『』《》`·—")
CONNECTORS = _list("""
and then|and also|then|after that|afterwards|followed by|as well as|before that|然后|接着|之后再|随后|再帮|再把|再给|并且|顺便|同时|另外
此外|还有|以及帮|完了|，再|,再
""")
SEPARATORS = frozenset((",", "、", "，", "和", "与", "跟", "及", "以及", "and", "&", "还有", "加上"))
