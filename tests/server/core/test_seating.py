import pytest

from tests.server.examples import (
    ADA,
    BOB,
    EVE,
    MINIMAX,
    NAME,
    NOW,
    REMATCH,
    TWO_AIS,
    O,
    X,
    after,
    against_ai,
    code_of,
    decided,
    duel,
    filled,
    founded,
    moved,
    offered,
    refusal,
    returned,
    seated,
    types,
    who,
)
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import Claim, Fill, Join, Leave, Offer, Rename, Resign
from ttt_protocol.events import Created, Ended, Left, Renamed, Seated, Started
from ttt_protocol.state import (
    Ai,
    Human,
    Mark,
    OfferKind,
    Offers,
    Outcome,
    Score,
    SeatSettings,
    SessionId,
    Settings,
    Status,
)
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import evolve_all
from ttt_server.core.moderation import NO_HOST
from ttt_server.core.room import Room
from ttt_server.core.seating import admit, create


def admission(room: Room, join: Join, session: SessionId = EVE) -> RefusalCode:
    with pytest.raises(Refused) as caught:
        admit(room, session, join, NOW)
    return caught.value.code


def test_creation_tells_the_settings_and_seats_the_ai() -> None:
    settings = Settings(seats=SeatSettings(O=MINIMAX))
    ai = Ai(name="minimax", strategy="minimax", level=9)
    assert create(NAME, settings, NOW).events == (
        Created(seq=1, at=NOW, settings=settings),
        Seated(seq=2, at=NOW, seat=O, player=ai),
    )


def test_two_ais_begin_at_once() -> None:
    events = create(NAME, Settings(seats=TWO_AIS), NOW)
    assert types(events) == ["created", "seated", "seated", "started"]
    room = evolve_all(Room(NAME), events)
    assert room.status is Status.PLAYING
    assert room.ai_to_move is X


def test_the_first_player_gets_x_and_waits() -> None:
    events = admit(founded(), ADA, Join(name="ada"), NOW)
    assert events.events == (Seated(seq=2, at=NOW, seat=X, player=Human(id=ADA, name="ada")),)


def test_the_second_player_begins_the_game() -> None:
    events = admit(seated(founded(), ADA), BOB, Join(name="bob"), NOW)
    assert events.events == (
        Seated(seq=3, at=NOW, seat=O, player=Human(id=BOB, name="bob")),
        Started(seq=4, at=NOW, game=1),
    )


def test_the_wanted_seat() -> None:
    room = seated(founded(), ADA, O)
    assert who(room) == (None, ADA)
    assert who(seated(room, BOB)) == (BOB, ADA)


@pytest.mark.parametrize(
    ("room", "wanted", "code"),
    [
        (seated(founded(), ADA), X, "seat_taken"),
        (against_ai(), O, "seat_taken"),
        (duel(), O, "seat_taken"),
        (duel(), None, "room_full"),
        (against_ai(), None, "room_full"),
        (founded(seats=TWO_AIS), None, "room_full"),
        (founded(seats=TWO_AIS), X, "room_full"),
    ],
)
def test_no_seat(room: Room, wanted: Mark | None, code: str) -> None:
    assert admission(room, Join(seat=wanted)) == code


def test_whoever_has_the_token_returns_without_an_event() -> None:
    assert admit(duel(0), BOB, Join(token="good"), NOW).events == ()


@pytest.mark.parametrize("room", [founded(), duel(), after(duel(), EVE, Leave())])
def test_a_token_of_no_seat(room: Room) -> None:
    assert admission(room, Join(token="good")) is RefusalCode.BAD_TOKEN


def test_leaving_resigns_and_frees_the_seat() -> None:
    room = duel(4)
    events = decided(room, ADA, Leave())
    assert events.events == (
        Ended(
            seq=room.seq + 1,
            at=NOW,
            game=1,
            outcome=Outcome(winner=O, reason=Reason.RESIGNATION),
        ),
        Left(seq=room.seq + 2, at=NOW, seat=X),
    )
    room = evolve_all(room, events)
    assert room.status is Status.WAITING
    assert who(room) == (None, BOB)
    assert room.score == Score(O=1)


