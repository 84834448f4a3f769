"""The frontends without a full screen: lines for pipes and screen readers, JSON for programs."""

from collections.abc import Sequence
from typing import Protocol

from ttt_client.model.typed import HELP, NotUnderstood, Ready, Word, parse_line
from ttt_client.model.view import View
from ttt_client.net.session import Heard, Note
from ttt_client.terminal.stdout import Output
from ttt_client.text.narrate import narrate, picture
from ttt_protocol.codec import BadCommand, decode_command
from ttt_protocol.commands import Command
from ttt_protocol.faults import plainer
from ttt_protocol.messages import Said


class Frontend(Protocol):
    """A place to show a room on, and the parser of what is typed there."""

    def show_message(self, before: View, heard: Heard, after: View) -> None:
        """Show a message; `after` is `before` with the message folded in."""

    def show_lobby(self, heard: Heard) -> None:
        """Show a message of the lobby while a room to watch is looked for."""

    def show_connection(self, note: Note) -> None:
        """Show a text about the connection."""

    def say(self, words: str) -> None:
        """Show a text about what happens."""

    def refuse(self, words: str) -> None:
        """Show why a typed word is not sent."""

    def parse(self, line: str) -> Word | None:
        """Return the word in a typed line; None if it has none, after saying why."""

    def show_help(self) -> None:
        """Show what can be typed."""

    def show_board(self, view: View) -> None:
        """Show the board again."""

    def hide_chat(self, hidden: bool) -> None:
        """Hide what is said from now on, or show it again."""

    def show_sent(self, commands: Sequence[Command]) -> None:
        """Show that these commands wait for their answer; none do any more if it is empty."""

    def show_waiting(self, waited_s: float) -> None:
        """Show how long an answer has not come."""

    def set_parting(self, words: str | None) -> None:
        """Take the last words of a program that is stopped from outside."""

    @property
    def parting(self) -> str | None:
        """The last words of a program that is stopped now."""


class PlainFrontend:
    """Lines for people, in the order of events.

    Args:
        moves_only: whether a move is told without the board.
    """

    def __init__(self, output: Output, *, moves_only: bool = False) -> None:
        self._output = output
        self._moves_only = moves_only
        self._hides_chat = False
        self.parting: str | None = None

    def show_message(self, before: View, heard: Heard, after: View) -> None:
        if heard.message is None or (self._hides_chat and isinstance(heard.message, Said)):
            return
        ascii_only = self._output.ascii_only
        drawn = not self._moves_only
        lines = narrate(
            before, heard.message, after, heard.past, ascii_only=ascii_only, drawn=drawn
        )
        for line in lines:
            self._output.say(line)

    def show_lobby(self, heard: Heard) -> None:
        """Show nothing: the chosen room is said, and the list would be noise."""

    def show_connection(self, note: Note) -> None:
        self._output.say(str(note))

    def say(self, words: str) -> None:
        self._output.say(words)

    def refuse(self, words: str) -> None:
        self._output.say(words)

    def parse(self, line: str) -> Word | None:
        try:
            return parse_line(line)
        except NotUnderstood as error:
            self._output.say(str(error))
            return None

    def show_help(self) -> None:
        for line in HELP.splitlines():
            self._output.say(line)

    def show_board(self, view: View) -> None:
        for line in picture(view, ascii_only=self._output.ascii_only):
            self._output.say(line)

    def hide_chat(self, hidden: bool) -> None:
        self._hides_chat = hidden
        self._output.say("the chat is hidden: show shows it" if hidden else "the chat is shown")

    def show_sent(self, commands: Sequence[Command]) -> None:
        """Show nothing: the answer is the next line."""

    def show_waiting(self, waited_s: float) -> None:
        self._output.say(f"sent, waiting {waited_s:.0f} s...")

    def set_parting(self, words: str | None) -> None:
        self.parting = words


class JsonFrontend:
    """Every message as it came, one a line; nothing else on standard output."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._lines = 0
        """The lines of the input so far."""
        self.parting: str | None = None

    def show_message(self, before: View, heard: Heard, after: View) -> None:  # noqa: ARG002 - raw
        self._output.raw(heard.raw)

    def show_lobby(self, heard: Heard) -> None:
        self._output.raw(heard.raw)

    def show_connection(self, note: Note) -> None:
        self._output.warn(str(note))

    def say(self, words: str) -> None:
        self._output.warn(words)

    def refuse(self, words: str) -> None:
        self._output.warn(words)

    def parse(self, line: str) -> Word | None:
        self._lines += 1
        if not line.strip():
            return None
        try:
            return Ready(decode_command(line), raw=line)
        except BadCommand as error:
            where, colon, what = error.reason.partition(": ")
            why = f"{where}{colon}{plainer(what)}"
            self._output.warn(f"standard input, line {self._lines} is not sent: {why}")
            return None

    def show_help(self) -> None:
        """Show nothing: a program has the protocol's description."""

    def show_board(self, view: View) -> None:
        """Show nothing: every message has the whole room."""

    def hide_chat(self, hidden: bool) -> None:
        """Show all: a program skips what it does not want."""

    def show_sent(self, commands: Sequence[Command]) -> None:
        """Show nothing: a program knows what it sent."""

    def show_waiting(self, waited_s: float) -> None:
        """Show nothing: a program has a clock."""

    def set_parting(self, words: str | None) -> None:
        self.parting = words
