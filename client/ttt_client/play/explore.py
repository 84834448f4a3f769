"""Positions of no game: explored by hand, or studied by the strategies of a server.

One plays both sides, branches, sets marks, and sees what moves are worth; or asks a server which
strategies it has, and how they think.
"""

import json
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ttt_client.model import variants, words
from ttt_client.model.exploration import Exploration, Explored, read_explored, wanted_cell
from ttt_client.model.options import parse_start
from ttt_client.model.study import DEPTH, read_comparison, read_trace
from ttt_client.model.typed import cell_of, move_of, unknown
from ttt_client.net.address import ServerAddress
from ttt_client.net.http import read_page
from ttt_client.net.session import Ending
from ttt_client.terminal.stdin import LineSource
from ttt_client.terminal.stdout import Output
from ttt_client.text import render
from ttt_client.text.study import comparison_lines, trace_lines
from ttt_protocol.codec import BadMessage
from ttt_protocol.notation import board_name
from ttt_protocol.state import AiSetting, Outcome, Rules
from ttt_protocol.strengths import RatedAi, rated
from ttt_protocol.text import clean

HELP = """\
5 or b2          plays there for the side to move; d or 4 where pieces fall
back, forward    goes a move back, or on along the main line; undo is back
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

_STEPS_OF_TREE = 10_000
"""The steps that are asked for a tree: as many as a server tells."""

_GO = {"back": Exploration.back, "undo": Exploration.back, "forward": Exploration.forward}
_GO |= {"start": Exploration.to_start, "end": Exploration.forward_to_end, "cut": Exploration.cut}
"""The words that go to another position, or drop it."""


class Explorer:
    """An exploration, and what the server tells of its position."""

    def __init__(self, server: ServerAddress, start: Exploration) -> None:
        self._server = server
        self.it = start
        self.told = Explored()

    async def ask(self) -> Ending | None:
        """Ask the server for the position; return the end of the program if it cannot tell."""
        self.told = Explored()
        told = await read_page(self._server.api("explore", self.it.query), read_explored)
        if isinstance(told, Ending):
            return told
        self.told = told
        return None

    async def take(self, line: str) -> list[str] | Ending:
        """Carry out a typed line, and return its answer: no lines where the position changed."""
        return self._obey(line.lower().split()) or await self.ask() or []

    def _obey(self, typed: list[str]) -> list[str]:
        """Go to another position, or return why not; or return the lines that answer a question."""
        it = self.it
        match typed:
            case ["help" | "?"]:
                return HELP.splitlines()
            case ["moves"]:
                return list(move_lines(it))
            case ["link"]:
                return [self._server.explore_page(it.query)]
            case ["play"]:
                return [_command(it, self.told)]
            case ["main"]:
                it.promote()
                return list(move_lines(it))
            case ["board"]:
                pass
            case [word] if word in _GO:
                _GO[word](it)
            case ["clear"]:
                self.it = Exploration(it.rules)
            case ["set", name, "x" | "o" | "." as letter]:
                move = move_of(name)
                cell = None if move is None or move.column is not None else cell_of(move, it.rules)
                if cell is None:
                    return [f"there is no cell {name} on this board"]
                it.set(cell, letter.upper(), self.told)
            case ["q"]:
                return ["q is not a word here: type quit to end this program"]
            case [word] if (move := move_of(word)) is not None:
                cell = wanted_cell(move, it.rules, self.told.legal)
                if cell is None:
                    return [f"{word} cannot be played here"]
                it.play(cell, self.told.turn)
            case _:
                return [unknown(" ".join(typed))]
        return []


async def explore(explorer: Explorer, lines: LineSource, output: Output) -> Ending:
    """Explore in lines until the end of the input, or `quit`."""
    said: list[str] | Ending = await explorer.ask() or []
    if not isinstance(said, Ending):
        output.say(f"{variants.words(explorer.it.rules)}; help lists what can be typed")
    while not isinstance(said, Ending):
        ascii_only = output.ascii_only
        output.say(*(said or board_lines(explorer.it, explorer.told, ascii_only=ascii_only)))
        while (typed := await lines.line()) is not None and not typed.strip():
            pass
        if typed is None or typed.strip().lower() == "quit":
            return Ending(0)
        said = await explorer.take(typed)
    return said


def board_lines(it: Exploration, told: Explored, *, ascii_only: bool = False) -> Iterator[str]:
    """Yield the board with the signs of what moves are worth, and who is to move."""
    yield ""
    signs = dict.fromkeys(told.best, _BEST)
    signs |= {cell: _SIGNS[value] for cell, value in told.values.items() if value in _SIGNS}
    yield from render.board(it.rules, it.game(told), ascii_only=ascii_only, signs=signs)
    yield ""
    yield position_words(it, told)
    if told.flaw is None and told.outcome is None:
        yield "+ wins, = draws, - loses, ! looks best, but its value is not known"


def position_words(it: Exploration, told: Explored) -> str:
    """Return who is to move and the best cells, the outcome, or why no game can stand so."""
    if told.flaw is not None:
        return told.flaw
    if told.outcome is not None:
        return _outcome(told.outcome, it.rules, told.board or it.board)
    where = variants.open_boards(it.rules, it.game(told))
    where = f" in {where}" if where else ""
    why = f" ({words.thought(told.reason)})" if told.reason else ""
    return f"{told.turn} to move{where}; best: {render.labels(told.best, it.rules, ', ')}{why}"


def _outcome(outcome: Outcome, rules: Rules, board: str) -> str:
    if outcome.winner is None:
        return "draw" if "." in board else "draw: the board is full"
    line = render.labels(outcome.line or (), rules, most=99)
    loses = " is a line, which loses" if variants.loses(rules) and line else ""
    return f"{outcome.winner} won: {line}{loses}"


def move_lines(it: Exploration) -> Iterator[str]:
    """Yield the moves that were tried, a line for each variation; the shown one in brackets."""
    if not it.first:
        yield "no move was tried"
    for depth, line in it.lines():
        names = []
        for move in line:
            number = len(move.line) + len(it.base.replace(".", ""))
            name = f"{number}. {move.mark} {render.label(move.cell, it.rules)}"
            names.append(f"[{name}]" if move is it.at else name)
        yield "  " * depth + "  ".join(names)


def _command(it: Exploration, told: Explored) -> str:
    """Return the command that plays on from here; the AI takes the side that is not to move."""
    query: Mapping[str, str] = it.query
    if "board" in query:
        return "the page can play on from a board that was set; type link for its address"
    start = f" --start {query['moves']}" if query["moves"] else ""
    return f"ttt-client join NAME --rules {query['rules']}{start} --seat {told.turn} --vs fair"


def explorer_of(server: ServerAddress, arguments: Namespace) -> Explorer:
    """Return an explorer at the position of the arguments of `ttt-client explore`."""
    rules = arguments.rules or Rules()
    given: Mapping[str, str] = arguments.position
    it = Exploration(rules, given.get("board"))
    it.play_all(parse_start(given.get("moves", ""), rules))
    return Explorer(server, it)


async def explain(server: ServerAddress, arguments: Namespace, output: Output) -> Ending:
    """Print how a strategy comes to its move, in lines of text or as the server's own JSON."""
    ai: AiSetting = arguments.strategy
    query = _position(arguments) | {"counts": "1"}
    query["strategy"] = ai.strategy if ai.level is None else f"{ai.strategy}:{ai.level}"
    depth = None
    if arguments.tree or arguments.depth is not None:
        depth = arguments.depth or DEPTH
        query["limit"] = str(_STEPS_OF_TREE)

    def lines(body: bytes) -> Iterator[str]:
        return trace_lines(read_trace(body), depth, ascii_only=output.ascii_only)

    return await _print(server.api("trace", query), lines, output, json=arguments.json)


