"""The command line of `ttt-client`. What is slow to import is imported where it is needed."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from ttt_client import DEFAULT_SERVER, __version__
from ttt_client.cli.bot_options import EPILOG, add_bot

_EXIT_CODES = """\
exit codes: 0 done, 1 failed, 2 wrong usage, 3 cannot reach the server,
4 refused by the server, 130 Ctrl-C

environment: TTT_SERVER, TTT_NAME, TTT_THEME, TTT_PASSWORD, TTT_TOKEN (of your seat), NO_COLOR
file: client.toml in the configuration folder of ttt-rooms, with name, server and theme"""

_FLAGS = ("plain", "json", "ascii", "no_mouse", "moves", "both", "ai")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ttt-client` and return its exit code."""
    try:
        arguments = _read(sys.argv[1:] if argv is None else argv)
        return _run_full_screen(arguments) if _full_screen(arguments) else _run(arguments)
    except KeyboardInterrupt:
        return 130


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the checked arguments; wrong ones end the program with a line and exit code 2."""
    return _check(_read(argv))


def _run(arguments: argparse.Namespace) -> int:
    checked = _check(arguments)
    from ttt_client.cli.commands import run  # noqa: PLC0415 - --help stays quick

    return run(checked)


def _run_full_screen(arguments: argparse.Namespace) -> int:
    try:
        from ttt_client.tui.terminal import Terminal  # noqa: PLC0415 - lines of text need none
    except ImportError:
        words = "the full screen needs a POSIX terminal, or WSL; here are lines of text"
        print(f"ttt-client: {words}", file=sys.stderr)
        return _run(arguments)

    terminal = Terminal()
    try:
        # The first frame comes before the slow imports.
        terminal.enter(arguments.place, _server_words(arguments), ascii_only=arguments.ascii)
        checked = _check(arguments, before_error=terminal.leave)
        from ttt_client.cli.commands import run  # noqa: PLC0415 - after the first frame

        return run(checked, terminal)
    finally:
        terminal.leave()


def _read(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments as they were typed, with `place`: what the header of the screen says."""
    parser = _parser()
    typed = vars(parser.parse_args(argv))
    if typed["command"] is None:
        if _is_terminal() and not set(typed) & {"plain", "json", "moves"}:
            typed |= {"command": "rooms", "follow": False}
        else:
            *others, last = _commands(parser)
            parser.error(f"say what to do: {', '.join(others)} or {last}")
    places = {"rooms": "rooms", "watch": "television", "play": "play"}
    place = typed.get("room") or places.get(typed["command"], "")
    place = place.rstrip("/").rpartition("/")[2]  # of a room's web address
    return argparse.Namespace(**dict.fromkeys(_FLAGS, False) | typed, place=place)


def _check(
    arguments: argparse.Namespace, before_error: Callable[[], None] = lambda: None
) -> argparse.Namespace:
    """Return the arguments in the protocol's terms, or end the program with a line of error."""
    from ttt_client.cli.arguments import WrongUsage, complete  # noqa: PLC0415 - --help stays quick

    try:
        return complete(arguments)
    except WrongUsage as error:
        before_error()
        _parser().error(str(error))
        raise  # never reached: `error` ends the program


def _full_screen(arguments: argparse.Namespace) -> bool:
    """Return whether there is a terminal to draw on, and no option against it."""
    return (
        arguments.command not in {"doctor", "strategies", "bot"}
        and not arguments.plain
        and not arguments.moves
        and not arguments.json
        and not {"svg", "gif"} & set(vars(arguments))
        and _is_terminal()
    )


def _is_terminal() -> bool:
    """Return whether there is a terminal that can show a full screen."""
    known = os.environ.get("TERM", "dumb") not in {"dumb", ""}
    return known and os.isatty(0) and os.isatty(1)


class _Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line. Its help option comes with the common ones."""

    def __init__(self, **options: object) -> None:
        super().__init__(add_help=False, **options)  # type: ignore[arg-type]

    def _get_formatter(self) -> argparse.HelpFormatter:
        # With a width given, argparse does not import `shutil`; it makes a formatter per option.
        return self.formatter_class(self.prog, width=_help_width())  # type: ignore[call-arg]

    # `NoReturn` would be exact, but to import `typing` takes 2.4 of the 18 ms of --help.
    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(2, f"{self.prog}: error: {message}{_meant(self, message)}; see --help\n")


def _meant(parser: argparse.ArgumentParser, message: str) -> str:
    """Return a question for the command or option that was probably meant."""
    import re  # noqa: PLC0415 - --help stays quick
    from difflib import get_close_matches  # noqa: PLC0415

    if found := re.match(r"unrecognized arguments: (--[\w-]+)", message):
        known = [*_options(parser)]
    elif found := re.match(r"argument COMMAND: invalid choice: '([^']*)'", message):
        known = [*_commands(parser)]
    else:
        return ""
    similar = get_close_matches(found[1], known, n=1)
    return f"; did you mean {similar[0]}?" if similar else ""


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands, by their names."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # noqa: SLF001 - argparse has no other list of them
        if isinstance(action.choices, dict):
            found |= action.choices
    return found


def _options(parser: argparse.ArgumentParser) -> set[str]:
    """Return every option, those of the commands too."""
    options = set(parser._option_string_actions)  # noqa: SLF001 - the same
    return options.union(*map(_options, _commands(parser).values()))


class _PrintCompletion(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, shell: object, *_: object
    ) -> None:
        import shtab  # noqa: PLC0415 - --help stays quick

        print(shtab.complete(parser, str(shell)))
        parser.exit()


class _StoreName(argparse.Action):
    """Store the argument; a shell completes it with names of the kind `names`."""

    def __init__(self, *, names: str, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._names = names

    def __call__(
        self, _parser: object, namespace: argparse.Namespace, value: object, *_: object
    ) -> None:
        setattr(namespace, self.dest, value)

    @property
    def complete(self) -> object:
        """How each shell asks for the names."""
        from ttt_client.cli.completion import asked_for  # noqa: PLC0415 - --help stays quick

        return asked_for(self._names)


class _PrintNames(argparse.Action):
    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, kind: object, *_: object
    ) -> None:
        from ttt_client.cli.completion import names  # noqa: PLC0415 - as elsewhere

        print(*names(str(kind), getattr(namespace, "server", None)), sep="\n")
        parser.exit()


def _help_width() -> int:
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (ValueError, OSError):
        columns = 80
    return max(columns - 2, 20)


def _server_words(arguments: argparse.Namespace) -> str:
    """Return the server's address as the screen shows it."""
    given = getattr(arguments, "server", None) or os.environ.get("TTT_SERVER") or DEFAULT_SERVER
    return given.partition("://")[2] or given


