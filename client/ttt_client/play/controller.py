"""A stay in a room: its messages and the typed words, one after another.

On a terminal a word that cannot be carried out now is answered at once. From a pipe or a file a
move or choice waits for its turn, and `rematch` for the end of the game: the input may have been
written in advance. Only `resign`, `draw` and `takeback` wait behind moves; other words do not.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace

from ttt_client.model import typed
from ttt_client.model.answers import answered
from ttt_client.model.view import View, fold
from ttt_client.net.session import Ending, Heard, NotConnected, Note, Session, SessionEvent
from ttt_client.play.events import EndOfInput, EventQueue, Typed, open_events
from ttt_client.play.frontends import Frontend
from ttt_client.play.ratings import RatingNews
from ttt_client.terminal.stdin import LineSource
from ttt_protocol.codec import encode_command
from ttt_protocol.codes import Choice
from ttt_protocol.commands import AskHint, Choose, Claim, Command, Leave, Play, Resign, Say
from ttt_protocol.events import Event
from ttt_protocol.messages import Welcome
from ttt_protocol.state import OfferKind

SAME_COMMAND = "the same command"
NO_MORE_INPUT = "the input has ended and it is your turn"
SLOW_S = 3.0
"""Seconds after which a missing answer is mentioned."""
RECALL_S = 3.0
"""Seconds that the record of a game may take; without it only the board is shown."""
MOST_WAITING = 1000
"""Words that may wait; the input is not read beyond them."""


Recall = Callable[[Welcome], Awaitable[Sequence[Event]]]


@dataclass(eq=False)
class RoomController:
    """A member in a room, with a frontend to show it on.

    It ends when two AIs have played all their games. After the end of the input it ends when no
    word waits and the game is over, or when only a move of this player could go on.

    Args:
        session: the place in the room.
        frontend: the place to show it on.
        terminal: whether the input is a terminal, where nothing waits.
        linger: whether to stay after the end of a game.
        view: the view before the welcome: who plays, and in which kind of room.
        comeback: the command that takes the seat back.
        forever: whether to stay until the session ends or `quit` is typed.
        recall: reads the events of the game at a welcome, for a frontend that tells them.
        ratings: tells how strong the players are; None for a frontend that does not.
    """

    session: Session
    frontend: Frontend
    _: KW_ONLY
    terminal: bool
    linger: bool = True
    forever: bool = False
    view: View = field(default_factory=View)
    comeback: str = SAME_COMMAND
    recall: Recall | None = None
    ratings: RatingNews | None = None
    has_quit: bool = field(default=False, init=False)
    """Whether the player, or the end of a terminal's input, ended it."""
    _waiting: deque[typed.Word] = field(default_factory=deque, init=False)
    _unanswered: list[Command] = field(default_factory=list, init=False)
    _input_ended: bool = field(default=False, init=False)
    _trouble: str | None = field(default=None, init=False)
    _slow_at: float | None = field(default=None, init=False)
    """When to mention a missing answer; None without one."""

    async def run(self, source: LineSource) -> Ending:
        """Stay in the room until one of the ends that the class describes."""
        try:
            return await self._stay(source)
        finally:
            if self.ratings is not None:
                await self.ratings.close()

    async def _stay(self, source: LineSource) -> Ending:
        async with open_events(self.session, source) as events:
            line_is_open = False
            while True:
                event = await self._next(events)
                end = await self._take(event)
                if end is None:
                    end = await self._go_on()
                if end is not None:
                    return end
                line_is_open = line_is_open or isinstance(event, Typed)
                if line_is_open and len(self._waiting) < MOST_WAITING:
                    line_is_open = False
                    events.taken()

    async def _next(self, events: EventQueue) -> SessionEvent | Typed | EndOfInput:
        """Return the next event; mention a missing answer once while waiting."""
        self.frontend.show_sent(self._unanswered)
        self.frontend.parting = self._parting
        if self._unanswered and self.session.connected:
            loop = asyncio.get_running_loop()
            self._slow_at = self._slow_at or loop.time() + SLOW_S
            try:
                async with asyncio.timeout_at(self._slow_at):
                    return await events.get()
            except TimeoutError:
                self.frontend.show_waiting(SLOW_S)
                self._slow_at = float("inf")
        elif not self._unanswered:
            self._slow_at = None
        return await events.get()

    async def _take(self, event: SessionEvent | Typed | EndOfInput) -> Ending | None:
        match event:
            case Ending():
                self._tell_trouble()
                return event
            case Note():
                self.frontend.show_connection(event)
            case Heard():
                await self._hear(event)
            case Typed(line=line):
                if (word := self.frontend.parse(line)) is not None:
                    self._waiting.append(word)
            case EndOfInput():
                self._input_ended = True
                if self.terminal:
                    return self._quit()
        return None

    async def _hear(self, heard: Heard) -> None:
        before = self.view
        if heard.message is not None:
            self.view = fold(before, heard.message)
        if isinstance(heard.message, Welcome) and has_past(before, heard.message):
            heard = replace(heard, past=await self._read_past(heard.message))
        self.frontend.show_message(before, heard, self.view)
        if self.ratings is not None:
            welcome = heard.message if isinstance(heard.message, Welcome) else None
            self.ratings.see(self.view, None if welcome is None else welcome.you.token)
        self._tell_trouble()
        if isinstance(heard.message, Welcome):
            await self._resume()
        elif heard.message is not None:
            for command in answered(self._unanswered, heard.message, before, self.view):
                self._unanswered.remove(command)

    async def _read_past(self, welcome: Welcome) -> Sequence[Event]:
        if self.recall is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(RECALL_S):
                    return await self.recall(welcome)
        return ()

    def _tell_trouble(self) -> None:
        """Report once why the seat is not remembered."""
        if self.session.trouble not in (None, self._trouble):
            self._trouble = self.session.trouble
            self.frontend.say(self._trouble)

    async def _resume(self) -> None:
        """Resend what may have been lost, if the game still waits for it.

        The server recognises a move that it has, and refuses what comes twice.
        """
        unanswered, self._unanswered = self._unanswered, []
        for command in unanswered:
            if is_pending(command, self.view) and not await self._send(command, None):
                self._unanswered.append(command)

    async def _go_on(self) -> Ending | None:
        """Carry out the words that no longer have to wait, and return the end if there is one."""
        waiting, self._waiting = self._waiting, deque()
        while waiting:
            word = waiting.popleft()
            if word == typed.Own("quit") and self._may_quit():
                return self._quit()
            if not await self._carry_out(word):
                self._waiting.append(word)
        return self._over()

    async def _carry_out(self, word: typed.Word) -> bool:
        """Do what `word` means; False if it has to wait."""
        if isinstance(word, typed.Own):
            return self._do(word)
        # The session may have been welcomed while the welcome still waits in the queue.
        if not self.session.connected or self.view.room is None:
            return self._not_now(typed.not_connected(word))
        if _waits_for_turn(word) and self._is_busy(word):
            return False
        if _follows_moves(word) and any(map(_waits_for_turn, self._waiting)):
            return False
        command = typed.command_for(word, self.view)
        if isinstance(command, typed.NotNow):
            return self._not_now(command)
        return await self._send(command, word.raw if isinstance(word, typed.Ready) else None)

    def _do(self, own: typed.Own) -> bool:
        """Do what only concerns the client; return False for a word that has to wait."""
        match own.word:
            case "help":
                self.frontend.show_help()
            case "board":
                if self.view.room is None and not self.terminal:
                    return False
                self.frontend.show_board(self.view)
            case "retry":
                self.session.retry_now()
            case "hide" | "show":
                self.frontend.hide_chat(own.word == "hide")
            case _:
                pass
        return own.word != "quit"

    def _is_busy(self, word: typed.Word) -> bool:
        """Whether a move or its like has to wait: for an earlier one, or for an answer.

        The answer may change whose turn it is, but not one to chat. A player at a terminal need
        not wait for a hint. Choices and moves wait for each other no longer than that: either may
        come first.
        """
        idle = (Say, AskHint) if self.terminal else Say
        waits = any(not isinstance(one, idle) for one in self._unanswered)
        is_choice = isinstance(word, Choice)
        earlier = (one for one in self._waiting if isinstance(one, Choice) is is_choice)
        behind = any(map(_follows_moves, self._waiting))
        return waits or behind or any(map(_waits_for_turn, earlier))

    def _may_quit(self) -> bool:
        """Whether `quit` acts now.

        From a pipe it waits for the welcome and for the answers to earlier words: a seat that was
        taken meanwhile would be lost without its token.
        """
        if self.terminal:
            return True
        if self.view.room is None:
            return False
        # The server's close answers `leave`; it may wait in the queue while the line is down.
        return not self._leaves and not (self._unanswered and self.session.connected)

    def _not_now(self, answer: typed.NotNow) -> bool:
        if answer.wait and not self.terminal:
            return False
        self.frontend.refuse(answer.words)
        return True

    async def _send(self, command: Command, raw: str | None) -> bool:
        """Send the command; False if it has to be tried again on the next connection.

        A move counts as sent: it is sent again after the next welcome if the game is still there.
        """
        try:
            if isinstance(command, Leave):
                await self.session.leave()
            else:
                await self.session.send(raw if raw is not None else encode_command(command))
        except NotConnected:
            if not isinstance(command, Play | Choose):
                return False
        if not (self.terminal and isinstance(command, Say)):  # nothing waits for it there
            self._unanswered.append(command)
        return True

    def _over(self) -> Ending | None:
        if self.forever or self._waiting or self._unanswered:
            return None
        if self.view.done and OfferKind.REMATCH not in self.view.own_offers:
            ends = self._input_ended or self.view.all_ai or not self.linger
            return Ending(0) if ends else None
        is_asked = self.view.your_turn or self.view.your_choices
        if self._input_ended and is_asked and not self.view.own_offers:
            back = f"; {kept(self.comeback)}" if self.session.is_kept else ""
            return Ending(0, f"{NO_MORE_INPUT}{back}")
        return None

    def _quit(self) -> Ending:
        if moves := [word.typed for word in self._waiting if isinstance(word, typed.TypedMove)]:
            self.frontend.say(f"not played: {' '.join(moves)}")
        self.has_quit = True
        return Ending(0, self._parting)

    @property
    def _parting(self) -> str | None:
        """The last words, if the user leaves now."""
        keeps = self.view.seat is not None and not self.view.done and self.session.is_kept
        return kept(self.comeback) if keeps and not self._leaves else None

    @property
    def _leaves(self) -> bool:
        """Whether a `leave` waits for its answer."""
        return any(isinstance(command, Leave) for command in self._unanswered)


