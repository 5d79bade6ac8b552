"""The rules of the house, held by a test: sizes, who may import whom, a silent core, one catalogue, one list of requirements."""
from __future__ import annotations

import ast
import functools
import json
import re
import shutil
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def tracked_by_git(root: Path) -> list[Path]:
    """The Python files of `root` that git tracks; none where there is no git or `root` is no checkout."""
    try:
        done = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--", "*.py"], capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError:
        return []
    names = done.stdout.split("\0") if done.returncode == 0 else []
    return [root / name for name in names if name and (root / name).is_file()]


def lying_around(root: Path) -> list[Path]:
    """The Python files of `root` without those of skills that are not shipped: a shipped skill has a test of its own."""
    shipped = {file.stem.removeprefix("test_") for file in (root / "tests" / "skills").glob("test_*.py")}
    found = [path for folder in ("core", "ui", "skills", "bench", "tests") for path in (root / folder).rglob("*.py")] + list(root.glob("main_*.py"))
    return [path for path in found if not path.is_relative_to(root / "skills") or path.relative_to(root).parts[1].replace("-", "_") in shipped]


# What a person adds (a skill, a script in the workspace) is theirs: the rules hold for what the project ships.
FILES = sorted(tracked_by_git(ROOT) or lying_around(ROOT))
TESTS = [path for path in FILES if path.is_relative_to(ROOT / "tests")]
SOURCES = [path for path in FILES if path not in TESTS and (path.parent != ROOT or path.name.startswith("main_"))]
CORE = [path for path in SOURCES if path.is_relative_to(ROOT / "core")]
SKILLS = [path for path in SOURCES if path.is_relative_to(ROOT / "skills")]
AREAS = "|".join(file.stem for file in (ROOT / "core" / "locale").glob("*.json"))
FUNCTION_LIMIT = 50
LONGER_FUNCTIONS: dict[str, str] = {}  # "file:function" -> the reason why it may be longer
SPEAKING = {  # modules of the core that may write and exit, with the reason
    "core/bootstrap.py": "runs before there is a handler, or anything else",
    "core/bootstrap_install.py": "its slow half",
    "core/guard_runner.py": "a command-line script of its own",
    "core/launcher/cli.py": "its command line: usage and the self-test's report are its output",
    "core/launcher/supervise.py": "forked processes that must end at once, without the interpreter's tidying up",
    "core/launcher/zygote.py": "forked processes that must end at once, without the interpreter's tidying up",
    "core/launcher/selftest.py": "forked trial processes, whose exit status is the finding",
}
HEAVY = ("httpx", "numpy", "frontmatter", "asyncio", "dotenv", "prompt_toolkit", "rich", "yaml", "websockets", "sounddevice", "argparse", "ssl")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


# --- size ---

def test_files_stay_small() -> None:
    limits = {path: 500 if path in TESTS else 300 if name_of(path) == "core/kernel.py" else 400 for path in [*SOURCES, *TESTS]}
    assert {name_of(path): lines_of(path) for path, limit in limits.items() if lines_of(path) > limit} == {}


