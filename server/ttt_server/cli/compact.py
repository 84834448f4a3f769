"""`ttt-server compact`: remove old games and inactive rooms, and shrink the file."""

import time
from pathlib import Path

from ttt_protocol.state import RoomName
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, Progress, tell
from ttt_server.cli.data import add_folder, existing_database, require_folder
from ttt_server.config.options import load
from ttt_server.core.errors import InvalidLog
from ttt_server.storage.base import CannotOpen
from ttt_server.storage.retention import Retention
from ttt_server.storage.sqlite.compaction import Compaction
from ttt_server.storage.sqlite.opening import opened
from ttt_server.tournaments.log import silent_logs

PROGRAM = "ttt-server compact"

_DESCRIPTION = """Drop what need not be kept, by the same options as the server's, and make
the database as small as it can be: deleted events are gone from the file and its write-ahead log.
No server may run on the folder. It needs as much free disk as twice the database."""


@command(PROGRAM, _DESCRIPTION)
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.flag("--dry-run", "only tell what a run would free")
    parser.option("--keep-games N", "games of a room that are kept at least")
    words = "delete rooms without an event for this time: 90d"
    parser.option("--forget-rooms-after TIME", words)
    words = "delete tournaments without an event for this time, with their rooms: 30d"
    parser.option("--forget-events-after TIME", words)
    add_folder(parser)
    asked = parser.parse_args(arguments)
    names = ("data", "keep_games", "forget_rooms_after", "forget_events_after")
    flags = {name: value for name in names if (value := getattr(asked, name)) is not None}
    config = load(flags, asked.config)
    require_folder(config, "the servers drop what need not be kept, by the same options")
    done = _work(existing_database(config.data), config.retention, dry=asked.dry_run)
    return tell(PROGRAM, done)


def _work(path: Path, retention: Retention, *, dry: bool) -> str:
    """Do it, or find out what it would do; return the result in words.

    Raises:
        CannotOpen: with one line for the operator.
    """
    now = time.time_ns() // 1_000_000
    also = _silent_tournaments(path, retention, now)
    with Progress(1, "rooms") as progress:
        compaction = Compaction(path, retention, now, progress.show, also)
        return f"would free about: {compaction.survey()}" if dry else f"freed: {compaction.run()}"


def _silent_tournaments(path: Path, retention: Retention, now: int) -> frozenset[RoomName]:
    """Return the logs of the tournaments that go, and of their games' rooms.

    Raises:
        CannotOpen: with one line for the operator.
    """
    after_s = retention.forget_tournaments_after_s
    if after_s is None:
        return frozenset()
    with opened(path) as tables:
        try:
            return frozenset(silent_logs(tables.rooms(), tables.lines, now - round(after_s * 1000)))
        except InvalidLog as error:
            raise CannotOpen(f"{path}: {error}") from None
