"""The lobby: the list of its public rooms, and the search for a player who wants the same game."""

from dataclasses import KW_ONLY, dataclass

from ttt_client.model import words
from ttt_client.model.typed import Own, Ready, TypedAnswer, Word
from ttt_client.model.view import View
from ttt_client.net.session import Ending, Heard, NotConnected, Note, RoomSession, SessionEvent
from ttt_client.play.events import EndOfInput, Typed, open_events
from ttt_client.play.frontends import Frontend
from ttt_client.terminal.stdin import LineSource
from ttt_protocol.codec import encode_command
from ttt_protocol.commands import Command, Seek
from ttt_protocol.messages import AiOffered, Paired, Refused, Rooms


async def show_rooms(session: RoomSession, frontend: Frontend, *, follow: bool) -> Ending:
    """Show the rooms once, or after every change until the program is stopped."""
    async with open_events(session) as events:
        while not isinstance(event := await events.get(), Ending):
            if isinstance(event, Note):
                frontend.show_connection(event)
            elif isinstance(event, Heard):
                frontend.show_message(View(), event, View())
                if isinstance(event.message, Rooms) and not follow:
                    return Ending(0)
        return event


@dataclass(eq=False)
class QuickMatch:
    """A search on `/ws/play`, with a frontend to show it on.

    Args:
        session: the connection of the search, dialled again when it is lost.
        seek: the wanted board and clock.
        frontend: the place to show it on.
        takes_ai: whether to play the AI that offers itself, without being asked.
    """

    session: RoomSession
    seek: Seek
    frontend: Frontend
    _: KW_ONLY
    takes_ai: bool

    async def run(self, source: LineSource | None) -> Paired | Ending:
        """Search until an opponent is found, or the search ends.

        Args:
            source: the lines that are typed meanwhile; None leaves them to the game.
        """
        async with open_events(self.session, source) as events:
            while True:
                event = await events.get()
                found = await self._take(event)
                if found is not None:
                    return found
                if isinstance(event, Typed):
                    events.taken()

    async def _take(self, event: SessionEvent | Typed | EndOfInput) -> Paired | Ending | None:
        match event:
            case Ending():
                return event
            case Note():
                self.frontend.show_connection(event)
            case Heard():
                return await self._hear(event)
            case Typed(line=line):
                return await self._obey(self.frontend.parse(line))
            case EndOfInput():
                return Ending(0)
        return None

    async def _hear(self, heard: Heard) -> Paired | Ending | None:
        self.frontend.show_message(View(), heard, View())
        match heard.message:
            case Paired() as paired:
                return paired
            case AiOffered() if self.takes_ai:
                await self._accept()
            case Refused(code=code, reason=reason):
                return Ending(4, f"refused: {words.refusal(code, reason)} ({code})", code)
            case _:
                pass
        return None

    async def _obey(self, word: Word | None) -> Ending | None:
        match word:
            case Own(word="quit"):
                return Ending(0)
            case Own(word="retry"):
                self.session.retry_now()
            case Own(word="help"):
                self.frontend.show_help()
            case TypedAnswer(word="accept"):
                await self._accept()
            case Ready(command=command, raw=str(raw)):
                await self._send(command, raw)
            case None | TypedAnswer():
                pass
            case _:
                self.frontend.refuse("there is no room yet: accept plays the AI, quit ends it")
        return None

    async def _accept(self) -> None:
        await self._send(self.seek.model_copy(update={"ai": True}), None)

    async def _send(self, command: Command, raw: str | None) -> None:
        try:
            await self.session.send(raw if raw is not None else encode_command(command))
        except NotConnected:
            self.frontend.refuse("not connected yet: try again")