def test_leaving_a_finished_game_resigns_nothing() -> None:
    room = after(duel(), BOB, Resign(game=1))
    assert types(decided(room, BOB, Leave())) == ["left"]


def test_leaving_before_the_first_game() -> None:
    assert types(decided(seated(founded(), ADA), ADA, Leave())) == ["left"]


def test_whoever_left_owns_nothing() -> None:
    room = after(duel(), ADA, Leave())
    assert code_of(room, ADA, Resign(game=1)) is RefusalCode.NOT_A_PLAYER
    assert admission(room, Join(token="good"), ADA) is RefusalCode.BAD_TOKEN


def test_the_next_player_begins_the_next_game_at_once() -> None:
    room = after(after(duel(0, 3, 1, 4, 2), ADA, Leave()), BOB)
    assert room.score == Score(X=1)
    events = admit(room, EVE, Join(name="eve"), NOW)
    assert types(events) == ["seated", "started"]
    room = evolve_all(room, events)
    assert who(room) == (EVE, BOB), "a new player does not change sides"
    assert room.score == Score(), "nor inherit a score"
    assert room.game is not None
    assert (room.game.number, room.game.ply) == (2, 0)


def test_both_leave_and_two_others_come() -> None:
    room = after(after(duel(), ADA, Leave()), BOB, Leave())
    assert room.free_seats == (X, O)
    room = seated(room, EVE, O)
    assert room.status is Status.WAITING
    room = seated(room, ADA)
    assert who(room) == (ADA, EVE)
    assert room.game is not None
    assert room.game.number == 2


def test_a_player_who_left_an_ai_is_followed_by_another() -> None:
    room = seated(after(against_ai(ai=X), ADA, Leave()), BOB)
    assert who(room) == ("minimax", BOB)
    assert room.ai_to_move is X
    assert room.score == Score()


RULES_AI = Ai(name="rules", strategy="rules", level=None)
GRACE = 60_000


def test_an_ai_for_an_empty_seat_begins_the_game() -> None:
    room = seated(founded(), ADA)
    assert decided(room, ADA, Fill(seat=O, strategy="rules")).events == (
        Seated(seq=3, at=NOW, seat=O, player=RULES_AI),
        Started(seq=4, at=NOW, game=1),
    )


def test_an_ai_follows_whoever_left() -> None:
    room = after(duel(0, 3, 1, 4, 2), BOB, Leave())
    room = after(room, ADA, Fill(seat=O, strategy="rules"))
    assert who(room) == (ADA, "rules")
    assert room.game is not None
    assert (room.game.number, room.score) == (2, Score())
    assert not room.has_place_of(BOB), "who left has no claim to the seat"


def test_an_ai_that_fills_has_the_strategy_and_the_level_of_the_command() -> None:
    for level in (3, None):
        command = Fill(seat=O, strategy="minimax", level=level)
        event = decided(seated(founded(), ADA), ADA, command).events[0]
        assert isinstance(event, Seated)
        assert event.player == Ai(name="minimax", strategy="minimax", level=level)


@pytest.mark.parametrize(("gone_ms", "is_early"), [(0, True), (GRACE - 1, True), (GRACE, False)])
def test_a_human_may_be_gone_for_a_while(gone_ms: int, is_early: bool) -> None:
    room, gone = duel(4), {O: NOW - gone_ms}
    fill, claim = Fill(seat=O, strategy="rules"), Claim(game=1)
    if is_early:
        assert code_of(room, ADA, fill, gone=gone) == code_of(room, ADA, claim, gone=gone)
        assert code_of(room, ADA, fill, gone=gone) is RefusalCode.TOO_EARLY
    else:
        assert types(decided(room, ADA, fill, gone=gone)) == ["seated"]
        assert types(decided(room, ADA, claim, gone=gone)) == ["ended"]


