import pytest

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    DRAWN,
    EVE,
    NOW,
    REMATCH,
    TAKEBACK,
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
from ttt_protocol.commands import Accept, Decline, Leave, Offer, Resign
from ttt_protocol.events import Declined, Ended, Offered, Started, TakenBack
from ttt_protocol.state import (
    ClockSetting,
    Mark,
    OfferKind,
    Offers,
    Outcome,
    Score,
    SessionId,
    Status,
    TimeLeft,
)
from ttt_server.core.clock import GameClock
from ttt_server.core.decide import accept, decline
from ttt_server.core.evolve import evolve_all
from ttt_server.core.play import end
from ttt_server.core.room import Room

WON = duel(0, 3, 1, 4, 2)


def test_an_offer_stays_open() -> None:
    room = duel(4)
    assert decided(room, ADA, Offer(kind=DRAW)).events == (
        Offered(seq=room.seq + 1, at=NOW, kind=DRAW, seat=X),
    )
    assert offered(room, ADA, DRAW).offers == Offers(draw=X)


@pytest.mark.parametrize(
    ("room", "kind"), [(duel(4), DRAW), (duel(4), TAKEBACK), (WON, REMATCH)], ids=str
)
def test_the_same_offer_again_is_no_event(room: Room, kind: OfferKind) -> None:
    assert decided(offered(room, ADA, kind), ADA, Offer(kind=kind)).events == ()


@pytest.mark.parametrize("answer", [Offer, Accept])
def test_a_draw_is_agreed_to(answer: type[Offer] | type[Accept]) -> None:
    room = offered(duel(4), ADA, DRAW)
    events = decided(room, BOB, answer(kind=DRAW))
    outcome = Outcome(winner=None, reason=Reason.AGREEMENT)
    assert events.events == (Ended(seq=room.seq + 1, at=NOW, game=1, outcome=outcome),)
    room = evolve_all(room, events)
    assert room.score == Score(draws=1)
    assert room.offers == Offers()


@pytest.mark.parametrize("kind", [DRAW, TAKEBACK])
def test_an_offer_ends_with_the_next_move(kind: OfferKind) -> None:
    for offerer, other in ((ADA, BOB), (BOB, ADA)):
        room = moved(offered(duel(4, 0), offerer, kind), 8)
        assert room.offers == Offers()
        assert code_of(room, other, Accept(kind=kind)) is RefusalCode.NO_SUCH_OFFER


def test_all_offers_end_with_the_game_and_with_a_player() -> None:
    room = offered(offered(duel(4, 0), ADA, DRAW), BOB, TAKEBACK)
    assert room.offers == Offers(draw=X, takeback=O)
    assert after(room, ADA, Resign(game=1)).offers == Offers()
    over = offered(WON, ADA, REMATCH)
    assert after(over, BOB, Leave()).offers == Offers()
    assert seated(after(over, BOB, Leave()), EVE).offers == Offers()


@pytest.mark.parametrize(
    ("room", "kind"), [(duel(4), DRAW), (duel(4), TAKEBACK), (WON, REMATCH)], ids=str
)
def test_declining(room: Room, kind: OfferKind) -> None:
    room = offered(room, ADA, kind)
    events = decided(room, BOB, Decline(kind=kind))
    assert events.events == (Declined(seq=room.seq + 1, at=NOW, kind=kind, seat=O),)
    room = evolve_all(room, events)
    assert room.offers == Offers()
    assert code_of(room, BOB, Accept(kind=kind)) is RefusalCode.NO_SUCH_OFFER


@pytest.mark.parametrize("command", [Accept, Decline])
def test_no_such_offer(command: type[Accept] | type[Decline]) -> None:
    for kind in OfferKind:
        for room in (seated(founded(), ADA), duel(4), WON):
            assert code_of(room, ADA, command(kind=kind)) is RefusalCode.NO_SUCH_OFFER
    own = offered(duel(4), ADA, DRAW)
    assert code_of(own, ADA, command(kind=DRAW)) is RefusalCode.NO_SUCH_OFFER
    assert code_of(own, BOB, command(kind=TAKEBACK)) is RefusalCode.NO_SUCH_OFFER


@pytest.mark.parametrize("stranger", [None, EVE])
def test_only_players_offer_and_answer(stranger: SessionId | None) -> None:
    room = offered(duel(4), ADA, DRAW)
    for command in (Offer(kind=DRAW), Accept(kind=DRAW), Decline(kind=DRAW)):
        assert code_of(room, stranger, command) is RefusalCode.NOT_A_PLAYER


