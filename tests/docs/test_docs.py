"""The documents are true: what they show is run, what they link to exists, both languages say the same.

A block that cannot be run here stands below a comment that says why: `<!-- not run: needs an account -->`. `python3 -m tests` is
asked to collect the tests without running them, since this is a test too; README.zh-CN.md holds the blocks of README.md.
"""
from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, SHELLS, Block, Reader, blocks_of, documents, new_reader, read, without_blocks
from ui.cli.arguments import OPTIONS

TALK = "python3 main_cmd.py"  # starts a conversation, so it needs a terminal and somebody who leaves
TESTS = re.compile(r"^python3 -m tests[^#\n]*", re.MULTILINE)
RUN = {file: [block for block in blocks_of(file) if block.language in (*SHELLS, "python") and not block.excuse and TESTS.sub("", block.text).strip()]
       for file in documents() if file != "README.zh-CN.md"}
TEST_COMMANDS = sorted({command.strip() for file in documents() for block in blocks_of(file) if block.language in SHELLS and not block.excuse
                        for command in TESTS.findall(block.text)})


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    """Somebody who follows a document with a copy of their own."""
    if os.name == "nt" or not shutil.which("bash") or not shutil.which("git"):
        pytest.skip("the blocks are for a Unix shell, and git tells the project's files from others")
    return new_reader(tmp_path)


# --- what is shown is run ---

@pytest.mark.parametrize("file", [file for file, blocks in RUN.items() if blocks])
def test_what_a_document_shows_works_when_it_is_followed_from_top_to_bottom(file: str, reader: Reader) -> None:
    for block in RUN[file]:
        if block.language == "python":
            (reader.project / "shown.py").write_text(block.text, encoding="utf-8")
            done = reader.run([".venv/bin/python", "shown.py"])
            assert done.returncode == 0, f"{block.place}\n{done.stdout}"
        elif block.language in ("console", "shell-session"):
            follow_transcript(block, reader)
        elif TALK in block.text.splitlines():
            assert block.text.splitlines() == [TALK], f"{block.place}: a conversation stands in a block of its own"
            talk_and_leave(block, reader)
        else:
            done = reader.run(["bash", "-euo", "pipefail", "-c", TESTS.sub("", block.text)])
            assert done.returncode == 0, f"{block.place}\n{done.stdout}"


@pytest.mark.parametrize("command", TEST_COMMANDS)
def test_the_test_commands_that_documents_show_find_tests(command: str, reader: Reader) -> None:
    done = reader.run(["bash", "-c", command])
    assert done.returncode == 0, done.stdout[-2000:]  # pytest says 5 where nothing is found


def follow_transcript(block: Block, reader: Reader) -> None:
    """Each line that begins with `$ ` prints what stands below it, but for times and places."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        done = reader.run(["bash", "-euo", "pipefail", "-c", command])
        assert done.returncode == 0, f"{block.place}: {command}\n{done.stdout}"
        assert comparable(done.stdout, reader.project) == comparable(shown, reader.project), f"{block.place}: {command}"


def comparable(text: str, project: Path) -> list[str]:
    text = re.sub(r"\d+\.\d+ s\b", "N s", text.replace(str(project), "PROJECT"))
    return [line.rstrip() for line in text.strip().splitlines()]


def talk_and_leave(block: Block, reader: Reader) -> None:
    """Start a conversation at a terminal and type `exit` whenever the program waits."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(["bash", "-c", block.text], cwd=reader.project, env=reader.environment, stdin=theirs, stdout=theirs, stderr=theirs,
                               start_new_session=True)
    os.close(theirs)
    seen, end = b"", time.monotonic() + 60
    try:
        while process.poll() is None and time.monotonic() < end:
            if select.select([ours], [], [], 0.5)[0]:
                try:
                    seen += os.read(ours, 65536)
                except OSError:  # Linux says EIO when the last writer is gone
                    break
            else:
                os.write(ours, b"exit\r")
        assert process.wait(10) == 0, f"{block.place}\n{seen.decode(errors='replace')}"
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert b"skills-agent" in seen


@pytest.mark.parametrize("file", documents())
def test_every_excuse_names_a_reason_and_no_command_hides_in_a_block_without_a_language(file: str) -> None:
    hidden = [block.place for block in blocks_of(file) if not block.language and re.search(r"^(\$ |python3? |bash |pip )", block.text, re.MULTILINE)]
    assert hidden == []
    excuses = [block.excuse for block in blocks_of(file) if block.excuse]
    assert len(re.findall(r"^ *<!-- not run", read(file), re.MULTILINE)) == len(excuses), "a comment that belongs to no block, or gives no reason"
    assert [excuse for excuse in excuses if len(excuse.split()) < 2] == []


def test_a_block_is_excused_only_by_the_comment_right_above_it() -> None:
    text = "<!-- not run: needs an account -->\n\n```bash\nfirst\n```\n\nwords\n\n```sh\nsecond\n```\n"
    assert [(block.line, block.text, block.excuse) for block in blocks_of("x.md", text)] == [(3, "first\n", "needs an account"), (9, "second\n", "")]


