"""Games with days for each move."""

import pytest
from pydantic import ValidationError

from tests.server.examples import (
    ADA,
    BOB,
    NOW,
    TAKEBACK,
    O,
    X,
    after,
    checked,
    code_of,
    decided,
    duel,
    moved,
    refusal,
)
from ttt_protocol.codes import Choice, Opening, Reason, RefusalCode
from ttt_protocol.commands import Accept, Choose, Claim, Fill, Leave, Offer
from ttt_protocol.events import Ended, Seated
from ttt_protocol.state import Ai, ClockSetting, Rules, Settings, TimeLeft
from ttt_server.core.play import fallen_flag
from ttt_server.core.room import Room, game_of

DAY = 86_400_000
ALL = TimeLeft(X=3 * DAY, O=3 * DAY)


def left(room: Room, now: int) -> TimeLeft | None:
    game = game_of(room)
    return None if game.clock is None else game.clock.at(now, game.running)


@pytest.mark.parametrize("days", [0, 15, 1.5, True, "3"])
def test_there_are_one_to_fourteen(days: object) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"days": days})


def test_there_is_no_other_clock() -> None:
    with pytest.raises(ValidationError, match="a clock or days a move, not both"):
        Settings(days=3, clock=ClockSetting(initial_s=60))


def test_a_room_without_says_nothing_of_them() -> None:
    assert "days" not in Settings().model_dump()
    assert Settings(days=3).model_dump()["days"] == 3


def test_every_move_has_all_of_them() -> None:
    room = duel(days=3)
    assert left(room, NOW + DAY) == TimeLeft(X=2 * DAY, O=3 * DAY)
    room = moved(room, 4, now=NOW + DAY)
    assert left(room, NOW + DAY) == ALL
    assert room.flag_falls_at == NOW + 4 * DAY


def test_the_flag_falls_at_the_end_of_the_last() -> None:
    room = moved(duel(days=3), 4)
    assert not fallen_flag(room, NOW + 3 * DAY - 1).events
    (ended,) = fallen_flag(room, NOW + 3 * DAY).events
    assert isinstance(ended, Ended)
    assert (ended.outcome.winner, ended.outcome.reason) == (X, Reason.TIMEOUT)
    checked(room, (ended,))


def test_they_are_never_given_back() -> None:
    room = duel(days=1)
    assert room.with_clock_shifted(DAY) is room


def test_a_choice_and_a_takeback_begin_a_move() -> None:
    room = duel(days=3, opening=Opening.PIE, rules=Rules(columns=5, rows=5, in_a_row=4))
    room = moved(room, 12, now=NOW + DAY)
    for choice in (Choice.STAY, Choice.SWAP):
        command = Choose(game=1, ply=1, choice=choice)
        assert left(after(room, BOB, command, now=NOW + 2 * DAY), NOW + 2 * DAY) == ALL
    room = after(moved(duel(days=3), 4), ADA, Offer(kind=TAKEBACK), now=NOW + DAY)
    room = after(room, BOB, Accept(kind=TAKEBACK), now=NOW + 2 * DAY)
    assert left(room, NOW + 2 * DAY) == ALL


def test_a_player_may_be_away() -> None:
    room = duel(4, days=3)
    later, gone = NOW + DAY, {O: 0}
    for command in (Claim(game=1), Fill(seat=O, strategy="minimax")):
        refused = refusal(room, ADA, command, later, gone)
        assert refused.code is RefusalCode.NOT_ALLOWED
        assert "days" in refused.reason
    assert code_of(duel(4), ADA, Fill(seat=O, strategy="minimax"), later) is RefusalCode.TOO_EARLY


def test_an_empty_seat_may_be_filled() -> None:
    alone = after(duel(days=3), BOB, Leave())
    (seated, _) = decided(alone, ADA, Fill(seat=O, strategy="minimax")).events
    assert isinstance(seated, Seated)
    assert isinstance(seated.player, Ai)
