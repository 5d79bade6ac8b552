"""The one time phrase of a sentence, and the many words that only look like one. It is Wednesday 14 October 2026, 10:00."""
from __future__ import annotations

from datetime import datetime

import pytest
from timephrase import Found, find, parse, parse_rule

NOW = datetime(2026, 10, 14, 10, 0)
FOUND = """
明天下午3点前交作业，这个最重要 | 明天下午3点前 | 2026-10-15T15:00:00
最晚明天下午5点交报告 | 最晚明天下午5点 | 2026-10-15T17:00:00
把PPT发给老板，今天下班前 | 今天下班前 | 2026-10-14T18:00:00
明天，下午3点开会 | 明天，下午3点 | 2026-10-15T15:00:00
下周三前 完成PPT | 下周三前 | 2026-10-21
记一下周五的会 | 周五的 | 2026-10-16
看一下下周五的安排 | 下周五的 | 2026-10-23
周五晚饭 | 周五 | 2026-10-16
下午开会 | 下午 | 2026-10-14T15:00:00
3点开会 | 3点 | 2026-10-14T15:00:00
明早8点跑步 | 明早8点 | 2026-10-15T08:00:00
3天内完成报告 | 3天内 | 2026-10-17
两小时后提醒我喝水 | 两小时后 | 2026-10-14T12:00:00
10/20 交作业 | 10/20 | 2026-10-20
交作业 12/25 | 12/25 | 2026-12-25
15号交房租 | 15号 | 2026-10-15
10月20日晚上8点看演出 | 10月20日晚上8点 | 2026-10-20T20:00:00
十一月三号上午考试 | 十一月三号上午 | 2026-11-03T10:00:00
2026-11-01 09:15 体检 | 2026-11-01 09:15 | 2026-11-01T09:15:00
交作业2026-11-01T09:15 | 2026-11-01T09:15 | 2026-11-01T09:15:00
开会 明天 14:00 | 明天 14:00 | 2026-10-15T14:00:00
明天3pm开会 | 明天3pm | 2026-10-15T15:00:00
周末去爬山 | 周末 | 2026-10-17
月底前交总结 | 月底前 | 2026-10-31
五一前订票 | 五一前 | 2027-05-01
元旦去旅游 | 元旦 | 2027-01-01
周五一起吃饭 | 周五 | 2026-10-16
周三四个人开会 | 周三 | 2026-10-14
把昨天的笔记明天交 | 明天 | 2026-10-15
週三下午兩點開會 | 週三下午兩點 | 2026-10-14T14:00:00
买《三天后》的票，周六 | 周六 | 2026-10-17
remind me to call Bob tomorrow at 3pm | tomorrow at 3pm | 2026-10-15T15:00:00
submit the report by Friday | by Friday | 2026-10-16
buy milk on Sat | on Sat | 2026-10-17
pay rent on the 1st | on the 1st | 2026-11-01
dentist on Oct 15 at 2:30pm | on Oct 15 at 2:30pm | 2026-10-15T14:30:00
finish slides in two hours | in two hours | 2026-10-14T12:00:00
meet Ann at noon | at noon | 2026-10-14T12:00:00
by end of month file taxes | by end of month | 2026-10-31
call Bob tmr 9am | tmr 9am | 2026-10-15T09:00:00
read chapter 3 by tomorrow | by tomorrow | 2026-10-15
order 2 pizzas for tonight | tonight | 2026-10-14T20:00:00
下个月32号交房租 | 下个月32号 | !impossible
明天26点开会 | 明天26点 | !impossible
过几天去看牙 | 过几天 | !vague
十来分钟后出发 | 十来分钟后 | !vague
春节前买票 | 春节前 | !lunar
3个工作日后到货 | 3个工作日后 | !workdays
明天或后天去银行 | 明天或后天 | !range
3到5点开会 | 3到5点 | !range
周一到周五上班 | 周一到周五 | !range
周三四开会 | 周三四 | !range
周一三五开会 | 周一三五 | !range
下午两三点开会 | 下午两三点 | !vague
周五以后再联系 | 周五以后 | !past_point
in a few days call Bob | in a few days | !vague
7 to 9pm dinner | 7 to 9pm | !range
remind me after Friday | after Friday | !past_point
Feb 30 party | Feb 30 | !impossible
每周五下午5点写周报 | 每周五下午5点 | *每周五 17:00
工作日早上9点站会 | 工作日早上9点 | *每个工作日 09:00
每月最后一天交房租 | 每月最后一天 | *每月最后一天
每天吃药 | 每天 | *每天
隔天浇花 | 隔天 | *每两天
每两周周五打扫 | 每两周周五 | *每两周周五
call mom every Sunday at 5pm | every Sunday at 5pm | *每周日 17:00
water plants every other day | every other day | *每两天
Mondays go to gym | Mondays | *每周一
last day of every month pay rent | last day of every month | *每月最后一天
"""
NOTHING = """
三点水
一点点
一点儿也不难
周杰伦的歌
买十一个苹果
五一路的店
听《明天会更好》
唱"明天会更好"
读“周末”这篇
3.5元的笔
5.1声道音响
买2个杯子
打印100号文件
升级到版本1.2
打13800138000
打 010-62345678
ping 192.168.1.1
回答第3点
写三点建议
一周三次健身
两周一次例会
四周一片漆黑
有一点累
快一点
3号楼
5号线
工作日志
每周三次跑步
张国庆
早上好
喝下午茶
吃晚饭
跑步30分钟
上周的会议纪要
十年前的照片
完成3/4
2-3个人
比赛3:2赢
写周报
整理时间表
天天向上
等一下
3D打印
订单20269999
学习Python 3.12
查看线上周边
尽快交报告
写说明书
May I come in
second thoughts
march on
look at the sun
the Sun is bright
I sat down
call 555-1234
read 3 books
read pages 3-5
1/2 cup of sugar
24/7 support
weekly report
daily standup notes
Good morning
look at 3 houses
v2.0.1 release
Christmas tree
the 15th floor
mail a@b.com
see https://x.org/2026-10-15
"Tomorrow Never Dies"
3.5mm jack
"""


