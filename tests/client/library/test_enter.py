from typing import Any

import pytest

from ttt_client import BadArgument, CommandRefused, join, watch
from ttt_protocol.codes import RefusalCode

NOWHERE = "ws://127.0.0.1:1"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seat": "Q"}, "seat: must be one of X, O"),
        ({"name": ""}, "name: must have at least 1 character"),
        ({"name": "x" * 25}, "name: must have at most 24 characters"),
        ({"server": "nonsense://x"}, "an address begins with ws://"),
        ({"room": "A B"}, "a room's name is 1 to 32 of a-z"),
    ],
)
async def test_an_argument_that_means_nothing_is_named_before_any_connection(
    given: dict[str, Any], words: str
) -> None:
    with pytest.raises(CommandRefused, match=words) as caught:
        async with join(**{"server": NOWHERE, "room": "den"} | given):
            pass
    assert isinstance(caught.value, BadArgument)
    assert isinstance(caught.value, ValueError)
    assert caught.value.code is RefusalCode.BAD_COMMAND


async def test_the_same_for_spectators() -> None:
    with pytest.raises(ValueError, match="name: must have at least 1 character"):
        async with watch(NOWHERE, "den", name=""):
            pass
