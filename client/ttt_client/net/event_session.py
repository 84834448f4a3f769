"""A part in an event that outlives its connections: enter, resume, back off."""

import random
from collections.abc import Awaitable, Callable

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from ttt_client.model import words
from ttt_client.net.dial import Rejected, Unreachable, dial
from ttt_client.net.entrance import TokenStore
from ttt_client.net.pauses import growing_pauses
from ttt_client.net.session import OPEN_S, PASSING, REDIAL_S, Ending, Note, ResumedSession
from ttt_protocol.codec import BadMessage, encode_command
from ttt_protocol.codes import CloseCode, RefusalCode
from ttt_protocol.messages import Refused
from ttt_protocol.state import Token
from ttt_protocol.text import clean
from ttt_protocol.tournament.codec import decode_tournament_message
from ttt_protocol.tournament.commands import Enter, FirstCommand, Organise
from ttt_protocol.tournament.messages import TournamentMessage, TournamentWelcome

EventReport = Callable[[TournamentMessage | Note, str], Awaitable[None]]
"""Takes a message with its JSON, or a note on the connection with an empty text."""


class EventSession(ResumedSession):
    """A part in an event, which outlives its connections.

    Args:
        url: the WebSocket address of the event.
        first: the first command; later connections come back with the token of the first.
        tokens: a store for that token, so that a later session is the same player or organiser.
    """

    def __init__(self, url: str, first: FirstCommand, tokens: TokenStore | None = None) -> None:
        super().__init__(url, tokens)
        self._first = first
        self._has_been_in = False

    async def run(self, report: EventReport) -> Ending:
        """Stay in the event until the server ends it, and report every message."""
        if isinstance(self._first, Enter) and (token := self._tokens.recall()) is not None:
            self._first = Enter(name=self._first.name, token=token, bot=self._first.bot)
        pauses = growing_pauses(random.random)
        while True:
            end = await self._connect_once(report)
            if isinstance(end, Ending):
                return end
            pause = next(pauses)
            await report(Note(end, pause), "")
            await self._pause.take(pause)

    async def _connect_once(self, report: EventReport) -> Ending | str:
        """Serve one connection; return why it was lost, if the event goes on."""
        try:
            limit_s = REDIAL_S if self._has_been_in else OPEN_S
            connection = await dial(self._url, open_timeout_s=limit_s)
        except Rejected as error:
            return Ending(4, error.words)
        except Unreachable as error:
            lost = f"cannot reach the server: {error.words}"
            return lost if self._has_been_in else Ending(3, lost)
        try:
            await connection.send(encode_command(self._first), text=True)
            async for frame in connection:
                raw = frame if isinstance(frame, str) else frame.decode(errors="replace")
                message = _read(raw)
                if isinstance(message, TournamentWelcome):
                    self._come_in(message, connection)
                elif isinstance(message, Refused) and self._connection is None:
                    return self._refused(message)
                if message is not None:
                    await report(message, raw)
        except ConnectionClosed:
            pass
        finally:
            was_in, self._connection = self._connection is not None, None
            await connection.close()
        if connection.close_code == CloseCode.POLICY and not was_in:
            return Ending(1, words.LATE_JOIN)
        if connection.close_code in (CloseCode.POLICY, CloseCode.BYE):
            return Ending(1, words.close(CloseCode(connection.close_code), connection.close_reason))
        return "the connection was lost"

    def _come_in(self, welcome: TournamentWelcome, connection: ClientConnection) -> None:
        self._connection = connection
        self._has_been_in = True
        token = welcome.you.token
        if token is None:
            return
        self._tokens.remember(Token(token))
        if welcome.you.role == "organiser":
            self._first = Organise(token=token)
        else:
            self._first = Enter(token=token)

    def _refused(self, refused: Refused) -> Ending | str:
        why = clean(refused.reason)  # the client's own words are those of a room
        if self._has_been_in and refused.code in PASSING:
            return f"the server cannot now: {why}"
        if refused.code is RefusalCode.BAD_TOKEN and "person" not in refused.reason:
            self._tokens.forget()
        return Ending(4, f"refused: {why} ({refused.code})", refused.code)


def _read(raw: str) -> TournamentMessage | None:
    """Return the message; None if only a newer client knows it."""
    try:
        return decode_tournament_message(raw)
    except BadMessage:
        return None
