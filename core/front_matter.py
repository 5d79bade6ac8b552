"""Reads the head of a SKILL.md as leniently as real files need: any bytes in, a name and a description out, repairs named.

The plain case (`key: value` between two `---` lines) is read by hand; block scalars and escapes go to python-frontmatter's
YAML handler, which is imported only then. Format: the open Agent Skills front matter.
"""
from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_FENCE = re.compile(r"-{3,}\s*\Z")
_CLOSER = re.compile(r"(-{3,}|\.\.\.)\s*\Z")
_KEY = re.compile(r"(?P<key>[^\W\d_][\w .-]{0,60}?)\s*(?::(?:[ \t]+|\Z)|(?P<wide>：)\s*)(?P<value>.*)\Z")
_CONFLICT = re.compile(r"(<{7}|={7}|>{7})(\s|\Z)")
_DOUBLE = re.compile(r'"([^"\\]*)"\s*(?:#.*)?\Z')
_SINGLE = re.compile(r"'((?:[^']|'')*)'\s*(?:#.*)?\Z")
_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)
_ALIASES = {"名称": "name", "名字": "name", "描述": "description", "说明": "description"}
_NULLS = {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True)
class Repair:
    """Something that a strict reader would refuse: a stable code and the line in the file, from 1."""

    code: str
    line: int


@dataclass(frozen=True)
class Entry:
    """One top-level key of the front matter: the text after the colon, the lines that belong to it, its line in the file."""

    key: str
    value: str
    more: tuple[str, ...]
    line: int

    def source(self) -> str:
        """The entry as it would stand in a YAML file."""
        return "\n".join((f"{self.key}: {self.value}", *self.more))


@dataclass
class Head:
    """What was found: text fields are "" when absent, `body` is the text after the front matter."""

    name: str = ""
    description: str = ""
    entries: list[Entry] = field(default_factory=list)
    body: str = ""
    repairs: list[Repair] = field(default_factory=list)
    complete: bool = True

    def flag(self, key: str) -> bool:
        """Whether a plain true/false field is on."""
        return any(entry.key == key and entry.value.strip().lower() in ("true", "yes", "on") for entry in self.entries)

    def line_of(self, key: str) -> int:
        """The line of a field, 1 when it is absent."""
        return next((entry.line for entry in self.entries if entry.key == key), 1)


