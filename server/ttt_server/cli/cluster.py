"""`ttt-server cluster`: the servers on one PostgreSQL; and its tables spread over machines."""

import asyncio
import json
from datetime import datetime
from typing import Any, Final

from ttt_server.cli.command import command
from ttt_server.cli.console import CommandParser, tell, warn
from ttt_server.config.options import InvalidConfig, load
from ttt_server.storage import is_postgres, require_asyncpg

PROGRAM = "ttt-server cluster"

_DESCRIPTION = """Show the servers on one PostgreSQL: the address at which the others reach each,
since when it runs, and how many rooms and connections it has. It changes nothing, unless it is
called with the word distribute: that spreads the logs of rooms over the machines of Citus."""

_COLUMNS: Final = "server", "address", "since", "rooms", "connections", "alive"


@command(PROGRAM, _DESCRIPTION)
def run(parser: CommandParser, arguments: list[str]) -> int:
    """Run the command with these arguments; return its exit status."""
    words = "spread the logs by room over the machines of Citus, where no server runs"
    parser.add_argument("action", nargs="?", choices=("distribute",), help=words)
    parser.option("--store URL", "the database, as for the server")
    parser.option("--config FILE", "the TOML file of options, as for it")
    parser.flag("--json", "print JSON, one object for all")
    asked = parser.parse_args(arguments)
    if asked.action and asked.json:
        parser.error("--json is for the list of servers")
    config = load({"store": asked.store} if asked.store else {}, asked.config)
    if not is_postgres(config.store):
        raise InvalidConfig("--store: must be postgresql://USER@HOST/DATABASE")
    require_asyncpg()
    if asked.action:
        return tell(PROGRAM, asyncio.run(_distribute(config.store)))
    servers, risks = asyncio.run(_servers(config.store))
    for risk in risks:
        warn(PROGRAM, risk)
    if asked.json:
        return tell(PROGRAM, json.dumps({"servers": servers, "warnings": risks}))
    return tell(PROGRAM, as_table(servers))


def as_table(servers: list[dict[str, Any]]) -> str:
    """Return the servers as a table, one a line."""
    if not servers:
        return "no server runs on this database"
    rows = [list(_COLUMNS)]
    for server in servers:
        since = datetime.fromisoformat(server["since"]).strftime("%Y-%m-%d %H:%M:%S")
        cells = server | {
            "server": server["server"][:8],
            "since": since,
            "alive": "yes" if server["alive"] else "no",
        }
        rows.append([str(cells[column]) for column in _COLUMNS])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


async def _distribute(url: str) -> str:
    """Spread the logs; return where they are then, in words."""
    from ttt_server.storage.postgres import schema
    from ttt_server.storage.postgres.connecting import DatabaseUrl

    target = DatabaseUrl(url)
    async with target.connected() as connection:
        await schema.require_citus(connection)
        await schema.prepare(target, connection)
        parts, machines = await schema.distribute(connection)
    on = "1 machine" if machines == 1 else f"{machines} machines"
    return f"the logs are spread by room: {parts} parts on {on}"


async def _servers(url: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the servers, and what to warn of."""
    from ttt_server.storage.postgres import schema, statements
    from ttt_server.storage.postgres.connecting import DatabaseUrl

    async with DatabaseUrl(url).connected() as connection:
        if not await connection.fetchval(statements.HAS_META):
            return [], []  # no server has been here yet
        rows = await connection.fetch(statements.SERVERS)
        risks = await schema.risks(connection)
    servers = [
        {
            "server": str(row["id"]),
            "address": row["address"],
            "since": row["started_at"].isoformat(),
            "rooms": row["rooms"],
            "connections": row["connections"],
            "alive": row["is_alive"],
        }
        for row in rows
    ]
    return servers, risks
