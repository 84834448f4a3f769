import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from ttt_client.cli.main import main
from ttt_client.net.address import parse_server
from ttt_client.net.session import Ending
from ttt_client.play.recordings import ServerRecordings, replay
from ttt_client.play.replay import recording_of, replay_lines, steps_of
from ttt_client.terminal.stdout import Output
from ttt_protocol.codec import BadMessage, decode_record
from ttt_protocol.records import GameRecord
from ttt_protocol.state import Mark, RoomName, RoomState, Status

Pages = Callable[[dict[str, bytes | None]], str]
MakeAnswer = Callable[..., bytes]
MakeRoom = Callable[..., RoomState]

LINE = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
SEATS = {
    "X": {"kind": "human", "id": "ida", "name": "ada"},
    "O": {"kind": "ai", "id": None, "name": "minimax", "strategy": "minimax", "level": 9},
}
WON = """\
room den, game 3: 3x3, 3 in a row
X: ada
O: minimax 9 (AI)
ada (X) played 1

[X]| 2 | 3
---+---+---
 4 | 5 | 6
---+---+---
 7 | 8 | 9

minimax 9's turn (O)
minimax 9 (O) played 5: the centre

 X | 2 | 3
---+---+---
 4 |[O]| 6
---+---+---
 7 | 8 | 9

ada's turn (X)
ada (X) played 2

 X |[X]| 3
---+---+---
 4 | O | 6
---+---+---
 7 | 8 | 9

minimax 9's turn (O)
minimax 9 (O) played 9

 X | X | 3
---+---+---
 4 | O | 6
---+---+---
 7 | 8 |[O]

ada's turn (X)
ada (X) played 3

*X*|*X*|*X*
---+---+---
 4 | O | 6
---+---+---
 7 | 8 | O

ada (X) won: a line, 1 2 3
the game is over
"""


def played(*cells: int, ply: int = 0) -> list[dict[str, Any]]:
    return [
        {"type": "played", "game": 3, "ply": number, "seat": "XO"[number % 2], "cell": cell}
        for number, cell in enumerate(cells, start=ply)
    ]


def told(*events: dict[str, Any], **changes: Any) -> str:
    """A record as a server sends it, its events numbered."""
    numbered = [{"seq": seq, "at": 0, **event} for seq, event in enumerate(events, start=7)]
    record = {"room": "den", "game": 3, "rules": {}, "seats": SEATS, "events": numbered}
    return json.dumps(record | changes)


def record(*events: dict[str, Any], **changes: Any) -> GameRecord:
    return decode_record(told(*events, **changes))


def won() -> tuple[dict[str, Any], ...]:
    moves = played(0, 4, 1, 8, 2)
    moves[1]["reason"] = "the centre"
    started = {"type": "started", "game": 3}
    return (started, *moves, {"type": "ended", "game": 3, "outcome": LINE})


def lines(*events: dict[str, Any], **changes: Any) -> list[str]:
    """Return the replayed lines without the header."""
    return list(replay_lines(recording_of(record(*events, **changes)), ascii_only=True))[3:]


def test_a_game_is_told_with_a_board_a_move_and_its_end() -> None:
    assert "\n".join([*replay_lines(recording_of(record(*won())), ascii_only=True), ""]) == WON


def test_every_step_is_a_room_that_could_be_drawn_alone() -> None:
    found = steps_of(record(*won()))
    boards = [step.room.game and step.room.game.board for step in found]
    last = ["X........", "X...O....", "XX..O....", "XX..O...O", "XXX.O...O"]
    assert boards == ["." * 9, *last]
    assert [step.room.status for step in found] == [Status.PLAYING] * 5 + [Status.FINISHED]
    assert [len(step.events) for step in found] == [0, 1, 1, 1, 1, 2]


def test_a_game_that_goes_on_ends_with_whose_turn_it_is() -> None:
    assert lines(*played(0))[-1] == "minimax 9's turn (O)"


def test_moves_that_were_taken_back_leave_the_board() -> None:
    asked = {"type": "offered", "kind": "takeback", "seat": "X"}
    taken_back = {"type": "taken_back", "game": 3, "ply": 0}
    events = (*played(0, 4), asked, taken_back, *played(8))
    found = steps_of(record(*events))
    game = found[-2].room.game
    assert game is not None
    assert (game.board, game.turn, game.moves, game.ply) == ("." * 9, Mark.X, (), 0)
    game = found[-1].room.game
    assert game is not None
    assert (game.board, game.turn, game.moves) == ("........X", Mark.O, (8,))
    shown = lines(*events)
    asks = shown.index("ada (X) asked to take a move back")
    assert shown[asks + 1] == "taken back: the game is at ply 0 again"
    assert shown[asks + 3] == " 1 | 2 | 3"


