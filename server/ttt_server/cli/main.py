"""`ttt-server`: the server itself, or one of the other commands of its program."""

import gc
import os
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from ttt_server.cli.console import INTERRUPTED


@dataclass(frozen=True, slots=True)
class Command:
    """A command beside the server."""

    module: str
    """Has `run(arguments) -> exit status`. Imported when it is asked for: most starts are not."""

    about: str
    """For the help, what to use it for: to …"""


COMMANDS = {
    "arena": Command("ttt_server.cli.arena.command", "to let strategies play each other"),
    "learner": Command("ttt_server.cli.learner.command", "to see and train what the learner knows"),
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
    """A standard descriptor that is closed would be the next file or socket; `uvloop` aborts then.

    The processes that think begin with them, too.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = _nowhere(mode)  # takes the lowest descriptor that is free: this one
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def _nowhere(mode: str) -> IO[Any]:
    return Path(os.devnull).open(mode, encoding="utf-8")


def run(arguments: list[str]) -> int:
    """Runs the command that the first argument names, else the server; its exit status."""
    if arguments and (command := COMMANDS.get(arguments[0])):
        module, rest = command.module, arguments[1:]
    else:
        module, rest = _SERVER, arguments
    status: int = _imported(module).run(rest)
    return status


def _imported(module: str) -> ModuleType:
    """The module. What it is made of stays to the end: nobody looks for garbage there."""
    gc.disable()
    imported = import_module(module)
    gc.freeze()
    gc.enable()
    return imported
