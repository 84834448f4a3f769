"""The errors of a place in a room.

RoomError
├── CommandRefused   a command is not carried out, and says why
│   └── BadArgument  it was not sent: an argument of it means nothing
└── RoomClosed       the place in the room is gone; nothing more comes
Where no server is reached, `dial` has the errors: `Unreachable` and `Rejected`. A command whose
fate a lost connection hides raises `NotConnected`.
"""

from typing import NoReturn

from ttt_client.net.dial import Rejected, Unreachable
from ttt_client.net.session import Ending
from ttt_protocol.codes import RefusalCode


class RoomError(Exception):
    """The base of the errors in a room."""


class CommandRefused(RoomError):
    """A command was refused, and nothing changed. `code` is for programs."""

    def __init__(
        self, code: RefusalCode, reason: str, legal: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.legal = legal
        """The cells that may be played, where the server named them."""


class BadArgument(CommandRefused, ValueError):
    """A command was refused before it was sent. `reason` names the argument."""

    def __init__(self, reason: str) -> None:
        super().__init__(RefusalCode.BAD_COMMAND, reason)


class RoomClosed(RoomError):
    """The place in the room is gone: left, taken over by another connection, or closed."""


def raise_ending(end: Ending) -> NoReturn:
    """Raise the error for the end of a session.

    Raises:
        CommandRefused: the `join` was refused.
        Unreachable, Rejected: there was no connection.
        RoomClosed: otherwise.
    """
    why = end.words or "the session is over"
    if end.refusal is not None:
        raise CommandRefused(end.refusal, end.reason or why)
    if end.code == 3:
        raise Unreachable(why)
    if end.code == 4:
        raise Rejected(why)
    raise RoomClosed(why)
