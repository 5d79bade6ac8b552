"""Says whether a text looks like a secret, which a to-do list must not keep: keys, passwords, identity and card numbers."""
from __future__ import annotations

import re

_KEY_NAMES = re.compile(
    r"passw(?:or)?d(?![_ -]?manager)|passphrase|passcode|pwd|secret(?!ar)|token(?!i[sz])|api[_ -]?key|private[_ -]?key|credential|cvv|"
    r"(?:^|[_ -])pin(?:$|[_ -]?code)|密[码碼](?!管理)|口令|密[钥鑰]|私[钥鑰]|令牌|身份[证證]|银行卡|信用卡", re.I)
# what stands before is no letter of the same word; a Chinese character may stand there, which \b would take for one
_VALUES = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-(?=[\w-]*\d)[A-Za-z0-9_-]{4,}|sk-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|gh[opsur]_[A-Za-z0-9]{20,}|"
    r"github_pat_\w{20,}|glpat-[\w-]{16,}|A[KS]IA[0-9A-Z]{12,}|AIza[\w-]{30,}|xox[abeprs]-[\w-]{10,}|hf_[A-Za-z0-9]{20,}|"
    r"eyJ[\w-]{10,}\.[\w-]{10,}\.|bearer\s+[A-Za-z0-9._~+/=-]{16,})|-----BEGIN [A-Z ]*PRIVATE KEY|[a-z][a-z0-9+.-]*://[^\s/:@]*:[^\s/@]+@|"
    r"(?:passw(?:or)?d|pwd|passphrase|passcode|api[_ -]?key|密[码碼]|口令|密[钥鑰])\s*(?:is|=|:|是|[为為])\s*\S+|"
    r"(?:passw(?:or)?d|密[码碼]|口令)[\s\"'“「]*(?=[\w!@#$%^&*.-]*[0-9])[A-Za-z0-9!@#$%^&*._-]{4,}", re.I)
_LONG_NUMBER = re.compile(r"(?<![0-9A-Za-z])(?:[0-9][ -]?){15,18}[0-9Xx](?![0-9A-Za-z])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def secret_in(key: str, value: str) -> bool:
    """Whether the key names a secret or the value holds one. Full-width letters and digits count as the plain ones."""
    from unicodedata import normalize

    key, value = normalize("NFKC", key), normalize("NFKC", value)
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
