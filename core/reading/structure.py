"""How the place of an object and the build of the sentence beside it show that it is spoken about: English and Chinese side by side.

mentions.py holds the words of quoting, doubting and forbidding. Here stands what needs few words: an object in a table or between the items of
a list, an announcement that ends in "is" without naming a deed of the model, a main clause that hangs on a condition, a subject that is nobody
in particular, a note in brackets that takes it back, and a sentence behind the object that calls it a piece of text.
"""
from __future__ import annotations

import re

from core.reading.mentions import any_of

# Where the object stands.

_MARK = r"(?:[-*+•]|\(?(?:\d{1,2}|[a-hA-H])[.)、]|（?[一二三四五六\d]）?[、.)])"
_BARE_ITEM = re.compile(rf"[ \t]*{_MARK}[ \t`*]*(?:(?:option|方案|选项)?\s*\w?\s*[:：])?[ \t`*]*$", re.IGNORECASE)
_OTHER_ITEM = re.compile(rf"\s*{_MARK}[ \t]*(?!(?:then|next|after|finally|I\b|再|然后|接着|最后|我))[^\s{{｛|`]", re.IGNORECASE)
_CELL = re.compile(r"^[ \t]*\|[^\n]*$")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$")
_BEGUN = re.compile(r"\w[^.!?。！？]*$")
_RUNS_ON = re.compile(r"[ \t`*]*(?:[,，、;；][ \t]*)?(?:[a-z]|[请再然后和与及而并也都]|[,，、])")

# How the sentence is built that leads over to it.

