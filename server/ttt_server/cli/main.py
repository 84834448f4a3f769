"""`ttt-server`: the server, or the command named by the first argument."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from ttt_server.cli.console import importing
from ttt_server.cli.interrupts import INTERRUPTED

COMMANDS = {
    "arena": ("arena.command", "let strategies play each other"),
    "backup": ("backup", "copy all rooms to a file, also while it runs"),
    "check": ("check", "read all logs, and name what is wrong"),
    "cluster": ("cluster", "show the servers on one PostgreSQL"),
    "compact": ("compact", "drop old games and free the disk"),
    "conformance": ("conformance", "play a client through a script, and judge it"),
    "copy": ("copying.command", "move an installation to another store"),
    "export": ("games.export", "write games to a file"),
    "import": ("games.imports", "take games back from such a file"),
    "ladder": ("ladder", "play a standing ladder of programs"),
    "learner": ("learner", "show and train what the learner knows"),
    "people": ("people", "count people, and rebuild their lists of games"),
    "restore": ("restore", "go on from a backup"),
    "top": ("top.command", "show how a server does"),
    "variant": ("variant", "check a game of a plug-in"),
}
"""The commands other than the server: a module here with `run(arguments) -> exit status`, imported
when the command runs; and its purpose, for the help."""


def main() -> None:
    """The `ttt-server` command."""
    _open_closed()
    try:
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


def _open_closed() -> None:
    """Connect closed standard streams to the null device.

    The next file or socket would take the free descriptor, and `uvloop` aborts then. The processes
    that think inherit the streams.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = _nowhere(mode)  # takes the lowest free descriptor: this one
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def _nowhere(mode: str) -> IO[Any]:
    return Path(os.devnull).open(mode, encoding="utf-8")


def run(arguments: list[str]) -> int:
    """Run the command named by the first argument, or the server; return its exit status."""
    module, rest = "serve", arguments
    if arguments and arguments[0] in COMMANDS:
        (module, _), rest = COMMANDS[arguments[0]], arguments[1:]
    with importing():
        program = import_module(f"ttt_server.cli.{module}")
    status: int = program.run(rest)
    return status
