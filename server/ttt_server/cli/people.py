"""`ttt-server people`: count who keeps a name, and rebuild the index of their games."""

import asyncio

from ttt_protocol.text import counted
from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, tell
from ttt_server.cli.data import add_store, config_of, existing_database
from ttt_server.config.options import Config
from ttt_server.people.games import GameIndex
from ttt_server.people.log_reader import LogReader
from ttt_server.people.ratings import RatedGames, Ratings
from ttt_server.rooms.event_log import Feed
from ttt_server.storage import SQLITE, is_postgres, open_store
from ttt_server.storage.people import Statement

PROGRAM = "ttt-server people"

_DESCRIPTION = """Tell how many people keep a name, and how many games their lists have. The lists
and the ratings follow from the logs of the rooms: --reindex writes them anew. With SQLite no server
may run on the same folder meanwhile."""

_PERSONS, _GAMES = "SELECT count(*) FROM persons", "SELECT count(*) FROM games"


@command(PROGRAM, _DESCRIPTION)
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    parser.flag("--reindex", "first empty the lists, and read the logs of all rooms again")
    add_store(parser)
    asked = parser.parse_args(arguments)
    return tell(PROGRAM, asyncio.run(_attend(config_of(asked), is_wished=asked.reindex)))


async def _attend(config: Config, *, is_wished: bool) -> str:
    """Rebuild the tables if that is wished; return what is there then, in words."""
    if config.store == SQLITE:
        existing_database(config.data)  # to look makes none
    store = await open_store(config.store, config.data)
    try:
        if is_wished:
            is_alone = not is_postgres(config.store)
            tables = GameIndex(), RatedGames()
            reader = LogReader(store, tables, Feed(store), is_alone=is_alone)
            await reader.read_all()
            await Ratings(store.people).count()
        found = await store.people.transact((Statement(_PERSONS), Statement(_GAMES)))
    finally:
        await store.close()
    persons, games = (int(rows[0][0] or 0) for rows in found)
    return f"{counted(persons, 'person')}, {counted(games, 'game')} in their lists"