async def compare(server: ServerAddress, arguments: Namespace, output: Output) -> Ending:
    """Print what all strategies think of a position, as text or as the server's own JSON."""

    def lines(body: bytes) -> Iterator[str]:
        return comparison_lines(read_comparison(body), ascii_only=output.ascii_only)

    page = server.api("compare", _position(arguments))
    return await _print(page, lines, output, json=arguments.json)


def _position(arguments: Namespace) -> dict[str, str]:
    return {"rules": board_name(arguments.rules or Rules()), **arguments.position}


async def _print(
    page: str, lines: Callable[[bytes], Iterator[str]], output: Output, *, json: bool
) -> Ending:
    told = await read_page(
        page, lambda body: body.decode().splitlines() if json else [*lines(body)]
    )
    if isinstance(told, Ending):
        return told
    for line in told:
        (output.raw if json else output.say)(line)
    return Ending(0)


class StrategyInfo(NamedTuple):
    """A strategy as the server describes it."""

    about: str
    boards: str


async def show_strategies(
    server: ServerAddress, rules: Rules | None, output: Output, *, json_lines: bool
) -> Ending:
    """Print what may sit in an AI seat, as text or JSON: by strength, then those not rated."""
    found = await read_page(server.api("strategies"), read_strategies)
    if isinstance(found, Ending):
        return found
    for ai in rated(rules or Rules(), tuple(found)):
        strategy = found[ai.ai.partition(":")[0]]
        if json_lines:
            output.raw(json.dumps({"strength": ai.strength, "ai": ai.ai, "about": strategy.about}))
        else:
            output.say(_as_text(ai, strategy))
    return Ending(0)


def read_strategies(body: bytes) -> dict[str, StrategyInfo]:
    """Return the strategies in the server's answer, by their names.

    Raises:
        ValueError: if it has none, as no JSON or as `BadMessage`.
    """
    listed = json.loads(body)
    if not isinstance(listed, dict) or not isinstance(listed.get("strategies"), list):
        raise BadMessage("no list of strategies")
    return {
        one["name"]: StrategyInfo(str(one.get("about", "")), str(one.get("boards", "")))
        for one in listed["strategies"]
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    }


def _as_text(rated_ai: RatedAi, strategy: StrategyInfo) -> str:
    strength = rated_ai.strength or "not rated"
    words = clean(strategy.about)
    if rated_ai.strength is None:
        words = f"{words} (plays {clean(strategy.boards)})"
    return f"{strength:<10} {clean(rated_ai.ai):<12} {words}".rstrip()
