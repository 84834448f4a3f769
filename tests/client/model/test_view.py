from collections.abc import Callable

import pytest

from tests.client.conftest import build_room, build_view, build_welcome
from ttt_client.model.view import View, fold, name_of, swapped, who
from ttt_protocol.codes import Choice, RefusalCode
from ttt_protocol.messages import (
    Goodbye,
    Hint,
    Message,
    Presence,
    Refused,
    Rooms,
    RoomsChanged,
    Said,
    Update,
    Welcome,
)
from ttt_protocol.state import BySeat, Mark, OfferKind, Role, RoomState

MakeRoom = Callable[..., RoomState]
MakeView = Callable[..., View]
LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}


def test_before_the_welcome_there_is_nothing() -> None:
    view = View()
    assert view.seat is None
    assert view.game is None
    assert view.to_move is None
    assert view.offered == ()
    assert not view.own_offers
    assert not view.your_turn
    assert not view.all_ai
    assert not view.done


def test_the_welcome_gives_the_room_and_the_seat(
    room: MakeRoom, welcome: Callable[..., Welcome]
) -> None:
    view = fold(View(), welcome(room(), "O"))
    assert view.seat is Mark.O
    assert view.to_move is Mark.X
    assert not view.your_turn


def test_an_update_replaces_the_room(
    room: MakeRoom, view: MakeView, update: Callable[..., Update]
) -> None:
    after = fold(view(room(), "O"), update(room(moves=(4,))))
    assert after.your_turn
    assert after.room == room(moves=(4,))


def test_the_seat_follows_the_player_over_a_rematch(room: MakeRoom, view: MakeView) -> None:
    assert view(room("bob", "ada"), "X").seat is Mark.O


def test_a_seat_that_another_player_took_is_not_yours(room: MakeRoom, view: MakeView) -> None:
    assert view(room("minimax", "bob"), "X").seat is None


def test_presence_changes_who_is_there(room: MakeRoom, view: MakeView) -> None:
    presence = Presence(seats=BySeat[bool](X=True, O=False), spectators=4)
    after = fold(view(room("ada", "bob")), presence)
    assert after.room is not None
    assert after.room.spectators == 4
    assert after.room.seats.O is not None
    assert not after.room.seats.O.connected


def test_an_ai_and_an_empty_seat_have_no_presence(room: MakeRoom, view: MakeView) -> None:
    presence = Presence(seats=BySeat[bool](X=False, O=False), spectators=0)
    before = view(room("minimax", None), None)
    assert fold(before, presence) == before


def test_presence_before_the_welcome_says_nothing() -> None:
    presence = Presence(seats=BySeat[bool](X=False, O=False), spectators=0)
    assert fold(View(), presence) == View()


def test_a_refusal_brings_the_room_up_to_date(room: MakeRoom, view: MakeView) -> None:
    refused = Refused(
        command="play", code=RefusalCode.STALE_PLY, reason="no", room=room(moves=(4,))
    )
    assert fold(view(room()), refused).room == room(moves=(4,))


@pytest.mark.parametrize(
    "message",
    [
        Refused(command="say", code=RefusalCode.RATE_LIMITED, reason="no"),
        Hint(best=(4,), values={}, reason="centre"),
        Said(name="bob", role=Role.PLAYER, text="hi"),
        Goodbye(code=1012, reason="restarting"),
        Rooms(rooms=()),
        RoomsChanged(rooms=(), gone=()),
    ],
)
def test_other_messages_leave_the_room_as_it_is(
    room: MakeRoom, view: MakeView, message: Message
) -> None:
    before = view(room())
    assert fold(before, message) == before


def test_offers_of_the_other_player_are_yours_to_answer(room: MakeRoom, view: MakeView) -> None:
    offers = {"draw": "O", "takeback": "X"}
    assert view(room(offers=offers), "X").offered == (OfferKind.DRAW,)
    assert view(room(offers=offers), "O").offered == (OfferKind.TAKEBACK,)
    assert view(room(offers=offers), None).offered == ()


def test_a_rematch_that_was_asked_for_is_known(room: MakeRoom, view: MakeView) -> None:
    asked = room(outcome=LINE, offers={"rematch": "X"})
    assert view(asked, "X").own_offers == (OfferKind.REMATCH,)
    assert not view(asked, "O").own_offers
    assert not view(asked, None).own_offers
    assert not View().own_offers


def test_a_game_is_done_with_its_outcome(room: MakeRoom, view: MakeView) -> None:
    assert not view(room()).done
    assert not view(room("ada", None)).done
    assert view(room(outcome=LINE)).done
    assert view(room(outcome=LINE, games=3)).done  # a series is for two AIs


