"""The options of `ttt-client event`. It imports nothing slow, for --help stays quick."""

import argparse

from ttt_client.cli.parser import add_opening, whole_number

EPILOG = """\
ttt-client event create friday --form arena --minutes 20 --clock 1+1
ttt-client event join friday
ttt-client event start friday
ttt-client event watch friday
ttt-client event export friday --format csv

The organiser's rights are remembered on this machine.
docs/events.md tells the rest."""

ACTIONS = {
    "create": "make an event",
    "join": "take part, and play one game after the other",
    "watch": "show the standings after every change; on a terminal the boards, too",
    "export": "print the results",
    "start": "begin",
    "pause": "pair no more players",
    "resume": "go on after a pause",
    "finish": "end early",
    "open": "let players enter",
    "close": "let no more players enter",
    "announce": "show TEXT on the wall",
    "remove": "remove the player TEXT",
    "excuse": "withdraw the player TEXT, who has left",
    "add-ai": "let the AI TEXT take part: minimax:9",
    "invite": "print the link of a second organiser",
}


def _number(text: str) -> int:
    """Parse a whole number, for `argparse`; the event's settings tell the limits."""
    try:
        return whole_number(text, 0, 10**18, "must be a whole number")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_event(event: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser of the command."""
    words = "; ".join(f"{name}: {does}" for name, does in ACTIONS.items())
    event.add_argument("action", metavar="ACTION", choices=list(ACTIONS), help=words)
    event.add_argument("event", metavar="EVENT", help="its name, as in its address")
    event.add_argument("text", metavar="TEXT", nargs="?", help="words, a player or an AI")
    event.add_argument(
        "--form",
        choices=["arena", "swiss", "round-robin", "knockout", "match", "simul"],
        help="how players are paired",
    )
    event.add_argument("--title", metavar="TITLE", help="default: the event's name")
    event.add_argument("--minutes", metavar="N", type=_number, help="length of an arena (20)")
    event.add_argument("--rounds", metavar="N", type=_number, help="rounds of a Swiss (5)")
    event.add_argument("--games", metavar="N", help="games of a match or tie (1)")
    event.add_argument("--rules", metavar="CxRxK[g]", help="the board: 3x3x3, 7x6x4g")
    event.add_argument("--clock", metavar="M+S", help="minutes, and seconds a move: 1+1")
    add_opening(event)
    event.add_argument(
        "--grace", metavar="S", type=_number, help="seconds that a player may be away (30)"
    )
    event.add_argument(
        "--delay", metavar="S", help="seconds that spectators of its games see the past (0)"
    )
    event.add_argument("--stand-in", metavar="AI", help="the AI that takes an odd place: rules")
    event.add_argument(
        "--late-half-points",
        action="store_true",
        help="half a point for each round of a Swiss that a late player missed",
    )
    event.add_argument("--organiser", metavar="TOKEN", help="the organiser's token, from its link")
    event.add_argument(
        "--format",
        choices=["text", "csv", "cross", "jsonl"],
        help="of an export: text (default), standings as CSV, a cross table, "
        "lines of JSON (default with --json)",
    )
