"""sed, awk and the inline code of other languages: small readers that know what is harmless, so that the rest asks."""

from __future__ import annotations

import re
from typing import Any

from core.guard.programs import Handler, by_table, run_script, secret_name, spec_of, subcommand, write_named
from core.guard.scope import Scope
from core.guard.verdict import load_table
from core.guard.words import HOLE, Call, Word, split_options

_SED_ADDRESS = re.compile(
    r"\s*(?:(?:\d+(?:~\d+)?|\$|/(?:\\.|\[\]?[^\]]*\]|[^/\\])*/[IM]*|\\(.)(?:(?!\1).)*\1[IM]*)\s*(?:,\s*(?:[+~]?\d+|\$|/(?:\\.|\[\]?[^\]]*\]|[^/\\])*/[IM]*))?)?\s*!?\s*"
)
_AWK_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_AWK_REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/")
_AWK_COMMENT = re.compile(r"#[^\n]*")
_AWK_VALUED = frozenset(("-F", "-v", "-f", "-i", "-l", "-E", "-W", "--file", "--assign", "--field-separator", "--include", "--load", "--exec"))
_BEFORE_REGEX = frozenset(("", "~", "(", ",", ";", "{", "}", "&", "|", "!", "\n"))


def sed(name: str, call: Call, scope: Scope) -> None:
    """sed: scripts that write or execute ask; -i changes its operands."""
    options = split_options(call.arguments, frozenset(("-e", "-f", "-l", "--expression", "--file", "--line-length")))
    scripts = options.get("-e", "--expression")
    files = options.operands
    if not scripts and not options.has("-f", "--file"):
        scripts, files = files[:1], files[1:]
    for word in scripts:
        _sed_script(word, call, scope)
    for word in options.get("-f", "--file"):
        run_script(call, word, scope)
    in_place = options.has("-i", "--in-place", "-I") or any(re.match(r"-[nErsz]*i", word.text) for word in call.arguments)
    for word in files:
        if in_place:
            write_named(call, word, scope)
        scope.read(call, word)


def _sed_script(word: Word, call: Call, scope: Scope) -> None:
    if not word.static and (re.search(rf"[;{{}}\n]|^{HOLE}", word.text) or re.search(r"[we]\w*$", word.text.rpartition("/")[2])):
        scope.add("dynamic.script", call, "sed")
        return
    text = word.text.replace(HOLE, "x")
    while text.strip():
        text, kind, path = _sed_command(text)
        if kind == "stop":
            scope.add("dynamic.script", call, "sed")
            return
        if kind == "write":
            scope.write(call, Word(path))
        elif kind == "read":
            scope.read(call, Word(path))


def _sed_command(text: str) -> tuple[str, str, str]:
    """(the rest, kind, path): the kind is read, write, stop for what runs a program or is not understood, or ""."""
    text = text.lstrip(" \t\n;}")
    match = _SED_ADDRESS.match(text)
    rest = text[match.end() if match else 0 :]
    letter = rest[:1]
    if letter and letter in "sy":
        return _sed_substitute(rest)
    if letter and letter in "wWrR":
        line, _, after = rest[1:].partition("\n")
        return after, "write" if letter in "wW" else "read", line.strip()
    if letter and letter in "aic":
        line, _, after = rest.partition("\n")
        while line.endswith("\\") and after:
            line, _, after = after.partition("\n")
        return after, "", ""
    known = re.match(r"[dDpPnNgGhHxlqQ=z{}F]\s*\d*|[btT:][^;\n]*|#.*|$", rest)
    return (rest[known.end() :], "", "") if known else ("", "stop", "")


def _sed_substitute(text: str) -> tuple[str, str, str]:
    """s/…/…/flags and y/…/…/: the flags e and w start a program or write a file."""
    delimiter = text[1:2]
    if not delimiter or delimiter in "\n\\":
        return "", "stop", ""
    index, seen = 2, 0
    while index < len(text) and seen < 2:
        seen += text[index] == delimiter
        index += 2 if text[index] == "\\" else 1
    match = re.compile(r"[gpiImM0-9]*").match(text, index)
    rest = text[match.end() if match else index :]
    if rest[:1] == "w":
        line, _, after = rest[1:].partition("\n")
        return after, "write", line.strip()
    ends = seen == 2 and (not rest.strip() or rest.lstrip(" \t")[0] in ";}\n#")
    return (rest, "", "") if ends else ("", "stop", "")


