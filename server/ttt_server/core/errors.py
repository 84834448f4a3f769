"""The errors of the core.

Exception
├── Refused      a command is not carried out; the client is told the code
└── InvalidLog   events that contradict each other: a fault of the server or the disk
    └── LacksPackage   the game of the room is a plug-in's that this server lacks

`evolve` also lets the engine's `IllegalMove` through, for a log with such a move.
"""

from ttt_protocol.codes import REASONS, RefusalCode


class Refused(Exception):
    """The command is not carried out, and nothing has changed.

    `legal` has the cells that could be played instead. With `shows_room` the refusal carries the
    state, because the sender's is out of date.
    """

    def __init__(
        self,
        code: RefusalCode,
        reason: str | None = None,
        *,
        legal: tuple[int, ...] | None = None,
        shows_room: bool = False,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.reason = reason or REASONS[code]
        self.legal = legal
        self.shows_room = shows_room


class InvalidLog(Exception):
    """Events that no room can have had. Never a client's fault."""


class LacksPackage(InvalidLog):
    """The room's game needs a package that is not installed. The room is good, and stays unread."""
