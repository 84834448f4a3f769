"""The rooms of a tournament's games, which the tournament makes, watches and ends."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ttt_protocol.codes import Choice, Reason
from ttt_protocol.events import Chosen, Ended
from ttt_protocol.state import Human, Mark, RoomName, SeatSettings, SessionId, Settings, Status
from ttt_protocol.tournament.settings import Result, TournamentSettings
from ttt_server.core.evolve import Decision
from ttt_server.core.moderation import NO_HOST
from ttt_server.core.play import end
from ttt_server.core.room import Room, RoomGame, game_of
from ttt_server.core.seating import create
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.tournaments.rules.values import Game, Tournament

_PACE_OF_AIS_S = 1
"""The least time between moves in a game between AIs."""


class Away(NamedTuple):
    """The absent players of a game, and how long the last of them has been away."""

    players: frozenset[SessionId]
    ms: int


NONE_AWAY = Away(frozenset(), 0)


class Seen(NamedTuple):
    """A game as spectators see it, and the time of its latest event, in Unix ms."""

    game: RoomGame
    changed_at: int

    @property
    def is_over(self) -> bool:
        return self.game.outcome is not None


class Boards:
    """The rooms of all tournaments of this server.

    X and O of a tournament's game are the players' first seats; they may swap them in a fair
    opening.
    """

    def __init__(self, hub: Hub, on_end: Callable[[RoomName], None]) -> None:
        """`on_end` is called when a game in a room of ours is over."""
        self._hub = hub
        self._on_end = on_end

    async def open(self, it: Tournament, game: Game) -> LiveRoom:
        """Return the room of a game, in memory; make it if necessary.

        Raises:
            StorageFailed: if it cannot be read or made.
            Refused: `server_full`.
        """
        self._hub.observers.observe(game.room, self._changed)
        humans = {
            mark: Human(id=player, name=it[player].name, person=it[player].person)
            for mark, player in zip(Mark, (game.X, game.O), strict=True)
            if it[player].ai is None
        }
        make = partial(_make, settings_of(it, game), humans)
        return await self._hub.upkeep.change(game.room, make)

    def seen(self, game: Game) -> Seen | None:
        """Return a game as spectators see it; `None` if they cannot see it now."""
        live = self._hub.registry.get(game.room)
        if live is None or (board := live.seen.game) is None or board.number != 1:
            return None
        return Seen(board, live.seen.changed_at)

    def is_playing(self, game: Game) -> bool:
        """Return whether the game is under way in a room in memory."""
        live = self._hub.registry.get(game.room)
        return live is not None and live.room.status is Status.PLAYING

    def is_swapped(self, game: Game) -> bool:
        """Return whether the players of a game under way have swapped seats."""
        live = self._hub.registry.get(game.room)
        return live is not None and live.room.game is not None and live.room.game.is_swapped

    async def result(self, game: Game) -> tuple[Result, str] | None:
        """Return the result of a game, by first seats; `None` while it goes on.

        Raises:
            StorageFailed: if the room cannot be read.
        """
        live = self._hub.registry.get(game.room)
        if live is None or live.room.game is None:
            return None
        if live.room.game.number == 1:
            outcome, is_swapped = live.room.game.outcome, live.room.game.is_swapped
        else:  # the players have started another game
            record = await self._hub.reader.read_game(game.room, 1)
            events = () if record is None else record.events
            outcome = next((it.outcome for it in events if isinstance(it, Ended)), None)
            is_swapped = any(isinstance(it, Chosen) and it.choice is Choice.SWAP for it in events)
        if outcome is None:
            return None
        if outcome.winner is None:
            return Result.DRAW, outcome.reason.value
        began_as = outcome.winner.other if is_swapped else outcome.winner
        return Result(began_as.value), outcome.reason.value

    def away(self, game: Game, now: int) -> Away:
        """Return which players of a game are away; `now` in Unix ms."""
        live = self._hub.registry.get(game.room)
        if live is None:
            return NONE_AWAY
        x_since, o_since = live.away_since(Mark.X), live.away_since(Mark.O)
        if x_since is None and o_since is None:
            return NONE_AWAY
        in_x, in_o = (game.O, game.X) if self.is_swapped(game) else (game.X, game.O)
        gone = {in_x: x_since, in_o: o_since}
        since = {player: at for player, at in gone.items() if at is not None}
        return Away(frozenset(since), now - max(since.values()))

    def give_time(self, game: Game, by: int) -> None:
        """Give `by` ms back to the clocks and the absent players of a game."""
        self._hub.timers.give(game.room, by)

    async def end(self, game: Game) -> None:
        """End a game whose result the tournament has decided.

        Raises:
            StorageFailed: if the room cannot be read or written.
        """
        self._hub.observers.ignore(game.room)
        await self._hub.upkeep.change(game.room, partial(_end, game))

    def _changed(self, live: LiveRoom) -> None:
        if live.room.status is not Status.PLAYING:
            self._hub.observers.ignore(live.room.name)
            self._on_end(live.room.name)


def settings_of(it: Tournament, game: Game) -> Settings:
    """Return the settings of the room of a game."""
    wished: TournamentSettings = it.settings
    x, o = it[game.X].ai, it[game.O].ai
    return Settings(
        rules=wished.rules,
        seats=SeatSettings(X=x or "human", O=o or "human"),
        clock=wished.clock,
        days=wished.days,
        opening=wished.opening,
        grace_s=wished.grace_s,
        delay_s=wished.delay_s,
        pace_s=0 if x is None or o is None else _PACE_OF_AIS_S,
    )


def _make(settings: Settings, humans: dict[Mark, Human], room: Room, now: int) -> Decision:
    if room.seq:
        return Decision(room)
    return create(room.name, settings, now, host=NO_HOST, humans=humans)


def _end(game: Game, room: Room, now: int) -> Decision:
    if room.status is not Status.PLAYING:
        return Decision(room)
    winner = Mark(game.result.value) if game.result in (Result.X, Result.O) else None
    if winner is not None and game_of(room).is_swapped:
        winner = winner.other
    return end(room, Reason.ABANDONMENT, winner, now)
