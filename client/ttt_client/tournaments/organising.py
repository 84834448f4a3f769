"""`ttt-client event create` and the commands of an organiser, one at a time."""

from collections.abc import Callable

from ttt_client.net.entrance import TokenStore
from ttt_client.net.event_session import EventReport, EventSession
from ttt_client.net.session import Ending, Note
from ttt_protocol.codec import encode_command
from ttt_protocol.messages import Refused
from ttt_protocol.state import SessionId
from ttt_protocol.tournament import commands, messages

Choose = Callable[[messages.TournamentState], commands.TournamentCommand]
"""Returns the command to send to an event; raises `NoSuchPlayer`."""


class NoSuchPlayer(ValueError):
    """No player has this name; the message is for the user."""


def player_named(event: messages.TournamentState, name: str) -> SessionId:
    """Return the player with this name or id.

    Raises:
        NoSuchPlayer: if there is none.
    """
    for row in event.standings:
        if name == row.id or name.casefold() == row.name.casefold():
            return row.id
    raise NoSuchPlayer(f"no player of the event is called {name}")


class _Done(Exception):
    def __init__(self, end: Ending, token: str | None = None) -> None:
        super().__init__(end)
        self.end = end
        self.token = token


async def create_event(url: str, first: commands.FirstCommand, tokens: TokenStore) -> Ending | str:
    """Create an event; return the organiser's token, or why it failed."""

    async def report(heard: messages.TournamentMessage | Note, _: str) -> None:
        if isinstance(heard, messages.TournamentWelcome):
            raise _Done(Ending(0), heard.you.token)

    return await _until_done(EventSession(url, first, tokens), report)


def has_happened(
    command: commands.TournamentCommand,
    before: messages.TournamentState,
    after: messages.TournamentState,
) -> bool:
    """Return whether a change is that of the command, and not of what others do meanwhile.

    A connection that ends sooner may take an unanswered command with it. An invitation has an
    answer of its own.
    """
    match command:
        case commands.Invite():
            return False
        case commands.Doors(open=is_open):
            return after.doors_open == is_open
        case commands.Start():
            return before.status == "created" != after.status
        case commands.AddAi():
            return _ais(after) > _ais(before)
        case _:
            return after.seq > before.seq


def _ais(event: messages.TournamentState) -> int:
    return sum(row.kind == "ai" for row in event.standings)


async def organise(url: str, first: commands.FirstCommand, choose: Choose) -> Ending | str:
    """Send one command of an organiser; return how it ended, or the token of an `invite`.

    Args:
        url: of the event.
        first: with the organiser's token.
        choose: returns the command, given the event; raises `NoSuchPlayer`.
    """
    session = EventSession(url, first)
    sent: commands.TournamentCommand | None = None
    before: messages.TournamentState | None = None

    async def report(heard: messages.TournamentMessage | Note, _: str) -> None:
        nonlocal sent, before
        match heard:
            case messages.TournamentWelcome(event=event) if sent is None:
                try:
                    sent, before = choose(event), event
                except NoSuchPlayer as error:
                    raise _Done(Ending(4, str(error))) from None
                await session.send(encode_command(sent))
            case Refused(reason=reason, code=code) if sent is not None:
                raise _Done(Ending(4, f"refused: {reason} ({code})"))
            case messages.Invitation(token=token):
                raise _Done(Ending(0), token)
            case messages.TournamentUpdate(event=event) if sent is not None and before is not None:
                if has_happened(sent, before, event):
                    raise _Done(Ending(0))
            case _:
                pass

    return await _until_done(session, report)


async def _until_done(session: EventSession, report: EventReport) -> Ending | str:
    try:
        return await session.run(report)
    except _Done as done:
        return done.end if done.token is None else done.token
