"""Checks of members: joins, seats and their tokens, names, chat, the host, and the lobby."""

import secrets

from ttt_client.conformance.stage import ConformanceStage, moves, pair, require
from ttt_protocol.state import SUBPROTOCOL


async def lobby(scene: ConformanceStage) -> None:
    await (await scene.peer()).join()
    watcher = await scene.peer("/ws/lobby?limit=1")
    page = await watcher.receive()
    require(page.get("type") == "rooms", "the lobby does not begin with the rooms")
    while not page["rooms"]:  # as it was a second ago
        page = await watcher.receive()
    require(len(page["rooms"]) == 1, "a page of the lobby is longer than its limit")
    require(page.get("total", 0) >= 1, "the lobby does not tell how many rooms there are")
    (first,) = page["rooms"]
    after = await (await scene.peer(f"/ws/lobby?after={first['name']}")).receive()
    names = [room["name"] for room in after["rooms"]]
    is_after = names == sorted(names) and first["name"] not in names
    require(is_after, "a page is not that after a name")


async def before_join(scene: ConformanceStage) -> None:
    peer = await scene.peer()
    await peer.expect("not_joined", "play", game=1, ply=0, cell=0)


async def welcome(scene: ConformanceStage) -> None:
    told = await (await scene.peer()).join(name="ada")
    you, room = told["you"], told["room"]
    require(told["protocol"] == SUBPROTOCOL, "welcome has another protocol")
    require(you["seat"] == "X" and you["token"], "the first player has no seat or no token")
    require(room["status"] == "waiting" and room["game"] is None, "a room of one has a game")


async def refused_joins(scene: ConformanceStage) -> None:
    stranger = await scene.peer()
    await stranger.expect("no_such_room", "join", role="spectator")
    await stranger.expect("unknown_strategy", "join", settings={"seats": {"O": {"strategy": "?"}}})
    board = {"rules": {"columns": 9, "rows": 9}, "seats": {"O": {"strategy": "rules"}}}
    await stranger.expect("strategy_cannot_play", "join", settings=board)
    await stranger.expect("bad_token", "join", token="abc.def")  # noqa: S106 - it owns nothing
    ada, _ = await pair(scene)
    await ada.expect("already_joined", "join")
    await stranger.expect("room_full", "join")
    await stranger.expect("seat_taken", "join", seat="X")
    await stranger.expect("settings_conflict", "join", settings={"hints": True})
    await stranger.join(role="spectator")
    await stranger.expect("not_a_player", "resign", game=1)
    await ada.expect("not_allowed", "hint")
    await ada.expect("not_allowed", "claim", game=1)


async def password(scene: ConformanceStage) -> None:
    ada, stranger = await scene.peer(), await scene.peer()
    told = await ada.join(settings={"password": "xyzzy", "spectators": False})
    require(told["room"]["locked"] is True, "a room with a password is not locked")
    await stranger.expect("wrong_password", "join", password="plugh")  # noqa: S106 - the wrong one
    await stranger.expect("spectators_off", "join", role="spectator", password="xyzzy")  # noqa: S106
    await stranger.join(password="xyzzy")  # noqa: S106 - of this room


async def tokens(scene: ConformanceStage) -> None:
    ada, again = await scene.peer(), await scene.peer()
    you = (await ada.join(name="ada"))["you"]
    back = (await again.join(token=you["token"]))["you"]
    require((back["id"], back["seat"]) == (you["id"], "X"), "a token gives another seat")
    await ada.goodbye(4001)


async def persons(scene: ConformanceStage) -> None:
    ada, again = await scene.peer(), await scene.peer()
    await ada.send("join", person="abc.0.def")
    refused = await ada.until("refused")
    if refused["code"] == "bad_command":
        return  # nobody keeps a name on this server
    require(refused["code"] == "bad_token", "the token of nobody is taken for a person's")
    name = f"check {secrets.token_hex(6)}"
    made = await scene.post("persons", {"name": name})
    joins = [await each.join(name="x", person=made["token"]) for each in (ada, again)]
    for told in joins:
        seat = told["room"]["seats"][told["you"]["seat"]]
        require(seat.get("person") == made["person"]["id"], "the seat does not say who plays")
        require(seat["name"] == name, "a person has another name than the one that is kept")
    require(joins[0]["you"]["id"] == joins[1]["you"]["id"], "a person has two seats in a room")
    await ada.goodbye(4001)


