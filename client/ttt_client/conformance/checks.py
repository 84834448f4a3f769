"""The checks by name, and what no check can try."""

from ttt_client.conformance import games, members, wire
from ttt_client.conformance.stage import Check

CHECKS: dict[str, Check] = {
    "the subprotocol is ttt.v1": wire.subprotocol,
    "an impossible name is no room": wire.impossible_name,
    "the lobby tells the rooms": members.lobby,
    "a command before join": members.before_join,
    "bad JSON": wire.bad_json,
    "bad commands": wire.bad_command,
    "refusals repeat the id": wire.identifiers,
    "welcome": members.welcome,
    "refused moves, in their order": games.refused_moves,
    "a line wins": games.line,
    "gravity": games.gravity,
    "ultimate sends the other side to a board": games.ultimate,
    "resignation and rematch": games.rematch,
    "draws and takebacks": games.offers,
    "a flag falls": games.flag,
    "days for each move": games.days,
    "rated games are for persons": games.rated,
    "an absent player's game is claimed": games.claim,
    "refused joins": members.refused_joins,
    "passwords": members.password,
    "a token takes the seat over, and 4001": members.tokens,
    "a person keeps the name, and finds the seat": members.persons,
    "a challenge leads to its room": members.challenges,
    "leave": members.leaving,
    "spectators": members.spectators,
    "chat is cleaned": members.chat,
    "an AI answers, and hints": games.ai,
    "bots are marked": members.bots,
    "an AI fills a seat": games.fill,
    "a fair opening": games.opening,
    "names change": members.renaming,
    "the host mutes, and clears the chat": members.muting,
    "the host removes, and 4003": members.moderation,
    "a host who removes the opponent loses": members.removed_opponent,
    "two that seek are paired": members.quick_match,
    "a flood is rate_limited, then 1008": wire.flood,
    "a binary frame closes with 1003": wire.binary_frame,
    "bytes that are not UTF-8 close with 1007": wire.not_utf8,
    "a frame too large closes with 1009": wire.too_large,
}

UNTRIED: dict[str, str] = {
    "server_full": "refused by a server at its limits",
    "storage_failed": "refused where the disk fails",
    "ai_offered": "comes after a wait that the server chooses",
    "reading": "comes where a log takes more than a second to read",
    "1001": "sent by browsers that leave a page",
    "1011": "sent by a server with a fault of its own",
    "1012": "sent by a server that restarts",
    "4002": "reserved",
}
"""The refusals, messages and closes that a client cannot provoke, and why."""
