"""The next step after an error, for the end of its message."""

import shlex
from argparse import Namespace
from difflib import get_close_matches

from ttt_client.net.address import ServerAddress
from ttt_client.net.http import listed
from ttt_client.net.session import Ending
from ttt_client.net.tokens import default_folder, kept_names
from ttt_protocol.codes import RefusalCode
from ttt_protocol.text import clean

_LOOK_UP_S = 2.0
"""Seconds that looking up a similar name may take."""

_AFTER_REFUSAL = {
    RefusalCode.ROOM_FULL: "ttt-client watch {} watches",
    RefusalCode.SEAT_TAKEN: "ttt-client watch {} watches",
    RefusalCode.NO_SUCH_ROOM: "ttt-client join {} makes it",
    RefusalCode.WRONG_PASSWORD: "give --password, or TTT_PASSWORD",
    RefusalCode.SETTINGS_CONFLICT: "join it without these options, or take another name",
    RefusalCode.UNKNOWN_STRATEGY: "ttt-client strategies lists them",
    RefusalCode.STRATEGY_CANNOT_PLAY: "ttt-client strategies --rules lists those that do",
    RefusalCode.BAD_TOKEN: "TTT_TOKEN belongs to another room",
}
_AFTER_EVENT = {
    RefusalCode.NO_SUCH_ROOM: "ttt-client event create {} makes it",
    RefusalCode.ROOM_FULL: "ttt-client event watch {} watches",
    RefusalCode.NOT_ALLOWED: "ttt-client event watch {} watches",
    RefusalCode.BAD_TOKEN: "run the same command again to enter",
}
"""The next step, with the name of the room or the event."""


async def advised(end: Ending, arguments: Namespace) -> Ending:
    """Return `end` with the next step in its words, if there is one."""
    if end.words is None:
        return end
    if end.code == 3:
        return Ending(3, _reach(end.words, arguments.server))
    if end.refusal is None:
        return end
    step = await _after_refusal(end.refusal, arguments)
    return Ending(end.code, f"{end.words}; {step}" if step else end.words, end.refusal)


def _reach(words: str, server: ServerAddress) -> str:
    """Return what to do where no server was reached."""
    at = server.netloc
    if "Connection refused" in words:
        return f"nothing listens at {at}; start ttt-server, or give --server"
    if "does not speak WebSocket" in words and not server.secure:
        return f"{words}: {at}; a TLS port needs wss://{at}"
    if "TLS: " in words:
        return f"{words}: {at}; SSL_CERT_FILE names the certificates to trust"
    return f"{words}: {at}; ttt-client doctor finds the cause"


async def _after_refusal(code: RefusalCode, arguments: Namespace) -> str:
    if (event := getattr(arguments, "event", None)) is not None:
        return _AFTER_EVENT.get(code, "").format(event)
    room = getattr(arguments, "room", None)
    step = _AFTER_REFUSAL.get(code, "").format(room)
    match code:
        case RefusalCode.ROOM_FULL | RefusalCode.SEAT_TAKEN:
            return f"{_kept(arguments)}{step}"
        case RefusalCode.NO_SUCH_ROOM:
            similar = await _similar(arguments.server, "rooms", room)
        case RefusalCode.UNKNOWN_STRATEGY if (wanted := getattr(arguments, "vs", None)) is not None:
            similar = await _similar(arguments.server, "strategies", wanted.strategy)
        case _:
            similar = None
    return f"did you mean {similar}? {step}" if similar else step


def _kept(arguments: Namespace) -> str:
    """Return which seats of the room this user has left without giving them up."""
    if (room := getattr(arguments, "room", None)) is None:
        return ""
    names = kept_names(default_folder(), arguments.server.url, room)
    told = []
    for name in dict.fromkeys(map(clean, names)):
        if name == arguments.name:
            told.append(f"another ttt-client here plays your seat as {name}; ")
        else:
            again = f"ttt-client --name {shlex.quote(name)} join {room}"
            told.append(f"your seat as {name} is kept: {again} takes it back; ")
    return "".join(told)


async def _similar(server: ServerAddress, kind: str, name: str | None) -> str | None:
    """Return the name on the server that is most like `name`."""
    if name is None:
        return None
    matches = get_close_matches(name, await listed(server, kind, _LOOK_UP_S), n=1)
    return clean(matches[0]) if matches else None