def test_the_embedding_program_prints_what_its_page_says(reader: Reader) -> None:
    program, output = next(block for block in blocks_of("docs/embedding.md") if block.language == "python"), next(
        block for block in blocks_of("docs/embedding.md") if block.language == "text")
    assert len(program.text.splitlines()) == 15
    (reader.project / "ask.py").write_text(program.text, encoding="utf-8")
    assert reader.run([".venv/bin/python", "ask.py"]).stdout == output.text


def test_examples_pass_the_exit_code_of_the_run_on(reader: Reader) -> None:
    nothing_fits = ["write", "me", "a", "poem"]
    assert reader.run(["bash", "examples/ci/run.sh", " ".join(nothing_fits)]).returncode == 3
    done = reader.run(["bash", "examples/ci/run.sh", "what is 12!"])
    assert done.stdout.splitlines()[-2:] == ["12! = 479001600", "status: done, steps: 3, tokens: 0"]
    events = (reader.project / "workspace" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert '"run.finished"' in events[-1]


# --- the two READMEs ---

def test_the_readme_is_short() -> None:
    assert {file: len(read(file).splitlines()) for file in ("README.md", "README.zh-CN.md") if len(read(file).splitlines()) > 200} == {}


def test_both_readmes_have_the_same_shape() -> None:
    english, chinese = read("README.md"), read("README.zh-CN.md")
    assert [block.text for block in blocks_of("README.md")] == [block.text for block in blocks_of("README.zh-CN.md")]
    assert levels(english) == levels(chinese)
    assert facts(english) == facts(chinese)
    assert links(english)[1:] == links(chinese)[1:]  # the first leads to the other language


def levels(text: str) -> list[int]:
    return [len(marks) for marks in re.findall(r"^(#+) ", without_blocks(text), re.MULTILINE)]


def facts(text: str) -> list[str]:
    """What may not differ between languages: everything in code marks, every exit code of the table."""
    prose = without_blocks(text)
    return sorted(re.findall(r"`[^`\n]+`", prose)) + re.findall(r"^\| ([0-9]+)", prose, re.MULTILINE)


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", without_blocks(text))


def test_the_table_of_models_is_that_of_env_example() -> None:
    example = read(".env.example")
    ready = re.findall(r"^#API_BASE_URL=(http\S+)\n(?:#API_KEY=.*\n)?#MODEL_NAME=(\S+)", example, re.MULTILINE)
    assert len(ready) == example.count("#API_BASE_URL=http")
    assert re.findall(r"^\|[^|]+\| `(http[^`]+)` \| `([^`]+)` \|", read("README.md"), re.MULTILINE) == ready


def test_the_readme_names_only_options_that_exist() -> None:
    known = {name for option in OPTIONS for name in option.names}
    shown = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", " ".join(re.findall(r"`[^`\n]+`", without_blocks(read("README.md"))))))
    assert shown - known == set()
    assert {"--json", "--auto-approve", "--debug-level", "--skills"} <= shown


def test_the_exit_codes_of_the_readme_are_those_of_the_help(reader: Reader) -> None:
    table = read("README.md").partition("| exit code |")[2].partition("\n\n")[0]
    codes = {int(code) for row in re.findall(r"^\| ([0-9, ]+) \|", table, re.MULTILINE) for code in row.split(",")}
    told = reader.run([sys.executable, "main_cmd.py", "--lang", "en", "--help"]).stdout.partition("Exit codes:")[2]
    assert codes == {int(code) for code in re.findall(r"(?<!\S)(\d+) ", told)}


# --- links and names ---

@pytest.mark.parametrize("file", documents())
def test_links_inside_the_project_lead_somewhere(file: str) -> None:
    broken = []
    for link in links(read(file)):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = (ROOT / file).parent / target if target else ROOT / file
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(link)
    assert broken == []


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", without_blocks(path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("file", ["README.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md", "docs/embedding.md"])
def test_files_of_the_project_that_a_document_names_exist(file: str) -> None:
    named = re.findall(r"`((?:core|ui|tests|docs|examples|bench|skills/math-tools)/[\w./-]+\.\w+|[a-z_]+\.(?:py|toml)|\.ci/run)`", read(file))
    kept = {"main.py", "ask.py", "core/locale/area.json", "core/locale/AREA.json"}  # of a skill, of a reader, a pattern
    assert [name for name in named if name not in kept and not (ROOT / name).exists() and not (ROOT / "core" / name).exists()] == []


def test_the_layout_in_the_architecture_names_what_is_there() -> None:
    tree = next(block.text for block in blocks_of("docs/architecture.md") if "main_cmd.py  " in block.text)
    inside = re.search(r"^core/\n(.*?)^ui/", tree, re.MULTILINE | re.DOTALL)
    assert inside is not None
    named = set(re.findall(r"\b([a-z0-9_]+\.py)\b", inside[1])) | {name + "/" for name in re.findall(r"\b([a-z]+)/", inside[1])}
    there = {path.name + ("/" if path.is_dir() else "") for path in (ROOT / "core").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert named == there - {"__init__.py", "__pycache__/"}
