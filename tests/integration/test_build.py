"""The wheel where it cannot be compiled; the gate plays with one that is."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.programs import environment
from ttt_server import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
COMPLAINT = "not compiled, which costs speed and nothing else"


def build(folder: Path, **variables: str) -> tuple[int, str, list[str]]:
    """The status, what was said, and the wheels that were made."""
    command = sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder
    done = subprocess.run(
        command, cwd=ROOT, env=environment(**variables), capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr, [path.name for path in folder.glob("*.whl")]


@pytest.mark.parametrize(
    ("variables", "is_told"),
    [({"CC": "false"}, sys.platform == "linux"), ({"TTT_COMPILE": "0"}, False)],
)
def test_without_a_compiler_or_the_wish_the_wheel_is_plain(
    tmp_path: Path, variables: dict[str, str], is_told: bool
) -> None:
    status, said, wheels = build(tmp_path, **variables)
    assert status == 0, said
    assert wheels == [f"ttt_rooms-{__version__}-py3-none-any.whl"]
    assert (COMPLAINT in said) is is_told


def test_a_build_that_must_compile_makes_no_plain_wheel_and_heeds_no_settings_nearby(
    tmp_path: Path,
) -> None:
    """Anybody can write into a shared folder, and mypy would run a plugin that settings name."""
    (tmp_path / "plugin.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nplugins = {tmp_path / 'plugin.py'}\n")
    made = tmp_path / "made"
    made.mkdir()
    status, said, wheels = build(made, CC="false", TTT_COMPILE="1", TMPDIR=str(tmp_path))
    assert status != 0
    assert "NotCompiled: it takes a C compiler" in said
    assert not wheels
    assert not (tmp_path / "ran").exists()
