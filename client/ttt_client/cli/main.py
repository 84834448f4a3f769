"""The command line of `ttt-client`.

The modules of the commands are imported after the arguments are read, or after the first frame of
the full screen: they take ten times as long as `--help`.
"""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from ttt_client import DEFAULT_SERVER
from ttt_client.cli.command_line import COMMANDS, make_parser
from ttt_client.cli.interrupts import INTERRUPTED, exit_on_signals, raise_on_interrupt

try:
    from ttt_client.tui.terminal import Terminal
except ImportError:  # no POSIX terminal
    Terminal = None  # type: ignore[assignment,misc]

_SCREENS = {"join", "watch", "rooms", "play", "replay", "explore"}
"""The commands with a full screen; the others print lines, on a terminal too."""
_EVENT_SCREENS = {"join", "watch"}
"""The actions of `event` with a full screen."""
_FLAGS = ("plain", "json", "ascii", "no_mouse", "moves", "both", "ai")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ttt-client` and return its exit code."""
    try:
        arguments = _read(sys.argv[1:] if argv is None else argv)
        return _run_full_screen(arguments) if _full_screen(arguments) else _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def parse(argv: Sequence[str]) -> Namespace:
    """Return the checked arguments; wrong ones end the program with a line and exit code 2."""
    return _check(_read(argv))


def _run(arguments: Namespace, terminal: "Terminal | None" = None) -> int:
    checked = _check(arguments, terminal)
    from ttt_client.cli.commands import run

    raise_on_interrupt()
    return run(checked, terminal)


def _run_full_screen(arguments: Namespace) -> int:
    if Terminal is None:
        words = "the full screen needs a POSIX terminal, or WSL; using lines of text"
        print(f"ttt-client: {words}", file=sys.stderr)
        return _run(arguments)

    terminal = Terminal()
    try:
        # The first frame comes before the slow imports.
        exit_on_signals(terminal.leave)
        terminal.enter(arguments.place, _server_words(arguments), ascii_only=arguments.ascii)
        return _run(arguments, terminal)
    finally:
        terminal.leave()


def _read(argv: Sequence[str]) -> Namespace:
    """Return the arguments as they were typed, with `place`: what the header of the screen says."""
    parser = make_parser()
    typed = vars(parser.parse_args(argv))
    if typed["command"] is None:
        if _is_terminal() and not set(typed) & {"plain", "json", "moves"}:
            typed |= {"command": "rooms", "follow": False}
        else:
            *others, last = COMMANDS
            parser.error(f"say what to do: {', '.join(others)} or {last}")
    places = {"watch": "television"} | {name: name for name in ("rooms", "play", "explore")}
    place = typed.get("room") or typed.get("event") or places.get(typed["command"], "")
    place = place.rstrip("/").rpartition("/")[2]  # of a web address
    return Namespace(**dict.fromkeys(_FLAGS, False) | typed, place=place)


def _check(arguments: Namespace, terminal: "Terminal | None" = None) -> Namespace:
    """Return the arguments in the protocol's terms, or end the program with a line of error."""
    from ttt_client.cli.arguments import WrongUsage, complete

    try:
        return complete(arguments)
    except WrongUsage as error:
        if terminal is not None:
            terminal.leave()
        make_parser().error(str(error))
        raise  # never reached: `error` ends the program


def _full_screen(arguments: Namespace) -> bool:
    """Return whether there is a terminal to draw on, and no option against it."""
    command, action = arguments.command, getattr(arguments, "action", None)
    has_screen = command in _SCREENS or (command == "event" and action in _EVENT_SCREENS)
    against = ("plain", "moves", "json", "svg", "gif")
    has_other_form = any(getattr(arguments, option, None) for option in against)
    return has_screen and not has_other_form and _is_terminal()


def _is_terminal() -> bool:
    """Return whether there is a terminal that can show a full screen."""
    known = os.environ.get("TERM", "dumb") not in {"dumb", ""}
    return known and os.isatty(0) and os.isatty(1)


def _server_words(arguments: Namespace) -> str:
    """Return the server's address as the screen shows it."""
    given = getattr(arguments, "server", None) or os.environ.get("TTT_SERVER") or DEFAULT_SERVER
    return given.partition("://")[2] or given
