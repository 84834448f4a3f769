"""A command that is not carried out."""

from ttt_protocol.codes import REASONS, RefusalCode


class Refused(Exception):
    """The command is not carried out and nothing has changed.

    `legal` holds the cells that could be played instead. With `shows_room`, the refusal should
    carry the state, as the sender has an old one.
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
