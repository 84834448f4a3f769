from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.client.conftest import SEATS, build_welcome
from ttt_client.model.view import View, fold
from ttt_client.text.narrate import MOST_PAST, narrate, news, picture
from ttt_protocol.codes import Choice, RefusalCode
from ttt_protocol.events import Chosen, Ended, Event, Played, Started
from ttt_protocol.messages import (
    AiOffered,
    Cleared,
    Goodbye,
    Hint,
    Message,
    Paired,
    Presence,
    Refused,
    Rooms,
    RoomsChanged,
    Said,
    StillReading,
    Update,
    Welcome,
)
from ttt_protocol.state import BySeat, Mark, Role, RoomName, RoomState, SessionId, Token

MakeRoom = Callable[..., RoomState]
MakeView = Callable[..., View]
MakeUpdate = Callable[..., Update]

BOARD = ["", " 1 │ 2 │ 3", "───┼───┼───", " 4 │ 5 │ 6", "───┼───┼───", " 7 │ 8 │ 9", ""]


def told(before: View, message: Message) -> list[str]:
    return narrate(before, message, fold(before, message))


def test_a_welcome_tells_the_room_the_seats_and_the_board(
    room: MakeRoom, welcome: Callable[..., Welcome]
) -> None:
    assert told(View(), welcome(room())) == [
        "room den on ttt-rooms/9: 3x3, 3 in a row",
        "X: ada (you)",
        "O: bob",
        *BOARD,
        "your turn, X",
    ]


def test_a_welcome_to_a_spectator_says_so(room: MakeRoom, welcome: Callable[..., Welcome]) -> None:
    lines = told(View(), welcome(room(spectators=2), None))
    assert lines[3:5] == ["watching: 2", "you are watching: both seats are taken"]


