"""The picture in the README is what the program draws."""

import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.slow
def test_the_picture_is_as_the_program_draws_it() -> None:
    drawn = subprocess.run(
        [sys.executable, DOCS / "screen.py"], capture_output=True, text=True, check=True
    )
    assert drawn.stdout == (DOCS / "screen.svg").read_text(), "python docs/screen.py renews it"
