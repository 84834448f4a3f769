"""The page's modules that begin with `// @ts-check`, held to the types of the protocol by `tsc`."""

import subprocess
from pathlib import Path

import pytest

from tests.integration.tools import found, missing

ROOT = Path(__file__).parents[2]
TSC = ROOT / "tests/integration/node_modules/typescript/bin/tsc"
PAGE = ROOT / "server/ttt_server/web/js"
TYPES = ROOT / "docs/ttt.d.ts"
HANDLE_MESSAGES = "model/state.js", "model/narration.js", "net/session.js"

OPTIONS = (
    *("--noEmit", "--allowJs", "--target", "esnext"),
    *("--module", "esnext", "--moduleResolution", "bundler"),
)


def checked() -> list[Path]:
    return [path for path in PAGE.rglob("*.js") if path.read_text().startswith("// @ts-check\n")]


def faults(*files: Path) -> str:
    if not TSC.exists():
        missing("typescript (npm ci in tests/integration)")
    command = [found("node"), str(TSC), *OPTIONS, *map(str, files), str(TYPES)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_the_modules_that_handle_messages_are_checked() -> None:
    assert {PAGE / name for name in HANDLE_MESSAGES} <= set(checked())


@pytest.mark.slow
@pytest.mark.heavy
def test_the_modules_agree_with_the_types_of_the_protocol(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.js"
    wrong.write_text(
        "// @ts-check\n"
        f'/** @param {{import("{TYPES.with_suffix("").with_suffix("")}").PlayedEvent}} event */\n'
        "export const wrong = (event) => event.cells;\n"
    )
    # One run for both, because a start of the compiler is most of its time.
    (line,) = [one for one in faults(*checked(), wrong).splitlines() if one[0] != " "]
    assert "wrong.js" in line
    assert "'cells' does not exist" in line
