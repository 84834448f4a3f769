"""Words for refusals, outcomes, close codes and what AIs think. Pure.

The tables have an entry for each code of the protocol. Codes of a newer server are shown in the
server's own words.
"""

import re
from math import ceil

from ttt_protocol.codes import CLOSE_REASONS, REASONS, CloseCode, Reason, RefusalCode, Unrated
from ttt_protocol.text import clean, counted

REFUSALS: dict[RefusalCode, str] = {
    RefusalCode.BAD_JSON: "the line is not JSON",
    RefusalCode.BAD_COMMAND: "the server does not know this command",
    RefusalCode.NOT_JOINED: "you are not in the room yet",
    RefusalCode.ALREADY_JOINED: "you are in the room already",
    RefusalCode.NO_SUCH_ROOM: "there is no such room",
    RefusalCode.SEAT_TAKEN: "that seat is taken",
    RefusalCode.ROOM_FULL: "both seats are taken",
    RefusalCode.SPECTATORS_OFF: "this room allows no spectators",
    RefusalCode.WRONG_PASSWORD: "this room needs its password",
    RefusalCode.BAD_TOKEN: "this token does not own a seat here",
    RefusalCode.SETTINGS_CONFLICT: "the room already exists with other settings",
    RefusalCode.UNKNOWN_STRATEGY: "there is no such AI",
    RefusalCode.STRATEGY_CANNOT_PLAY: "this AI cannot play on that board",
    RefusalCode.NOT_A_PLAYER: "you are watching: only a player may do this",
    RefusalCode.GAME_NOT_STARTED: "the game has not started",
    RefusalCode.WRONG_GAME: "that was for another game; this is a new one",
    RefusalCode.GAME_OVER: "the game is over",
    RefusalCode.NOT_YOUR_TURN: "it is not your turn",
    RefusalCode.STALE_PLY: "the game has moved on: look at the board and play again",
    RefusalCode.OUT_OF_BOARD: "there is no such cell on this board",
    RefusalCode.CELL_TAKEN: "that cell is taken",
    RefusalCode.FLOATING_CELL: "pieces fall: play the lowest free cell of the column",
    RefusalCode.OTHER_BOARD: "another small board is to be played now",
    RefusalCode.NO_SUCH_OFFER: "there is no such offer to answer",
    RefusalCode.NOT_ALLOWED: "that is not allowed here",
    RefusalCode.TOO_EARLY: "it is too early for that",
    RefusalCode.RATE_LIMITED: "too many commands: wait a moment",
    RefusalCode.SERVER_FULL: "the server is full",
    RefusalCode.STORAGE_FAILED: "the server could not save this and nothing changed: try again",
}

OUTCOMES: dict[str, str] = {
    Reason.LINE: "a line",
    Reason.FULL: "the board is full",
    Reason.RESIGNATION: "by resignation",
    Reason.TIMEOUT: "on time",
    Reason.ABANDONMENT: "the other player was gone too long",
    Reason.AGREEMENT: "by agreement",
    Reason.FORFEIT: "by forfeit",
    Reason.REPETITION: "the same position for the third time",
    Reason.LONG: "too many moves",
    Reason.VOID: "the rules failed: nobody wins",
}

UNRATED: dict[str, str] = {
    Unrated.SAME_OPPONENT: "the two have played three games within a day",
    Unrated.EARLY_RESIGNATION: "it was resigned before the third move",
    Unrated.UNDECIDED: "nobody has won",
}

CLOSES: dict[CloseCode, str] = {
    CloseCode.BYE: "the server ended the connection",
    CloseCode.GOING_AWAY: "the server is going away",
    CloseCode.BINARY_FRAME: "the server takes no binary frames",
    CloseCode.NOT_UTF8: "the server got text that is not UTF-8",
    CloseCode.POLICY: "the server cut the connection",
    CloseCode.FRAME_TOO_LARGE: "the line was too long for the server",
    CloseCode.SERVER_FAULT: "the server failed",
    CloseCode.RESTARTING: "the server is restarting",
    CloseCode.SEAT_TAKEN_OVER: "your seat is played from another connection now",
    CloseCode.ROOM_CLOSED: "the room was closed",
    CloseCode.REMOVED: "the host removed you from the room",
}

LATE_JOIN = "the server cut the connection: no join came in time"
"""A close with `POLICY` before the welcome: a client can break no other rule before that."""

_EXPECTED = {"+1": "a win", "0": "a draw", "-1": "a loss"}
_THOUGHTS = {
    "win": "wins at once",
    "block": "blocks a line",
    "random": "plays at random",
    "draw": "expects a draw",
    "fork": "makes two threats",
    "avoid a loss": "avoids a loss",
    "avoid": "avoids a losing line",
    "force": "leaves only losing moves",
}


def refusal(code: RefusalCode, reason: str) -> str:
    """Return a refusal in words: those of the table, or the server's where it says more."""
    if reason == REASONS.get(code):
        return REFUSALS[code]
    return whole_seconds(clean(reason)) or REFUSALS[code]


def unrated(why: str) -> str:
    """Return why a game does not count; for a reason that only a newer server knows, its name."""
    return _known(UNRATED, why)


def close(code: CloseCode, said: str | None) -> str:
    """Return why a connection ended, with the server's own words where they say more."""
    more = clean(said) if said and said != CLOSE_REASONS[code] else ""
    return f"{CLOSES[code]}: {more}" if more else CLOSES[code]


def outcome(reason: str) -> str:
    """Return how a game ended; for a reason that only a newer server knows, its name."""
    return _known(OUTCOMES, reason)


def _known(words: dict[str, str], code: str) -> str:
    return words.get(code) or clean(code).replace("_", " ")


def thought(reason: str) -> str:
    """Return an AI's reason for a move as a sentence without its subject."""
    reason = clean(reason)
    if found := re.fullmatch(r"depth ([0-9]+)(?:, ([+-]1|0))?", reason):
        moves = counted(int(found[1]), "move")
        expected = "" if found[2] is None else f", expects {_EXPECTED[found[2]]}"
        return f"sees {moves} ahead{expected}"
    return _THOUGHTS.get(reason, reason)


def possessive(name: str) -> str:
    """Return `ada's`, or `rules'`."""
    return f"{name}'" if name.endswith(("s", "S")) else f"{name}'s"


def whole_seconds(text: str) -> str:
    """Return a text without fractions of seconds, each rounded up."""
    number = r"\b([0-9]+\.[0-9]+)(?= s\b| seconds?\b)"
    return re.sub(number, lambda found: str(ceil(float(found[1]))), text)
