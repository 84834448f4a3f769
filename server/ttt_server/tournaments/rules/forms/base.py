"""The questions to every form of a tournament: who plays whom next, and is it over."""

from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol

from ttt_protocol.state import Mark, SessionId
from ttt_server.tournaments.rules.values import Entrant, Tournament


class Pair(NamedTuple):
    """Two players, by seat."""

    X: SessionId
    O: SessionId  # noqa: E741 - its name on the board
    armageddon: bool = False
    again: bool = False
    """Whether the two have just met, and no other player was free."""


class Pairing(NamedTuple):
    """The games of a round, or of a moment of an arena."""

    pairs: tuple[Pair, ...] = ()
    byes: tuple[SessionId, ...] = ()
    """Players who are left over."""
    bye_points: int = 0
    """Half points for a bye."""
    begins_round: bool = True
    """Whether these are the games of a new round."""


NOTHING = Pairing()


class FormRules(Protocol):
    """The rules of a form. All are pure functions of the tournament."""

    def pairing(self, tournament: Tournament, present: AbstractSet[SessionId], now: int) -> Pairing:
        """Return what is to be played next; nothing while it is not clear yet, or all is played.

        Args:
            tournament: it is running.
            present: the players who are connected; only an arena asks.
            now: Unix ms.
        """

    def is_over(self, tournament: Tournament, now: int) -> bool:
        """Return whether all games have been played."""


def by_standing(tournament: Tournament) -> list[Entrant]:
    """Return the active players, the most points first, and then as they entered."""
    return sorted(tournament.active, key=lambda it: (-it.points, it.number))


def seated(first: Entrant, second: Entrant) -> Pair:
    """Return who of two plays X: who had it less often, then not last, then the first."""
    if first.as_x != second.as_x:
        first_is_x = first.as_x < second.as_x
    elif first.last_seat != second.last_seat:
        first_is_x = first.last_seat is not Mark.X and second.last_seat is not Mark.O
    else:
        first_is_x = first.last_seat is not Mark.X
    return Pair(first.id, second.id) if first_is_x else Pair(second.id, first.id)
