from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.client import variants as rooms
from tests.client.conftest import build_room, build_view, build_welcome
from ttt_client.model.typed import (
    TYPE_QUIT,
    Filling,
    ForServer,
    NotNow,
    Own,
    Ready,
    TypedAnswer,
    TypedMove,
    Wish,
    cell_of,
    command_for,
    not_connected,
    parse_line,
)
from ttt_client.model.view import View, fold
from ttt_protocol.codes import Choice
from ttt_protocol.commands import (
    Accept,
    AskHint,
    Choose,
    Claim,
    Command,
    Decline,
    Fill,
    Leave,
    Moderate,
    Offer,
    Play,
    Resign,
    Say,
)
from ttt_protocol.messages import Said
from ttt_protocol.state import Mark, OfferKind, Role, RoomState, Rules, SessionId

MakeRoom = Callable[..., RoomState]
MakeView = Callable[..., View]
LINE = {"winner": "X", "reason": "line", "line": [0, 4, 8]}


def word(line: str) -> ForServer:
    found = parse_line(line)
    assert found is not None
    assert not isinstance(found, Own)
    return found


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("5", Play(game=1, ply=0, cell=4)),
        ("b2", Play(game=1, ply=0, cell=4)),
        ("resign", Resign(game=1)),
        ("claim", Claim(game=1)),
        ("draw", Offer(kind=OfferKind.DRAW)),
        ("takeback", Offer(kind=OfferKind.TAKEBACK)),
        ("accept draw", Accept(kind=OfferKind.DRAW)),
        ("decline rematch", Decline(kind=OfferKind.REMATCH)),
        ("fill rules", Fill(seat=Mark.O, strategy="rules")),
        ("fill minimax:5", Fill(seat=Mark.O, strategy="minimax", level=5)),
        ("fill fair", Fill(seat=Mark.O, strategy="guard")),
        ("hint", AskHint()),
        ("say hi", Say(text="hi")),
        ("leave", Leave()),
    ],
)
def test_on_your_turn_every_word_is_a_command(
    line: str, command: Command, room: MakeRoom, view: MakeView
) -> None:
    found = command_for(word(line), view(room()))
    assert found == command
    assert not isinstance(found, NotNow)
    assert found.model_fields_set == command.model_fields_set


def test_a_move_says_the_game_and_ply_that_are_known(room: MakeRoom, view: MakeView) -> None:
    known = view(room(moves=(4,), number=3), "O")
    assert command_for(word("1"), known) == Play(game=3, ply=1, cell=0)


@pytest.mark.parametrize(
    ("line", "changes", "wait"),
    [
        ("5", {"moves": (0,)}, True),
        ("hint", {"moves": (0,)}, False),
        ("5", {"o": None}, True),
        ("rematch", {"o": None}, True),
        ("resign", {"o": None}, False),
        ("claim", {"o": None}, False),
        ("draw", {"o": None}, False),
        ("rematch", {}, True),
        ("5", {"outcome": LINE}, False),
        ("5", {"outcome": LINE, "offers": {"rematch": "X"}}, True),
        ("5", {"outcome": LINE, "offers": {"rematch": "O"}}, False),
        ("0", {}, False),
        ("10", {}, False),
        ("d1", {}, False),
        ("a4", {}, False),
        ("a0", {}, False),
        ("accept", {}, False),
        ("decline", {"offers": {"draw": "O", "takeback": "O"}}, False),
    ],
)
def test_what_cannot_be_now_is_said_and_may_wait(
    line: str, changes: dict[str, Any], wait: bool, room: MakeRoom, view: MakeView
) -> None:
    answer = command_for(word(line), view(room(**changes)))
    assert isinstance(answer, NotNow)
    assert answer.wait is wait


def test_words_for_what_cannot_be_now(room: MakeRoom, view: MakeView) -> None:
    assert command_for(word("5"), view(room(), "O")) == NotNow(
        "not your turn: ada (X) is to move", wait=True
    )
    assert command_for(word("d4"), view(room())) == NotNow("there is no cell d4 on this board")
    two = view(room(offers={"draw": "O", "takeback": "O"}))
    assert command_for(word("accept"), two) == NotNow(
        "there is more than one offer: accept draw or accept takeback"
    )


