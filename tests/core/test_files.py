"""core/files.py: text in every encoding, pages, writes that never lose the old file."""
from __future__ import annotations

import difflib
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ActionError
from core.files import create_inside, page, read_text, short_diff, write_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_chinese_text_is_read_in_every_usual_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("会议：周三上午十点，在三楼\n第二行".encode(encoding))
    assert read_text(tmp_path, path, "a.txt") == "会议：周三上午十点，在三楼\n第二行"


@pytest.mark.parametrize("raw, kind", [(b"\x89PNG\r\n\x1a\n", "PNG image"), (b"%PDF-1.7", "PDF document"), (b"ab\0cd", "binary file")])
def test_a_binary_file_is_refused_with_its_kind_and_size(tmp_path: Path, raw: bytes, kind: str) -> None:
    path = tmp_path / "b.bin"
    path.write_bytes(raw)
    with pytest.raises(ActionError) as caught:
        read_text(tmp_path, path, "b.bin")
    assert kind in caught.value.detail and f"{len(raw)} bytes" in caught.value.detail


def test_pages_are_counted_from_one_and_numbered_on_request() -> None:
    text = "a\nb\nc\nd\n"
    assert page(text, None, None, False) == ("a\nb\nc\nd", "4 lines")
    assert page(text, 2, 2, False) == ("b\nc", "lines 2-3 of 4")
    assert page(text, 4, 9, True) == ("    4  d", "lines 4-4 of 4")
    with pytest.raises(ActionError):
        page(text, 5, None, False)


def test_writing_creates_folders_replaces_and_appends(tmp_path: Path) -> None:
    path = tmp_path / "x" / "y" / "a.txt"
    write_text(tmp_path, path, "a.txt", "one\n", append=False)
    write_text(tmp_path, path, "a.txt", "two\n", append=True)
    assert path.read_text() == "one\ntwo\n"
    write_text(tmp_path, path, "a.txt", "three", append=False)
    assert path.read_text() == "three" and os.listdir(path.parent) == ["a.txt"]


def test_replacing_keeps_the_permissions_of_a_script(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text("old")
    path.chmod(0o755)
    write_text(tmp_path, path, "run.sh", "new", append=False)
    assert path.stat().st_mode & 0o777 == 0o755


def test_a_lone_surrogate_cannot_crash_a_write(tmp_path: Path) -> None:
    write_text(tmp_path, tmp_path / "s.txt", "s.txt", "a\ud800b", append=False)
    assert (tmp_path / "s.txt").read_text() == "a?b"


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from core.errors import ActionError
from core.files import write_text
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
for append in (False, True):
    try:
        write_text(Path(sys.argv[1]).parent, Path(sys.argv[1]), "a.txt", "x" * 5000, append)
    except ActionError as error:
        print(error.code)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no file size limit on this system")
def test_a_write_that_does_not_fit_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("precious")
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["not_written", "not_written"]
    assert path.read_text() == "precious" and os.listdir(tmp_path) == ["a.txt"]


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ActionError) as caught:
        write_text(tmp_path, tmp_path / "file" / "a.txt", "file/a.txt", "x", append=False)
    assert caught.value.code == "not_written" and "file/a.txt" in caught.value.detail


def test_a_diff_is_short_and_given_up_for_large_texts() -> None:
    assert short_diff("a\nb\n", "a\nc\n").splitlines()[1:] == [" a", "-b", "+c"]
    assert len(short_diff("", "x\n" * 500).splitlines()) == 21
    assert short_diff("", "x" * 300_000) == ""


@given(st.text(max_size=30), st.integers(0, 30))
def test_the_diff_of_a_new_file_is_what_a_comparison_says(line: str, count: int) -> None:
    after = "\n".join([line] * count)
    expected = list(difflib.unified_diff([], after.splitlines(), lineterm="", n=1))[2:]
    assert short_diff("", after, 10_000).split("\n") == (expected or [""])
    assert short_diff(after, after) == ""


@pytest.mark.parametrize("name", ["..", "../a.txt", "folder/../../a.txt"])
def test_a_path_that_climbs_out_of_its_root_is_not_opened(tmp_path: Path, name: str) -> None:
    root = tmp_path / "workspace"
    (root / "folder").mkdir(parents=True)
    with pytest.raises(ActionError):
        write_text(root, root / name, "x", "evil", append=False)
    assert os.listdir(tmp_path) == ["workspace"]


def test_a_link_that_appears_after_the_check_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("precious")
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "a.txt").symlink_to(tmp_path / "outside" / "a.txt")
    for path in (root / "folder" / "a.txt", root / "folder" / "new.txt"):
        with pytest.raises(ActionError):
            write_text(root, path, "x", "evil", append=False)
    with pytest.raises(ActionError):
        write_text(root, root / "a.txt", "x", "evil", append=True)
    with pytest.raises(ActionError):
        read_text(root, root / "a.txt", "x")
    with pytest.raises(OSError):
        create_inside(root, root / "folder" / "spool.txt")
    write_text(root, root / "a.txt", "x", "mine", append=False)
    assert (tmp_path / "outside" / "a.txt").read_text() == "precious" and os.listdir(tmp_path / "outside") == ["a.txt"]


def test_appending_never_writes_into_a_hard_link(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("precious")
    root = tmp_path / "workspace"
    root.mkdir()
    os.link(tmp_path / "outside.txt", root / "a.txt")
    write_text(root, root / "a.txt", "a.txt", " more", append=True)
    assert (tmp_path / "outside.txt").read_text() == "precious" and (root / "a.txt").read_text() == "precious more"


def test_a_pipe_in_the_place_of_a_file_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ActionError):
        read_text(tmp_path, tmp_path / "pipe", "pipe")


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
def test_appending_keeps_the_encoding_of_the_file(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("会议在三楼\n".encode(encoding))
    write_text(tmp_path, path, "a.txt", "主讲人赵敏\n", append=True)
    assert read_text(tmp_path, path, "a.txt") == "会议在三楼\n主讲人赵敏\n"


def test_lines_are_counted_as_other_tools_count_them() -> None:
    assert page("a\fb\u2028c\r\nd\n", None, None, False) == ("a\fb\u2028c\nd", "2 lines")
    assert page("a\nb\n", 0, -2, False) == ("a\nb", "2 lines") and page("", None, None, False) == ("", "0 lines")


@pytest.mark.parametrize("append", [False, True])
@pytest.mark.parametrize("content", [b"SQLite format 3\0" + b"\0" * 100, b"\x89PNG\r\n\x1a\n" + b"\0" * 50, b"text, then\0zero"])
def test_a_file_that_is_no_text_is_neither_replaced_nor_added_to(content: bytes, append: bool, tmp_path: Path) -> None:
    path = tmp_path / "todo.db"
    path.write_bytes(content)
    with pytest.raises(ActionError) as caught:
        write_text(tmp_path, path, "todo.db", "a new text", append)
    assert caught.value.code == "binary" and path.read_bytes() == content