def test_offers_are_told_without_a_board() -> None:
    offered = {"type": "offered", "kind": "draw", "seat": "O"}
    declined = {"type": "declined", "kind": "draw", "seat": "X"}
    assert lines(*played(0), offered, declined)[-2:] == [
        "minimax 9 (O) offered a draw",
        "ada (X) declined a draw",
    ]


def test_an_end_before_the_first_move_is_told() -> None:
    resigned = {"winner": "O", "reason": "resignation", "line": None}
    shown = lines({"type": "started", "game": 3}, {"type": "ended", "game": 3, "outcome": resigned})
    assert shown[-2:] == ["minimax 9 (O) won: by resignation", "the game is over"]


def test_clocks_are_shown_as_they_were() -> None:
    move = {**played(0)[0], "clock": {"X": 301_000, "O": 300_000}}
    out_of_time = {"winner": "X", "reason": "timeout", "line": None}
    ended = {"type": "ended", "game": 3, "outcome": out_of_time, "clock": {"X": 301_000, "O": 0}}
    assert "clock: X 5:01, O 5:00" in lines(move)
    assert "clock: X 5:01, O 0:00.0" in lines(move, ended)


def test_other_events_of_the_room_are_told_too() -> None:
    seated = {"type": "seated", "seat": "X", "player": SEATS["O"]}
    assert lines(seated, {"type": "left", "seat": "X"}) == [
        "minimax, an AI, took seat X",
        "ada (X) gave the seat up",
    ]


def test_an_empty_seat_has_no_name() -> None:
    shown = list(replay_lines(recording_of(record(*played(0), seats={"X": SEATS["X"], "O": None}))))
    assert shown[1:3] == ["X: ada", "O: free"]
    assert shown[-1] == "nobody's turn (O)"


def test_a_large_board_is_told_by_its_edges() -> None:
    rules = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    shown = list(replay_lines(recording_of(record(*played(35), rules=rules))))
    assert shown[0] == "room den, game 3: 7x6, 4 in a row, pieces fall"
    assert "ada (X) played a6" in shown


@pytest.mark.parametrize(
    "event",
    [
        *played(9, -1, 10**30),
        {"type": "taken_back", "game": 3, "ply": 1},
        {"type": "taken_back", "game": 3, "ply": -1},
    ],
    ids=str,
)
def test_what_no_board_has_is_no_game(event: dict[str, Any]) -> None:
    with pytest.raises(BadMessage, match="event 7 is off the board"):
        steps_of(record(event))


def test_moves_alone_are_told_without_boards() -> None:
    shown = list(replay_lines(recording_of(record(*won())), ascii_only=True, drawn=False))
    assert not any("-+-" in line for line in shown)
    assert sum(" played " in line for line in shown) == WON.count(" played ")


# Over HTTP


async def replayed(
    url: str, game: int | None = None, *, as_json: bool = False
) -> tuple[Ending, list[str]]:
    out = StringIO()
    output = Output(out, StringIO(), ascii_only=True)
    recordings = ServerRecordings(parse_server(url), RoomName("den"), None)
    end = await replay(recordings, game, output, json=as_json, drawn=True, analysed=False)
    return end, out.getvalue().splitlines()


async def test_a_game_is_read_by_its_number(pages: Pages, answer: MakeAnswer) -> None:
    url = pages({"/ttt/api/rooms/den/games/3": answer(told(*won()))})
    end, shown = await replayed(f"ws://{url}/ttt", 3)
    assert end == Ending(0)
    assert shown == WON.splitlines()


async def test_without_a_number_it_is_the_last(
    pages: Pages, answer: MakeAnswer, room: MakeRoom
) -> None:
    state = answer(room(number=3).to_json().decode())
    game = answer(told(*won()))
    url = pages({"/api/rooms/den": state, "/api/rooms/den/games/3": game})
    assert await replayed(url) == (Ending(0), WON.splitlines())


async def test_json_is_the_events_alone(pages: Pages, answer: MakeAnswer) -> None:
    raw = told(*won())
    url = pages({"/api/rooms/den/games/3": answer(raw)})
    end, shown = await replayed(url, 3, as_json=True)
    assert end == Ending(0)
    assert [json.loads(line) for line in shown] == json.loads(raw)["events"]


async def test_a_refusal_is_code_4_with_the_servers_words(pages: Pages, answer: MakeAnswer) -> None:
    locked = answer("this room is not for everyone\n", 403, "text/plain; charset=utf-8")
    url = pages({"/api/rooms/den": locked})
    words = "refused: this room is not for everyone (HTTP 403)"
    assert await replayed(url) == (Ending(4, words), [])
    assert await replayed(url, 9) == (Ending(4, "refused: there is nothing here (HTTP 404)"), [])