_FACT = re.compile(r"^\W*(?:(?:since|because|now that|given that|as)\b[^,，]*[,，]|(?:既然|因为|由于|鉴于)[^，,]*[，,])\s*", re.IGNORECASE)
_LEFT_OPEN = any_of(
    r"(?<!here it )(?<!here you )(?<!here we )(?<!here they )\b(?:is|are|was|were|be|been)"
    r"(?:\s+(?:simply|just|then|this|that|as follows|like (?:this|that|so)))?\W*$",
    r"\b(?:becomes?|goes|reads|runs|looks)\s+(?:this|that|as follows|something|like (?:this|that|so))\W*$",
    r"(?:是|为|长这样|长得像这样|是这样的?|这样写)\W*$",
)
_OWN_DEED = any_of(
    r"\b(?:answer|actions?|reply|response|commands?|step|move|call|plan|json|object|output|result|tool|skill|thing|left"
    r"|remain\w*|need\w*|next|first|way to go|solution)\b",
    r"命令|操作|动作|行动|回复|答案|结果|步|json|输出|技能|计划|安排|要做|需要|首先|现在|接下来|剩下|办法",
)
_NOT_NOW = any_of(
    r"\b(?:was|were|been)\W*$|\bhad been\b|\b(?:his|her|their|its|old)\b",
    r"\b(?:syntax|format|form|shape|usage|way to (?:write|say|ask))\b",
    r"他|她|对方|当时|当初|那时|写法|用法|语法|格式|样子|说法",
)
_QUOTED = any_of(
    r"\b(?:quot|cit)(?:e|es|ing)\b|\b(?:word for word|verbatim|in full|literally)\W*$|\bused to \w+\W*$",
    r"引用|转述|摘抄|复述|抄录|转载|逐字|原文|原话",
)
_DEFERRED = any_of(r"^\W*(?:等|到)[^，,]*(?:再|才)[^，,]{0,4}$|^\W*除非", r"先不(?!管|说|看|谈|考虑)|先别|暂不|不急|不忙|不着急")
_KIND = any_of(
    r"^\W*(?:this|that|such an?|these|those)\s+(?:kind|sort|type)s? of\b|^\W*(?:这种|这类|那种|此类)",
    r"(?:模板|范本|样本|教材|反面|设想|假想)\W*(?:一下)?\W*$",
    r"(?<!要)(?<!需)(?<!做)(?<!用)(?<!执行)(?<!运行)的\W*$",
)
_IF = (
    r"^\W*(?:(?:but|and|then|so|well)\W+)?(?:(?:even )?if|in case|unless|whenever|suppose|assuming|provided)\b"
    r"(?!\s+(?:I|we)\s+(?:\w+\s+)?(?:remember|recall|understand|understood|see|read|got)\b)(?!\s+(?:possible|needed|necessary|not|so)\b)"
)
_CONDITION = any_of(
    rf"{_IF}[^,，]*?(?:[,，]\s*(?:then\s+)?|\bthen\s+)(?:we|you|one|they|people|I\s+(?:will|would|shall|could|might|may)|I['’](?:ll|d))\b",
    rf"{_IF}.*\b(?:is|are|be)\W*$|^\W*(?:whenever|unless)\b",
    r"^\W*(?:were|had|should)\s+(?:I|we|you|he|she|it|they|this|that|there|the|my|your|any\w*|some\w*)\b[^?]*$",
    r"^\W*(?:但|那|不过)?(?:如果|假如|假若|假使|要是|若是?|倘若?|万一|一旦|换作|换做|换成|换了)(?!没记错|没理解错|没看错|可以|需要|可能)[^，,]*[，,]"
    r"[^，,]*?(?:会|该|应|可以|可能|只能|只要|不如)(?![^，,]*(?:这条|这个|该命令|它))",
)
_OWN_NOUN = "".join(f"(?<!{noun} )" for noun in ("action", "answer", "reply", "response", "command", "step", "move", "call"))
_UNREAL = any_of(
    rf"{_OWN_NOUN}\b(?:would|could|might)\b(?!n['’]t|\s+(?:not|like|love|prefer|rather)\b)",
    r"\b(?:I|we|you|they|he|she|it)['’]d\b(?!\s+(?:like|love|rather|better)\b)|\b(?:would|could|might) (?:have|look|read)\b",
    r"^(?!.*我(?:来|先|将|这就|现在)).*(?:我?(?:猜|估计|料想)|可能|或许|大概|多半|恐怕|本该|本应|原该)(?!需要|要|得|是|存在|没有|缺)",
)
_DEED = (
    r"(?:sends?|types?|writes?|enters?|uses?|do(?:es)?|runs?|calls?|says?|repl(?:y|ies)|answers?|issues?|execut\w+|invokes?|emits?"
    r"|submits?|puts?)"
)
_ANYBODY = any_of(
    r"\b(?:(?<!that )(?<!this )(?<!last )(?<!next )(?<!first )one|(?<!as )(?<!what )you|they|he|she|people|someone|somebody|anyone|anybody"
    r"|everyone|nobody|users|agents|models|assistants|others|most|many)"
    rf"\s+(?:\w+ly\s+|often\s+|always\s+|just\s+|can\s+|may\s+|will\s+|should\s+|must\s+|have to\s+|has to\s+)*{_DEED}"
    r"(?:\s+(?:this|that|it|something like this|the following|as follows))?\W*$",
    rf"^(?!.*\b(?:I|we|this|that|it|let)\b).*\b(?:can|may|must|should)\s+{_DEED}\W*$",
    r"^(?!.*\b(?:this|it)\b).*\b(?:answers|replies|responds|writes|sends|types|says)\W*$",
    r"(?:别的|其他|其它|另一个?|某个|有些|有的|一般的?|普通的?|任何|大多数?)(?:助手|模型|智能体|代理|人|工具|程序|用户|做法|写法|情况)",
    r"(?:别人|有人|人们|大家|通常|一般|往往)(?![^，]*(?:我|先|现在|接下来))[^，]*$",
    r"(?:他|她|对方|有人|别人)[^，我]{0,6}(?:让|叫|要|命令|指使|骗)我[^，]{0,3}$",
)
_NOTE = re.compile(r"[（(](?P<note>[^()（）{}]{1,60})[)）]\W*$")
_STILL_TRUE = (
    r"(?!confirmed|approved|corrected|fixed|revised|updated|needed|required|agreed|allowed|repeated|continued|simplified|shortened)"
)
_VOID = any_of(
    rf"\W*(?:(?:already|since|now|not|never|was|only)\s+)*(?:{_STILL_TRUE}[a-z]{{3,}}ed|run|sent|done|yet|old|withdrawn"
    r"|(?:as )?(?:an? |for )?(?:example|sample|draft|reference))(?:\s+by [\w ]+)?\W*",
    r".*(?:已|被)(?!确认|同意|批准|修正|更正|改正|纠正|更新).*",
    r".*(?:未|勿|不(?:要|用|可|得|予|再|会)?(?=执行|运行|发送|采用|使用|照)|示例|样例|例子|草稿|作废|参考).*",
)
_UNIT = r"(?:lines?|words?|sentences?|passage|snippet|paragraph|excerpt|string|entry|phrase|quote|fragment)"
_NAMED_TEXT = any_of(
    rf"\b(?:the|this|these|those|following|last|first|final|same|such|a|one)\s+(?:[a-z]+\s+){{0,2}}?{_UNIT}\W*$",
    r"(?:这样|如下|下面|以下|上面|这么|那么|这|那|最后|其中)的?一?(?:行|句|段|句话|段话|段文字|行字|字样)\W*$",
    r"(?:最后|第[\d一二三四五六七八九十]+)一?行\W*$",
)
_WORKS = any_of(
    r"\b(?:I|we|let me|let['’]s)\b|^\W*\w+ing\b",
    rf"\b(?:in|on|from|of)\s+(?:the|this|that)\s+(?:[a-z]+\s+){{0,2}}?{_UNIT}\W*$",
    r"写|加|插入|存|改|读|查|看",
)