def decode(data: bytes, whole: bool = True) -> tuple[str, str]:
    """Text of the bytes with newlines as \\n, and the code of the repair that it took ("" for none).

    UTF-8 with or without a mark, UTF-16 with a mark, GB18030; what none of them reads becomes replacement characters.
    `whole` is false for the head of a longer file, whose last character may be cut.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _newlines(data.decode("utf-16", errors="ignore")), "encoding_utf16"
    marked = data.startswith(codecs.BOM_UTF8)
    for encoding, code in (("utf-8-sig", "byte_order_mark" if marked else ""), ("gb18030", "encoding_gb18030")):
        try:
            return _newlines(codecs.getincrementaldecoder(encoding)().decode(data, final=whole)), code
        except UnicodeDecodeError:
            continue
    return _newlines(data.decode("utf-8", errors="replace")), "encoding_unknown"


def read_head(data: bytes, whole: bool = True) -> Head:
    """The head of a SKILL.md. Never raises. `complete` is false when the closing fence lies beyond the bytes given."""
    text, code = decode(data, whole)
    lines = text.split("\n")
    head = Head()
    if code:
        head.repairs.append(Repair(code, 1))
    first, last, body = _find_block(lines, head, whole)
    head.entries = list(_entries(lines, first, last, head))
    head.body = "\n".join(lines[body:]).strip("\n")
    head.name = _text_field(head, "name")
    head.description = _text_field(head, "description")
    return head


def parse_metadata(head: Head) -> dict[str, Any]:
    """Every field of the front matter; scalars stay text as typed. A field that is not YAML is kept as its raw text."""
    fields: dict[str, Any] = {}
    for entry in head.entries:
        if entry.key not in fields:
            fields[entry.key] = _metadata_value(entry)
    for key in ("name", "description"):
        if key in fields:
            fields[key] = getattr(head, key)
    return fields


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _find_block(lines: list[str], head: Head, whole: bool) -> tuple[int, int, int]:
    """Indexes: first line of the front matter, the line after its last, the first line of the body."""
    start = _skip_to_content(lines, head)
    if start >= len(lines):
        return start, start, start
    if not _FENCE.match(lines[start]):
        return _unfenced(lines, start, head)
    for index in range(start + 1, len(lines)):
        if _CLOSER.match(lines[index]):
            if lines[index].startswith("..."):
                head.repairs.append(Repair("closed_by_dots", index + 1))
            after = index + 1
            if start and lines[start - 1].startswith("```") and after < len(lines) and lines[after].startswith("```"):
                after += 1
            return start + 1, index, after
    head.complete = whole
    head.repairs.append(Repair("front_matter_not_closed", start + 1))
    end = _last_plain_line(lines, start + 1)
    return start + 1, end, end


def _skip_to_content(lines: list[str], head: Head) -> int:
    """Past blank lines, comments and the opening of a code fence that stand before the front matter."""
    text = "\n".join(lines)
    offset = 0
    while match := _COMMENT.match(text, offset):
        offset = match.end()
    start = text.count("\n", 0, offset) + (1 if offset else 0)
    while start < len(lines) and not lines[start].strip():
        start += 1
    if start + 1 < len(lines) and lines[start].startswith("```") and _FENCE.match(lines[start + 1]):
        start += 1
    if start and start < len(lines) and _FENCE.match(lines[start]) and any(line.strip() for line in lines[:start]):
        head.repairs.append(Repair("text_before_front_matter", 1))
    return start


def _unfenced(lines: list[str], start: int, head: Head) -> tuple[int, int, int]:
    match = _KEY.match(lines[start])
    if match is None or _canonical(match["key"]) not in ("name", "description"):
        head.repairs.append(Repair("no_front_matter", start + 1))
        return start, start, start
    head.repairs.append(Repair("no_fence", start + 1))
    end = _last_plain_line(lines, start)
    after = end + 1 if end < len(lines) and _FENCE.match(lines[end]) else end
    return start, end, after


def _last_plain_line(lines: list[str], start: int) -> int:
    """The line after the run of keys and indented lines that begins at `start`."""
    index = start
    while index < len(lines) and (_KEY.match(lines[index]) or lines[index].startswith((" ", "\t")) and lines[index].strip()):
        index += 1
    return index


def _canonical(key: str) -> str:
    folded = unicodedata.normalize("NFKC", key).strip()
    lowered = folded.lower()
    return _ALIASES.get(folded, lowered if lowered in ("name", "description") else folded)


def _entries(lines: list[str], first: int, last: int, head: Head) -> Iterator[Entry]:
    key, value, line, more = "", "", 0, list[str]()
    for index in range(first, last):
        text = lines[index]
        if _CONFLICT.match(text):
            head.repairs.append(Repair("conflict_marker", index + 1))
            continue
        match = _KEY.match(text)
        if match is None:
            more.append(text)
            continue
        if key:
            yield Entry(key, value, tuple(more), line)
        key, value, line, more = _canonical(match["key"]), match["value"].rstrip(), index + 1, []
        if match["wide"] or key != match["key"]:
            head.repairs.append(Repair("unusual_key", index + 1))
    if key:
        yield Entry(key, value, tuple(more), line)


def _text_field(head: Head, key: str) -> str:
    """A field as the text that stands in the file: `yes`, `012` and dates stay as typed."""
    entry = next((entry for entry in head.entries if entry.key == key), None)
    if entry is None:
        return ""
    value = entry.value.strip()
    quoted = _DOUBLE.match(value) or _SINGLE.match(value)
    if any(line.strip() for line in entry.more) or value[:1] in ("|", ">") or value[:1] in ("'", '"') and not quoted:
        return _yaml_text(entry, head)
    if quoted:
        return quoted[1].replace("''", "'") if value[0] == "'" else quoted[1]
    return "" if value in _NULLS else _plain_text(entry, value, head)


def _plain_text(entry: Entry, value: str, head: Head) -> str:
    """A plain scalar, kept whole where YAML would refuse it or cut it."""
    if " #" in value:
        if entry.key == "name":
            return value.split(" #")[0].rstrip()
        head.repairs.append(Repair("hash_kept", entry.line))
    if ": " in value or value.endswith(":"):
        head.repairs.append(Repair("unquoted_colon", entry.line))
    elif value[0] in "[{&*!%@`,]}" or value.startswith(("- ", "? ")):
        head.repairs.append(Repair("odd_start", entry.line))
    return value


def _yaml_text(entry: Entry, head: Head) -> str:
    loaded = _load(entry.source())
    value = loaded.get(entry.key) if isinstance(loaded, dict) else None
    if isinstance(value, str):
        return value.strip()
    head.repairs.append(Repair("not_yaml", entry.line))
    joined = " ".join(part.strip() for part in (entry.value, *entry.more) if part.strip())
    return joined.lstrip("|>-+ ").strip("\"'")


def _metadata_value(entry: Entry) -> Any:
    loaded = _load(entry.source())
    if isinstance(loaded, dict) and entry.key in loaded:
        return loaded[entry.key]
    return "\n".join((entry.value, *entry.more)).strip()


def _load(source: str) -> Any:
    """YAML with every scalar as text, or None when it is not YAML."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler
    try:
        return YAMLHandler().load(source, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return None
