"""sed, awk and the inline code of other languages: small readers that know what is harmless, so that the rest asks."""
from __future__ import annotations

import re

from core.guard.programs import Handler, run_script, spec_of, subcommand, write_named
from core.guard.scope import Scope
from core.guard.verdict import load_table
from core.guard.words import HOLE, Call, Word, split_options

_SED_ADDRESS = re.compile(r"\s*(?:(?:\d+(?:~\d+)?|\$|/(?:\\.|\[\]?[^\]]*\]|[^/\\])*/[IM]*|\\(.)(?:(?!\1).)*\1[IM]*)\s*(?:,\s*(?:[+~]?\d+|\$|/(?:\\.|\[\]?[^\]]*\]|[^/\\])*/[IM]*))?)?\s*!?\s*")
_AWK_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_AWK_REGEX = re.compile(r"(?<=[~(,;{&|!\s])/(?:\\.|[^/\\\n])+/|^\s*/(?:\\.|[^/\\\n])+/")


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
    if not word.static and HOLE in word.text:
        if re.search(rf"[;{{}}\n]|^{HOLE}", word.text) or re.search(r"[we]\w*$", word.text.rpartition("/")[2]):
            scope.add("dynamic.script", call, "sed")
            return
    text = word.text.replace(HOLE, "x")
    while text.strip():
        text, target = _sed_command(text)
        if target == "!":
            scope.add("dynamic.script", call, "sed")
            return
        if target:
            scope.write(call, Word(target))


def _sed_command(text: str) -> tuple[str, str]:
    """(the rest, the file written, "!" for what runs a program or is not understood)."""
    text = text.lstrip(" \t\n;}")
    match = _SED_ADDRESS.match(text)
    rest = text[match.end() if match else 0:]
    if not rest:
        return "", ""
    letter = rest[0]
    if letter in "sy":
        return _sed_substitute(rest)
    if letter in "dDpPnNgGhHxlqQ=z{}F":
        return re.sub(r"^.\s*\d*", "", rest, count=1), ""
    if letter in "btT:":
        return re.sub(r"^.[^;\n]*", "", rest, count=1), ""
    if letter in "aicrR":
        line, _, after = rest.partition("\n")
        while line.endswith("\\") and after:
            line, _, after = after.partition("\n")
        return after, ""
    if letter in "wW":
        line, _, after = rest[1:].partition("\n")
        return after, line.strip() or "!"
    return ("", "") if letter == "#" else ("", "!")


def _sed_substitute(text: str) -> tuple[str, str]:
    delimiter = text[1:2]
    if not delimiter or delimiter in "\n\\":
        return "", "!"
    index, seen, bracket = 2, 0, False
    while index < len(text) and seen < 2:
        char = text[index]
        if char == "\\":
            index += 1
        elif char == delimiter:
            seen += 1
        index += 1
    if seen < 2:
        return "", "!" if not bracket else ""
    match = re.match(r"[gpiImM0-9]*", text[index:])
    flags_end = index + (match.end() if match else 0)
    rest = text[flags_end:]
    if rest[:1] == "e":
        return "", "!"
    if rest[:1] == "w":
        line, _, after = rest[1:].partition("\n")
        return after, line.strip() or "!"
    return rest, "" if not rest.strip() or rest.lstrip(" \t")[0] in ";}\n#" else "!"


def awk(name: str, call: Call, scope: Scope) -> None:
    """awk: system, pipes and getline from commands ask; output files are checked."""
    options = split_options(call.arguments, frozenset(("-F", "-v", "-f", "-i", "--file", "--assign", "--field-separator", "-l")))
    files = options.operands
    for word in options.get("-f", "--file"):
        run_script(call, word, scope)
    if options.has("-l", "--load"):
        scope.add("exec.library", call, name)
    in_place = any(word.text == "inplace" for word in options.get("-i", "--include"))
    if not options.has("-f", "--file") and files:
        _awk_program(files[0], call, scope)
        files = files[1:]
    for word in files:
        if re.match(r"^[A-Za-z_]\w*=", word.text):
            continue
        scope.read(call, word)
        if in_place:
            write_named(call, word, scope)


