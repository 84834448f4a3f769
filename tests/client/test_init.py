import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ttt_client
from ttt_client import RoomSession, dial
from ttt_client.net import dial as dialing
from ttt_client.net import session


def test_the_public_names_are_those_of_their_modules() -> None:
    assert RoomSession is session.RoomSession
    assert dial is dialing.dial
    assert dir(ttt_client) == sorted(ttt_client.__all__)
    for name in ttt_client.__all__:
        assert getattr(ttt_client, name) is not None


def test_the_stub_names_the_same() -> None:
    stub = ast.parse(Path(ttt_client.__file__).with_suffix(".pyi").read_text())
    imported = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == ttt_client._HOMES  # type: ignore[attr-defined]
    (listed,) = (node.value for node in stub.body if isinstance(node, ast.Assign))
    assert sorted(ast.literal_eval(listed)) == sorted(ttt_client.__all__)


def test_there_is_no_other_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        ttt_client.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_the_package_alone_imports_nothing_slow() -> None:
    slow = "assert not {'asyncio', 'pydantic', 'websockets', 'typing'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"import sys, ttt_client; {slow}"], check=True)