async def test_a_room_that_waits_for_its_first_game_has_none(
    pages: Pages, answer: MakeAnswer, room: MakeRoom
) -> None:
    url = pages({"/api/rooms/den": answer(room(o=None).to_json().decode())})
    assert await replayed(url) == (Ending(1, "no game has begun in den yet"), [])


@pytest.mark.parametrize("body", ["<html>", "{}", told({"type": "left"}), told(*played(9))])
@pytest.mark.parametrize("as_json", [True, False])
async def test_an_answer_that_makes_no_sense_is_code_1(
    body: str, as_json: bool, pages: Pages, answer: MakeAnswer
) -> None:
    url = pages({"/api/rooms/den/games/3": answer(body)})
    end, shown = await replayed(url, 3, as_json=as_json)
    assert end.code == 1
    assert end.words is not None
    assert end.words.startswith("the answer is not understood: not a record of a game: ")
    assert shown == []


def test_no_server_is_exit_code_3_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "den", "--server", "127.0.0.1:1"]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert (
        shown.err
        == "ttt-client: nothing listens at 127.0.0.1:1; start ttt-server, or give --server\n"
    )


def test_a_game_from_a_position_begins_there() -> None:
    moves = played(8, 2, ply=2)
    steps = steps_of(record({"type": "started", "game": 3}, *moves, start=[0, 4]))
    assert [step.room.game.board for step in steps if step.room.game] == [
        "X...O....",
        "X...O...X",
        "X.O.O...X",
    ]
    with pytest.raises(BadMessage, match="start is off the board"):
        steps_of(record({"type": "started", "game": 3}, start=[9]))


def test_a_server_that_slept_sets_the_clock() -> None:
    left = {"X": 58_000, "O": 60_000}
    slept = {"type": "slept", "game": 3, "seat": "O", "given_back_ms": 9000, "clock": left}
    game = steps_of(record(*played(0), slept))[-1].room.game
    assert game is not None
    assert game.clock is not None
    assert (game.clock.X, game.clock.O) == (58_000, 60_000)


def test_an_opening_has_the_marks_by_turns_and_the_seats_after_a_swap() -> None:
    acts: list[dict[str, Any]] = [{"type": "started", "game": 1}]
    acts += [
        {"type": "played", "game": 1, "ply": ply, "seat": seat, "cell": cell}
        for ply, (seat, cell) in enumerate([("X", 0), ("X", 1), ("X", 2)])
    ]
    acts.append({"type": "chosen", "game": 1, "ply": 3, "seat": "O", "choice": "swap"})
    acts.append({"type": "played", "game": 1, "ply": 3, "seat": "O", "cell": 3})
    events = [{"seq": seq, "at": 0, **act} for seq, act in enumerate(acts, 1)]
    given = {"room": "den", "game": 1, "rules": {}, "seats": SEATS, "events": events}
    rooms = [step.room for step in steps_of(GameRecord.model_validate_json(json.dumps(given)))]
    games = [room.game for room in rooms if room.game is not None]
    assert games[3].board == "XOX......"
    assert [(game.turn, game.choosing) for game in games] == [
        (Mark.X, None),
        (Mark.X, None),
        (Mark.X, None),
        (Mark.O, Mark.O),
        (Mark.O, None),
        (Mark.X, None),
    ]
    names = [None if room.seats.X is None else room.seats.X.name for room in rooms[3:5]]
    assert names == ["ada", "minimax"]


def test_the_boards_of_a_variant_are_those_of_its_record() -> None:
    cells, boards = (0, 4, 1, 8), ("X........", "X...X....", "XX..X....", "XX..X...X")
    events: list[dict[str, Any]] = [{"type": "started", "game": 1}]
    for ply, cell in enumerate(cells):
        events.append(
            {"type": "played", "game": 1, "ply": ply, "seat": "XO"[ply % 2], "cell": cell}
        )
    events.insert(3, {"type": "taken_back", "game": 1, "ply": 1})
    events.insert(4, {**events[2]})
    rules = {"variant": "notakto", "columns": 3, "rows": 3, "in_a_row": 3}
    told = {"room": "den", "game": 1, "rules": rules, "seats": SEATS, "boards": boards}
    numbered = [{"seq": seq, "at": 0, **event} for seq, event in enumerate(events, 1)]
    steps = steps_of(decode_record(json.dumps({**told, "events": numbered}).encode()))
    shown = ["" if step.room.game is None else step.room.game.board for step in steps]
    assert shown == ["." * 9, boards[0], boards[1], boards[0], *boards[1:]]
