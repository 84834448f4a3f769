"""JSON in, of tournaments."""

from pydantic import TypeAdapter

from ttt_protocol import codec
from ttt_protocol.tournament.commands import TournamentCommand
from ttt_protocol.tournament.messages import TournamentMessage, TournamentState

_COMMAND: codec.CommandUnion[TournamentCommand] = codec.CommandUnion(TournamentCommand)
_MESSAGE: TypeAdapter[TournamentMessage] = TypeAdapter(TournamentMessage, config=codec.LATER)
_STATE: TypeAdapter[TournamentState] = TypeAdapter(TournamentState)


def decode_tournament_command(raw: str | bytes) -> TournamentCommand:
    """Decode one command to an event from one frame.

    Raises:
        BadCommand: as by `decode_command`.
    """
    data = raw.encode(errors="surrogatepass") if isinstance(raw, str) else raw
    return codec.decode_command_of(_COMMAND, data)


def decode_tournament_message(raw: str | bytes) -> TournamentMessage:
    """Decode one message of an event from one frame, as tolerantly as any other.

    Raises:
        BadMessage: if it is not a message of an event.
    """
    return codec.decode_from_server(_MESSAGE, raw, "a message of an event")


def decode_tournament(raw: str | bytes) -> TournamentState:
    """Decode an event that was read over HTTP, as tolerantly as a message.

    Raises:
        BadMessage: if it is not an event.
    """
    return codec.decode_from_server(_STATE, raw, "an event")
