"""Rated games and challenges on a real server: what counts, what does not, and after a crash."""

import asyncio
from pathlib import Path
from typing import Any

from tests.integration.programs import (
    Dial,
    Server,
    ServerProcess,
    SimpleClient,
    StartServer,
    eventually,
    run_server,
)
from tests.integration.test_persons import keep
from ttt_server.endpoints.challenges import CHALLENGES_PER_HOUR

CLOCK = {"initial_s": 60, "increment_s": 0}
RATED = {"rated": True, "clock": CLOCK}

Token = str


async def sit(
    dial: Dial, server: Server, room: str, *tokens: Token, **settings: Any
) -> list[SimpleClient]:
    """Both persons in a rated room, the first in X."""
    players = [await dial(server, room) for _ in tokens]
    for player, token in zip(players, tokens, strict=True):
        await player.join(person=token, settings=RATED | settings)
    return players


async def win(players: list[SimpleClient]) -> dict[str, Any]:
    """The side X wins; return the event of the end."""
    for ply, cell in enumerate((0, 3, 1, 4, 2)):
        update = await players[ply % 2].play(ply, cell)
    return end_in(update)


def end_in(update: dict[str, Any]) -> dict[str, Any]:
    """The event of the end of a game."""
    (event,) = (each for each in update["events"] if each["type"] == "ended")
    return dict(event)


async def games_of(server: Server, room: str, seat: str = "X") -> int:
    _, told = await server.get(f"/api/rooms/{room}/ratings")
    return int(told.get(seat, {}).get("games", 0))


async def test_who_may_play_what(server: ServerProcess, dial: Dial) -> None:
    _, ann = await keep(server, "Ann R")
    guest = await dial(server, "who")
    for settings, words in (
        ({"rated": True}, "needs a clock, or days"),
        (RATED | {"hints": True}, "has no hints"),
        (RATED | {"seats": {"O": {"strategy": "random"}}}, "between two people"),
        (RATED | {"start": [4]}, "begins on the empty board"),
    ):
        refused = await guest.refusal("join", settings=settings, person=ann)
        assert refused["code"] == "bad_command"
        assert words in refused["reason"]
    refused = await guest.refusal("join", settings=RATED)
    assert refused["code"] == "not_allowed"
    assert "keep your name" in refused["reason"]
    player = await dial(server, "who")
    assert (await player.join(person=ann, settings=RATED))["room"]["settings"]["rated"] is True
    _, bob = await keep(server, "Bob R")
    for join in ({}, {"person": bob, "bot": True}):
        refused = await guest.refusal("join", **join)
        assert refused["code"] == "not_allowed"
    again = await dial(server, "who")
    assert (await again.join(person=ann))["you"]["seat"] == "X", "nobody plays against oneself"
    refused = await again.refusal("fill", seat="O", strategy="random")
    assert refused["code"] == "not_allowed"


async def test_what_counts_and_what_does_not(server: ServerProcess, dial: Dial) -> None:
    (_, x), (_, o) = await keep(server, "Sand"), await keep(server, "Bag")
    players = await sit(dial, server, "sand", x, o)
    await players[0].send("resign", game=1)
    end = end_in(await players[1].until_event("ended"))
    assert end["unrated"] == "early_resignation"
    others = await sit(dial, server, "sand-2", x, o)
    refused = await others[0].refusal("offer", kind="takeback")
    assert "no takebacks" in refused["reason"]
    assert "unrated" not in await win(others)
    third = await sit(dial, server, "sand-3", x, o, clock=None, days=2)
    assert "unrated" not in await win(third)
    fourth = await sit(dial, server, "sand-4", o, x)
    assert (await win(fourth))["unrated"] == "same_opponent"
    state = (await fourth[0].refusal("play", game=1, ply=5, cell=8))["room"]
    assert state["game"]["unrated"] == "same_opponent"

    async def is_counted() -> bool:
        return [await games_of(server, room) for room in ("sand-2", "sand-3")] == [1, 1]

    await eventually(is_counted)
    _, told = await server.get("/api/rooms/sand-2/ratings")
    assert (told["X"]["rating"], told["X"]["change"]) == (1662.31, 162.31)
    assert (told["O"]["rating"], told["O"]["deviation"]) == (1337.69, 290.32)
    _, ladder = await server.get("/api/ladder?board=3x3x3&pace=fast")
    shown = {each["name"]: each for each in ladder["people"]}
    assert shown["Sand"]["provisional"] is True
    assert [shown[name]["games"] for name in ("Sand", "Bag")] == [1, 1]
    _, slow = await server.get("/api/ladder?board=3x3x3&pace=days")
    assert [each["name"] for each in slow["people"]] == ["Sand", "Bag"]
    await server.ask("PATCH", "/api/me", {"settings": {"hidden": True}}, token=x)
    _, slow = await server.get("/api/ladder?board=3x3x3&pace=days")
    assert [each["name"] for each in slow["people"]] == ["Bag"]
    for query in ("board=3by3", "pace=now"):
        status, _ = await server.get(f"/api/ladder?{query}")
        assert status == 400