def test_too_early_tells_how_long_to_wait() -> None:
    room = duel(4, grace_s=1.5)
    assert refusal(room, ADA, Claim(game=1), gone={O: NOW - 300}).reason == "wait 1.2 seconds more"
    assert refusal(room, ADA, Claim(game=1)).reason == "the other player is here"
    assert types(decided(duel(4, grace_s=0), ADA, Claim(game=1), gone={O: NOW})) == ["ended"]


@pytest.mark.parametrize(
    ("room", "command", "code"),
    [
        (duel(), Fill(seat=X, strategy="no such thing"), "not_allowed"),
        (against_ai(), Fill(seat=O, strategy="no such thing"), "not_allowed"),
        (duel(), Fill(seat=O, strategy="no such thing"), "too_early"),
    ],
)
def test_the_first_refusal_of_a_fill_that_applies_is_the_answer(
    room: Room, command: Fill, code: str
) -> None:
    assert code_of(room, ADA, command) == code


def test_only_the_other_seat_counts() -> None:
    gone = {X: 0}
    assert code_of(duel(4), ADA, Claim(game=1), gone=gone) is RefusalCode.TOO_EARLY
    assert code_of(duel(4), ADA, Fill(seat=O, strategy="rules"), gone=gone) == "too_early"


def test_an_ai_sits_in_and_the_game_goes_on() -> None:
    room = duel(4, 0)
    played = room.game
    room = filled(room, ADA, O)
    assert who(room) == (ADA, "minimax")
    assert room.game == played
    assert room.status is Status.PLAYING
    assert room.seats.of(BOB) is None
    assert room.has_place_of(BOB)
    assert moved(room, 8).ai_to_move is O


@pytest.mark.parametrize(("absent", "present", "seat"), [(BOB, ADA, O), (ADA, BOB, X)])
def test_a_human_who_comes_back_has_the_seat(
    absent: SessionId, present: SessionId, seat: Mark
) -> None:
    before = duel(4, 0)
    room = moved(filled(before, present, seat), 8)
    events = admit(room, absent, Join(name="someone", token="good", seat=seat.other), NOW + 9)
    player = Human(id=absent, name=absent[:3])
    assert events.events == (Seated(seq=room.seq + 1, at=NOW + 9, seat=seat, player=player),)
    room = evolve_all(room, events)
    assert room.seats == before.seats
    assert room.game == moved(before, 8).game
    assert room.ai_to_move is None
    assert not room.stood_in_for.of(absent), "and sits there as before"
    assert admit(room, absent, Join(token="good"), NOW).events == ()


def test_it_may_happen_again_and_to_the_other() -> None:
    room = returned(filled(duel(4), ADA, O), BOB)
    room = filled(room, BOB, X)
    assert who(room) == ("minimax", BOB)
    assert who(returned(filled(returned(room, ADA), ADA, O), BOB)) == (ADA, BOB)


def test_a_seat_is_kept_over_a_rematch_and_the_score_with_it() -> None:
    room = filled(duel(0, 3, 1, 4, 2), ADA, O)
    assert room.score == Score(X=1), "the series goes on"
    room = after(room, ADA, Offer(kind=REMATCH))
    assert who(room) == ("minimax", ADA)
    assert room.score == Score(O=1)
    room = returned(moved(room, 4), BOB)
    assert who(room) == (BOB, ADA)
    assert room.score == Score(O=1)
    assert room.game is not None
    assert room.game.moves == (4,)


def test_the_game_of_two_who_were_filled_is_counted_to_the_human_on_the_return() -> None:
    room = returned(moved(filled(duel(0, 3, 1, 4), ADA, O), 2), BOB)
    assert room.status is Status.FINISHED
    assert room.score == Score(X=1)


def test_a_human_who_finds_another_in_the_seat_has_no_token_for_it() -> None:
    room = seated(after(filled(duel(4), ADA, O), ADA, Leave()), EVE)
    assert who(room) == (EVE, "minimax")
    assert who(returned(room, BOB)) == (EVE, BOB), "the AI kept it"
    room = after(returned(room, BOB), BOB, Leave())
    assert not room.has_place_of(BOB)
    assert admission(seated(room, ADA), Join(token="good"), BOB) is RefusalCode.BAD_TOKEN


