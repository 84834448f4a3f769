"""The options of `ttt-client bot`. It imports nothing slow, for --help stays quick."""

import argparse
import re
import shlex

from ttt_client.cli.parser import StoreName, add_opening, whole_number

EPILOG = """\
Before any game, try the program: ttt-client bot check --exec './mybot'

The program reads one JSON object a line and answers with one:
  > {"type":"hello","protocol":"ttt-bot/1","rules":{...},"seat":"X","game":1}
  > {"type":"turn","board":".........","moves":[],"legal":[...],"time_ms":2000}
  < {"cell":4}
  > {"type":"over","winner":"X","reason":"line"}
docs/client.md tells the rest, and examples stand in client/examples/bots."""

CHECK = "check"
"""The word in the place of ROOM that tries the program without a server."""


def add_bot(bot: argparse.ArgumentParser) -> None:
    """Add the options to the parser of the command."""
    bot.add_argument("room", metavar="ROOM", nargs="?", help="a room, or the word check")
    bot.add_argument("--exec", metavar="CMD", required=True, help="the program, with arguments")
    bot.add_argument(
        "--protocol",
        choices=["json", "gomocup"],
        default="json",
        help="its language: lines of JSON (default), or that of Gomocup",
    )
    bot.add_argument(
        "--time", metavar="T", default="2s", help="time for a move: 2s (default), 500ms"
    )
    bot.add_argument(
        "--tolerance",
        metavar="T",
        default="250ms",
        help="how long after its time an answer still counts (default: 250ms)",
    )
    bot.add_argument(
        "--on-failure",
        choices=["resign", "random"],
        default="resign",
        help="what to do when it gives no legal move (default: resign the game)",
    )
    bot.add_argument("--games", metavar="N", help="games to play; default: 1, in the lobby no end")
    bot.add_argument(
        "--level", metavar="0-9", choices=list("0123456789"), help="TTT_LEVEL for the program"
    )
    bot.add_argument(
        "--lobby",
        metavar="ROOMS",
        nargs="?",
        const="1",
        help="play where a seat is open in the lobby, with rematches, in so many rooms at once",
    )
    bot.add_argument(
        "--parallel",
        metavar="N",
        default="1",
        help="play the games in N rooms at once, ROOM-1 to ROOM-N, with a process each",
    )
    bot.add_argument("--event", metavar="EVENT", help="take part in an event, and play its games")
    bot.add_argument(
        "--rules",
        metavar="CxRxK[g]",
        action=StoreName,
        names="boards",
        help="the board: 15x15x5, 7x6x4g",
    )
    bot.add_argument("--seat", type=str.upper, choices=["X", "O"], help="the seat you want")
    bot.add_argument(
        "--vs",
        metavar="STRENGTH|AI",
        action=StoreName,
        names="ais",
        help="seat an AI opposite: fair, minimax:9",
    )
    bot.add_argument("--clock", metavar="M+S", help="minutes, and seconds a move: 5+3")
    add_opening(bot)
    bot.add_argument("--private", action="store_true", help="keep a new room off the public list")
    bot.add_argument("--password", metavar="P", help="the password of the room")
    bot.add_argument(
        "--log",
        metavar="FILE",
        action=StoreName,
        names="files",
        help="write every line of the pipe to this file",
    )
    bot.add_argument(
        "--share-log",
        action="store_true",
        help="tell the room its reasons, values, times and errors: the replay shows them",
    )


def parse_time_ms(text: str) -> int:
    """Parse a time for a move, as `2s`, `500ms` or `1.5`, in seconds without a unit.

    Raises:
        ValueError: if it is none; the message is for people.
    """
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)(ms|s|)", text)
    unit = 1 if found is not None and found[2] == "ms" else 1000
    milliseconds = 0 if found is None else round(float(found[1]) * unit)
    if not 10 <= milliseconds <= 3_600_000:
        raise ValueError("a time is 10ms to 3600s, as 2s or 500ms")
    return milliseconds


def parse_tolerance_ms(text: str) -> int:
    """Parse the tolerance, as a time for a move, or 0.

    Raises:
        ValueError: if it is none; the message is for people.
    """
    return 0 if text in {"0", "0s", "0ms"} else parse_time_ms(text)


def parse_command(text: str) -> list[str]:
    """Parse a program and its arguments, as a shell would.

    Raises:
        ValueError: if it is none; the message is for people.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        raise ValueError("a quotation mark has no second one, or a \\ stands at the end") from None
    if not words:
        raise ValueError("name a program")
    return words


def parse_rooms(text: str) -> int:
    """Parse how many rooms to play in at once.

    Raises:
        ValueError: if it is no such number; the message is for people.
    """
    return whole_number(text, 1, 64, "a bot plays in 1 to 64 rooms at once")
