"""The wall of a tournament: its liveliest boards, sent to those who watch them.

Each further watcher only costs a delivery: boards are chosen and encoded once a second for all
watchers, and only while there are any.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ttt_protocol.codec import encode_message
from ttt_protocol.state import RoomName
from ttt_protocol.tournament.messages import Boards as BoardsMessage
from ttt_protocol.tournament.messages import WallBoard
from ttt_server.core.snapshot import game_state
from ttt_server.rooms.announcer import Sender
from ttt_server.rooms.live_room import Recipient
from ttt_server.tournaments.boards import Boards, Seen
from ttt_server.tournaments.rules.values import Game, Tournament

MOST = 15
"""The most boards to show."""

EVERY_S = 1.0
"""How often to look at the boards."""

STILL_MS = 10_000
"""A board gives way to one that moved this much later, so that boards do not hop about."""

LINGER_MS = 4_000
"""How long the board of an ended game stays."""


def choose(
    shown: Sequence[RoomName], boards: Mapping[RoomName, Seen], now: int
) -> tuple[RoomName, ...]:
    """Return the boards to show; those that stay keep their places.

    Args:
        shown: the boards shown so far.
        boards: all boards under way, and the shown ones that are still visible.
        now: Unix ms, as spectators see it.
    """
    waiting = [room for room, it in boards.items() if not it.is_over and room not in shown]
    waiting.sort(key=lambda room: boards[room].changed_at)  # the liveliest is taken first
    places: list[RoomName | None] = [
        room if room in boards and not _is_past(boards[room], now) else None for room in shown
    ]
    places += [None] * (MOST - len(places))
    for place, room in enumerate(places):
        if room is None and waiting:
            places[place] = waiting.pop()
    while waiting:
        under_way = [room for room in places if room is not None and not boards[room].is_over]
        stillest = min(under_way, key=lambda room: boards[room].changed_at, default=None)
        livelier = waiting.pop()
        if stillest is None or boards[livelier].changed_at < boards[stillest].changed_at + STILL_MS:
            break
        places[places.index(stillest)] = livelier
    return tuple(room for room in places if room is not None)


def _is_past(it: Seen, now: int) -> bool:
    return it.is_over and now >= it.changed_at + LINGER_MS


@dataclass(eq=False, slots=True)
class Wall:
    """Sends a tournament's liveliest boards to its watchers."""

    it: Callable[[], Tournament]
    """Returns the current tournament."""
    boards: Boards
    broadcaster: Sender
    now: Callable[[], int]
    """Returns Unix ms."""
    _watchers: dict[Recipient, None] = field(default_factory=dict)
    _shown: tuple[Game, ...] = ()
    _told: bytes = b""
    """The newest message."""
    _timer: asyncio.TimerHandle | None = None

    def add(self, watcher: Recipient) -> None:
        """Send a watcher the boards now and after each change."""
        if not self._watchers:
            self._told = b""
            self._tick()
        self._watchers[watcher] = None
        watcher.send(self._told)

    def discard(self, watcher: Recipient) -> None:
        """Stop sending boards to a watcher."""
        self._watchers.pop(watcher, None)
        if not self._watchers:
            self.stop()

    def stop(self) -> None:
        """Stop sending boards."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(EVERY_S, self._tick)
        message = encode_message(BoardsMessage(boards=self._look()))
        if message != self._told:
            self._told = message
            self.broadcaster.add(tuple(self._watchers), message)

    def _look(self) -> tuple[WallBoard, ...]:
        """Choose the boards, and return them as spectators see them."""
        it = self.it()
        now = self.now() - round(it.settings.delay_s * 1000)
        games = {game.room: game for game in (*self._shown, *map(it.game, it.open_games))}
        seen = {room: board for room, game in games.items() if (board := self.boards.seen(game))}
        chosen = choose([game.room for game in self._shown], seen, now)
        self._shown = tuple(games[room] for room in chosen)
        return tuple(_board(it, game, seen[game.room]) for game in self._shown)


def _board(it: Tournament, game: Game, seen: Seen) -> WallBoard:
    x, o = (game.O, game.X) if seen.game.is_swapped else (game.X, game.O)
    return WallBoard(
        number=game.number,
        room=game.room,
        X=it[x].name,
        O=it[o].name,
        game=game_state(seen.game, None),
    )
