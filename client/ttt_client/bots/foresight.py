"""Find what keeps a program from playing, before it takes a seat or before any game.

A program that fails in its seat costs the other player a game.

`ttt-client bot check` needs no server. Each check asks questions about positions made here. The
whole game lets the program play both sides, and needs no rules beyond which cells are free, and
whose turn it is.
"""

import asyncio
import errno
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from pydantic import ValidationError

from ttt_client.bots.process import BotProcess
from ttt_client.model.typed import free_cells
from ttt_client.model.variants import board_after, loses, plays_any_free_cell, turn_at
from ttt_client.net.address import ServerAddress
from ttt_client.net.dial import CannotDial, Rejected
from ttt_client.net.http import fetch
from ttt_client.terminal.stdout import Output
from ttt_protocol.bots.conversation import START_S, BotProtocol, require_playable
from ttt_protocol.bots.failures import BotError, BotFailed, FailureKind, cannot_start, shown
from ttt_protocol.bots.language import BotTurn, GameEnd, UnplayableBoard
from ttt_protocol.codec import BadMessage, decode_room
from ttt_protocol.codes import Choice, Opening, Reason
from ttt_protocol.notation import board_name
from ttt_protocol.state import Mark, RoomName, Rules
from ttt_protocol.text import clean, counted
from ttt_protocol.tournament.messages import TournamentState
from ttt_protocol.tournament.settings import TournamentName

_NOT_FOUND = 404

_TRY_MS = 500
"""The time for the first move of a program that is tried."""

_HURRIED_MS = 100
"""The time for the hurried move."""

_MORE_S = 0.2
"""How long to wait for a second answer to the same question."""


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
    with suppress(UnplayableBoard):
        require_playable(protocol, rules)
        return True
    return False


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


class CheckResult(NamedTuple):
    """The result of one check of a program."""

    check: str
    passed: bool
    what: str


async def check_program(
    program: BotProcess, rules: Rules, time_ms: int, output: Output, *, json_lines: bool = False
) -> bool:
    """Print a table of the results; return whether the program can play without forfeiting."""
    try:
        rows = await _Check(program, rules, time_ms).run()
    finally:
        await program.close()
    if json_lines:
        output.raw(json.dumps([row._asdict() for row in rows]))
    else:
        width = max(len(row.check) for row in rows)
        for row in rows:
            output.say(f"{'ok  ' if row.passed else 'FAIL'}  {row.check:{width}}  {row.what}")
        failed = sum(not row.passed for row in rows)
        verdict = f"{failed} of {counted(len(rows), 'check')} failed"
        output.say(verdict if failed else "ready to play")
        is_json = program.protocol is BotProtocol.JSON
        if is_json and rows[0].what.startswith(FailureKind.NOT_UNDERSTOOD):
            output.say("a program that speaks the language of Gomocup needs --protocol gomocup")
    return all(row.passed for row in rows)


