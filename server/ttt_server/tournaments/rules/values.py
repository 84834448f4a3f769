"""A tournament as a value: settings, entrants, games. Pure.

Points are counted in halves, as integers: 2 for a win, 1 for a draw.
"""

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ttt_protocol.state import AiSetting, Mark, PersonId, RoomName, SessionId
from ttt_protocol.tournament.settings import (
    EarlyEnd,
    Form,
    Result,
    TournamentName,
    TournamentSettings,
)

WIN, DRAW = 2, 1
"""Half points."""

REPLACED, CORRECTED = "replaced", "corrected"
"""Reasons for results: another game replaced this one; the organiser set the result."""

NOT_PLAYED_OUT = frozenset({"absent", "forfeit", "removed", "withdrew"})
"""Reasons for results that were not reached on the board."""


class Game(NamedTuple):
    """A game of the tournament, played in its own room."""

    number: int
    round: int
    X: SessionId
    O: SessionId  # noqa: E741 - its name on the board
    room: RoomName
    at: int
    """When the players were paired, in Unix ms."""
    result: Result | None = None
    reason: str = ""
    is_corrected: bool = False
    """Whether the organiser set the result."""
    armageddon: bool = False
    """Whether a draw counts as a win for O, as in the last game of a tie."""
    again: bool = False
    """Whether the two had just met, and no other player was free."""

    @property
    def is_open(self) -> bool:
        return self.result is None

    @property
    def counts(self) -> bool:
        return self.result not in (None, Result.VOID)

    @property
    def winner(self) -> SessionId | None:
        """The player who won, taking `armageddon` into account."""
        if self.result is Result.X:
            return self.X
        if self.result is Result.O or (self.result is Result.DRAW and self.armageddon):
            return self.O
        return None

    @property
    def is_drawn(self) -> bool:
        return self.result is Result.DRAW and not self.armageddon

    def opponent(self, player: SessionId) -> SessionId:
        return self.O if player == self.X else self.X

    def seat(self, player: SessionId) -> Mark | None:
        if player == self.X:
            return Mark.X
        return Mark.O if player == self.O else None


Presence = Literal["active", "withdrawn", "removed"]


class Entrant(NamedTuple):
    """A player of the tournament, with the totals of all games so far.

    Each game changes two: 1.5 us each as a named tuple, 8 us as a frozen data class.
    """

    id: SessionId
    name: str
    number: int
    """The order of entering, from 1."""
    ai: AiSetting | None = None
    is_bot: bool = False
    is_stand_in: bool = False
    """Whether the player is only paired to avoid a bye."""
    status: Presence = "active"
    may_return: bool = True
    """Whether a removed player may enter again."""
    bonus: int = 0
    """Half points without a game: byes, and rounds missed by coming late."""
    byes: tuple[int, ...] = ()
    """The rounds of the byes."""
    points: int = 0
    """Half points, including the bonus and what a streak doubles."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    streak: int = 0
    """The current number of wins in a row."""
    as_x: int = 0
    """Games as X minus games as O."""
    last_seat: Mark | None = None
    last_opponent: SessionId | None = None
    free_since: int = 0
    """When the last game ended, or when the player entered, in Unix ms."""
    renamed_at: int = 0
    """When the player was last renamed, in Unix ms; 0 for never."""
    person: PersonId | None = None
    """Who plays, if the name is kept on the server."""

    @property
    def is_active(self) -> bool:
        return self.status == "active"

    @property
    def played(self) -> int:
        return self.wins + self.draws + self.losses


Status = Literal["created", "running", "paused", "finished"]


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament as of event number `seq`."""

    name: TournamentName
    title: str = ""
    settings: TournamentSettings = field(
        default_factory=lambda: TournamentSettings(form=Form.ARENA)
    )
    seq: int = 0
    status: Status = "created"
    doors_open: bool = True
    """Whether players may enter."""
    opened_at: int = 0
    started_at: int = 0
    ends_at: int | None = None
    """When an arena is over, in Unix ms."""
    paused_at: int = 0
    changed_at: int = 0
    round: int = 0
    called: frozenset[SessionId] | None = None
    """The players who are left out of the round that the organiser begins; `None` before that."""
    entrants: dict[SessionId, Entrant] = field(default_factory=dict)
    """In the order of entering. Never mutated: `with_entrants` makes a new one."""
    games: tuple[Game, ...] = ()
    """Game number n is at n - 1."""
    open_games: tuple[int, ...] = ()
    """The numbers of the games without a result."""
    announcements: tuple[str, ...] = ()
    organisers: frozenset[SessionId] = frozenset()
    ended_early: EarlyEnd | None = None
    """Why it ended before everything was played."""

    def __getitem__(self, player: SessionId) -> Entrant:
        return self.entrants[player]

    @property
    def active(self) -> tuple[Entrant, ...]:
        """The players who may be paired, without a stand-in."""
        return tuple(it for it in self.entrants.values() if it.is_active and not it.is_stand_in)

    @property
    def listed(self) -> list[Entrant]:
        """The players in the standings: not removed, and not an unused stand-in."""
        return [
            it
            for it in self.entrants.values()
            if it.status != "removed" and not (it.is_stand_in and not it.played)
        ]

    @property
    def busy(self) -> frozenset[SessionId]:
        """The players who have a game now."""
        open_games = [self.games[number - 1] for number in self.open_games]
        return frozenset([game.X for game in open_games] + [game.O for game in open_games])

    def game(self, number: int) -> Game:
        """Return the game of this number.

        Raises:
            KeyError: if there is none.
        """
        if not 1 <= number <= len(self.games):
            raise KeyError(number)
        return self.games[number - 1]

    def games_of_round(self, number: int) -> tuple[Game, ...]:
        return tuple(game for game in self.games if game.round == number)

    def game_of(self, player: SessionId) -> Game | None:
        """Return the first open game of a player."""
        games = map(self.game, self.open_games)
        return next((game for game in games if player in (game.X, game.O)), None)

    def met(self) -> frozenset[frozenset[SessionId]]:
        """Return the pairs of players who have played each other or are playing now."""
        return frozenset(
            frozenset((game.X, game.O)) for game in self.games if game.result is not Result.VOID
        )

    def session_of(self, person: PersonId) -> SessionId | None:
        """Return the player as whom a person takes part; `None` if they do not."""
        return next((it.id for it in self.entrants.values() if it.person == person), None)

    def with_entrants(self, *changed: Entrant) -> "Tournament":
        entrants = self.entrants | {entrant.id: entrant for entrant in changed}
        return replace(self, entrants=entrants)
