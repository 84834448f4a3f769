"""`ttt-client event watch`: print the state of an event after every change."""

from ttt_client.net.event_session import EventReport, EventSession
from ttt_client.net.session import Ending, Note
from ttt_client.terminal.stdout import Output
from ttt_client.text.event import game_line, status_line, table
from ttt_protocol.messages import Goodbye, Refused
from ttt_protocol.tournament import messages

_MOST = 20
"""The most lines of the standings to print."""


class EventOver(Exception):
    """The event is finished."""


class EventPrinter:
    """Prints the states of an event as they change."""

    def __init__(self, output: Output, *, json_lines: bool = False) -> None:
        self._output = output
        self._json_lines = json_lines
        self._is_quiet = False
        """Whether a board is on the screen, so that states are not printed."""
        self._shown = ""
        self._announced: tuple[str, ...] = ()

    def hush(self, *, is_quiet: bool) -> None:
        """Stop printing states, or print them again."""
        self._is_quiet = is_quiet

    async def report(self, heard: messages.TournamentMessage | Note, raw: str) -> None:
        """Print a message or a note on the connection.

        Raises:
            EventOver: when the event is finished.
        """
        if self._json_lines and raw:
            self._output.raw(raw)
        match heard:
            case Note():
                self._output.warn(str(heard))
            case messages.TournamentWelcome(event=event) | messages.TournamentUpdate(event=event):
                if not self._json_lines and not self._is_quiet:
                    self._show(event)
                if event.status == "finished":
                    raise EventOver
            case Refused(reason=reason):
                self._output.warn(f"refused: {reason}")
            case Goodbye(reason=reason):
                self._output.warn(reason)
            case _:
                pass

    def _show(self, event: messages.TournamentState) -> None:
        for text in event.announcements:
            if text not in self._announced:
                self._output.say(f"* {text}")
        self._announced = event.announcements
        lines = [status_line(event), *table(event, _MOST)]
        lines += [f"  {game_line(game)}" for game in event.games if game.result is None]
        # The remaining time of an arena is not news.
        news = "\n".join([event.status, *lines[1:]])
        if news != self._shown:
            self._shown = news
            self._output.say("", *lines)


async def watch_event(session: EventSession, report: EventReport) -> Ending:
    """Report the event after every change, until it is finished."""
    try:
        return await session.run(report)
    except EventOver:
        return Ending(0)
