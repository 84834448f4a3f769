"""The command line of `ttt-client`. What costs time to import is imported when it is needed."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

DEFAULT_SERVER = "ws://127.0.0.1:8765"
_EXIT_CODES = """\
exit codes: 0 done, 1 failed, 2 wrong usage, 3 cannot reach the server,
4 refused by the server, 130 Ctrl-C

environment: TTT_SERVER, TTT_NAME, TTT_TOKEN (the token of your seat), NO_COLOR"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ttt-client`; the result is its exit code."""
    arguments = parse(sys.argv[1:] if argv is None else argv)
    from ttt_client.commands import run  # noqa: PLC0415 - --help stays quick

    return run(arguments)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments, checked; wrong ones end the program with a line and exit code 2."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    _complete(arguments, parser)
    return arguments


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}; see --help\n")


def _parser() -> _Parser:
    common = _common()
    parser = _Parser(
        prog="ttt-client",
        description="Play and watch tic-tac-toe and its family.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    parser.add_argument("--version", action=_Version, help="print the version and end")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_Parser
    )
    _add_join(commands.add_parser("join", parents=[common], help="take a seat in a room and play"))
    _add_watch(commands.add_parser("watch", parents=[common], help="watch a room"))
    rooms = commands.add_parser("rooms", parents=[common], help="list the public rooms")
    rooms.add_argument("--follow", action="store_true", help="list them after every change")
    _add_replay(
        commands.add_parser("replay", parents=[common], help="show a game again, move by move")
    )
    commands.add_parser(
        "doctor", parents=[common], help="what stands between this machine and the server"
    )
    return parser


def _common() -> _Parser:
    """The options that may stand before and after the command."""
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--server", metavar="URL", help=f"default: {DEFAULT_SERVER}")
    common.add_argument("--name", metavar="NAME", help="default: your login name")
    common.add_argument("--plain", action="store_true", help="lines of text only")
    common.add_argument("--json", action="store_true", help="a line of JSON for every message")
    common.add_argument("--ascii", action="store_true", help="draw nothing but ASCII")
    common.add_argument("--no-mouse", action="store_true", help="leave the mouse to the terminal")
    return common


def _add_join(join: _Parser) -> None:
    join.add_argument("room", metavar="ROOM", type=_checked(_room))
    join.add_argument("--seat", type=str.upper, choices=["X", "O"], help="the seat you want")
    join.add_argument(
        "--vs", metavar="STRATEGY[:LEVEL]", type=_checked(_ai), help="an AI sits opposite"
    )
    join.add_argument(
        "--rules", metavar="CxRxK[g]", type=_checked(_rules), help="the board: 3x3x3, 7x6x4g"
    )
    join.add_argument(
        "--clock", metavar="M+S", type=_checked(_clock), help="minutes, and seconds a move: 5+3"
    )
    join.add_argument("--private", action="store_true", help="not listed among the public rooms")
    join.add_argument("--password", metavar="P", help="of the room")
    join.add_argument("--hints", action="store_true", help="hints are allowed in the new room")


def _add_watch(watch: _Parser) -> None:
    watch.add_argument(
        "room", metavar="ROOM", nargs="?", type=_checked(_room), help="default: the liveliest"
    )
    watch.add_argument(
        "--play", metavar="X,O", type=_checked(_pair), help="two AIs in a new room: rules,minimax:9"
    )
    watch.add_argument("--games", metavar="N", type=_checked(_games), help="how many they play")
    watch.add_argument("--password", metavar="P", help="of the room")


def _add_replay(replay: _Parser) -> None:
    replay.add_argument("room", metavar="ROOM", type=_checked(_room))
    replay.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        type=_checked(_game),
        help="its number; default: the last",
    )


def _complete(arguments: argparse.Namespace, parser: _Parser) -> None:
    """Fill in the defaults, and check what concerns more than one option."""
    for flag in ("plain", "json", "ascii", "no_mouse"):
        setattr(arguments, flag, getattr(arguments, flag, False))
    if arguments.plain and arguments.json:
        parser.error("--plain and --json exclude each other")
    if arguments.command == "watch":
        if arguments.play is not None and arguments.room is None:
            parser.error("--play needs a ROOM")
        if arguments.games is not None and arguments.play is None:
            parser.error("--games needs --play")
    for option, convert in (("server", _server), ("name", _name)):
        variable = f"TTT_{option.upper()}"
        given = getattr(arguments, option, None)
        value = given if given is not None else os.environ.get(variable)
        try:
            setattr(arguments, option, convert(value or None if given is None else given))
        except ValueError as error:
            parser.error(f"{f'--{option}' if given is not None else variable}: {error}")
    arguments.token = os.environ.get("TTT_TOKEN") or None
    if getattr(arguments, "password", None) is not None and not 1 <= len(arguments.password) <= 128:
        parser.error("--password: a password has 1 to 128 characters")
    if arguments.token is not None and len(arguments.token) > 256:
        parser.error("TTT_TOKEN: a token has at most 256 characters")


def _checked(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """`convert`, with its own words for the one who typed a wrong value."""

    def check(text: str) -> Any:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return check


def _room(text: str) -> Any:
    from ttt_protocol.state import parse_room_name  # noqa: PLC0415 - --help stays quick

    return parse_room_name(text)


def _ai(text: str) -> Any:
    from ttt_client.options import parse_ai  # noqa: PLC0415 - --help stays quick

    return parse_ai(text)


def _pair(text: str) -> Any:
    from ttt_client.options import parse_pair  # noqa: PLC0415 - --help stays quick

    return parse_pair(text)


def _rules(text: str) -> Any:
    from ttt_client.options import parse_rules  # noqa: PLC0415 - --help stays quick

    return parse_rules(text)


def _clock(text: str) -> Any:
    from ttt_client.options import parse_clock  # noqa: PLC0415 - --help stays quick

    return parse_clock(text)


def _games(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= 1000):
        raise ValueError("a series has 1 to 1000 games")
    return int(text)


def _game(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) >= 1):
        raise ValueError("a game is a number from 1")
    return int(text)


def _server(text: str | None) -> Any:
    from ttt_client.address import parse_server  # noqa: PLC0415 - --help stays quick

    return parse_server(DEFAULT_SERVER if text is None else text)


def _name(text: str | None) -> str:
    from ttt_client.options import login_name, parse_name  # noqa: PLC0415 - --help stays quick

    return login_name() if text is None else parse_name(text)


class _Version(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:  # noqa: A002 - argparse's own word
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version  # noqa: PLC0415 - --help stays quick

        print(f"ttt-client {version('ttt-rooms')}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
