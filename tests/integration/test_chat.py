"""Names, chat and the rights of the host, over real sockets; and what an old client sees of it."""

from typing import Any

from tests.integration.programs import Dial, Server, ServerProcess, SimpleClient

BEFORE: dict[str, set[str]] = {
    "welcome": {"type", "protocol", "server", "you", "room"},
    "you": {"id", "role", "seat", "name", "token"},
    "room": {
        *("name", "seq", "status", "locked", "settings", "seats", "game", "offers", "score"),
        "spectators",
    },
    "settings": {
        *("rules", "seats", "clock", "grace_s", "public", "spectators", "hints", "games"),
        "pace_s",
    },
    "seat": {"kind", "id", "name", "connected"},
    "said": {"type", "name", "role", "text"},
    "presence": {"type", "seats", "spectators"},
    "update": {"type", "events", "room"},
}
"""The fields that a client of before these additions knows."""


async def table(server: Server, room: str, dial: Dial, **join: Any) -> list[SimpleClient]:
    """Ada, who made the room, Bob in the other seat, and Eve who watches."""
    ada, bob, eve = [await dial(server, room) for _ in range(3)]
    await ada.join(name="ada", **join)
    await bob.join(name="bob")
    await eve.join(name="eve", role="spectator")
    return [ada, bob, eve]


async def test_the_host_keeps_order(shared: Server, room_name: str, dial: Dial) -> None:
    ada, bob, eve = await table(shared, room_name, dial)
    await eve.send("say", text="first")
    said = await ada.until("said")
    assert (await eve.refusal("moderate", action="clear"))["code"] == "not_allowed"
    await ada.send("moderate", action="chat", chat="players")
    update = await eve.until("update")
    assert update["events"][0]["type"] == "moderated"
    assert update["room"]["chat"] == "players"
    assert (await eve.refusal("say", text="second"))["code"] == "not_allowed"
    late = await dial(shared, room_name)
    welcome = await late.join(name="zoe", role="spectator")
    assert welcome["feed"] == [said]
    assert welcome["room"]["chat"] == "players"
    await ada.send("moderate", action="clear")
    assert await bob.until("cleared") == {"type": "cleared"}
    refusal = await ada.refusal("moderate", action="mute", id="m1")
    assert (refusal["code"], refusal["id"]) == ("bad_command", "m1")


async def test_a_removed_member_gets_a_goodbye_and_stays_out(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob, eve = await table(shared, room_name, dial)
    await eve.send("say", text="rude")
    await ada.send("moderate", action="remove", **{"from": (await ada.until("said"))["from"]})
    goodbye = await eve.until("goodbye")
    assert (goodbye["code"], await eve.close_code()) == (4003, 4003)
    again = await dial(shared, room_name)
    refusal = await again.refusal("join", role="spectator")
    assert refusal["code"] == "not_allowed"
    assert "removed" in refusal["reason"]
    await bob.send("say", text="thanks")
    assert (await ada.until("said"))["name"] == "bob"


async def test_a_name_is_changed_in_the_seat(shared: Server, room_name: str, dial: Dial) -> None:
    ada, bob, _ = await table(shared, room_name, dial)
    await ada.send("rename", name="Blue Otter")
    update = await bob.until("update")
    assert update["events"][0]["type"] == "renamed"
    assert update["room"]["seats"]["X"]["name"] == "Blue Otter"
    assert (await ada.refusal("rename", name="Red Fox"))["code"] == "too_early"
    assert (await bob.refusal("rename", name="\u202e"))["code"] == "bad_command"


async def test_after_a_restart_the_host_is_known_and_the_chat_is_not(
    server: ServerProcess, dial: Dial
) -> None:
    ada, eve = await dial(server, "den"), await dial(server, "den")
    you = (await ada.join(name="ada", settings={"password": "sesame"}))["you"]
    watch = (await eve.join(name="eve", role="spectator", password="sesame"))["you"]["watch"]
    await ada.send("rename", name="Blue Otter")
    await ada.send("say", text="of no importance")
    await eve.until("said")
    await ada.send("moderate", action="chat", chat="off")
    await eve.until("update")

    await server.restart_after_kill()

    eve = await dial(server, "den")
    back = await eve.join(role="spectator", watch=watch)
    assert "feed" not in back
    assert back["room"]["chat"] == "off"
    ada = await dial(server, "den")
    again = (await ada.join(token=you["token"]))["you"]
    assert (again["name"], again["host"], again["from"]) == ("Blue Otter", True, you["id"])
    await ada.send("moderate", action="remove", **{"from": back["you"]["from"]})
    assert await eve.close_code() == 4003
    assert b"importance" not in (server.data / "ttt.sqlite3").read_bytes()


async def test_a_client_of_before_sees_what_it_saw(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    welcome = await ada.join(name="ada")
    assert set(welcome) - BEFORE["welcome"] == {"at"}
    assert set(welcome["you"]) - BEFORE["you"] == {"from", "host"}
    await bob.join(name="bob")
    room = (await ada.until("update"))["room"]
    await ada.send("play", game=1, ply=0, cell=4)
    update = await bob.until_ply(1)
    assert set(update) == BEFORE["update"]
    assert set(update["room"]) == set(room) == BEFORE["room"]
    assert set(room["settings"]) == BEFORE["settings"]
    assert set(room["seats"]["X"]) == BEFORE["seat"]
    await bob.send("say", text="hi")
    assert set(await ada.until("said")) - BEFORE["said"] == {"from", "at"}