def _parser() -> _Parser:
    common = _common()
    parser = _Parser(
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
        prog=parser.prog, dest="command", metavar="COMMAND", parser_class=_Parser
    )
    _add_join(commands.add_parser("join", parents=[common], help="take a seat in a room and play"))
    _add_watch(commands.add_parser("watch", parents=[common], help="watch a room"))
    rooms = commands.add_parser("rooms", parents=[common], help="list the public rooms")
    rooms.add_argument("--follow", action="store_true", help="list them after every change")
    _add_play(
        commands.add_parser("play", parents=[common], help="play the next who wants the same")
    )
    strategies = commands.add_parser(
        "strategies", parents=[common], help="list what may sit in an AI seat, by strength"
    )
    _add_rules(strategies, "the board")
    _add_replay(
        commands.add_parser("replay", parents=[common], help="show a game again, move by move")
    )
    commands.add_parser(
        "doctor", parents=[common], help="check each step from this machine to the server"
    )
    add_bot(
        commands.add_parser(
            "bot",
            parents=[common],
            help="let a program play",
            epilog=EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
    )
    return parser


def _common() -> _Parser:
    """Return a parser of the options that may stand before and after the command."""
    common = _Parser(argument_default=argparse.SUPPRESS)
    # Written once: argparse would look for a translation of its own words in every parser.
    common.add_argument("-h", "--help", action="help", help="show this help message and exit")
    common.add_argument("--server", metavar="URL", help=f"default: {DEFAULT_SERVER}")
    common.add_argument("--name", metavar="NAME", help="default: your login name")
    common.add_argument("--plain", action="store_true", help="print lines of text only")
    common.add_argument(
        "--json", action="store_true", help="print a line of JSON for every message"
    )
    common.add_argument(
        "--moves", action="store_true", help="print lines of moves and news, and no boards"
    )
    common.add_argument("--ascii", action="store_true", help="draw in ASCII alone")
    common.add_argument(
        "--theme", metavar="THEME", help="auto, dark or light: the background of the terminal"
    )
    common.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    return common


def _add_rules(parser: _Parser, what: str) -> None:
    parser.add_argument(
        "--rules",
        metavar="CxRxK[g]",
        action=_StoreName,
        names="boards",
        help=f"{what}: 3x3x3, 7x6x4g",
    )


def _add_join(join: _Parser) -> None:
    join.add_argument("room", metavar="ROOM", action=_StoreName, names="rooms")
    join.add_argument("--seat", type=str.upper, choices=["X", "O"], help="the seat you want")
    join.add_argument(
        "--vs",
        metavar="STRENGTH|AI",
        action=_StoreName,
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


def _add_play(play: _Parser) -> None:
    _add_rules(play, "the board")
    play.add_argument("--clock", metavar="M+S", help="minutes, and seconds a move: 5+3")
    play.add_argument(
        "--ai", action="store_true", help="take the AI that offers itself if no player comes"
    )


def _add_watch(watch: _Parser) -> None:
    watch.add_argument(
        "room",
        metavar="ROOM",
        nargs="?",
        action=_StoreName,
        names="rooms",
        help="default: the liveliest",
    )
    watch.add_argument("--play", metavar="X,O", help="two AIs in a new room: rules,minimax:9")
    watch.add_argument("--games", metavar="N", help="the number of games they play")
    _add_rules(watch, "their board")
    watch.add_argument("--password", metavar="P", help="the password of the room")


def _add_replay(replay: _Parser) -> None:
    replay.add_argument(
        "room",
        metavar="ROOM|FILE",
        action=_StoreName,
        names="rooms",
        help="a room, or a file of ttt-server export: ./games.txt",
    )
    replay.add_argument(
        "game", metavar="GAME", nargs="?", help="its number in the room or file; default: the last"
    )
    replay.add_argument("--svg", metavar="FILE.svg", help="draw its last position into a file")
    replay.add_argument("--gif", metavar="FILE.gif", help="draw it move by move into a file")
