"""Words and simple commands as the parsers hand them to the tables, whatever the shell."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

HOLE = "\x00"  # stands in a word's text for a part whose value is not known


@dataclass(frozen=True)
class Word:
    """One argument. `text` is its value with HOLE for each unknown part; `glob` marks pattern characters that the shell expands."""

    text: str
    static: bool = True
    glob: bool = False
    quoted: bool = False
    names: tuple[str, ...] = ()

    @property
    def option(self) -> bool:
        """Whether the program will read this word as an option."""
        return len(self.text) > 1 and self.text[0] == "-"


@dataclass(frozen=True)
class Stdin:
    """What a command reads on its standard input: a text known now, or something known only when it runs.

    `remote`: it may come from the network. `names`: it lists files of the workspace, one a line. `environment`: it shows variables.
    `path`: it is this file.
    """

    text: str | None = None
    remote: bool = False
    names: bool = False
    environment: bool = False
    path: Word | None = None


@dataclass(frozen=True)
class Call:
    """A simple command: `words[0]` is the program. `start` and `end` are offsets in the text that the person sees."""

    words: tuple[Word, ...]
    start: int
    end: int
    stdin: Stdin | None = None
    depth: int = 0

    @property
    def name(self) -> str:
        return self.words[0].text

    @property
    def arguments(self) -> tuple[Word, ...]:
        return self.words[1:]

    def inner(self, words: tuple[Word, ...]) -> Call:
        """The command that this wrapper starts."""
        return replace(self, words=words, depth=self.depth + 1)


@dataclass
class Options:
    """Arguments split into options (name -> values, None where there is none) and operands."""

    values: dict[str, list[Word | None]] = field(default_factory=dict)
    operands: list[Word] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        return any(name in self.values for name in names)

    def get(self, *names: str) -> list[Word]:
        return [word for name in names for word in self.values.get(name, ()) if word is not None]


def split_options(
    arguments: tuple[Word, ...], valued: frozenset[str] = frozenset(), *, stop_at_operand: bool = False, single_dash_long: bool = False
) -> Options:
    """Separate options from operands the way getopt does; `valued` names the options that take a value."""
    result = Options()
    index = 0
    while index < len(arguments):
        word = arguments[index]
        index += 1
        if word.text == "--":
            result.operands.extend(arguments[index:])
            break
        if not word.option:
            result.operands.append(word)
            if stop_at_operand:
                result.operands.extend(arguments[index:])
                break
            continue
        index = _option(word, arguments, index, valued, result, single_dash_long)
    return result


def _option(word: Word, arguments: tuple[Word, ...], index: int, valued: frozenset[str], result: Options, long: bool) -> int:
    text = word.text
    if text.startswith("--") or long:
        name, equals, value = text.partition("=")
        if equals:
            result.values.setdefault(name, []).append(replace(word, text=value))
        elif name in valued and index < len(arguments):
            result.values.setdefault(name, []).append(arguments[index])
            index += 1
        else:
            result.values.setdefault(name, []).append(None)
        return index
    for place in range(1, len(text)):
        name = "-" + text[place]
        if name not in valued:
            result.values.setdefault(name, []).append(None)
            continue
        rest = text[place + 1 :]
        if rest:
            result.values.setdefault(name, []).append(replace(word, text=rest))
        elif index < len(arguments):
            result.values.setdefault(name, []).append(arguments[index])
            index += 1
        break
    return index
