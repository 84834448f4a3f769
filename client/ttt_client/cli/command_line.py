"""The command line of `ttt-client`: its commands, their arguments and helps."""

import argparse
import textwrap
from collections.abc import Callable, Sequence

from ttt_client import DEFAULT_SERVER, __version__
from ttt_client.cli import bot_options, event_options
from ttt_client.cli.parser import THEMES, Parser, StoreName, add_opening, help_width, print_now

_EXIT_CODES = """\
exit codes: 0 done, 1 failed, 2 wrong usage, 3 cannot reach the server,
4 refused by the server, 130 Ctrl-C

environment: TTT_SERVER, TTT_NAME, TTT_THEME, TTT_PASSWORD, NO_COLOR,
TTT_TOKEN (of your seat)

file: client.toml in the configuration folder of ttt-rooms,
with name, server and theme"""


class _PrintCompletion(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, shell: object, *_: object
    ) -> None:
        import shtab

        print_now(shtab.complete(parser, str(shell)))
        parser.exit()


class _PrintNames(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, kind: object, *_: object
    ) -> None:
        from ttt_client.cli.completion import names

        print_now("\n".join(names(str(kind), getattr(namespace, "server", None))))
        parser.exit()


def parser_for(argv: Sequence[str]) -> Parser:
    """Return the parser for these arguments.

    It knows one command alone if they begin with that one: the others take a millisecond to make.
    """
    common = _common()
    parser = Parser(
        prog="ttt-client",
        description="Play and watch tic-tac-toe and its family.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"ttt-client {__version__}",
        help="print the version and end",
    )
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=["bash", "zsh", "fish"],
        help="print a script that completes commands and options in that shell, and end",
    )
    parser.add_argument(
        "--print-names",
        action=_PrintNames,
        choices=["rooms", "ais", "boards"],
        help=argparse.SUPPRESS,  # for the script of a shell
    )
    # Not required here: argparse would then report a missing command before a mistyped option.
    commands = parser.add_subparsers(
        prog=parser.prog, dest="command", metavar="COMMAND", parser_class=Parser
    )
    named = _named(argv)
    for name, (words, more, add) in _COMMANDS.items():
        if named in {None, name}:
            about = textwrap.fill(f"{words[0].upper()}{words[1:]}. {more}", help_width())
            command = commands.add_parser(name, parents=[common], help=words, description=about)
            if name in _EXAMPLES:
                command.explain("examples:\n" + textwrap.indent(_EXAMPLES[name], "  "))
            add(command)
    return parser


def command_names() -> tuple[str, ...]:
    """Return the names of the commands."""
    return tuple(_COMMANDS)


def _named(argv: Sequence[str]) -> str | None:
    """Return the command that comes after the common options; None if that is not plain."""
    is_value = False
    for word in argv:
        if is_value:
            is_value = False
        elif word.startswith("-"):
            # argparse takes a beginning for the whole: --ser for --server.
            is_value = any(option.startswith(word) for option in _WITH_VALUE)
        else:
            return word if word in _COMMANDS else None
    return None


def _common() -> Parser:
    """Return a parser of the options that may stand before and after the command."""
    common = Parser(argument_default=argparse.SUPPRESS)
    # Written once: argparse would look for a translation of its own words in every parser.
    common.add_argument("-h", "--help", action="help", help="show this help message and exit")
    every = common.add_argument_group("options of every command")
    every.add_argument(
        "--server", metavar="URL", help=f"the address of the server; default: {DEFAULT_SERVER}"
    )
    every.add_argument("--name", metavar="NAME", help="your name; default: that of your login")
    every.add_argument("--plain", action="store_true", help="print lines of text only")
    every.add_argument("--json", action="store_true", help="print a line of JSON for every message")
    every.add_argument(
        "--moves",
        action="store_true",
        help="print moves and news without boards; best for a screen reader",
    )
    every.add_argument("--ascii", action="store_true", help="draw in ASCII alone")
    every.add_argument("--theme", choices=THEMES, help="the background of the terminal")
    every.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    return common


def _add_rooms(rooms: Parser) -> None:
    rooms.add_argument("--follow", action="store_true", help="list them after every change")


def _add_strategies(strategies: Parser) -> None:
    _add_rules(strategies, "the board")


def _add_doctor(_doctor: Parser) -> None:
    """Add nothing: it has the common options alone."""