def test_a_taken_cell_is_refused_here(room: MakeRoom, view: MakeView) -> None:
    known = view(room(moves=(4, 0)))
    taken = NotNow("5 is taken: free are 2, 3, 4, 6, 7, 8, 9")
    assert command_for(word("5"), known) == taken
    large = view(room(rules={"columns": 15, "rows": 15, "in_a_row": 5}, moves=(112, 0)))
    assert command_for(word("h8"), large) == NotNow("h8 is taken")


def test_without_a_connection_a_move_is_said_to_be_lost() -> None:
    assert not_connected(TypedMove("d4")) == NotNow("not connected: d4 was not played", wait=True)
    assert not_connected(Wish("hint")) == NotNow("not connected yet: try again", wait=True)
    assert not_connected(TypedMove("q")) == NotNow(TYPE_QUIT)


def test_q_says_that_quit_is_the_word(room: MakeRoom, view: MakeView) -> None:
    falling = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}
    for known in (view(room()), view(room(), None), view(room(rules=falling, moves=(38,)))):
        assert command_for(word("q"), known) == NotNow(TYPE_QUIT)
    wide = falling | {"columns": 19}
    assert isinstance(command_for(word("q"), view(room(rules=wide))), Play)


def test_the_open_offer_of_the_other_player_is_answered(room: MakeRoom, view: MakeView) -> None:
    known = view(room(offers={"takeback": "O", "draw": "X"}))
    assert command_for(word("accept"), known) == Accept(kind=OfferKind.TAKEBACK)
    assert command_for(word("decline"), known) == Decline(kind=OfferKind.TAKEBACK)


def test_after_the_game_a_rematch_is_offered(room: MakeRoom, view: MakeView) -> None:
    over = view(room(outcome=LINE))
    assert command_for(word("rematch"), over) == Offer(kind=OfferKind.REMATCH)
    assert command_for(word("hint"), over) == AskHint()


@pytest.mark.parametrize(
    "typed",
    [
        TypedMove("5", number=5),
        OfferKind.DRAW,
        TypedAnswer("accept"),
        Filling("rules"),
        Wish("resign"),
    ],
)
def test_a_spectator_only_watches_talks_and_leaves(
    typed: ForServer, room: MakeRoom, view: MakeView
) -> None:
    watching = view(room(), None)
    assert isinstance(command_for(typed, watching), NotNow)
    assert command_for(Ready(Say(text="hi")), watching) == Say(text="hi")
    assert command_for(Ready(Leave()), watching) == Leave()


def test_a_cell_is_a_number_or_column_and_row() -> None:
    wide = Rules(columns=7, rows=6, in_a_row=4)
    assert cell_of(TypedMove("42", number=42), wide) == 41
    assert cell_of(TypedMove("43", number=43), wide) is None
    assert cell_of(TypedMove("g6", column_row=(6, 5)), wide) == 41
    assert cell_of(TypedMove("g7", column_row=(6, 6)), wide) is None
    assert cell_of(TypedMove("h1", column_row=(7, 0)), wide) is None


FALLS = {"columns": 7, "rows": 6, "in_a_row": 4, "gravity": True}


@pytest.mark.parametrize("typed", ["d", "4", "d1", "d6", "d3", "11"])
def test_where_pieces_fall_each_name_of_a_column_drops_there(typed: str) -> None:
    falling = build_view(build_room(rules=FALLS, moves=(38, 31)))
    assert command_for(word(typed), falling) == Play(game=1, ply=2, cell=24)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("d", "column d is full"),
        ("d2", "column d is full"),
        ("h", "there is no column h on this board"),
        ("50", "there is no column 50 on this board"),
    ],
)
def test_a_full_column_and_one_that_is_not_there_are_told_in_words(typed: str, words: str) -> None:
    full = build_view(build_room(rules=FALLS, moves=(38, 31, 24, 17, 10, 3)))
    assert command_for(word(typed), full) == NotNow(words)


def test_a_column_alone_is_no_cell_where_nothing_falls() -> None:
    flat = build_view(build_room())
    assert command_for(TypedMove("b", column=1), flat) == NotNow(
        "b is a column: a cell has a row, too, as b1"
    )
    assert command_for(TypedMove("z", column=25), flat) == NotNow(
        "there is no cell z on this board"
    )


