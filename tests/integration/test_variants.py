"""Games of the family over real sockets: played, killed, watched, taken back, read, in events."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.engine.variants.plugins import put
from tests.integration.attendees import HastyAttendee, make_event
from tests.integration.programs import (
    Dial,
    Message,
    SharedServer,
    SimpleClient,
    StartServer,
    environment,
    program,
)

RULES: dict[str, dict[str, Any]] = {
    "misere": {"variant": "misere", "columns": 5, "rows": 5, "in_a_row": 4},
    "torus": {"variant": "torus", "columns": 5, "rows": 5, "in_a_row": 4},
    "vanishing": {"variant": "vanishing"},
    "notakto": {"variant": "notakto", "columns": 4, "rows": 4, "in_a_row": 4},
    "cube": {"variant": "cube", "in_a_row": 3},
    "ultimate": {"variant": "ultimate"},
    "connect6": {"variant": "connect6"},
}
HALF = 7
"""Moves after which the server is killed: in the middle of a turn of connect6."""


def choice(game: Message, random: Random) -> int:
    """A legal cell, as a client finds one that knows no rules."""
    free = [cell for cell, letter in enumerate(game["board"]) if letter == "."]
    legal: list[int] = game.get("legal", free)
    return random.choice(legal)


async def move(players: dict[str, SimpleClient], room: Message, random: Random) -> Message:
    """Play a move; return the room that both are told of."""
    game = room["game"]
    mover = players[game["turn"]]
    played: Message = (await mover.play(game["ply"], choice(game, random)))["room"]
    (other,) = (client for seat, client in players.items() if client is not mover)
    told = await other.until_ply(game["ply"] + 1)
    assert told["room"]["game"] == played["game"]
    return played


async def seat(dial: Dial, server: Any, name: str, **joins: Any) -> dict[str, SimpleClient]:
    players = {mark: await dial(server, name) for mark in "XO"}
    for mark, player in players.items():
        welcome = await player.join(seat=mark, **joins)
        joins.pop("settings", None)
        player.you = welcome["you"]  # type: ignore[attr-defined]
    return players


@pytest.mark.heavy
@pytest.mark.parametrize("variant", RULES)
async def test_a_game_goes_on_after_a_kill_and_a_takeback(
    start_server: StartServer, dial: Dial, variant: str
) -> None:
    server, random = await start_server(), Random(variant)
    ada, bob = await dial(server, "den"), await dial(server, "den")
    settings = {"rules": RULES[variant], "clock": {"initial_s": 600, "increment_s": 5}}
    tokens = [(await ada.join(settings=settings))["you"]["token"]]
    welcome = await bob.join()
    tokens.append(welcome["you"]["token"])
    room = welcome["room"]
    assert room["settings"]["rules"]["variant"] == variant
    players = {"X": ada, "O": bob}
    states = [room]
    while room["game"]["ply"] < HALF and room["game"]["outcome"] is None:
        room = await move(players, room, random)
        states.append(room)
    assert room["game"]["outcome"] is None, "choose another seed"

    await server.restart_after_kill()

    players = {mark: await dial(server, "den") for mark in "XO"}
    for player, token in zip(players.values(), tokens, strict=True):
        after = (await player.join(token=token))["room"]
    shown = {key: value for key, value in after["game"].items() if key != "clock"}
    assert shown == {key: value for key, value in room["game"].items() if key != "clock"}

    asker = "O" if room["game"]["turn"] == "X" else "X"
    await players[asker].send("offer", kind="takeback")
    await players[room["game"]["turn"]].until_event("offered")
    await players[room["game"]["turn"]].send("accept", kind="takeback")
    back = (await players[asker].until_event("taken_back"))["room"]["game"]
    was = states[back["ply"]]["game"]
    assert [back[key] for key in ("board", "turn", "moves")] == [
        was[key] for key in ("board", "turn", "moves")
    ]
    assert back.get("leaving") == was.get("leaving")

    room = after | {"game": back}
    for player in players.values():
        if player is not players[asker]:
            await player.until_event("taken_back")
    while room["game"]["outcome"] is None and room["game"]["ply"] < 60:
        room = await move(players, room, random)
    _, record = await server.get("/api/rooms/den/games/1")
    assert record["boards"][-1] == room["game"]["board"]
    assert len(record["boards"]) == room["game"]["ply"]
    assert record["rules"]["variant"] == variant


@pytest.mark.parametrize("variant", RULES)
async def test_an_ai_and_a_spectator_who_sees_the_past(
    shared: SharedServer, room_name: str, dial: Dial, variant: str
) -> None:
    ais = {"X": {"strategy": "mcts", "level": 0}, "O": {"strategy": "random"}}
    settings = {"rules": RULES[variant], "seats": ais, "pace_s": 0, "delay_s": 0.3}
    eve = await dial(shared, room_name)
    await eve.join(role="spectator", settings=settings)
    seen = await eve.until_ply(5)
    assert seen["room"]["game"]["ply"] == 5


@pytest.mark.heavy
@pytest.mark.parametrize("form", ["swiss", "simul"])
@pytest.mark.parametrize("variant", RULES)
async def test_events(shared: SharedServer, room_name: str, form: str, variant: str) -> None:
    organiser = await make_event(shared, room_name, form, rounds=1, rules=RULES[variant])
    attendees = [HastyAttendee(shared, room_name, f"player {number}") for number in range(4)]
    for attendee in attendees:
        await attendee.enter()
    await organiser.tell("start")
    await organiser.status("finished")
    _, answer = await shared.get(f"/api/events/{room_name}")
    assert len(answer["games"]) == {"swiss": 2, "simul": 3}[form]
    assert all(game["result"] is not None for game in answer["games"])
    _, record = await shared.get(f"/api/rooms/{answer['games'][0]['room']}/games/1")
    assert record["rules"]["variant"] == variant
    if variant == "connect6":
        moves = [event for event in record["events"] if event["type"] == "played"]
        played = zip(moves, record["boards"], strict=True)
        assert "".join(board[move["cell"]] for move, board in played).startswith("XOOXXOOXX")
    await asyncio.gather(organiser.go(), *(attendee.go() for attendee in attendees))


async def test_bad_input(shared: SharedServer, room_name: str, dial: Dial) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    for rules, field in (
        ({"variant": "ultimat"}, "settings.rules.variant: did you mean ultimate?"),
        ({"variant": "torus", "in_a_row": 4}, "settings.rules: "),
        ({"variant": 4}, "settings.rules.variant: "),
        ({"variant": None}, "settings.rules.variant: "),
        ({"variant": "cube", "in_a_row": 5}, "settings.rules: "),
    ):
        refused = await ada.refusal("join", settings={"rules": rules})
        assert refused["code"] == "bad_command"
        assert refused["reason"].startswith(field), refused
    await ada.join(settings={"rules": {"variant": "ultimate"}})
    conflict = await bob.refusal("join", settings={"rules": {"variant": "misere"}})
    assert conflict["code"] == "settings_conflict"
    await bob.join(settings={"rules": {"variant": "ultimate"}})
    await ada.play(0, 40)
    refused = await bob.refusal("play", game=1, ply=1, cell=0)
    assert (refused["code"], refused["legal"]) == (
        "other_board",
        [30, 31, 32, 39, 41, 48, 49, 50],
    )
    refused = await bob.refusal("play", game=1, ply=1, cell=40)
    assert (refused["code"], len(refused["legal"])) == ("cell_taken", 8)


@pytest.mark.heavy
async def test_games_are_exported_and_come_back(
    start_server: StartServer, dial: Dial, tmp_path: Path
) -> None:
    server = await start_server()
    for variant, rules in RULES.items():
        random = Random(variant)
        ada, bob = await dial(server, variant), await dial(server, variant)
        await ada.join(settings={"rules": rules})
        room = (await bob.join())["room"]
        for _ in range(5):
            room = await move({"X": ada, "O": bob}, room, random)
        await ada.send("resign", game=1)
        await ada.until_over()
    assert await server.stop() == 0
    data, other, file = server.data, tmp_path / "other", tmp_path / "games.jsonl"
    for arguments in (
        ("export", "--data", str(data), "-o", str(file)),
        ("import", "--data", str(other), str(file)),
    ):
        process = await asyncio.create_subprocess_exec(
            program("ttt-server"), *arguments, env=environment()
        )
        assert await process.wait() == 0
    again = await start_server(data=other)
    for variant in RULES:
        _, record = await again.get(f"/api/rooms/{variant}/games/1")
        assert len(record["boards"]) == 5


@pytest.mark.heavy
async def test_a_game_of_ones_own(start_server: StartServer, dial: Dial, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    put(site)
    server = await start_server(under=("env", f"PYTHONPATH={site}"), data=tmp_path / "data")
    ada = await dial(server, "own")
    settings = {"rules": {"variant": "chaos"}, "seats": {"O": {"strategy": "mcts", "level": 0}}}
    room = (await ada.join(settings=settings))["room"]
    assert room["settings"]["rules"]["columns"] == 5
    await ada.play(0, 12)
    await ada.until_ply(2)
    await server.kill()

    without = await start_server(data=tmp_path / "data")
    bob = await dial(without, "own")
    refused = await bob.refusal("join")
    assert refused["code"] == "storage_failed"
    assert "needs the package ttt-chaos" in refused["reason"]
    assert (await without.get("/healthz"))[0] == 200
    assert await without.stop() == 0

    again = await start_server(under=("env", f"PYTHONPATH={site}"), data=tmp_path / "data")
    _, room = await again.get("/api/rooms/own")
    assert room["game"]["ply"] == 2
