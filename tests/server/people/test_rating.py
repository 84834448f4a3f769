"""Ratings for each board and pace, game by game."""

from dataclasses import replace

import pytest

from tests.server.examples import ADA, BOB, NOW, O, X, duel
from ttt_protocol.codes import Reason
from ttt_protocol.state import ClockSetting, Human, Mark, Outcome, PersonId, Rules, Settings
from ttt_server.core.room import Room, Seats, game_of
from ttt_server.people.rating import (
    NEW,
    GamePlace,
    KeptRating,
    Pace,
    RatedGame,
    pace_of,
    rate,
    rated_game,
)
from ttt_server.people.ratings import Shown

CLOCK = ClockSetting(initial_s=60)
P1, P2 = PersonId("p1"), PersonId("p2")


def of_persons(room: Room, x: PersonId | None = P1, o: PersonId | None = P2) -> Room:
    """A room like this that is rated, with these persons in its seats."""
    seats = Seats(
        Human(id=ADA, name="ada", person=x),
        Human(id=BOB, name="bob", person=o),
    )
    settings = room.settings.model_copy(update={"rated": True})
    return room.replace(seats=seats, settings=settings)


def over(room: Room, winner: Mark | None, unrated: str | None = None) -> Room:
    outcome = Outcome(winner=winner, reason=Reason.TIMEOUT)
    return room.replace(game=replace(game_of(room), outcome=outcome, unrated=unrated))


def game(number: int, x: str = "a", o: str = "b", points: int = 2) -> RatedGame:
    return RatedGame(GamePlace(NOW + number, "den", number), "3x3x3", "fast", x, o, points)


@pytest.mark.parametrize(
    ("clock", "days", "pace"),
    [
        ((60, 0), None, Pace.FAST),
        ((300, 3), None, Pace.FAST),
        ((479, 0), None, Pace.FAST),
        ((480, 0), None, Pace.SLOW),
        ((1, 12), None, Pace.SLOW),
        (None, 3, Pace.DAYS),
    ],
)
def test_the_pace_of_a_clock(clock: tuple[int, int] | None, days: int | None, pace: Pace) -> None:
    setting = clock and ClockSetting(initial_s=clock[0], increment_s=clock[1])
    assert pace_of(Settings(clock=setting, days=days)) is pace


@pytest.mark.parametrize(("winner", "points"), [(X, 2), (None, 1), (O, 0)])
def test_a_rated_game_says_what_its_rating_needs(winner: Mark | None, points: int) -> None:
    room = of_persons(duel(clock=CLOCK, rules=Rules(columns=4, rows=4, in_a_row=4)))
    found = rated_game(over(room, winner), room.seats)
    assert found == RatedGame(GamePlace(NOW, "den", 1), "4x4x4", "fast", "p1", "p2", points)


def test_other_games_do_not_count() -> None:
    room = of_persons(duel(clock=CLOCK))
    assert rated_game(room, room.seats) is None
    assert rated_game(over(room, X, "same_opponent"), room.seats) is None
    for persons in ((P1, None), (None, P2)):
        assert rated_game(over(room, X), of_persons(room, *persons).seats) is None
    assert rated_game(over(duel(clock=CLOCK), X), room.seats) is None


def test_both_are_rated_by_what_they_were_before() -> None:
    (first,) = rate([game(1)], {})
    assert first.X.points - 1_500_000 == 1_500_000 - first.O.points == 162_311
    assert first.gained == (162_311, -162_311)
    assert first.X.deviation == first.O.deviation == 290_319
    assert first.X.games == first.O.games == 1


def test_a_rating_is_provisional_until_its_deviation_is_small() -> None:
    assert Shown(NEW.points, NEW.deviation, NEW.games).is_provisional
    assert Shown(0, 110_000, 9).is_provisional
    assert not Shown(0, 109_999, 9).is_provisional
    played = rate([game(n, points=n % 3) for n in range(60)], {})
    assert not Shown(0, played[-1].X.deviation, 60).is_provisional


def test_games_in_parts_give_the_same_as_all_at_once() -> None:
    games = [game(n, *("abc"[n % 3], "bca"[n % 3]), points=n % 3) for n in range(12)]
    whole = rate(games, {})
    first = rate(games[:5], {})
    latest: dict[str, KeptRating] = {}
    for each in first:
        latest |= {each.game.X: each.X, each.game.O: each.O}
    assert first + rate(games[5:], latest) == whole


def test_the_order_is_that_of_the_ends() -> None:
    assert GamePlace(1, "b", 2) < GamePlace(2, "a", 1) < GamePlace(2, "b", 1)
