"""Games of people, over real sockets."""

import asyncio

from tests.integration.programs import Dial, Server, ServerProcess, StartServer


async def test_two_players_and_a_spectator_see_the_same_game(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob, eve = [await dial(shared, room_name) for _ in range(3)]
    assert (await ada.join(name="ada"))["you"]["seat"] == "X"
    assert (await bob.join(name="bob"))["you"]["seat"] == "O"
    watching = await eve.join(name="eve", role="spectator")
    assert watching["you"] == {
        "id": None,
        "role": "spectator",
        "seat": None,
        "name": "eve",
        "token": None,
        "from": watching["you"]["from"],
        "watch": watching["you"]["watch"],
    }

    players = [ada, bob]
    for ply, cell in enumerate([0, 4, 1, 3, 2]):
        await players[ply % 2].send("play", game=1, ply=ply, cell=cell)
        seen = [await member.until_ply(ply + 1) for member in (ada, bob, eve)]
        assert seen[0] == seen[1] == seen[2]
        assert seen[0]["events"][0]["cell"] == cell

    assert seen[0]["room"]["game"]["board"] == "XXXOO...."
    assert seen[0]["room"]["game"]["outcome"] == {
        "winner": "X",
        "reason": "line",
        "line": [0, 1, 2],
    }
    assert [event["type"] for event in seen[0]["events"]] == ["played", "ended"]
    assert seen[0]["room"]["score"] == {"X": 1, "O": 0, "draws": 0}


async def test_a_rematch_changes_sides_and_the_score_goes_with_the_players(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    you = (await ada.join(name="ada"))["you"]
    await bob.join(name="bob")
    await bob.send("resign", game=1)
    await ada.until_over()
    await ada.send("offer", kind="rematch")
    await bob.send("offer", kind="rematch")

    room = (await ada.until_ply(0, game=2))["room"]

    assert room["seats"]["O"]["name"] == "ada"
    assert room["seats"]["O"]["id"] == you["id"]
    assert room["score"] == {"X": 0, "O": 1, "draws": 0}
    refused = await ada.refusal("play", game=2, ply=0, cell=0)
    assert refused["code"] == "not_your_turn"


async def test_the_seat_and_name_come_back_with_the_token(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    token = (await ada.join(name="ada"))["you"]["token"]
    await bob.join(name="bob")
    await ada.play(0, 4)

    again = await dial(shared, room_name)
    welcome = await again.join(token=token, name="somebody else")

    assert welcome["you"]["seat"] == "X"
    assert welcome["you"]["name"] == "ada"
    assert welcome["room"]["game"]["board"] == "....X...."
    assert await ada.close_code() == 4001
    await bob.play(1, 0)
    assert (await again.until_ply(2))["room"]["game"]["board"] == "O...X...."


async def test_a_move_sent_twice_is_made_once(shared: Server, room_name: str, dial: Dial) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada")
    await bob.join(name="bob")
    first = await ada.play(0, 4)
    await ada.send("play", game=1, ply=0, cell=4)

    answer = await ada.until("update")

    assert answer == {"type": "update", "events": [], "room": first["room"]}
    await bob.until_ply(1)
    await bob.play(1, 0)  # would be stale, had the move been made twice


async def test_presence_follows_who_comes_and_goes(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada")
    await bob.join(name="bob")
    while (await ada.until("presence"))["seats"] != {"X": True, "O": True}:
        pass
    await bob.socket.close()
    while (await ada.until("presence"))["seats"] != {"X": True, "O": False}:
        pass


async def test_chat_reaches_everyone_clean(shared: Server, room_name: str, dial: Dial) -> None:
    ada, eve = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada")
    await eve.join(name="eve", role="spectator")
    await eve.send("say", text="hello\x1b[2J\n\u202ethere")
    said = await ada.until("said")
    assert said["text"] == "hello there"
    assert (said["name"], said["role"]) == ("eve", "spectator")
    assert await eve.until("said") == said


async def test_a_seat_that_was_left_begins_the_next_game_with_the_newcomer(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob, cyd = [await dial(shared, room_name) for _ in range(3)]
    await ada.join(name="ada")
    await bob.join(name="bob")
    assert (await cyd.refusal("join", name="cyd"))["code"] == "room_full"
    await bob.send("leave")
    assert await bob.close_code() == 1000
    while (update := await ada.until("update"))["room"]["status"] != "waiting":
        pass
    assert [event["type"] for event in update["events"]] == ["ended", "left"]
    assert update["room"]["seats"]["O"] is None
    welcome = await cyd.join(name="cyd")
    assert welcome["you"]["seat"] == "O"
    assert welcome["room"]["status"] == "playing"
    assert welcome["room"]["game"]["number"] == 2
    assert welcome["room"]["score"] == {"X": 0, "O": 0, "draws": 0}


async def test_many_rooms_at_once(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--max-connections-per-address", "1000")

    async def game(number: int) -> str:
        ada, bob = await dial(server, f"r{number}"), await dial(server, f"r{number}")
        await ada.join(name="ada")
        await bob.join(name="bob")
        for ply, cell in enumerate([0, 4, 1, 3, 2]):
            await (ada, bob)[ply % 2].send("play", game=1, ply=ply, cell=cell)
            update = await (bob, ada)[ply % 2].until_ply(ply + 1)
        return str(update["room"]["game"]["board"])

    boards = await asyncio.gather(*(game(number) for number in range(50)))

    assert set(boards) == {"XXXOO...."}


async def test_a_board_of_another_kind(shared: Server, room_name: str, dial: Dial) -> None:
    rules = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada", settings={"rules": rules})
    await bob.join(name="bob")
    refused = await ada.refusal("play", game=1, ply=0, cell=0)
    assert refused["code"] == "floating_cell"
    assert refused["legal"] == [35, 36, 37, 38, 39, 40, 41]
    players = [ada, bob]
    for ply, cell in enumerate([35, 36, 28, 29, 21, 22, 14]):
        update = await players[ply % 2].play(ply, cell)
    assert update["room"]["game"]["outcome"]["line"] == [14, 21, 28, 35]


async def test_a_game_goes_on_from_a_position(
    shared: ServerProcess, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    for start, words in (
        ([0, 0], "move 2: a1 is taken"),
        ([0, 3, 1, 4, 2], "move 5: it ends"),
    ):
        refused = await ada.refusal("join", name="ada", settings={"start": start})
        assert refused["code"] == "bad_command"
        assert words in refused["reason"]
    await ada.join(name="ada", settings={"start": [0, 4, 1]})
    welcome = await bob.join(name="bob")
    assert welcome["room"]["settings"]["start"] == [0, 4, 1]
    assert welcome["room"]["game"]["board"] == "XX..O...."
    await bob.play(3, 3)
    await ada.until_ply(4)
    await ada.play(4, 2)
    assert (await bob.until_over())["room"]["game"]["outcome"]["line"] == [0, 1, 2]
    _, game = await shared.get(f"/api/rooms/{room_name}/games/1?analysis=1")
    assert game["start"] == [0, 4, 1]
    assert [(move["ply"], move["cell"], move["mistake"]) for move in game["analysis"]] == [
        (3, 3, True),
        (4, 2, False),
    ]
