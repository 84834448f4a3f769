"""The frontends without a full screen: lines for pipes and screen readers, JSON for programs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field

from ttt_client.model.typed import HELP, NotUnderstood, Ready, Wish, Word, parse_line
from ttt_client.model.view import View
from ttt_client.net.session import Heard, Note
from ttt_client.terminal.stdout import Output
from ttt_client.text.narrate import narrate, picture
from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.commands import Command
from ttt_protocol.faults import plainer
from ttt_protocol.messages import Refused, Said
from ttt_protocol.state import OfferKind


class Frontend:
    """Shows a room, and parses what is typed there.

    What a frontend does not override, it does not show.
    """

    parting: str | None = None
    """The last words of a program that is stopped now."""

    def show_message(self, before: View, heard: Heard, after: View) -> None:
        """Show a message; `after` is `before` with the message folded in."""

    def show_lobby(self, heard: Heard) -> None:
        """Show a message of the lobby while a room to watch is looked for."""

    def show_connection(self, note: Note) -> None:
        """Show a text about the connection."""
        self.say(str(note))

    def say(self, words: str) -> None:
        """Show a text about what happens."""

    def refuse(self, words: str) -> None:
        """Show why a typed word is not sent."""
        self.say(words)

    def parse(self, line: str) -> Word | None:
        """Return the word in a typed line; None if it has none, after saying why."""
        try:
            return parse_line(line)
        except NotUnderstood as error:
            self.refuse(str(error))
            return None

    def show_help(self) -> None:
        """Show what can be typed."""

    def show_board(self, view: View) -> None:
        """Show the board again."""

    def hide_chat(self, hidden: bool) -> None:
        """Hide what is said from now on, or show it again."""

    def show_sent(self, commands: Sequence[Command]) -> None:
        """Show that these commands wait for their answer; an empty list means that none does."""

    def show_waiting(self, waited_s: float) -> None:
        """Show how long an answer has not come."""


@dataclass(eq=False)
class PlainFrontend(Frontend):
    """Lines for people, in the order of events.

    Args:
        output: the place for the lines.
        moves_only: whether a move is told without the board.
        asks: whether `resign` and `draw` are asked once more, as on a terminal.
        clock: the time in seconds, for the clocks of a board that is printed again.
    """

    output: Output
    _: KW_ONLY
    moves_only: bool = False
    asks: bool = False
    clock: Callable[[], float] = time.monotonic
    _hides_chat: bool = field(default=False, init=False)
    _view: View = field(default_factory=View, init=False)
    _heard_at: float = field(default=0.0, init=False)
    """The time of the last state of the room."""
    _asked: Word | None = field(default=None, init=False)
    """The word that waits for a `y`."""

    def show_message(self, before: View, heard: Heard, after: View) -> None:
        if _game(after) != _game(before):
            self._asked = None
        if after.room is not before.room:
            self._heard_at = self.clock()
        self._view = after
        if heard.message is None or (self._hides_chat and isinstance(heard.message, Said)):
            return
        message, past = heard.message, heard.past
        ascii_only, drawn = self.output.ascii_only, not self.moves_only
        lines = narrate(before, message, after, past, ascii_only=ascii_only, drawn=drawn)
        self.output.say(*lines)

    def say(self, words: str) -> None:
        self.output.say(words)

    def parse(self, line: str) -> Word | None:
        asked, self._asked = self._asked, None
        if asked is not None and line.strip().lower() in {"y", "yes"}:
            return asked
        if asked is not None and line.strip().lower() in {"n", "no", ""}:
            self.say("the game goes on")
            return None
        word = super().parse(line)
        if self.asks and self._view.is_running and self._view.seat is not None:
            if word == Wish("resign"):
                self._asked = word
                self.say("resign this game? y resigns, n plays on")
            elif word is OfferKind.DRAW:
                self._asked = word
                self.say("offer a draw? y offers it, n plays on")
        return None if self._asked is not None else word

    def show_help(self) -> None:
        self.output.say(*HELP.splitlines())

    def show_board(self, view: View) -> None:
        elapsed_ms = round((self.clock() - self._heard_at) * 1000)
        lines = picture(view, ascii_only=self.output.ascii_only, elapsed_ms=elapsed_ms)
        self.output.say(*lines)

    def hide_chat(self, hidden: bool) -> None:
        self._hides_chat = hidden
        self.output.say("the chat is hidden: show shows it" if hidden else "the chat is shown")

    def show_waiting(self, waited_s: float) -> None:
        self.output.say(f"sent, waiting {waited_s:.0f} s...")


def _game(view: View) -> object:
    """Return which game is on, and whether it is over."""
    return None if view.game is None else (view.game.number, view.game.outcome is None)


class JsonFrontend(Frontend):
    """Every message as it came, one a line; nothing else on standard output."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._lines = 0
        """The lines of the input so far."""
        self._commands = self._refused = 0
        """The lines that hold something, and how many of them were refused, here or there."""

    @property
    def all_refused(self) -> bool:
        """Whether the input had commands and none of them was taken."""
        return 0 < self._commands <= self._refused

    def show_message(self, before: View, heard: Heard, after: View) -> None:  # noqa: ARG002 - raw
        self._refused += isinstance(heard.message, Refused) and heard.message.command != "join"
        self._output.raw(heard.raw)

    def show_lobby(self, heard: Heard) -> None:
        self._output.raw(heard.raw)

    def say(self, words: str) -> None:
        self._output.warn(words)

    def parse(self, line: str) -> Word | None:
        self._lines += 1
        if not line.strip():
            return None
        self._commands += 1
        try:
            return Ready(decode_command(line), raw=line)
        except BadCommand as error:
            self._refused += 1
            where, colon, what = error.reason.partition(": ")
            why = f"{where}{colon}{plainer(what)}"
            self._output.warn(f"standard input, line {self._lines} is not sent: {why}")
            return None