def test_a_forfeit_is_told_with_what_the_ai_did(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    outcome = {"winner": "X", "reason": "forfeit"}
    ended = {"type": "ended", "game": 1, "outcome": outcome, "detail": "bob took\x1b[2J too long"}
    lines = told(view(room()), update(room(outcome=outcome), ended))
    assert lines[0] == "bob took too long"
    assert "you won: by forfeit" in lines


def test_a_welcome_repeats_the_offer_that_is_open(
    room: MakeRoom, welcome: Callable[..., Welcome]
) -> None:
    lines = told(View(), welcome(room(offers={"draw": "O"})))
    assert "bob (O) offered a draw: accept or decline" in lines


def test_a_room_that_waits_has_no_board(room: MakeRoom, welcome: Callable[..., Welcome]) -> None:
    lines = told(View(), welcome(room("ada", None)))
    assert lines[-2:] == ["O: free", "waiting for another player to join den"]


def test_a_move_is_told_with_the_reason_of_an_ai_and_drawn(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    before = view(room("ada", "minimax", moves=(4,)))
    played = {"type": "played", "game": 1, "ply": 1, "seat": "O", "cell": 0, "reason": "a cor\nner"}
    lines = told(before, update(room("ada", "minimax", moves=(4, 0)), played))
    assert lines[0] == "minimax 9 (O) played 1: a cor ner"
    assert lines[2] == "[O]│ 2 │ 3"
    assert lines[-1] == "your turn, X"


def test_the_end_of_a_game_tells_outcome_clock_and_score(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    after = room(
        outcome={"winner": "O", "reason": "timeout", "line": None},
        clock={"X": 0, "O": 60_000, "running": None},
        score={"O": 1},
    )
    outcome = {"winner": "O", "reason": "timeout"}
    lines = told(view(room()), update(after, {"type": "ended", "game": 1, "outcome": outcome}))
    assert lines[-4:] == [
        "clock: X 0:00.0, O 1:00",
        "you lost: on time",
        "score: ada 0, bob 1, draws 0",
        "the game is over: rematch or quit",
    ]


def test_the_picture_comes_from_the_state_when_events_were_missed(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    assert told(view(room()), update(room(moves=(4, 0))))[-1] == "your turn, X"


def test_what_changes_no_picture_draws_none(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    offered = {"type": "offered", "game": 1, "kind": "draw", "seat": "O"}
    lines = told(view(room()), update(room(offers={"draw": "O"}), offered))
    assert lines == ["bob (O) offered a draw: accept or decline"]


def test_presence_tells_who_went_and_came_and_how_many_watch(
    room: MakeRoom, view: MakeView
) -> None:
    before = view(room())
    away = Presence(seats=BySeat[bool](X=True, O=False), spectators=2)
    assert told(before, away) == [
        "bob (O) is away",
        "in 60 s you may type claim, or fill fair",
        "watching: 2",
    ]
    back = Presence(seats=BySeat[bool](X=True, O=True), spectators=2)
    assert told(fold(before, away), back) == ["bob (O) is back"]
    assert told(before, back.model_copy(update={"spectators": 0})) == []
    assert told(View(), back) == []


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        (
            {"clock": {"initial_s": 60, "increment_s": 0}, "rated": True},
            ["in 60 s you may type claim"],
        ),
        ({"days": 3}, []),
        ({"days": 3, "rated": True}, []),
    ],
)
def test_what_may_be_done_about_an_absence_depends_on_the_room(
    settings: dict[str, object], lines: list[str], room: MakeRoom, view: MakeView
) -> None:
    away = Presence(seats=BySeat[bool](X=True, O=False), spectators=0)
    before = view(room(settings={"rules": {}, **settings}))
    assert told(before, away) == ["bob (O) is away", *lines]
    over = view(
        room(
            settings={"rules": {}, **settings},
            outcome={"winner": "O", "reason": "timeout", "line": None},
        )
    )
    assert told(over, away) == ["bob (O) is away"]


def test_presence_says_nothing_of_an_empty_seat(room: MakeRoom, view: MakeView) -> None:
    presence = Presence(seats=BySeat[bool](X=True, O=False), spectators=0)
    assert told(view(room("ada", None)), presence) == []


def test_a_refusal_is_told_with_the_cells_that_are_free(room: MakeRoom, view: MakeView) -> None:
    refused = Refused(
        command="play",
        code=RefusalCode.CELL_TAKEN,
        reason="that cell\x1b[2J is taken",
        legal=(0, 8),
    )
    assert told(view(room()), refused) == ["refused: that cell is taken", "you may play 1 9"]


def test_a_refusal_with_a_newer_room_draws_it(room: MakeRoom, view: MakeView) -> None:
    refused = Refused(
        command="play", code=RefusalCode.STALE_PLY, reason="no", room=room(moves=(4, 0))
    )
    lines = told(view(room()), refused)
    assert lines[0] == "refused: no"
    assert lines[-1] == "your turn, X"


def test_a_hint_names_cells_as_they_are_typed(room: MakeRoom, view: MakeView) -> None:
    hint = Hint(best=(4, 0), values={"4": 0, "0": 0}, reason="depth 9, 0")
    assert told(view(room()), hint) == ["hint: 5 or 1 draws (sees 9 moves ahead, expects a draw)"]
    unknown = Hint(best=(4,), values={"4": None}, reason="depth 6")
    assert told(view(room()), unknown) == ["hint: 5 looks best (sees 6 moves ahead)"]
    assert told(View(), Hint(best=(), values={}, reason="lost")) == ["hint: nothing is left (lost)"]


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        (Said(name="b\x1b[mob", role=Role.PLAYER, text="hi\x07"), ["bob: hi"]),
        (Said(name="eve", role=Role.SPECTATOR, text="hi"), ["eve (watching): hi"]),
        (
            Goodbye(code=1012, reason="restart\x1b[2Jing"),
            ["the server says goodbye: restarting"],
        ),
        (Rooms(rooms=()), ["no public rooms"]),
        (RoomsChanged(rooms=(), gone=()), []),
    ],
)
def test_other_messages_have_words_and_are_clean(message: Message, lines: list[str]) -> None:
    assert told(View(), message) == lines


def test_before_the_welcome_there_is_no_picture() -> None:
    assert picture(View(), ascii_only=True) == []
    refused = Refused(command="say", code=RefusalCode.NOT_JOINED, reason="join first")
    assert told(View(), refused) == ["refused: join first"]


def test_a_refused_join_is_told_by_the_end_that_it_brings() -> None:
    refused = Refused(command="join", code=RefusalCode.ROOM_FULL, reason="full")
    assert told(View(), refused) == []


def test_a_command_that_came_too_late_is_told_with_whose_turn_it_is(
    room: MakeRoom, view: MakeView
) -> None:
    def answer(code: str, *moves: int, seat: str = "X") -> str:
        now = view(room(moves=moves), seat)
        message = Refused(command="play", code=RefusalCode(code), reason="late")
        return told(now, message)[0]

    assert answer("stale_ply", 4) == "refused: you already moved: it is bob's turn (O)"
    assert answer("not_your_turn", seat="O") == "refused: it is ada's turn (X)"
    assert answer("stale_ply") == "refused: late"


def test_moves_are_told_without_a_board_where_that_is_asked_for(
    room: MakeRoom, view: MakeView, update: MakeUpdate
) -> None:
    before = view(room())
    played = {"type": "played", "game": 1, "ply": 0, "seat": "X", "cell": 4}
    message = update(room(moves=(4,)), played)
    lines = narrate(before, message, fold(before, message), drawn=False)
    assert lines == ["you (X) played 5", "bob's turn (O)"]
    welcomed = build_welcome(room())
    assert narrate(View(), welcomed, fold(View(), welcomed), drawn=False)[-1] == "your turn, X"


def test_two_at_one_keyboard_are_called_by_their_names(room: MakeRoom) -> None:
    now = room(outcome={"winner": "X", "reason": "resignation"})
    both = View(
        you=build_welcome(now).you, room=now, partner=build_welcome(now, "O").you, is_shared=True
    )
    assert "ada (X) won: by resignation" in picture(both, ascii_only=True)


def test_the_second_at_one_keyboard_comes_without_a_word(room: MakeRoom) -> None:
    alone = fold(View(is_shared=True), build_welcome(room()))
    second = build_welcome(room(), "O")
    both = fold(alone, second)
    assert both.partner == second.you
    assert narrate(alone, second, both) == []
    again = fold(both, build_welcome(room()))
    assert (again.you, again.partner) == (alone.you, second.you)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Cleared(), "the host cleared the chat"),
        (StillReading(seq=512), "the room has a long history: 512 events are read"),
        (
            AiOffered(strategy="lines", level=None),
            "no player yet; an AI (lines) would play: type accept, or wait",
        ),
        (
            Paired(room=RoomName("quick-a"), token=Token("t"), seat=Mark.X, within_s=10),
            "found an opponent: room quick-a",
        ),
    ],
)
def test_what_is_told_beside_the_game(
    view: MakeView, room: MakeRoom, message: Message, line: str
) -> None:
    before = view(room())
    assert fold(before, message) == before
    assert told(before, message) == [line]


