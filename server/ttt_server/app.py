"""The composition root: builds the parts of a server, and starts and stops them.

Three parts are imported when they are first needed: what belongs to a cluster, what answers plain
requests, and the metrics.
"""

import ssl
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from functools import cache, partial
from random import Random, random
from typing import TYPE_CHECKING

from websockets.http11 import Request

from ttt_engine.foreign import limit_by
from ttt_protocol.codes import CloseCode
from ttt_protocol.state import DAY_S, Mark
from ttt_server.ai.evaluations import Evaluations, GameAnalyser
from ttt_server.ai.laboratory import Laboratory
from ttt_server.ai.runner import StrategyRunner
from ttt_server.concurrency.call_limit import CallLimit
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.tasks import TaskOwner, TimeLimit, ends_by
from ttt_server.concurrency.wall_clock import WallClock
from ttt_server.config.options import Config
from ttt_server.endpoints.gateway import HANDSHAKE_TIMEOUT_S, IDLE_TIMEOUT_S, Gateway
from ttt_server.endpoints.identities import Admittance
from ttt_server.endpoints.origins import OriginPolicy, is_loopback
from ttt_server.endpoints.play import PlayEndpointContext
from ttt_server.endpoints.room import RoomEndpointContext
from ttt_server.endpoints.static import Previews, StaticFiles
from ttt_server.endpoints.tournament import TournamentEndpointContext
from ttt_server.limits import census, client_address, rates
from ttt_server.limits.connections import ConnectionTable
from ttt_server.lobby.matchmaker import Matchmaker
from ttt_server.lobby.room_list import PublicRooms, RoomPages
from ttt_server.lobby.watchers import Lobby
from ttt_server.people.forgetting import Forgetting
from ttt_server.people.games import GameIndex
from ttt_server.people.log_reader import LogReader
from ttt_server.people.notices.notifier import NoticeSettings, Notifier
from ttt_server.people.notices.webhook import Webhook
from ttt_server.people.ratings import RatedGames, RatedPairs, Ratings
from ttt_server.people.service import People
from ttt_server.rooms.admission import Admission
from ttt_server.rooms.event_log import EventLog
from ttt_server.rooms.hub import Hub
from ttt_server.rooms.live_room import LiveRoom
from ttt_server.rooms.timers import Correspondence
from ttt_server.rooms.tokens import TokenSigner, new_sessions
from ttt_server.storage import is_postgres
from ttt_server.storage.base import EventStore, StorageFailed
from ttt_server.storage.lessons import LessonReader
from ttt_server.storage.retention import Sweeper
from ttt_server.telemetry.counters import Counters, LoopLag
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.transport import listener
from ttt_server.transport.connection import Connection, ConnectionContext
from ttt_server.transport.frames import Broadcaster
from ttt_server.transport.keepalive import Keepalive
from ttt_server.transport.responses import RETRY_AFTER_S

if TYPE_CHECKING:
    from ttt_server.cluster.maintenance import Directory
    from ttt_server.cluster.member import ClusterMember
    from ttt_server.endpoints.http import HttpApi
    from ttt_server.endpoints.openid import OpenIdApi
    from ttt_server.endpoints.people import PeopleApi
    from ttt_server.metrics import Metrics
    from ttt_server.people.challenges import Challenge
    from ttt_server.processes.place import ProcessPlace

PING_INTERVAL_S = 8
PING_TIMEOUT_S = 6
"""A dead connection is noticed within their sum; with TLS, up to `send_timeout_s` later."""

CONNECTIONS_SHARE, STORE_SHARE = 0.7, 0.9
"""Shares of `drain_s` after which clients must have read their goodbye, and the store must have
finished. The rest is for the end of the process."""


