import pytest

from tests.server.examples import (
    ADA,
    BOB,
    EVE,
    NOW,
    O,
    X,
    after,
    against_ai,
    code_of,
    decided,
    duel,
    founded,
    refusal,
    seated,
)
from ttt_protocol.codes import Opening, Reason, RefusalCode
from ttt_protocol.commands import Claim, Fill, Leave, Resign
from ttt_protocol.events import Ended
from ttt_protocol.state import (
    Mark,
    Outcome,
    SessionId,
    Status,
)
from ttt_server.core.room import Room


@pytest.mark.parametrize("stranger", [None, EVE])
def test_only_players_resign_claim_and_fill(stranger: SessionId | None) -> None:
    for command in (Resign(game=1), Claim(game=1), Fill(seat=X, strategy="rules")):
        assert code_of(duel(), stranger, command) is RefusalCode.NOT_A_PLAYER


@pytest.mark.parametrize("stranger", [None, EVE])
def test_who_has_no_seat_leaves_without_an_event(stranger: SessionId | None) -> None:
    assert decided(duel(), stranger, Leave()).events == ()


@pytest.mark.parametrize(("session", "winner"), [(ADA, O), (BOB, X)])
def test_resigning(session: SessionId, winner: Mark) -> None:
    room = duel(4)
    outcome = Outcome(winner=winner, reason=Reason.RESIGNATION)
    assert decided(room, session, Resign(game=1)).events == (
        Ended(seq=room.seq + 1, at=NOW, game=1, outcome=outcome),
    )
    assert after(room, session, Resign(game=1)).status is Status.FINISHED


@pytest.mark.parametrize("kind", [Resign, Claim])
def test_resign_and_claim_are_of_the_running_game(kind: type[Resign] | type[Claim]) -> None:
    over = after(duel(), ADA, Resign(game=1))
    for room, game, code, shows_room in (
        (seated(founded(), ADA), 1, "game_not_started", False),
        (duel(), 2, "wrong_game", True),
        (over, 2, "wrong_game", True),
        (over, 1, "game_over", True),
    ):
        refused = refusal(room, ADA, kind(game=game))
        assert (refused.code, refused.shows_room) == (code, shows_room)


GONE = {X: 0, O: 0}


@pytest.mark.parametrize(("session", "winner"), [(ADA, X), (BOB, O)])
def test_a_claim_wins_by_abandonment(session: SessionId, winner: Mark) -> None:
    room = duel(4) if winner is X else duel(4, 0)
    outcome = Outcome(winner=winner, reason=Reason.ABANDONMENT)
    assert decided(room, session, Claim(game=1), gone=GONE).events == (
        Ended(seq=room.seq + 1, at=NOW, game=1, outcome=outcome),
    )


@pytest.mark.parametrize(
    ("room", "session", "game", "code"),
    [
        # Each applies together with those below it, as far as they can.
        (founded(), ADA, 1, "not_a_player"),
        (seated(founded(), ADA), ADA, 1, "game_not_started"),
        (after(against_ai(), ADA, Resign(game=1)), ADA, 2, "wrong_game"),
        (after(against_ai(), ADA, Resign(game=1)), ADA, 1, "game_over"),
        (after(duel(), BOB, Leave()), ADA, 1, "game_over"),
        (against_ai(4), ADA, 1, "not_allowed"),
        (duel(), ADA, 1, "not_allowed"),
        (duel(4), ADA, 1, "too_early"),
    ],
)
def test_the_first_refusal_of_a_claim_that_applies_is_the_answer(
    room: Room, session: SessionId, game: int, code: str
) -> None:
    assert code_of(room, session, Claim(game=game)) == code


def test_on_the_own_turn_nothing_is_claimed() -> None:
    refused = refusal(duel(), ADA, Claim(game=1), gone=GONE)
    assert (refused.code, refused.reason) == (RefusalCode.NOT_ALLOWED, "it is your turn")
    to_choose = duel(4, opening=Opening.PIE)
    assert code_of(to_choose, BOB, Claim(game=1), gone=GONE) is RefusalCode.NOT_ALLOWED
    assert len(decided(to_choose, ADA, Claim(game=1), gone=GONE)) == 1


def test_a_claim_of_an_ended_game_stays_refused_whoever_is_gone() -> None:
    room = after(duel(), BOB, Resign(game=1))
    assert code_of(room, ADA, Claim(game=1), gone=GONE) is RefusalCode.GAME_OVER
