"""Checks of the wire: what is no command, what is too much, and how a connection ends."""

from contextlib import suppress
from typing import Any

from ttt_client.conformance.stage import Broken, ConformanceStage, require
from ttt_client.net.dial import CannotDial
from ttt_protocol.state import SUBPROTOCOL

_FLOOD = 400
"""Commands at once: more than a server lets pass."""
_CONFUSABLE = ('{"type":"leave","type":"say"}', '{"type":"play","game":NaN}', "{", "[]x")


async def subprotocol(scene: ConformanceStage) -> None:
    require((await scene.peer()).subprotocol == SUBPROTOCOL, "the subprotocol is not agreed on")


async def impossible_name(scene: ConformanceStage) -> None:
    with suppress(CannotDial):
        await scene.peer("/ws/rooms/-no-room")
        raise Broken("a room may be named -no-room")


async def bad_json(scene: ConformanceStage) -> None:
    peer = await scene.peer()
    for frame in _CONFUSABLE:
        await peer.raw(frame)
        await peer.refused("bad_json", frame)


async def bad_command(scene: ConformanceStage) -> None:
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


async def identifiers(scene: ConformanceStage) -> None:
    peer = await scene.peer()
    await peer.join()
    refused = await peer.expect("game_not_started", "resign", game=1, id="m-1")
    require(refused.get("id") == "m-1", "a refusal does not repeat the id")
    require(refused.get("command") == "resign", "a refusal does not name the command")


async def flood(scene: ConformanceStage) -> None:
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


async def binary_frame(scene: ConformanceStage) -> None:
    peer = await scene.peer()
    await peer.raw(b"{}")
    await peer.closed(1003)


async def not_utf8(scene: ConformanceStage) -> None:
    peer = await scene.peer()
    await peer.raw(b"\xff", text=True)
    await peer.closed(1007)


async def too_large(scene: ConformanceStage) -> None:
    peer = await scene.peer()
    await peer.raw("x" * (1 << 21))
    await peer.closed(1009)
