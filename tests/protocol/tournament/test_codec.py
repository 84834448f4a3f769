"""Commands and messages of events, as JSON."""

import pytest

from ttt_protocol.codec import BadMessage
from ttt_protocol.state import Token
from ttt_protocol.tournament.codec import (
    decode_tournament,
    decode_tournament_command,
    decode_tournament_message,
)
from ttt_protocol.tournament.commands import Start
from ttt_protocol.tournament.messages import Invitation


@pytest.mark.parametrize("raw", ['{"type":"start","id":"1"}', b'{"type":"start","id":"1"}'])
def test_a_command_to_an_event(raw: str | bytes) -> None:
    assert decode_tournament_command(raw) == Start(id="1")


def test_a_message_of_an_event_is_read_as_tolerantly_as_any_other() -> None:
    raw = '{"type":"invitation","token":"a.b","colour":"green"}'
    assert decode_tournament_message(raw) == Invitation(token=Token("a.b"))
    with pytest.raises(BadMessage):
        decode_tournament_message('{"type":"weather"}')


def test_what_is_no_event() -> None:
    with pytest.raises(BadMessage, match="not an event: "):
        decode_tournament(b"there is nothing here\n")
