"""The room as this client knows it, folded from the server's messages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeGuard, assert_never

from ttt_client.model.words import possessive
from ttt_protocol import messages, state
from ttt_protocol.codes import Choice
from ttt_protocol.events import Chosen, Event
from ttt_protocol.text import clean


class MemberView(NamedTuple):
    """A member of the room with a seat, or with something said."""

    id: str
    name: str


MOST_SPEAKERS = 50
"""Speakers remembered; the longest silent is forgotten first."""


@dataclass(frozen=True, slots=True)
class View:
    """A room and the client's own place in it; empty before `welcome`."""

    you: state.You | None = None
    room: state.RoomState | None = None
    running: int | None = None
    """The number of the last game seen without an outcome."""
    is_shared: bool = False
    """Whether two people play at this keyboard."""
    is_of_event: bool = False
    """Whether the game is one of an event, which goes on in another room."""
    partner: state.You | None = None
    """The second player at this keyboard, once welcomed."""
    speakers: tuple[MemberView, ...] = ()
    """The members who said something, the latest last."""
    said_at: int = 0
    """The server's time of the last thing said, in Unix ms."""

    @property
    def seat(self) -> state.Mark | None:
        """Your seat now; a rematch changes the sides. Two at one keyboard have the seat to move."""
        own = self._seat_of(self.you)
        if self.partner is None or own is None:
            return own
        other = self._seat_of(self.partner)
        acts = other is not None and self.game is not None and other is self.game.turn
        return other if acts and self.is_running else own

    def _seat_of(self, you: state.You | None) -> state.Mark | None:
        if self.room is None or you is None or you.id is None:
            return None
        seats = [(mark, self.room.seats[mark]) for mark in state.Mark]
        return next((mark for mark, seat in seats if seat is not None and seat.id == you.id), None)

    @property
    def game(self) -> state.Game | None:
        return None if self.room is None else self.room.game

    @property
    def rules(self) -> state.Rules:
        """The rules of the room; those of 3x3 before a welcome."""
        return state.Rules() if self.room is None else self.room.settings.rules

    @property
    def your_turn(self) -> bool:
        return self.seat is not None and self.to_move is self.seat

    @property
    def to_move(self) -> state.Mark | None:
        """The seat that is to place a piece in a running game."""
        game = self.game
        is_to_place = game is not None and game.outcome is None and game.choosing is None
        return game.turn if game is not None and is_to_place else None

    @property
    def choosing(self) -> state.Mark | None:
        """The mark that is to choose, in the opening of a running game."""
        return self.game.choosing if self.game is not None and self.game.outcome is None else None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices of the player who is to choose; none while a piece is to be placed."""
        return () if self.game is None or self.choosing is None else self.game.choices

    @property
    def your_choices(self) -> tuple[Choice, ...]:
        """Your choices now; none if it is not your turn to choose."""
        return self.choices if self.choosing is self.seat else ()

    @property
    def is_running(self) -> bool:
        """Whether there is a game that is not over."""
        return self.game is not None and self.game.outcome is None

    @property
    def to_place(self) -> int:
        """The pieces that the side to move places before the other chooses; 0 after an opening."""
        return 0 if self.game is None or self.to_move is None else self.game.to_place

    @property
    def offered(self) -> tuple[state.OfferKind, ...]:
        """The open offers of the other player; between two at one keyboard, of either."""
        if self.room is None or self.seat is None:
            return ()
        offers = self.room.offers
        if self.is_shared:
            return tuple(kind for kind in state.OfferKind if offers[kind] is not None)
        return tuple(kind for kind in state.OfferKind if offers[kind] is self.seat.other)

    @property
    def own_offers(self) -> tuple[state.OfferKind, ...]:
        """Your offers that wait for an answer."""
        if self.room is None or self.seat is None:
            return ()
        return tuple(kind for kind in state.OfferKind if self.room.offers[kind] is self.seat)

    @property
    def is_host(self) -> bool:
        """Whether you made the room, and keep order in it."""
        return self.you is not None and self.you.host is True

    @property
    def others(self) -> tuple[MemberView, ...]:
        """The other members that are known, the latest speaker last."""
        seats = [] if self.room is None else [self.room.seats[mark] for mark in state.Mark]
        humans = [seat for seat in seats if isinstance(seat, state.HumanSeat)]
        players = [MemberView(seat.id, seat.name) for seat in humans]
        # A player's name may have changed since the last word.
        names = {member.id: member.name for member in players}
        known = [*players, *self.speakers]
        last = {member.id: at for at, member in enumerate(known)}
        own = {None if you is None else you.from_ or you.id for you in (self.you, self.partner)}
        return tuple(
            MemberView(member.id, names.get(member.id, member.name))
            for at, member in enumerate(known)
            if last[member.id] == at and member.id not in own
        )

    @property
    def all_ai(self) -> bool:
        seats = [] if self.room is None else [self.room.seats[mark] for mark in state.Mark]
        return bool(seats) and all(isinstance(seat, state.AiSeat) for seat in seats)

    @property
    def done(self) -> bool:
        """Whether the game, or the last of two AIs' games, is over.

        A game that was over before the welcome, in a room that waits for a player, does not count.
        """
        if self.room is None or (game := self.room.game) is None or game.outcome is None:
            return False
        if self.all_ai and game.number < self.room.settings.games:
            return False
        return self.room.status is state.Status.FINISHED or self.running == game.number


def fold(view: View, message: messages.Message) -> View:
    """Return the view after `message`."""
    match message:
        case messages.Welcome(you=you, room=room) if _is_second(view, you):
            return _with_newer(replace(view, partner=you), room)
        case messages.Welcome(you=you, room=room, feed=feed):
            return _heard(_with_room(replace(view, you=you), room), feed)
        case messages.Update(room=room):
            return _with_newer(view, room)
        case messages.Refused(room=room):
            return view if room is None else _with_newer(view, room)
        case messages.Presence():
            return view if view.room is None else replace(view, room=_present(view.room, message))
        case messages.Said():
            return _heard(view, (message,))
        case (
            messages.Hint()
            | messages.Goodbye()
            | messages.Rooms()
            | messages.RoomsChanged()
            | messages.Cleared()
            | messages.StillReading()
            | messages.Paired()
            | messages.AiOffered()
        ):
            return view
        case _:  # pragma: no cover - the union is closed
            assert_never(message)


def is_choice(event: Event, choice: Choice) -> TypeGuard[Chosen]:
    """Return whether an event is this choice in an opening."""
    return isinstance(event, Chosen) and event.choice is choice


def swapped(view: View) -> View:
    """Return the view as it was before the players changed seats."""
    if view.room is None:
        return view
    seats = state.BySeat[state.Seat | None](X=view.room.seats.O, O=view.room.seats.X)
    return replace(view, room=replace(view.room, seats=seats))


def _heard(view: View, said: Sequence[messages.Said]) -> View:
    speakers = {member.id: member for member in view.speakers}
    for one in said:
        if one.from_ is not None:
            speakers.pop(one.from_, None)
            speakers[one.from_] = MemberView(one.from_, one.name)
    latest = tuple(speakers.values())[-MOST_SPEAKERS:]
    said_at = max([view.said_at, *(one.at or 0 for one in said)])
    return replace(view, speakers=latest, said_at=said_at)


def _is_second(view: View, you: state.You) -> bool:
    """Return whether a welcome is for the second player at this keyboard."""
    return view.is_shared and view.you is not None and view.you.id != you.id


def _with_newer(view: View, room: state.RoomState) -> View:
    """Return the view with `room`, unless it is older and came by the second of two connections."""
    is_older = view.is_shared and view.room is not None and room.seq < view.room.seq
    return view if is_older else _with_room(view, room)


def _with_room(view: View, room: state.RoomState) -> View:
    game = room.game
    running = game.number if game is not None and game.outcome is None else view.running
    return replace(view, room=room, running=running)


def _present(room: state.RoomState, presence: messages.Presence) -> state.RoomState:
    seats = state.BySeat[state.Seat | None](
        X=_connected(room.seats.X, presence.seats.X), O=_connected(room.seats.O, presence.seats.O)
    )
    return replace(room, seats=seats, spectators=presence.spectators)


def _connected(seat: state.Seat | None, here: bool) -> state.Seat | None:
    if not isinstance(seat, state.HumanSeat) or seat.connected is here:
        return seat
    return replace(seat, connected=here, away_since=None)


def name_of(room: state.RoomState, mark: state.Mark) -> str:
    """Return the name on a seat: a player's, an AI's with its level, a bot's, or `nobody`."""
    seat = room.seats[mark]
    if seat is None:
        return "nobody"
    if isinstance(seat, state.AiSeat) and seat.level is not None:
        return f"{clean(seat.name)} {seat.level}"
    if isinstance(seat, state.HumanSeat) and seat.bot:
        return f"{clean(seat.name)} (bot)"
    return clean(seat.name)


def keeps_name(player: state.Player | state.Seat | None) -> bool:
    """Return whether a player is a person, whose name is kept on the server."""
    return isinstance(player, state.Human) and player.person is not None


def who(view: View, mark: state.Mark) -> str:
    """Return `you (X)` or `bob (O)`; two at one keyboard are called by their names."""
    if view.room is None:
        return mark.value
    yours = view.seat is mark and not view.is_shared
    return f"{'you' if yours else name_of(view.room, mark)} ({mark})"


def whose_turn(view: View, mark: state.Mark) -> str:
    """Return `bob's turn (O)`."""
    name = mark.value if view.room is None else name_of(view.room, mark)
    return f"{possessive(name)} turn ({mark})"
