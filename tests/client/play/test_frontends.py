from collections.abc import Callable
from io import StringIO

import pytest

from ttt_client.model.typed import HELP, Ready, Wish
from ttt_client.model.view import View
from ttt_client.net.session import Heard
from ttt_client.play.frontends import JsonFrontend, PlainFrontend
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import encode_message
from ttt_protocol.commands import Leave
from ttt_protocol.messages import Rooms, Welcome
from ttt_protocol.state import RoomState


class Screen:
    def __init__(self) -> None:
        self.out, self.err = StringIO(), StringIO()
        self.output = Output(self.out, self.err, ascii_only=True)


@pytest.fixture
def screen() -> Screen:
    return Screen()


def test_plain_tells_a_message_in_lines(
    screen: Screen,
    room: Callable[..., RoomState],
    welcome: Callable[..., Welcome],
    view: Callable[..., View],
) -> None:
    message = welcome(room())
    PlainFrontend(screen.output).show_message(View(), Heard("raw", message), view(room()))
    assert screen.out.getvalue().splitlines()[-1] == "your turn, X"
    assert "token" not in screen.out.getvalue()
    assert screen.out.getvalue().isascii()


def test_plain_keeps_quiet_about_words_of_a_newer_server_and_the_passing_lobby(
    screen: Screen,
) -> None:
    frontend = PlainFrontend(screen.output)
    frontend.show_message(View(), Heard("raw", None), View())
    frontend.show_lobby(Heard("raw", Rooms(rooms=())))
    assert screen.out.getvalue() == screen.err.getvalue() == ""


def test_plain_reads_lines_and_answers_what_it_does_not_understand(screen: Screen) -> None:
    frontend = PlainFrontend(screen.output)
    assert frontend.parse("quit") == Wish("quit")
    assert frontend.parse("") is None
    assert screen.out.getvalue() == ""
    assert frontend.parse("what") is None
    assert "help" in screen.out.getvalue()


def test_plain_helps(screen: Screen) -> None:
    PlainFrontend(screen.output).show_help()
    assert screen.out.getvalue() == f"{HELP}\n"


def test_json_shows_everything_raw_and_notes_elsewhere(screen: Screen) -> None:
    frontend = JsonFrontend(screen.output)
    raw = encode_message(Rooms(rooms=())).decode()
    frontend.show_message(View(), Heard(raw, None), View())
    frontend.show_lobby(Heard(raw, None))
    frontend.say("lost")
    frontend.show_help()
    assert screen.out.getvalue() == f"{raw}\n{raw}\n"
    assert screen.err.getvalue() == "ttt-client: lost\n"


def test_json_reads_commands_alone(screen: Screen) -> None:
    frontend = JsonFrontend(screen.output)
    assert frontend.parse('{"type": "leave"}') == Ready(Leave(), raw='{"type": "leave"}')
    assert frontend.parse("  ") is None
    assert screen.err.getvalue() == ""
    assert frontend.parse('{"type": "play"}') is None
    assert screen.err.getvalue().startswith("ttt-client: not sent: game: ")