def test_a_stand_in_ends_with_the_seat() -> None:
    """A log may hold it, though no command gives up the seat of an AI."""
    room = filled(duel(4), ADA, O)
    room = evolve_all(room, (Left(seq=room.seq + 1, at=NOW, seat=O),))
    assert not room.has_place_of(BOB)


@pytest.mark.parametrize("kind", OfferKind)
def test_offers_end_when_someone_else_sits_down(kind: OfferKind) -> None:
    room = duel(0, 3, 1, 4, 2) if kind is REMATCH else duel(4, 0)
    room = filled(offered(room, BOB, kind), ADA, O)
    assert room.offers == Offers()


def test_a_full_room_with_a_stand_in_is_full() -> None:
    room = filled(duel(4), ADA, O)
    assert admission(room, Join(name="eve")) is RefusalCode.ROOM_FULL
    assert admission(room, Join(name="bob", seat=O)) is RefusalCode.SEAT_TAKEN


def test_a_session_that_has_a_place_finds_it_without_a_token() -> None:
    room = duel(4)
    assert admit(room, BOB, Join(name="bob"), NOW).events == ()
    (seated,) = admit(filled(room, ADA, O), BOB, Join(name="bob"), NOW)
    assert isinstance(seated, Seated)
    assert (seated.seat, seated.player) == (O, room.seats[O])


def test_a_new_room_may_have_a_lock() -> None:
    created = create(NAME, Settings(), NOW, "salt.hash")
    assert evolve_all(Room(NAME), created).password_hash == "salt.hash"
    assert "salt.hash" not in repr(evolve_all(Room(NAME), created))


def test_a_player_takes_another_name() -> None:
    room = duel(4)
    events = decided(room, ADA, Rename(name="Blue Otter"))
    assert events.events == (Renamed(seq=room.seq + 1, at=NOW, seat=X, name="Blue Otter"),)
    renamed = evolve_all(room, events)
    player = renamed.seats[X]
    assert isinstance(player, Human)
    assert (player.id, player.name) == (ADA, "Blue Otter")
    assert (renamed.game, renamed.score, renamed.offers) == (room.game, room.score, room.offers)
    assert decided(renamed, ADA, Rename(name="Blue Otter")).events == ()


def test_only_a_player_is_renamed_in_the_log() -> None:
    assert code_of(duel(), EVE, Rename(name="eve")) is RefusalCode.NOT_A_PLAYER


def test_a_room_is_created_with_its_players() -> None:
    settings = Settings(seats=SeatSettings(O=MINIMAX))
    room = evolve_all(
        Room(NAME), create(NAME, settings, NOW, host=NO_HOST, humans={X: Human(id=ADA, name="ada")})
    )
    assert room.status is Status.PLAYING
    assert room.seats.of(ADA) is X
    assert room.seats.has_ai
    assert not room.host


def test_a_player_whose_name_looks_like_the_others_gets_a_number() -> None:
    room = seated(founded(), ADA)
    seat, *_ = admit(room, BOB, Join(name="\u0430da"), NOW)
    assert isinstance(seat, Seated)
    assert seat.player.name == "\u0430da 2"


def test_players_without_a_name_have_no_number() -> None:
    room = evolve_all(founded(), admit(founded(), ADA, Join(), NOW))
    seat, *_ = admit(room, BOB, Join(), NOW)
    assert isinstance(seat, Seated)
    assert seat.player.name == "guest"


def test_a_player_does_not_take_the_name_of_the_other() -> None:
    room = duel(4)
    other = room.seats[O]
    assert isinstance(other, Human)
    (renamed,) = decided(room, ADA, Rename(name=f"{other.name} "))
    assert isinstance(renamed, Renamed)
    assert renamed.name == f"{other.name} 2"