def said(text: str, at: int) -> Said:
    return Said(name="eve", role=Role.SPECTATOR, text=text, from_=SessionId("ide"), at=at)


def test_what_was_said_before_is_told_once(room: MakeRoom) -> None:
    first = build_welcome(room()).model_copy(update={"feed": (said("hello", 5),)})
    known = fold(View(), first)
    assert "eve (watching): hello" in narrate(View(), first, known)
    known = fold(known, said("still here", 7))
    feed = (said("hello", 5), said("still here", 7), said("and you?", 9))
    later = build_welcome(room()).model_copy(update={"feed": feed})
    lines = narrate(known, later, fold(known, later))
    assert [line for line in lines if "eve" in line] == ["eve (watching): and you?"]


def played(seq: int, seat: Mark, cell: int) -> Played:
    return Played(seq=seq, at=seq, game=1, ply=seq - 2, seat=seat, cell=cell)


def test_what_happened_before_is_told_once_and_in_its_order(room: MakeRoom) -> None:
    moves: list[Event] = [Started(seq=1, at=1, game=1), played(2, Mark.X, 4), played(3, Mark.O, 0)]
    state = replace(room(moves=(4, 0)), seq=3)
    first = build_welcome(state).model_copy(update={"feed": (said("well", 2),)})
    known = fold(View(), first)
    lines = narrate(View(), first, known, moves)
    begin = lines.index("game 1: you (X) against bob (O)")
    told_so_far = ["you (X) played 5", "eve (watching): well", "bob (O) played 1"]
    assert lines[begin + 1 : begin + 4] == told_so_far
    state = replace(room(moves=(4, 0, 1)), seq=4)
    later = build_welcome(state).model_copy(update={"feed": first.feed})
    lines = narrate(known, later, fold(known, later), [*moves, played(4, Mark.X, 1)])
    assert "you (X) played 2" in lines
    assert not {*told_so_far} & {*lines}


