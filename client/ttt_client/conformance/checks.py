"""The scenes of `ttt.v1`, each in rooms of its own. A name is that of a row of the table."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol

from ttt_client.conformance.peer import Broken, Peer, require
from ttt_client.net.dial import CannotDial
from ttt_protocol.state import SUBPROTOCOL

RANDOM = {"strategy": "random"}
_FLOOD = 400
"""Commands at once: more than a server lets pass."""
_CONFUSABLE = ('{"type":"leave","type":"say"}', '{"type":"play","game":NaN}', "{", "[]x")


class Scene(Protocol):
    """What a check has: peers in a room of this check, or elsewhere."""

    async def peer(self, path: str = "") -> Peer:
        """Connect to the room of this check, or to another path of the server."""


Check = Callable[[Scene], Awaitable[None]]


async def subprotocol(scene: Scene) -> None:
    require((await scene.peer()).subprotocol == SUBPROTOCOL, "the subprotocol is not agreed on")


async def impossible_name(scene: Scene) -> None:
    try:
        await scene.peer("/ws/rooms/-no-room")
    except CannotDial:
        return
    require(False, "a room may be named -no-room")


async def lobby(scene: Scene) -> None:
    rooms = await (await scene.peer("/ws/lobby")).receive()
    require(rooms.get("type") == "rooms", "the lobby does not begin with the rooms")


async def before_join(scene: Scene) -> None:
    peer = await scene.peer()
    await peer.expect("not_joined", "play", game=1, ply=0, cell=0)


async def bad_json(scene: Scene) -> None:
    peer = await scene.peer()
    for frame in _CONFUSABLE:
        await peer.raw(frame)
        await peer.refused("bad_json", frame)


async def bad_command(scene: Scene) -> None:
    peer = await scene.peer()
    await peer.join()
    for frame in (
        '{"type":"dance"}',
        '{"type":"play","game":1,"ply":0}',
        '{"type":"play","game":1,"ply":0,"cell":1.0}',
        '{"type":"play","game":1,"ply":0,"cell":"1"}',
        '{"type":"resign","game":true}',
        '{"type":"leave","why":1}',
        "[]",
    ):
        await peer.raw(frame)
        await peer.refused("bad_command", frame)


async def identifiers(scene: Scene) -> None:
    peer = await scene.peer()
    await peer.join()
    refused = await peer.expect("game_not_started", "resign", game=1, id="m-1")
    require(refused.get("id") == "m-1", "a refusal does not repeat the id")
    require(refused.get("command") == "resign", "a refusal does not name the command")


async def welcome(scene: Scene) -> None:
    told = await (await scene.peer()).join(name="ada")
    you, room = told["you"], told["room"]
    require(told["protocol"] == SUBPROTOCOL, "welcome has another protocol")
    require(you["seat"] == "X" and you["token"], "the first player has no seat or no token")
    require(room["status"] == "waiting" and room["game"] is None, "a room of one has a game")


async def pair(scene: Scene, **settings: Any) -> tuple[Peer, Peer]:
    """Return two players of a running game, X first."""
    ada, bob = await scene.peer(), await scene.peer()
    await ada.join(name="ada", settings=settings)
    await bob.join(name="bob")
    await ada.event("started")
    return ada, bob


async def moves(players: tuple[Peer, Peer], *cells: int, game: int = 1, ply: int = 0) -> Any:
    """Play these cells in turn, and return the last update."""
    update = None
    for number, cell in enumerate(cells, ply):
        await players[number % 2].send("play", game=game, ply=number, cell=cell)
        for player in players:
            update = await player.event("played")
            require(update["room"]["game"]["moves"][-1] == cell, "a move is not in the state")
    return update


async def refused_moves(scene: Scene) -> None:
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


async def line(scene: Scene) -> None:
    players = ada, _ = await pair(scene)
    update = await moves(players, 0, 3, 1, 4, 2)
    outcome = update["room"]["game"]["outcome"]
    wanted = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
    require(outcome == wanted, f"the outcome is {outcome}")
    await ada.expect("game_over", "play", game=1, ply=5, cell=8)


async def gravity(scene: Scene) -> None:
    rules = {"columns": 4, "rows": 4, "in_a_row": 4, "gravity": True}
    ada, _ = await pair(scene, rules=rules)
    refused = await ada.expect("floating_cell", "play", game=1, ply=0, cell=0)
    require(refused.get("legal") == [12, 13, 14, 15], "floating_cell has other legal cells")


async def rematch(scene: Scene) -> None:
    ada, bob = await pair(scene)
    await ada.send("resign", game=1)
    over = await bob.event("ended")
    require(over["room"]["game"]["outcome"]["winner"] == "O", "a resignation is won by its player")
    await bob.send("offer", kind="rematch")
    await ada.event("offered")
    await ada.send("accept", kind="rematch")
    room = (await ada.event("started"))["room"]
    require(room["seats"]["O"]["name"] == "ada", "the sides do not change")
    require(room["score"] == {"X": 1, "O": 0, "draws": 0}, "the score stays with the seats")


async def offers(scene: Scene) -> None:
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
    over = await bob.event("ended")
    require(over["room"]["game"]["outcome"]["reason"] == "agreement", "no draw by agreement")


async def refused_joins(scene: Scene) -> None:
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
    await ada.expect("too_early", "claim", game=1)


async def password(scene: Scene) -> None:
    ada, stranger = await scene.peer(), await scene.peer()
    told = await ada.join(settings={"password": "xyzzy", "spectators": False})
    require(told["room"]["locked"] is True, "a room with a password is not locked")
    await stranger.expect("wrong_password", "join", password="plugh")  # noqa: S106 - the wrong one
    await stranger.expect("spectators_off", "join", role="spectator", password="xyzzy")  # noqa: S106
    await stranger.join(password="xyzzy")  # noqa: S106 - of this room


async def tokens(scene: Scene) -> None:
    ada, again = await scene.peer(), await scene.peer()
    you = (await ada.join(name="ada"))["you"]
    back = (await again.join(token=you["token"]))["you"]
    require((back["id"], back["seat"]) == (you["id"], "X"), "a token gives another seat")
    await ada.closed(4001)


async def leaving(scene: Scene) -> None:
    ada, bob = await pair(scene)
    await ada.send("leave")
    await ada.closed(1000)
    update = await bob.event("left")
    require(update["room"]["seats"]["X"] is None, "the seat of a player who left is not free")


async def spectators(scene: Scene) -> None:
    players = await pair(scene)
    watcher = await scene.peer()
    you = (await watcher.join(role="spectator"))["you"]
    require(you["token"] is None, "a spectator has a token")
    await players[0].send("play", game=1, ply=0, cell=4)
    await watcher.event("played")


async def chat(scene: Scene) -> None:
    ada, bob = await pair(scene)
    await ada.send("say", text="well \u001b[31mplayed\u202e")
    said = await bob.until("said")
    require(said["text"] == "well played", "chat reaches others with control characters")


async def ai(scene: Scene) -> None:
    ada = await scene.peer()
    await ada.join(settings={"seats": {"O": RANDOM}, "hints": True})
    await ada.send("hint")
    require((await ada.until("hint"))["best"], "a hint has no best cell")
    await ada.send("play", game=1, ply=0, cell=4)
    while (update := await ada.event("played"))["room"]["game"]["ply"] < 2:
        pass
    answer = update["events"][-1]
    require(answer.get("reason"), "the move of an AI has no reason")


async def bots(scene: Scene) -> None:
    ada, bob = await scene.peer(), await scene.peer()
    told = await ada.join(name="ada", bot=True)
    require(told["room"]["seats"]["X"].get("bot") is True, "the seat of a bot does not say so")
    await bob.join()
    await bob.expect("not_allowed", "resign", game=1, detail="tired")


async def fill(scene: Scene) -> None:
    ada = await scene.peer()
    await ada.join(name="ada")
    await ada.expect("not_allowed", "fill", seat="X", strategy="random")
    await ada.send("fill", seat="O", strategy="random")
    room = (await ada.event("seated"))["room"]
    require(room["seats"]["O"]["kind"] == "ai", "the AI does not sit in its seat")
    require(room["status"] == "playing", "the game does not begin when the AI sits down")


async def renaming(scene: Scene) -> None:
    ada, bob = await pair(scene)
    await ada.send("rename", name="Ada Lovelace")
    room = (await bob.event("renamed"))["room"]
    require(room["seats"]["X"]["name"] == "Ada Lovelace", "the seat has the old name")
    await ada.expect("too_early", "rename", name="ada")


async def moderation(scene: Scene) -> None:
    host, guest = await scene.peer(), await scene.peer()
    require((await host.join())["you"].get("host") is True, "the maker of a room is not its host")
    you = (await guest.join(role="spectator"))["you"]
    await guest.expect("not_allowed", "moderate", action="clear")
    await host.send("moderate", action="chat", chat="players")
    require((await guest.event("moderated"))["room"].get("chat") == "players", "chat is for all")
    await guest.expect("not_allowed", "say", text="hello")
    await host.send("moderate", **{"action": "remove", "from": you["from"]})
    await guest.closed(4003)


async def flood(scene: Scene) -> None:
    peer = await scene.peer()
    await peer.join()
    refused: dict[str, Any] = {}
    for _ in range(_FLOOD):
        await peer.send("dance")
        while (refused := await peer.receive()).get("type") == "presence":
            pass
        if refused.get("code") == "rate_limited":
            break
    require(refused.get("code") == "rate_limited", f"{_FLOOD} commands at once are all answered")
    with suppress(Broken):  # the server has closed in the meantime
        for _ in range(_FLOOD):
            await peer.send("dance")
    await peer.closed(1008)


async def binary_frame(scene: Scene) -> None:
    peer = await scene.peer()
    await peer.raw(b"{}")
    await peer.closed(1003)


async def not_utf8(scene: Scene) -> None:
    peer = await scene.peer()
    await peer.raw(b"\xff", text=True)
    await peer.closed(1007)


async def too_large(scene: Scene) -> None:
    peer = await scene.peer()
    await peer.raw("x" * (1 << 21))
    await peer.closed(1009)


CHECKS: dict[str, Check] = {
    "the subprotocol is ttt.v1": subprotocol,
    "an impossible name is no room": impossible_name,
    "the lobby tells the rooms": lobby,
    "a command before join": before_join,
    "bad JSON": bad_json,
    "bad commands": bad_command,
    "refusals repeat the id": identifiers,
    "welcome": welcome,
    "refused moves, in their order": refused_moves,
    "a line wins": line,
    "gravity": gravity,
    "resignation and rematch": rematch,
    "draws and takebacks": offers,
    "refused joins": refused_joins,
    "passwords": password,
    "a token takes the seat over": tokens,
    "leave": leaving,
    "spectators": spectators,
    "chat is cleaned": chat,
    "an AI answers, and hints": ai,
    "bots are marked": bots,
    "an AI fills a seat": fill,
    "names change": renaming,
    "the host's rights, and 4003": moderation,
    "a flood is rate_limited, then 1008": flood,
    "a binary frame closes with 1003": binary_frame,
    "bytes that are not UTF-8 close with 1007": not_utf8,
    "a frame too large closes with 1009": too_large,
}