def lines(table: str) -> list[str]:
    """The lines of a table."""
    return [line.strip() for line in table.strip().splitlines()]


def outcome(found: Found) -> str:
    """The due, "!" and the code of the refusal, or "*" and the rule."""
    if found.rule is not None:
        assert found.reading is None
        return f"*{found.rule.say()}"
    assert found.reading is not None
    return found.reading.due or f"!{found.reading.error.code}" if found.reading.error or found.reading.due else ""


@pytest.mark.parametrize("line", lines(FOUND))
def test_the_one_time_phrase_is_found_with_its_fillers(line: str) -> None:
    sentence, phrase, expected = (part.strip() for part in line.split("|"))
    found = find(sentence, NOW)
    assert found is not None
    assert (sentence[found.start:found.end], outcome(found)) == (phrase, expected)


@pytest.mark.parametrize("sentence", lines(NOTHING))
def test_what_only_looks_like_a_time_is_passed_over(sentence: str) -> None:
    assert find(sentence, NOW) is None


@pytest.mark.parametrize("sentence", ["明天交作业，后天开会", "明天写报告，下午3点前交给老师",
                                      "call Bob tomorrow and Ann on Friday", "周一写，周三交"])
def test_two_times_that_compete_are_none(sentence: str) -> None:
    assert find(sentence, NOW) is None


@pytest.mark.parametrize("line", [line for line in lines(FOUND) if "!" not in line and "，下午" not in line])
def test_what_was_found_reads_alike_on_its_own(line: str) -> None:
    sentence = line.split("|")[0].strip()
    found = find(sentence, NOW)
    assert found is not None
    phrase = sentence[found.start:found.end]
    if found.rule is not None:
        assert parse_rule(phrase, NOW) == found.rule
    else:
        assert found.reading is not None
        assert parse(phrase, NOW).due == found.reading.due


def test_a_refusal_that_was_found_can_be_asked_about() -> None:
    found = find("下个月32号交房租", NOW)
    assert found is not None
    assert found.reading is not None
    assert found.reading.error is not None
    assert "下个月32号" in found.reading.error.say("zh")


def test_ones_own_default_times_count() -> None:
    found = find("今晚看书", NOW, {"evening": "21:15"})
    assert found is not None
    assert found.reading is not None
    assert found.reading.due == "2026-10-14T21:15:00"


def test_a_text_that_is_no_sentence_holds_none() -> None:
    assert find("", NOW) is None
    assert find("明天交作业" * 2000, NOW) is None
