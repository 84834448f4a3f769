from pathlib import Path

import pytest

from tests.bench import measures

HERE = Path(__file__).parents[2]
SOURCE = b'''"""A docstring
of two lines."""

import os  # a comment

# another


def f() -> str:
    """One more."""
    return (
        "text"
    )
'''
PAGE = """
<!-- path -->
 1  rooms/hub.py  Hub.submit
 2  rooms/hub.py  Hub.tell
<!-- end -->
<!-- parts -->
- `rooms/hub.py` `core/room.py`
<!-- end -->
"""


def test_code_lines_are_those_with_code() -> None:
    assert measures.code_lines(SOURCE) == 5


def test_the_files_of_a_move_are_counted_once() -> None:
    assert measures.path_of_a_move(PAGE) == (1, 1)


def test_a_name_of_two_classes_is_found() -> None:
    names = measures.class_names(
        {
            "server/ttt_engine/a.py": b"class A: ...\nclass _B: ...",
            "server/ttt_server/b.py": b"class A: ...\nclass _B: ...",
            "server/examples/c.py": b"class A: ...",
        }
    )
    assert names == {"A": ["server/ttt_engine/a.py", "server/ttt_server/b.py"]}
    assert not measures.is_double_in_a_package(names["A"])
    assert measures.is_double_in_a_package(["client/ttt_client/a.py", "client/ttt_client/b.py"])


@pytest.mark.slow
@pytest.mark.heavy
@pytest.mark.skipif(not (HERE / ".git").exists(), reason="git lists the files")
def test_a_checkout_has_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    measures.main([str(HERE), "--names"])
    printed = capsys.readouterr().out
    assert "| code lines | " in printed
    assert "Rules " in printed
