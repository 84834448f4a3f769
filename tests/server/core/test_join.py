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
from ttt_protocol.state import AiSetting, GivenSettings, Role, SeatSettings
from ttt_server.core.errors import Refused
from ttt_server.core.events import Created
from ttt_server.core.evolve import evolve_all
from ttt_server.core.join import Applicant, let_in, makes_room, settings_to_settle
from ttt_server.core.room import Room

NONE = Room(NAME)
LOCK = "salt.hash"
DEEP = GivenSettings(seats=SeatSettings(X=AiSetting(strategy="deep")))
AIS = GivenSettings(seats=TWO_AIS)
AI_IN_X = GivenSettings(seats=SeatSettings(X=MINIMAX))
TWO_GAMES = GivenSettings(games=2)
WATCH = Role.SPECTATOR


def locked(room: Room) -> Room:
    return room._replace(password_hash=LOCK)


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
    created = let_in(NONE, applicant(settings=given, password_hash=LOCK), NOW)[0]
    assert isinstance(created, Created)
    assert created.lock == LOCK
    assert "swordfish" not in repr(created)
    assert LOCK not in repr(created)


def test_the_key_opens_for_players_and_spectators() -> None:
    room = locked(seated(founded(), ADA))
    assert types(let_in(room, applicant(has_key=True), NOW)) == ["seated", "started"]
    assert let_in(room, applicant(has_key=True, role=WATCH), NOW) == ()


@pytest.mark.parametrize("role", Role)
def test_a_token_needs_no_password(role: Role) -> None:
    room = locked(duel())
    assert let_in(room, Applicant(Join(token="good", role=role), BOB), NOW) == ()


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
    assert let_in(duel(), applicant(role=WATCH), NOW) == ()


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
