"""People who go away, and come back, or do not."""

from tests.integration.programs import Dial, Server, ServerProcess, SimpleClient, StartServer

SOON = {"grace_s": 2.0}  # more than presence may lag behind


async def left_alone(server: ServerProcess, dial: Dial, room: str) -> tuple[SimpleClient, str]:
    """Ada, in X and to move, whose opponent's line has just been cut; and his token."""
    ada, bob = await dial(server, room), await dial(server, room)
    await ada.join(name="ada", settings=SOON)
    token = (await bob.join(name="bob"))["you"]["token"]
    await ada.until_ply(0)
    while not (await ada.until("presence"))["seats"]["O"]:
        pass
    bob.socket.transport.abort()
    while (await ada.until("presence"))["seats"]["O"]:
        pass
    return ada, token


async def until_allowed(ada: SimpleClient, command: str, **fields: object) -> None:
    """Asks until it is no longer too early."""
    await ada.send(command, **fields)
    while (message := await ada.receive())["type"] != "update":
        if message["type"] == "refused":
            assert message["code"] == "too_early"
            await ada.send(command, **fields)


async def test_a_game_is_claimed_from_one_who_does_not_come_back(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--command-burst", "100000")
    ada, token = await left_alone(server, dial, "room42")
    assert (await ada.refusal("claim", game=1))["code"] == "not_allowed"
    await ada.play(0, 4)
    assert (await ada.refusal("claim", game=1))["code"] == "too_early"
    await until_allowed(ada, "claim", game=1)
    bob = await dial(server, "room42")
    room = (await bob.join(token=token))["room"]
    assert room["game"]["outcome"] == {"winner": "X", "reason": "abandonment", "line": None}
    assert room["score"]["X"] == 1


async def test_an_ai_sits_in_until_its_human_comes_back(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server("--command-burst", "100000")
    ada, token = await left_alone(server, dial, "room42")
    await until_allowed(ada, "fill", seat="O", strategy="rules")
    await ada.play(0, 0)
    room = (await ada.until_ply(2))["room"]
    assert room["seats"]["O"]["kind"] == "ai"
    assert room["game"]["moves"] == [0, 4]
    bob = await dial(server, "room42")
    welcome = await bob.join(token=token)
    assert welcome["you"]["seat"] == "O"
    assert welcome["room"]["seats"]["O"]["name"] == "bob"
    await ada.play(2, 1)
    await bob.until_ply(3)
    assert (await bob.play(3, 2))["room"]["game"]["moves"] == [0, 4, 1, 2]


async def test_an_ai_takes_a_seat_that_nobody_came_for(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada = await dial(shared, room_name)
    await ada.join(name="ada")
    await ada.send("fill", seat="O", strategy="minimax", level=3)
    room = (await ada.until("update"))["room"]
    assert room["status"] == "playing"
    assert room["seats"]["O"]["level"] == 3
    assert (await ada.refusal("fill", seat="O", strategy="rules"))["code"] == "not_allowed"


async def test_one_who_is_here_can_be_neither_replaced_nor_beaten_by_claim(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada", settings={"grace_s": 0})
    await bob.join(name="bob")
    assert (await ada.refusal("claim", game=1))["code"] == "not_allowed"
    await ada.play(0, 4)
    assert (await ada.refusal("claim", game=1))["code"] == "too_early"
    refused = await ada.refusal("fill", seat="O", strategy="rules")
    assert refused["code"] == "too_early"


async def test_offers_between_people(shared: Server, room_name: str, dial: Dial) -> None:
    ada, bob = await dial(shared, room_name), await dial(shared, room_name)
    await ada.join(name="ada")
    await bob.join(name="bob")
    await ada.play(0, 4)
    await ada.send("offer", kind="takeback")
    while (await bob.until("update"))["room"]["offers"]["takeback"] != "X":
        pass
    await bob.send("accept", kind="takeback")
    taken = await bob.until("update")
    assert [event["type"] for event in taken["events"]] == ["taken_back"]
    assert taken["room"]["game"]["board"] == "........."
    await ada.until_ply(0)
    await ada.play(0, 0)
    await bob.send("offer", kind="draw")
    await ada.send("offer", kind="draw")  # two offers of a kind are an agreement
    outcome = (await ada.until_over())["room"]["game"]["outcome"]
    assert outcome == {"winner": None, "reason": "agreement", "line": None}


async def test_an_ai_answers_a_draw_by_what_its_position_is_worth(
    shared: Server, room_name: str, dial: Dial
) -> None:
    ada = await dial(shared, room_name)
    settings = {"seats": {"O": {"strategy": "rules"}}}
    await ada.join(name="ada", settings=settings)
    await ada.play(0, 1)
    await ada.until_ply(2)  # the centre: nobody is better
    await ada.send("offer", kind="draw")
    assert (await ada.until_over())["room"]["game"]["outcome"]["reason"] == "agreement"


async def test_who_comes_later_sees_since_when_a_player_is_away(
    start_server: StartServer, dial: Dial
) -> None:
    server = await start_server()
    ada, _ = await left_alone(server, dial, "room42")
    eve, zoe = await dial(server, "room42"), await dial(server, "room42")
    first = await eve.join(role="spectator")
    second = await zoe.join(role="spectator")
    since = first["room"]["seats"]["O"]["away_since"]
    assert second["room"]["seats"]["O"]["away_since"] == since
    assert since <= first["at"] <= second["at"] < since + 20_000
    assert "away_since" not in first["room"]["seats"]["X"]
    await ada.send("play", game=1, ply=0, cell=4)
    assert (await zoe.until_ply(1))["room"]["seats"]["O"]["away_since"] == since
