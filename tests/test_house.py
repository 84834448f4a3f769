"""The limits of the house: sizes of files and folders, broad handlers, words, first words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    ROOT / "protocol/ttt_protocol",
    ROOT / "server/ttt_engine",
    ROOT / "server/ttt_server",
    ROOT / "client/ttt_client",
)
MODULES = [path for package in PACKAGES for path in package.rglob("*.py")]
FOLDERS = sorted({path.parent for path in MODULES})
MODULES_OF_A_FOLDER = 16
MODULES_OF_THE_SERVERS_ROOT = 6
LINES_OF_A_MODULE = 400
BOUNDARIES = {
    "ttt_server/ai/worker.py",  # the code of a plug-in
    "ttt_server/concurrency/guard.py",  # a bug of the server's own
    "ttt_server/storage/sqlite/writer.py",  # the store's thread
}
OLD_WORDS = re.compile(r"\b(lane|common way|house|zapper|purse|strangers|census|upkeep|whoever)\b")
FIRST_WORDS = re.compile(r"(?:^|[.:]\s+)(Who|What|One|Of|By|Those)\b")
"""A sentence that begins with one of these hides what it is about."""


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_can_be_kept_in_mind(folder: Path) -> None:
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MODULES_OF_A_FOLDER


def test_the_root_of_the_server_has_few_modules() -> None:
    assert len(list((ROOT / "server/ttt_server").glob("*.py"))) <= MODULES_OF_THE_SERVERS_ROOT


def test_no_module_is_long() -> None:
    long = {path.name: len(path.read_text().splitlines()) for path in MODULES}
    assert {name for name, lines in long.items() if lines > LINES_OF_A_MODULE} == set()


def test_broad_handlers_stand_at_named_boundaries() -> None:
    broad = {path for path in MODULES if "except Exception as" in path.read_text()}
    found = {str(path.relative_to(ROOT / "server")) for path in broad if "ttt_server" in path.parts}
    assert found == BOUNDARIES


def test_words_of_the_past_are_gone() -> None:
    found = [str(path) for path in MODULES if OLD_WORDS.search(path.read_text())]
    assert found == []


def docstrings(path: Path) -> Iterator[ast.Constant]:
    """Return the texts that stand by themselves: of modules, classes, functions and attributes."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def test_sentences_begin_with_what_they_are_about() -> None:
    found = [
        f"{path}:{text.lineno}: {match[1]}"
        for path in MODULES
        for text in docstrings(path)
        for match in FIRST_WORDS.finditer(str(text.value).strip())
    ]
    assert found == []