async def test_a_game_counts_once_though_the_server_is_killed_as_it_ends(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    server = await start_server(data=tmp_path / "data")
    (_, x), (_, o) = await keep(server, "Ann"), await keep(server, "Bob")
    await win(await sit(dial, server, "den", x, o))
    await server.kill()
    server = await start_server(data=tmp_path / "data")

    async def is_counted() -> bool:
        return await games_of(server, "den") == 1

    await eventually(is_counted)
    _, told = await server.get("/api/rooms/den/ratings")
    await server.stop()
    code, _, _ = await run_server("people", "--reindex", "--data", str(tmp_path / "data"))
    assert code == 0
    server = await start_server(data=tmp_path / "data")
    assert (await server.get("/api/rooms/den/ratings"))[1] == told


async def test_two_servers_count_each_game_once(
    start_server: StartServer, dial: Dial, database: str
) -> None:
    one, other = [await start_server("--store", database) for _ in range(2)]
    (_, x), (_, o) = await keep(one, "Ann"), await keep(other, "Bob")
    rooms = [await sit(dial, (one, other)[at % 2], f"den-{at}", x, o) for at in range(4)]
    ends = await asyncio.gather(*map(win, rooms))
    assert [end.get("unrated") for end in ends].count("same_opponent") == 1

    async def are_counted() -> bool:
        _, told = await other.get("/api/ladder?board=3x3x3&pace=fast")
        return [each["games"] for each in told["people"]] == [3, 3]

    await eventually(are_counted)
    _, told = await other.get("/api/ladder?board=3x3x3&pace=fast")
    assert [(each["name"], each["games"]) for each in told["people"]] == [("Ann", 3), ("Bob", 3)]


async def test_a_challenge_leads_both_into_one_room(server: ServerProcess, dial: Dial) -> None:
    (_, ann), (_, bob) = await keep(server, "Challenger"), await keep(server, "Challenged")
    status, sent = await server.ask(
        "POST", "/api/challenges", {"to": "challenged", "settings": RATED}, token=ann
    )
    assert (status, sent["from"], sent["to"]) == (201, "Challenger", "Challenged")
    assert "room" not in sent
    _, own = await server.ask("GET", "/api/me/challenges", token=bob)
    assert own == {"challenges": [sent], "blocked": []}
    path = f"/api/challenges/{sent['id']}"
    status, _ = await server.ask("POST", path, {"accept": True}, token=ann)
    assert status == 404, "one's own challenge is the other's to accept"
    for _ in range(2):
        status, accepted = await server.ask("POST", path, {"accept": True}, token=bob)
        assert (status, accepted["state"]) == (200, "accepted")
    status, _ = await server.ask("POST", path, {"accept": False}, token=bob)
    assert status == 409
    room = accepted["room"]
    stranger = await dial(server, room)
    assert (await stranger.refusal("join"))["code"] == "not_allowed"
    first, second = await dial(server, room), await dial(server, room)
    assert (await first.join(person=ann))["you"]["seat"] == "X"
    welcome = await second.join(person=bob)
    assert (welcome["you"]["seat"], welcome["room"]["status"]) == ("O", "playing")
    assert welcome["room"]["settings"]["public"] is False


async def test_a_wrong_challenge_is_refused_in_words(server: ServerProcess) -> None:
    _, ann = await keep(server, "Wrong A")
    await keep(server, "Wrong B")
    ai = {"seats": {"O": {"strategy": "rules"}}}
    for body, status, words in (
        ({"to": "nobody at all"}, 404, "nobody keeps this name"),
        ({"to": "wrong a"}, 409, "yourself"),
        ({"to": "Wrong B", "settings": {"rated": True}}, 400, "needs a clock"),
        ({"to": "Wrong B", "settings": {"password": "x"}}, 400, "settings.password"),
        ({"to": "Wrong B", "settings": ai}, 400, "two people"),
        ({"to": "Wrong B", "settings": {"zap": 1}}, 400, "settings.zap: is not known"),
        ({"to": "Wrong B", "settings": {"rules": {"columns": 2}}}, 400, "settings.rules.columns: "),
        ({}, 400, "to: is missing"),
    ):
        found, said = await server.ask("POST", "/api/challenges", body, token=ann)
        assert found == status, body
        assert words in str(said)


async def test_who_is_blocked_cannot_challenge(server: ServerProcess) -> None:
    (_, ann), (_, bob) = await keep(server, "Pest"), await keep(server, "Calm")
    status, told = await server.ask("POST", "/api/me/blocks", {"name": "pest"}, token=bob)
    assert (status, told) == (200, {"blocked": ["Pest"]})
    status, said = await server.ask("POST", "/api/challenges", {"to": "Calm"}, token=ann)
    assert status == 403
    assert "does not accept challenges from you" in str(said)
    status, told = await server.ask("DELETE", "/api/me/blocks", {"name": "Pest"}, token=bob)
    assert (status, told) == (200, {"blocked": []})
    status, _ = await server.ask("POST", "/api/challenges", {"to": "Calm"}, token=ann)
    assert status == 201
    status, _ = await server.ask("POST", "/api/challenges", {"to": "Calm"}, token=ann)
    assert status == 409
    status, _ = await server.ask("POST", "/api/challenges", {"to": "Calm"})
    assert status == 401


async def test_an_address_sends_so_many_challenges_an_hour(start_server: StartServer) -> None:
    server = await start_server("--connects-per-10s-per-address", "10000")
    (_, ann), _ = await keep(server, "Ann"), await keep(server, "Bob")
    statuses = []
    for _ in range(CHALLENGES_PER_HOUR + 1):
        status, _ = await server.ask("POST", "/api/challenges", {"to": "Bob"}, token=ann)
        statuses.append(status)
    assert statuses == [201, *[409] * (CHALLENGES_PER_HOUR - 1), 429]


async def test_a_host_who_keeps_no_names_has_none_of_it(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--persons", "no")
    for path in ("/ladder", "/api/ladder", "/api/me/challenges", "/api/rooms/den/ratings"):
        status, _ = await server.get(path)
        assert status == 404, path
    guest = await dial(server, "den")
    refused = await guest.refusal("join", settings=RATED)
    assert refused["code"] == "bad_command"
    assert "keeps no names" in refused["reason"]
