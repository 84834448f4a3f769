"""The endpoint of an event: a first command, then commands and their answers, on one connection."""

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from random import Random
from time import monotonic
from typing import Final, Literal, assert_never

from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.state import SUBPROTOCOL, SessionId
from ttt_protocol.tournament import commands
from ttt_protocol.tournament.codec import decode_tournament_command
from ttt_protocol.tournament.messages import Invitation, TournamentWelcome, TournamentYou
from ttt_protocol.tournament.settings import TournamentName
from ttt_server.concurrency.deadlines import Deadlines
from ttt_server.concurrency.tasks import TaskOwner
from ttt_server.core.errors import Refused
from ttt_server.endpoints.commands import CommandEndpoint
from ttt_server.endpoints.identities import Admittance
from ttt_server.limits.rates import Budgets, Rate
from ttt_server.storage.base import StoreError
from ttt_server.telemetry.build import SERVER
from ttt_server.telemetry.counters import Counters
from ttt_server.tournaments.live import EventMember, LiveTournament
from ttt_server.tournaments.registry import TournamentRegistry
from ttt_server.tournaments.rules.decide import command_of_organiser, command_of_player, enter
from ttt_server.tournaments.rules.events import Invited
from ttt_server.tournaments.rules.names import friendly_name
from ttt_server.transport.connection import Connection

logger = logging.getLogger(__name__)

DAY_S: Final = 86_400
"""An event that nobody enters is deleted after a day by default."""


@dataclass(eq=False, slots=True)
class TournamentEndpointContext:
    """What all event endpoints share."""

    registry: TournamentRegistry
    limits: Rate
    counters: Counters
    random: Random
    join_timeout_s: float
    budgets: Budgets
    """For the events that an address makes."""
    admittance: Admittance = field(default_factory=Admittance)
    tasks: TaskOwner = field(default_factory=TaskOwner)
    """The tasks that carry out commands."""
    latecomers: "Deadlines[TournamentEndpoint]" = field(init=False)
    """Endpoints that have not sent a command yet."""

    def __post_init__(self) -> None:
        self.latecomers = Deadlines(self.join_timeout_s, TournamentEndpoint.be_late)

    def begin(
        self, connection: Connection, *, name: TournamentName, identity: str | None = None
    ) -> None:
        """Serve a connection to an event. `identity`: whom a proxy names."""
        connection.attach(TournamentEndpoint(connection, name, self, identity))


