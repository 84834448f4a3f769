import inspect

import pytest

from ttt_client.conformance import games, members, peer, stage, wire
from ttt_client.conformance.checks import CHECKS, UNTRIED
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import BaseCommand

CODE = "".join(inspect.getsource(module) for module in (games, members, peer, stage, wire))
TYPES = [
    kind.model_fields["type"].default
    for kind in BaseCommand.__subclasses__()
    if kind.__module__ == BaseCommand.__module__  # events have commands of their own
]


@pytest.mark.parametrize("name", [*RefusalCode, *TYPES])
def test_each_refusal_and_command_is_tried_or_told(name: str) -> None:
    assert (f'"{name}"' in CODE) is not (name in UNTRIED)


@pytest.mark.parametrize("code", CloseCode)
def test_each_close_is_tried_or_told(code: CloseCode) -> None:
    assert (f"({code})" in CODE) is not (str(code) in UNTRIED)


def test_each_check_is_one_row() -> None:
    assert len(set(CHECKS.values())) == len(CHECKS)