def hosted(*said: tuple[str, str]) -> View:
    """The view of ada, the host, after words of members, each an id and a name."""
    known = build_view(build_room())
    assert known.you is not None
    known = replace(known, you=replace(known.you, host=True, from_=SessionId("ida")))
    for id_, name in said:
        message = Said(name=name, role=Role.SPECTATOR, text="hi", from_=SessionId(id_), at=1)
        known = fold(known, message)
    return known


@pytest.mark.parametrize(
    ("line", "id_"),
    [("mute bob", "idb"), ("remove eve", "ide"), ("unmute #ide", "ide"), ("mute guest", None)],
)
def test_the_host_calls_members_by_name_or_id(line: str, id_: str | None) -> None:
    found = command_for(word(line), hosted(("ide", "eve"), ("g1", "guest"), ("g2", "guest")))
    if id_ is None:
        assert found == NotNow("more than one is called guest: mute #g1 or #g2")
    else:
        assert isinstance(found, Moderate)
        assert (found.action, found.from_) == (line.split(maxsplit=1)[0], id_)


def test_a_member_that_is_not_known_is_asked_for_by_those_that_are() -> None:
    known = hosted(("ide", "eve"), ("ida", "ada"))
    assert command_for(word("mute eva"), known) == NotNow("mute takes a name; known here: bob, eve")
    alone = fold(known, build_welcome(build_room(o=None)))
    assert command_for(word("mute"), replace(alone, speakers=(), you=known.you)) == NotNow(
        "mute takes a name; known here: nobody yet"
    )


def test_only_the_host_names_members() -> None:
    assert command_for(word("mute bob"), build_view(build_room())) == NotNow(
        "only the host, who made the room, may do this"
    )


def test_a_choice_is_made_where_it_is_open_and_waits_before(room: MakeRoom, view: MakeView) -> None:
    choosing = room(moves=(4,), opening="pie", choosing="O", choices=("stay", "swap"))
    swap, more = word("swap"), word("more")
    assert command_for(swap, view(choosing, "O")) == Choose(game=1, ply=1, choice=Choice.SWAP)
    assert command_for(more, view(choosing, "O")) == NotNow("choose stay or swap")
    nothing = "there is nothing for you to choose now"
    assert command_for(swap, view(choosing, "X")) == NotNow(nothing, wait=True)
    assert command_for(swap, view(room(), "O")) == NotNow(nothing, wait=True)
    assert command_for(swap, view(room(outcome=LINE), "O")) == NotNow(nothing)
    assert command_for(swap, view(room(o=None), "X")) == NotNow(
        "the game has not started", wait=True
    )


def test_a_move_waits_for_the_choice(room: MakeRoom, view: MakeView) -> None:
    fields = {"moves": (0, 1, 2), "opening": "swap2", "choosing": "O"}
    choosing = room(**fields, choices=("stay", "swap", "more"))
    first = NotNow("choose first: stay, swap or more", wait=True)
    assert command_for(word("5"), view(choosing, "O")) == first
    other = NotNow("the other player chooses first", wait=True)
    assert command_for(word("5"), view(choosing, "X")) == other


@pytest.mark.parametrize(
    ("line", "shown", "words"),
    [
        ("a1", rooms.ultimate(), "a1 is taken"),
        ("i9", rooms.ultimate(), "i9 is closed now: play in board top"),
        ("a4", rooms.unknown(), "a4 is closed now"),
        (
            "b3",
            build_room(rules=rooms.CUBE),
            "there is no cell b3: it is 1b3, with its layer",
        ),
        ("b", build_room(rules=rooms.CUBE), "b is no cell: name layer, column and row, as 1b1"),
        ("4a1", build_room(rules=rooms.CUBE), "there is no cell 4a1 on this board"),
        ("1a1", build_room(), "there is no cell 1a1 on this board"),
    ],
)
def test_why_a_cell_of_a_variant_is_not_played(line: str, shown: RoomState, words: str) -> None:
    assert command_for(word(line), build_view(shown)) == NotNow(words)


def test_a_cell_of_a_variant_is_played() -> None:
    assert command_for(word("e1"), build_view(rooms.ultimate())) == Play(game=1, ply=8, cell=4)
    cube = build_view(build_room(rules=rooms.CUBE))
    assert command_for(word("2b3"), cube) == Play(game=1, ply=0, cell=16)
    assert command_for(word("27"), cube) == Play(game=1, ply=0, cell=26)
