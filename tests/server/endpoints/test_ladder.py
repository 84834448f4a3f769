import json
import logging
from http import HTTPStatus
from pathlib import Path

import pytest

from ttt_server.endpoints.ladder import read_file
from ttt_server.transport.responses import HttpError

STANDING = {
    "name": "exec:./mybot",
    "elo": 12.5,
    "error": 30,
    "wins": 3,
    "draws": 2,
    "losses": 1,
    "forfeits": 0,
}
LADDER = {"rules": "3x3x3", "standings": [STANDING]}


async def test_the_file_is_read_for_each_request(tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    for standings in ([STANDING], []):
        path.write_text(json.dumps(LADDER | {"standings": standings}))
        assert len((await read_file(path)).standings) == len(standings)


@pytest.mark.parametrize("text", [None, "", "[]", '{"rules": "3x3x3"}', "\xff"])
async def test_an_invalid_file_is_a_503(
    text: str | None, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "ladder.json"
    if text is not None:
        path.write_text(text, "latin-1")
    with caplog.at_level(logging.WARNING), pytest.raises(HttpError) as caught:
        await read_file(path)
    assert caught.value.status is HTTPStatus.SERVICE_UNAVAILABLE
    assert "ladder.json cannot be read" in caplog.text
