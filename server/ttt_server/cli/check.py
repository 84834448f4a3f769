"""`ttt-server check`: reads every log as the server does, and names what is wrong."""

from pathlib import Path
from tempfile import TemporaryDirectory

from ttt_protocol.state import RoomName
from ttt_protocol.text import counted
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, Progress, tell, warn
from ttt_server.cli.copying.command import copy
from ttt_server.cli.data import add_folder, config_of, database_in
from ttt_server.storage import DATABASE, is_postgres
from ttt_server.storage.base import StorageFailed
from ttt_server.storage.sqlite.audit import RoomAudit, audit_room, damage
from ttt_server.storage.sqlite.opening import opened
from ttt_server.storage.sqlite.people import count_persons
from ttt_server.storage.sqlite.tables import EventTables
from ttt_server.tournaments.log import audit, is_tournament, tournament_name

PROGRAM = "ttt-server check"

_DESCRIPTION = """Read the log of every room from its first event on, by the rules of the server,
and name each room and event that contradicts the ones before it. While a server runs on the folder,
it checks a backup that is made for it, and of rooms in PostgreSQL a copy. The exit status is 1 if
anything is wrong."""


@command(PROGRAM, _DESCRIPTION)
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.option("file FILE", "a backup to check", type=Path, nargs="?")
    add_folder(parser)
    asked = parser.parse_args(arguments)
    if asked.file is not None:
        with opened(asked.file) as tables:
            return check(tables)
    config = config_of(asked)
    if is_postgres(config.store):
        with TemporaryDirectory(prefix="ttt-server-check-") as folder:
            file = Path(folder) / DATABASE
            copy(config.store, f"sqlite://{file}")  # as the rooms are at one moment
            with opened(file) as tables:
                return check(tables)
    with database_in(config.data) as file, opened(file) as tables:
        return check(tables)


def check(tables: EventTables) -> int:
    """Check all logs, tell the result, and return the exit status."""
    faults = []
    if (broken := damage(tables)) is not None:
        faults.append(f"the database: {broken}")
    rooms = tables.rooms()
    events = games = 0
    with Progress(len(rooms), "rooms") as progress:
        for room in rooms:
            seen = _audit(tables, room)
            events, games = events + seen.events, games + seen.games
            progress.advance(1)
            if seen.fault is not None:
                faults.append(f"room {room}: {seen.fault}")
    for fault in faults:
        warn(PROGRAM, fault)
    found = [counted(len(rooms), "room"), counted(games, "game"), counted(events, "event")]
    if people := count_persons(tables.database):
        found.append(counted(people, "person"))
    if faults:
        raise StorageFailed(", ".join([*found, counted(len(faults), "fault")]))
    return tell(PROGRAM, ", ".join([*found, "nothing wrong"]))


def _audit(tables: EventTables, name: RoomName) -> RoomAudit:
    """Check the log of a room or of an event."""
    if not is_tournament(name):
        return audit_room(tables, name)
    it, fault = audit(tournament_name(name), (line for _, line in tables.numbered(name)))
    return RoomAudit(name, it.seq, 0, fault)
