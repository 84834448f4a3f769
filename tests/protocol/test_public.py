"""What `ttt_protocol` itself exports."""

import subprocess
import sys
from typing import get_args

import pytest

import ttt_protocol
from ttt_protocol import codec, codes, commands, events, messages, state

UNIONS = ("Command", commands), ("Event", events), ("Message", messages)


def test_every_name_is_there() -> None:
    assert sorted(ttt_protocol.__all__) == sorted(set(ttt_protocol.__all__))
    homes = codec, codes, commands, events, messages, state
    for name in ttt_protocol.__all__:
        exported = getattr(ttt_protocol, name)
        assert any(getattr(home, name, None) is exported for home in homes), name
    assert dir(ttt_protocol) == sorted(ttt_protocol.__all__)


def test_the_unions_come_with_their_members() -> None:
    for name, home in UNIONS:
        members = [kind.__name__ for kind in get_args(get_args(getattr(home, name))[0])]
        assert {name, *members} <= set(ttt_protocol.__all__)


def test_there_is_no_other_name() -> None:
    with pytest.raises(AttributeError, match="'Colour'"):
        _ = ttt_protocol.Colour  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        from ttt_protocol import Colour  # type: ignore[attr-defined] # noqa: F401, PLC0415


def test_a_submodule_does_not_import_the_models() -> None:
    heavy = "import sys, ttt_protocol.text; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", heavy], check=False).returncode == 0
