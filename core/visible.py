"""Text of files, commands and strangers as the model and a person may see it: nothing in it hides, and nothing poses as another speaker."""
from __future__ import annotations

import re


def _either_width(word: str) -> str:
    return "".join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in word)


_GAP = r"[\s_\-\u3000]"
_TAG = re.compile(rf"[\[［【〔]({_GAP}*[/／]?{_GAP}*(?:{_either_width('SYSTEM')}{_GAP}*{_either_width('OBSERVATION')}|{_either_width('CONTEXT')}\b|"
                  rf"{_either_width('STDIN')}\b))", re.IGNORECASE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
                  "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\ud800-\udfff]|[\U000e0000-\U000e0fff]")


def neutralise(text: str) -> str:
    """Text that cannot close the observation, pose as another speaker, or hide: colours are dropped, other control, bidirectional and
    invisible characters become visible as \\xNN or \\uNNNN, and last our own tags, however written, lose their bracket."""
    if _ODD.search(text):
        text = _ODD.sub(_visible, _COLOUR.sub("", text).replace("\r\n", "\n"))
    return _TAG.sub(r"(\1", text)


def one_line(text: str) -> str:
    """A name of a file or folder, neutralised, in one line."""
    return neutralise(text).replace("\n", "\\n").replace("\t", "\\t")


def cut_middle(text: str, limit: int, remark: str) -> str:
    """At most about `limit` characters: both ends of the text with `remark` between them, cut at line ends where near."""
    if len(text) <= limit:
        return text
    head, tail = text[:limit * 2 // 3], text[-(limit // 3):]
    if (end := head.rfind("\n")) > len(head) - 200:
        head = head[:end]
    if -1 < (start := tail.find("\n")) < 200:
        tail = tail[start + 1:]
    return f"{head}\n[… {remark}]\n{tail}"


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 13:
        return "\n"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
