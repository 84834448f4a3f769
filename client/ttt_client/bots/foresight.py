"""Find what keeps a program from playing before it takes a seat.

A program that fails in its seat costs the other player a game.
"""

import errno
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress

from pydantic import ValidationError

from ttt_client.bots.process import BotProcess
from ttt_client.model.typed import free_cells
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Rejected
from ttt_client.net.http import fetch
from ttt_protocol.bots.conversation import BotProtocol, require_playable
from ttt_protocol.bots.failures import BotFailed, cannot_start
from ttt_protocol.bots.language import UnplayableBoard
from ttt_protocol.bots.turn import BotTurn
from ttt_protocol.codec import BadMessage, decode_room
from ttt_protocol.exports.notation import board_name
from ttt_protocol.state import Mark, RoomName, Rules
from ttt_protocol.tournament.messages import TournamentState
from ttt_protocol.tournament.settings import TournamentName

_NOT_FOUND = 404

_TRY_MS = 500
"""The time for the first move of a program that is tried."""


def require_program(command: Sequence[str]) -> None:
    """Check that the system can find the program.

    Raises:
        CannotStart: it is not there, or not executable.
    """
    name = command[0]
    if shutil.which(name) is None:
        is_there = os.sep in name and os.path.exists(name)  # noqa: PTH110 - a word, as typed
        number = errno.EACCES if is_there else errno.ENOENT
        raise cannot_start(name, OSError(number, os.strerror(number)))


def require_board(protocol: BotProtocol, rules: Rules) -> None:
    """Check that a program of this language plays on a board.

    Raises:
        CannotPlay: with the name of the board.
    """
    try:
        require_playable(protocol, rules)
    except UnplayableBoard as error:
        raise UnplayableBoard(f"the board is {board_name(rules)}: {error}") from None


def plays(protocol: BotProtocol, rules: Rules) -> bool:
    """Return whether a program of this language plays on a board."""
    try:
        require_playable(protocol, rules)
    except UnplayableBoard:
        return False
    return True


async def require_start(program: BotProcess, rules: Rules) -> None:
    """Start a program on a board, let it make a first move, and end it.

    Only a refusal counts, or that it does not name the variant. Any other failure shows in the
    game.

    Raises:
        CannotStart: the system cannot run it.
        CannotPlay: it refuses the board, or does not name the variant.
    """
    board = "." * (rules.columns * rules.rows)
    first = BotTurn(0, rules, Mark.X, board, (), free_cells(rules, board), _TRY_MS)
    try:
        with suppress(BotFailed):
            await program.ask(first)
    finally:
        await program.close()
    if (why := unnamed(program, rules)) is not None:
        raise UnplayableBoard(why)


def unnamed(program: BotProcess, rules: Rules) -> str | None:
    """Return why a program that was asked is not seated; None if its board is no variant's."""
    if rules.variant is None or program.names(rules.variant):
        return None
    return f"the program does not name {rules.variant} among the variants in its answer to hello"


async def rules_of_room(
    server: ServerAddress, room: RoomName, token: str | None, wanted: Rules | None
) -> Rules | None:
    """Return the rules of a room, or of the one that will be made; None if they are hidden.

    Args:
        server: the server of the room.
        room: the room.
        token: the token of a seat there, if there is one.
        wanted: the rules for a new room, if they were given.
    """
    try:
        return decode_room(await fetch(server.api(f"rooms/{room}"), token=token)).settings.rules
    except Rejected as error:
        return (wanted or Rules()) if error.status == _NOT_FOUND else None
    except (CannotDial, BadMessage):
        return None  # joining reports what is wrong


async def rules_of_event(server: ServerAddress, event: TournamentName) -> Rules | None:
    """Return the rules of an event; None if they are hidden."""
    try:
        body = await fetch(server.api(f"events/{event}"))
        return TournamentState.model_validate_json(body, extra="ignore").settings.rules
    except (CannotDial, ValidationError):
        return None  # entering reports what is wrong
