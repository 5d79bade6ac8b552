"""Says whether a text looks like a secret, which a to-do list must not keep: keys, passwords, identity and card numbers."""
from __future__ import annotations

import re

_KEY_NAMES = re.compile(r"passw(or)?d|passphrase|secret|token|api[_ -]?key|private[_ -]?key|credential|cvv|\bpin\b|"
                        r"密码|口令|密钥|私钥|令牌|身份证|银行卡|信用卡", re.I)
_VALUES = re.compile(
    r"\bsk-(?=[\w-]*\d)[\w-]{4,}|\bsk-[\w-]{16,}|\b(?:ghp|gho|ghs|ghu)_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|"
    r"\bxox[abprs]-[\w-]{10,}|\bhf_\w{20,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.|-----BEGIN [A-Z ]*PRIVATE KEY|"
    r"(?:passw(?:or)?d|passphrase|api[_ -]?key|密码|口令|密钥)\s*(?:is|=|:|：|是|为)\s*\S+", re.I)
_LONG_NUMBER = re.compile(r"(?<![\dA-Za-z])(?:\d[ -]?){15,18}[\dXx](?![\dA-Za-z])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def secret_in(key: str, value: str) -> bool:
    """Whether the key names a secret or the value holds one."""
    if _KEY_NAMES.search(key) or _VALUES.search(value) or _VALUES.search(key):
        return True
    return any(_is_identity(number) or _is_card(number) for number in
               (re.sub(r"[ -]", "", found[0]).upper() for found in _LONG_NUMBER.finditer(f"{key}\n{value}")))


def _is_identity(number: str) -> bool:
    """A Chinese identity number: 17 digits and a check character (GB 11643, ISO 7064 MOD 11-2)."""
    if len(number) != 18 or not number[:17].isdigit():
        return False
    return "10X98765432"[sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False)) % 11] == number[17]


def _is_card(number: str) -> bool:
    """A bank card: 16 to 19 digits that pass the Luhn check (ISO/IEC 7812)."""
    if not number.isdigit() or len(set(number)) == 1:
        return False
    digits = [int(digit) for digit in reversed(number)]
    return sum(sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(digits)) % 10 == 0
