"""The errors of a command become one line and an exit status."""

from collections.abc import Callable

import pytest

from ttt_server.cli.command import command
from ttt_server.cli.console import FAILED, WRONG_USAGE, CommandParser
from ttt_server.config.options import InvalidConfig
from ttt_server.storage.base import CannotOpen, StorageFailed


class Unknown(Exception):
    """An error that only one command knows."""


def raising(error: Exception) -> Callable[[list[str]], int]:
    @command("ttt-server try", "Fail.", wrong=(LookupError,), failed=(OSError,))
    def run(_parser: CommandParser, _: list[str]) -> int:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidConfig("--port: must be a number"), WRONG_USAGE),
        (KeyError("no such strategy"), WRONG_USAGE),
        (CannotOpen("there is no database"), FAILED),
        (StorageFailed("the disk is full"), FAILED),
        (OSError("the disk is gone"), FAILED),
    ],
)
def test_known_errors_are_told_in_one_line(
    error: Exception, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert raising(error)([]) == status
    assert capsys.readouterr().err == f"ttt-server try: {error}\n"


def test_other_errors_are_bugs_and_come_out() -> None:
    with pytest.raises(Unknown):
        raising(Unknown())([])


def test_the_status_of_a_command_is_its_own() -> None:
    assert command("ttt-server try", "Succeed.")(lambda *_: 3)([]) == 3