def awk(name: str, call: Call, scope: Scope) -> None:
    """awk: system, pipes and getline from commands ask; output files are checked."""
    options = split_options(call.arguments, _AWK_VALUED)
    files = options.operands
    loaded = [word for word in options.get("-i", "--include") if word.text != "inplace"]
    for word in [*options.get("-f", "--file", "-E", "--exec"), *loaded]:
        run_script(call, word, scope)
    if options.has("-l", "--load", "-W"):
        scope.add("exec.library", call, name)
    for word in call.arguments:  # gawk's listings take a file only where it hangs on the option
        match = re.match(r"(?:-[dDop]|--(?:dump-variables|pretty-print|profile)=)(?=[^-\s])", word.text)
        if match and word.option:
            write_named(call, Word(word.text[match.end() :], word.static), scope)
    in_place = any(word.text == "inplace" for word in options.get("-i", "--include"))
    if not options.has("-f", "--file", "-E", "--exec") and files:
        _awk_program(files[0], call, scope)
        files = files[1:]
    for word in files:
        if re.match(r"^[A-Za-z_]\w*=", word.text):
            continue
        scope.read(call, word)
        if in_place:
            write_named(call, word, scope)


def _awk_bare(text: str) -> tuple[str, list[str]]:
    """The program with each string replaced by S and each regular expression by R, and the strings."""
    out: list[str] = []
    strings: list[str] = []
    last, index = "", 0
    while index < len(text):
        char = text[index]
        pattern = _AWK_STRING if char == '"' else _AWK_REGEX if char == "/" and last in _BEFORE_REGEX else _AWK_COMMENT if char == "#" else None
        match = pattern.match(text, index) if pattern else None
        if match is None:
            out.append(char)
            last = last if char in " \t" else char
            index += 1
            continue
        if char == '"':
            strings.append(match[0][1:-1])
        out.append({'"': " S ", "/": " R "}.get(char, ""))
        last = last if char == "#" else "S"
        index = match.end()
    return "".join(out), strings


def _awk_program(word: Word, call: Call, scope: Scope) -> None:
    if not word.static:
        scope.add("dynamic.script", call, "awk")
        return
    bare, strings = _awk_bare(word.text)
    if re.search(r"\bENVIRON\b", bare):
        scope.add("secret.env", call, "ENVIRON")
    if re.search(r"\bsystem\b|\|\s*&?\s*getline|(?<!\|)\|(?!\|)|@(load|include)|\bARGV\b", bare):
        scope.add("inline.process", call, "awk")
    for place in re.finditer(r"\bprintf?\b([^;}\n]*?)(>>?)(?!=)", bare):
        if place[1].count("(") > place[1].count(")"):
            continue
        if bare[place.end() :].lstrip().startswith("S "):
            scope.write(call, Word(strings[bare[: place.end()].count(" S ")]))
        else:
            scope.add("overwrite.dynamic", call, "awk")
    for place in re.finditer(r"\bgetline\b[^;}\n]*<\s*(S )?", bare):
        if place[1]:
            scope.read(call, Word(strings[bare[: place.start(1)].count(" S ")]))


def inline_language(name: str, call: Call, scope: Scope) -> None:
    """perl, ruby, node, php …: a script file runs like any; inline code only when every name in it is harmless."""
    spec = load_table("inline")[name]
    codes, files = _codes_and_files(spec, call, scope)
    for code in codes:
        if not harmless(code, spec):
            scope.add("inline.code" if code.static else "dynamic.script", call, name)
    if codes:
        in_place = name in ("perl", "ruby") and any(re.match(r"^-[pnlaw0]*i", word.text) for word in call.arguments)
        for word in files:
            scope.read(call, word)
            if in_place:
                write_named(call, word, scope)
    elif files:
        _run_file(name, spec, files[0], call, scope)
    elif call.stdin is not None and not any(word.text in ("-v", "-V", "--version", "-h") for word in call.arguments):
        scope.add("remote.code" if call.stdin.remote else "inline.code", call, name)