def test_of_a_long_game_only_the_last_is_told(room: MakeRoom) -> None:
    moves = [played(seq, Mark.X, seq % 9) for seq in range(2, MOST_PAST + 5)]
    welcomed = build_welcome(replace(room(moves=(4, 0)), seq=99))
    lines = narrate(View(), welcomed, fold(View(), welcomed), moves)
    assert "(before that: 3 lines)" in lines
    assert len([line for line in lines if "you (X) played" in line]) == MOST_PAST


def test_the_end_of_a_game_before_is_told_once(room: MakeRoom) -> None:
    outcome = {"winner": "X", "reason": "line", "line": [0, 1, 2]}
    state = room(moves=(4, 0), outcome=outcome)
    assert state.game is not None
    assert state.game.outcome is not None
    welcomed = build_welcome(state)
    ended = Ended(seq=9, at=9, game=1, outcome=state.game.outcome)
    lines = narrate(View(), welcomed, fold(View(), welcomed), [ended])
    assert len([line for line in lines if "won" in line or "wins" in line]) == 1


def test_a_host_that_comes_back_hears_which_members_are_muted(
    room: MakeRoom, view: MakeView
) -> None:
    muted = SessionId("ide"), SessionId("idz")
    feed = (said("boo", 5),)
    welcomed = build_welcome(room()).model_copy(update={"feed": feed, "muted": muted})
    after = fold(View(), welcomed)
    assert "muted: eve, #idz" in narrate(View(), welcomed, after)
    assert news(View(), welcomed, after) == ["muted: eve, #idz"]
    assert news(View(), build_welcome(room()), view(room())) == []


def test_a_welcome_tells_the_host_who_may_chat_and_how_long_a_player_is_away(
    room: MakeRoom,
) -> None:
    bob = {"kind": "human", "id": "idb", "name": "bob", "connected": False, "away_since": 10_000}
    state = room(seats={"X": SEATS["ada"], "O": bob}, chat="players")
    welcomed = build_welcome(state).model_copy(update={"at": 52_900})
    you = replace(welcomed.you, host=True)
    welcomed = welcomed.model_copy(update={"you": you})
    lines = narrate(View(), welcomed, fold(View(), welcomed))
    assert {"you are the host of this room", "only the players may chat"} <= {*lines}
    assert "O: bob (away 42 s)" in lines


def test_a_newcomer_reads_who_placed_what_before_the_players_changed_seats(
    room: MakeRoom, welcome: Callable[..., Welcome]
) -> None:
    swap = Chosen(seq=3, at=3, game=1, ply=1, seat=Mark.O, choice=Choice.SWAP)
    events: list[Event] = [played(2, Mark.X, 4), swap, played(4, Mark.O, 0)]
    message = welcome(room("bob", "ada", moves=(4, 0), opening="pie", seq=4), None)
    lines = narrate(View(), message, fold(View(), message), events)
    assert [line for line in lines if "played" in line or "chose" in line] == [
        "ada (X) played 5",
        "bob (O) chose to swap: the players change seats",
        "ada (O) played 1",
    ]


def test_the_welcome_tells_that_the_games_are_rated(
    room: MakeRoom, welcome: Callable[..., Welcome]
) -> None:
    rated = room(settings={"rules": {}, "days": 3, "rated": True})
    words = "the games here are rated: no hints, no takebacks"
    assert told(View(), welcome(rated)).count(words) == 1
    assert words not in told(View(), welcome(room()))


def test_the_welcome_tells_the_opening(room: MakeRoom, welcome: Callable[..., Welcome]) -> None:
    lines = told(View(), welcome(room(opening="pie")))
    assert lines[0] == "room den on ttt-rooms/9: 3x3, 3 in a row; opening: pie"
