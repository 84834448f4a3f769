"""Persons on a real server: a kept name, two devices, a restart, and a host who wants none."""

from pathlib import Path

from tests.integration.programs import Dial, ServerProcess, StartServer


async def keep(server: ServerProcess, name: str) -> tuple[str, str]:
    """The id and the token of a new person."""
    status, made = await server.ask("POST", "/api/persons", {"name": name})
    assert status == 201, made
    return made["person"]["id"], made["token"]


async def test_a_week_of_one_person(start_server: StartServer, dial: Dial, tmp_path: Path) -> None:
    server = await start_server(data=tmp_path / "data")
    id_, token = await keep(server, "Ann")
    laptop, bob = await dial(server, "den"), await dial(server, "den")
    await laptop.join(name="whoever", person=token)
    told = await bob.join(name="Ann")
    seats = told["room"]["seats"]
    assert (seats["X"]["name"], seats["X"]["person"]) == ("Ann", id_)
    assert (seats["O"]["name"], seats["O"].get("person")) == ("Ann 2", None)
    await laptop.play(0, 4)

    _, linked = await server.ask("POST", "/api/me/link", token=token)
    await server.stop()
    server = await start_server(data=tmp_path / "data")
    status, phone = await server.ask("POST", "/api/persons/link", {"code": linked["code"]})
    assert (status, phone["person"]["id"]) == (200, id_)
    status, _ = await server.ask("POST", "/api/persons/link", {"code": linked["code"]})
    assert status == 404

    there = await dial(server, "den")
    told = await there.join(person=phone["token"])
    assert (told["you"]["seat"], told["room"]["game"]["ply"]) == ("X", 1)

    _, new = await server.ask("POST", "/api/me/signout", token=phone["token"])
    stranger = await dial(server, "lair")
    refused = await stranger.refusal("join", person=token)
    assert refused["code"] == "bad_token"
    assert "signed out everywhere" in refused["reason"]
    await stranger.join(person=new["token"])
    status, me = await server.ask("GET", "/api/me", token=new["token"])
    assert (status, me["person"]["name"]) == (200, "Ann")

    event = await dial(server, "/ws/events/friday")
    await event.send("create", settings={"form": "match"})
    await event.until("welcome")
    for _ in range(2):
        entered = await dial(server, "/ws/events/friday")
        await entered.send("enter", name="x", person=new["token"])
        you = (await entered.until("welcome"))["you"]
        assert you["name"] == "Ann"
    standings = (await server.get("/api/events/friday"))[1]["standings"]
    assert [each["name"] for each in standings] == ["Ann"], "two devices are one player"


async def test_pages_of_other_sites_make_no_persons(server: ServerProcess) -> None:
    headers = {"Origin": "https://elsewhere.example"}
    status, _ = await server.ask("POST", "/api/persons", {"name": "Ann"}, headers=headers)
    assert status == 403


async def test_a_host_who_wants_none(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--persons", "no")
    for method, path in (("POST", "/api/persons"), ("GET", "/api/me"), ("POST", "/api/me/link")):
        status, _ = await server.ask(method, path, {} if method == "POST" else None)
        assert status == 404, path
    guest = await dial(server, "den")
    refused = await guest.refusal("join", person="abc.0.def")
    assert refused["code"] == "bad_command"
    assert refused["reason"] == "join: has an unknown field: person"
    await guest.join(name="ada")