def _codes_and_files(spec: Any, call: Call, scope: Scope) -> tuple[list[Word], list[Word]]:
    """The inline codes, and the operands; options that load something ask."""
    arguments = call.arguments
    codes: list[Word] = []
    files: list[Word] = []
    index = 0
    while index < len(arguments):
        word = arguments[index]
        index += 1
        if not word.option:
            files.append(word)
            if not codes:
                break
        elif re.match(spec["code"], word.text):
            rest = re.sub(spec["code"], "", word.text, count=1)
            codes.append(Word(rest, word.static) if rest else arguments[index] if index < len(arguments) else Word(""))
            index += not rest
        elif word.text in spec.get("values", "").split():
            index += 1
        if word.option and re.match(spec.get("veto", "(?!)"), word.text):
            scope.add("exec.library", call, word.text)
    return codes, files


def _run_file(name: str, spec: Any, file: Word, call: Call, scope: Scope) -> None:
    """A script, or a sub-command of the language's own program."""
    rest = call.arguments[call.arguments.index(file) + 1 :]
    verb = spec.get("sub", {}).get(file.text)
    if verb:
        scope.add(verb, call, file.text)
    elif file.text == "run" and name == "deno":
        target = next((word for word in rest if not word.option), Word("-"))
        if "://" in target.text:
            scope.add("remote.code", call, target.text)
        else:
            run_script(call, target, scope)
    elif file.text != "-":
        run_script(call, file, scope)
        if file.text in load_table("subcommands"):
            subcommand(file.text, spec_of(file.text), call.inner((file, *rest)), scope)


def harmless(code: Word, spec: dict[str, str]) -> bool:
    """Whether the code uses only names from the language's list and nothing that runs, opens or interpolates code."""
    if not code.static or re.search(spec["never"], code.text):
        return False
    bare = re.sub(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"" if spec.get("strings") else r"(?!)", " ", code.text)
    if spec.get("regex"):
        bare = re.sub(r"(?<![\w)\]])(?:(?:s|tr|y)/(?:\\.|[^/\\])*|(?:m|qr)?)/(?:\\.|[^/\\])*/[gimsxr]*(?!\w)", " ", bare)
    allowed = frozenset(spec["names"].split())
    return all(name in allowed for name in re.findall(r"(?<![$@%\w])[A-Za-z_]\w*", bare))


def jq(name: str, call: Call, scope: Scope) -> None:
    """jq and yq: the first operand is a program, which may read variables of the environment."""
    options = split_options(call.arguments, frozenset(("--arg", "--argjson", "--indent", "-f", "--from-file", "-L", "--slurpfile", "--rawfile")))
    files = options.operands
    if not options.has("-f", "--from-file") and files:
        if re.search(r"\benv\b|\$ENV\b", files[0].text) and (secret_name(files[0].text) or not re.search(r"(env|ENV)\.", files[0].text)):
            scope.add("secret.env", call, files[0].text)
        files = files[1:]
    for word in [*files, *options.get("-f", "--from-file", "--slurpfile", "--rawfile")]:
        scope.read(call, word)
        if name == "yq" and options.has("-i", "--inplace"):
            write_named(call, word, scope)


def pager(name: str, call: Call, scope: Scope) -> None:
    """less, more: a first command after + may start programs and write files; going to a line or a match may not."""
    for word in call.arguments:
        if word.text.startswith("+") and not re.fullmatch(r"\+{1,2}(\d*[GgFp%]?|[/?][^!|]*)", word.text):
            scope.add("exec.library", call, word.text)
    by_table(name, call, scope)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(("less", "more", "most", "zless", "zmore"), pager),
    "sed": sed,
    "gsed": sed,
    "jq": jq,
    "yq": jq,
    "gojq": jq,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "goawk"), awk),
}


def table_handlers() -> dict[str, Handler]:
    """The languages of tables/inline.json."""
    return dict.fromkeys(load_table("inline"), inline_language)
