"""Rooms with a password: who comes in, and where the password never shows."""

import asyncio
import logging
import threading
from typing import Any

import pytest

from tests.server.examples import NAME, O
from tests.server.fakes import FragileStore
from tests.server.hubs import (
    TWO_AIS,
    Hubs,
    TestMember,
    join_room,
    public_rooms,
    refused,
    spectate,
    two_players,
)
from tests.server.storage.appends import load
from ttt_protocol.codec import encode_event
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Join, Leave, Say
from ttt_protocol.state import GivenSettings, Role
from ttt_server.rooms import passwords as locks
from ttt_server.rooms.hub import Hub

PASSWORD = "swordfish"
LOCKED = GivenSettings(password=PASSWORD)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_COST", 2)


@pytest.mark.parametrize(
    "join",
    [
        {},
        {"password": ""},
        {"password": "Swordfish"},
        {"settings": GivenSettings(password="Swordfish")},
        # The password of the join is the one that counts.
        {"password": "wrong", "settings": LOCKED},
        # A secret is not to be found out by asking for other things.
        {"settings": GivenSettings(hints=True)},
        {"seat": "X"},
    ],
)
@pytest.mark.parametrize("role", Role)
async def test_without_the_password_nobody_comes_in(
    hub: Hub, role: Role, join: dict[str, Any]
) -> None:
    ada = await join_room(hub, settings=LOCKED)
    seat = None if "seat" not in join else ada.member.live.room.free_seats[0].other
    coming = join_room(hub, "bob", role=role, **{**join, "seat": seat})
    assert await refused(coming) is RefusalCode.WRONG_PASSWORD
    assert ada.member.live.room.seq == 2
    assert ada.ear.kinds == []


@pytest.mark.parametrize(
    "join",
    [{"password": PASSWORD}, {"settings": LOCKED}, {"password": PASSWORD, "settings": LOCKED}],
)
async def test_with_the_password_everybody_comes_in(hub: Hub, join: dict[str, Any]) -> None:
    await join_room(hub, settings=LOCKED)
    assert (await join_room(hub, "bob", **join)).you["seat"] == "O"
    assert (await spectate(hub, **join)).you["role"] == "spectator"


async def test_a_token_needs_none(hub: Hub) -> None:
    ada = await join_room(hub, settings=LOCKED)
    assert (await join_room(hub, token=ada.token)).you == ada.you
    assert (await spectate(hub, token=ada.token)).you["role"] == "spectator"
    assert (await join_room(hub, token=ada.token, password="wrong")).you == ada.you


@pytest.mark.parametrize("role", Role)
async def test_a_token_that_owns_nothing_any_more_opens_nothing(hub: Hub, role: Role) -> None:
    ada = await join_room(hub, settings=LOCKED)
    bob = await join_room(hub, "bob", password=PASSWORD)
    await bob.says(Leave())
    bob.exits()
    coming = join_room(hub, token=bob.token, role=role)
    assert await refused(coming) is RefusalCode.BAD_TOKEN
    assert not ada.member.live.state.spectators


async def test_a_password_for_a_room_that_has_none_is_a_conflict(hub: Hub) -> None:
    await join_room(hub)
    assert await refused(join_room(hub, "bob", settings=LOCKED)) is RefusalCode.SETTINGS_CONFLICT
    assert (await join_room(hub, "bob", password="whatever")).you["seat"] == "O", "none is needed"


async def test_a_room_is_told_to_be_locked(hub: Hub) -> None:
    await join_room(hub, settings=LOCKED)
    await join_room(hub, room="lair")
    state = await hub.reader.read(NAME)
    assert state is not None
    assert state.locked
    assert {room.name: room.locked for room in public_rooms(hub)} == {NAME: True, "lair": False}


async def test_a_spectator_makes_a_locked_room_of_two_ais(hub: Hub) -> None:
    await spectate(hub, settings=TWO_AIS.model_copy(update={"password": PASSWORD}))
    assert await refused(spectate(hub)) is RefusalCode.WRONG_PASSWORD
    await spectate(hub, password=PASSWORD)


