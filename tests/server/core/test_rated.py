"""Rated games: which rooms, which players, and which ends count."""

from typing import Any

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    DRAW,
    MINIMAX,
    NOW,
    REMATCH,
    TAKEBACK,
    O,
    X,
    after,
    code_of,
    decided,
    duel,
    refusal,
)
from ttt_protocol.codes import Reason, RefusalCode
from ttt_protocol.commands import Accept, Fill, Leave, Offer, Resign
from ttt_protocol.events import Ended
from ttt_protocol.state import ClockSetting, Human, Mark, PersonId, SeatSettings, Settings
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import Decision
from ttt_server.core.play import end
from ttt_server.core.rated import person_in, require_rateable, require_rateable_player
from ttt_server.core.room import Room, Seats

CLOCK = ClockSetting(initial_s=60)


def rated(*cells: int, **settings: Any) -> Room:
    """Ada and Bob, who are persons, in a rated game."""
    room = duel(*cells, clock=CLOCK, **settings)
    return room.replace(
        settings=room.settings.model_copy(update={"rated": True}),
        seats=Seats(
            Human(id=ADA, name="ada", person=PersonId("p1")),
            Human(id=BOB, name="bob", person=PersonId("p2")),
        ),
    )


def why(decision: Decision) -> str | None:
    """Why the game that ends does not count."""
    (ended,) = (event for event in decision.events if isinstance(event, Ended))
    return ended.unrated


def test_a_room_without_says_nothing_of_it() -> None:
    assert "rated" not in Settings().model_dump()
    assert Settings(rated=True).model_dump()["rated"] is True


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "settings.rated: a rated game needs a clock, or days for each move"),
        ({"hints": True}, "settings.rated: a rated game has no hints"),
        (
            {"seats": SeatSettings(O=MINIMAX)},
            "settings.rated: a rated game is between two people: leave out the AI",
        ),
        ({"start": (4,)}, "settings.rated: a rated game begins on the empty board"),
    ],
)
def test_what_a_rated_room_may_not_be(settings: dict[str, Any], words: str) -> None:
    time: dict[str, Any] = {"clock": CLOCK} if settings else {}
    with pytest.raises(Refused) as caught:
        require_rateable(Settings(rated=True, **time, **settings))
    assert (caught.value.code, caught.value.reason) == (RefusalCode.BAD_COMMAND, words)


@pytest.mark.parametrize("time", [{"clock": CLOCK}, {"days": 3}, {"clock": CLOCK, "delay_s": 30}])
def test_what_it_may_be(time: dict[str, Any]) -> None:
    require_rateable(Settings(rated=True, **time))


@pytest.mark.parametrize(
    ("person", "is_bot", "words"),
    [
        (None, False, "keep your name on this server first"),
        (PersonId("p3"), True, "programs play no rated games"),
        (PersonId("p2"), False, "you have the other seat yourself"),
    ],
)
def test_who_may_not_play(person: PersonId | None, is_bot: bool, words: str) -> None:
    room = rated()
    room = room.replace(seats=room.seats.with_(X, None))
    with pytest.raises(Refused, match="not_allowed") as caught:
        require_rateable_player(room, person, is_bot=is_bot)
    assert words in caught.value.reason


def test_another_person_may_play() -> None:
    room = rated()
    room = room.replace(seats=room.seats.with_(X, None))
    require_rateable_player(room, PersonId("p3"), is_bot=False)


def test_there_are_no_takebacks_and_no_ais() -> None:
    room = rated(4)
    assert "no takebacks" in refusal(room, ADA, Offer(kind=TAKEBACK)).reason
    fill = Fill(seat=O, strategy="minimax")
    assert code_of(room, ADA, fill, gone={O: 0}) is RefusalCode.NOT_ALLOWED
    assert "between two people" in refusal(room, ADA, fill, gone={O: 0}).reason


@pytest.mark.parametrize(
    ("moves", "counts"), [((), False), ((4,), False), ((4, 0), False), ((4, 0, 1), True)]
)
def test_an_early_resignation_does_not_count(moves: tuple[int, ...], counts: bool) -> None:
    told = None if counts else "early_resignation"
    room = rated(*moves)
    assert why(decided(room, BOB, Resign(game=1))) == told
    assert why(decided(room, BOB, Leave())) == told
    assert why(decided(duel(*moves), BOB, Resign(game=1))) is None


@pytest.mark.parametrize(
    ("reason", "winner", "told"),
    [
        (Reason.TIMEOUT, X, None),
        (Reason.ABANDONMENT, O, None),
        (Reason.ABANDONMENT, None, "undecided"),
        (Reason.VOID, None, "undecided"),
        (Reason.AGREEMENT, None, None),
    ],
)
def test_other_ends_count_if_they_decide(
    reason: Reason, winner: Mark | None, told: str | None
) -> None:
    assert why(end(rated(), reason, winner, NOW)) == told


def test_a_rematch_is_rated_too() -> None:
    room = after(rated(4, 0, 1), ADA, Resign(game=1), Offer(kind=REMATCH))
    room = after(room, BOB, Accept(kind=REMATCH))
    assert room.settings.rated
    assert (person_in(room.seats, X), person_in(room.seats, O)) == ("p2", "p1")
    room = after(room, ADA, Offer(kind=DRAW))
    assert why(decided(room, BOB, Accept(kind=DRAW))) is None


def test_a_guest_and_an_empty_seat_are_no_person() -> None:
    room = duel()
    assert person_in(room.seats, X) is None
    assert person_in(Seats(), O) is None
