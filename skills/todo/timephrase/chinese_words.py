"""The Chinese words that the reader knows, and the pass that turns a phrase into tokens."""
from __future__ import annotations

from collections.abc import Callable

from timephrase.numerals import NUMERALS, Token, chinese_tokens, digits_at

# R1: traditional characters and full-width forms equal the simplified and the ASCII ones. Every entry keeps the length.
_TRADITIONAL = ("後週禮點兩個號鐘鍾時這過為爲內間嗎後來幾從還處國慶聖誕勞動節兒婦農曆曆臘陰陽會裡裏開馬儘將際現無單雙復應該數週歲倆盡鬧陞並與幹乾遲約際錄補寫業報關於離開請發買電話樓號線書圖館給讓説說證課",
                "后周礼点两个号钟钟时这过为为内间吗后来几从还处国庆圣诞劳动节儿妇农历历腊阴阳会里里开马尽将际现无单双复应该数周岁俩尽闹升并与干干迟约际录补写业报关于离开请发买电话楼号线书图馆给让说说证课")
_MARKS = {"：": ":", "﹕": ":", "－": "-", "–": "-", "—": "-", "−": "-", "／": "/", "．": ".", "～": "~", "〜": "~", "　": " ", "\t": " ", "\n": " ", "\r": " ",
          "\u00a0": " ", "（": "(", "）": ")", "淩": "凌", "ㄧ": "一"}
_FULL = {chr(code): chr(code - 0xFEE0).lower() for code in range(0xFF10, 0xFF5B) if chr(code - 0xFEE0).isalnum()}
_UPPER = {chr(code): chr(code + 32) for code in range(65, 91)}
TABLE = str.maketrans({**dict(zip(*_TRADITIONAL, strict=True)), **_MARKS, **_FULL, **_UPPER})
EDGE = " ,，。.;；:！!？?、…~\"'“”‘’「」『』《》()[]【】-"


def _table() -> dict[str, tuple[str, object]]:
    words: dict[str, tuple[str, object]] = {}

    def add(kind: str, value: object, text: str) -> None:
        words.update(dict.fromkeys(text.split(), (kind, value)))

    for value, text in {0: "今天 今日 今儿 今儿个", 1: "明天 明日 明儿 明儿个 明", 2: "后天", 3: "大后天", -1: "昨天 昨日 昨儿", -2: "前天", -3: "大前天"}.items():
        add("day", value, text)  # R2
    for value, text in {0: "今", -1: "昨"}.items():
        add("short", value, text)  # needs a part of the day: 今晚, 昨夜
    for prefix in ("周", "星期", "礼拜"):
        for value, last in enumerate(("一", "二", "三", "四", "五", "六", "日 天")):
            for char in last.split():
                add("wd", value, prefix + char)
        add("badwd", 0, f"{prefix}七 {prefix}八 {prefix}九 {prefix}十 {prefix}零 {prefix}〇 {prefix}两")
    add("week", 1, "周 星期 礼拜")
    add("weekend", 0, "周末")
    for value, text in {0: "这 本 这个 本个", 1: "下 下个", 2: "下下 下下个", -1: "上 上个", -2: "上上 上上个"}.items():
        add("rel", value, text)
    for value, text in {0: "今年 本年", 1: "明年", 2: "后年", -1: "去年", -2: "前年"}.items():
        add("relyear", value, text)
    add("month", 0, "月")
    add("year", 0, "年")
    for value, text in {1: "月初", 15: "月中", 0: "月底 月末"}.items():
        add("monthpart", value, text)
    add("yearend", 0, "年底 年末")
    add("yearlast", 0, "底 末")
    add("quarterend", 0, "季度末 季度底 季末")
    add("quarter", 0, "季度")
    add("mark", 0, "号 日")
    for month_day, text in {(1, 1): "元旦 元旦节", (2, 14): "情人节", (3, 8): "妇女节 三八妇女节", (5, 1): "劳动节 五一 五一劳动节 五一节",
                            (6, 1): "儿童节 六一 六一儿童节", (9, 10): "教师节", (10, 1): "国庆 国庆节", (12, 25): "圣诞 圣诞节"}.items():
        add("holiday", month_day, text)  # R11
    for part, text in {"dawn": "凌晨", "morning": "早上 早晨 清晨 一早 一大早 大清早 早 晨", "forenoon": "上午", "noon": "中午 正午", "afternoon": "下午",
                       "dusk": "傍晚", "evening": "晚上 晚 夜里 夜间 晚间 夜晚 夜", "night": "深夜 半夜", "offwork": "下班"}.items():
        add("part", part, text)  # R7, R8
    add("oclock", 0, "点 时")
    add("sharp", 0, "钟 整")
    add("minute", 0, "分")
    add("second", 0, "秒")
    add("half", 0, "半")
    add("quarterhour", 0, "刻")
    add("less", 0, "差")
    add("ampm", 0, "am a.m. a.m")
    add("ampm", 12, "pm p.m. p.m")
    for unit, text in {"day": "天", "week": "个星期 个礼拜 个周", "month": "个月", "hour": "小时 个小时 钟头 个钟头", "min": "分钟", "quarter": "刻钟"}.items():
        add("unit", unit, text)  # R5
    add("gehalf", 0, "个半")
    add("pass", 0, "过 再过")
    add("after", 0, "后 之后 以后")
    add("within", 0, "内 之内 以内")
    add("before", 0, "前 之前 以前")
    add("until", 0, "为止")
    add("same", 0, "这个时候 这个时间 这个点 这时候 这时 此时 同一时间")
    add("fill", 0, "在 于 截止 截止到 截至 截至到 最晚 最迟 大概 大约 差不多 左右 吧 的 最晚到 最迟到 最晚在 最迟在")  # R12
    add("to", 0, "到")
    add("and", 0, "和")
    add("paren", 0, "( )")
    add("T", 0, "t")
    _refused(add)
    return words


