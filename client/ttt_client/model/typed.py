"""Typed lines as words of the client, and what each means now: a command, or why there is none."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar, assert_never

from ttt_client.model.options import parse_ai
from ttt_client.model.variants import cell_at, may_play, open_boards, shape_of
from ttt_client.model.view import View, who
from ttt_protocol import commands
from ttt_protocol.codes import Choice
from ttt_protocol.state import ChatMode, Game, Mark, ModerationAction, OfferKind, Rules, SessionId
from ttt_protocol.text import clean

HELP = """\
5 or b2          plays: the number of a free cell, or its column and row
d or 4           plays where pieces fall: a column's letter or number
resign           gives the game up
stay, swap, more chooses in a fair opening: keep the seat, change it, or place two more
draw, takeback   offers a draw, or asks to take your last move back
rematch          offers another game when this one is over
accept, decline  answers the offer of the other player
claim            takes the game when the other player has been gone too long
fill fair        seats an AI opposite, if that seat is empty or long deserted
hint             asks what is best, in a room with hints
say hello        talks to everyone in the room
hide, show       hides the chat from you, shows it again
rename eve       changes your name
board            prints the board again
retry            reconnects now while the connection is lost
leave            gives your seat up for good
mute bob         for the host: silences bob, until unmute bob
remove bob       for the host: removes bob from the room
clear            for the host: clears the chat for all
chat players     for the host: lets all, players or none (off) chat
quit             ends this program; the same command takes your seat back"""

T = TypeVar("T")

_MOST_REPEATED = 40
"""The most characters quoted from a line that was not understood."""

WATCHING = "you are watching: only a player may do this"
NOT_HOST = "only the host, who made the room, may do this"
NOT_STARTED = "the game has not started"
NOT_CONNECTED = "not connected yet: try again"
TYPE_QUIT = "q is not a word here: type quit to end this program"

_FEW = 9
"""The most cells of a board whose free cells are listed."""


@dataclass(frozen=True, slots=True)
class TypedMove:
    """A wanted cell: its number from 1, or its column and row from 0, or only its column."""

    typed: str
    number: int | None = None
    column_row: tuple[int, int] | None = None
    column: int | None = None
    layer: int | None = None
    """From 0, in a cube."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A player's word without arguments."""

    word: Literal["resign", "claim", "hint"]


@dataclass(frozen=True, slots=True)
class Own:
    """A word for the client itself; the server does not hear of it."""

    word: Literal["help", "quit", "board", "retry", "hide", "show"]


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """The answer to an offer of the other player; without a kind, to the only open one."""

    word: Literal["accept", "decline"]
    kind: OfferKind | None = None