async def challenges(scene: ConformanceStage) -> None:
    probe = await scene.peer()
    await probe.send("join", person="abc.0.def")
    if (await probe.until("refused"))["code"] == "bad_command":
        return  # nobody keeps a name on this server
    names = [f"check {secrets.token_hex(6)}" for _ in range(2)]
    tokens = [(await scene.post("persons", {"name": name}))["token"] for name in names]
    ada, bob = tokens
    wish = {"to": names[1], "settings": {"rated": True, "days": 3}}
    refused = await scene.status("challenges", wish | {"to": names[0]}, ada)
    require(refused == 409, "one may challenge oneself")
    sent = await scene.post("challenges", wish, ada)
    require((sent["from"], sent["to"], sent["state"]) == (*names, "open"), "a challenge is another")
    require(await scene.status("challenges", wish, ada) == 409, "one may challenge again at once")
    answer = f"challenges/{sent['id']}"
    require(await scene.status(answer, {"accept": True}, ada) == 404, "one may accept one's own")
    accepted = await scene.post(answer, {"accept": True}, bob)
    peer = await scene.peer(f"/ws/rooms/{accepted['room']}")
    room = (await peer.join(person=ada))["room"]
    expected = {"rated": True, "days": 3, "public": False}
    is_same = expected.items() <= room["settings"].items()
    require(is_same, "the room has other settings than the challenge")
    require(room["status"] == "playing", "the game does not begin once both are there")
    declined = await scene.status(answer, {"accept": False}, bob)
    require(declined == 409, "an answer may be taken back")


async def leaving(scene: ConformanceStage) -> None:
    ada, bob = await pair(scene)
    await ada.send("leave")
    await ada.goodbye(1000)
    update = await bob.event("left")
    require(update["room"]["seats"]["X"] is None, "the seat of a player who left is not free")


async def spectators(scene: ConformanceStage) -> None:
    players = await pair(scene)
    watcher = await scene.peer()
    you = (await watcher.join(role="spectator"))["you"]
    require(you["token"] is None, "a spectator has a token")
    await players[0].send("play", game=1, ply=0, cell=4)
    await watcher.event("played")


async def chat(scene: ConformanceStage) -> None:
    ada, bob = await pair(scene)
    await ada.send("say", text="well \u001b[31mplayed\u202e")
    said = await bob.until("said")
    require(said["text"] == "well played", "chat reaches others with control characters")


async def bots(scene: ConformanceStage) -> None:
    ada, bob = await scene.peer(), await scene.peer()
    told = await ada.join(name="ada", bot=True)
    require(told["room"]["seats"]["X"].get("bot") is True, "the seat of a bot does not say so")
    await bob.join()
    await bob.expect("not_allowed", "resign", game=1, detail="tired")


async def renaming(scene: ConformanceStage) -> None:
    ada, bob = await pair(scene)
    await ada.send("rename", name="Ada Lovelace")
    room = (await bob.event("renamed"))["room"]
    require(room["seats"]["X"]["name"] == "Ada Lovelace", "the seat has the old name")
    await ada.expect("too_early", "rename", name="ada")


async def muting(scene: ConformanceStage) -> None:
    host, guest = await scene.peer(), await scene.peer()
    await host.join()
    you = (await guest.join(role="spectator"))["you"]
    for action in ("mute", "unmute"):
        await host.send("moderate", **{"action": action, "from": you["from"]})
        told = await host.until("update")
        require(told["events"] == [], f"{action} is not answered by an empty update")
        if action == "mute":
            await guest.expect("not_allowed", "say", text="hello")
    await guest.send("say", text="hello")
    require((await host.until("said"))["from"] == you["from"], "said has another from")
    await host.send("moderate", action="clear")
    await guest.until("cleared")


async def moderation(scene: ConformanceStage) -> None:
    host, guest = await scene.peer(), await scene.peer()
    require((await host.join())["you"].get("host") is True, "the maker of a room is not its host")
    you = (await guest.join(role="spectator"))["you"]
    await guest.expect("not_allowed", "moderate", action="clear")
    await host.send("moderate", action="chat", chat="players")
    require((await guest.event("moderated"))["room"].get("chat") == "players", "chat is for all")
    await guest.expect("not_allowed", "say", text="hello")
    await host.send("moderate", **{"action": "remove", "from": you["from"]})
    await guest.goodbye(4003)


async def removed_opponent(scene: ConformanceStage) -> None:
    host, guest = await pair(scene)
    seats = (await moves((host, guest), 4))["room"]["seats"]
    await host.send("moderate", **{"action": "remove", "from": seats["O"]["id"]})
    await host.ended("O", "abandonment")
    await guest.goodbye(4003)


async def quick_match(scene: ConformanceStage) -> None:
    rules = {"columns": 17, "rows": 13, "in_a_row": 6}  # which other clients hardly seek
    seekers = [await scene.peer("/ws/play") for _ in range(2)]
    lobby = await scene.peer("/ws/lobby")
    for seeker in seekers:
        await seeker.send("seek", rules=rules)
        while seeker is seekers[0]:  # the lobby may tell it a second later
            sought = (await lobby.until("rooms")).get("seeking", ())
            if len(sought) == 16 or any(rules.items() <= each["rules"].items() for each in sought):
                break
    pairs = [await seeker.until("paired") for seeker in seekers]
    require(pairs[0]["room"] == pairs[1]["room"], "the two are not paired with each other")
    for seeker, paired in zip(seekers, pairs, strict=True):
        await seeker.goodbye(1000)
        player = await scene.peer(f"/ws/rooms/{paired['room']}")
        you = (await player.join(token=paired["token"]))["you"]
        require(you["seat"] == paired["seat"], "the token gives another seat")