def test_functions_fit_on_a_screen() -> None:
    functions = {f"{name_of(path)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1 for path in SOURCES for node in ast.walk(tree_of(path))
                 if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    assert {name: length for name, length in functions.items() if length > FUNCTION_LIMIT and name not in LONGER_FUNCTIONS} == {}


def test_every_module_says_why_it_exists() -> None:
    assert [name_of(path) for path in SOURCES if ast.get_docstring(tree_of(path)) is None] == []


def test_public_classes_and_functions_of_the_core_are_documented() -> None:
    silent = [f"{name_of(path)}:{node.name}" for path in CORE for node in tree_of(path).body
              if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_") and ast.get_docstring(node) is None]
    assert silent == []


# --- who may do what ---

def speaks(node: ast.AST) -> bool:
    """A print, an input, an exit, or a write to the standard streams."""
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        return called in ("print", "input", "exit", "quit", "sys.exit", "os._exit", "sys.stdout.write", "sys.stderr.write", "getpass.getpass")
    return isinstance(node, ast.Raise) and node.exc is not None and ast.unparse(node.exc).startswith("SystemExit")


def test_the_core_never_prints_reads_the_terminal_or_exits() -> None:
    found = [f"{name_of(path)}:{getattr(node, 'lineno', 0)}" for path in CORE if name_of(path) not in SPEAKING
             for node in ast.walk(tree_of(path)) if speaks(node)]
    assert found == []


def test_the_core_imports_no_surface_and_no_skill() -> None:
    found = [f"{name_of(path)}: {name}" for path in CORE for name in imports_of(path) if name.split(".")[0] in ("ui", "skills", "tests", "bench")]
    assert found == []


def test_a_skill_imports_nothing_of_the_program_and_of_no_other_skill() -> None:
    others = {path.relative_to(ROOT / "skills").parts[0] for path in SKILLS} | {"core", "ui", "tests", "skills", "bench"}
    found = [f"{name_of(path)}: {name}" for path in SKILLS for name in imports_of(path) if name.split(".")[0] in others]
    assert found == []


def test_imports_in_the_core_go_round_in_no_circle() -> None:
    modules = {name_of(path)[:-3].replace("/", ".").removesuffix(".__init__"): path for path in CORE}
    wanted = {module: {name for node in tree_of(path).body for name in _targets(node) if name in modules} for module, path in modules.items()}
    while True:
        free = [module for module, needs in wanted.items() if not needs & wanted.keys() - {module}]
        if not free:
            break
        for module in free:
            del wanted[module]
    assert wanted == {}


def _targets(node: ast.stmt) -> Iterator[str]:
    """The modules that a top-level statement of a module loads when it is imported."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_handler_swallows_every_error_unnamed() -> None:
    found = [f"{name_of(path)}:{node.lineno}" for path in SOURCES for node in ast.walk(tree_of(path))
             if isinstance(node, ast.ExceptHandler) and node.type is None]
    assert found == []


def test_importing_the_core_loads_nothing_heavy() -> None:
    modules = [name_of(path)[:-3].replace("/", ".").removesuffix(".__init__") for path in CORE if path.name not in ("guard_runner.py", "__main__.py")]
    code = (f"import importlib, sys\nfor name in {modules!r}:\n    importlib.import_module(name)\n"
            f"    loaded = [heavy for heavy in {HEAVY!r} if heavy in sys.modules]\n    assert not loaded, (name, loaded)\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr.splitlines()[-1]
    assert done.stdout == ""


# --- words ---

def catalogues() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for file in sorted((ROOT / "core" / "locale").glob("*.json")):
        entries = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_no_repeats)
        found.update({f"{file.stem}.{name}": texts for name, texts in entries.items()})
    return found


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a name stands twice: {sorted(name for name in set(names) if names.count(name) > 1)}"
    return dict(pairs)


def placeholders(text: object) -> set[str]:
    whole = "\n".join(text) if isinstance(text, list) else str(text)
    return {name for _, name, _, _ in string.Formatter().parse(whole) if name is not None}


@functools.cache
def strings() -> frozenset[str]:
    """Every string constant of the sources."""
    return frozenset(node.value for path in SOURCES for node in ast.walk(tree_of(path))
                     if isinstance(node, ast.Constant) and isinstance(node.value, str))


@functools.cache
def keys_named() -> frozenset[str]:
    """The strings that look like a whole key; file names such as "bootstrap.py" and event types such as "llm.delta" do not count."""
    key = re.compile(rf"(?:{AREAS})\.[a-z0-9_]*[a-z0-9]")
    events = re.findall(r"\b[a-z]+\.[a-z]+\b", ast.get_docstring(tree_of(ROOT / "core" / "events.py")) or "")
    endings = ("py", "json", "md", "yaml", "txt", "log", "env", "worktree")
    return frozenset(text for text in strings() if key.fullmatch(text) and text not in events and text.rsplit(".", 1)[1] not in endings)


@functools.cache
def keys_built() -> frozenset[re.Pattern[str]]:
    """Patterns of the keys that are put together: f"cli.state_{word}", "cli.action_" + word."""
    start = re.compile(rf"(?:{AREAS})\.(?:[a-z0-9_]*_)?")
    found = {re.escape(text) + "([a-z0-9_]+)" for text in strings() if start.fullmatch(text)}
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant) and start.match(str(node.values[0].value)):
                found.add("".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else "([a-z0-9_]+)" for part in node.values))
    return frozenset(map(re.compile, found))


def is_built(key: str) -> bool:
    """Whether a pattern fits and what it leaves open is a word that the sources know."""
    matches = (pattern.fullmatch(key) for pattern in keys_built())
    return any(match is not None and strings().issuperset(match.groups()) for match in matches)


def test_every_text_stands_in_both_languages_with_the_same_placeholders() -> None:
    wrong = [key for key, texts in catalogues().items()
             if not isinstance(texts, dict) or set(texts) != {"en", "zh"} or placeholders(texts["en"]) != placeholders(texts["zh"])
             or not all(texts.values())]
    assert wrong == []


def test_every_key_that_is_used_exists() -> None:
    known = catalogues()
    assert sorted(key for key in keys_named() if key not in known) == []
    assert [pattern.pattern for pattern in keys_built() if not any(pattern.fullmatch(key) for key in known)] == []


def test_no_key_is_unused() -> None:
    assert sorted(key for key in catalogues() if key not in keys_named() and not is_built(key)) == []


def test_a_key_gets_the_values_that_its_text_asks_for() -> None:
    known = catalogues()
    wrong = []
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if not (isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)):
                continue
            key = node.args[0].value
            texts = known.get(key)
            given = {keyword.arg for keyword in node.keywords}
            direct = ast.unparse(node.func) in ("t", "_say", "_fail") and None not in given
            if direct and isinstance(texts, dict) and placeholders(texts["en"]) - given:
                wrong.append(f"{name_of(path)}:{node.lineno}: {key}")
    assert wrong == []


# --- requirements ---

def demands(file: str) -> list[str]:
    lines = (line.split("#")[0].replace(" ", "") for line in (ROOT / file).read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def test_requirement_lists_are_plain_and_bounded_on_both_sides() -> None:
    for file in ROOT.glob("requirements*.txt"):
        wrong = [line for line in demands(file.name) if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*>=[0-9.]+,<[0-9.]+(?:;.*)?", line)]
        assert (file.name, wrong) == (file.name, [])


def test_what_the_project_was_asked_to_list_is_listed() -> None:
    names = {re.split("[><=;]", line)[0].lower() for line in demands("requirements.txt")}
    assert {"httpx", "python-frontmatter", "colorama", "python-dotenv", "websockets", "sounddevice", "numpy"} <= names


def test_the_package_description_reads_the_same_lists() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'dynamic = ["dependencies", "optional-dependencies"]' in text
    files = set(re.findall(r'file = \["(requirements[a-z-]*\.txt)"\]', text))
    assert files == {file.name for file in ROOT.glob("requirements*.txt")}


def test_every_third_party_import_stands_in_a_list() -> None:
    lists = [line for file in ROOT.glob("requirements*.txt") for line in demands(file.name)]
    listed = {re.split("[><=;]", line)[0].lower().replace("-", "_") for line in lists}
    by_module = {"frontmatter": "python_frontmatter", "dotenv": "python_dotenv", "yaml": "pyyaml", "pyside6": "pyside6_essentials"}
    ours = {"core", "ui", "tests", "skills", "bench"} | {path.stem for path in SOURCES}
    program = [path for path in SOURCES if path.is_relative_to(ROOT / "core") or path.is_relative_to(ROOT / "ui")]
    found = {name.split(".")[0] for path in program for name in imports_of(path)}
    outside = {name for name in found if name and name not in ours and name not in sys.stdlib_module_names}
    assert {name for name in outside if by_module.get(name.lower(), name.lower()) not in listed} == set()


# --- what other tools say ---

@pytest.mark.parametrize(("command", "files"), [
    (["ruff", "check", "--no-cache", "--output-format", "concise"], FILES),
    (["mypy", "--strict"], CORE),
], ids=["ruff", "mypy"])
def test_style_and_types_are_clean(command: list[str], files: list[Path]) -> None:
    done = subprocess.run([sys.executable, "-m", *command, *map(name_of, files)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


# --- which files these rules see ---

def test_the_rules_see_every_part_of_the_project() -> None:
    seen = {name_of(path) for path in FILES}
    assert {"main_cmd.py", "core/kernel.py", "core/protocol.py", "ui/__init__.py", "tests/test_repository_rules.py"} <= seen
    assert {path.relative_to(ROOT / "skills").parts[0] for path in SKILLS} >= {"math-tools", "pyscript"}
    assert [name for name in seen if name.startswith("workspace/")] == []


def test_without_git_all_files_count_but_those_of_a_skill_that_a_person_added(tmp_path: Path) -> None:
    for name in ("core/a.py", "main_cmd.py", "skills/old-one/main.py", "skills/dice/main.py", "tests/skills/test_old_one.py", "workspace/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = {path.relative_to(tmp_path).as_posix() for path in lying_around(tmp_path)}
    assert found == {"core/a.py", "main_cmd.py", "skills/old-one/main.py", "tests/skills/test_old_one.py"}


def test_files_that_git_does_not_track_do_not_count(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    assert tracked_by_git(tmp_path) == []
    (tmp_path / "kept.py").touch()
    (tmp_path / "extra.py").touch()
    for words in (["init", "-q"], ["add", "kept.py"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    assert tracked_by_git(tmp_path) == [tmp_path / "kept.py"]
