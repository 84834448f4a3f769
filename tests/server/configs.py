"""Wrong options, as a file or as flags, and the line that they lead to."""

from pathlib import Path
from typing import Any

import pytest

from ttt_server.config.options import InvalidConfig, load


def toml(folder: Path, text: str) -> Path:
    path = folder / "ttt.toml"
    path.write_text(text, encoding="utf-8")
    return path


def fault(flags: dict[str, Any], file: str | Path | None = None) -> str:
    with pytest.raises(InvalidConfig) as caught:
        load(flags, file)
    words = str(caught.value)
    assert "\n" not in words
    return words
