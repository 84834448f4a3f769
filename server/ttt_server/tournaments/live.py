"""A tournament in memory: its value, its connections, and its loop."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ttt_engine.arena.ratings import Rating
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import CloseCode
from ttt_protocol.state import Mark, RoomName, SessionId
from ttt_protocol.tournament import messages
from ttt_protocol.tournament.settings import Result
from ttt_server.ai.process_pool import NoAnswer
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.limits.rates import TokenBucket
from ttt_server.rooms.announcer import Sender
from ttt_server.rooms.live_room import Recipient
from ttt_server.rooms.tokens import TokenSigner
from ttt_server.storage.base import Conflict, StorageFailed
from ttt_server.tournaments.boards import Away, Boards
from ttt_server.tournaments.log import TournamentLog
from ttt_server.tournaments.pairer import Pairer
from ttt_server.tournaments.rules.advance import absent, advance, ended_all, next_step
from ttt_server.tournaments.rules.events import Decision
from ttt_server.tournaments.rules.forms import Field, Over, Pairing
from ttt_server.tournaments.rules.values import Game, Tournament
from ttt_server.tournaments.view import SHOWN, rated, removed_players, tournament_state
from ttt_server.tournaments.wall import Wall

logger = logging.getLogger(__name__)

TICK_S = 1.0
"""How often to check who is away, and to announce changes."""

GATHER_S = 0.2
"""The least time between two counts of ended games."""

_AHEAD_MS = 1500
"""How far ahead a pause stops the clocks: longer than the interval between checks."""

ON_THE_WAY_MS = 5_000
"""How long a player without a connection may be loading another page."""

Role = Literal["player", "organiser", "watcher"]

Decide = Callable[[Tournament, int], Decision]
"""Decides on a tournament at a time in Unix ms."""

_ATTEMPTS = 3
"""How often to decide again when another server has written to the log."""


@dataclass(eq=False, slots=True)
class EventMember:
    """A connection to a tournament."""

    listener: Recipient
    role: Role
    session: SessionId | None = None


ANNOUNCE_EVERY_S = 5.0
"""The time between two announcements, beyond the first few."""

_ANNOUNCED_AT_ONCE = 5


class Means(NamedTuple):
    """What all tournaments of a server share."""

    log: TournamentLog
    boards: Boards
    broadcaster: Sender
    pairer: Pairer
    signer: TokenSigner
    now: Callable[[], int]


class LiveTournament:
    """A tournament in memory. Every change is decided, logged, and only then announced."""

    def __init__(self, it: Tournament, means: Means) -> None:
        self.it = it
        self._log, self._boards, self._broadcaster, self._pairer, self._signer, self._now = means
        self._changed: Callable[[Tournament], None] = lambda _: None
        self._lock = asyncio.Lock()
        self._members: dict[EventMember, None] = {}
        self.wall = Wall(lambda: self.it, self._boards, self._broadcaster, self._now)
        self._is_news = False
        """Whether something has changed since the state was last sent."""
        self._over: set[RoomName] = set()
        """Rooms whose ended game is not counted yet."""
        self._playing: set[int] = set()
        """The open games whose rooms have been made."""
        self._told_heads: tuple[str, int, tuple[str, ...]] | None = None
        """The status, round and announcements that everyone was last sent."""
        self._told_removed = self.removed()
        """The removed players, as last sent to the organisers."""
        self._told: set[int] = set()
        """The games whose players have been told."""
        self._at_boards: frozenset[SessionId] = frozenset()
        """The players who were in the room of their game at the last check."""
        self._left: dict[SessionId, int] = {}
        """When players were disconnected, in Unix ms."""
        self._held_until = 0
        """Until when a pause stops the clocks, in Unix ms; 0 without a pause."""
        self._loaded_at = self._now()
        self.announcements = TokenBucket(1 / ANNOUNCE_EVERY_S, _ANNOUNCED_AT_ONCE, 0)
        """The pace of announcements, by `monotonic`."""
        self._rated: tuple[int, dict[SessionId, Rating]] = (0, {})
        """The ratings, and the event number they belong to."""
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    # People

    @property
    def present(self) -> frozenset[SessionId]:
        """The players who are connected."""
        sessions = (it.session for it in self._members if it.role == "player")
        return frozenset(session for session in sessions if session is not None)

    @property
    def here(self) -> frozenset[SessionId]:
        """The players who are connected, at a board, or on the way from one page to another."""
        since = self._now() - ON_THE_WAY_MS
        on_the_way = (session for session, at in self._left.items() if at > since)
        return self.present | self._at_boards | frozenset(on_the_way)

    @property
    def is_deserted(self) -> bool:
        return not self._members

    def enter(self, member: EventMember) -> None:
        """Add a connection."""
        self._members[member] = None
        self._news()

    def exit(self, member: EventMember) -> None:
        """Remove a connection."""
        if self._members.pop(member, member) is None:
            if member.session is not None:
                self._left[member.session] = self._now()
            self.wall.discard(member.listener)
            self._news()

    def dismiss(self, code: CloseCode) -> None:
        """Close all connections with a goodbye."""
        for member in tuple(self._members):
            member.listener.dismiss(code)

    def state(self, most: int | None = SHOWN) -> messages.TournamentState:
        """Return the tournament as everyone sees it, with at most this many rows and games."""
        return tournament_state(self.it, self.present | self._at_boards, self._now(), most)

    async def whole_state(self) -> messages.TournamentState:
        """Return the whole state; once it is over, with ratings, computed in a thread."""
        it = self.it
        if it.status == "finished" and self._rated[0] != it.seq:
            self._rated = it.seq, await asyncio.to_thread(rated, it)
        here = self.present | self._at_boards
        ratings = self._rated[1] if self._rated[0] == self.it.seq else {}
        return tournament_state(self.it, here, self._now(), None, ratings)

    def removed(self) -> messages.RemovedPlayers:
        """Return the removed players, for organisers."""
        return removed_players(self.it)

    def games_of(self, player: SessionId) -> messages.YourGames:
        """Return a player's current games."""
        return self._games_of({player})[player]

    def _games_of(self, players: AbstractSet[SessionId]) -> dict[SessionId, messages.YourGames]:
        own: dict[SessionId, list[messages.OwnGame]] = {player: [] for player in players}
        for game in map(self.it.game, sorted(self._playing)):
            for player in (game.X, game.O):
                if player in own:
                    own[player].append(self._own(game, player))
        return {player: messages.YourGames(games=tuple(games)) for player, games in own.items()}

    def name_room(self, number: int) -> RoomName:
        """Return a name for the room of a game, partly random: nobody can take it beforehand."""
        return RoomName(f"{self.it.name}-{number}-{secrets.token_hex(2)}")

    # Changes

    def subscribe(self, changed: Callable[[Tournament], None]) -> None:
        """Call `changed` with the tournament after each change."""
        self._changed = changed

    async def change(self, decide: Decide) -> Decision:
        """Apply a decision once it is logged, and return it.

        Raises:
            Refused: by `decide`.
            StorageFailed: if nothing was changed.
        """
        async with self._lock:
            for _ in range(_ATTEMPTS):
                decision = decide(self.it, self._now())
                if not decision:
                    return ()
                try:
                    after = await self._log.append(self.it, decision)
                except Conflict:
                    self.it = await self._log.load(self.it.name)
                    self._changed(self.it)
                    continue
                self.it = after
                self._changed(after)
                self._news()
                if self._running is not None and self._running.done():
                    self._tell_state()  # the loop has ended
                return decision
            raise StorageFailed(f"event {self.it.name}: other servers keep writing to it")

    async def reload(self) -> None:
        """Read the log again: it tells the same in other words.

        Raises:
            StorageFailed: if it cannot be read.
        """
        async with self._lock:
            self.it = await self._log.load(self.it.name)
        self._changed(self.it)
        self._news()

    def _news(self) -> None:
        self._is_news = True
        self._wake.set()

    def board_is_over(self, room: RoomName) -> None:
        """Count the game of a room soon."""
        self._over.add(room)
        self._wake.set()

    def start(self, tasks: TaskOwner) -> None:
        """Run its loop in a task of this owner."""
        self._running = tasks.start(self._run())

    def stop(self) -> None:
        """Stop its loop and its wall."""
        self.wall.stop()
        if self._running is not None:
            self._running.cancel()

    async def _run(self) -> None:
        """Run the tournament until it is finished and everyone has been told."""
        loop = asyncio.get_running_loop()
        told_at = swept_at = -TICK_S
        while self.it.status != "finished" or self._is_news or self._playing:
            began = loop.time()
            is_sweep = began >= swept_at + TICK_S
            if is_sweep:
                swept_at = began
            try:
                await self._step(is_sweep=is_sweep)
            except (StorageFailed, Refused, NoAnswer) as error:
                logger.error("event %s is held up: %s", self.it.name, error)
            is_open = self._playing.issuperset(self.it.open_games)  # the rooms of all games
            if self._is_news and is_open and loop.time() >= told_at + TICK_S:
                told_at = loop.time()
                self._tell_state()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(max(swept_at, told_at) + TICK_S):
                    await self._wake.wait()
            # Games of a large arena end all the time: count them in batches.
            await asyncio.sleep(began + GATHER_S - loop.time())
            self._wake.clear()

    async def _step(self, *, is_sweep: bool) -> None:
        """Count ended games and pair players; on a sweep, also check who is away."""
        over, self._over = self._over, set()
        games = [
            game
            for game in map(self.it.game, self.it.open_games)
            if game.room in over or (is_sweep and not self._boards.is_playing(game))
        ]
        await self._count(games)
        await self._advance()
        for number in self.it.open_games:
            if number not in self._playing:
                await self._boards.open(self.it, self.it.game(number))
                self._playing.add(number)
        if is_sweep:
            await self._look_who_is_away()
        self._hold_clocks()
        closed = self._playing.difference(self.it.open_games)
        for number in closed:
            await self._boards.end(self.it.game(number))
        self._playing -= closed
        self._tell_games()

    async def _advance(self) -> None:
        """Take all automatic steps: pair players, begin a round, end.

        A round of a Swiss is only used if the same players still wait when it has been found.
        """
        asked: Field | None = None
        found: Pairing | Over | None = None

        def decide(it: Tournament, now: int) -> Decision:
            step = next_step(it, self.present, now)
            if isinstance(step, Field):
                step = found if step == asked else None
            return advance(it, step, now, self.name_room)

        while True:
            if await self.change(decide):
                continue
            step = next_step(self.it, self.present, self._now())
            if not isinstance(step, Field):
                return
            asked, found = step, await self._pairer.find_round(step)

    async def _count(self, games: Iterable[Game]) -> None:
        """Record the results of ended games, all at once."""
        results: list[tuple[int, Result, str]] = []
        for game in games:
            await self._boards.open(self.it, game)
            self._playing.add(game.number)
            outcome = await self._boards.result(game)
            if outcome is not None:
                results.append((game.number, *outcome))
        if results:
            await self.change(lambda it, now: ended_all(it, results, now))

    def _hold_clocks(self) -> None:
        """Stop the clocks of all games during a pause."""
        now, it = self._now(), self.it
        if it.status == "paused":
            until = now + _AHEAD_MS
            from_ = self._held_until or max(it.paused_at, self._loaded_at)
        elif self._held_until:
            from_, until = self._held_until, now
        else:
            return
        for number in self._playing.intersection(it.open_games):
            self._boards.give_time(it.game(number), until - from_)
        self._held_until = until if it.status == "paused" else 0

    async def _look_who_is_away(self) -> None:
        """Check who is absent from open games, and for how long."""
        now, at_boards = self._now(), set[SessionId]()
        for number in self._playing.intersection(self.it.open_games):
            game = self.it.game(number)
            away = self._boards.away(game, now)
            at_boards |= {game.X, game.O}
            if away.players:
                at_boards -= away.players
                await self._count_absent(number, away)
        if at_boards != self._at_boards:
            self._at_boards = frozenset(at_boards)
            self._news()

    async def _count_absent(self, number: int, away: Away) -> None:
        await self.change(lambda it, now: absent(it, number, away.players, away.ms, now))

    # Messages

    def _tell_state(self) -> None:
        """Send the state to everyone but players at a board, who only need their board.

        They are only told of changes of the status, the round or the announcements, and of the
        rest once they are free: a state is large, and in an arena nearly everyone is at a board.
        """
        self._is_news = False
        it = self.it
        heads = (it.status, it.round, it.announcements)
        busy = frozenset[SessionId]() if heads != self._told_heads else it.busy
        self._told_heads = heads
        recipients = [each.listener for each in self._members if each.session not in busy]
        if recipients:
            payload = encode_message(messages.TournamentUpdate(event=self.state()))
            self._broadcaster.add(recipients, payload, is_state=True)
        self._tell_removed()

    def _tell_removed(self) -> None:
        """Tell the organisers who was removed, if that has changed."""
        removed = self.removed()
        if removed != self._told_removed:
            self._told_removed = removed
            for member in self._members:
                if member.role == "organiser":
                    member.listener.send(encode_message(removed))

    def _tell_games(self) -> None:
        """Send players their games, if they have changed."""
        changed = self._playing ^ self._told
        self._told = set(self._playing)
        games = map(self.it.game, changed)
        own = self._games_of({player for game in games for player in (game.X, game.O)})
        for member in self._members:
            if member.session is not None and member.session in own:
                member.listener.send(encode_message(own[member.session]))

    def _own(self, game: Game, player: SessionId) -> messages.OwnGame:
        seat = Mark.X if (player == game.X) is not self._boards.is_swapped(game) else Mark.O
        return messages.OwnGame(
            number=game.number,
            room=game.room,
            seat=seat,
            token=self._signer.token(game.room, player),
            opponent=self.it[game.opponent(player)].name,
            again=game.again,
        )