@pytest.mark.parametrize("kind", OfferKind)
def test_before_the_first_game_there_is_nothing_to_offer(kind: OfferKind) -> None:
    room = seated(founded(), ADA)
    assert code_of(room, ADA, Offer(kind=kind)) is RefusalCode.GAME_NOT_STARTED


@pytest.mark.parametrize("kind", [DRAW, TAKEBACK])
def test_after_the_game_there_is_only_the_rematch(kind: OfferKind) -> None:
    refused = refusal(WON, ADA, Offer(kind=kind))
    assert (refused.code, refused.shows_room) == (RefusalCode.GAME_OVER, True)


def test_a_rematch_is_for_two_after_the_game() -> None:
    for room in (duel(4), after(WON, BOB, Leave())):
        assert code_of(room, ADA, Offer(kind=REMATCH)) is RefusalCode.NOT_ALLOWED


@pytest.mark.parametrize(
    ("cells", "offerer", "left"),
    [
        ((4,), ADA, ()),
        ((4, 0), ADA, ()),
        ((4, 0), BOB, (4,)),
        ((4, 0, 8), ADA, (4, 0)),
        ((4, 0, 8), BOB, (4,)),
        ((4, 0, 8, 2), ADA, (4, 0)),
        ((4, 0, 8, 2), BOB, (4, 0, 8)),
    ],
)
def test_a_takeback_goes_to_before_the_offerers_last_move(
    cells: tuple[int, ...], offerer: SessionId, left: tuple[int, ...]
) -> None:
    room = offered(duel(*cells), offerer, TAKEBACK)
    other = BOB if offerer is ADA else ADA
    events = decided(room, other, Accept(kind=TAKEBACK))
    assert events.events == (TakenBack(seq=room.seq + 1, at=NOW, game=1, ply=len(left)),)
    room = evolve_all(room, events)
    assert room.game == duel(*left).game
    assert room.game is not None
    assert room.game.turn is (X if offerer is ADA else O)
    assert room.offers == Offers()
    assert room.seq > duel(*cells).seq, "the numbers do not go back with the game"


@pytest.mark.parametrize(
    ("cells", "offerer"), [((), ADA), ((), BOB), ((4,), BOB)], ids=["x first", "o first", "o"]
)
def test_there_is_no_move_to_take_back(cells: tuple[int, ...], offerer: SessionId) -> None:
    assert code_of(duel(*cells), offerer, Offer(kind=TAKEBACK)) is RefusalCode.NOT_ALLOWED


def test_one_may_play_on_after_a_takeback() -> None:
    room = moved(after(offered(duel(4, 0), BOB, TAKEBACK), ADA, Accept(kind=TAKEBACK)), 2)
    assert room.game is not None
    assert room.game.moves == (4, 2)


@pytest.mark.parametrize("answer", [Offer, Accept])
def test_a_rematch_changes_sides_and_the_score_goes_with_the_players(
    answer: type[Offer] | type[Accept],
) -> None:
    room = offered(WON, BOB, REMATCH)
    events = decided(room, ADA, answer(kind=REMATCH))
    assert events.events == (Started(seq=room.seq + 1, at=NOW, game=2),)
    room = evolve_all(room, events)
    assert who(room) == (BOB, ADA)
    assert room.score == Score(O=1)
    assert room.status is Status.PLAYING
    assert room.offers == Offers()
    room = moved(room, *DRAWN)
    assert room.score == Score(O=1, draws=1)
    room = offered(offered(room, BOB, REMATCH), ADA, REMATCH)
    assert who(room) == (ADA, BOB)
    assert room.score == Score(X=1, draws=1)


def test_a_resigning_player_loses_on_either_side() -> None:
    room = offered(offered(WON, BOB, REMATCH), ADA, REMATCH)
    assert after(room, ADA, Resign(game=2)).score == Score(X=1, O=1)


@pytest.mark.parametrize(("ai", "sides"), [(O, ("minimax", ADA)), (X, (ADA, "minimax"))])
def test_an_ai_accepts_a_rematch_at_once(ai: Mark, sides: tuple[str, str]) -> None:
    room = against_ai(0, 3, 1, 4, 2, ai=ai)
    events = decided(room, ADA, Offer(kind=REMATCH))
    assert types(events) == ["offered", "started"]
    room = evolve_all(room, events)
    assert who(room) == sides
    assert room.ai_to_move is (X if sides[0] == "minimax" else None)


