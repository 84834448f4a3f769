"""Rooms in the situations that tests begin with."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Accept, Fill, Join, Offer, Play
from ttt_protocol.events import Event
from ttt_protocol.state import (
    Ai,
    AiSetting,
    Human,
    Mark,
    OfferKind,
    RoomName,
    Rules,
    SeatSettings,
    SessionId,
    Settings,
)
from ttt_server.core.archive.contradiction import contradiction
from ttt_server.core.decide import PlayerCommand, decide
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision, evolve, evolve_all
from ttt_server.core.play import play
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create

NAME = RoomName("den")
NOW = 1_700_000_000_000
ADA, BOB, EVE = SessionId("ada1"), SessionId("bob2"), SessionId("eve3")
X, O = Mark.X, Mark.O  # noqa: E741 - its name on the board
DRAW, TAKEBACK, REMATCH = OfferKind
DRAWN = (0, 1, 2, 4, 3, 5, 7, 6, 8)
"""Cells, in order, of a game on the usual board that nobody wins."""
MINIMAX = AiSetting(strategy="minimax", level=9)
TWO_AIS = SeatSettings(X=MINIMAX, O=MINIMAX)
FOUR_IN_A_ROW = Rules(columns=7, rows=6, in_a_row=4, gravity=True)


def founded(**settings: Any) -> Room:
    """A room that was just created."""
    return evolve_all(Room(NAME), create(NAME, Settings(**settings), NOW))


def seated(room: Room, session: SessionId, seat: Mark | None = None) -> Room:
    """After someone named like the session took a seat."""
    return evolve_all(room, admit(room, session, Join(name=session[:3], seat=seat), NOW))


def moved(room: Room, *cells: int, now: int = NOW) -> Room:
    """after the sides in turn have played each of `cells`."""
    for cell in cells:
        game = room.game
        assert game is not None
        move = Play(game=game.number, ply=game.ply, cell=cell)
        room = evolve_all(room, play(room, game.turn, move, now))
    return room


def duel(*cells: int, **settings: Any) -> Room:
    """Ada in X and Bob in O, after `cells` were played."""
    return moved(seated(seated(founded(**settings), ADA), BOB), *cells)


def against_ai(*cells: int, ai: Mark = O) -> Room:
    """Ada and an AI, after `cells` were played."""
    seats = SeatSettings(**{ai.value: MINIMAX})
    return moved(seated(founded(seats=seats), ADA), *cells)


NOBODY: Mapping[Mark, int] = {}
"""Everyone is here."""


def decided(
    room: Room,
    session: SessionId | None,
    command: PlayerCommand,
    now: int = NOW,
    gone: Mapping[Mark, int] = NOBODY,
) -> Decision:
    """What follows from this command; everyone is here, unless they are `gone`."""
    return decide(room, session, command, now, gone.get)


def after(room: Room, session: SessionId, *commands: PlayerCommand, now: int = NOW) -> Room:
    """The room after `session` gave these commands."""
    for command in commands:
        room = evolve_all(room, decided(room, session, command, now))
    return room


def offered(room: Room, session: SessionId, kind: OfferKind) -> Room:
    return after(room, session, Offer(kind=kind))


def filled(room: Room, session: SessionId, seat: Mark, *, now: int = NOW) -> Room:
    """After `session` has put an AI into `seat`, whose human has been gone for very long."""
    command = Fill(seat=seat, strategy="minimax")
    return evolve_all(room, decided(room, session, command, now, {seat: 0}))


def returned(room: Room, session: SessionId, *, now: int = NOW) -> Room:
    """After `session` came back with its token."""
    return evolve_all(room, admit(room, session, Join(token="good"), now))


def refusal(
    room: Room,
    session: SessionId | None,
    command: PlayerCommand,
    now: int = NOW,
    gone: Mapping[Mark, int] = NOBODY,
) -> Refused:
    """How this command is refused."""
    with pytest.raises(Refused) as caught:
        decided(room, session, command, now, gone)
    return caught.value


def code_of(
    room: Room,
    session: SessionId | None,
    command: PlayerCommand,
    now: int = NOW,
    gone: Mapping[Mark, int] = NOBODY,
) -> RefusalCode:
    return refusal(room, session, command, now, gone).code


def log_of_two_games() -> tuple[Event, ...]:
    """Ada in X wins, with a takeback between; in the rematch Bob moves, and is offered a draw."""
    created = create(NAME, Settings(), NOW)
    log, room = created.events, created.after

    def add(decision: Decision) -> None:
        nonlocal log, room
        log, room = log + decision.events, decision.after

    for session in (ADA, BOB):
        add(admit(room, session, Join(name=session[:3]), NOW))
    for ply, cell in enumerate((0, 3, 1, 4)):
        add(decided(room, (ADA, BOB)[ply % 2], Play(game=1, ply=ply, cell=cell)))
    add(decided(room, BOB, Offer(kind=TAKEBACK)))
    add(decided(room, ADA, Accept(kind=TAKEBACK)))
    add(decided(room, BOB, Play(game=1, ply=3, cell=8)))
    add(decided(room, ADA, Play(game=1, ply=4, cell=2)))
    add(decided(room, ADA, Offer(kind=REMATCH)))
    add(decided(room, BOB, Accept(kind=REMATCH)))
    add(decided(room, BOB, Play(game=2, ply=0, cell=4)))
    add(decided(room, ADA, Offer(kind=DRAW)))
    return log


def checked(room: Room, events: Iterable[Event]) -> Room:
    """The room after `events`, none of which contradicts the room before it."""
    for event in events:
        assert contradiction(room, event) is None, event
        room = evolve(room, event)
    return room


def types(events: Iterable[Any]) -> list[str]:
    """The types of events, or of their models."""
    return [event.type for event in events]


def who(room: Room) -> tuple[str | None, str | None]:
    """The sessions in X and O; an AI by the name of its strategy."""

    def key(mark: Mark) -> str | None:
        match room.seats[mark]:
            case None:
                return None
            case Human(id=session):
                return session
            case Ai(strategy=strategy):
                return strategy

    return key(X), key(O)