def _add_conformance(conformance: Parser) -> None:
    conformance.add_argument("url", metavar="URL", nargs="?", help="default: that of --server")


def _add_event(event: Parser) -> None:
    event_options.add_event(event)
    event.explain(event_options.EPILOG)


def _add_bot(bot: Parser) -> None:
    bot_options.add_bot(bot)
    bot.explain(bot_options.EPILOG)


def _add_rules(parser: Parser, what: str) -> None:
    parser.add_argument(
        "--rules",
        metavar="CxRxK[g][!]",
        action=StoreName,
        names="boards",
        help=f"{what}: 3x3x3; with gravity 7x6x4g; 15x15x5! where a longer row does not win",
    )


def _add_join(join: Parser) -> None:
    join.add_argument(
        "room",
        metavar="ROOM",
        action=StoreName,
        names="rooms",
        help="its name, or the address of its page",
    )
    join.add_argument("--seat", type=str.upper, choices=["X", "O"], help="the seat you want")
    join.add_argument(
        "--vs",
        metavar="STRENGTH|AI",
        action=StoreName,
        names="ais",
        help="seat an AI opposite: fair, or minimax:9 by its name",
    )
    _add_rules(join, "the board")
    join.add_argument("--clock", metavar="M+S", help="minutes, and seconds a move: 5+3")
    join.add_argument(
        "--private", action="store_true", help="keep the new room off the public list"
    )
    join.add_argument("--password", metavar="P", help="the password of the room")
    join.add_argument("--both", action="store_true", help="two people at this keyboard")
    join.add_argument("--second", metavar="NAME", help="the second one's name, with --both")
    join.add_argument("--hints", action="store_true", help="allow hints in the new room")
    add_opening(join)
    join.add_argument("--start", metavar="MOVES", help="the moves that its games begin with: b2a1")
    join.add_argument(
        "--delay", metavar="S", help="seconds that spectators of the new room see the past"
    )


def _add_play(play: Parser) -> None:
    _add_rules(play, "the board")
    play.add_argument("--clock", metavar="M+S", help="minutes, and seconds a move: 5+3")
    add_opening(play)
    play.add_argument(
        "--ai", action="store_true", help="take the AI that offers itself if no player comes"
    )


def _add_watch(watch: Parser) -> None:
    watch.add_argument(
        "room",
        metavar="ROOM",
        nargs="?",
        action=StoreName,
        names="rooms",
        help="its name, or the address of its page; default: the one with the latest move",
    )
    watch.add_argument("--play", metavar="X,O", help="two AIs in a new room: rules,minimax:9")
    watch.add_argument("--games", metavar="N", help="the number of games they play")
    _add_rules(watch, "their board")
    add_opening(watch)
    watch.add_argument("--password", metavar="P", help="the password of the room")


def _add_seats(seats: Parser) -> None:
    seats.add_argument("names", metavar="NAME", nargs="*", help="the two players, X first")
    seats.add_argument(
        "--pairs",
        metavar="FILE.csv",
        action=StoreName,
        names="files",
        help="a pair of names in each line; - is the standard input",
    )
    _add_rules(seats, "the board")
    seats.add_argument("--clock", metavar="M+S", help="minutes, and seconds a move: 5+3")
    add_opening(seats)
    seats.add_argument("--delay", metavar="S", help="seconds that spectators see the past")


def _add_replay(replay: Parser) -> None:
    replay.add_argument(
        "room",
        metavar="ROOM|FILE",
        action=StoreName,
        names="recordings",
        help="a room, or a file of ttt-server export: ./games.txt",
    )
    replay.add_argument(
        "game", metavar="GAME", nargs="?", help="its number in the room or file; default: the last"
    )
    replay.add_argument(
        "--analysis", action="store_true", help="say what the moves were worth, as the server finds"
    )
    replay.add_argument(
        "--svg",
        metavar="FILE.svg",
        action=StoreName,
        names="files",
        help="draw its last position into a file",
    )
    replay.add_argument(
        "--gif",
        metavar="FILE.gif",
        action=StoreName,
        names="files",
        help="draw it move by move into a file",
    )


