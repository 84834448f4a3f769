import json
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from ttt_client.cli.me import run_me
from ttt_client.net import tokens
from ttt_client.net.address import parse_server
from ttt_client.net.dial import MAX_MESSAGE
from ttt_client.terminal.stdout import Output
from ttt_protocol.state import Token


async def test_an_export_is_read_however_long_it_is(
    pages: Callable[[dict[str, bytes | None]], str],
    answer: Callable[..., bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = {"games": ["x" * MAX_MESSAGE]}
    server = parse_server(pages({"/api/me/export": answer(json.dumps(kept))}))
    monkeypatch.setattr(tokens, "default_file", lambda: tmp_path / "client.toml")
    tokens.remember_person(server, Token("t1"))

    async def ask(_: str) -> None:
        return None

    arguments = Namespace(server=server, json=False, text=None, command="me", action="export")
    end = await run_me(arguments, Output(sys.stdout, sys.stderr, ascii_only=False), ask)
    assert end.code == 0, end.words
    assert json.loads(capsys.readouterr().out) == kept
