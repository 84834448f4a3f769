"""`ttt-server`: the server, or the command named by the first argument."""

import os
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from ttt_server.cli.console import importing
from ttt_server.cli.interrupts import INTERRUPTED


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A command other than the server."""

    module: str
    """A module with `run(arguments) -> exit status`, imported when the command runs."""

    about: str
    """Its purpose, for the help: "copy all rooms …"."""


COMMANDS = {
    "arena": Subcommand("ttt_server.cli.arena.command", "let strategies play each other"),
    "backup": Subcommand("ttt_server.cli.backup", "copy all rooms to a file, also while it runs"),
    "check": Subcommand("ttt_server.cli.check", "read all logs, and name what is wrong"),
    "cluster": Subcommand("ttt_server.cli.cluster", "show the servers on one PostgreSQL"),
    "compact": Subcommand("ttt_server.cli.compact", "drop old games and free the disk"),
    "conformance": Subcommand(
        "ttt_server.cli.conformance", "play a client through a script, and judge it"
    ),
    "copy": Subcommand("ttt_server.cli.copying.command", "move an installation to another store"),
    "export": Subcommand("ttt_server.cli.games.export", "write games to a file"),
    "import": Subcommand("ttt_server.cli.games.imports", "take games back from such a file"),
    "ladder": Subcommand("ttt_server.cli.ladder", "play a standing ladder of programs"),
    "learner": Subcommand(
        "ttt_server.cli.learner.command", "show and train what the learner knows"
    ),
    "people": Subcommand("ttt_server.cli.people", "count people, and rebuild their lists of games"),
    "restore": Subcommand("ttt_server.cli.restore", "go on from a backup"),
    "top": Subcommand("ttt_server.cli.top.command", "show how a server does"),
    "variant": Subcommand("ttt_server.cli.variant", "check a game of a plug-in"),
}

_SERVER = "ttt_server.cli.serve"


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
    if arguments and (command := COMMANDS.get(arguments[0])):
        module, rest = command.module, arguments[1:]
    else:
        module, rest = _SERVER, arguments
    with importing():
        program = import_module(module)
    status: int = program.run(rest)
    return status
