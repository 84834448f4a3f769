from typing import Any

import pytest

from tests.server.examples import (
    ADA,
    BOB,
    EVE,
    MINIMAX,
    NAME,
    NOW,
    TWO_AIS,
    O,
    X,
    after,
    duel,
    filled,
    founded,
    seated,
    types,
    who,
)
from ttt_protocol.commands import Join, Leave
from ttt_protocol.events import Created
from ttt_protocol.state import (
    AiSetting,
    ClockSetting,
    GivenSettings,
    Role,
    Rules,
    SeatSettings,
    Settings,
)
from ttt_server.core.errors import Refused
from ttt_server.core.evolve import evolve_all
from ttt_server.core.join import (
    Applicant,
    conflicts,
    let_in,
    makes_room,
    settings_to_settle,
    settle,
)
from ttt_server.core.moderation import NO_HOST
from ttt_server.core.room import Room

NONE = Room(NAME)
LOCK = "salt.hash"
DEEP = GivenSettings(seats=SeatSettings(X=AiSetting(strategy="deep")))
AIS = GivenSettings(seats=TWO_AIS)
AI_IN_X = GivenSettings(seats=SeatSettings(X=MINIMAX))
TWO_GAMES = GivenSettings(games=2)
WATCH = Role.SPECTATOR


def locked(room: Room) -> Room:
    return room.replace(password_hash=LOCK)


def applicant(*, password_hash: str | None = None, has_key: bool = False, **join: Any) -> Applicant:
    return Applicant(Join(**join), EVE, password_hash, LOCK if has_key else None)


@pytest.mark.parametrize(
    ("room", "who", "code"),
    [
        # In groups: each applies together with those below it, as far as they can.
        (NONE, applicant(token="good", role=WATCH), "bad_token"),
        (NONE, applicant(token="good", settings=DEEP), "bad_token"),
        (NONE, applicant(role=WATCH), "no_such_room"),
        (NONE, applicant(role=WATCH, settings=DEEP), "no_such_room"),
        (
            NONE,
            applicant(role=WATCH, settings=AIS.model_copy(update={"spectators": False})),
            "spectators_off",
        ),
        (NONE, applicant(settings=AIS), "room_full"),
        (NONE, applicant(settings=AI_IN_X, seat=X), "seat_taken"),
        (locked(duel()), applicant(token="good", settings=GivenSettings(hints=True)), "bad_token"),
        (locked(duel()), applicant(token="good", role=WATCH), "bad_token"),
        (duel(), applicant(token="good", role=WATCH), "bad_token"),
        (locked(duel()), applicant(settings=GivenSettings(hints=True)), "wrong_password"),
        (locked(duel()), applicant(role=WATCH), "wrong_password"),
        (locked(duel()), applicant(has_key=True, settings=TWO_GAMES), "settings_conflict"),
        (duel(), applicant(settings=GivenSettings(password="x")), "settings_conflict"),
        (duel(spectators=False), applicant(role=WATCH, settings=TWO_GAMES), "settings_conflict"),
        (duel(spectators=False), applicant(role=WATCH), "spectators_off"),
        (duel(), applicant(), "room_full"),
        (duel(), applicant(seat=X), "seat_taken"),
    ],
)
def test_the_first_refusal_that_applies_is_the_answer(
    room: Room, who: Applicant, code: str
) -> None:
    with pytest.raises(Refused) as caught:
        let_in(room, who, NOW)
    assert caught.value.code == code


def test_a_player_makes_a_room_and_sits_down() -> None:
    events = let_in(NONE, applicant(name="eve", seat=O), NOW)
    assert types(events) == ["created", "seated"]
    assert who(evolve_all(NONE, events)) == (None, EVE)


def test_a_spectator_makes_a_room_of_two_ais() -> None:
    events = let_in(NONE, applicant(role=WATCH, settings=AIS), NOW)
    assert types(events) == ["created", "seated", "seated", "started"]


def test_a_new_room_has_the_password_hash_of_its_creator() -> None:
    given = GivenSettings(password="swordfish")
    created = let_in(NONE, applicant(settings=given, password_hash=LOCK), NOW).events[0]
    assert isinstance(created, Created)
    assert created.lock == LOCK
    assert "swordfish" not in repr(created)
    assert LOCK not in repr(created)


def test_the_key_opens_for_players_and_spectators() -> None:
    room = locked(seated(founded(), ADA))
    assert types(let_in(room, applicant(has_key=True), NOW)) == ["seated", "started"]
    assert let_in(room, applicant(has_key=True, role=WATCH), NOW).events == ()


