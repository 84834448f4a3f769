from collections.abc import Callable

from tests.client.play.scripts import RecordedOutput
from ttt_client.model.typed import HELP, Own, Ready
from ttt_client.model.view import View
from ttt_client.net.session import Heard
from ttt_client.play.frontends import JsonFrontend, PlainFrontend
from ttt_protocol.codec import encode_message
from ttt_protocol.commands import Leave
from ttt_protocol.messages import Rooms, Welcome
from ttt_protocol.state import RoomState


def test_plain_tells_a_message_in_lines(
    recorded: RecordedOutput,
    room: Callable[..., RoomState],
    welcome: Callable[..., Welcome],
    view: Callable[..., View],
) -> None:
    message = welcome(room())
    PlainFrontend(recorded.output).show_message(View(), Heard("raw", message), view(room()))
    assert recorded.out.getvalue().splitlines()[-1] == "your turn, X"
    assert "token" not in recorded.out.getvalue()
    assert recorded.out.getvalue().isascii()


def test_plain_keeps_quiet_about_words_of_a_newer_server_and_the_passing_lobby(
    recorded: RecordedOutput,
) -> None:
    frontend = PlainFrontend(recorded.output)
    frontend.show_message(View(), Heard("raw", None), View())
    frontend.show_lobby(Heard("raw", Rooms(rooms=())))
    assert recorded.out.getvalue() == recorded.err.getvalue() == ""


def test_plain_reads_lines_and_answers_what_it_does_not_understand(
    recorded: RecordedOutput,
) -> None:
    frontend = PlainFrontend(recorded.output)
    assert frontend.parse("quit") == Own("quit")
    assert frontend.parse("") is None
    assert recorded.out.getvalue() == ""
    assert frontend.parse("what") is None
    assert "help" in recorded.out.getvalue()


def test_plain_helps(recorded: RecordedOutput) -> None:
    PlainFrontend(recorded.output).show_help()
    assert recorded.out.getvalue() == f"{HELP}\n"


def test_json_shows_everything_raw_and_notes_elsewhere(recorded: RecordedOutput) -> None:
    frontend = JsonFrontend(recorded.output)
    raw = encode_message(Rooms(rooms=())).decode()
    frontend.show_message(View(), Heard(raw, None), View())
    frontend.show_lobby(Heard(raw, None))
    frontend.say("lost")
    frontend.show_help()
    assert recorded.out.getvalue() == f"{raw}\n{raw}\n"
    assert recorded.err.getvalue() == "ttt-client: lost\n"


def test_json_reads_commands_alone(recorded: RecordedOutput) -> None:
    frontend = JsonFrontend(recorded.output)
    assert frontend.parse('{"type": "leave"}') == Ready(Leave(), raw='{"type": "leave"}')
    assert frontend.parse("  ") is None
    assert recorded.err.getvalue() == ""
    assert frontend.parse('{"type": "play"}') is None
    assert frontend.parse('{"type": "play", "game": 1, "ply": 0, "cell": "b"}') is None
    assert recorded.err.getvalue().splitlines() == [
        "ttt-client: standard input, line 3 is not sent: game: is missing",
        "ttt-client: standard input, line 4 is not sent: cell: must be a whole number",
    ]
