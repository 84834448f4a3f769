import json
import runpy
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TYPES = "ttt.d.ts"
NAMES = ["protocol.schema.json", "asyncapi.json", "export.schema.json"]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "new" / "docs"
    monkeypatch.setattr(sys, "argv", ["ttt_protocol", str(folder)])
    runpy.run_module("ttt_protocol", run_name="__main__")
    return folder


def test_the_documents_are_those_of_the_code(written: Path) -> None:
    assert sorted(path.name for path in written.iterdir()) == sorted([*NAMES, TYPES])
    renew = "renew it: python -m ttt_protocol docs"
    assert (DOCS / TYPES).read_text() == (written / TYPES).read_text(), renew
    for name in NAMES:
        assert json.loads((DOCS / name).read_bytes()) == json.loads(
            (written / name).read_bytes()
        ), f"docs/{name} is not what the code says; renew it: python -m ttt_protocol docs"


def test_they_are_made_for_reading(written: Path) -> None:
    for name in NAMES:
        text = (written / name).read_text(encoding="utf-8")
        assert text.endswith("\n}\n")
        assert json.dumps(json.loads(text), indent=2) + "\n" == text