class _Check:
    def __init__(self, program: BotProcess, rules: Rules, time_ms: int) -> None:
        self._program = program
        self._rules = rules
        self._time_ms = time_ms
        self._game = 0
        self._cells = rules.columns * rules.rows

    async def run(self) -> list[CheckResult]:
        rows = [await self._one("first move", (), what=f"start, up to {START_S:g} s more")]
        if not rows[0].passed:
            return rows  # the others would fail the same way, each after a timeout
        rows.append(await self._one_answer())
        if self._rules.variant is not None:
            rows.append(self._named(self._rules.variant))
        if not plays_any_free_cell(self._rules):
            what = "not tried: only a server knows which cells are legal in this game"
            return [*rows, CheckResult("whole game", True, what), await self._hurried()]
        rows.append(await self._whole_game())
        rows.append(await self._win_in_one())
        if self._rules.gravity:
            first_column = range(0, self._cells, self._rules.columns)
            rows.append(await self._one("full column", tuple(reversed(first_column))))
        rows.append(await self._hurried())
        rows.append(await self._last_cell())
        if self._rules.variant != "connect6":
            rows.append(await self._choice())
        return rows

    async def _one_answer(self) -> CheckResult:
        """Check that nothing follows the answer: a second one would be taken for the next move."""
        await asyncio.sleep(_MORE_S)
        more = self._program.unasked
        if more is None:
            return CheckResult("one answer", True, "nothing more until the next question")
        return CheckResult("one answer", False, f"after its answer it wrote {shown(clean(more))!r}")

    def _named(self, variant: str) -> CheckResult:
        why = unnamed(self._program, self._rules)
        return CheckResult("variant", why is None, why or f"names {variant} in answer to hello")

    async def _whole_game(self) -> CheckResult:
        """Let the program play both sides until the board is full, as one game a side."""
        name = "whole game"
        moves: list[int] = []
        longest = 0.0
        most = min(self._cells, 60)
        try:
            for seat in Mark:
                self._game += 1
                moves = []
                while len(moves) < most:
                    if turn_at(self._rules, len(moves)) is not seat:
                        moves += [self._free(tuple(moves))[0]]
                        continue
                    reply = await self._program.ask(self._turn(tuple(moves), seat))
                    longest = max(longest, reply.seconds)
                    moves += [reply.answer.cell]
                self._program.tell_end(GameEnd(None, Reason.FULL))
        except (BotError, UnplayableBoard) as error:
            return CheckResult(name, False, f"after {counted(len(moves), 'move')}: {error}")
        return CheckResult(name, True, f"both sides, slowest move {1000 * longest:.0f} ms")

    async def _win_in_one(self) -> CheckResult:
        """Ask for the move that completes a row. A miss is reported, but is not a failure."""
        columns, length = self._rules.columns, self._rules.in_a_row
        bottom = (self._rules.rows - 1) * columns
        if length > columns or self._rules.rows < 2:
            return CheckResult("win in one", True, "not on this board")
        if loses(self._rules) or turn_at(self._rules, 2) is not Mark.X:
            return CheckResult("win in one", True, "not tried in this game")
        mine = [bottom + column for column in range(length - 1)]
        theirs = [cell - columns for cell in mine]
        moves = tuple(cell for pair in zip(mine, theirs, strict=True) for cell in pair)
        win = bottom + length - 1
        row = await self._one("win in one", moves)
        if not row.passed:
            return row
        found = row.what.startswith(f"cell {win} ")
        return row._replace(what=row.what + ("" if found else f"; {win} wins, which it missed"))

    async def _hurried(self) -> CheckResult:
        return await self._one(f"a move in {_HURRIED_MS} ms", (), time_ms=_HURRIED_MS)

    async def _last_cell(self) -> CheckResult:
        """Ask for the only move that is left, on a board filled in order."""
        cells = self._cells
        order = range(cells - 1) if not self._rules.gravity else reversed(range(1, cells))
        return await self._one("last move", tuple(order))

    async def _choice(self) -> CheckResult:
        """Ask for a choice in an opening. A program that gives none stays, without a failure."""
        self._game += 1
        cell, *_ = self._free(())
        asked = self._turn((cell,), Mark.O)
        asked = asked._replace(legal=(), opening=Opening.PIE, choices=(Choice.STAY, Choice.SWAP))
        try:
            choice = await self._program.choose(asked)
        except BotFailed as failure:
            return CheckResult("opening", True, f"stays, for it is {failure}")
        except (BotError, UnplayableBoard) as error:
            return CheckResult("opening", False, str(error))
        return CheckResult("opening", True, f"chooses {choice}")

    async def _one(
        self, name: str, moves: tuple[int, ...], *, what: str = "", time_ms: int | None = None
    ) -> CheckResult:
        """Ask for a move in a game of its own."""
        self._game += 1
        seat = turn_at(self._rules, len(moves))
        try:
            reply = await self._program.ask(self._turn(moves, seat, time_ms))
        except (BotError, UnplayableBoard) as error:
            return CheckResult(name, False, str(error))
        told = f"cell {reply.answer.cell} in {1000 * reply.seconds:.0f} ms"
        return CheckResult(name, True, f"{told} ({what})" if what else told)

    def _turn(self, moves: tuple[int, ...], seat: Mark, time_ms: int | None = None) -> BotTurn:
        board, time_ms = board_after(self._rules, moves), time_ms or self._time_ms
        free = free_cells(self._rules, board)
        return BotTurn(self._game, self._rules, seat, board, moves, free, time_ms)

    def _free(self, moves: tuple[int, ...]) -> tuple[int, ...]:
        return free_cells(self._rules, board_after(self._rules, moves))
