"""Quick match over real sockets: from `seek` to a game with its first move."""

from tests.integration.programs import Dial, Server, StartServer

FOUR = {"columns": 4, "rows": 4, "in_a_row": 4}


async def test_two_strangers_find_each_other_and_play(shared: Server, dial: Dial) -> None:
    clock = {"initial_s": 181, "increment_s": 2}
    seekers = [await dial(shared, "/ws/play") for _ in range(2)]
    for seeker in seekers:
        await seeker.send("seek", rules=FOUR, clock=clock, opening="pie")
    found = [await seeker.until("paired") for seeker in seekers]
    assert found[0]["room"] == found[1]["room"]
    assert [await seeker.close_code() for seeker in seekers] == [1000, 1000]
    stranger = await dial(shared, found[0]["room"])
    assert (await stranger.refusal("join"))["code"] == "room_full"
    players = {}
    for each in found:
        player = await dial(shared, each["room"])
        welcome = await player.join(name="guest", token=each["token"])
        assert welcome["you"]["seat"] == each["seat"]
        players[each["seat"]] = player
    assert welcome["room"]["settings"]["clock"] == clock
    assert welcome["room"]["status"] == "playing"
    update = await players["X"].play(0, 5)
    game = update["room"]["game"]
    assert (game["moves"], game["choosing"]) == ([5], "O")


async def test_an_ai_offers_itself_and_plays(start_server: StartServer, dial: Dial) -> None:
    server = await start_server("--quick-wait-s", "0.1")
    seeker = await dial(server, "/ws/play")
    assert (await seeker.refusal("join", id="j"))["id"] == "j"
    refused = await seeker.refusal("seek", opening="swap2")
    assert refused["reason"] == "opening: swap2 needs 4 in a row or more"
    await seeker.send("seek")
    offer = await seeker.until("ai_offered")
    assert (offer["strategy"], offer["level"]) == ("guard", None)
    await seeker.send("seek", ai=True)
    found = await seeker.until("paired")
    ada = await dial(server, found["room"])
    await ada.join(name="ada", token=found["token"])
    await ada.send("play", game=1, ply=0, cell=0)
    assert len((await ada.until_ply(2))["room"]["game"]["moves"]) == 2
