from collections.abc import Awaitable, Callable

from websockets.asyncio.server import ServerConnection

from ttt_client.net.session import Ending, Note
from ttt_client.tournaments.taking_part import EventSession
from ttt_protocol.tournament.commands import Watch
from ttt_protocol.tournament.messages import TournamentMessage

Start = Callable[..., Awaitable[str]]


async def test_a_first_command_that_came_too_late_is_told_so(scripted: Start) -> None:
    async def script(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.close(1008, "this is against the rules of the server")

    async def report(event: TournamentMessage | Note, _: str) -> None:
        raise AssertionError(event)

    end = await EventSession(await scripted(script), Watch()).run(report)
    assert end == Ending(1, "the server cut the connection: no join came in time")
