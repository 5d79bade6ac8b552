"""The Chinese words that the reader knows, and the pass that turns a phrase into tokens."""
from __future__ import annotations

from timephrase.numerals import NUMERALS, Token, chinese_tokens, digits_at, table

# R1: traditional characters and full-width forms equal the simplified and the ASCII ones. Every entry keeps the length.
_TRADITIONAL = ("後週禮點兩個號鐘鍾時這過為爲內間來幾從處國慶聖誕勞動節兒婦農曆臘陰陽會裡裏"
                "馬儘將際現無單雙應數歲倆盡與遲約寫業報關於離請發買電話樓線書館給讓説說證課頭閏驚蟄滿種復萬黃趕緊隨陣",
                "后周礼点两个号钟钟时这过为为内间来几从处国庆圣诞劳动节儿妇农历腊阴阳会里里"
                "马尽将际现无单双应数岁俩尽与迟约写业报关于离请发买电话楼线书馆给让说说证课头闰惊蛰满种复万黄赶紧随阵")
_MARKS = ("：﹕－–—−／．～〜（）淩", "::----/.~~()凌")
_SPACES = "　\t\n\r\u00a0"
_FULL = {chr(code): chr(code - 0xFEE0).lower() for code in range(0xFF10, 0xFF5B) if chr(code - 0xFEE0).isalnum()}
_UPPER = {chr(code): chr(code + 32) for code in range(65, 91)}
TABLE = str.maketrans({**dict(zip(*_TRADITIONAL, strict=True)), **dict(zip(*_MARKS, strict=True)), **dict.fromkeys(_SPACES, " "), **_FULL, **_UPPER})