@pytest.mark.parametrize("role", Role)
def test_a_token_needs_no_password(role: Role) -> None:
    room = locked(duel())
    assert let_in(room, Applicant(Join(token="good", role=role), BOB), NOW).events == ()


def test_a_token_of_a_seat_that_an_ai_keeps_needs_no_password() -> None:
    room = locked(filled(duel(4), ADA, O))
    assert types(let_in(room, Applicant(Join(token="good"), BOB), NOW)) == ["seated"]


@pytest.mark.parametrize("role", Role)
def test_a_token_of_a_seat_that_was_given_up_opens_nothing(role: Role) -> None:
    room = locked(after(duel(), BOB, Leave()))
    with pytest.raises(Refused) as caught:
        let_in(room, Applicant(Join(token="good", role=role), BOB), NOW)
    assert caught.value.code == "bad_token"


def test_what_was_found_out_of_a_room_that_was_not_there_opens_no_other() -> None:
    """Another player created it, with a password, before this join was decided."""
    with pytest.raises(Refused) as caught:
        let_in(locked(seated(founded(), ADA)), applicant(password_hash="other.lock"), NOW)
    assert caught.value.code == "wrong_password"


def test_spectators_come_without_an_event() -> None:
    assert let_in(duel(), applicant(role=WATCH), NOW).events == ()


def test_the_same_settings_are_no_conflict() -> None:
    room = locked(seated(founded(hints=True), ADA))
    given = GivenSettings(hints=True, password="swordfish")
    assert let_in(room, applicant(has_key=True, settings=given), NOW)


def test_two_passwords_are_a_conflict() -> None:
    room = locked(seated(founded(), ADA))
    join = Join(password="swordfish", settings=GivenSettings(password="another"))
    with pytest.raises(Refused) as caught:
        let_in(room, Applicant(join, EVE, verified_hash=LOCK), NOW)
    assert caught.value.reason.endswith(": password")


def test_the_password_is_named_once() -> None:
    join = Join(password="swordfish", settings=GivenSettings(password="another"))
    with pytest.raises(Refused) as caught:
        let_in(seated(founded(), ADA), Applicant(join, EVE), NOW)
    assert caught.value.reason.endswith(": password")


def test_a_conflict_names_the_fields() -> None:
    with pytest.raises(Refused) as caught:
        let_in(duel(), applicant(settings=GivenSettings(hints=True, games=2, password="x")), NOW)
    assert caught.value.reason.endswith(": hints, games, password")


@pytest.mark.parametrize(
    ("room", "join"),
    [
        (NONE, Join()),
        (NONE, Join(token="good", settings=AIS)),  # refused before its strategies matter
        (NONE, Join(role=WATCH, settings=DEEP)),  # the same
        (duel(), Join(settings=DEEP)),
        (duel(), Join(settings=AIS, role=WATCH)),
    ],
)
def test_no_ai_is_settled_for_a_join_that_makes_no_room(room: Room, join: Join) -> None:
    assert settings_to_settle(room, join) is None


def test_the_ais_of_a_new_room_are_settled_before() -> None:
    assert settings_to_settle(NONE, Join(settings=DEEP)) is DEEP
    assert settings_to_settle(NONE, Join(settings=AIS, role=WATCH)) is AIS


@pytest.mark.parametrize(
    ("join", "makes"),
    [
        (Join(), True),
        (Join(name="ada", seat=O, password="swordfish"), True),
        (Join(role=Role.SPECTATOR), False),
        (Join(token="ada's"), False),
        (Join(settings=GivenSettings()), False),
    ],
)
def test_who_can_want_nothing_but_a_new_room_where_there_is_none(join: Join, makes: bool) -> None:
    assert makes_room(join) == makes


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


def test_the_host_of_a_new_room_is_its_maker_if_it_has_one() -> None:
    watching, playing = Join(role=Role.SPECTATOR, settings=AIS), Join(name="eve")
    for join, makes_host, host in (
        (watching, True, EVE),
        (playing, True, EVE),
        (playing, False, NO_HOST),
    ):
        wish = Applicant(join, EVE, makes_host=makes_host)
        assert evolve_all(NONE, let_in(NONE, wish, NOW)).host == host


def test_an_applicant_that_was_let_in_before_needs_no_password() -> None:
    room = locked(duel())
    join = Join(role=Role.SPECTATOR)
    assert let_in(room, Applicant(join, EVE, is_known=True), NOW).events == ()
    with pytest.raises(Refused):
        let_in(room, Applicant(join, EVE), NOW)
