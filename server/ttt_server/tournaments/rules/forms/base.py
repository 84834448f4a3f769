"""What every form returns: the next step of a tournament."""

from typing import NamedTuple

from ttt_protocol.state import Mark, SessionId
from ttt_protocol.tournament.settings import EarlyEnd
from ttt_server.tournaments.rules.values import Entrant


class Pair(NamedTuple):
    """Two players, by seat."""

    X: SessionId
    O: SessionId  # noqa: E741 - its name on the board
    armageddon: bool = False
    again: bool = False
    """Whether the two have just met, as no other player was free."""


class Pairing(NamedTuple):
    """The games of a round, possibly none, or those that an arena can start now."""

    pairs: tuple[Pair, ...] = ()
    byes: tuple[SessionId, ...] = ()
    bye_points: int = 0
    """Half points for a bye."""
    begins_round: bool = True


class Over(NamedTuple):
    """The tournament ends."""

    early: EarlyEnd | None = None


class Candidate(NamedTuple):
    """A player to be paired in the next round of a Swiss."""

    id: SessionId
    points: int
    seats: str
    """The seats of the games so far in order, like `XOX`; empty for a stand-in."""
    opponents: tuple[int, ...]
    """The candidates the player has met, by index."""
    byes: int
    is_late: bool
    """Whether the player has missed rounds and has had no game or bye yet."""
    is_stand_in: bool


class Field(NamedTuple):
    """The players of the next round of a Swiss. Pairing them is a search, in `matching`."""

    candidates: tuple[Candidate, ...]
    """In order of the standings; with a stand-in only if the others are odd in number."""


Step = Pairing | Field | Over | None
"""What happens next; `None` while there is nothing to do."""


def seated(first: Entrant, second: Entrant) -> Pair:
    """Seat two players: X for who had it less often, else not last, else the first."""
    if first.as_x != second.as_x:
        first_is_x = first.as_x < second.as_x
    elif first.last_seat != second.last_seat:
        first_is_x = first.last_seat is not Mark.X and second.last_seat is not Mark.O
    else:
        first_is_x = first.last_seat is not Mark.X
    return Pair(first.id, second.id) if first_is_x else Pair(second.id, first.id)
