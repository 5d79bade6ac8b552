"""The shapes of prose that make an object a mention, as patterns for surroundings.py: English and Chinese side by side.

They hold how a sentence is built (who speaks, whether it asks, reports, doubts, recalls, forbids), not what it is about.
"""
from __future__ import annotations

import re

_FLAGS = re.IGNORECASE | re.MULTILINE


def any_of(*patterns: str, flags: int = _FLAGS) -> re.Pattern[str]:
    """One pattern that finds any of these."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)


NOISE = re.compile(
    r"```[\w+-]*|~~~[\w+-]*|(?:\"\"\"|''')[\w+-]*|<[|｜][^<>|｜]{0,60}[|｜]>|\[/?[A-Z_]{3,20}\]|</?s>|<end_of_turn>"
    r"|</?(?:output|response|result|answer|final|json|tool_calls?|function_calls?|action|step|reply|assistant|code|pre)>",
    re.IGNORECASE,
)
_REFERENCE = r"(?:this|that|it|these|those|either|the (?:above|following|object|command)|above|below)"
_ZH_REFERENCE = r"(?:它|这|此|该|以上|上面|上述|以下|下面|下列)"
_NOT = (
    r"(?:(?<!have )(?<!has )(?<!had )(?<!did )(?<!was )(?<!were )(?<!is )\bnot|\b(?:wo|ca|do|should|would|must|could|need)n['’]t|\bnever"
    r"|\bnobody|\bno one)"
)
_DEED = r"(?:run|execut|us[ei]|send|call|do\b|issu|reply|output|emit|obey|follow\b|proceed)"
_ZH_NOT = r"(?:不要|不能|不敢|不会|不可|不应当?|不应该|不该|不得|不再|不想|不愿|不打算|不准备|决定不|绝不|别|切勿|请勿|禁止|拒绝|避免|而不是)"
_ZH_DEED = r"(?:执行|运行|使用|用|调用|发送|采用|做|写|输出|照做)"
_SOURCE = (
    r"(?:(?:web ?)?page|(?:web)?site|file|log|readme|manual|document|docs?|e-?mail|message|comment|notes?|output|transcript|history|script"
    r"|table|database"
    r"|issue|ticket|chat|prompt|[\w/-]+\.[a-z]\w{0,4})"
)
_ZH_SOURCE = r"(?:网页|页面|网站|文件|文档|日志|邮件|消息|评论|帖子|手册|说明书|配置|有人|里面|[a-z]\w*\.[a-z]\w{0,4})"

# Sentences that end in the object, or in a colon before it.

LABEL = re.compile(
    r"\W*(?:(?:the|my|next|final|first|tool|function)\s+)*(?:json|action|answer|reply|response|output|result|call|command|step(?:\s*\d+)?"
    r"|ok(?:ay)?|sure"
    r"|yes|next|now|then|right|alright|done|final|操作|动作|回复|输出|答案|结果|好的?|明白了?|收到|执行|运行|现在|接下来"
    r"|(?:第?[\d一二三四五]步|步骤[\d一二三四五]*))\W*",
    re.IGNORECASE,
)
INTENT = re.compile(
    r"(?:\W*(?:ok(?:ay)?|sure|so|now|next|then|first|alright)\b\W*)*(?:I['’]ll|I will|I am going to|I['’]m going to|let me"
    r"|let['’]s)\s+(?:now\s+|first\s+|just\s+)?"
    r"(?:run|use|call|execute|send|do|try)(?:\s+(?:this|the following))?(?:\s+(?:command|action|step))?\W*"
    r"|\W*(?:好的?[，,]\s*)?(?:(?:我将|我会|我来|让我|现在|接下来|下面|首先|先)\W?)+(?:执行|运行|调用|使用)(?:以下|下面的?|这个"
    r"|这条)?(?:命令|操作|动作)?\W*",
    re.IGNORECASE,
)
PURPOSE = re.compile(
    r"^\W*(?:(?:so|now|then|next|first|and|ok(?:ay)?)\b\W*)*(?:I(?:['’]d| would) (?:like|better)"
    r"|I['’]?(?:ll|m| will| am| need| have to| must|\s+(?:now )?\w{2,}(?<!ed)\b)"
    r"|let me|let['’]s|we['’]ll|here(?:['’]s| is| are)|then|again"
    r"|to \w+|\w+ing\b)|写入|保存|创建|生成|新建|追加|修改|更新|回复|回答|^\W*(?:读取|查看|打开|显示|检查|搜索|列出|查找|执行|运行|输出)"
    r"|^\W*(?:我来|我将|我先|让我|先|再|然后|现在|接下来|下面|首先)",
    re.IGNORECASE,
)
CHECKED = re.compile(r"(?<!请)(?:看看|看|查|检查|确认一下|测试|判断|了解|验证)[^，。]{0,8}?(?:是否|能否|能不能)")
ASKS = any_of(
    r"^\W*(?:should|shall|may|can|could)\s+(?:I|we)\b",
    r"\bmay (?:I|we)\b",
    r"\b(?:do|would|will|are|can|could) you (?:want|like|agree|allow|approve|sure|confirm|okay)",
    r"\bwhether (?:to|I|we|you)\b",
    r"\bis (?:it|this|that) (?:ok|okay|fine|all ?right|allowed|acceptable|safe)\b",
    r"\bplease (?:confirm|approve)",
    r"^\W*what (?:about|if)\b|\bsay yes\b|\b(?:you|users?|people|one)\s+(?:can|may)\b|^\W*[您你](?:也)?可以|\b(?:this|these"
    r"|the following)\b[^?]*\?$",
    r"^\W*(?:is|are|was|would|does|do|did)\s+(?:this|that|it|these|the following)\b",
    r"要不要|(?:这样|这个|这条|这是|以下|下面)[^。！\n]*(?:吗|[?？])|是否(?:需要|要|可以|应该?|执行|运行|允许|同意)|能不能|可不可以|可否"
    r"|能否|需不需要|该不该|请(?:您|你)?(?:先)?确认|[您你]确定",
    r"(?:可以|能|要|应该)[^。！？\n]{0,10}吗|好吗|行吗",
)
CONSENT = any_of(
    r"\b(?:if|once|when|after|unless|until|provided|as soon as|in case|should)\s+(?:that\s+)?(?:you|the user|they|he|she|someone|permitted"
    r"|allowed|approved|confirmed)\b",
    r"\b(?:permission|consent|approval|confirmation)\b|\bask (?:first|before)\b|先问", r"^\W*(?:suppose|supposing|assuming|imagine)\b",
    r"(?:如果|若|要是|一旦|等|待|得到|(?<!已)经|除非)[^。！？\n]{0,8}(?:同意|确认|允许|许可|批准|授权|答应|愿意)|(?:假设|假如|倘若)",
    r"(?:您|你|用户)的?[^。，\n]{0,3}(?:(?<!已)(?<!已经)(?:确认|同意|批准|允许)(?!了)|许可)",
)
DENIES = any_of(
    rf"{_NOT}(?!\s+(?:know|find|see|tell|remember|have|recall|understand|exist))\s+[^.!?;,\n]{{0,40}}?\b{_DEED}",
    rf"\bn['’]t\s+(?:\w+\s+){{0,2}}{_DEED}(?<!have not )",
    r"\bno longer\b(?!\s+(?:there|exist))",
    r"\b(?:decided|chose|chosen|choose|advised?)\s+(?:against|not)\b",
    r"\b(?:refus|declin|reject|forbid|forbade)\w*",
    r"^\W*(?:instead of|rather than)\b|\b(?:avoid|no circumstances|against|hesitate|unsure)\b",
    r"(?:\bnever|n['’]t|\bnot|不要|别|切勿|请勿)\W*$",
    r"\b(?:dangerous|harmful|malicious|injected|attackers?|unsafe|not (?:safe|allowed|permitted|this|that|now|right|ok|okay))\b|\blater\b",
    r"^\W*not\b|\b(?:this|that|it) will not\b|禁止|还没到|以后会",
    r"\bnot (?:sure|certain)\b(?!\s+(?:what|which|where|if|whether|how|yet))|\bdoubt",
    r"不安全|不合适|不妥|有风险|不(?:太)?确定(?:这|该|以下|下面)|以后再|稍后再|现在不|除了|照抄|应?避免|不好的",
    rf"{_ZH_NOT}[^，。；！？,;.!?\n]{{0,6}}?{_ZH_DEED}",
    r"不再|不想|不愿|不打算|不准备|决定不|放弃|绝不|绝对不|反对|与其|危险的?|有害|恶意|攻击者|注入",
)
DOUBTS = any_of(
    r"\b(?:I|we|you|one|it|that|which|he|she|they|user|option|way|alternative|reply|this|someone|who)(?:\s+(?:would|could|might)"
    r"|['’]d)\b(?!\s+(?:like|love)\s+to|\s+better|n['’]t|\s+not)",
    r"^\W*(?:option|alternative|choice|variant|candidate|plan [b-z]|方案|选项|备选|做法)\s*\w{0,2}\W*$",
    r"(?:一种|另一种)(?:做法|办法|方案|选择|可能)|也可以|也许|或许|本可以|可以考虑|本来|本想|原想|原本",
)
RECALLS = any_of(
    r"(?<!as )\b(?:I|we|model|assistant|agent|which)\s+(?:\w+ly\s+|just\s+|have\s+|had\s+|has\s+|also\s+|once\s+){0,2}(?:ran|sent|executed"
    r"|issued|used|tried|replied|wrote|said|proposed|planned)\b",
    r"(?<!as )\bI\s+(?:have\s+|had\s+|just\s+|also\s+|almost\s+|once\s+)*(?:(?!need|notic|fix|correct|updat|prepar|chang|adapt|adjust|add"
    r"|improv|decided to|wanted to)\w+ed|got|saw|read this|found this)\b|^\W*(?:sent|done|already|used|tried|was)\b",
    r"\b(?:I|we) (?:was|were|am|are) (?:about to|considering|thinking of)\b|\bI almost\b|\byesterday\b",
    r"\b(?:previously|earlier|already|last time|last turn)\b[^.!?\n]*\b(?:ran|run|sent|executed|tried|issued|used|did)\b",
    r"\b(?:last|previous|earlier|prior)\s+(?:\w+\s+)?(?:action|reply|message|turn|command|step|object|response|answer)\s*(?:was|were|is)?\W*$",
    r"(?:刚才|刚刚|之前|先前|上次|上一[步条轮]|早先|已经|曾经?)[^。！？，\n]{0,10}(?:执行|运行|发送?|用|写|调用|回复|操作|命令)(?:了|过|的)",
    r"差点|做过\W*$|考虑过|想过|试过|正在考虑|(?:收到|看到|得到)了?[^。，\n]{0,6}(?:以下|这|下面|如下)",
)
_AFTER_VERB = (
    r"(?:\s+(?:me|us))?(?:\s+(?:as follows|the following|something like this|this|that|it|(?:(?:the|a|this|that) )?(?:\w+ )?(?:text|line"
    r"|object|json|command|reply)))?\W*$"
)
REPORTS = any_of(
    r"\b(?<!this )(?<!only )(?:says?|said|reads|states|stated|contains|contained|includes|included|shows|showed|writes|wrote|prints|printed"
    r"|reports|reported|returns|returned|suggests|suggested"
    r"|recommends|recommended|proposes|mentions|mentioned|claims|quotes?|quoted|logged|responded|replied|outputs|looks? like"
    rf"|such as){_AFTER_VERB}",
    rf"\b(?<!user )(?<!you )(?:told|tells|asks|asked|wants|wanted|instructs|instructed)\s+(?:me|us)\s+to\s+(?:\w+\s+)?{_DEED}\w*{_AFTER_VERB}",
    rf"^\W*(?:(?:the|this|that|a|an|some|my|their|your)\s+)?(?:[a-z]+\s+)?{_SOURCE}s?\s+(?!is\b|are\b|was\b|has\b|needs\b|must\b|should\b"
    r"|does\b|exists\b|failed\b)\w+(?<!ing)\b",
    r"^\W*(?:the\s+)?(?:user|server|tool|model|assistant|somebody|someone|people|they|he|she)s?\s+(?:\w+ly\s+)?(?:pasted|gave|sent?|quoted"
    r"|posted|put|wrote|shared|often|usually)\b",
    r"^\W*(?:std(?:out|err|in)|log|quot\w+|source|citation|excerpt|input|line \d+)\b[^:,]*$|\b(?:text|instruction"
    r"|response from [\w ]+)(?:\s+(?:is|was))?\W*$",
    rf"^\W*(?:这个|该|那个|一个|这封)?(?:{_ZH_SOURCE}|服务器|接口)(?!不|为空|没|太|已|还|存在|需要|很|应)|^\W*(?:引用|摘录|摘自|来自)"
    r"|用户(?:贴|给|发来|提供|引用)",
    rf"\bfound (?:this|the following|it) (?:in|on|at)\b|\bthere (?:is|was) (?:this|the following)\b|^\W*(?:the\s+)?(?:file\s+)?{_SOURCE}\W*$",
    r"(?:写着|写道|写有|写的是?|里有|中有|里含有?|含有|包含|提到|提及|说道|声称|记载着?|印着|引用)(?:了|如下|的是|\W)*$",
    r"(?:显示为?|文字(?:是|为)|(?:工具|命令|接口|服务器|程序|脚本|系统|日志)[^，。]{0,4}(?:返回|输出|打印|显示)了?)(?:如下|的是|\W)*$",
    rf"(?:用户|他|她|{_ZH_SOURCE})[^，。]{{0,4}}(?:说|说的是?|讲|写|称)(?:了|道|如下|的是|\W)*$",
    rf"{_ZH_SOURCE}[^，。]{{0,4}}(?:要求?|让|叫|命令)我(?:\S{{0,4}})\W*$",
)
EXAMPLES = any_of(
    r"(?:\bfor example|\be\.g\.?|\bfor instance|\bsuch as|\b(?:an?|another|one|some|as|this|these|the following"
    r"|typical)\s+(?:\w+\s+)?(?:examples?|samples?|template|instance)"
    r"|^\W*(?:examples?|samples?|template|bad|wrong|incorrect|don['’]ts?|placeholder|draft|todo|deprecated|rejected|pending))(?:\s+(?:reply"
    r"|response|object|output|action|only|of \w+))?\W*$",
    r"\b(?:typical|possible|hypothetical|sample|example|imagined|fake)\s+(?:reply|response|action|object|output|instruction|command|answer)\b",
    r"\b(?:format|example)\s*(?:is|was)?[^.:,\w]*$(?<!json format)(?<!json format:)(?<!example:)(?<!the example)|\blooks? like\b|\b(?:must"
    r"|should|would)\s+look\b|\bhow (?:it|this|a|the) (?:\w+ )?look|\bexample,?\W*$(?<!the example:)(?<!the example)",
    r"(?:例如|比如|譬如|诸如|示例|样例|例子|举例(?:来说|说明)?|举个例子|像这样|像下面这样|反例|示范|草稿|废弃|待办)(?:如下|是|为|的回复"
    r"|\W)*$|类似[^，。]{0,8}$|错误的(?:写法|做法|命令|示范|回复|格式|操作)",
)
WEAK = any_of(
    rf"^(?!\W*(?:the\s+)?(?:\w+\s+)?(?:part|half|rest)\b).*\b(?:in|on|from|of|inside|within)\s+(?:(?:the|a|an|this|that|my)\s+)?{_SOURCE}(?:\s+(?:is|was|has))?\W*$",
    r"\b(?:wrong|mistake|incorrect|bad idea|risky|unsafe)\b",
    r"\b(?:perhaps|maybe)\b",
    r"内容(?:如下|是|为)?\W*$|^\W*[\w/]+\.\w{1,5}\W*$",
)
CONTENT_OF = any_of(r"\b(?:contents?|text|body|excerpt|snippet|line \d+)\s+(?:of|from|in)\b")
_WRITING = any_of(r"\b(?:writ|sav|creat|append|add|put|stor)(?:e|es|ing|s)?\b|写|存|创建|生成|追加")
LOG_LINE = re.compile(
    r"^\W*\d{4}[-/]\d\d?[-/]\d\d?\b|^\W*\d\d?:\d\d\b|^\W*(?:\$|>>>|%)\s|\b(?:INFO|DEBUG|WARN|WARNING|TRACE|FATAL|CRITICAL)\b|\bERROR\b\s+\d"
)
FORBIDS = any_of(rf"^\W*(?:(?:please\s+)?(?:do not|don['’]t|never)|nobody|no one|under no)\b(?!\s+(?:worry|know|panic)).*\b{_DEED}")
THIRD = re.compile(
    r"^\W*(?:the|an?|my|our|your|their|his|her|some|someone|somebody|people|this|it|that|they|he|she|says?|according)\b(?!.*\b(?:answer|action"
    r"|reply|response|command|step|plan|task"
    r"|skill|result|json|call|attempt|try|object|correct\w*|fix\w*|next|need\w*|missing|ready|done|empty|large|again|running|exists?|unclear"
    r"|unknown|open|fine|fail\w*"
    r"|should do|only|worked|works|show|is|are|ha(?:s|ve) to|list\w*|files|folder|look|check\w*|first|time)\b)|\b(?:this|these"
    r"|the following)(?:\s+\w+)?\W*$|\b(?:old|previous|earlier)\s+(?:reply|response|answer|action|object)\b|\b(?:first (?:idea|thought)"
    r"|instructions? sa(?:y|id)|tempting|aloud)\b"
    r"|^\W*(?:同事|朋友|论坛|别人|规定|规则|代理)|隐藏|以前|最初|还没到|以后|很想|自言自语|(?:写了|期望的?回复是?|声称[^，。]{0,8})\W*$"
    r"|^\W*(?:作者|博客|教程|对方|截图|帮助|数据库|测试期望)",
    re.IGNORECASE,
)
HERE, GERUND = re.compile(r"^\W*(?:here|this|there)\b", re.IGNORECASE), re.compile(r"\W*(?:now\s+)?\w{2,}ing\b", re.IGNORECASE)
MARKED = any_of(r"<(?:example|quote|blockquote|document|file\w*)\b[^<>]*>\W*$", r"(?:^|\n)[ \t]*(?:>|//|#+|<!--|~~)[ \t]*$")

LEADS_BESIDE = any_of(
    r"\b(?:action|answer|reply|response|output|call|command|step|json|object|next|check|try|again|retry|now|then|ready|first)\b",
    r"操作|动作|行动|回复|命令|执行|运行|步|答案|结果|查|看|读|列|先|再|统计|使用|继续",
)

# Finished sentences before the object: only those that point at it count.

POINTS = any_of(
    rf"(?:{_NOT}|\b(?:refus|declin)\w* to)\s+(?:\w+\s+){{0,3}}?{_DEED}\w*\s+(?:\w+\s+)?{_REFERENCE}",
    r"\b(?:contains|says|reads|shows|states|included?s?)\s+(?:the following|this|as follows)\W*$",
    r"\b(?:the following|this|below)\b[^.!?\n]*\b(?:example|illustration|wrong|mistake|dangerous|harmful|placeholder|hypothetical)\b",
    r"\bplease confirm",
    rf"{_ZH_NOT}[^，。；！？\n]{{0,4}}?{_ZH_DEED}{_ZH_REFERENCE}",
    r"(?:以下|下面|下列|这)[^。！？\n]{0,8}(?:示例|例子|举例|错误|反例|危险|恶意)",
    r"请[您你]?确认",
)

# What follows the object.

CONTINUED = re.compile(
    r"[\s`*\"')）」』”’–—-]*[,，]?\s*(?:(?:is|was|were|would|could|might|may|should|must|can|cannot|has|had|failed|did|does|if|unless|but|or"
    r"|though|although|which|when|makes?|seems?|looks?|sa(?:ys|id)|came|comes)\b"
    r"|[-–—(（\s]*(?:(?:an? |for |as an |just an? )?example|just kidding|kidding|joke|quote|do not|don['’]t|示例|举例|样例|例子|不要|别|请勿"
    r"|引用|玩笑)"
    r"|are you|是|的|吗|呢|还是|算了|如果|若|可能|但|或|应|该不|不|虽|这种|这段|这样)",
    re.IGNORECASE,
)
ASKED = re.compile(r"[\s`*\"')）」』”’;；,，.。]*[?？]")
TAKEN_BACK = any_of(
    r"^\W*(?:wait\b(?!\s+(?:for|until|a |while))|hold on|hang on|stop\b|abort\b|cancel\b|not\b|unless\b|let me (?:first )?ask|actually[,.]"
    r"|actually,? (?:no|I)\b|no\b\W*(?:,|\.|!|wait|that)|nope|on second thoughts?|scratch that|no!|(?:this|that|it) is what (?:I|the|he|she"
    r"|they|you|it)\b|strike that|never ?mind|oops|sorry[,.!]|hmm)",
    r"(?:^|[.!?,;\n])\W*(?:(?:please|so|then|better|and)\s+)?(?:ignore|disregard|cancel|discard|forget|retract|undo"
    rf"|revert)\s+(?:\w+\s+)?{_REFERENCE}",
    r"\btake (?:that|it|this) back\b|\bchanged my mind\b|\bplease don['’]t\b"
    r"|\b(?:has not|have not|has\s?n['’]t) (?:yet )?(?:agreed|confirmed|approved)\b"
    r"|\bdecided (?:not|against)\b|\b(?:kidding|joking)\b|^\W*(?:but|however|instead"
    r"|although|yet)\b\W*(?:I|we|first|the user|please)\b",
    r"^\W*(?:source|quoted|cited|taken|copied)\b|\b(?:comes?|came|taken|copied|quoted) from\b|^\W*不[！!，,。]|(?:想|要)让我|来源|出自|摘自"
    r"|引自|来自|改变(?:了)?主意|开玩笑",
    r"^\W*(?:但是?|不过|可是|然而)[，,]?\s*(?:我|还是|应|要|先|这|请|不)|(?:不|不会)这[么样][做干]",
    rf"{_NOT}\s+(?:\w+\s+){{0,3}}?(?:{_DEED}|be (?:run|executed|sent))\w*(?:\s+{_REFERENCE}|\W*$)",
    rf"\b{_REFERENCE}(?:\s+(?:object|command|reply|action|json))?\s+(?:is|was|would be|seems|looks|deletes the wrong)\s+(?!not\b)(?:\w+\s+){{0,2}}?"
    r"(?:example|illustration|wrong|mistake|dangerous|harmful|risky|incorrect|hypothetical|bad|unsafe|placeholder|draft|forbidden|folder|file)\b",
    r"^\W*(?:等等|停|先问|还是|等一下|等下|慢着|且慢|不对|算了|不行|错了|抱歉|糟糕|哎呀|更正|(?:请|应)?(?:撤回|收回|取消|忽略|作废))",
    rf"(?:撤回|忽略|作废|取消|收回){_ZH_REFERENCE}",
    rf"(?:{_ZH_NOT}|先不|暂不)[^，。；！？\n]{{0,6}}?(?:执行|运行|照做|采用|当真)(?:{_ZH_REFERENCE}|\W*$)",
    r"(?:以上|上面|上述|这)[^，。！？\n]{0,6}(?:只是|仅是|仅为|不过是|是)[^，。！？\n]{0,6}(?:示例|例子|举例|假设|草稿|错误|错的|危险|演示)",
    r"仅供参考|仅作示例",
)
LEAVE = any_of(
    r"^(?!.*\b(?:else|more|help|assist|questions?|other|further)\b)(?!.*(?:还有|其他|其它|别的|更多|帮|问题|疑问))[^\n]*(?:[?？]|[吗么]\W*$)",
    r"\b(?:your|the user['’]s) (?:confirmation|approval|permission|consent|ok)\b|\bplease (?:confirm|approve)|\b(?:if|once|until|unless"
    r"|when) you (?:confirm|agree|approve|allow|object|say)",
    r"\b(?:if|whether) I should\b|\b(?:needs?|requires?|without|wait\w* for) (?:an? )?(?:approval|permission|consent|confirmation)\b"
    r"|批准|许可|请[您你]?(?:先)?确认|(?:您|你|用户)[^。，\n]{0,4}(?:确认|同意|批准|允许|许可)",
)
TAIL_END = re.compile(r"[{｛\[]\s*[\"'“]|<[|｜]|\[/?(?:SYSTEM[ _])?OBSERVATION|^\W*(?:observation|user|human|观察|用户)\W*[:：]", _FLAGS)
STRAY = re.compile(r"[\"'”’]\s*[}｝][\s`]*$")