def _add_explain(explain: Parser) -> None:
    _add_position(explain)
    explain.add_argument(
        "--strategy",
        metavar="AI",
        action=StoreName,
        names="ais",
        required=True,
        help="the strategy that thinks: rules, minimax:9",
    )
    explain.add_argument(
        "--tree", action="store_true", help="print the nodes of its search, a line each"
    )
    explain.add_argument("--depth", metavar="N", help="the plies of the tree; default: 3")


def _add_position(parser: Parser) -> None:
    parser.add_argument(
        "position",
        metavar="POSITION",
        nargs="?",
        default="",
        help="a letter for each cell, X...O....; or moves: b2a1, or columns, 4453; "
        "default: the empty board",
    )
    _add_rules(parser, "its board")


_COMMANDS: dict[str, tuple[str, str, Callable[[Parser], None]]] = {
    "join": (
        "take a seat in a room and play",
        "A room that is not there is made. The same command takes the seat again.",
        _add_join,
    ),
    "watch": (
        "watch a room",
        "Without ROOM it goes from room to room, as games end. With --play it makes a new one.",
        _add_watch,
    ),
    "rooms": (
        "list the public rooms",
        "On a terminal they can be filtered, joined and watched, and new ones made.",
        _add_rooms,
    ),
    "play": (
        "find a player who wants the same game",
        "After some seconds an AI of fair strength offers itself.",
        _add_play,
    ),
    "strategies": (
        "list what may sit in an AI seat, by strength",
        "The strength depends on the board.",
        _add_strategies,
    ),
    "explain": (
        "watch a strategy think about a position",
        "It prints each step, with its reason.",
        _add_explain,
    ),
    "compare": (
        "ask all strategies about a position",
        "It prints their moves, and how much each has looked at.",
        _add_position,
    ),
    "explore": (
        "try moves on any board, and see what they are worth",
        "It takes cells, back, forward and other words; ? or help lists them.",
        _add_position,
    ),
    "replay": (
        "show a game again, move by move",
        "On a terminal the arrows step through it.",
        _add_replay,
    ),
    "doctor": (
        "check each step from this machine to the server",
        "It prints a line for each, up to the first that fails.",
        _add_doctor,
    ),
    "bot": ("let a program play", "It is started here, and plays over the network.", _add_bot),
    "conformance": (
        "play a server through every word of the protocol",
        "It prints a line for each check, in rooms of its own.",
        _add_conformance,
    ),
    "seats": (
        "print links to the seats of rooms for others",
        "A pair of players gets a room of its own, and each of them a link.",
        _add_seats,
    ),
    "event": (
        "make, join, watch or organise an event",
        "Its maker is its organiser.",
        _add_event,
    ),
}
"""The commands: what each does, more about it, and what adds its arguments."""
_EXAMPLES = {
    "join": """\
ttt-client join den                              a seat in the room den
ttt-client join cellar --vs fair                 against an AI
ttt-client join tower --rules 7x6x4g --clock 5+3
ttt-client join table --both --second bob        two people at this keyboard""",
    "watch": """\
ttt-client watch den
ttt-client watch arena --play rules,minimax:9 --games 10""",
    "rooms": """\
ttt-client rooms
ttt-client rooms --plain --follow""",
    "play": """\
ttt-client play
ttt-client play --rules 15x15x5 --clock 3+2""",
    "strategies": """\
ttt-client strategies --rules 7x6x4g""",
    "explain": """\
ttt-client explain X...O.... --strategy minimax:9
ttt-client explain 4444 --rules 7x6x4g --strategy search:5 --tree""",
    "compare": """\
ttt-client compare d6d5 --rules 7x6x4g""",
    "explore": """\
ttt-client explore
ttt-client explore 4444                          four in a row, by its columns
ttt-client explore h8i9 --rules 15x15x5""",
    "replay": """\
ttt-client replay den                            the last game of a room
ttt-client replay den 1 --analysis
ttt-client replay ./games.txt 3 --svg game.svg --gif game.gif""",
    "doctor": """\
ttt-client doctor --server wss://example.org""",
    "conformance": """\
ttt-client conformance ws://127.0.0.1:8765""",
    "seats": """\
ttt-client --server https://example.org seats Ada Bob --clock 5+3
ttt-client --server https://example.org seats --pairs pairs.csv""",
}
"""The ends of the helps; `bot` and `event` have their own."""
_WITH_VALUE = ("--server", "--name", "--theme", "--print-completion", "--print-names")
"""The options before a command whose value is a word of its own."""
