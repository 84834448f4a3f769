"""The command: parse the arguments, poll the metrics, show them."""

import json
import os
import select
import shutil
import signal
import sys
import termios
import time
import tty
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from http.client import HTTPException
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from ttt_server.cli.console import FAILED, CommandParser, between, fail, tell
from ttt_server.cli.top.figures import NoMetrics, Scrape, figures, lines

PROGRAM = "ttt-server top"
DEFAULT = "http://127.0.0.1:8765"

_DESCRIPTION = """Show how a server does: rooms, connections, moves and refusals by the second,
slow peers, and how long the disk, a move and the event loop take. On a terminal it goes on until q
or Ctrl-C; elsewhere it prints once."""

_TIMEOUT_S = 5
_MOST_BYTES = 1 << 22
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
"""Between them the terminal truncates long lines instead of wrapping them."""
_HOME, _WHOLE_LINE, _REST = "\x1b[H", "\x1b[2K", "\x1b[J"


_seconds = between(0.1, 3600, "from 0.1 to 3600")


class NoServer(Exception):
    """The server returned no metrics; the message is for the operator."""


def run(arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser = CommandParser(PROGRAM, _DESCRIPTION)
    parser.option("--server URL", f"default: {DEFAULT}", type=_server, default=DEFAULT)
    words = "seconds between two readings, which are compared (default: 2)"
    parser.option("--interval S", words, type=_seconds, default=2.0)
    parser.flag("--json", "print one object; docs/metrics.md describes it")
    asked = parser.parse_args(arguments)
    if sys.stdin.isatty() and sys.stdout.isatty() and not asked.json:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # to restore the terminal
        return _watch(asked)
    try:
        before = _read(asked.server)
        time.sleep(asked.interval)
        found = figures(before, _read(asked.server))
    except NoServer as error:
        return fail(PROGRAM, error, FAILED)
    if asked.json:
        return tell(PROGRAM, json.dumps(asdict(found)))
    return tell(PROGRAM, "\n".join(lines(found, asked.server, colours=False)))


def _server(text: str) -> str:
    """Return the HTTP address of a server, however it was written."""
    address = text if "://" in text else f"http://{text}"
    address = address.replace("ws", "http", 1) if address.startswith("ws") else address
    try:
        parts = urlsplit(address)
        is_port = parts.port != 0  # reading it raises for what is no port
        is_host = parts.hostname and not any(map(str.isspace, address))
        is_http = parts.scheme in {"http", "https"} and is_host and is_port
    except ValueError:
        is_http = False
    if not is_http:
        raise ArgumentTypeError(f"{text}: must be like http://127.0.0.1:8765")
    return address.rstrip("/")


def _read(server: str) -> Scrape:
    """Fetch the metrics.

    Raises:
        NoServer: if there are none.
    """
    opener = build_opener(ProxyHandler({}))  # a proxy would take 127.0.0.1 for itself
    try:
        with opener.open(f"{server}/metrics", timeout=_TIMEOUT_S) as answer:
            text = answer.read(_MOST_BYTES).decode()
        return Scrape.parse(text, time.monotonic())
    except (NoMetrics, UnicodeDecodeError, HTTPException):
        raise NoServer(f"{server}: what answers there is no ttt-server") from None
    except URLError as error:
        reason = error.reason
        words = reason.strerror if isinstance(reason, OSError) else str(reason)
        raise NoServer(f"{server}: {words or reason}") from None
    except OSError as error:
        raise NoServer(f"{server}: {error.strerror or error}") from None


def _watch(asked: Namespace) -> int:
    """Show the figures until a key ends it."""
    colours = not os.environ.get("NO_COLOR")
    before: Scrape | None = None
    shown: list[str] = []
    with _screen():
        while True:
            try:
                now = _read(asked.server)
            except NoServer as error:
                before, said = None, f"{error}; trying again"
            else:
                said = "q ends"
                if before is not None:
                    shown = [*lines(figures(before, now), asked.server, colours=colours)]
                before = now
            _draw([*(shown or ["reading …"]), "", said])
            if _is_ended(asked.interval):
                return 0


def _draw(shown: list[str]) -> None:
    rows = shutil.get_terminal_size().lines
    text = "".join(f"{_WHOLE_LINE}{line}\r\n" for line in shown[: rows - 1])
    sys.stdout.write(f"{_HOME}{text}{_REST}")
    sys.stdout.flush()


def _is_ended(within_s: float) -> bool:
    """Wait for a key; return whether it ends the program."""
    end = time.monotonic() + within_s
    while (left := end - time.monotonic()) > 0:
        if select.select([sys.stdin], [], [], left)[0]:
            key = os.read(sys.stdin.fileno(), 1)
            if key in {b"q", b"Q", b"\x03", b"\x04", b""}:
                return True
    return False


@contextmanager
def _screen() -> Iterator[None]:
    """Take over the terminal, and restore it afterwards."""
    descriptor = sys.stdin.fileno()
    modes = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        sys.stdout.write(_ENTER)
        yield
    finally:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
        termios.tcsetattr(descriptor, termios.TCSADRAIN, modes)
