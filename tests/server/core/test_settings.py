from typing import Any

import pytest

from ttt_protocol.state import AiSetting, ClockSetting, GivenSettings, Rules, SeatSettings, Settings
from ttt_server.core.settings import conflicts, settle


def given(**fields: Any) -> GivenSettings:
    return GivenSettings(**fields)


def ai(strategy: str, level: int | None = None) -> AiSetting:
    return AiSetting(strategy=strategy, level=level)


def test_nothing_given_is_the_contracts_defaults() -> None:
    assert settle(given()) == Settings()
    assert Settings().model_dump(mode="json") == {
        "rules": {"columns": 3, "rows": 3, "in_a_row": 3, "gravity": False},
        "seats": {"X": "human", "O": "human"},
        "clock": None,
        "grace_s": 60,
        "public": True,
        "spectators": True,
        "hints": False,
        "games": 1,
        "pace_s": 0,
    }


def test_what_is_given_is_kept() -> None:
    wished: dict[str, Any] = {
        "rules": Rules(columns=7, rows=6, in_a_row=4, gravity=True),
        "seats": SeatSettings(O=ai("random")),
        "grace_s": 1.5,
        "public": False,
        "spectators": False,
        "hints": True,
        "games": 7,
        "pace_s": 0.25,
    }
    settled = settle(given(**wished))
    assert type(settled) is Settings, "and no password can be told by mistake"
    assert {name: getattr(settled, name) for name in wished} == wished


@pytest.mark.parametrize(
    ("seats", "pace_s", "settled"),
    [
        (SeatSettings(), None, 0),
        (SeatSettings(O=ai("random")), None, 0),
        (SeatSettings(X=ai("random"), O=ai("random")), None, 1),
        (SeatSettings(X=ai("random"), O=ai("random")), 0, 0),
        (SeatSettings(O=ai("random")), 2.5, 2.5),
    ],
)
def test_the_pace_depends_on_who_sits(
    seats: SeatSettings, pace_s: float | None, settled: float
) -> None:
    assert settle(given(seats=seats, pace_s=pace_s)).pace_s == settled


def test_seats_that_are_settled_stay_as_they_are() -> None:
    seats = SeatSettings(X=ai("minimax", 9), O=ai("of a plug-in"))
    assert settle(given(seats=seats)).seats == seats


ROOM = Settings(
    rules=Rules(columns=4), seats=SeatSettings(O=ai("minimax", 9)), public=False, grace_s=10
)


@pytest.mark.parametrize(
    ("wish", "differing"),
    [
        ({}, ()),
        ({"rules": Rules(columns=4)}, ()),
        ({"rules": Rules()}, ()),
        ({"rules": Rules(rows=3)}, ()),
        ({"rules": Rules(columns=3)}, ("rules",)),
        ({"rules": Rules(columns=4, gravity=True)}, ("rules",)),
        ({"public": True}, ("public",)),
        ({"grace_s": 10.0}, ()),
        ({"grace_s": 60}, ("grace_s",)),
        ({"seats": SeatSettings(O=ai("minimax"))}, ()),
        ({"seats": SeatSettings(O=ai("minimax", 9))}, ()),
        ({"seats": SeatSettings(O=ai("minimax", 8))}, ("seats",)),
        ({"seats": SeatSettings(O=ai("random"))}, ("seats",)),
        ({"seats": SeatSettings(X=ai("minimax", 9))}, ("seats",)),
        ({"seats": SeatSettings()}, ()),
        ({"seats": SeatSettings(X="human")}, ()),
        ({"seats": SeatSettings(O="human")}, ("seats",)),
        ({"seats": SeatSettings(X="human", O=ai("minimax", 9))}, ()),
        ({"clock": None}, ()),
        ({"games": 2, "hints": True, "pace_s": 0}, ("hints", "games")),
    ],
)
def test_only_fields_that_are_given_can_conflict(
    wish: dict[str, Any], differing: tuple[str, ...]
) -> None:
    assert conflicts(given(**wish), ROOM, locked=False) == differing


def test_no_room_conflicts_with_the_wish_it_was_made_from() -> None:
    for wish in (
        given(),
        given(seats=SeatSettings(X=ai("minimax"), O=ai("random")), games=3),
        given(seats=SeatSettings(O=ai("random", 4)), pace_s=1),
    ):
        assert conflicts(wish, settle(wish), locked=False) == ()


@pytest.mark.parametrize(
    ("password", "locked", "differing"),
    [
        (None, False, ()),
        (None, True, ()),
        ("swordfish", True, ()),  # it was checked before
        ("swordfish", False, ("password",)),
    ],
)
def test_a_password_conflicts_with_an_open_room_alone(
    password: str | None, locked: bool, differing: tuple[str, ...]
) -> None:
    assert conflicts(given(password=password), ROOM, locked=locked) == differing


def test_a_clock_that_is_given_has_to_be_the_rooms() -> None:
    settings = Settings(clock=ClockSetting(initial_s=300, increment_s=2))
    for clock in (None, ClockSetting(initial_s=300), ClockSetting(initial_s=60, increment_s=2)):
        assert conflicts(given(clock=clock), settings, locked=False) == ("clock",)
    same = ClockSetting(initial_s=300.0, increment_s=2)
    assert conflicts(given(clock=same), settings, locked=False) == ()


def test_a_password_is_not_settled() -> None:
    settled = settle(given(password="swordfish", clock=ClockSetting(initial_s=9)))
    assert settled == Settings(clock=ClockSetting(initial_s=9))
    assert "swordfish" not in repr(given(password="swordfish"))


def test_what_was_not_given_is_as_if_the_defaults_were() -> None:
    assert settle(GivenSettings()) == settle(GivenSettings(public=True))