class TournamentEndpoint(CommandEndpoint[commands.TournamentCommand]):
    """A connection to an event. Commands are carried out one after another."""

    def __init__(
        self,
        connection: Connection,
        name: TournamentName,
        context: TournamentEndpointContext,
        identity: str | None = None,
    ) -> None:
        super().__init__(connection, decode_tournament_command, context.limits, context.counters)
        self._name = name
        self._context = context
        self._registry = context.registry
        self._identity = identity
        self._live: LiveTournament | None = None
        self._member: EventMember | None = None
        self._is_closed = False
        context.latecomers.add(self)

    # Calls of the connection

    def on_close(self) -> None:
        """Leave the event. A player keeps the place."""
        self._is_closed = True
        self._context.latecomers.discard(self)
        if self._live is not None and self._member is not None:
            self._live.exit(self._member)
            self._registry.release(self._live)
            self._member = None

    def be_late(self) -> None:
        """Close, as no first command came in time."""
        self._end_late("command", self._context.latecomers.delay_s)

    # Commands

    def _carry_out(self, command: commands.TournamentCommand) -> None:
        self._context.tasks.start(self._change(command), partial(self._done, command))

    async def _change(self, command: commands.TournamentCommand) -> None:
        match command:
            case commands.Create() | commands.Enter() | commands.Watch() | commands.Organise():
                if self._member is not None:
                    raise Refused(RefusalCode.ALREADY_JOINED)
                await self._come_in(command)
            case commands.Withdraw() | commands.Return() | commands.RenamePlayer():
                await self._obey(command)
            case _:
                await self._organise(command)

    async def _come_in(
        self, command: commands.Create | commands.Enter | commands.Watch | commands.Organise
    ) -> None:
        registry, name = self._registry, self._name
        match command:
            case commands.Create():
                source = self._connection.account.source
                if not self._context.budgets.spend(source, monotonic()):
                    words = "too many events were made from this address"
                    raise Refused(RefusalCode.SERVER_FULL, words)
                try:
                    live, session = await registry.create(name, command)
                except BaseException:
                    self._context.budgets.refund(source)
                    raise
                self._enter(live, "organiser", session)
            case commands.Organise(token=token):
                live, session = await registry.open(name), registry.session(name, token)
                if session not in live.it.organisers:
                    raise Refused(RefusalCode.BAD_TOKEN)
                self._enter(live, "organiser", session)
            case commands.Watch(boards=wants_boards):
                live = await registry.open(name)
                self._enter(live, "watcher", None)
                if wants_boards and self._member is not None:
                    live.wall.add(self._connection)
            case commands.Enter(token=token):
                person = await self._context.admittance.person(
                    command.type, command.person, self._identity
                )
                live = await registry.open(name)
                known = None if person is None else live.it.session_of(person.id)
                if token is None:
                    session = known or registry.new_session()
                elif (session := registry.session(name, token)) not in live.it.entrants:
                    raise Refused(RefusalCode.BAD_TOKEN)
                wanted = command.name or friendly_name(self._context.random)
                wanted = wanted if person is None else person.name
                person_id = None if person is None else person.id
                await live.change(
                    lambda it, now: enter(
                        it, session, wanted, now, is_bot=command.bot, person=person_id
                    )
                )
                self._enter(live, "player", session)
            case _:
                assert_never(command)

    async def _obey(self, command: commands.PlayerCommand) -> None:
        live, member = self._live, self._member
        if live is None or member is None:
            raise Refused(RefusalCode.NOT_JOINED)
        session = member.session
        if member.role == "organiser" and isinstance(command, commands.RenamePlayer):
            await self._organise(command)
        elif member.role == "player" and session is not None:
            await live.change(lambda it, now: command_of_player(it, session, command, now))
        else:
            raise Refused(RefusalCode.NOT_A_PLAYER)

    async def _organise(self, command: commands.OrganiserCommand | commands.RenamePlayer) -> None:
        live, member, new_id = self._live, self._member, self._registry.new_session
        if live is None or member is None:
            raise Refused(RefusalCode.NOT_JOINED)
        if member.role != "organiser":
            raise Refused(RefusalCode.NOT_ALLOWED, "only the organiser may do that")
        if isinstance(command, commands.Announce) and not live.announcements.spend(monotonic()):
            words = "wait a few seconds before the next announcement"
            raise Refused(RefusalCode.TOO_EARLY, words)
        if isinstance(command, commands.AddAi):
            ai = await self._registry.settle(command.ai, live.it.settings)
            command = command.model_copy(update={"ai": ai})
        decision = await live.change(
            lambda it, now: command_of_organiser(
                it, command, now, live.name_room, new_id, live.here
            )
        )
        for event in decision:
            if isinstance(event, Invited):
                token = self._registry.token(self._name, event.organiser)
                self._connection.tell(Invitation(token=token))

    def _enter(
        self,
        live: LiveTournament,
        role: Literal["player", "organiser", "watcher"],
        session: SessionId | None,
    ) -> None:
        if self._is_closed:
            self._registry.release(live)
            return
        self._context.latecomers.discard(self)
        self._live = live
        self._member = EventMember(self._connection, role, session)
        live.enter(self._member)
        entrant = None if session is None else live.it.entrants.get(session)
        you = TournamentYou(
            role=role,
            id=session,
            name=None if entrant is None else entrant.name,
            token=None if session is None else self._registry.token(self._name, session),
        )
        self._connection.tell(
            TournamentWelcome(protocol=SUBPROTOCOL, server=SERVER, you=you, event=live.state())
        )
        if role == "player" and session is not None:
            self._connection.tell(live.games_of(session))
        if role == "organiser" and live.removed().players:
            self._connection.tell(live.removed())

    # Answers

    def _done(self, command: commands.TournamentCommand, error: BaseException | None) -> None:
        if isinstance(error, Refused) and error.code in _GUESSES and not self._may_guess():
            error = Refused(RefusalCode.RATE_LIMITED, "too many wrong tokens or names, slow down")
        if isinstance(error, StoreError):
            logger.error("event %s: %s", self._name, error)
            error = Refused(RefusalCode.STORAGE_FAILED, error.reason)
        if isinstance(error, Refused):
            self._refuse(command.type, command.id, error)
        elif error is not None and not isinstance(error, asyncio.CancelledError):
            logger.error("a connection failed", exc_info=error)
            self._connection.dismiss(CloseCode.SERVER_FAULT)
        self._connection.receive_next()


_GUESSES = (RefusalCode.BAD_TOKEN, RefusalCode.NO_SUCH_ROOM)
"""Refusals of wrong names and tokens, which count as guesses."""