@pytest.mark.parametrize(
    ("room", "ply"), [(against_ai(4), 0), (against_ai(4, 0), 0), (against_ai(4, 0, ai=X), 1)]
)
def test_an_ai_accepts_a_takeback_at_once(room: Room, ply: int) -> None:
    events = decided(room, ADA, Offer(kind=TAKEBACK))
    assert types(events) == ["offered", "taken_back"]
    room = evolve_all(room, events)
    assert room.game is not None
    assert room.game.ply == ply
    assert room.ai_to_move is None
    assert room.offers == Offers()


def test_a_forfeited_game_may_be_played_again() -> None:
    room = against_ai(4)
    room = evolve_all(room, end(room, Reason.FORFEIT, X, NOW))
    assert types(decided(room, ADA, Offer(kind=REMATCH))) == ["offered", "started"]


def test_an_ai_that_is_offered_a_draw_has_to_answer() -> None:
    room = against_ai(4, 0)
    assert room.ai_to_answer is None
    events = decided(room, ADA, Offer(kind=DRAW))
    assert types(events) == ["offered"]
    room = evolve_all(room, events)
    assert room.ai_to_answer is O
    assert evolve_all(room, decline(room, O, DRAW, NOW)).ai_to_answer is None
    assert evolve_all(room, accept(room, O, DRAW, NOW)).ai_to_answer is None
    assert moved(room, 8).ai_to_answer is None
    assert offered(duel(4), ADA, DRAW).ai_to_answer is None


def test_a_takeback_gives_no_time_and_takes_the_increment() -> None:
    clock = ClockSetting(initial_s=5, increment_s=2)
    room = moved(moved(duel(clock=clock), 4, now=NOW + 1000), 0, now=NOW + 2500)
    room = offered(room, BOB, TAKEBACK)
    (event,) = decided(room, ADA, Accept(kind=TAKEBACK), NOW + 2900)
    assert isinstance(event, TakenBack)
    assert event.clock == TimeLeft(X=5600, O=3500)
    room = evolve_all(room, (event,))
    assert room.game is not None
    assert room.game.clock == GameClock(TimeLeft(X=5600, O=3500), NOW + 2900)
    assert room.flag_falls_at == NOW + 2900 + 3500, "it is the offerer who pays now"


def test_nobodys_flag_falls_by_a_takeback() -> None:
    clock = ClockSetting(initial_s=3, increment_s=60)
    room = moved(duel(clock=clock), 4, now=NOW + 2900)
    room = evolve_all(room, decided(room, ADA, Offer(kind=TAKEBACK), NOW + 2900))
    (event,) = decided(room, BOB, Offer(kind=TAKEBACK), NOW + 2900)
    assert isinstance(event, TakenBack), "met by one who has no move to take back"
    assert event.clock == TimeLeft(X=1000, O=3000)


def test_a_takeback_gives_no_time_to_one_who_has_hardly_any() -> None:
    room = moved(duel(clock=ClockSetting(initial_s=3)), 4, now=NOW + 2600)
    room = evolve_all(room, decided(room, ADA, Offer(kind=TAKEBACK), NOW + 2600))
    (event,) = decided(room, BOB, Offer(kind=TAKEBACK), NOW + 2600)
    assert isinstance(event, TakenBack)
    assert event.clock == TimeLeft(X=400, O=3000)


def test_an_agreed_draw_stops_the_clock() -> None:
    room = offered(duel(clock=ClockSetting(initial_s=5)), ADA, DRAW)
    (ended,) = decided(room, BOB, Accept(kind=DRAW), NOW + 400)
    assert isinstance(ended, Ended)
    assert ended.clock == TimeLeft(X=4600, O=5000)


@pytest.mark.parametrize("kind", [DRAW, TAKEBACK])
def test_an_offer_to_an_ai_that_has_sat_down_meanwhile(kind: OfferKind) -> None:
    room = filled(duel(4, 0), ADA, O)
    assert types(decided(room, ADA, Offer(kind=kind)))[0] == "offered"
    room = returned(offered(room, ADA, DRAW), BOB)
    assert room.offers == Offers(), "it was not offered to the player who comes back"