# One line: the kind of token, its value, the words.
_TABLE = """
day 0 今天 今日 今儿 今儿个
day 1 明天 明日 明儿 明儿个 明
day 2 后天
day 3 大后天
day -1 昨天 昨日 昨儿
day -2 前天
day -3 大前天
short 0 今
short -1 昨
wd 0 周一 星期一 礼拜一
wd 1 周二 星期二 礼拜二
wd 2 周三 星期三 礼拜三
wd 3 周四 星期四 礼拜四
wd 4 周五 星期五 礼拜五
wd 5 周六 星期六 礼拜六
wd 6 周日 周天 星期日 星期天 礼拜日 礼拜天
badwd 0 周七 周八 周九 周十 周零 周〇 周两 星期七 星期八 星期九 星期十 星期零 星期〇 星期两 礼拜七 礼拜八 礼拜九 礼拜十 礼拜零 礼拜〇 礼拜两
week 1 周 星期 礼拜
weekend 0 周末
rel 0 这 本 这个 本个
rel 1 下 下个
rel 2 下下 下下个
rel -1 上 上个
rel -2 上上 上上个
relyear 0 今年 本年
relyear 1 明年
relyear 2 后年
relyear -1 去年
relyear -2 前年
month 0 月
year 0 年
monthpart 1 月初
monthpart 15 月中
monthpart 0 月底 月末
yearend 0 年底 年末
yearlast 0 底 末
quarterend 0 季度末 季度底 季末
quarter 0 季度
mark 0 号 日
holiday 1/1 元旦 元旦节
holiday 2/14 情人节
holiday 3/8 妇女节 三八妇女节
holiday 5/1 劳动节 五一 五一劳动节 五一节
holiday 6/1 儿童节 六一 六一儿童节
holiday 9/10 教师节
holiday 10/1 国庆 国庆节
holiday 12/25 圣诞 圣诞节
part dawn 凌晨
part morning 早上 早晨 清晨 一早 一大早 大清早 早 晨
part forenoon 上午
part noon 中午 正午
part afternoon 下午
part dusk 傍晚
part evening 晚上 晚 夜里 夜间 晚间 夜晚 夜
part night 深夜 半夜
part offwork 下班
oclock 0 点 时
sharp 0 钟 整
minute 0 分
second 0 秒
half 0 半
quarterhour 0 刻
less 0 差
ampm 0 am a.m. a.m
ampm 12 pm p.m. p.m
unit day 天
unit week 个星期 个礼拜 个周
unit month 个月
unit hour 小时 个小时 钟头 个钟头
unit min 分钟
unit quarter 刻钟
gehalf 0 个半
pass 0 过 再过
after 0 后 之后 以后
within 0 内 之内 以内
before 0 前 之前 以前
until 0 为止
same 0 这个时候 这个时间 这个点 这时候 这时 此时 同一时间
fill 0 在 于 截止 截止到 截至 截至到 最晚 最迟 大概 大约 差不多 左右 吧 的 最晚到 最迟到 最晚在 最迟在
to 0 到
and 0 和
paren 0 ( )
T 0 t
no vague 当天 当日 当晚 那天 那时 那会儿 改天 改日 哪天 某天 最近 近期 近日 马上 立刻 立即 赶紧 尽快 尽早 早日 现在 此刻 眼下 随时 平时 几
no vague 数 若干 多 来 余 过几天 过些天 过些日子 过阵子 过一阵 过一阵子 过段时间 过一段时间 这几天 这两天 前几天 前两天 过会儿 过会 过一会儿
no vague 过一会 待会 待会儿 等会 等会儿 等下 等一下 一会儿 一会 回头 有空 有时间 稍后 稍晚 晚点 晚些 早点 早些 晚一点 早一点 不久 以后再说
no vague 再说 次日 第二天 半天 月中旬 上旬 中旬 下旬 年初 年中 将来 未来 下次 到时候
no lunar 农历 阴历 旧历 正月 腊月 冬月 闰月 初 大年 大年初一 大年三十 年三十 除夕 除夕夜 春节 过年 新年 元宵 元宵节 清明 清明节 端午 端午节
no lunar 七夕 七夕节 中秋 中秋节 重阳 重阳节 中元节 腊八 腊八节 小年 立春 雨水 惊蛰 春分 谷雨 立夏 小满 芒种 夏至 小暑 大暑 立秋 处暑 白露
no lunar 秋分 寒露 霜降 立冬 小雪 大雪 冬至 小寒 大寒
no holiday 母亲节 父亲节 感恩节 复活节 万圣节 平安夜 圣诞夜 双十一 双11 双十二 三八节 三八 五四 五四青年节 植树节 清明假期 暑假 寒假 黄金周
no recurring 每 每天 每日 每周 每月 每年 天天 隔天 隔日 隔周 逢 工作日 双休日 周一至周五
no workdays 个工作日
no range 或 或者 还是 要么 至 ~ 、 明后天 明后两天 今明 今明两天 明后 期间
"""
WORDS = table(_TABLE)
_LONGEST: dict[str, int] = {}
for _word in WORDS:
    _LONGEST[_word[0]] = max(_LONGEST.get(_word[0], 0), len(_word))


def compact(text: str) -> tuple[str, list[int] | None]:
    """R1: the normalised text without spaces, and for each of its characters the place in `text`; None when nothing was taken out.

    A space stays where it parts two numbers (2026-11-01 09:15): only a space says that they are two.
    """
    plain = text.translate(TABLE)
    if " " not in plain:
        return plain, None
    kept: list[int] = []
    for place, char in enumerate(plain):
        if char != " ":
            if kept and kept[-1] < place - 1 and _number_like(char) and _number_like(plain[kept[-1]]):
                kept.append(place - 1)
            kept.append(place)
    return "".join(plain[place] for place in kept), kept


def _number_like(char: str) -> bool:
    return char in NUMERALS or "0" <= char <= "9"


def tokens_of(text: str) -> list[Token]:
    """The tokens of a compact text, the longest word first; characters that belong to no word become "?" runs."""
    found: list[Token] = []
    place, size, words, longest = 0, len(text), WORDS, _LONGEST
    while place < size:
        char = text[place]
        for length in range(longest.get(char, 0), 0, -1):
            word = words.get(text[place:place + length])
            if word is not None and place + length <= size:
                found.append((word[0], word[1], place, place + length))
                place += length
                break
        else:
            if "0" <= char <= "9":
                found.append(digits_at(text, place))
            elif char in NUMERALS:
                found += chinese_tokens(text, place)
            elif char == " ":
                found.append(("gap", 0, place, place + 1))
            else:
                found.append(("?", 0, place, place + 1))
            place = found[-1][3]
    return found
