import inspect

from ttt_client.conformance import games, members, stage, wire
from ttt_client.conformance.run import CHECKS, UNTRIED
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import BaseCommand

CODE = "".join(inspect.getsource(module) for module in (games, members, stage, wire))
TYPES = [
    kind.model_fields["type"].default
    for kind in BaseCommand.__subclasses__()
    if kind.__module__ == BaseCommand.__module__  # events have commands of their own
]


def test_each_refusal_command_and_close_is_tried_or_told() -> None:
    written = {name: f'"{name}"' for name in (*RefusalCode, *TYPES)}
    written |= {str(code): f"({code})" for code in CloseCode}
    untried = {name for name, text in written.items() if text not in CODE}
    assert untried == written.keys() & UNTRIED.keys()


def test_each_check_is_one_row() -> None:
    assert len(set(CHECKS.values())) == len(CHECKS)
