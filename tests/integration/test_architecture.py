"""docs/architecture.md agrees with the code, and with a move of a running server."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.integration.programs import environment
from ttt_server.telemetry.build import BUILD

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "ttt_server"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_FILES, MOST_HELPERS = 9, 10
MOST_CALLS, MOST_OPCODES = 75, 2000
"""Of a move, in our packages, on CPython 3.11: other versions have other bytecode."""
MORE_OF_PERSON = 59
"""Opcodes of a move that a person makes, beside a guest's: 3 %. While both are there, nothing
follows from it later: `test_watch.py` and `test_log_reader.py` have that."""
PACKAGES = {"ttt_client": "client", "ttt_engine": "server", "ttt_protocol": "protocol"}


def block(name: str) -> str:
    """Return the part of the page between the marks of this name."""
    found = re.search(rf"<!-- {name} -->(.*?)<!-- end -->", PAGE, re.DOTALL)
    assert found, name
    return found[1]


STEPS = re.findall(r"^ +\d+ +(\S+\.py) +(\S+) ", block("path"), re.MULTILINE)
PARTS = re.findall(r"`(\S+\.py)`", block("parts"))
PLACES = re.findall(r"^\| .*\? \| `(\S+)` \| `(\w+)` \|$", block("where"), re.MULTILINE)


class Move(NamedTuple):
    """What one move took."""

    calls: list[tuple[str, str]]
    """Each call of our packages: file and function."""
    opcodes: dict[str, int]
    """By file."""


def traced(data: Path, *whose: str) -> Move:
    if BUILD == "compiled":
        pytest.skip("a compiled function has no frame to trace; the same test runs on the source")
    command = sys.executable, str(Path(__file__).with_name("trace_move.py"))
    done = subprocess.run(
        (*command, str(data), *whose),
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found = json.loads(done.stdout)
    return Move([(file, function) for file, function in found["calls"]], found["opcodes"])


@pytest.fixture(scope="module")
def move(tmp_path_factory: pytest.TempPathFactory) -> Move:
    return traced(tmp_path_factory.mktemp("traced"))


@pytest.mark.slow
def test_a_move_takes_the_steps_of_the_page_in_their_order(move: Move) -> None:
    assert STEPS
    rest = iter(move.calls)
    for step in STEPS:
        assert step in rest, f"{step} is not in the trace, or not in its place"


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="opcodes differ between versions")
def test_a_move_takes_no_more_than_this(move: Move) -> None:
    dearest = sorted(move.opcodes.items(), key=lambda each: -each[1])
    assert len(move.calls) <= MOST_CALLS, move.calls
    assert sum(move.opcodes.values()) <= MOST_OPCODES, dearest


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="opcodes differ between versions")
def test_a_move_of_a_person_takes_little_more(move: Move, tmp_path: Path) -> None:
    own = traced(tmp_path, "persons").opcodes
    more = {file: count - move.opcodes.get(file, 0) for file, count in own.items()}
    assert 0 < sum(more.values()) <= MORE_OF_PERSON, more


AFTERWARDS = {"storage/sqlite/chores.py"}
"""What the thread of the store does next; the end of the trace may come before or after it."""


@pytest.mark.slow
def test_a_move_crosses_no_file_that_the_page_does_not_name(move: Move) -> None:
    named = {file for file, _ in STEPS} | set(PARTS)
    crossed = {
        file for file, _ in move.calls if not file.startswith(("ttt_protocol", "ttt_engine"))
    }
    assert crossed - AFTERWARDS == named - AFTERWARDS


def test_the_path_crosses_few_files() -> None:
    steps = {file for file, _ in STEPS}
    assert len(steps) <= MOST_FILES
    assert len(set(PARTS) - steps) <= MOST_HELPERS


def test_twenty_questions_lead_to_a_name() -> None:
    assert 20 <= len(PLACES) == block("where").count("?")
    for file, name in PLACES:
        source = (folder_of(file) / file).read_text(encoding="utf-8")
        definition = rf"^\s*(export |async )*((def|class) {name}\b|{name} = )"
        assert re.search(definition, source, re.MULTILINE), f"{file} {name}"


def folder_of(file: str) -> Path:
    """Return the folder from which the page names a file."""
    package = file.partition("/")[0]
    return ROOT / PACKAGES[package] if package in PACKAGES else SERVER


def test_every_layer_is_in_the_picture() -> None:
    for folder in SERVER.iterdir():
        if folder.is_dir() and folder.name not in ("web", "__pycache__"):
            assert folder.name in block_of_layers(), folder.name


def block_of_layers() -> str:
    return PAGE.split("## The layers of the server")[1].split("##")[0]