def has_past(before: View, welcome: Welcome) -> bool:
    """Return whether something happened in the game that was not told yet."""
    room = welcome.room
    known = before.room.seq if before.room is not None else 0
    return room.game is not None and bool(room.game.moves) and room.seq > known


def kept(comeback: str) -> str:
    """Return the last words of a player whose seat is kept."""
    return f"your seat is kept: {comeback} takes it back"


def _waits_for_turn(word: typed.Word) -> bool:
    """Return whether `word` from a pipe waits: a move, a choice, or the offer of a rematch."""
    is_rematch = word == OfferKind.REMATCH
    return is_rematch or isinstance(word, typed.TypedMove | Choice)


def _follows_moves(word: typed.Word) -> bool:
    """Return whether `word` must not overtake moves that were typed before it."""
    return word in (typed.Wish("resign"), OfferKind.DRAW, OfferKind.TAKEBACK)


def is_pending(command: Command, view: View) -> bool:
    """Return whether the game in `view` shows that it still waits for `command`."""
    if isinstance(command, Leave):
        return True  # the end of the connection answers it
    if (game := view.game) is None:
        return False
    match command:
        case Play(game=number, ply=ply):
            return game.outcome is None and (game.number, game.ply) == (number, ply)
        case Choose(game=number, ply=ply):
            return bool(view.your_choices) and (game.number, game.ply) == (number, ply)
        case Resign(game=number) | Claim(game=number):
            return game.number == number and not view.done
        case _:
            return False
