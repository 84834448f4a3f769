"""Persons are those of the installation: kept on one server, known on all."""

import asyncio

from tests.integration.cluster.conftest import StartCluster
from tests.integration.programs import Dial, eventually


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
