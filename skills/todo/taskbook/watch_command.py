"""`main.py watch`: its own few options, then the watch."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from taskbook.arguments import Usage
from taskbook.words import say

SECONDS = (0.1, 3600.0)
_VALUED = ("interval", "db", "lang")


def watch_command(words: Sequence[str], lang: str, places: Callable[[dict[str, str]], tuple[Path, Path]]) -> int:
    """The exit status of the watch; `places` knows the database and the workspace of the options --db. Raises Usage."""
    options, flags = _options(list(words))
    if "help" in flags:
        print(say("watch.help", lang))
        return 0
    if options.get("lang", "zh") not in ("en", "zh"):
        raise Usage("call.enum", name="--lang", value=options["lang"], allowed="en, zh")
    from taskbook import watch

    interval = _seconds(options["interval"]) if "interval" in options else watch.INTERVAL
    database, workspace = places({name: value for name, value in options.items() if name == "db"})
    return watch.run(database, options.get("lang", lang), workspace, interval=interval, once="once" in flags)


def _options(waiting: list[str]) -> tuple[dict[str, str], set[str]]:
    options: dict[str, str] = {}
    flags: set[str] = set()
    while waiting:
        word = waiting.pop(0)
        name, equals, value = word[2:].partition("=")
        if word in ("-h", "--help", "--once"):
            flags.add("help" if "h" in word[:3] else "once")
        elif not word.startswith("--"):
            raise Usage("call.too_many", value=word[:50])
        elif name not in _VALUED:
            raise Usage("call.unknown_option", name=f"--{name[:50]}")
        elif name in options:
            raise Usage("call.twice", name=f"--{name}")
        elif equals or waiting:
            options[name] = value if equals else waiting.pop(0)
        else:
            raise Usage("call.needs_value", name=f"--{name}")
    return options, flags


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not SECONDS[0] <= seconds <= SECONDS[1]:  # nan is not either
        raise Usage("watch.bad_interval", value=text[:50])
    return seconds
