"""The tournaments of this server, by name."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial

from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.state import AiSetting, PersonId, RoomName, SessionId, Settings, Token
from ttt_protocol.tournament.codec import decode_tournament
from ttt_protocol.tournament.commands import Create
from ttt_protocol.tournament.messages import EventList, TournamentState
from ttt_protocol.tournament.settings import TournamentName, TournamentSettings
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.core.room import engine_rules, require_opens, whole_rules
from ttt_server.rooms.announcer import Sender
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.registry import Elsewhere, RoomOwnership
from ttt_server.rooms.tokens import BadToken, TokenSigner
from ttt_server.storage.base import EventStore, LastEvent, StorageFailed
from ttt_server.storage.retention import SWEEP_EVERY_S
from ttt_server.tournaments import log as logs
from ttt_server.tournaments import public_list
from ttt_server.tournaments.boards import Boards
from ttt_server.tournaments.live import LiveTournament, Means
from ttt_server.tournaments.pairer import Pairer
from ttt_server.tournaments.rules.decide import create
from ttt_server.tournaments.rules.events import decode
from ttt_server.tournaments.rules.values import Tournament

logger = logging.getLogger(__name__)

_AT_ONCE = 50
"""Logs to read at a time."""

MOST = 1000
"""The most tournaments in memory."""

MOST_LISTED = 100
"""The most events in the list for all."""

_MOST_EMPTY = 64
"""A tournament with more events is kept without being read."""


class TournamentRegistry:
    """The tournaments in memory. A running one is never dropped."""

    def __init__(
        self,
        store: EventStore,
        hub: Hub,
        broadcaster: Sender,
        runner: StrategyRunner,
        *,
        signer: TokenSigner,
        sessions: Iterator[SessionId],
        now: Callable[[], int],
    ) -> None:
        self._store = store
        self._log = logs.TournamentLog(store)
        self._hub = hub
        self._runner = runner
        self._sessions = sessions
        boards = Boards(hub, self._board_is_over)
        self._means = Means(self._log, boards, broadcaster, Pairer(), signer, now)
        self._tasks = TaskOwner()
        self._live: dict[TournamentName, LiveTournament] = {}
        self._opening: dict[TournamentName, asyncio.Lock] = {}
        self._public: public_list.PublicEvents = {}
        self._subscribers: list[Callable[[LiveTournament, Tournament], None]] = []
        self._ownership: RoomOwnership | None = None
        """`None` if all tournaments are this server's."""

    def subscribe(self, call: Callable[[LiveTournament, Tournament], None]) -> None:
        """Call `call` with each tournament that is loaded, and after each of its changes."""
        self._subscribers.append(call)

    # Calls of the cluster

    def share(self, ownership: RoomOwnership) -> None:
        """From now on, run only this server's tournaments."""
        self._ownership = ownership

    async def in_memory(self, log: RoomName) -> TournamentState | None:
        """Return a tournament's public state; `None` if it is not in memory."""
        live = self._live.get(logs.tournament_name(log))
        return await live.whole_state() if live is not None and live.it.seq else None

    def needs(self, log: RoomName) -> bool:
        """Return whether a tournament is in memory."""
        return logs.tournament_name(log) in self._live

    async def adopt(self, log: RoomName) -> None:
        """Take over a running tournament whose server is gone.

        Raises:
            Refused: `server_full`.
            StorageFailed: if its log cannot be read.
        """
        self.release(await self._load(logs.tournament_name(log)))

    def give_up(self) -> None:
        """Drop all tournaments from memory, for other servers to take."""
        for live in tuple(self._live.values()):
            live.dismiss(CloseCode.RESTARTING)
            live.stop()
        self._live.clear()
        self._public.clear()

    async def forget_silent(self, before: int, *, only_empty: bool = False) -> None:
        """Delete the tournaments without an event since `before`, in Unix ms, and their rooms.

        Tournaments in memory are kept: they are running or have watchers. `only_empty`: keep those
        that somebody entered, too.

        Raises:
            StorageFailed: if the store fails.
        """
        async for last in self._last_events():
            name = logs.tournament_name(last.room)
            if not logs.is_silent(last.line, before) or name in self._live:
                continue
            if not only_empty or await self._is_empty(name, last):
                await self._forget(name, before)

    async def _is_empty(self, name: TournamentName, last: LastEvent) -> bool:
        return decode(last.line).seq <= _MOST_EMPTY and not (await self._log.load(name)).entrants

    async def keep_forgetting(self, after_s: float | None, empty_after_s: float | None) -> None:
        """Delete tournaments, once an hour, until cancelled.

        Args:
            after_s: the time without an event after which one is deleted.
            empty_after_s: the same for one that nobody entered.
        """
        while True:
            try:
                for age_s, only_empty in ((after_s, False), (empty_after_s, True)):
                    if age_s is not None:
                        before = self._means.now() - round(age_s * 1000)
                        await self.forget_silent(before, only_empty=only_empty)
            except StorageFailed as error:
                logger.warning("could not delete old events; retrying: %s", error)
            await asyncio.sleep(SWEEP_EVERY_S)

    async def forget_person(self, person: PersonId, instead: str) -> None:
        """Replace a person's names in all events.

        An event in another server's memory still shows them until nobody watches it.

        Raises:
            StorageFailed: if some may still be there. Trying again helps.
        """
        async for last in self._last_events():
            name = logs.tournament_name(last.room)
            if await self._log.forget(name, person, instead) and name in self._live:
                await self._live[name].reload()

    async def _forget(self, name: TournamentName, before: int) -> None:
        if self._ownership is not None:
            try:
                await self._ownership.acquire(logs.log_name(name))
            except Elsewhere:
                return
        for game in (await self._log.load(name)).games:
            await self._hub.eviction.forget_for_good(game.room, before)
        await self._store.delete(logs.log_name(name))
        self._public.pop(name, None)
        logger.info("deleted event %s and its games", name)

    # Calls of the endpoints

    async def resume(self) -> None:
        """Resume the tournaments that the end of the server interrupted.

        Raises:
            StorageFailed: if the logs cannot be read.
        """
        async for last in self._last_events():
            await self.adopt(last.room)

    async def _last_events(self) -> AsyncIterator[LastEvent]:
        """Yield the last event of each tournament in the store."""
        after = str(logs.log_name(TournamentName("")))
        while found := await self._store.browse(after, _AT_ONCE):
            for last in found:
                if not logs.is_tournament(last.room):
                    return  # names are in order
                yield last
            after = found[-1].room

    async def open(self, name: TournamentName) -> LiveTournament:
        """Return a tournament, loaded into memory.

        Raises:
            Refused: `no_such_room`; `server_full`.
            StorageFailed: if its log cannot be read.
        """
        live = await self._load(name)
        if not live.it.seq:
            self.release(live)
            raise Refused(RefusalCode.NO_SUCH_ROOM, "no event of this name exists")
        return live

    async def listed(self) -> EventList:
        """Return this server's public events that are open or under way, newest first."""
        events = self.public
        if self._ownership is not None:
            for others in await self._ownership.read_events():
                events += public_list.decode_events(others)
        return EventList(events=tuple(public_list.newest(events)[:MOST_LISTED]))

    @property
    def public(self) -> list[public_list.PublicEvent]:
        """The public events of this process that are open or under way."""
        own, listed = self._ownership, self._public.items()
        return [it for name, it in listed if own is None or own.has(logs.log_name(name))]

    async def ask(self, name: TournamentName) -> TournamentState | None:
        """As `read`, for a tournament in another server's memory.

        Only that server knows which players are connected.

        Raises:
            StorageFailed: if it cannot be asked.
        """
        if self._ownership is None:
            return None
        return await self._ownership.read(logs.log_name(name), decode_tournament)

    async def read(self, name: TournamentName) -> TournamentState | None:
        """Return a tournament's whole public state; `None` if there is none.

        Raises:
            StorageFailed: if its log cannot be read.
        """
        live = self._live.get(name) or self._make(await self._log.load(name))
        return await live.whole_state() if live.it.seq else None

    async def create(
        self, name: TournamentName, command: Create
    ) -> tuple[LiveTournament, SessionId]:
        """Create a tournament; return it and the identity of its organiser.

        Raises:
            Refused: `not_allowed` if it exists; `unknown_strategy` and the like; `bad_command` if
                its board does not have the opening; `server_full`.
            StorageFailed: if it was not created.
        """
        settings = command.settings
        if settings.rules.variant is not None:
            whole = whole_rules(settings.rules, "settings.rules")
            settings = settings.model_copy(update={"rules": whole})
        board = engine_rules(Settings(rules=settings.rules))
        require_opens(settings.opening, board, "settings.opening")
        if settings.stand_in is not None:
            ai = await self.settle(settings.stand_in, settings)
            settings = settings.model_copy(update={"stand_in": ai})
        command = command.model_copy(update={"settings": settings})
        organiser = self.new_session()
        live = await self._load(name)
        await live.change(lambda it, now: create(it, command, organiser, now))
        live.start(self._tasks)
        return live, organiser

    async def settle(self, ai: AiSetting, settings: TournamentSettings) -> AiSetting:
        """Return an AI with its level, if it can play on the tournament's board.

        Raises:
            Refused: `unknown_strategy`, `strategy_cannot_play`.
        """
        return await self._runner.settle(ai, engine_rules(Settings(rules=settings.rules)))

    def release(self, live: LiveTournament) -> None:
        """Drop a tournament from memory if it has no connections and is not running."""
        is_idle = live.is_deserted and live.it.status in ("created", "finished")
        if (is_idle or not live.it.seq) and self._live.get(live.it.name) is live:
            del self._live[live.it.name]
            live.stop()

    # Identities

    def new_session(self) -> SessionId:
        """Return a new identity."""
        return next(self._sessions)

    def token(self, name: TournamentName, session: SessionId) -> Token:
        """Return the token of a player or organiser."""
        return self._means.signer.token(logs.log_name(name), session)

    def session(self, name: TournamentName, token: str) -> SessionId:
        """Return whose token this is.

        Raises:
            Refused: `bad_token`.
        """
        try:
            return self._means.signer.session(logs.log_name(name), token)
        except BadToken:
            raise Refused(RefusalCode.BAD_TOKEN) from None

    # The end

    async def close(self) -> None:
        """Stop all tournaments; they resume after a restart."""
        await self._tasks.close()
        await self._means.pairer.close()

    async def _load(self, name: TournamentName) -> LiveTournament:
        live = self._live.get(name)
        if live is not None:
            return live
        if len(self._live) >= MOST:
            raise Refused(RefusalCode.SERVER_FULL)
        if self._ownership is not None:
            try:
                await self._ownership.acquire(logs.log_name(name))
            except Elsewhere:
                raise StorageFailed(f"event {name}: another server has it") from None
        lock = self._opening.setdefault(name, asyncio.Lock())
        async with lock:
            live = self._live.get(name)
            if live is None:
                it = await self._log.load(name)
                if self._ownership is not None and not self._ownership.has(logs.log_name(name)):
                    raise StorageFailed(f"event {name}: it was given up in the meantime")
                live = self._make(it)
                self._live[name] = live
                self._changed(live, it)
                if it.seq:
                    live.start(self._tasks)
        self._opening.pop(name, None)
        return live

    def _make(self, it: Tournament) -> LiveTournament:
        live = LiveTournament(it, self._means)
        live.subscribe(partial(self._changed, live))
        return live

    def _changed(self, live: LiveTournament, it: Tournament) -> None:
        public_list.update(self._public, it)
        for call in self._subscribers:
            call(live, it)

    def _board_is_over(self, room: RoomName) -> None:
        name, *_ = room.rsplit("-", 2)
        live = self._live.get(TournamentName(name))
        if live is not None:
            live.board_is_over(room)
