"""`.psq`, SGF and column strings: games of other programs, read and written."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttt_protocol.codes import Choice, Reason
from ttt_protocol.events import Chosen, Ended, Offered, Played, Started, TakenBack
from ttt_protocol.exports.other_forms import (
    Move,
    NoSuchForm,
    PlainGame,
    as_columns,
    as_psq,
    as_sgf,
    exported,
    plain,
)
from ttt_protocol.exports.read_games import InvalidExport, read_games
from ttt_protocol.notation import MOST_IN_FILES, board_name, board_of
from ttt_protocol.records import ExportedGame
from ttt_protocol.state import Ai, BySeat, Mark, OfferKind, Outcome, Player, RoomName, Settings

GOMOCUP = """\
Piskvorky 20x20, 11:11, 0\r
10,10,0\r
11,11,120\r
10,11,2000\r
11,10,30\r
10,12,5\r
20,20,30\r
10,13,5\r
1,1,30\r
10,14,5\r
CARBON.zip\r
pbrain-wine.exe\r
-1\r
0,Freestyle20_1\r
"""


def only(text: str) -> ExportedGame:
    (game,) = read_games(text.splitlines(keepends=True), "den", 1000)
    return game


def cells(game: ExportedGame) -> tuple[int, ...]:
    return tuple(event.cell for event in game.events if isinstance(event, Played))


def test_a_game_of_gomocup() -> None:
    game = only(GOMOCUP)
    assert (game.room, game.game, board_name(game.rules)) == ("den", 1, "20x20x5")
    assert cells(game)[:3] == (9 * 20 + 9, 10 * 20 + 10, 10 * 20 + 9)
    assert [event.at for event in game.events[:4]] == [1000, 1000, 1120, 3120]
    names = [seat.name for seat in (game.seats.X, game.seats.O) if seat]
    assert names == ["CARBON", "pbrain-wine"]
    ended = game.events[-1]
    assert isinstance(ended, Ended)
    line = tuple(row * 20 + 9 for row in range(9, 14))
    assert ended.outcome == Outcome(winner=Mark.X, reason=Reason.LINE, line=line)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Piskvorky big, 1:1, 0\n", "line 1: the first line is not like Piskvorky 15x15"),
        ("Piskvorky 15x15, 1:1, 0\n16,1,0\n", "line 1: move 1 is off the board"),
        ("Piskvorky 15x15, 1:1, 0\n1,1\n1,1\n", "game 1: move 2, a1, is on a taken cell"),
        ("Piskvorky 21x21, 1:1, 0\n1,1\n", "line 1: columns: "),
        ("Piskvorky 15x15, 1:1, 0\n1,1,1\na\nb\n0\n2,Renju15-1\n", "its rule is renju15-1"),
        (GOMOCUP.replace("CARBON.zip", "1,2,3"), "move 10 comes after the end of the game"),
    ],
)
def test_what_is_no_psq(text: str, why: str) -> None:
    with pytest.raises(InvalidExport, match=why.replace("(", r"\(")):
        only(text)


def test_the_player_who_began_is_named_first() -> None:
    second = only("Piskvorky 15x15, 0:0, 1\n1,1,1\nada\nbob\n0\n0,Standard15-1\n")
    assert second.seats.X
    assert second.seats.X.name == "bob"
    assert second.rules.exact
    assert not second.is_over


SGF = r"""
(;FF[4]GM[4]SZ[15]PB[Ada \[1\] Lovelace]PW[Bob]DT[2026-01-31]RE[W+Resign]C[# a comment]
;B[hh]C[centre](;W[hg];B[ii])(;W[aa];B[bb](;W[cc])(;W[dd])))
(;GM[4] SZ[16:15] RE[0] ;B[a15];W[p1])
"""


def test_games_of_sgf() -> None:
    first, second = read_games(SGF.splitlines(), "den", 1000)
    assert (board_name(first.rules), cells(first)) == ("15x15x5", (112, 97, 128))
    assert first.seats.X
    assert first.seats.X.name == "Ada [1] Lovelace"
    assert first.began_at == 1_769_817_600_000
    ended = first.events[-1]
    assert isinstance(ended, Ended)
    assert (ended.outcome.winner, ended.outcome.reason) == (Mark.O, Reason.RESIGNATION)
    assert (second.game, board_name(second.rules), cells(second)) == (2, "16x15x5", (0, 239))
    assert isinstance(second.events[-1], Ended)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(;FF[4]GM[1]SZ[19];B[pd])", r"game 1: GM\[1\] is another game; five in a row is GM\[4\]"),
        ("(;FF[4];B[pd])", r"GM\[1\] is another game"),
        ("(;GM[4]SZ[25];B[aa])", r"SZ\[25\] is not a board that is known here: 3 to 20 columns"),
        ("(;GM[4]SZ[3];B[aa])", r"SZ\[3\] is not a board"),
        ("(;GM[4]SZ[-1];B[aa])", r"SZ\[-1\] is not a size"),
        ("(;GM[4]RU[25x25x5]SZ[15];B[aa])", r"RU\[25x25x5\] is not a board"),
        ("(;GM[4];B[zz])", r"move 1, \[zz\], is off the board"),
        ("(;GM[4];B[])", r"move 1, \[\], is off the board"),
        ("(;GM[4]AB[aa];W[bb])", "stones that are set"),
        ("(;GM[4];B[aa]", "the last game has no end"),
        ("(;GM[4];B[aa]) x", "SGF: line 1: 'x' is out of place"),
        ("(;GM[connect four];B[aa])", "move 1, a1, would fall: the board is 7x6x4g"),
    ],
)
def test_what_is_no_sgf_of_ours(text: str, why: str) -> None:
    with pytest.raises(InvalidExport, match=why):
        only(text)


def test_boards_of_sgf() -> None:
    assert board_name(only("(;GM[4];B[aa])").rules) == "15x15x5"
    assert board_name(only("(;GM[4]RU[3x3x3];B[aa])").rules) == "3x3x3"
    assert board_name(only("(;GM[4]RU[Gomoku];B[aa])").rules) == "15x15x5"


def test_a_full_board_is_a_draw() -> None:
    game = PlainGame(board_of("3x3x3"), tuple(map(Move, (0, 1, 2, 4, 3, 5, 7, 6, 8))))
    ended = exported(game, RoomName("den"), 1, 0).events[-1]
    assert isinstance(ended, Ended)
    assert ended.outcome == Outcome(winner=None, reason=Reason.FULL, line=None)


def test_column_strings() -> None:
    first, second = read_games(["44536", "", "12121 18"])
    assert [game.game for game in (first, second)] == [1, 2]
    assert cells(first) == (38, 31, 39, 37, 40)
    assert board_name(first.rules) == "7x6x4g"
    with pytest.raises(InvalidExport, match="line 1: move 7: column 1 is full"):
        only("1111111")
    with pytest.raises(InvalidExport, match="line 2: a column string has a digit from 1 to 7"):
        list(read_games(["44", "48"]))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[Event "Wijk aan Zee"]\n1. e4', "this looks like PGN, which holds games of chess"),
        ("<html>", "HTML"),
        ('[{"room": "den"}]', "one JSON array"),
        ("X...O....", "a position, which has no order of moves"),
        ("h8 i9 j10", "moves without a board"),
        ("48", "columns are 1 to 7"),
        ("name;score", "CSV"),
        ("hello", "no known form of games; those are JSON or text"),
    ],
)
def test_other_forms_are_named(text: str, why: str) -> None:
    with pytest.raises(InvalidExport, match=why):
        only(text)


def test_what_takes_nothing_from_a_game_is_left_out() -> None:
    seats = BySeat[Player | None](X=Ai(name="rules", strategy="rules", level=None), O=None)
    events = (
        Started(seq=1, at=5, game=1),
        Played(seq=2, at=105, game=1, ply=0, seat=Mark.X, cell=4),
        Offered(seq=3, at=200, kind=OfferKind.TAKEBACK, seat=Mark.X),
        TakenBack(seq=4, at=300, game=1, ply=0),
        Played(seq=5, at=350, game=1, ply=0, seat=Mark.X, cell=0),
        Chosen(seq=6, at=400, game=1, ply=1, seat=Mark.O, choice=Choice.SWAP),
    )
    room, rules = RoomName("den"), board_of("3x3x3")
    game = ExportedGame(
        room=room,
        game=1,
        rules=rules,
        seats=seats,
        events=events,
        settings=Settings(rules=rules),
        locked=False,
    )
    assert plain(game) == PlainGame(rules, (Move(0, 50),), "nobody", "rules", 5)


@st.composite
def plain_games(draw: st.DrawFn, boards: tuple[str, ...]) -> PlainGame:
    """Draw a game that goes on until it is over, or a little less."""
    rules = board_of(draw(st.sampled_from(boards)), MOST_IN_FILES)
    moves = tuple(_some_moves(draw, rules.columns, rules.rows, gravity=rules.gravity))
    while True:
        game = PlainGame(rules, moves, "ada", "bob \\ [1]: x", 1_769_817_600_000)
        try:
            return plain(exported(game, RoomName("den"), 1, 0))
        except ValueError:
            moves = moves[:-1]


def _some_moves(draw: st.DrawFn, columns: int, rows: int, *, gravity: bool) -> Iterator[Move]:
    free = [columns * row + column for row in reversed(range(rows)) for column in range(columns)]
    for _ in range(draw(st.integers(0, 42))):
        bottom = {cell % columns: cell for cell in reversed(free)}
        if not free:
            return
        cell = draw(st.sampled_from(sorted(bottom.values()) if gravity else free))
        free.remove(cell)
        yield Move(cell)


@given(plain_games(("15x15x5", "20x20x5!", "8x9x5")))
def test_a_psq_says_the_moves_and_the_players(game: PlainGame) -> None:
    again = plain(only(as_psq(game)))
    assert again == game._replace(began_at=1000)


OTHERS = ["3,3", "42", "-1", "7,Standard", "0,Renju-1", "# 1", "Piskvorky 15x15, 0:0, 0", "x"]
NAMES = st.builds(str.__add__, st.sampled_from(OTHERS), st.sampled_from(["", ".zip", ".exe"]))


@given(NAMES, NAMES)
def test_a_psq_says_names_that_could_be_other_lines(x: str, o: str) -> None:
    game = PlainGame(board_of("15x15x5"), (Move(0),), x, o, 1000)
    first, second = read_games((as_psq(game) * 2).splitlines(), "den", 1000)
    assert plain(first) == plain(second) == game


def test_comments_are_no_players() -> None:
    assert only(GOMOCUP.replace("CARBON", "# a comment\nCARBON")) == only(GOMOCUP)


def test_a_size_of_sgf_has_a_plain_colon() -> None:
    assert "SZ[7:6]" in as_sgf(PlainGame(board_of("7x6x4g"), ()))


@given(plain_games(("15x15x5", "20x20x5!", "8x9x5", "3x3x3", "7x6x4g")))
def test_sgf_says_the_moves_the_players_and_the_day(game: PlainGame) -> None:
    assert plain(only(as_sgf(game))) == game


@given(plain_games(("7x6x4g",)))
def test_a_column_string_says_the_moves(game: PlainGame) -> None:
    if game.moves:
        assert plain(only(as_columns(game))).moves == game.moves


def test_a_result_off_the_board() -> None:
    game = PlainGame(board_of("3x3x3"), (Move(4),), began_at=0)
    for reason, told in ((Reason.TIMEOUT, "W+T"), (Reason.FORFEIT, "W+F")):
        lost = game._replace(result=Outcome(winner=Mark.O, reason=reason, line=None))
        assert f"RE[{told}]" in as_sgf(lost)
        assert plain(only(as_sgf(lost))) == lost
    nobody = Outcome(winner=None, reason=Reason.ABANDONMENT, line=None)
    assert "DT[" not in as_sgf(game._replace(began_at=None))
    assert "RE[Void]" in as_sgf(game._replace(result=nobody))
    assert "RE[0]" in as_sgf(game._replace(result=replace(nobody, reason=Reason.FULL)))


@pytest.mark.parametrize(
    ("write", "board"), [(as_psq, "3x3x3"), (as_sgf, "4x4x4"), (as_columns, "8x6x4g")]
)
def test_boards_of_which_a_form_knows_nothing(write: object, board: str) -> None:
    assert callable(write)
    with pytest.raises(NoSuchForm, match=board):
        write(PlainGame(board_of(board), ()))


def test_no_other_form_holds_a_variant() -> None:
    rules = board_of("misere:3x3x3")
    game = exported(PlainGame(board_of("3x3x3"), ()), RoomName("den"), 1, 0)
    with pytest.raises(NoSuchForm, match="misere:3x3x3: only JSON and text hold a variant"):
        plain(game.model_copy(update={"rules": rules}))
