"""The wheel as it is built by default; the gate plays with one that is compiled."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.programs import environment
from ttt_server import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PLAIN = f"ttt_rooms-{__version__}-py3-none-any.whl"


def build(folder: Path, source: Path = ROOT, **variables: str) -> tuple[int, str, list[str]]:
    """Build a wheel; return the status, the output and the names of the wheels in the folder."""
    command = sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder
    done = subprocess.run(
        command,
        cwd=source,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr, [path.name for path in folder.glob("*.whl")]


def requirements(**variables: str) -> list[str]:
    """Return the packages that a build asks for."""
    program = "import hatchling.build; print(*hatchling.build.get_requires_for_build_wheel())"
    command = sys.executable, "-c", program
    done = subprocess.run(
        command, cwd=ROOT, env=environment(**variables), capture_output=True, text=True, check=True
    )
    return [word for word in done.stdout.split() if word[0].isalpha()]


@pytest.mark.parametrize("variables", [{}, {"TTT_COMPILE": ""}, {"TTT_COMPILE": "0"}])
def test_a_plain_build_asks_for_nothing(variables: dict[str, str]) -> None:
    assert requirements(**variables) == []


@pytest.mark.parametrize("variables", [{}, {"TTT_COMPILE": "0"}])
def test_a_build_is_plain_and_needs_no_compiler(tmp_path: Path, variables: dict[str, str]) -> None:
    # A path without programs has no compiler either.
    status, said, wheels = build(tmp_path, ROOT, **variables, CC="false", PATH=str(tmp_path))
    assert status == 0, said
    assert wheels == [PLAIN]


def test_a_compiled_build_asks_for_a_compiler_and_our_requirements() -> None:
    asked = " ".join(requirements(TTT_COMPILE="1"))
    for package in ("mypy", "setuptools", "pydantic", "websockets"):
        assert package in asked


def test_a_wish_that_is_not_understood_fails(tmp_path: Path) -> None:
    status, said, wheels = build(tmp_path, TTT_COMPILE="yes")
    assert status != 0
    assert "NotCompiled: TTT_COMPILE is 'yes': it must be 0 or 1" in said
    assert not wheels


def checkout_that_compiles(folder: Path, module: str) -> Path:
    """Copy what a build needs to a folder, where it compiles this module alone."""
    without = shutil.ignore_patterns("__pycache__")
    for package in ("protocol", "server", "client"):
        shutil.copytree(ROOT / package, folder / package, ignore=without)
    for name in ("hatch_build.py", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, folder / name)
    settings = (ROOT / "pyproject.toml").read_text()
    before, mark, rest = settings.partition("\nmodules = [")
    after = rest.partition("\n]")[2]
    (folder / "pyproject.toml").write_text(f"{before}{mark}{module!r}]{after}")
    return folder


def test_a_list_that_names_a_missing_module_fails(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    checkout = checkout_that_compiles(tmp_path / "checkout", "ttt_server/telemetry/none.py")
    wheels.mkdir()
    status, said, built = build(wheels, checkout, TTT_COMPILE="1")
    assert status != 0
    assert "lists modules that do not exist: ttt_server/telemetry/none.py" in said
    assert not built


@pytest.mark.heavy
def test_a_build_that_cannot_compile_fails_and_reads_no_settings_nearby(tmp_path: Path) -> None:
    """Any user may write to the folder for temporary files; a plug-in of mypy would be run."""
    (tmp_path / "plugin.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nplugins = {tmp_path / 'plugin.py'}\n")
    made = tmp_path / "made"
    made.mkdir()
    small = "ttt_engine/outcome.py"  # imports little
    checkout = checkout_that_compiles(tmp_path / "checkout", small)
    status, said, wheels = build(made, checkout, CC="false", TTT_COMPILE="1", TMPDIR=str(tmp_path))
    assert status != 0
    assert "NotCompiled: it takes a C compiler" in said
    assert not wheels
    assert not (tmp_path / "ran").exists()
