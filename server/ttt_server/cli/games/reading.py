"""Read games from a store, whose logs may begin after games that were dropped."""

from argparse import ArgumentTypeError
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from ttt_protocol.codec import decode_log
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import InvalidRoomName, RoomName, parse_room_name
from ttt_server.cli.data import database_in
from ttt_server.config.options import Config
from ttt_server.core.archive.saved_room import restore
from ttt_server.core.evolve import evolve_all
from ttt_server.core.game_record import exported_games
from ttt_server.core.room import Room
from ttt_server.storage import SQLITE, open_store
from ttt_server.storage.base import EventStore
from ttt_server.storage.sqlite.store import SqliteStore
from ttt_server.tournaments.log import is_tournament

_PAGE = 500
"""How many names of rooms to read at once."""


@asynccontextmanager
async def store_to_read(config: Config) -> AsyncIterator[EventStore]:
    """Open the store of these options: a backup of it, if a server runs on its folder.

    Raises:
        CannotOpen, StorageFailed: with one line for the operator.
    """
    with ExitStack() as stack:
        store: EventStore
        if config.store == SQLITE:
            store = SqliteStore(stack.enter_context(database_in(config.data)))
        else:
            store = await open_store(config.store, config.data)
        try:
            yield store
        finally:
            await store.close()


async def room_names(store: EventStore) -> list[RoomName]:
    """Return the names of all rooms, in order, without the logs of events.

    Raises:
        StorageFailed: if they could not be read.
    """
    names: list[RoomName] = []
    after = ""
    while page := await store.browse(after, _PAGE):
        names += (last.room for last in page if not is_tournament(last.room))
        after = page[-1].room
    return names


async def read_games_of(store: EventStore, name: RoomName) -> tuple[Room, list[ExportedGame]]:
    """Return a room, and its games as far as they are kept.

    Raises:
        InvalidLog, InvalidWire, EngineError: if the log is inconsistent.
        StorageFailed: if it could not be read.
    """
    found = await store.load(name, 0)
    start = Room(name) if found.start is None else restore(name, found.start)
    log = decode_log(found.lines)
    return evolve_all(start, log), list(exported_games(start, log))


def parse_room(text: str) -> RoomName:
    """Parse the name of a room, for `argparse`."""
    try:
        return parse_room_name(text)
    except InvalidRoomName as error:
        raise ArgumentTypeError(str(error)) from None
