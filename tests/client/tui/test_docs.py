"""The picture in the README is what the program draws."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_the_picture_is_as_the_program_draws_it() -> None:
    drawn = subprocess.run(
        [sys.executable, ROOT / "tests/bench/screen.py"], capture_output=True, text=True, check=True
    )
    renew = "python -m tests.bench.screen > docs/screen.svg"
    assert drawn.stdout == (ROOT / "docs/screen.svg").read_text(), renew
