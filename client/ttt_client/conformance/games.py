"""Checks of games: moves, ends, offers, clocks, and AIs."""

from ttt_client.conformance.stage import ConformanceStage, Peer, moves, pair, require

_DAY_MS = 86_400_000
_MINUTE = {"initial_s": 60, "increment_s": 0}
_RANDOM = {"strategy": "random"}


async def refused_moves(scene: ConformanceStage) -> None:
    players = ada, bob = await pair(scene)
    await bob.expect("not_your_turn", "play", game=1, ply=0, cell=0)
    await ada.expect("wrong_game", "play", game=2, ply=0, cell=0)
    await ada.expect("stale_ply", "play", game=1, ply=5, cell=0)
    for cell in (9, -1, 2**64):
        refused = await ada.expect("out_of_board", "play", game=1, ply=0, cell=cell)
    require(refused.get("legal") == list(range(9)), "out_of_board does not name the legal cells")
    await moves(players, 4)
    await bob.expect("cell_taken", "play", game=1, ply=1, cell=4)
    await ada.send("play", game=1, ply=0, cell=4)
    repeated = await ada.until("update")
    require(repeated["events"] == [], "the same move again is not answered by an empty update")


async def line(scene: ConformanceStage) -> None:
    players = ada, _ = await pair(scene)
    update = await moves(players, 0, 3, 1, 4, 2)
    outcome = update["room"]["game"]["outcome"]
    wanted = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
    require(outcome == wanted, f"the outcome is {outcome}")
    await ada.expect("game_over", "play", game=1, ply=5, cell=8)


async def gravity(scene: ConformanceStage) -> None:
    rules = {"columns": 4, "rows": 4, "in_a_row": 4, "gravity": True}
    ada, _ = await pair(scene, rules=rules)
    refused = await ada.expect("floating_cell", "play", game=1, ply=0, cell=0)
    require(refused.get("legal") == [12, 13, 14, 15], "floating_cell has other legal cells")


async def ultimate(scene: ConformanceStage) -> None:
    ada, bob = await pair(scene, rules={"variant": "ultimate"})
    await ada.send("play", game=1, ply=0, cell=1)  # sends bob to the small board at the top
    await bob.event("played")
    refused = await bob.expect("other_board", "play", game=1, ply=1, cell=0)
    require(0 not in refused.get("legal", [0]), "other_board names cells of another board")


async def rematch(scene: ConformanceStage) -> None:
    ada, bob = await pair(scene)
    await ada.send("resign", game=1)
    await bob.ended("O", "resignation")
    await bob.send("offer", kind="rematch")
    await ada.event("offered")
    await ada.send("accept", kind="rematch")
    room = (await ada.event("started"))["room"]
    require(room["seats"]["O"]["name"] == "ada", "the sides do not change")
    require(room["score"] == {"X": 1, "O": 0, "draws": 0}, "the score stays with the seats")


async def opening(scene: ConformanceStage) -> None:
    players = ada, bob = await pair(scene, opening="pie")
    await ada.expect("not_allowed", "choose", game=1, ply=0, choice="swap")
    update = await moves(players, 4)
    game = update["room"]["game"]
    told = game["turn"], game.get("choosing"), game.get("choices")
    require(told == ("O", "O", ["stay", "swap"]), f"the second player does not choose: {told}")
    await bob.expect("not_allowed", "play", game=1, ply=1, cell=0)
    await bob.expect("not_allowed", "choose", game=1, ply=1, choice="more")
    await bob.send("choose", game=1, ply=1, choice="swap")
    room = (await ada.event("chosen"))["room"]
    require(room["seats"]["O"]["name"] == "ada", "a swap does not change the seats")
    require(room["game"]["turn"] == "O", "the second move is not that of O")


async def offers(scene: ConformanceStage) -> None:
    players = ada, bob = await pair(scene)
    await ada.expect("no_such_offer", "accept", kind="draw")
    await moves(players, 4)
    await ada.send("offer", kind="takeback")
    await bob.event("offered")
    await bob.send("accept", kind="takeback")
    back = await ada.event("taken_back")
    require(back["room"]["game"]["moves"] == [], "a takeback leaves the move")
    await ada.send("offer", kind="draw")
    await bob.event("offered")
    await bob.send("decline", kind="draw")
    await ada.event("declined")
    await bob.send("offer", kind="draw")
    await ada.event("offered")
    await ada.send("accept", kind="draw")
    await bob.ended(None, "agreement")


async def flag(scene: ConformanceStage) -> None:
    _, bob = await pair(scene, clock={"initial_s": 1, "increment_s": 0})
    await bob.ended("O", "timeout")


async def days(scene: ConformanceStage) -> None:
    peer = await scene.peer()
    await peer.expect("bad_command", "join", settings={"days": 2, "clock": _MINUTE})
    players = ada, bob = await pair(scene, days=2, grace_s=0)
    clock = (await moves(players, 4))["room"]["game"]["clock"]
    require(clock["X"] == 2 * _DAY_MS, f"a move does not give two days again: {clock}")
    require(0 < clock["O"] <= 2 * _DAY_MS, f"the other side has no two days: {clock}")
    await _go_away(bob, ada)


async def _go_away(bob: Peer, ada: Peer) -> None:
    """Close the connection of O. The opponent is told, and may not claim the game yet."""
    await bob.close()
    while (await ada.until("presence"))["seats"]["O"]:
        pass
    await ada.expect("not_allowed", "claim", game=1)


async def rated(scene: ConformanceStage) -> None:
    guest = await scene.peer()
    await guest.expect("bad_command", "join", settings={"rated": True})
    wanted = {"rated": True, "clock": _MINUTE}
    for more in ({"hints": True}, {"seats": {"O": _RANDOM}}, {"start": [4]}):
        await guest.expect("bad_command", "join", settings={**wanted, **more})
    await guest.send("join", settings=wanted)
    refused = await guest.receive()
    # A server that keeps no names has no rated games.
    codes = {"not_allowed", "bad_command"}
    require(refused.get("code") in codes, f"a guest may play a rated game: {refused}")


async def claim(scene: ConformanceStage) -> None:
    ada, bob = await pair(scene, grace_s=0)
    await bob.expect("too_early", "claim", game=1)
    await _go_away(bob, ada)
    await ada.send("play", game=1, ply=0, cell=4)
    await ada.event("played")
    await ada.send("claim", game=1)
    await ada.ended("X", "abandonment")


async def ai(scene: ConformanceStage) -> None:
    ada = await scene.peer()
    await ada.join(settings={"seats": {"O": _RANDOM}, "hints": True})
    await ada.send("hint")
    require((await ada.until("hint"))["best"], "a hint has no best cell")
    await ada.send("play", game=1, ply=0, cell=4)
    while (update := await ada.event("played"))["room"]["game"]["ply"] < 2:
        pass
    answer = update["events"][-1]
    require(answer.get("reason"), "the move of an AI has no reason")


async def fill(scene: ConformanceStage) -> None:
    ada = await scene.peer()
    await ada.join(name="ada")
    await ada.expect("not_allowed", "fill", seat="X", strategy="random")
    await ada.send("fill", seat="O", strategy="random")
    room = (await ada.event("seated"))["room"]
    require(room["seats"]["O"]["kind"] == "ai", "the AI does not sit in its seat")
    require(room["status"] == "playing", "the game does not begin when the AI sits down")
