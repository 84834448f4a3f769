"""What the members of a room say, are called and are told by the host, without a socket."""

from typing import Any

import pytest

from tests.server.examples import NAME
from tests.server.fakes import FragileStore
from tests.server.hubs import TWO_AIS, Hubs, TestMember, join_room, refused, spectate, two_players
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.commands import Leave, Moderate, Rename, Say, Seek
from ttt_protocol.state import ChatMode, GivenSettings, ModerationAction, SessionId
from ttt_server.core.errors import Refused
from ttt_server.rooms.hub import Hub
from ttt_server.storage.base import StorageFailed

NOT_ALLOWED = RefusalCode.NOT_ALLOWED


def moderation(action: str, public_id: str | None = None, chat: str | None = None) -> Moderate:
    return Moderate(
        action=ModerationAction(action),
        from_=None if public_id is None else SessionId(public_id),
        chat=None if chat is None else ChatMode(chat),
    )


def id_of(member: TestMember) -> str:
    return str(member.you["from"])


def last(member: TestMember, type_: str) -> dict[str, Any]:
    return member.ear.of(type_)[-1]


# Who is the host


async def test_the_maker_of_a_room_is_its_host_and_is_told_so(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    assert ada.you["host"] is True
    assert "host" not in bob.you
    assert "host" not in eve.you
    assert (ada.you["from"], bob.you["from"]) == (ada.you["id"], bob.you["id"])
    assert eve.you["from"] not in {"", None, ada.you["id"], bob.you["id"]}


async def test_the_host_is_the_same_after_a_restart(hubs: Hubs, store: FragileStore) -> None:
    ada, bob = await two_players(hubs.open(store))
    eve = await spectate(hubs.open(store), room="ais", settings=TWO_AIS)
    again = hubs.open(store)
    assert (await join_room(again, token=ada.token)).you["host"] is True
    assert "host" not in (await join_room(again, token=bob.token)).you
    assert "host" not in (await spectate(again, room="ais")).you
    back = await spectate(again, room="ais", watch=eve.you["watch"])
    assert (back.you["host"], id_of(back)) == (True, id_of(eve))


@pytest.mark.parametrize(
    "command", [moderation("chat", chat="off"), moderation("clear"), moderation("mute", "x")]
)
async def test_only_the_host_moderates(hub: Hub, command: Moderate) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    for other in (bob, eve):
        assert await refused(other.says(command)) is NOT_ALLOWED
    assert not ada.ear.of("cleared")


async def test_a_room_is_no_place_to_seek(hub: Hub) -> None:
    ada = await join_room(hub)
    assert await refused(ada.says(Seek())) is NOT_ALLOWED


# Chat


async def test_who_may_chat_is_a_setting_that_the_host_changes(hub: Hub) -> None:
    ada, bob = await two_players(hub, settings=GivenSettings(chat=ChatMode.PLAYERS))
    eve = await spectate(hub)
    assert eve.ear.of("welcome")[0]["room"]["chat"] == "players"
    await bob.says(Say(text="hi"))
    assert await refused(eve.says(Say(text="hi"))) is NOT_ALLOWED
    await ada.says(moderation("chat", chat="off"))
    (event,) = last(eve, "update")["events"]
    assert (event["type"], event["chat"]) == ("moderated", "off")
    assert last(eve, "update")["room"]["chat"] == "off"
    for member in (ada, bob, eve):
        assert await refused(member.says(Say(text="hi"))) is NOT_ALLOWED
    await ada.says(moderation("chat", chat="all"))
    assert "chat" not in last(eve, "update")["room"]
    await eve.says(Say(text="hi"))
    assert [said["text"] for said in ada.ear.of("said")] == ["hi", "hi"]


async def test_a_chat_mode_that_is_so_already_is_answered_to_the_host_alone(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    before = len(bob.ear.of("update"))
    await ada.says(moderation("chat", chat="all"))
    assert last(ada, "update")["events"] == []
    assert len(bob.ear.of("update")) == before


async def test_who_may_chat_is_kept_over_a_restart(hubs: Hubs, store: FragileStore) -> None:
    ada, _ = await two_players(hubs.open(store))
    await ada.says(moderation("chat", chat="players"))
    again = await join_room(hubs.open(store), token=ada.token)
    assert again.ear.of("welcome")[0]["room"]["chat"] == "players"


async def test_a_welcome_has_what_was_said_before(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    assert "feed" not in bob.ear.of("welcome")[0]
    await ada.says(Say(text="hello"))
    await bob.says(Say(text="hi"))
    eve = await spectate(hub)
    feed = eve.ear.of("welcome")[0]["feed"]
    assert feed == ada.ear.of("said")
    assert [(line["from"], line["text"]) for line in feed] == [
        (ada.you["id"], "hello"),
        (bob.you["id"], "hi"),
    ]
    assert feed[0]["at"] <= feed[1]["at"] <= eve.ear.of("welcome")[0]["at"]


async def test_the_host_clears_the_chat_for_all(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    await bob.says(Say(text="rude"))
    await ada.says(moderation("clear"))
    assert ada.ear.of("cleared") == bob.ear.of("cleared") == [{"type": "cleared"}]
    assert "feed" not in (await spectate(hub)).ear.of("welcome")[0]


async def test_what_is_said_is_not_kept_on_disk(hubs: Hubs, store: FragileStore) -> None:
    ada, _ = await two_players(hubs.open(store))
    await ada.says(Say(text="a secret of ours"))
    assert b"secret" not in b"".join((await store.load(ada.member.live.room.name)).lines)
    again = await join_room(hubs.open(store), token=ada.token)
    assert "feed" not in again.ear.of("welcome")[0]


async def test_a_muted_member_is_not_heard(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub)
    for member in (bob, eve):
        await ada.says(moderation("mute", id_of(member)))
        assert last(ada, "update")["events"] == []
        assert await refused(member.says(Say(text="hi"))) is NOT_ALLOWED
    back = await spectate(hub, watch=eve.you["watch"])
    assert await refused(back.says(Say(text="hi"))) is NOT_ALLOWED
    again = await join_room(hub, token=ada.token)
    assert again.ear.of("welcome")[0]["muted"] == [id_of(bob), id_of(eve)]
    assert "muted" not in back.ear.of("welcome")[0], "that is for the host"
    await again.says(moderation("unmute", id_of(eve)))
    await back.says(Say(text="sorry"))
    assert [said["name"] for said in bob.ear.of("said")] == ["eve"]


async def test_a_member_that_has_gone_may_be_muted_by_what_it_said(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    eve = await spectate(hub)
    await eve.says(Say(text="rude"))
    eve.exits()
    await ada.says(moderation("mute", id_of(eve)))
    back = await spectate(hub, watch=eve.you["watch"])
    assert await refused(back.says(Say(text="rude"))) is NOT_ALLOWED


@pytest.mark.parametrize("action", ["mute", "unmute", "remove"])
async def test_the_host_means_another_member(hub: Hub, action: str) -> None:
    ada, _ = await two_players(hub)
    for public_id in (id_of(ada), "nobody"):
        assert await refused(ada.says(moderation(action, public_id))) is NOT_ALLOWED
    assert ada.ear.dismissed is None


# Removals


async def test_a_removed_spectator_may_not_come_back_for_a_while(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    eve = await spectate(hub, address="far")
    friend = await spectate(hub, address="far")
    await ada.says(moderation("remove", id_of(eve)))
    assert eve.ear.dismissed is CloseCode.REMOVED
    eve.exits()
    assert last(ada, "update")["events"] == []
    for again in (
        spectate(hub, address="near", watch=eve.you["watch"]),
        spectate(hub, address="far"),
    ):
        assert await refused(again) is NOT_ALLOWED
    assert (friend.ear.dismissed, bob.ear.dismissed) == (None, None)
    await spectate(hub, address="far", watch=friend.you["watch"])
    await spectate(hub, address="near")
    await spectate(hub, address="far", room="other", settings=TWO_AIS)


async def test_a_removed_opponent_loses_the_seat_and_wins_the_game(hub: Hub) -> None:
    ada, bob = await two_players(hub, 4)
    await ada.says(moderation("remove", id_of(bob)))
    ended, left = last(ada, "update")["events"]
    assert ended["outcome"] == {"winner": "O", "reason": "abandonment", "line": None}
    assert (left["type"], left["seat"]) == ("left", "O")
    assert bob.ear.dismissed is CloseCode.REMOVED
    bob.exits()
    assert await refused(join_room(hub, token=bob.token)) is NOT_ALLOWED
    assert await refused(join_room(hub, "bob")) is NOT_ALLOWED
    zoe = await join_room(hub, "zoe", address="near")
    assert zoe.you["seat"] == "O"
    assert last(ada, "update")["room"]["status"] == "playing"


async def test_a_player_who_is_away_may_be_removed(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    bob.exits()
    await ada.says(moderation("remove", id_of(bob)))
    assert last(ada, "update")["room"]["seats"]["O"] is None
    assert await refused(join_room(hub, token=bob.token)) is NOT_ALLOWED


async def test_a_player_who_left_meanwhile_is_kept_out(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    live = ada.member.live
    await live.lock.acquire()
    done: list[BaseException | None] = []
    hub.submit(bob.member, Leave(), done.append)
    hub.submit(ada.member, moderation("remove", id_of(bob)), done.append)
    live.lock.release()
    await bob.ear.until(lambda _: bob.ear.is_dismissed)
    assert done == [None, None]
    assert bob.ear.dismissed is CloseCode.REMOVED


async def test_no_one_is_removed_by_what_could_not_be_kept(hub: Hub, store: FragileStore) -> None:
    ada, bob = await two_players(hub)
    store.failures = 1
    with pytest.raises(StorageFailed):
        await ada.says(moderation("remove", id_of(bob)))
    assert bob.ear.dismissed is None


# Names


async def test_a_player_takes_another_name_and_all_are_told(hub: Hub) -> None:
    ada, bob = await two_players(hub)
    await ada.says(Rename(name="Blue Otter"))
    (event,) = last(bob, "update")["events"]
    assert (event["type"], event["seat"], event["name"]) == ("renamed", "X", "Blue Otter")
    assert last(bob, "update")["room"]["seats"]["X"]["name"] == "Blue Otter"
    await ada.says(Say(text="hi"))
    assert last(bob, "said")["name"] == "Blue Otter"
    again = await join_room(hub, token=ada.token)
    assert again.you["name"] == "Blue Otter"


async def test_a_spectator_takes_another_name_for_what_it_says(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    eve = await spectate(hub)
    updates = len(ada.ear.of("update"))
    await eve.says(Rename(name="Red Fox"))
    assert last(eve, "update")["events"] == []
    assert len(ada.ear.of("update")) == updates
    await eve.says(Say(text="hi"))
    assert last(ada, "said")["name"] == "Red Fox"


async def test_a_name_is_taken_once_in_five_seconds(hub: Hub) -> None:
    ada, _ = await two_players(hub)
    eve = await spectate(hub)
    for member in (ada, eve):
        await member.says(Rename(name="first"))
        with pytest.raises(Refused, match="too_early") as caught:
            await member.says(Rename(name="second"))
        assert caught.value.reason.startswith("wait ")
    again = await join_room(hub, token=ada.token)
    assert await refused(again.says(Rename(name="second"))) is RefusalCode.TOO_EARLY


async def test_a_name_that_could_not_be_kept_does_not_count(hub: Hub, store: FragileStore) -> None:
    ada, _ = await two_players(hub)
    store.failures = 1
    with pytest.raises(StorageFailed):
        await ada.says(Rename(name="lost"))
    assert ada.member.name == "ada"
    assert ada.member.live.members.rename_due_s(ada.member.public_id, 0) == 0


# Locked rooms


async def test_a_spectator_gives_the_password_once(hub: Hub) -> None:
    await join_room(hub, settings=GivenSettings(password="sesame"))
    assert await refused(spectate(hub)) is RefusalCode.WRONG_PASSWORD
    eve = await spectate(hub, password="sesame")
    back = await spectate(hub, watch=eve.you["watch"])
    assert id_of(back) == id_of(eve)
    player = await join_room(hub, "eve", watch=eve.you["watch"])
    assert player.you["seat"] == "O"
    assert id_of(player) != id_of(eve)


async def test_the_secret_of_another_room_is_no_way_in(hub: Hub) -> None:
    await join_room(hub, settings=GivenSettings(password="sesame"))
    elsewhere = await spectate(hub, room="open", settings=TWO_AIS)
    for secret in (elsewhere.you["watch"], "", "forged", f"{NAME}.x"):
        assert await refused(spectate(hub, watch=secret)) is RefusalCode.BAD_TOKEN
