"""One stay in a room: what is heard and what is typed, one after another.

On a terminal a word that cannot be carried out now is answered at once. From a pipe or a file it
waits for its time: whoever wrote it could not know.
"""

from typing import assert_never

from ttt_client.model.intents import NOT_CONNECTED, NotNow, command_for
from ttt_client.model.typed import Ready, Wish, Word
from ttt_client.model.view import View, fold
from ttt_client.net.session import Ending, Heard, NotConnected, Note, RoomSession, SessionEvent
from ttt_client.play.events import EndOfInput, EventQueue, Typed, open_events
from ttt_client.play.frontends import Frontend
from ttt_client.terminal.stdin import LineSource
from ttt_protocol.codec import encode_command
from ttt_protocol.commands import AskHint, Claim, Command, Leave, Play, Resign, Say
from ttt_protocol.messages import Hint, Message, Refused, Update, Welcome

KEPT = "your seat is kept: the same command takes it back"
STUCK = "the input has ended and it is your turn; Ctrl-C ends this program and keeps your seat"


class RoomController:
    """A member in a room, with a frontend to show it on.

    It ends when two AIs have played all their games, or when no input can come any more and the
    game is over; without `linger`, as soon as a game is over; with `forever`, not by itself.
    `quit` says that it was told to.
    """

    def __init__(
        self,
        session: RoomSession,
        frontend: Frontend,
        *,
        terminal: bool,
        linger: bool = True,
        forever: bool = False,
    ) -> None:
        self._session = session
        self._frontend = frontend
        self._terminal = terminal
        self._linger = linger
        self._forever = forever
        self._view = View()
        self._held: Word | None = None
        self._unanswered: Command | None = None
        self._input_ended = False
        self._stuck = False
        self._trouble: str | None = None
        self.quit = False

    async def run(self, source: LineSource) -> Ending:
        """Stay until it ends."""
        async with open_events(self._session, source) as events:
            while True:
                end = await self._take(await events.get(), events)
                if end is None:
                    end = await self._go_on(events)
                if end is not None:
                    return end

    async def _take(
        self, event: SessionEvent | Typed | EndOfInput, events: EventQueue
    ) -> Ending | None:
        match event:
            case Ending():
                self._tell_trouble()
                return event
            case Note():
                self._frontend.linked(event)
            case Heard():
                await self._hear(event)
            case Typed(line=line):
                self._held = self._frontend.read(line)
                if self._held is None:
                    events.taken()
            case EndOfInput():
                self._input_ended = True
                if self._terminal:
                    return self._quit()
            case _:  # pragma: no cover - the union is closed
                assert_never(event)
        return None

    async def _hear(self, heard: Heard) -> None:
        before = self._view
        if heard.message is not None:
            self._view = fold(before, heard.message)
        self._frontend.heard(before, heard, self._view)
        self._tell_trouble()
        if self._unanswered is None or heard.message is None:
            return
        if isinstance(heard.message, Welcome):
            await self._resume(self._unanswered)
        elif answers(heard.message, self._unanswered, self._view):
            self._unanswered = None

    def _tell_trouble(self) -> None:
        """What went wrong with remembering the seat: once."""
        if self._session.trouble not in (None, self._trouble):
            self._trouble = self._session.trouble
            self._frontend.note(self._trouble)

    async def _resume(self, unanswered: Command) -> None:
        """A move that may be lost is sent again; the server knows it if it is not."""
        self._unanswered = None
        if isinstance(unanswered, Play) and is_open(unanswered, self._view):
            await self._send(unanswered, None)

    async def _go_on(self, events: EventQueue) -> Ending | None:
        """Carry out the word that is held, and end if it is time."""
        if self._held is not None:
            match self._held:
                case Wish(word="quit") if self._terminal or self._unanswered is None:
                    return self._quit()
                case Wish(word="quit"):
                    done = False  # the answer is to be shown
                case Wish(word="help"):
                    self._frontend.help()
                    done = True
                case word:
                    done = await self._try(word)
            if done:
                self._held = None
                events.taken()
        return self._over()

    async def _try(self, word: Word) -> bool:
        """Send what `word` means; False if it has to wait."""
        # The session may have been welcomed while the welcome still waits in the events.
        if not self._session.connected or self._view.room is None:
            return self._not_now(NotNow(NOT_CONNECTED, wait=True))
        if self._unanswered is not None and not isinstance(word, Ready):
            return False
        command = command_for(word, self._view)
        if isinstance(command, NotNow):
            return self._not_now(command)
        return await self._send(command, word.raw if isinstance(word, Ready) else None)

    def _not_now(self, answer: NotNow) -> bool:
        if answer.wait and not self._terminal:
            return False
        self._frontend.note(answer.words)
        return True

    async def _send(self, command: Command, raw: str | None) -> bool:
        """False if there was no connection to send it on; a move is then sent on the next."""
        if not isinstance(command, Say | Leave):
            self._unanswered = command
        try:
            if isinstance(command, Leave):
                await self._session.leave()
            else:
                await self._session.send(raw if raw is not None else encode_command(command))
        except NotConnected:
            return isinstance(command, Play)
        return True

    def _over(self) -> Ending | None:
        if self._held is not None or self._unanswered is not None:
            return None
        if self._input_ended and self._view.your_turn and not self._stuck:
            self._stuck = True
            self._frontend.note(STUCK)
        if self._forever or not self._view.done or self._view.asked_rematch:
            return None
        ends = self._input_ended or self._view.all_ai or not self._linger
        return Ending(0) if ends else None

    def _quit(self) -> Ending:
        self.quit = True
        keeps = self._view.seat is not None and not self._view.done and self._session.is_kept
        return Ending(0, KEPT if keeps else None)


def answers(message: Message, command: Command, view: View) -> bool:
    """Whether `message` is the answer to `command`, after it was folded into `view`."""
    match message:
        case Refused(command=refused):
            return refused in {command.type, None}
        case Hint():
            return isinstance(command, AskHint)
        case Update(events=events):
            return not events or not _awaits_more(command, view)
        case _:
            return False


def _awaits_more(command: Command, view: View) -> bool:
    """Whether an update came that was of something else than `command`."""
    match command:
        case Play():
            return is_open(command, view)
        case Resign(game=number) | Claim(game=number):
            return view.game is not None and view.game.number == number and not view.done
        case _:
            return False


def is_open(play: Play, view: View) -> bool:
    """Whether the game is still where `play` was made."""
    game = view.game
    if game is None or game.outcome is not None:
        return False
    return (game.number, game.ply) == (play.game, play.ply)
