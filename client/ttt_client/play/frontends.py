"""Line mode for pipes and screen readers, and JSON mode for programs."""

from typing import Protocol

from ttt_client.model.typed import HELP, NotUnderstood, Ready, Word, parse_line
from ttt_client.model.view import View
from ttt_client.net.session import Heard, Note
from ttt_client.terminal.stdout import Output
from ttt_client.text.narrate import tell
from ttt_protocol.codec import BadCommand, decode_command


class Frontend(Protocol):
    """What a visit shows itself on, and reads words from."""

    def heard(self, before: View, heard: Heard, after: View) -> None:
        """A message came; `after` is `before` with it folded in."""

    def passed(self, heard: Heard) -> None:
        """A message of the lobby came, while a room to watch is looked for."""

    def linked(self, note: Note) -> None:
        """Words about the connection."""

    def note(self, words: str) -> None:
        """Words about what happens, or why a typed word is not sent."""

    def read(self, line: str) -> Word | None:
        """The word in a typed line; None if there is none, and the frontend has said why."""

    def help(self) -> None:
        """What can be typed."""


class PlainFrontend:
    """LineSource for people, in the order in which things happen."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def heard(self, before: View, heard: Heard, after: View) -> None:
        if heard.message is not None:
            ascii_only = self._output.ascii_only
            for line in tell(before, heard.message, after, ascii_only=ascii_only):
                self._output.say(line)

    def passed(self, heard: Heard) -> None:
        """What is chosen is said; the list would be noise."""

    def linked(self, note: Note) -> None:
        self._output.say(str(note))

    def note(self, words: str) -> None:
        self._output.say(words)

    def read(self, line: str) -> Word | None:
        try:
            return parse_line(line)
        except NotUnderstood as error:
            self._output.say(str(error))
            return None

    def help(self) -> None:
        for line in HELP.splitlines():
            self._output.say(line)


class JsonFrontend:
    """Every message as it came, one a line; nothing else on standard output."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def heard(self, before: View, heard: Heard, after: View) -> None:  # noqa: ARG002 - as it came
        self._output.raw(heard.raw)

    def passed(self, heard: Heard) -> None:
        self._output.raw(heard.raw)

    def linked(self, note: Note) -> None:
        self._output.warn(str(note))

    def note(self, words: str) -> None:
        self._output.warn(words)

    def read(self, line: str) -> Word | None:
        if not line.strip():
            return None
        try:
            return Ready(decode_command(line), raw=line)
        except BadCommand as error:
            self._output.warn(f"not sent: {error.reason}")
            return None

    def help(self) -> None:
        """Programs read the protocol."""
