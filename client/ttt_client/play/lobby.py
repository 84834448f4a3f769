"""The list of public rooms."""

from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, Note, RoomSession
from ttt_client.play.events import open_events
from ttt_client.play.frontends import Frontend
from ttt_protocol.messages import Rooms


async def show_rooms(session: RoomSession, frontend: Frontend, *, follow: bool) -> Ending:
    """Show the rooms once, or after every change until the program is stopped."""
    async with open_events(session) as events:
        while True:
            match await events.get():
                case Ending() as end:
                    return end
                case Note() as note:
                    frontend.show_connection(note)
                case Heard() as heard:
                    frontend.show_message(View(), heard, View())
                    if isinstance(heard.message, Rooms) and not follow:
                        return Ending(0)
                case _:  # pragma: no cover - there is no input here
                    raise AssertionError("a line without an input")
