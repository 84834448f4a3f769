"""The command line of `ttt-client`: its commands, their arguments and helps."""

import argparse
import textwrap
from collections.abc import Callable

from ttt_client import DEFAULT_SERVER, __version__
from ttt_client.cli.parser import THEMES, Parser, help_width, print_now, whole_number

_EXIT_CODES = """\
exit codes: 0 done, 1 failed, 2 wrong usage, 3 cannot reach the server,
4 refused by the server, 130 Ctrl-C

environment: TTT_SERVER, TTT_NAME, TTT_THEME, TTT_PASSWORD, NO_COLOR,
TTT_TOKEN (of your seat)

file: client.toml in the configuration folder of ttt-rooms,
with name, server and theme, and the tokens of `me`"""


class _Print(argparse.Action):
    """Print what a shell asks for, and end."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, wanted: object, *_: object
    ) -> None:
        if self.dest == "print_names":
            from ttt_client.cli.completion import names

            print_now("\n".join(names(str(wanted), getattr(namespace, "server", None))))
        else:
            import shtab

            print_now(shtab.complete(parser, str(wanted)))
        parser.exit()


def make_parser() -> Parser:
    """Return the parser of the whole command line."""
    common = _common()
    about = "Play and watch tic-tac-toe and its family."
    parser = Parser(prog="ttt-client", description=about, parents=[common])
    parser.explain(_EXIT_CODES)
    version = f"ttt-client {__version__}"
    parser.option("--version", "print the version and end", action="version", version=version)
    words = "print a script that completes commands and options in that shell, and end"
    shells, kinds = ["bash", "zsh", "fish"], ["rooms", "ais", "boards"]
    parser.option("--print-completion", words, action=_Print, choices=shells)
    words = argparse.SUPPRESS  # for the script of a shell
    parser.option("--print-names", words, action=_Print, choices=kinds)
    # Not required here: argparse would then report a missing command before a mistyped option.
    commands = parser.add_subparsers(
        prog=parser.prog, dest="command", metavar="COMMAND", parser_class=Parser
    )
    for name, add in COMMANDS.items():
        about, examples = _help(add)
        words = f"{about[:1].lower()}{about[1:].partition('.')[0]}"
        description = textwrap.fill(about, help_width())
        command = commands.add_parser(name, parents=[common], help=words, description=description)
        add(command)
        command.explain(f"examples:\n{textwrap.indent(examples, '  ')}")
    return parser


def _help(add: Callable[[Parser], None]) -> tuple[str, str]:
    """Return what a command does, and its examples: the indented end of a docstring."""
    first, _, rest = (add.__doc__ or "").partition("\n")
    about, _, examples = textwrap.dedent(rest).partition("\n\n    ")
    return f"{first} {' '.join(about.split())}", textwrap.dedent(f"    {examples}").rstrip()


def _common() -> Parser:
    """Return a parser of the options that may stand before and after the command."""
    common = Parser(argument_default=argparse.SUPPRESS)
    # Written once: argparse would look for a translation of its own words in every parser.
    common.add_argument("-h", "--help", action="help", help="show this help message and exit")
    every = common.add_argument_group("options of every command")
    for flag, words in (
        ("--plain", "print lines of text only"),
        ("--json", "print a line of JSON for every message"),
        ("--moves", "print moves and news without boards; best for a screen reader"),
        ("--ascii", "draw in ASCII only"),
        ("--no-mouse", "leave the mouse to the terminal"),
    ):
        every.add_argument(flag, action="store_true", help=words)
    every.add_argument("--server", metavar="URL", help=f"its address; default: {DEFAULT_SERVER}")
    every.add_argument("--name", metavar="NAME", help="your name; default: that of your login")
    every.add_argument("--theme", choices=THEMES, help="the background of the terminal")
    return common


def join(parser: Parser) -> None:
    """Take a seat in a room and play.

    A room that is not there is made. The same command takes the seat again.

        ttt-client join den                              a seat in the room den
        ttt-client join cellar --vs fair                 against an AI
        ttt-client join tower --rules 7x6x4g --clock 5+3
        ttt-client join letters --days 3                 days for each move
        ttt-client join table --both --second bob        two people at this keyboard
    """
    parser.option("room ROOM", "its name, or the address of its page", names="rooms")
    parser.usual("seat", "vs", "rules", "clock", "days", "opening", "password")
    parser.flag("--private", "keep the new room off the public list")
    parser.flag("--hints", "allow hints in the new room")
    parser.flag("--rated", "let its games count for your rating; needs kept names, and a time")
    parser.option("--start MOVES", "the moves that its games begin with: b2a1")
    parser.option("--delay S", "spectator delay of the new room, in seconds")
    parser.flag("--both", "two people at this keyboard")
    parser.option("--second NAME", "the second one's name, with --both")


def watch(parser: Parser) -> None:
    """Watch a room.

    Without ROOM it goes from room to room, as games end. With --play it makes a new one.

        ttt-client watch den
        ttt-client watch arena --play rules,minimax:9 --games 10
    """
    words = "its name, or the address of its page; default: the one with the latest move"
    parser.option("room ROOM", words, nargs="?", names="rooms")
    parser.option("--play X,O", "two AIs in a new room: rules,minimax:9", names="ais")
    parser.usual("games", "rules", "opening", "password")


def rooms(parser: Parser) -> None:
    """List the public rooms.

    On a terminal they can be filtered, joined and watched, and new ones made.

        ttt-client rooms
        ttt-client rooms --plain --follow
        ttt-client rooms --plain --after room42
    """
    words = "begin after this name: the server lists up to 200 rooms at a time"
    parser.option("--after ROOM", words)
    parser.flag("--follow", "list them after every change")


def play(parser: Parser) -> None:
    """Find a player who wants the same game.

    After some seconds an AI of fair strength offers itself.

        ttt-client play
        ttt-client play --rules 15x15x5 --clock 3+2
    """
    parser.usual("rules", "clock", "opening")
    parser.flag("--ai", "play the AI that offers itself if no player comes")


def strategies(parser: Parser) -> None:
    """List the AIs, by strength.

    The strength depends on the board.

        ttt-client strategies --rules 7x6x4g
    """
    parser.usual("rules")


def explain(parser: Parser) -> None:
    """Watch a strategy think about a position.

    It prints each step, with its reason.

        ttt-client explain X...O.... --strategy minimax:9
        ttt-client explain 4444 --rules 7x6x4g --strategy search:5 --tree
    """
    parser.usual("position", "rules")
    words = "the strategy that thinks: rules, minimax:9; default: search:5"
    parser.option("--strategy AI", words, names="ais", default="search:5")
    parser.flag("--tree", "print the nodes of its search")
    parser.option("--depth N", "the plies of the tree; default: 3")


def compare(parser: Parser) -> None:
    """Ask all strategies about a position.

    It prints their moves, and how much each has looked at.

        ttt-client compare d6d5 --rules 7x6x4g
    """
    parser.usual("position", "rules")


def explore(parser: Parser) -> None:
    """Try moves on any board, and see what they are worth.

    It takes cells, back, forward and other words; ? or help lists them.

        ttt-client explore
        ttt-client explore 4444                          four in a row, by its columns
        ttt-client explore h8i9 --rules 15x15x5
    """
    parser.usual("position", "rules")


def replay(parser: Parser) -> None:
    """Show a game again, move by move.

    On a terminal the arrows step through it.

        ttt-client replay den                            the last game of a room
        ttt-client replay den 1 --analysis
        ttt-client replay ./games.txt 3 --svg game.svg --gif game.gif
    """
    words = "a room, or a file of games: ./games.txt, game.psq, game.sgf"
    parser.option("room ROOM|FILE", words, names="rooms_and_files")
    parser.option("game GAME", "its number in the room or file; default: the last", nargs="?")
    parser.flag("--analysis", "show what the moves were worth")
    parser.option("--svg FILE.svg", "draw its last position into a file", names="files")
    parser.option("--gif FILE.gif", "draw it move by move into a file", names="files")


def doctor(_: Parser) -> None:
    """Check each step from this machine to the server.

    It prints a line for each, up to the first that fails.

        ttt-client doctor --server wss://example.org
    """


def bot(parser: Parser) -> None:
    """Let a program play.

    It is started here, and plays over the network.

        ttt-client bot check --exec './mybot'            no server is needed
        ttt-client bot den --exec './mybot' --vs fair --games 20
        ttt-client bot --lobby 4 --exec './mybot'

        The program reads one JSON object a line and answers with one:
        > {"type":"hello","protocol":"ttt-bot/1","rules":{...},"seat":"X","game":1}
        > {"type":"turn","board":".........","moves":[],"legal":[...],"time_ms":2000}
        < {"cell":4}
        > {"type":"over","winner":"X","reason":"line"}
        docs/client.md tells the rest; client/examples/bots has programs.
    """
    parser.option("room ROOM", "a room, or the word check", nargs="?")
    parser.option("--exec CMD", "the program, with arguments", required=True)
    words = "its language: lines of JSON (default), or that of Gomocup"
    parser.option("--protocol", words, choices=["json", "gomocup"], default="json")
    parser.option("--time T", "time for a move: 2s (default), 500ms", default="2s")
    words = "how long after its time an answer still counts (default: 250ms)"
    parser.option("--tolerance T", words, default="250ms")
    words = "what to do when it gives no legal move (default: resign the game)"
    parser.option("--on-failure", words, choices=["resign", "random"], default="resign")
    parser.option("--games N", "games to play; default: 1, in the lobby no limit")
    parser.option("--level 0-9", "TTT_LEVEL for the program", choices=list("0123456789"))
    words = "take open seats in the lobby, and play rematches, in up to ROOMS rooms at once"
    parser.option("--lobby ROOMS", words, nargs="?", const="1")
    words = "play the games in N rooms at once, ROOM-1 to ROOM-N, with a process each"
    parser.option("--parallel N", words, default="1")
    parser.option("--event EVENT", "take part in an event, and play its games")
    parser.usual("rules", "seat", "vs", "clock", "days", "opening", "password")
    parser.flag("--private", "keep a new room off the public list")
    parser.option("--log FILE", "write every line of the pipe to this file", names="files")
    words = "tell the room its reasons, values, times and errors: the replay shows them"
    parser.flag("--share-log", words)


def conformance(parser: Parser) -> None:
    """Test a server against the whole protocol.

    It prints a line for each check, in rooms of its own.

        ttt-client conformance ws://127.0.0.1:8765
    """
    parser.option("url URL", "default: that of --server", nargs="?")


def seats(parser: Parser) -> None:
    """Print links to the seats of rooms for others.

    A pair of players gets a room of its own, and each of them a link.

        ttt-client --server https://example.org seats Ada Bob --clock 5+3
        ttt-client --server https://example.org seats --pairs pairs.csv
    """
    parser.option("names NAME", "the two players, X first", nargs="*")
    words = "a pair of names in each line; - is standard input"
    parser.option("--pairs FILE.csv", words, names="files")
    parser.usual("rules", "clock", "opening")
    parser.option("--delay S", "spectator delay, in seconds")


ME_ACTIONS = {
    "show": "who you are, and your games (the default)",
    "keep": "keep the name TEXT, or that of --name",
    "link": "print a link for another device, which works once within ten minutes",
    "use": "be the person of the link or code TEXT on this machine, too",
    "phrase": "print six words that bring you back when every device is lost",
    "recover": "be TEXT again, by those six words, which are asked for",
    "sign-out": "sign out everywhere, here too",
    "challenges": "who challenges you, and whom you challenge",
    "accept": "accept the challenge of TEXT, a name",
    "decline": "decline the challenge of TEXT",
    "block": "take no more challenges from TEXT",
    "unblock": "take challenges from TEXT again",
    "export": "print all that the server keeps of you, as JSON",
    "forget": "have the server forget you; TEXT is your name, to say so",
}


def me(parser: Parser) -> None:
    """Keep your name on a server, and be the same on each of your devices.

    Nobody has to: without it you are a guest.

        ttt-client me keep Ada
        ttt-client me link
        ttt-client me use CODE
        ttt-client me recover Ada
    """
    words = "; ".join(f"{name}: {does}" for name, does in ME_ACTIONS.items())
    parser.option("action ACTION", words, nargs="?", default="show", choices=list(ME_ACTIONS))
    parser.option("text TEXT", "a name or a code", nargs="?")


def notify(parser: Parser) -> None:
    """Wait for notices, and ring at each: your turn, the end of a game, a challenge, a round.

    It needs the name that you keep on the server (ttt-client me keep). You are told what happens
    while you are away, in one line each; with --json, in a line of JSON. It goes on until Ctrl-C,
    also over restarts of the server. A command gets the notice as JSON on its standard input, and
    in TTT_NOTICE (its kind), TTT_NOTICE_TEXT, TTT_NOTICE_PATH and TTT_NOTICE_URL.

        ttt-client notify
        ttt-client notify --run 'notify-send "$TTT_NOTICE_TEXT"'
    """
    parser.option("--run CMD", "run this command of the shell at each notice, and do not ring")


def challenge(parser: Parser) -> None:
    """Challenge somebody who keeps a name on the server.

    It waits for a day. The other answers with `me accept` or `me decline`, or on the page.

        ttt-client challenge Ann
        ttt-client challenge Ann --rules 7x6x4g --clock 5+3 --rated
    """
    parser.option("text NAME", "the name that the other keeps")
    parser.usual("rules", "clock", "days", "opening")
    parser.flag("--rated", "let the games count for the ratings of both; needs a time")


EVENT_ACTIONS = {
    "create": "make an event",
    "join": "take part, and play one game after the other",
    "watch": "show the standings after every change; on a terminal the boards, too",
    "export": "print the results",
    "start": "begin",
    "pause": "stop pairing players",
    "resume": "go on after a pause",
    "next": "begin the next round of an event with --manual",
    "finish": "end early",
    "open": "let players enter",
    "close": "stop letting players enter",
    "announce": "show TEXT on the wall",
    "remove": "remove the player TEXT",
    "excuse": "withdraw the player TEXT, who has left",
    "add-ai": "let the AI TEXT take part: minimax:9",
    "invite": "print the link of a second organiser",
}


def event(parser: Parser) -> None:
    """Make, join, watch or organise an event.

    Its maker is its organiser.

        ttt-client event create friday --form arena --minutes 20 --clock 1+1
        ttt-client event join friday
        ttt-client event start friday
        ttt-client event watch friday
        ttt-client event export friday --format csv

        The organiser's rights are remembered on this machine.
        docs/events.md tells the rest.
    """
    words = "; ".join(f"{name}: {does}" for name, does in EVENT_ACTIONS.items())
    parser.option("action ACTION", words, choices=list(EVENT_ACTIONS))
    parser.option("event EVENT", "its name, as in its address")
    parser.option("text TEXT", "words, a player or an AI", nargs="?")
    forms = ["arena", "swiss", "round-robin", "knockout", "match", "simul"]
    parser.option("--form", "how players are paired", choices=forms)
    parser.option("--title TITLE", "default: the event's name")
    parser.option("--minutes N", "length of an arena (20)", type=_number)
    parser.option("--rounds N", "rounds of a Swiss (5)", type=_number)
    parser.option("--games N", "games of a match or tie (1)")
    parser.usual("rules", "clock", "days", "opening")
    parser.option("--grace S", "seconds that a player may be away (30)", type=_number)
    parser.option("--delay S", "spectator delay of its games, in seconds (0)")
    parser.option("--stand-in AI", "the AI that plays if the number of players is odd: rules")
    words = "half a point for each round of a Swiss that a late player missed"
    parser.flag("--late-half-points", words)
    parser.flag("--manual", "each round begins at `next`, in a Swiss without those who are absent")
    parser.flag("--public", "show the event on the front page; without it, only its name leads in")
    parser.option("--organiser TOKEN", "the organiser's token, from its link")
    words = "of an export: text (default), standings as CSV, a cross table, "
    words += "lines of JSON (default with --json)"
    parser.option("--format", words, choices=["text", "csv", "cross", "jsonl"])


def _number(text: str) -> int:
    """Parse a whole number, for `argparse`; the event's settings tell the limits."""
    try:
        return whole_number(text, 0, 10**18, "must be a whole number")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


_OF_GAMES = join, watch, rooms, play, strategies, explain, compare, explore, replay
_OTHERS = doctor, bot, conformance, seats, event, me, notify, challenge
COMMANDS: dict[str, Callable[[Parser], None]] = {
    add.__name__: add for add in (*_OF_GAMES, *_OTHERS)
}
"""What adds the arguments of each command, and tells its help: a line, more, and examples."""