class App:
    """The parts of one server."""

    def __init__(
        self,
        config: Config,
        tls: ssl.SSLContext | None,
        secret: bytes,
        store: EventStore,
        limit: TimeLimit,
        *,
        place: "ProcessPlace | None" = None,
        webhook: Webhook | None = None,
    ) -> None:
        """`place`: of this process among those of one server; `None` if it is alone."""
        limit_by(CallLimit())
        self._config = config
        self._tls = tls
        self._limit = limit
        self._place = place
        self._census = census.ALONE if place is None else place.census
        self._runner = StrategyRunner(
            config.workers,
            Random(),
            config.ai_memory_mb,
            memory=store.memory,
            programs=config.strategies,
        )
        self._laboratory = Laboratory(store.memory, config.ai_memory_mb)
        self._broadcaster = Broadcaster()
        clock, keeps_people = WallClock(), config.persons == "yes"
        self._hub = Hub(
            store,
            admission := Admission(secret),
            self._runner,
            config.room_limits,
            self._broadcaster,
            clock,
            census=self._census,
            rated=RatedPairs(store.people) if keeps_people else None,
        )
        self._counters = Counters()
        self._people = People(store, secret, admission, clock.now) if keeps_people else None
        admittance = Admittance(self._people, has_guests=config.guests == "yes")
        self._tournaments = TournamentRegistry(
            store,
            self._hub,
            self._broadcaster,
            self._runner,
            signer=TokenSigner(secret),
            sessions=new_sessions(),
            now=clock.now,
        )
        self._events = TournamentEndpointContext(
            self._tournaments,
            config.command_limits,
            self._counters,
            Random(),
            config.join_timeout_s,
            self._budgets_of_a_day(),
            admittance=admittance,
        )
        self._listed = PublicRooms(self._hub.registry.summary, self._hub.observers.subscribe)
        is_shared = is_postgres(config.store)
        self._notifier = None
        if keeps_people:
            in_memory, look_at = self._hub.registry.get, self._hub.upkeep.look_at
            settings = NoticeSettings(webhook, config.push_services, config.public_url, is_shared)
            self._notifier = Notifier(store, in_memory, look_at, settings, _unix_ms, random)
            watch = self._notifier.watch
            self._hub.feed.subscribe(watch.changed)
            self._hub.observers.call_on_presence(watch.entered)
            self._tournaments.subscribe(watch.event_changed)
        self._matchmaker = Matchmaker(self._hub.reservations, config.quick_wait_s, Random())
        cluster = self._join_cluster(store, secret) if is_shared else None
        self._cluster = cluster
        self._health: EventLog | Directory = self._hub.log if cluster is None else cluster.directory
        self._pages: RoomPages = self._listed if cluster is None else cluster.directory
        self._lobby = Lobby(self._pages, self._seeking)
        forget = self._hub.eviction.forget_for_good
        self._sweeper = Sweeper(store, config.retention, forget, _unix_ms)
        self._correspondence = Correspondence(store, _unix_ms, self._hub.upkeep.look_at)
        self._sweeping = TaskOwner()
        self._lessons = LessonReader(store)
        self._ratings = Ratings(store.people)
        tables = GameIndex(), RatedGames()
        self._games = LogReader(store, tables, self._hub.feed, is_alone=not is_shared)
        self._games.call_when_written(self._ratings.take_note)
        self._hub.observers.call_on_end(self._note_end)
        self._learning = TaskOwner()
        self._connections: ConnectionTable[Connection] = ConnectionTable(
            listener.connections_within_file_limit(config.max_connections),
            config.address_limits,
            time.monotonic,
            client_address.Proxies.parse(config.trusted_proxies),
            (lambda _: False) if cluster is None else cluster.is_peer,
            self._census,
        )
        self._lag = LoopLag(clock.look)
        self._rooms = RoomEndpointContext(
            self._hub,
            config.command_limits,
            self._counters,
            config.join_timeout_s,
            admittance,
            identity_header=config.identity_header,
        )
        self._gateway = self._make_gateway(secret)
        self._metrics = cache(self._make_metrics)

    def _make_gateway(self, secret: bytes) -> Gateway:
        config = self._config
        return Gateway(
            self._connections,
            OriginPolicy(
                origins=frozenset(config.allow_origin),
                hosts=frozenset(config.allow_host),
                is_local=is_loopback(config.host),
            ),
            cache(partial(self._make_http, secret, self._read_files())),
            self._lobby,
            self._rooms,
            events=self._events,
            play=PlayEndpointContext(
                self._matchmaker,
                config.command_limits,
                self._counters,
                config.join_timeout_s,
            ),
            cluster=self._cluster,
        )

    async def _seeking(self) -> bytes:
        """Return what is sought in quick match, at this server or another."""
        return await self._cluster.seeking() if self._cluster else self._matchmaker.seeking

    def _read_files(self) -> StaticFiles:
        config = self._config
        return StaticFiles.load(
            config.allow_frame_ancestor,
            has_ladder=config.ladder is not None or self._people is not None,
            has_persons=self._people is not None,
            knows_persons=config.identity_header is not None,
        )

    def _make_http(self, secret: bytes, files: StaticFiles) -> "HttpApi":
        from ttt_server.endpoints.http import HttpApi

        config = self._config
        return HttpApi(
            self._hub.reader,
            self._pages,
            self._tournaments,
            files,
            GameAnalyser(self._runner),
            self._laboratory,
            Evaluations(self._runner),
            catalogue=self._runner.catalogue,
            is_healthy=self._is_healthy,
            metrics=self._all_metrics,
            ladder=config.ladder,
            people=self._make_people_api(),
            ratings=None if self._people is None else self._ratings,
            openid=self._make_openid(secret),
            previews=Previews(config.public_url, is_encrypted=self._tls is not None),
        )

    async def _tell_challenge(self, sent: "Challenge") -> None:
        if self._notifier is not None:
            told = sent.challenged, sent.id, sent.challenger_name, "me", sent.sent
            await self._notifier.challenge(*told)

    def _make_openid(self, secret: bytes) -> "OpenIdApi | None":
        config, people = self._config, self._people
        if people is None or config.oidc_issuer is None or config.oidc_client_id is None:
            return None
        from ttt_server.endpoints.openid import OpenIdApi
        from ttt_server.people.openid.provider import Provider

        scheme = "http" if self._tls is None else "https"

        def page(request: Request) -> str:
            public = config.public_url or f"{scheme}://{request.headers.get('Host', '')}"
            return f"{public.rstrip('/')}/"

        provider = Provider(config.oidc_issuer, config.oidc_client_id, config.oidc_client_secret)
        return OpenIdApi(people, provider, secret, page)

    def _make_people_api(self) -> "PeopleApi | None":
        if self._people is None:
            return None
        from ttt_server.endpoints.challenges import ChallengeApi
        from ttt_server.endpoints.notices import NoticesApi
        from ttt_server.endpoints.openid import LOGIN
        from ttt_server.endpoints.people import PeopleApi
        from ttt_server.people.challenges import Challenges

        kept = Challenges(self._people.tables, self._hub.registry.now)
        challenges = ChallengeApi(kept, self._hub.upkeep.make_room, self._tell_challenge)
        notices = () if self._notifier is None else NoticesApi(self._notifier).routes
        return PeopleApi(
            self._people,
            self._make_forgetting(self._people),
            catch_up=self._games.catch_up,
            makes=self._budgets_of_a_day(),
            has_guests=self._config.guests == "yes",
            sign_in=None if self._config.oidc_issuer is None else LOGIN,
            more=(*notices, *challenges.routes),
        )

    def _make_forgetting(self, people: People) -> Forgetting:
        return Forgetting(people, self._hub.upkeep.rewrite, self._tournaments.forget_person)

    def _join_cluster(self, store: EventStore, secret: bytes) -> "ClusterMember | None":
        """Return this server as a member of its cluster; `None` for another store."""
        from ttt_server.cluster import member, siblings
        from ttt_server.storage.postgres.store import PostgresStore

        if not isinstance(store, PostgresStore):
            return None
        config, place = self._config, self._place
        here = siblings.ALONE
        if place is not None:
            here = place.siblings(lambda: self._metrics().text())
        return member.ClusterMember(
            store,
            self._hub,
            self._tournaments,
            self._listed,
            secret,
            seeking=lambda: self._matchmaker.seeking,
            connections=lambda: self._connections.count,
            lease_s=config.lease_s,
            join_timeout_s=config.join_timeout_s,
            siblings=here,
        )

    async def start(self, stack: AsyncExitStack) -> str:
        """Start every part, the port last, and return the address.

        `stack` stops them in reverse order.

        Raises:
            OSError: if the port cannot be opened.
        """
        stack.push_async_callback(self._stop_learning)
        stack.push_async_callback(self._runner.close)
        stack.push_async_callback(self._laboratory.close)
        stack.push_async_callback(self._hub.close)
        if self._cluster is not None:
            stack.push_async_callback(self._cluster.close)
        if self._notifier is not None:
            stack.push_async_callback(self._notifier.close)
        stack.push_async_callback(self._tournaments.close)
        stack.push_async_callback(self._sweeping.close)
        self._lag.start()
        stack.callback(self._lag.close)
        stack.callback(self._listed.close)
        stack.push_async_callback(self._lobby.close)
        stack.push_async_callback(self._drain)
        stack.callback(self._hub.joining.stop)
        stack.callback(self._gateway.stop_admitting)
        if self._notifier is not None:
            stack.callback(self._notifier.teller.stop_listening)
        if self._cluster is not None:
            stack.push_async_callback(self._cluster.hand_over)
        address = await self._listen(stack)
        if self._cluster is None:
            await self._tournaments.resume()
        else:
            given = self._config.advertise
            reached_at = given or listener.address_for_others(address)
            await self._cluster.start(reached_at, is_given=bool(given))
            if self._place is None or self._place.is_first:
                await self._cluster.warn_of_risks()
        retention = self._config.retention
        if not retention.keeps_all:
            self._sweeping.start(self._sweeper.run())  # tournament games are known now
        if self._people is not None:
            forgetting = self._make_forgetting(self._people)
            self._sweeping.start(forgetting.run(self._config.forget_persons_after))
        self._sweeping.start(self._correspondence.run())
        ages = retention.forget_tournaments_after_s, retention.forget_unplayed_after_s
        self._sweeping.start(self._tournaments.keep_forgetting(*ages))
        if self._notifier is not None:
            self._notifier.start()
        lessons = self._lessons
        for work in (lessons.resume(), lessons.run(), self._games.run(), self._ratings.run()):
            self._learning.start(work)
        return address

    async def _listen(self, stack: AsyncExitStack) -> str:
        """Accept connections; return the address of the port."""
        context = ConnectionContext(
            on_request=self._gateway.on_request,
            table=self._connections,
            silent=Deadlines(HANDSHAKE_TIMEOUT_S, Connection.give_up),
            idle=Deadlines(IDLE_TIMEOUT_S, Connection.end_idle),
            unread=Deadlines(self._config.send_timeout_s, Connection.end_unread),
            keepalive=Keepalive(
                PING_INTERVAL_S,
                PING_TIMEOUT_S,
                ping=Connection.ping,
                presume_dead=Connection.presume_dead,
            ),
            broadcaster=self._broadcaster,
            limits=self._config.connection_limits,
        )
        make = partial(Connection, context)
        if self._place is not None:
            return await self._take_from_parent(self._place, make, stack)
        port = await listener.listen(
            make,
            self._config.host,
            self._config.port,
            self._tls,
            handshake_timeout_s=HANDSHAKE_TIMEOUT_S,
            shutdown_timeout_s=self._config.send_timeout_s,
        )
        stack.callback(port.close)
        return listener.address_of(port, self._config.host, is_tls=self._tls is not None)

    async def _take_from_parent(
        self, place: "ProcessPlace", make: Callable[[], Connection], stack: AsyncExitStack
    ) -> str:
        """Accept what the parent passes on, and the other processes."""
        cluster = self._cluster
        if cluster is not None:
            place.tell_peers(lambda: cluster.peers)
            await cluster.siblings.listen(make)
            stack.callback(cluster.siblings.close)
        place.listen(
            make,
            self._tls,
            ssl_handshake_timeout=HANDSHAKE_TIMEOUT_S,
            ssl_shutdown_timeout=self._config.send_timeout_s,
        )
        stack.callback(place.close)
        return place.address

    async def _drain(self) -> None:
        """Say goodbye to all clients, and cut those that do not leave in time."""
        for connection in self._connections.all:
            connection.dismiss(CloseCode.RESTARTING, RETRY_AFTER_S)
        if await ends_by(self._limit.by(CONNECTIONS_SHARE), self._drained()):
            return
        for connection in self._connections.all:
            connection.cut()
        store_end = self._limit.by(STORE_SHARE)
        # A task may still wait for the disk, or for an AI's move.
        ends = self._gateway.tasks.close, self._rooms.close, self._events.tasks.close, self._drained
        for end in ends:
            await ends_by(store_end, end())

    def _note_end(self, live: LiveRoom) -> None:
        pair = frozenset((live.address_of(Mark.X), live.address_of(Mark.O)))
        self._lessons.note_end(live.room, pair)

    async def _stop_learning(self) -> None:
        """Learn from the last games, as far as there is time; the next start makes up for it."""
        await self._learning.close()
        with suppress(StorageFailed):
            await ends_by(self._limit.by(STORE_SHARE), self._lessons.finish())
            await ends_by(self._limit.by(STORE_SHARE), self._games.finish())

    async def _drained(self) -> None:
        await self._connections.drained()
        await self._gateway.tasks.ended()
        await self._rooms.drained()
        await self._events.tasks.ended()

    def _budgets_of_a_day(self) -> rates.Budgets:
        """Return budgets for the events, or people, that addresses make at this process."""
        count = 1 if self._place is None else self._place.count
        made = max(1, self._config.max_rooms_per_address // count)
        return rates.Budgets(made / DAY_S, made)

    async def _is_healthy(self) -> bool:
        if self._place is None or self._cluster is None:
            return self._health.is_healthy
        return await self._cluster.is_healthy()

    async def _all_metrics(self) -> bytes:
        if self._place is None or self._cluster is None:
            return self._metrics().text()
        return self._place.add_up(await self._cluster.metrics())

    def _make_metrics(self) -> "Metrics":
        from ttt_server.metrics import Metrics

        notices = None if self._notifier is None else self._notifier.counters
        measured = self._hub, self._connections, self._counters, self._runner, self._lag
        return Metrics(*measured, self._config.kept, notices)


def _unix_ms() -> int:
    return time.time_ns() // 1_000_000
