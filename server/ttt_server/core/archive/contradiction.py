"""Contradictions between an event and the room before it. Pure.

`decide` gives no event that contradicts its room, so the server does not check its own events:
`evolve` refuses only those that do not fit. Logs from elsewhere are checked here.
"""

from dataclasses import replace
from typing import assert_never

from ttt_engine.outcome import Outcome as EngineOutcome
from ttt_protocol import events
from ttt_protocol.codes import Reason
from ttt_protocol.state import Ai, Human, OfferKind, Outcome, Status
from ttt_server.core.play import on_the_board
from ttt_server.core.room import Room, RoomGame

_InGame = events.Played | events.Chosen | events.TakenBack | events.Ended | events.Slept
_BY_A_MOVE = Reason.LINE, Reason.FULL, Reason.REPETITION, Reason.LONG


def contradiction(room: Room, event: events.Event) -> str | None:
    """Return how `event` contradicts the room before it, as the end of a sentence on "event 5".

    `None` if `decide` may have given it, as far as the room tells: it knows neither whether a
    player was away nor what a clock showed. Imported games may skip numbers, and offers may have
    lapsed. What `evolve` refuses is not checked.
    """
    if isinstance(event, events.Created) is not (room.seq == 0):
        return "creates the room again" if room.seq else "comes before the room is created"
    if must_end(room) and not isinstance(event, events.Ended):
        return "comes between the last move and the end of the game"
    match event:
        case events.Created() | events.Renamed() | events.Moderated():
            return None
        case events.Seated():
            return _of_seated(room, event)
        case events.Left(seat=seat) if room.seats[seat] is None:
            return f"gives up the seat of {seat}, which is empty"
        case events.Left():
            in_game = room.status is Status.PLAYING
            return "gives up a seat in the middle of a game" if in_game else None
        case events.Started():
            return _of_started(room, event)
        case events.Offered(kind=kind):
            due = Status.FINISHED if kind is OfferKind.REMATCH else Status.PLAYING
            return None if room.status is due else f"offers a {kind} out of time"
        case events.Declined(kind=kind, seat=seat):
            return None if room.offers[kind] is seat.other else "declines what is not offered"
        case _:
            return _of_a_game(room, event)


def must_end(room: Room) -> bool:
    """Return whether the board has decided the game, so that only its end may follow."""
    game = room.game
    return game is not None and game.outcome is None and game.position.outcome() is not None


def _of_seated(room: Room, event: events.Seated) -> str | None:
    before, player = room.seats[event.seat], event.player
    if before is None:
        return None
    if isinstance(before, Human) and isinstance(player, Human) and before.id == player.id:
        known = replace(before, name=player.name, person=player.person)
        is_recognised = before.person is None and player.person is not None and player == known
        return None if is_recognised else f"changes the player in the seat of {event.seat}"
    absent = room.stood_in_for[event.seat]
    comes_back = isinstance(player, Human) and absent is not None and player.id == absent.id
    if comes_back if isinstance(before, Ai) else isinstance(player, Ai):
        return None
    return f"gives the seat of {event.seat} away, which is taken"


def _of_started(room: Room, event: events.Started) -> str | None:
    before = 0 if room.game is None else room.game.number
    if room.game is not None and room.game.outcome is None:
        return f"starts game {event.game} in the middle of game {before}"
    if event.game <= before:
        return f"starts game {event.game} after game {before}"
    return None if room.seats.full else "starts a game without two players"


def _of_a_game(room: Room, event: _InGame) -> str | None:
    game = room.game
    if game is None:
        return "is of a game that never started"
    if event.game != game.number:
        return f"is of game {event.game} in game {game.number}"
    if game.outcome is not None:
        return "comes after the end of the game"
    if (event.clock is None) is not (game.clock is None):
        return "tells of a clock in a game without one" if event.clock else "tells of no clock"
    match event:
        case events.Played(ply=ply, seat=seat):
            in_turn = (ply, seat) == (game.ply, game.placing)
            return None if in_turn else "is a move out of turn"
        case events.Chosen(ply=ply, seat=seat):
            in_turn = (ply, seat) == (game.ply, game.choosing)
            return None if in_turn else "is a choice out of turn"
        case events.TakenBack(ply=ply) if not len(room.settings.start) <= ply < game.ply:
            return "takes back no move"
        case events.TakenBack():
            return None if room.offers.takeback else "takes back what nobody asked for"
        case events.Ended():
            return _of_ended(room, game, event.outcome)
        case events.Slept(seat=seat):
            return None if seat is game.turn else "gives time back to the side that does not move"
        case _:
            assert_never(event)


def _of_ended(room: Room, game: RoomGame, told: Outcome) -> str | None:
    if not _is_true(told, game.position.outcome()):
        return "is another outcome than that of the board"
    match told.reason:
        # A game without a clock may have had one elsewhere, in a form that does not tell it.
        case Reason.TIMEOUT if game.clock and told.winner is not game.turn.other:
            return "is a fallen flag of the side that does not move"
        case Reason.AGREEMENT if told.winner is not None:
            return "is an agreement with a winner"
        case Reason.AGREEMENT if room.offers.draw is None:
            return "is an agreement without an offer"
        case Reason.RESIGNATION | Reason.FORFEIT | Reason.TIMEOUT if told.winner is None:
            return f"is a {told.reason} without a winner"
        case _:
            return None


def _is_true(told: Outcome, found: EngineOutcome | None) -> bool:
    """Return whether an outcome fits the board's, if that has one."""
    if found is None:
        return told.reason not in _BY_A_MOVE and told.line is None
    return told == on_the_board(found)
