"""The sentences of this skill, English and Chinese."""
from __future__ import annotations

import os

_SENTENCES: dict[str, tuple[str, str]] = {
    "fibonacci": ("Fibonacci number {n} is {value}", "斐波那契数列第 {n} 项是 {value}"),
    "factorial": ("{n}! = {value}", "{n} 的阶乘是 {value}"),
    "prime_yes": ("{n} is a prime number", "{n} 是质数"),
    "prime_no": ("{n} is not a prime number", "{n} 不是质数"),
    "prime_divisible": ("{n} is not a prime number: {n} = {factors}", "{n} 不是质数：{n} = {factors}"),
    "next_prime": ("The next prime after {n} is {value}", "{n} 之后的下一个质数是 {value}"),
    "nth_prime": ("Prime number {n} is {value}", "第 {n} 个质数是 {value}"),
    "root_exact": ("The root of degree {degree} of {x} is exactly {value}", "{x} 的 {degree} 次方根恰好是 {value}"),
    "root_rounded": ("The root of degree {degree} of {x} is {value} (rounded)", "{x} 的 {degree} 次方根约为 {value}"),
    "gcd": ("The greatest common divisor of {numbers} is {value}", "{numbers} 的最大公约数是 {value}"),
    "lcm": ("The least common multiple of {numbers} is {value}", "{numbers} 的最小公倍数是 {value}"),
    "factor": ("{n} = {factors}", "{n} = {factors}"),
    "base": ("{number} (base {source}) = {value} (base {target})", "{number}（{source} 进制）= {value}（{target} 进制）"),
    "calc": ("{expression} = {value}", "{expression} = {value}"),
    "calc_exact": ("{expression} = {value} = {decimal}", "{expression} = {value} = {decimal}"),
    "calc_rounded": ("{expression} = {value}, about {decimal}", "{expression} = {value}，约 {decimal}"),
    "not_whole": ("{name} must be a whole number, not {text!r}", "{name} 必须是整数，而不是 {text!r}"),
    "not_number": ("{name} must be a number such as 27, 0.125 or 1/8, not {text!r}", "{name} 必须是 27、0.125 或 1/8 这样的数，而不是 {text!r}"),
    "too_long": ("{name} has more than {limit} characters", "{name} 超过 {limit} 个字符"),
    "out_of_range": ("{name} must be from {low} to {high}", "{name} 必须在 {low} 到 {high} 之间"),
    "division_by_zero": ("division by zero", "除数为零"),
    "negative_root": ("a negative number has no real root of even degree", "负数没有偶次实数方根"),
    "no_divisor": ("no divisor of {n} was found", "没有找到 {n} 的因数"),
    "not_in_base": ("{text!r} is not a whole number in base {base}", "{text!r} 不是 {base} 进制的整数"),
    "unexpected": ("the expression has an unexpected {text!r}; it may hold numbers, + - * / // % ^ and brackets",
                   "表达式里有意外的 {text!r}；只能用数字、+ - * / // % ^ 和括号"),
    "ends_early": ("the expression ends where a number is expected", "表达式在需要数字的地方结束了"),
    "unclosed": ("a bracket is not closed", "有括号没有闭合"),
    "too_deep": ("brackets or powers are nested more than {limit} deep", "括号或乘方嵌套超过 {limit} 层"),
    "too_big": ("the result would have more than {limit} bits", "结果会超过 {limit} 位二进制"),
    "fractional_exponent": ("an exponent must be a whole number; use root for roots", "指数必须是整数；求方根请用 root"),
    "too_few": ("at least two numbers are needed", "至少需要两个数"),
    "usage": ("{detail}; see --help", "{detail}；见 --help"),
    "bad_line": ("a line must be one JSON object with id, command and args", "每行必须是一个含 id、command、args 的 JSON 对象"),
}


def detect_language() -> str:
    """AGENT_LANG, then LC_ALL, LC_MESSAGES, LANG; English otherwise."""
    for name in ("AGENT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "").strip().lower()
        if value:
            return "zh" if value.startswith(("zh", "chinese")) else "en"
    return "en"


def say(key: str, language: str, **values: object) -> str:
    """One sentence with its values; numbers stay plain digits."""
    return _SENTENCES[key][1 if language == "zh" else 0].format(**values)
