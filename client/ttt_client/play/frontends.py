"""The frontends without a full screen: lines for pipes and screen readers, JSON for programs."""

from typing import Protocol

from ttt_client.model.typed import HELP, NotUnderstood, Ready, Word, parse_line
from ttt_client.model.view import View
from ttt_client.net.session import Heard, Note
from ttt_client.terminal.stdout import Output
from ttt_client.text.narrate import narrate
from ttt_protocol.codec import BadCommand, decode_command


class Frontend(Protocol):
    """A place to show a room on, and the parser of what is typed there."""

    def show_message(self, before: View, heard: Heard, after: View) -> None:
        """Show a message; `after` is `before` with the message folded in."""

    def show_lobby(self, heard: Heard) -> None:
        """Show a message of the lobby while a room to watch is looked for."""

    def show_connection(self, note: Note) -> None:
        """Show a text about the connection."""

    def say(self, words: str) -> None:
        """Show a text about what happens, or why a typed word is not sent."""

    def parse(self, line: str) -> Word | None:
        """Return the word in a typed line; None if it has none, after saying why."""

    def show_help(self) -> None:
        """Show what can be typed."""


class PlainFrontend:
    """Lines for people, in the order of events."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def show_message(self, before: View, heard: Heard, after: View) -> None:
        if heard.message is not None:
            ascii_only = self._output.ascii_only
            for line in narrate(before, heard.message, after, ascii_only=ascii_only):
                self._output.say(line)

    def show_lobby(self, heard: Heard) -> None:
        """Show nothing: the chosen room is said, and the list would be noise."""

    def show_connection(self, note: Note) -> None:
        self._output.say(str(note))

    def say(self, words: str) -> None:
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


class JsonFrontend:
    """Every message as it came, one a line; nothing else on standard output."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def show_message(self, before: View, heard: Heard, after: View) -> None:  # noqa: ARG002 - raw
        self._output.raw(heard.raw)

    def show_lobby(self, heard: Heard) -> None:
        self._output.raw(heard.raw)

    def show_connection(self, note: Note) -> None:
        self._output.warn(str(note))

    def say(self, words: str) -> None:
        self._output.warn(words)

    def parse(self, line: str) -> Word | None:
        if not line.strip():
            return None
        try:
            return Ready(decode_command(line), raw=line)
        except BadCommand as error:
            self._output.warn(f"not sent: {error.reason}")
            return None

    def show_help(self) -> None:
        """Show nothing: a program has the protocol's description."""
