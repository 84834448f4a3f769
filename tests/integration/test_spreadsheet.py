"""The page reads and writes CSV as the terminal does."""

import json
import shutil
import subprocess
from pathlib import Path

from tests.client.text.test_spreadsheet import CASES

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "server/ttt_server/web/js/model/spreadsheet.js"
PROGRAM = """
import { csvLine, readPairs } from "./spreadsheet.mjs";
const { pairs, bad, lines } = JSON.parse(process.argv[1]);
const read = [...pairs, ...bad].map(([text]) => readPairs(text));
console.log(JSON.stringify({ read, lines: lines.map(([cells]) => csvLine(cells)) }));
"""


def test_the_page_has_the_same_cases(tmp_path: Path) -> None:
    shutil.copy(MODULE, tmp_path / "spreadsheet.mjs")
    node = shutil.which("node")
    assert node is not None
    command = (node, "--input-type=module", "-e", PROGRAM, json.dumps(CASES))
    answer = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    done = json.loads(answer.stdout)
    expected = [{"pairs": pairs} for _, pairs in CASES["pairs"]]
    expected += [{"bad": line} for _, line in CASES["bad"]]
    for (text, _), found, wanted in zip(
        CASES["pairs"] + CASES["bad"], done["read"], expected, strict=True
    ):
        assert found == wanted, repr(text)
    assert done["lines"] == [line for _, line in CASES["lines"]]