@dataclass(frozen=True, slots=True)
class Filling:
    """An AI for the seat opposite, as it was typed: a name, perhaps a level, or a strength."""

    typed: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A complete command; `raw`, if given, is sent exactly as it was typed."""

    command: commands.Command
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Naming:
    """An act of the host on a member, who is called by a name, or by `#` and an id."""

    action: ModerationAction
    member: str


ForServer = TypedMove | Wish | Choice | OfferKind | TypedAnswer | Filling | Naming | Ready
Word = ForServer | Own


class NotUnderstood(ValueError):
    """A line that is no word of the client; the message is for people."""


def parse_line(line: str) -> Word | None:
    """Return the word in a line; None if the line is empty.

    Raises:
        NotUnderstood: with a message that repeats the line, cleaned and cut.
    """
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    match word.lower():
        case "":
            return None
        case "say":
            wrong = "say takes 1 to 200 characters that can be shown"
            return Ready(_valid(lambda: commands.Say(text=rest), wrong))
        case "fill":
            wrong = "fill takes a strength or a strategy: fill fair, fill rules"
            _valid(lambda: parse_ai(rest, Rules()), wrong)
            return Filling(rest)
        case "rename":
            wrong = "rename takes 1 to 24 characters that can be shown"
            return Ready(_valid(lambda: commands.Rename(name=rest), wrong))
        case "mute" | "unmute" | "remove" as action:
            return Naming(ModerationAction(action), rest)
        case "clear" if not rest:
            return Ready(commands.Moderate(action=ModerationAction.CLEAR))
        case "chat":
            wrong = "chat is for all, players or off: chat players"
            mode = _valid(lambda: ChatMode(rest.lower()), wrong)
            return Ready(commands.Moderate(action=ModerationAction.CHAT, chat=mode))
        case "accept" | "decline" as answer:
            wrong = "an offer is one of draw, takeback, rematch"
            kind = _valid(lambda: OfferKind(rest.lower()), wrong) if rest else None
            return TypedAnswer(answer, kind)
        case "draw" | "takeback" | "rematch" as kind if not rest:
            return OfferKind(kind)
        case "resign" | "claim" | "hint" as wish if not rest:
            return Wish(wish)
        case "stay" | "swap" | "more" as choice if not rest:
            return Choice(choice)
        case "leave" if not rest:
            return Ready(commands.Leave())
        case "help" | "quit" | "board" | "retry" | "hide" | "show" as own if not rest:
            return Own(own)
        case "?" if not rest:
            return Own("help")
        case cell if not rest and (move := move_of(cell)) is not None:
            return move
        case _:
            raise NotUnderstood(unknown(line))


def unknown(line: str) -> str:
    """Return the answer to a line that was not understood, which it repeats."""
    line = " ".join(clean(line).split())
    cut = line if len(line) <= _MOST_REPEATED else f"{line[:_MOST_REPEATED]}..."
    return f'"{cut}" was not understood; help lists what can be typed'


def move_of(cell: str) -> TypedMove | None:
    """Return the move that a typed cell or column names; `None` if it is neither."""
    if re.fullmatch(r"[0-9]{1,4}", cell):
        return TypedMove(cell, number=int(cell))
    if found := re.fullmatch(r"([1-9]?)([a-z])([0-9]{0,2})", cell):
        layer, column, row = found[1], ord(found[2]) - ord("a"), found[3]
        if row:
            at = int(layer) - 1 if layer else None
            return TypedMove(cell, column_row=(column, int(row) - 1), layer=at)
        return None if layer else TypedMove(cell, column=column)
    return None


def _valid(make: Callable[[], T], otherwise: str) -> T:
    """Return what `make` makes; raise `NotUnderstood` where the text is not valid for it."""
    try:
        return make()
    except ValueError:
        raise NotUnderstood(otherwise) from None


class NotNow(NamedTuple):
    """Why there is nothing to send.

    `wait` is true for a move, a choice or the offer of a rematch whose time may still come. A line
    from a file or a program may come before its turn, and waits then.
    """

    words: str
    wait: bool = False


def command_for(word: ForServer, view: View) -> commands.Command | NotNow:
    """Return what to send for `word`."""
    match word:
        case Ready(command=command):
            return command
        case Naming(action=action, member=member):
            return _moderate(action, member, view)
        case TypedMove(typed="q") if not _has_column_q(view):
            return NotNow(TYPE_QUIT)
        case _ if view.seat is None:
            return NotNow(WATCHING)
        case TypedMove():
            return _play(word, view)
        case Choice():
            return _choose(word, view)
        case OfferKind():
            return _offer(word, view)
        case TypedAnswer():
            return _answer(word, view)
        case Filling(typed=typed):
            return _fill(typed, view, view.seat.other)
        case Wish():
            return _wish(word, view)
        case _:  # pragma: no cover - the union is closed
            assert_never(word)


def not_connected(word: ForServer) -> NotNow:
    """Return why `word` is not sent while there is no connection."""
    match word:
        case TypedMove(typed="q"):
            return NotNow(TYPE_QUIT)
        case TypedMove(typed=typed):
            return NotNow(f"not connected: {typed} was not played", wait=True)
        case _:
            return NotNow(NOT_CONNECTED, wait=True)


def cell_of(move: TypedMove, rules: Rules) -> int | None:
    """Return the index of the wanted cell; None if it is off the board.

    A column without a row is a move only where pieces fall, and means its highest cell.
    """
    if move.column is not None:
        return move.column if rules.gravity and move.column < rules.columns else None
    if move.column_row is not None:
        return cell_at(rules, move.layer, *move.column_row)
    if move.number is not None and 1 <= move.number <= rules.columns * rules.rows:
        return move.number - 1
    return None


def landing(cell: int, rules: Rules, game: Game) -> int | None:
    """Return the cell that a piece in the column of `cell` falls to; None if the column is full."""
    column = range(cell % rules.columns, rules.columns * rules.rows, rules.columns)
    return next((below for below in reversed(column) if game.board[below] == "."), None)


def free_cells(rules: Rules, board: str) -> tuple[int, ...]:
    """Return the cells that are free, ascending; with gravity those with nothing free below."""
    free = (cell for cell, mark in enumerate(board) if mark == ".")
    if not rules.gravity:
        return tuple(free)
    below = rules.columns
    return tuple(cell for cell in free if board[cell + below : cell + below + 1] != ".")


def legal_cells(rules: Rules, game: Game) -> tuple[int, ...]:
    """Return the cells that may be played: those that the server names, else the free ones."""
    return free_cells(rules, game.board) if game.legal is None else game.legal


def _has_column_q(view: View) -> bool:
    """Return whether `q` names a column: a letter is a move only where pieces fall."""
    return view.rules.gravity and view.rules.columns > ord("q") - ord("a")


def _play(move: TypedMove, view: View) -> commands.Command | NotNow:
    if view.room is None or view.game is None:
        return NotNow(NOT_STARTED, wait=True)
    rules = view.rules
    cell = cell_of(move, rules)
    if cell is None:
        return NotNow(_no_such_cell(move, rules))
    if view.game.outcome is not None:
        # After this player's offer of a rematch the move may be meant for the next game.
        words = f"the game is over: {move.typed} is not played"
        return NotNow(words, wait=OfferKind.REMATCH in view.own_offers)
    if view.your_choices:
        return NotNow(f"choose first: {choice_names(view.your_choices)}", wait=True)
    if view.choosing is not None:
        return NotNow("the other player chooses first", wait=True)
    if not view.your_turn:
        return NotNow(f"not your turn: {who(view, view.game.turn)} is to move", wait=True)
    if rules.gravity:
        letter = chr(ord("a") + cell % rules.columns)
        cell = landing(cell, rules, view.game)
        if cell is None:
            return NotNow(f"column {letter} is full")
    elif view.game.board[cell] != ".":
        return NotNow(_taken(move, rules, view.game))
    elif not may_play(view.game, cell):
        where = open_boards(rules, view.game)
        return NotNow(f"{move.typed} is closed now" + (f": play in {where}" if where else ""))
    return commands.Play(game=view.game.number, ply=view.game.ply, cell=cell)


def _taken(move: TypedMove, rules: Rules, game: Game) -> str:
    free = legal_cells(rules, game)
    listed = ", ".join(str(cell + 1) for cell in free) if len(game.board) <= _FEW else ""
    return f"{move.typed} is taken" + (f": free are {listed}" if listed else "")


def choice_names(choices: Sequence[Choice]) -> str:
    """Return what to type for these choices: `stay, swap or more`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}"


