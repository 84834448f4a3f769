"""A stay in one room on the full screen: its controller, the round trips, what was there before."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ttt_client.model.view import View
from ttt_client.net.address import ServerAddress
from ttt_client.net.session import Ending, Session
from ttt_client.play.controller import SAME_COMMAND, RoomController
from ttt_client.play.events import beside
from ttt_client.play.ratings import RatingNews
from ttt_client.play.recordings import events_before
from ttt_client.tui.scenes.room import RoomScene


async def stay(
    scene: RoomScene,
    session: Session,
    comeback: str = SAME_COMMAND,
    server: ServerAddress | None = None,
) -> Ending:
    """Stay in one room until the player leaves it; ask the server how strong the players are."""
    ratings = None if server is None else RatingNews(server, scene.say, scene.rate)
    end, _ = await stay_until(scene, session, comeback, ratings)
    return end


async def stay_until(
    scene: RoomScene,
    session: Session,
    comeback: str = SAME_COMMAND,
    ratings: RatingNews | None = None,
) -> tuple[Ending, bool]:
    """Stay in one room; return the end, and whether the player quit the program."""
    async with beside(scene.measure()):
        controller = RoomController(
            scene.watch(session),
            scene,
            terminal=True,
            forever=True,
            view=View(is_shared=scene.is_shared),
            comeback=comeback,
            ratings=ratings,
        )
        return await controller.run(scene), controller.has_quit


@asynccontextmanager
async def recalled(scene: RoomScene, server: ServerAddress) -> AsyncIterator[None]:
    """Add what happened in the game before this client came to the feed, if it may be read."""

    async def recall() -> None:
        welcome = await scene.first_welcome()
        scene.recall(await events_before(server, welcome), welcome)

    async with beside(recall()):
        yield