def test_two_ais_are_done_after_their_last_game(room: MakeRoom, view: MakeView) -> None:
    assert not view(room("rules", "minimax", games=2, number=1, outcome=LINE), None).done
    assert view(room("rules", "minimax", games=2, number=2, outcome=LINE), None).done


def test_an_older_game_in_a_room_that_waits_does_not_count(
    room: MakeRoom, view: MakeView, update: Callable[..., Update]
) -> None:
    waiting = room(outcome=LINE, status="waiting")
    assert not view(waiting).done
    assert fold(view(room()), update(waiting)).done


def test_who_is_you_or_a_name_or_nobody(room: MakeRoom, view: MakeView) -> None:
    assert who(view(room()), Mark.X) == "you (X)"
    assert who(view(room()), Mark.O) == "bob (O)"
    assert who(view(room("ada", None)), Mark.O) == "nobody (O)"
    assert who(View(), Mark.O) == "O"


def test_an_offer_of_yours_waits_for_its_answer(room: MakeRoom, view: MakeView) -> None:
    offered = room(offers={"takeback": "X"})
    assert view(offered).own_offers
    assert not view(offered, "O").own_offers
    assert not view(offered, None).own_offers


def shared(room: RoomState) -> View:
    ada = build_view(room)
    return View(you=ada.you, room=room, partner=build_welcome(room, "O").you, is_shared=True)


def test_two_at_one_keyboard_have_the_seat_to_move() -> None:
    first, second = shared(build_room()), shared(build_room(moves=(4,)))
    assert (first.seat, second.seat) == (Mark.X, Mark.O)
    assert first.your_turn
    assert second.your_turn
    assert shared(build_room(o=None)).seat is Mark.X
    assert who(first, Mark.X) == "ada (X)"


def test_an_offer_between_two_at_one_keyboard_is_for_the_other() -> None:
    assert shared(build_room(offers={"draw": "X"})).offered == (OfferKind.DRAW,)
    assert shared(build_room()).offered == ()


def test_a_bot_is_called_one(room: MakeRoom) -> None:
    seats = {"X": {"kind": "human", "id": "b", "name": "deep", "bot": True, "connected": True}}
    assert name_of(room(seats=seats | {"O": None}), Mark.X) == "deep (bot)"


def test_a_choice_is_that_of_the_seat_that_chooses(room: MakeRoom, view: MakeView) -> None:
    choosing = room(moves=(4,), opening="pie", choosing="O", choices=("stay", "swap"))
    chooser, other, watcher = (view(choosing, seat) for seat in ("O", "X", None))
    assert chooser.your_choices == (Choice.STAY, Choice.SWAP)
    assert (other.your_choices, watcher.your_choices, View().your_choices) == ((), (), ())
    assert [one.your_turn for one in (chooser, other, watcher)] == [False, False, False]
    assert chooser.is_running
    assert chooser.choosing is Mark.O
    over = room(moves=(4,), choosing="O", choices=("stay",), outcome=LINE)
    assert view(over, "O").your_choices == ()
    assert not view(over, "O").is_running


def test_two_at_one_keyboard_have_the_seat_that_chooses(room: MakeRoom) -> None:
    choosing = room(moves=(4,), opening="pie", choosing="O", choices=("stay", "swap"))
    ada, bob = build_welcome(choosing, "X"), build_welcome(choosing, "O")
    both = fold(fold(View(is_shared=True), ada), bob)
    assert both.seat is Mark.O
    assert both.your_choices == (Choice.STAY, Choice.SWAP)


def test_what_the_second_connection_tells_late_does_not_undo_a_move(
    room: MakeRoom, update: Callable[..., Update]
) -> None:
    before, after = room(), room(moves=(4,))
    view = fold(fold(View(is_shared=True), build_welcome(before, "X")), update(after))
    view = fold(view, build_welcome(before, "O"))
    assert (view.seat, view.room) == (Mark.O, after)
    assert fold(view, update(before)).room == after


def test_how_many_pieces_a_side_places_in_a_row(room: MakeRoom, view: MakeView) -> None:
    assert view(room(opening="swap2", to_place=3)).to_place == 3
    assert view(room(opening="swap2", to_place=3, outcome=LINE)).to_place == 0
    assert view(room()).to_place == 0
    assert View().to_place == 0


def test_the_seats_before_a_swap(room: MakeRoom, view: MakeView) -> None:
    before = swapped(view(room(), "X"))
    assert before.seat is Mark.O
    assert swapped(View()) == View()
