"""The sentences of refusals and assumptions, in English and Chinese. Loaded only when something is said."""
from __future__ import annotations

from datetime import datetime

# code -> (what is wrong, what to write instead), English then Chinese. {w} stands for the words to blame.
REFUSALS: dict[str, tuple[str, str, str, str]] = {
    "empty": ("there is no time in an empty phrase", "tomorrow at 3pm", "没有写时间", "明天下午3点"),
    "no_time": ("“{w}” names no day and no time of day", "Friday or 3pm", "“{w}”里没有日期或时间", "周五或下午3点"),
    "vague": ("“{w}” does not say which day or time", "in 3 days or Oct 20", "“{w}”没有说明是哪一天、几点", "三天后或10月20日"),
    "length": ("“{w}” is a length of time, not a point in time", "in 3 days", "“{w}”是一段时长，不是时间点", "三天后"),
    "impossible": ("“{w}” does not exist", "Feb 28 or 3pm", "“{w}”不存在", "2月28日或下午3点"),
    "range": ("“{w}” names more than one time", "Friday at 5pm", "“{w}”不止一个时间", "周五下午5点"),
    "recurring": ("“{w}” comes again and again, while one due date was asked for", "next Monday",
                  "“{w}”是重复的时间，这里需要一个截止时间", "下周一"),
    "not_recurring": ("“{w}” is no repetition", "every Friday at 5pm", "“{w}”不是重复规则", "每周五下午5点"),
    "unsupported_rule": ("“{w}” is a repetition that is not supported", "every Friday at 5pm", "“{w}”这种重复不支持", "每周五下午5点"),
    "lunar": ("“{w}” follows the lunar calendar or the solar terms, which are not supported", "Feb 17", "“{w}”属于农历或节气，不支持换算", "2月17日"),
    "holiday": ("“{w}” is no holiday whose date is known here", "Dec 24", "“{w}”不是这里认识的固定节日", "12月24日"),
    "workdays": ("“{w}” counts working days, which depend on public holidays", "in 3 days", "“{w}”要按工作日推算，不支持", "三天后"),
    "contradiction": ("the parts of “{w}” contradict each other", "Wednesday at 3pm", "“{w}”前后矛盾", "周三下午3点"),
    "past_point": ("“{w}” begins after a point and has no end", "by Friday", "“{w}”只说了之后，没有截止时间", "周五之前"),
    "leftover": ("“{w}” was not understood as a time", "tomorrow at 3pm", "“{w}”看不懂是什么时间", "明天下午3点"),
    "unclear": ("“{w}” can be read in two ways", "Friday 23:59", "“{w}”有两种理解", "周五23:59"),
    "too_long": ("“{w}” is too long for one time phrase", "tomorrow at 3pm", "“{w}”太长，不像一个时间", "明天下午3点"),
    "out_of_range": ("“{w}” lies outside the years 1970 to 2200", "2027-10-15", "“{w}”超出1970年到2200年", "2027-10-15"),
}
_ENGLISH_JOINT, _CHINESE_JOINT = "; write for example ", "；可以写成"
# code -> (English, Chinese)
ASSUMPTIONS: dict[str, tuple[str, str]] = {
    "open_clock": ("no am or pm given", "没说上午还是下午"),
    "default_time": ("no clock time given", "没说几点"),
    "no_day": ("no day given", "没说哪天"),
    "weekday_next": ("no week given, so the next such day", "没说哪一周，取下一个"),
    "weekday_today": ("no week given and it is that day today", "没说哪一周，今天就是"),
    "after_midnight": ("after midnight at night is the following day", "夜里零点以后算次日"),
    "next_year": ("this year's date has passed", "今年的已经过了"),
    "next_month": ("this month's date has passed", "这个月的已经过了"),
    "weekend": ("the weekend counts as its Saturday, or the Sunday that is today", "周末按周六（今天是周日则按今天）"),
    "week_start": ("a week alone counts as its Monday", "只说了周，按周一"),
    "week_end": ("a week ends on Sunday", "一周到周日为止"),
    "month_start": ("a month alone counts as its 1st", "只说了月份，按1号"),
    "month_part": ("the beginning of a month counts as its 1st, the middle as its 15th", "月初按1号、月中按15号"),
    "half_month": ("half a month counts as 15 days", "半个月按15天"),
    "clipped": ("that month has no such day, so its last day", "那个月没有这一天，取月底"),
    "month_first": ("read as month/day", "按月/日理解"),
    "next_week": ("next means the calendar week after this one", "next 指下一个日历周"),
    "day_end": ("midnight ends that day", "午夜是当天结束"),
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def refusal(code: str, text: str, words: str, lang: str) -> str:
    """What is wrong with which words, and what to write instead."""
    english, english_example, chinese, chinese_example = REFUSALS[code]
    blamed = (words or text).strip()[:40]
    if lang == "en":
        said = english.replace("{w}", blamed)
        examples = " or ".join(f"“{example}”" for example in english_example.split(" or "))
        return f"{said[0].upper()}{said[1:]}{_ENGLISH_JOINT}{examples}."
    return chinese.replace("{w}", blamed) + _CHINESE_JOINT + "或".join(f"“{example}”" for example in chinese_example.split("或")) + "。"


def assumption(codes: tuple[str, ...], due: str, lang: str) -> str:
    """Which gaps a convention filled, and with what."""
    point = datetime.fromisoformat(due)
    clock = f" {point.hour:02}:{point.minute:02}" if "T" in due else ""
    year = "next_year" in codes  # else the year is the one that a person has in mind
    if lang == "en":
        reasons = ", ".join(ASSUMPTIONS[code][0] for code in codes)
        return f"{reasons}; taken as {point.day} {_MONTHS[point.month - 1]}{f' {point.year}' if year else ''}{clock}"
    reasons = "，".join(ASSUMPTIONS[code][1] for code in codes)
    return f"{reasons}，按 {f'{point.year}年' if year else ''}{point.month}月{point.day}日{clock}"