# What follows the object.

_CALLED_TEXT = any_of(
    rf"^\W*(?:the (?:above|last)\s+)?(?:this|that|these|those|the)\s+(?:[a-z]+\s+)?{_UNIT}\s+(?:above\s+)?(?:is|was|were|are|comes?|came)\s+"
    r"(?:\w+\s+)?(?:from|by|part of|copied|quoted|someone|somebody|not (?:mine|meant|from))\b",
    r"^\W*(?:以上|上面|上述)?[这那](?:一)?(?:句话?|行字?|段话?|串|些话|些字|段文字)"
    r"(?:只?是(?:从|来自|由|他|她|别人|有人|用户|原文|示例|例)|来自|出自|取自|源自|见于)",
    flags=re.IGNORECASE,
)
_GOES_ON = re.compile(r"^[ \t]*(?:(?:这样|这般|那样)的(?!话)|这类|之类)")
_LEFT_UNDONE = any_of(
    r"\b(?:I|we)\s+(?:have|had|did|do|will|would|am|are|was|were)(?:n['’]t| not| never)\s+(?:\w+\s+){0,2}?"
    r"(?:sent|run|ran|running|send|executed?|executing|issued?|tried|try|done|do|use|used|using|sending|taken|take|mean|meant)\b"
    r"(?:\s+(?:it|this|that|any)\b|\W*$)",
    r"我(?:并|还|也)?(?:没有?|不会|未|不是)[^，。]{0,4}(?:执行|运行|发送?|使用|采用|照做|真的|要做|打算)(?![^。]*之前)",
)


def stands_among_others(before: str, after: str) -> bool:
    """Whether the object is a cell of a table, or one of several items of a list whose next item is prose: then it is one of several things."""
    lines = before.split("\n")
    own = lines[-1] if lines[-1].strip() or len(lines) < 2 or not _FENCE.match(lines[-2]) else ""
    if _CELL.match(own):
        return True
    rest = after.lstrip(" \t`*").partition("\n")
    return bool(_BARE_ITEM.match(own)) and not rest[0].strip() and bool(_OTHER_ITEM.match(rest[2]))


def is_inside_a_sentence(beside: str, after: str) -> bool:
    """Whether one sentence runs from `beside`, the words on the object's own line, over the object and on behind it."""
    return bool(_BEGUN.search(beside)) and bool(_RUNS_ON.match(after))


def without_facts(sentence: str) -> str:
    """The sentence without an opening clause that gives a fact as its reason ("Since you agreed, …", "既然您同意，…")."""
    return _FACT.sub("", sentence)


def is_no_plan(sentence: str, clause: str) -> bool:
    """Whether the sentence that leads over to the object, with `clause` its last part, is built in a way that no plan of the model is."""
    sentence = without_facts(sentence)
    note = _NOTE.search(sentence)
    if (note and _VOID.fullmatch(note["note"])) or _CONDITION.search(sentence) or _DEFERRED.search(sentence):
        return True
    if any(pattern.search(clause) for pattern in (_UNREAL, _ANYBODY, _QUOTED, _KIND)):
        return True
    if _NAMED_TEXT.search(clause) and not _WORKS.search(clause):
        return True
    return bool(_LEFT_OPEN.search(clause) and (_NOT_NOW.search(clause) or not _OWN_DEED.search(clause)))


def is_retold(tail: str) -> bool:
    """Whether the text behind the object calls it a piece of text, goes on with the sentence, or says that it was not done."""
    return bool(_CALLED_TEXT.match(tail.lstrip(" \t\r\n`*|")) or _GOES_ON.match(tail) or _LEFT_UNDONE.search(tail))
