"""The manual pages, which a wheel installs: made from the parsers, and no word is left out."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.bench.man_pages import FOLDER, pages

MADE = pages()
MAN = shutil.which("man")


@pytest.mark.parametrize("name", MADE)
def test_a_page_has_every_command_and_option_of_its_parser(name: str) -> None:
    """After a change, `python -m tests.bench.man_pages` writes the pages anew."""
    kept = (FOLDER / name).read_text()
    heads = [line for line in MADE[name].splitlines() if line.startswith((".SS", r"\fB"))]
    assert heads == [line for line in kept.splitlines() if line.startswith((".SS", r"\fB"))]


def test_common_options_stand_once_and_examples_as_they_are() -> None:
    page = MADE["ttt-client.1"]
    assert page.count(r"\fB\-\-server URL\fR") == 1
    assert r"  ttt\-client join cellar \-\-vs fair" in page
    assert "exit codes: 0 done" in page


@pytest.mark.skipif(MAN is None, reason="man is not installed")
@pytest.mark.parametrize("name", MADE)
def test_man_shows_it_without_a_warning(name: str) -> None:
    assert MAN
    done = subprocess.run(
        [MAN, "--warnings", "-l", FOLDER / name], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert re.search(r"^COMMANDS", done.stdout, re.MULTILINE)


def test_a_wheel_has_them() -> None:
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    shared = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared == {"docs/man": "share/man/man1"}
