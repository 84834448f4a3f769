"""`ttt-server`: the server, or the command named by the first argument."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from ttt_server.cli.console import importing
from ttt_server.cli.interrupts import INTERRUPTED

COMMANDS = {
    "arena": ("arena.command.run", "let strategies play each other"),
    "backup": ("backup.run_backup", "copy all rooms to a file, also while it runs"),
    "check": ("check.run", "read all logs, and name what is wrong"),
    "cluster": ("cluster.run", "show the servers on one PostgreSQL"),
    "compact": ("compact.run", "drop old games and free the disk"),
    "conformance": ("conformance.run", "play a client through a script, and judge it"),
    "copy": ("copying.command.run", "move an installation to another store"),
    "export": ("games.run_export", "write games to a file"),
    "import": ("games.run_import", "take games back from such a file"),
    "ladder": ("ladder.run", "play a standing ladder of programs"),
    "learner": ("learner.run", "show and train what the learner knows"),
    "people": ("people.run", "count people, and rebuild their lists of games"),
    "restore": ("backup.run_restore", "go on from a backup"),
    "top": ("top.command.run", "show how a server does"),
    "variant": ("variant.run", "check a game of a plug-in"),
}
"""The commands other than the server: a function `run(arguments) -> exit status` of a module here,
which is imported when the command runs; and its purpose, for the help."""


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
    path, rest = "serve.run", arguments
    if arguments and arguments[0] in COMMANDS:
        (path, _), rest = COMMANDS[arguments[0]], arguments[1:]
    module, _, function = path.rpartition(".")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for them takes 9 ms
    with importing():
        program = import_module(f"ttt_server.cli.{module}")
    status: int = getattr(program, function)(rest)
    return status