def _awk_program(word: Word, call: Call, scope: Scope) -> None:
    if not word.static:
        scope.add("dynamic.script", call, "awk")
        return
    strings = _AWK_STRING.findall(word.text)
    bare = _AWK_REGEX.sub(" R ", _AWK_STRING.sub(" S ", word.text))
    if re.search(r"\bsystem\b|\|\s*&?\s*getline|(?<!\|)\|(?!\|)|@(load|include)|\bARGV\b|\bENVIRON\b", bare):
        secret = "ENVIRON" in bare and not re.search(r"\bsystem\b|\|", bare)
        scope.add("secret.env" if secret else "inline.process", call, "awk")
    for place in re.finditer(r"\bprintf?\b([^;}\n]*?)(>>?)(?!=)\s*(\S*)", bare):
        if "(" in place[1] and place[1].count("(") > place[1].count(")"):
            continue
        number = bare[:place.end(2)].count(" S ")
        if place[3].startswith("S") or bare[place.end(2):].lstrip().startswith("S "):
            target = strings[number][1:-1] if number < len(strings) else HOLE
            scope.write(call, Word(target))
        else:
            scope.add("overwrite.dynamic", call, "awk")
    for place in re.finditer(r"\bgetline\b[^;}\n]*<\s*S ", bare):
        number = bare[:place.end() - 2].count(" S ")
        if number < len(strings):
            scope.read(call, Word(strings[number][1:-1]))


def inline_language(name: str, call: Call, scope: Scope) -> None:
    """perl, ruby, node, php …: a script file runs like any; inline code only when every name in it is harmless."""
    spec = load_table("inline")[name]
    arguments = call.arguments
    codes: list[Word] = []
    files: list[Word] = []
    in_place = False
    index = 0
    while index < len(arguments):
        word = arguments[index]
        index += 1
        if codes and not word.option or not word.option:
            files.append(word)
            if not codes:
                break
        elif re.match(spec["code"], word.text):
            rest = re.sub(spec["code"], "", word.text, count=1)
            codes.append(Word(rest, word.static) if rest else arguments[index] if index < len(arguments) else Word(""))
            index += 0 if rest else 1
        elif word.text in spec.get("values", "").split():
            index += 1
        elif re.match(spec.get("veto", "(?!)"), word.text):
            scope.add("exec.library", call, word.text)
        in_place = in_place or name == "perl" and bool(re.match(r"^-[pnlaw0]*i", word.text))
    for code in codes:
        if not harmless(code, spec):
            scope.add("inline.code" if code.static else "dynamic.script", call, name)
    if codes:
        for word in files:
            scope.read(call, word)
            if in_place:
                write_named(call, word, scope)
    elif files:
        verb = spec.get("sub", {}).get(files[0].text)
        if verb:
            scope.add(verb, call, files[0].text)
        elif files[0].text == "run" and name == "deno":
            target = next((word for word in arguments[arguments.index(files[0]) + 1:] if not word.option), Word("-"))
            scope.add("remote.code", call, target.text) if "://" in target.text else run_script(call, target, scope)
        elif files[0].text != "-":
            run_script(call, files[0], scope)
            if files[0].text in load_table("subcommands"):
                subcommand(files[0].text, spec_of(files[0].text), call.inner((files[0], *arguments[arguments.index(files[0]) + 1:])), scope)
    elif call.stdin is not None and not any(w.text in ("-v", "-V", "--version", "-h") for w in arguments):
        scope.add("remote.code" if call.stdin.remote else "inline.code", call, name)


def harmless(code: Word, spec: dict[str, str]) -> bool:
    """Whether the code uses only names from the language's list and nothing that runs, opens or interpolates code."""
    if not code.static or re.search(spec["never"], code.text):
        return False
    bare = re.sub(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"" if spec.get("strings") else r"(?!)", " ", code.text)
    if spec.get("regex"):
        bare = re.sub(r"(?<![\w)\]])(?:m|s|qr|tr|y)?/(?:\\.|[^/\\])*/(?:(?:\\.|[^/\\])*/)?[gimsx]*(?!\w)", " ", bare)
    allowed = frozenset(spec["names"].split())
    return all(name in allowed for name in re.findall(r"(?<![$@%\w])[A-Za-z_]\w*", bare))


HANDLERS: dict[str, Handler] = {"sed": sed, "gsed": sed, **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "goawk"), awk),
                                **dict.fromkeys(load_table("inline"), inline_language)}
