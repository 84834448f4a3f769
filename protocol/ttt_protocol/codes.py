"""The numbers and codes of the wire, each with its meaning, in one place."""

from enum import IntEnum, StrEnum


class Word(StrEnum):
    """A word of the wire. It hashes as the text that it is, 0.1 us sooner than by `Enum`."""

    __hash__ = str.__hash__


class RefusalCode(Word):
    """Why a command was not carried out. The code is for programs, the reason for people."""

    BAD_JSON = "bad_json"
    BAD_COMMAND = "bad_command"
    NOT_JOINED = "not_joined"
    ALREADY_JOINED = "already_joined"
    NO_SUCH_ROOM = "no_such_room"
    SEAT_TAKEN = "seat_taken"
    ROOM_FULL = "room_full"
    SPECTATORS_OFF = "spectators_off"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - the name of a refusal
    BAD_TOKEN = "bad_token"  # noqa: S105 - the name of a refusal
    SETTINGS_CONFLICT = "settings_conflict"
    UNKNOWN_STRATEGY = "unknown_strategy"
    STRATEGY_CANNOT_PLAY = "strategy_cannot_play"
    NOT_A_PLAYER = "not_a_player"
    GAME_NOT_STARTED = "game_not_started"
    WRONG_GAME = "wrong_game"
    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    STALE_PLY = "stale_ply"
    OUT_OF_BOARD = "out_of_board"
    CELL_TAKEN = "cell_taken"
    FLOATING_CELL = "floating_cell"
    NO_SUCH_OFFER = "no_such_offer"
    NOT_ALLOWED = "not_allowed"
    TOO_EARLY = "too_early"
    RATE_LIMITED = "rate_limited"
    SERVER_FULL = "server_full"
    STORAGE_FAILED = "storage_failed"


REASONS: dict[RefusalCode, str] = {
    RefusalCode.BAD_JSON: "this is not JSON",
    RefusalCode.BAD_COMMAND: "this is not a command",
    RefusalCode.NOT_JOINED: "join the room first",
    RefusalCode.ALREADY_JOINED: "this connection has joined already",
    RefusalCode.NO_SUCH_ROOM: "there is no such room",
    RefusalCode.SEAT_TAKEN: "that seat is taken",
    RefusalCode.ROOM_FULL: "both seats are taken",
    RefusalCode.SPECTATORS_OFF: "this room has no spectators",
    RefusalCode.WRONG_PASSWORD: "this room needs its password",
    RefusalCode.BAD_TOKEN: "this token owns no seat here",
    RefusalCode.SETTINGS_CONFLICT: "the room has other settings",
    RefusalCode.UNKNOWN_STRATEGY: "there is no such strategy",
    RefusalCode.STRATEGY_CANNOT_PLAY: "this strategy does not play on such a board",
    RefusalCode.NOT_A_PLAYER: "only a player may do this",
    RefusalCode.GAME_NOT_STARTED: "the game has not started",
    RefusalCode.WRONG_GAME: "this is not the number of the current game",
    RefusalCode.GAME_OVER: "the game is over",
    RefusalCode.NOT_YOUR_TURN: "it is the other player's turn",
    RefusalCode.STALE_PLY: "the game is at another ply",
    RefusalCode.OUT_OF_BOARD: "there is no such cell on this board",
    RefusalCode.CELL_TAKEN: "that cell is taken",
    RefusalCode.FLOATING_CELL: "pieces fall: the cell below is empty",
    RefusalCode.NO_SUCH_OFFER: "there is no such offer to answer",
    RefusalCode.NOT_ALLOWED: "that is not allowed here",
    RefusalCode.TOO_EARLY: "it is too early for that",
    RefusalCode.RATE_LIMITED: "too many commands, slow down",
    RefusalCode.SERVER_FULL: "the server has no room for this",
    RefusalCode.STORAGE_FAILED: "the server could not save this, nothing changed; try again",
}


class CloseCode(IntEnum):
    """Why a connection ended: RFC 6455, section 7.4, and three of our own."""

    BYE = 1000
    GOING_AWAY = 1001
    """Sent by a browser that leaves the page. This server sends 1012."""
    BINARY_FRAME = 1003
    NOT_UTF8 = 1007
    POLICY = 1008
    FRAME_TOO_LARGE = 1009
    SERVER_FAULT = 1011
    RESTARTING = 1012
    SEAT_TAKEN_OVER = 4001
    """Another connection took this seat with its token."""
    ROOM_CLOSED = 4002
    """Reserved: no server of this version sends it."""
    REMOVED = 4003
    """The host removed this member from the room."""


CLOSE_REASONS: dict[CloseCode, str] = {
    CloseCode.BYE: "bye",
    CloseCode.GOING_AWAY: "the server is going away",
    CloseCode.BINARY_FRAME: "frames are text here, not binary",
    CloseCode.NOT_UTF8: "this is not UTF-8",
    CloseCode.POLICY: "this is against the rules of the server",
    CloseCode.FRAME_TOO_LARGE: "that frame is too large",
    CloseCode.SERVER_FAULT: "the server failed, the fault is its own",
    CloseCode.RESTARTING: "the server is restarting, come back",
    CloseCode.SEAT_TAKEN_OVER: "another connection took this seat with its token",
    CloseCode.ROOM_CLOSED: "this room was closed (reserved: no server sends it yet)",
    CloseCode.REMOVED: "the host removed you from this room",
}


class Opening(Word):
    """How the players of a room make the beginning of a game fair."""

    NONE = "none"
    PIE = "pie"
    """X places a piece. Then O stays, or the players change seats."""
    SWAP2 = "swap2"
    """X places three pieces. Then O chooses, and may place two more, after which X chooses."""


class Choice(Word):
    """A choice of a player in an opening."""

    STAY = "stay"
    """Keep the seat."""
    SWAP = "swap"
    """Change seats with the other player."""
    MORE = "more"
    """Place two more pieces, and let the other player choose."""


class Reason(Word):
    """How a game ended."""

    LINE = "line"
    FULL = "full"
    RESIGNATION = "resignation"
    TIMEOUT = "timeout"
    ABANDONMENT = "abandonment"
    AGREEMENT = "agreement"
    FORFEIT = "forfeit"
    """An AI seat failed to give a legal move."""
