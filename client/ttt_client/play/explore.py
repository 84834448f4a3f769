"""Explore a position in lines of text: play both sides, branch, set marks, weigh moves."""

import argparse
from collections.abc import Iterable, Iterator, Mapping

from ttt_client.model import words
from ttt_client.model.exploration import (
    Exploration,
    Explored,
    read_explored,
    wanted_cell,
)
from ttt_client.model.intents import cell_of
from ttt_client.model.options import parse_start
from ttt_client.model.typed import Move, move_of, unknown
from ttt_client.net.address import Server
from ttt_client.net.dial import CannotDial, Rejected
from ttt_client.net.http import fetch
from ttt_client.net.session import Ending
from ttt_client.terminal.stdin import LineSource
from ttt_client.terminal.stdout import Output
from ttt_client.text import render
from ttt_protocol.codec import BadMessage
from ttt_protocol.state import Mark, Outcome, Rules

HELP = """\
5 or b2          plays there for the side to move; d or 4 where pieces fall
back, forward    goes a move back, or on along the main line
start, end       goes to the beginning, or to the end of the main line
moves            prints the moves that were tried, with their variations
main             makes this move the main line
cut              drops this move and all after it
set b2 x         puts a mark on a cell: x, o, or . for none
clear            empties the board
board            prints the board again, with what each move is worth
link             prints the address of this position on the page
play             prints the command that plays on from here against an AI
quit             ends this program"""

_SIGNS = {1: "+", 0: "=", -1: "-"}
_BEST = "!"
"""Stands in a best cell whose value is not known."""


class Explorer:
    """An exploration at a terminal or a pipe."""

    def __init__(
        self, server: Server, start: Exploration, lines: LineSource, output: Output
    ) -> None:
        self._server = server
        self._it = start
        self._lines = lines
        self._output = output
        self._told = Explored()

    async def run(self) -> Ending:
        """Explore until the end of the input, or `quit`."""
        try:
            await self._ask()  # first: where no server answers there is nothing to say
            self._output.say(f"{render.rules_words(self._it.rules)}; help lists what can be typed")
            self._draw()
            while (line := await self._lines.line()) is not None and line.strip() != "quit":
                await self._take(line.strip().lower())
        except Rejected as error:
            return Ending(4, error.words)
        except CannotDial as error:
            return Ending(3, f"cannot reach the server: {error.words}")
        except BadMessage:
            return Ending(1, "the answer is not understood")
        return Ending(0)

    async def _take(self, line: str) -> None:
        words = line.split()
        if not words:
            return
        said = self._answer(words)
        if said is None:
            said = self._change(words)
            if not said:
                await self._ask()
                self._draw()
        self._say(said)

    def _answer(self, words: list[str]) -> Iterable[str] | None:
        """Return the lines that answer a question; None for the words that change the position."""
        match words:
            case ["help" | "?"]:
                return HELP.splitlines()
            case ["moves"]:
                return _move_lines(self._it)
            case ["link"]:
                return [self._server.explore_page(self._it.query)]
            case ["play"]:
                return [_command(self._it)]
            case ["main"]:
                self._it.promote()
                return _move_lines(self._it)
            case _:
                return None

    def _change(self, words: list[str]) -> list[str]:
        """Go to another position; return a line if there is none."""
        it = self._it
        match words:
            case ["board"]:
                pass
            case ["back"]:
                it.back()
            case ["forward"]:
                it.forward()
            case ["start"]:
                it.to_start()
            case ["end"]:
                it.forward_to_end()
            case ["cut"]:
                it.cut()
            case ["clear"]:
                self._it = Exploration(it.rules)
            case ["set", name, "x" | "o" | "." as letter]:
                if (found := _cell_on(it.rules, move_of(name))) is None:
                    return [f"there is no cell {name} on this board"]
                it.set(found, letter.upper())
            case [word] if (move := move_of(word)) is not None:
                cell = wanted_cell(move, it.rules, self._told.legal)
                if cell is None:
                    return [f"{word} cannot be played here"]
                it.play(cell, self._told.turn)
            case _:
                return [unknown(" ".join(words))]
        return []

    async def _ask(self) -> None:
        """Ask the server for the position."""
        address = self._server.study_page("explore", self._it.query)
        self._told = read_explored(await fetch(address))

    def _draw(self) -> None:
        self._say(board_lines(self._it, self._told, ascii_only=self._output.ascii_only))

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._output.say(line)


def board_lines(it: Exploration, told: Explored, *, ascii_only: bool = False) -> Iterator[str]:
    """Yield the board with the signs of what moves are worth, and who is to move."""
    yield ""
    signs = dict.fromkeys(told.best, _BEST)
    signs |= {cell: _SIGNS[value] for cell, value in told.values.items() if value in _SIGNS}
    yield from render.board(it.rules, it.game(told), ascii_only=ascii_only, signs=signs)
    yield ""
    if told.flaw is not None:
        yield told.flaw
    elif told.outcome is not None:
        yield _outcome(told.outcome, it.rules)
    else:
        best = ", ".join(render.label(cell, it.rules) for cell in told.best)
        yield f"{told.turn} to move; best: {best} ({words.thought(told.reason)})"
        yield "+ wins, = draws, - loses, ! looks best, but its value is not known"


def _outcome(outcome: Outcome, rules: Rules) -> str:
    line = " ".join(render.label(cell, rules) for cell in outcome.line or ())
    return "draw: the board is full" if outcome.winner is None else f"{outcome.winner} won: {line}"


def _move_lines(it: Exploration) -> Iterator[str]:
    if not it.first:
        yield "no move was tried"
    for depth, line in it.lines():
        names = []
        for move in line:
            number = len(move.line) + len(it.base.replace(".", ""))
            name = f"{number}. {move.mark} {render.label(move.cell, it.rules)}"
            names.append(f"[{name}]" if move is it.at else name)
        yield "  " * depth + "  ".join(names)


def _command(it: Exploration) -> str:
    """Return the command that plays on from here; the AI takes the side that is not to move."""
    query: Mapping[str, str] = it.query
    if "board" in query:
        return "the page can play on from a board that was set; type link for its address"
    seat = Mark.O if len(it.board.replace(".", "")) % 2 else Mark.X
    start = f" --start {query['moves']}" if query["moves"] else ""
    return f"ttt-client join NAME --rules {query['rules']}{start} --seat {seat} --vs fair"


def _cell_on(rules: Rules, move: Move | None) -> int | None:
    return None if move is None or move.column is not None else cell_of(move, rules)


def exploration_of(arguments: argparse.Namespace) -> Exploration:
    """Return the position of the arguments of `ttt-client explore`."""
    rules = arguments.rules or Rules()
    given: Mapping[str, str] = arguments.position
    it = Exploration(rules, given.get("board"))
    it.play_all(parse_start(given.get("moves", ""), rules))
    return it
