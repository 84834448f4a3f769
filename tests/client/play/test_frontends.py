from collections.abc import Callable

from tests.client.play.scripts import RecordedOutput
from ttt_client.model.typed import HELP, Own, Ready, TypedMove, Wish
from ttt_client.model.view import View
from ttt_client.net.session import Heard
from ttt_client.play.frontends import JsonFrontend, PlainFrontend
from ttt_protocol.codec import encode_message
from ttt_protocol.codes import RefusalCode
from ttt_protocol.commands import Leave
from ttt_protocol.messages import Refused, Rooms, Welcome
from ttt_protocol.state import OfferKind, RoomState


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


def ask(recorded: RecordedOutput, shown: View, *, asks: bool = True) -> PlainFrontend:
    frontend = PlainFrontend(recorded.output, asks=asks)
    frontend.show_message(View(), Heard("raw", None), shown)
    return frontend


def test_on_a_terminal_resign_and_draw_are_asked(
    recorded: RecordedOutput, room: Callable[..., RoomState], view: Callable[..., View]
) -> None:
    frontend = ask(recorded, view(room()))
    assert frontend.parse("resign") is None
    assert frontend.parse("y") == Wish("resign")
    assert frontend.parse("draw") is None
    assert frontend.parse("n") is None
    assert frontend.parse("y") == TypedMove("y", column=24), "the question is gone"
    assert frontend.parse("draw") is None
    assert frontend.parse("5") == TypedMove("5", number=5), "another word plays on"
    assert recorded.lines[:3] == [
        "resign this game? y resigns, n plays on",
        "offer a draw? y offers it, n plays on",
        "the game goes on",
    ]


def test_a_question_is_for_its_own_game(
    recorded: RecordedOutput, room: Callable[..., RoomState], view: Callable[..., View]
) -> None:
    frontend = ask(recorded, view(room()))
    assert frontend.parse("resign") is None
    frontend.show_message(view(room()), Heard("raw", None), view(room(number=2)))
    assert frontend.parse("y") == TypedMove("y", column=24)


def test_nothing_is_asked_from_a_pipe_or_outside_of_a_game(
    recorded: RecordedOutput, room: Callable[..., RoomState], view: Callable[..., View]
) -> None:
    assert ask(recorded, view(room()), asks=False).parse("resign") == Wish("resign")
    assert ask(recorded, view(room(o=None))).parse("resign") == Wish("resign")
    assert ask(recorded, view(room(), None)).parse("draw") == OfferKind.DRAW


def test_a_board_that_is_printed_again_tells_the_last_move_and_the_time_now(
    recorded: RecordedOutput, room: Callable[..., RoomState], view: Callable[..., View]
) -> None:
    now = [100.0]
    frontend = PlainFrontend(recorded.output, moves_only=True, clock=lambda: now[0])
    clock = {"X": 60_000, "O": 65_000, "running": "X"}
    shown = view(room(moves=(4, 0), clock=clock))
    frontend.show_message(View(), Heard("raw", None), shown)
    now[0] = 107.0
    frontend.show_board(shown)
    assert recorded.lines[-3:] == ["last move: O at 1", "clock: X 0:53, O 1:05", "your turn, X"]


def test_json_knows_whether_all_of_the_input_was_refused(recorded: RecordedOutput) -> None:
    frontend = JsonFrontend(recorded.output)
    assert not frontend.all_refused
    frontend.parse("")
    assert not frontend.all_refused
    frontend.parse("nonsense")
    assert frontend.all_refused
    frontend.parse('{"type":"leave"}')
    assert not frontend.all_refused
    refused = Refused(command="leave", code=RefusalCode.RATE_LIMITED, reason="later")
    frontend.show_message(View(), Heard("raw", refused), View())
    assert frontend.all_refused