async def test_the_password_is_good_after_a_restart_with_the_same_secret(hubs: Hubs) -> None:
    store = FragileStore()
    await join_room(hubs.open(store), settings=LOCKED)
    hub = hubs.open(store)
    assert await refused(join_room(hub, "bob", password="wrong")) is RefusalCode.WRONG_PASSWORD
    assert (await join_room(hub, "bob", password=PASSWORD)).you["seat"] == "O"


async def test_of_two_servers_who_make_one_room_the_second_needs_the_key(hubs: Hubs) -> None:
    store = FragileStore()
    first, second = hubs.open(store), hubs.open(store)
    ada = await join_room(first, settings=LOCKED)
    log = await load(store, NAME)
    await store.delete(NAME)
    store.rivals = [log]  # they are there when the second comes to write
    assert await refused(join_room(second, "bob")) is RefusalCode.WRONG_PASSWORD
    assert ada.member.live.room.free_seats == (O,)


async def test_two_who_make_one_room_together_both_come_in(hub: Hub) -> None:
    """The second finds a lock that was not there when the password was looked at."""
    ada, bob, eve = await asyncio.gather(
        join_room(hub, settings=LOCKED),
        join_room(hub, "bob", settings=LOCKED),
        join_room(hub, "eve", settings=GivenSettings(password="wrong")),
        return_exceptions=True,
    )
    assert isinstance(ada, TestMember)
    assert isinstance(bob, TestMember)
    assert {ada.you["seat"], bob.you["seat"]} == {"X", "O"}
    assert getattr(eve, "code", None) is RefusalCode.WRONG_PASSWORD


async def test_of_two_passwords_the_settings_must_not_wish_for_another(hub: Hub) -> None:
    await join_room(hub, settings=LOCKED)
    join: dict[str, Any] = {
        "password": PASSWORD,
        "settings": GivenSettings(password="another"),
    }
    with pytest.raises(Exception, match="settings_conflict") as caught:
        await join_room(hub, "bob", **join)
    assert getattr(caught.value, "reason", "").endswith(": password")


def hashing_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("passwords")}


async def test_nobody_looks_at_passwords_when_the_hub_is_closed(hub: Hub) -> None:
    others = hashing_threads()
    await join_room(hub, settings=LOCKED)
    (thread,) = hashing_threads() - others
    await hub.close()
    thread.join(10)
    assert not thread.is_alive()


async def told_to_all(hub: Hub) -> tuple[TestMember, ...]:
    """A game in a locked room, from its making to the last word."""
    ada = await join_room(hub, settings=LOCKED)
    eve = await spectate(hub, password=PASSWORD)
    await refused(join_room(hub, "bob", password="wrong"))
    bob = await join_room(hub, "bob", settings=LOCKED)
    await ada.plays(4)
    await bob.says(Say(text="hello"))
    await bob.says(Leave())
    return ada, bob, eve


async def test_neither_password_nor_lock_is_told(
    hub: Hub, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    people = await told_to_all(hub)
    lock = people[0].member.live.room.password_hash
    assert lock is not None
    secrets = (PASSWORD, lock, *lock.split("."))
    payloads = b"".join(b"".join(person.ear.payloads) for person in people)
    assert not [secret for secret in secrets if secret.encode() in payloads]
    words = caplog.text + repr(people[0].member.live.room) + repr(await hub.reader.read(NAME))
    assert not [secret for secret in secrets if secret in words]


async def test_the_log_has_a_lock_and_no_password(hubs: Hubs) -> None:
    store = FragileStore()
    await told_to_all(hubs.open(store))
    (created, *_) = await load(store, NAME)
    assert created.type == "created"
    assert getattr(created, "lock", None)
    assert PASSWORD.encode() not in encode_event(created)
    assert PASSWORD not in "\n".join(store._tables.database.iterdump())


def test_commands_do_not_show_it() -> None:
    shown = repr(Join(password=PASSWORD, settings=LOCKED, token="tok-en"))
    assert PASSWORD not in shown
    assert "tok-en" not in shown


async def test_a_refusal_does_not_repeat_it(hubs: Hubs) -> None:
    hub = hubs.open()
    await two_players(hub)
    for join in ({"settings": LOCKED}, {"password": PASSWORD, "settings": GivenSettings(games=2)}):
        with pytest.raises(Exception, match="settings_conflict") as caught:
            await join_room(hub, "eve", **join)
        assert PASSWORD not in str(vars(caught.value))
