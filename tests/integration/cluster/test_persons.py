"""Persons are those of the installation: kept on one server, known on all."""

import asyncio

from tests.integration.cluster.conftest import StartCluster
from tests.integration.programs import Dial, ServerProcess, eventually
from tests.integration.test_own_games import games
from tests.integration.test_persons import keep


async def test_one_person_on_two_servers(start_cluster: StartCluster, dial: Dial) -> None:
    one, other = await start_cluster(2)
    status, made = await one.ask("POST", "/api/persons", {"name": "Ann"})
    assert status == 201
    kept = await asyncio.gather(
        *(each.ask("POST", "/api/persons", {"name": "Bob"}) for each in (one, other) * 3)
    )
    assert sorted(status for status, _ in kept) == [201, *[409] * 5]
    id_, token = made["person"]["id"], made["token"]

    laptop = await dial(one, "den")
    seat = (await laptop.join(person=token))["room"]["seats"]["X"]
    assert (seat["name"], seat["person"]) == ("Ann", id_)
    phone = await dial(other, "den")
    assert (await phone.join(person=token))["you"]["seat"] == "X", "relayed to the same seat"
    assert await laptop.close_code() == 4001

    _, linked = await other.ask("POST", "/api/me/link", {}, token)
    used = await asyncio.gather(
        *(
            each.ask("POST", "/api/persons/link", {"code": linked["code"]})
            for each in (one, other, one, other)
        )
    )
    assert sorted(status for status, _ in used) == [200, 404, 404, 404]

    assert (await one.ask("POST", "/api/me/signout", {}, token))[0] == 200

    async def is_void() -> bool:
        return (await other.ask("GET", "/api/me", None, token))[0] == 401

    await eventually(is_void, 10)


async def test_ones_games_on_two_servers(start_cluster: StartCluster, dial: Dial) -> None:
    """A list has each game once, as it is now, whichever server has its room and which answers."""
    one, other = await start_cluster(2)
    (_, ann), (_, ben) = [await keep(one, name) for name in ("Ann", "Ben")]
    players = []
    for server, room in ((one, "den"), (other, "lair")):
        x, o = await dial(server, room), await dial(server, room)
        await x.join(person=ann)
        await o.join(person=ben)
        await x.play(0, 4)
        players.append((x, o))

    async def listed(server: ServerProcess, token: str) -> dict[str, tuple[str, int]]:
        found = await games(server, token)
        shown = {each["room"]: (each["state"], each["ply"]) for each in found}
        assert len(shown) == len(found), "each game once"
        return shown

    async def are_listed() -> bool:
        return all([len(await listed(each, ann)) == 2 for each in (one, other)])

    await eventually(are_listed)
    for ply, cell in ((1, 0), (2, 8)):
        await players[0][ply % 2].play(ply, cell)
    await players[1][1].play(1, 0)
    of_ann = {"den": ("running", 3), "lair": ("turn", 2)}
    of_ben = {"den": ("turn", 3), "lair": ("running", 2)}
    for server in (one, other):
        assert await listed(server, ann) == of_ann, "at once"
        assert await listed(server, ben) == of_ben
    await players[0][1].play(3, 1)
    await one.kill()
    assert await listed(other, ann) == {"den": ("turn", 4), "lair": ("turn", 2)}


async def test_one_is_forgotten_on_all_servers(start_cluster: StartCluster, dial: Dial) -> None:
    """The room is in another server's memory, which would write the name again."""
    one, other = await start_cluster(2)
    id_, ann = await keep(one, "Ann")
    x, o = await dial(one, "den"), await dial(one, "den")
    await x.join(person=ann)
    token = (await o.join())["you"]["token"]
    await x.play(0, 4)

    async def is_listed() -> bool:
        return bool(await games(other, ann))

    await eventually(is_listed)
    assert (await other.ask("DELETE", "/api/me", None, ann))[0] == 200
    assert await o.close_code() == 1012, "it is to come back"
    again = await dial(one, "den")
    room = (await again.join(token=token))["room"]
    assert room["seats"]["X"]["name"] == "somebody"
    await again.play(1, 0)
    for server in (one, other):
        assert id_ not in str(await server.get("/api/rooms/den"))
    await other.kill()
    left = str(await one.get("/api/rooms/den"))
    assert "somebody" in left
    assert "Ann" not in left


async def test_a_challenge_is_accepted_as_often_as_it_takes(start_cluster: StartCluster) -> None:
    one, other = await start_cluster(2)
    (_, ann), (_, ben) = [await keep(one, name) for name in ("Ann", "Ben")]
    _, sent = await one.ask("POST", "/api/challenges", {"to": "Ben", "settings": {}}, ann)
    path = f"/api/challenges/{sent['id']}"
    told = [
        await each.ask("POST", path, {"accept": True}, ben) for each in (one, other, one, other)
    ]
    assert [status for status, _ in told] == [200] * 4, told
    assert len({answer["room"] for _, answer in told}) == 1