def _choose(choice: Choice, view: View) -> commands.Command | NotNow:
    game = view.game
    if game is None:
        return NotNow(NOT_STARTED, wait=True)
    if not view.your_choices:
        return NotNow("there is nothing for you to choose now", wait=game.outcome is None)
    if choice not in view.your_choices:
        return NotNow(f"choose {choice_names(view.your_choices)}")
    return commands.Choose(game=game.number, ply=game.ply, choice=choice)


def _no_such_cell(move: TypedMove, rules: Rules) -> str:
    is_cube = shape_of(rules).is_cube
    if is_cube and move.layer is None and move.column_row is not None:
        return f"there is no cell {move.typed}: it is 1{move.typed}, with its layer"
    if move.column is None or rules.gravity or move.column >= rules.columns:
        return f"there is no {'column' if rules.gravity else 'cell'} {move.typed} on this board"
    if is_cube:
        return f"{move.typed} is no cell: name layer, column and row, as 1{move.typed[0]}1"
    return f"{move.typed} is a column: a cell has a row, too, as {move.typed}1"


def _moderate(action: ModerationAction, member: str, view: View) -> commands.Command | NotNow:
    if not view.is_host:
        return NotNow(NOT_HOST)
    others = view.others
    found = [one for one in others if member in {clean(one.name), f"#{one.id}"}]
    if len(found) == 1:
        return commands.Moderate(action=action, from_=SessionId(found[0].id))
    if found:
        ids = " or ".join(f"#{one.id}" for one in found)
        return NotNow(f"more than one is called {clean(member)}: {action} {ids}")
    names = ", ".join(clean(one.name) for one in others) or "nobody yet"
    return NotNow(f"{action} takes a name; known here: {names}")


def _fill(typed: str, view: View, seat: Mark) -> commands.Command:
    ai = parse_ai(typed, view.rules)
    if ai.level is None:
        return commands.Fill(seat=seat, strategy=ai.strategy)
    return commands.Fill(seat=seat, strategy=ai.strategy, level=ai.level)


def _offer(kind: OfferKind, view: View) -> commands.Command | NotNow:
    is_rematch = kind is OfferKind.REMATCH
    if view.game is None:
        return NotNow(NOT_STARTED, wait=is_rematch)
    if is_rematch and view.game.outcome is None:
        return NotNow("the game is not over yet", wait=True)
    return commands.Offer(kind=kind)


def _answer(answer: TypedAnswer, view: View) -> commands.Command | NotNow:
    kind = answer.kind
    if kind is None:
        if not view.offered:
            return NotNow("there is no offer to answer")
        kind, *more = view.offered
        if more:
            choices = " or ".join(f"{answer.word} {open_}" for open_ in view.offered)
            return NotNow(f"there is more than one offer: {choices}")
    return commands.Accept(kind=kind) if answer.word == "accept" else commands.Decline(kind=kind)


def _wish(wish: Wish, view: View) -> commands.Command | NotNow:
    if view.game is None:
        return NotNow(NOT_STARTED)
    match wish.word:
        case "resign":
            return commands.Resign(game=view.game.number)
        case "claim":
            return commands.Claim(game=view.game.number)
        case "hint" if view.your_turn or view.game.outcome is not None:
            return commands.AskHint()
        case "hint":
            return NotNow("a hint is for the player to move")
        case _:  # pragma: no cover - the words are listed
            assert_never(wish.word)
