from typing import Any

import pytest

from tests.server.examples import ADA, EVE, NAME, NOW, duel
from ttt_protocol.commands import Join
from ttt_protocol.state import GivenSettings, RoomName, Settings, Token
from ttt_server.core.errors import Refused
from ttt_server.core.join import Applicant
from ttt_server.core.room import Room
from ttt_server.rooms import passwords as locks
from ttt_server.rooms.admission import Admission, Rights
from ttt_server.rooms.passwords import PasswordHasher

SECRET = b"s" * 32
DOOR = Admission(SECRET)
HOME = "127.0.0.1"
LOCKED = GivenSettings(password="swordfish")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_COST", 2)


@pytest.fixture
def locked() -> Room:
    return duel().replace(password_hash=PasswordHasher(SECRET).make("swordfish"))


async def has_key(room: Room, **join: Any) -> bool:
    return (await DOOR.applicant(room, Join(**join), EVE, HOME)).verified_hash is not None


def test_whoever_has_no_token_is_new() -> None:
    assert DOOR.session(NAME, Join(), lambda: NOW) != DOOR.session(NAME, Join(), lambda: NOW)


def test_a_token_names_its_session() -> None:
    assert DOOR.session(NAME, Join(token=DOOR.token(NAME, ADA)), lambda: NOW) == ADA


@pytest.mark.parametrize(
    "token",
    ["", "forged", DOOR.token(RoomName("lair"), ADA), Admission(b"t" * 32).token(NAME, ADA)],
)
def test_every_other_token_gets_one_answer(token: Token) -> None:
    with pytest.raises(Refused) as caught:
        DOOR.session(NAME, Join(token=token), lambda: NOW)
    assert caught.value.code == "bad_token"
    assert caught.value.__cause__ is None


async def test_a_new_room_has_a_lock_if_a_password_is_wished_for() -> None:
    room, join = Room(NAME), Join(settings=LOCKED)
    guest = await DOOR.applicant(room, join, EVE, HOME)
    assert guest.password_hash is not None
    assert PasswordHasher(SECRET).opens(guest.password_hash, "swordfish")
    for other in (Join(), Join(settings=GivenSettings()), Join(password="swordfish")):
        assert await DOOR.applicant(room, other, EVE, HOME) == Applicant(other, EVE)


async def test_the_key_is_the_password(locked: Room) -> None:
    assert await has_key(locked, password="swordfish")
    assert await has_key(locked, settings=LOCKED)
    for wrong in ({}, {"password": ""}, {"password": "x"}, {"password": "x", "settings": LOCKED}):
        assert not await has_key(locked, **wrong)


async def test_passwords_are_hashed_only_where_it_matters(
    locked: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> bool:
        raise AssertionError

    monkeypatch.setattr(PasswordHasher, "opens", never)
    assert not await has_key(locked)
    assert not await has_key(locked, password="swordfish", token="a token that was checked")
    assert not await has_key(duel(), password="swordfish")
    with pytest.raises(AssertionError):
        await has_key(locked, password="swordfish")


@pytest.mark.parametrize(
    ("room", "join", "is_open"),
    [
        (Room(NAME), Join(), True),
        (Room(NAME), Join(password="swordfish"), True),
        (Room(NAME), Join(settings=LOCKED), False),
        (duel(), Join(settings=LOCKED), True),
        (duel().replace(password_hash="locked"), Join(), False),
        (duel().replace(password_hash="locked"), Join(token="ada's"), True),
    ],
)
async def test_where_nothing_has_to_be_found_out(room: Room, join: Join, is_open: bool) -> None:
    assert DOOR.is_open(room, join) == is_open
    if is_open:
        assert await DOOR.applicant(room, join, EVE, HOME) == Applicant(join, EVE)


def test_a_token_gives_the_rights_of_its_owner(locked: Room) -> None:
    assert DOOR.rights(locked, DOOR.token(NAME, ADA)) == Rights(ADA, sees_room=True)
    assert DOOR.rights(locked, DOOR.token(NAME, EVE)) == Rights(EVE, sees_room=False)
    assert DOOR.rights(locked, DOOR.watch(locked, EVE)) == Rights(None, sees_room=True)


def test_where_no_one_may_watch_a_spectators_secret_gives_no_rights(locked: Room) -> None:
    closed = locked.replace(settings=Settings(spectators=False))
    assert DOOR.rights(closed, DOOR.watch(closed, EVE)) == Rights(None, sees_room=False)


@pytest.mark.parametrize("token", ["", "forged", DOOR.token(RoomName("lair"), ADA)])
def test_a_wrong_token_gives_none(locked: Room, token: str) -> None:
    with pytest.raises(Refused) as caught:
        DOOR.rights(locked, token)
    assert caught.value.code == "bad_token"