def _refused(add: Callable[[str, object, str], None]) -> None:
    """The words that end a reading wherever they stand, by the code of the refusal."""
    add("no", "vague", "当天 当日 当晚 那天 那时 那会儿 改天 改日 哪天 某天 最近 近期 近日 马上 立刻 立即 赶紧 尽快 尽早 早日 现在 此刻 眼下 随时 平时 几 数 若干 多 来 余 "
        "过几天 过些天 过些日子 过阵子 过一阵 过一阵子 过段时间 过一段时间 这几天 这两天 前几天 前两天 过会儿 过会 过一会儿 过一会 待会 待会儿 等会 等会儿 等下 等一下 "
        "一会儿 一会 回头 有空 有时间 稍后 稍晚 晚点 晚些 早点 早些 晚一点 早一点 不久 以后再说 再说 次日 第二天 半天 月中旬 上旬 中旬 下旬 年初 年中 将来 未来 下次 到时候")
    add("no", "lunar", "农历 阴历 旧历 正月 腊月 冬月 闰月 初 大年 大年初一 大年三十 年三十 除夕 除夕夜 春节 过年 新年 元宵 元宵节 清明 清明节 端午 端午节 七夕 七夕节 中秋 中秋节 重阳 "
        "重阳节 中元节 腊八 腊八节 小年 立春 雨水 惊蛰 春分 谷雨 立夏 小满 芒种 夏至 小暑 大暑 立秋 处暑 白露 秋分 寒露 霜降 立冬 小雪 大雪 冬至 小寒 大寒")
    add("no", "holiday", "母亲节 父亲节 感恩节 复活节 万圣节 平安夜 圣诞夜 双十一 双11 双十二 三八节 三八 五四 五四青年节 植树节 清明假期 暑假 寒假 黄金周")
    add("no", "recurring", "每 每天 每日 每周 每月 每年 天天 隔天 隔日 隔周 逢 工作日 双休日 周一至周五")
    add("no", "workdays", "个工作日")
    add("no", "range", "或 或者 还是 要么 至 ~ 、 明后天 明后两天 今明 今明两天 明后 期间")


WORDS = _table()
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
